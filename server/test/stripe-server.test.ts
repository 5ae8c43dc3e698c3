import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { apiVersion, openStripe, secretKey } from './stripe-bench.ts';

describe('the Stripe that the adapter is tested against', () => {
  let bench: Awaited<ReturnType<typeof openStripe>>;
  beforeEach(async () => {
    bench = await openStripe();
  });
  afterEach(() => bench.close());

  const ask = (path: string, form?: string, headers: Record<string, string> = {}) =>
    fetch(`${bench.server.url}${path}`, {
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
      headers: {
        authorization: `Bearer ${secretKey}`,
        'stripe-version': apiVersion,
        'idempotency-key': 'raw',
        ...headers,
      },
    }).then(async (response) => {
      const { error } = (await response.json()) as { error?: { code?: string; param?: string } };
      return [response.status, error?.code, error?.param];
    });

  test.each<[string, string, string | undefined, unknown[]]>([
    ['an unknown parameter', '/v1/customers', 'nickname=x', [400, 'parameter_unknown', 'nickname']],
    [
      'an unknown one inside another',
      '/v1/accounts',
      'business_profile[shoe_size]=9',
      [400, 'parameter_unknown', 'business_profile/shoe_size'],
    ],
    ['a missing one', '/v1/payment_intents', 'amount=100', [400, 'parameter_missing', 'currency']],
    ['a wrong type', '/v1/payment_intents', 'amount=ten&currency=usd', [400, 'parameter_invalid', 'amount']],
    [
      'a fraction of a cent',
      '/v1/payment_intents',
      'amount=10.5&currency=usd',
      [400, 'parameter_invalid', 'amount'],
    ],
    ['a wrong word', '/v1/setup_intents', 'usage=later', [400, 'parameter_invalid', 'usage']],
    [
      'what the SDK has dropped',
      '/v1/setup_intents',
      'payment_method_types[0]=card',
      [400, 'parameter_unknown', 'payment_method_types'],
    ],
    ['an unknown question', '/v1/payment_intents?color=red', undefined, [400, 'parameter_unknown', 'color']],
    ['an unknown path', '/v1/charges', 'amount=100', [404, undefined, undefined]],
  ])('[PAY-02] refuses %s', async (_, path, form, expected) => {
    expect(await ask(path, form)).toEqual(expected);
  });

  test.each([
    [200, {}],
    [401, { authorization: 'Bearer sk_test_no' }],
    [400, { 'stripe-version': '2020-08-27' }],
    [400, { 'idempotency-key': '' }],
    [400, { 'idempotency-key': 'k'.repeat(256) }],
    [403, { 'stripe-account': 'acct_none' }],
  ])('[PAY-02] answers %i to %j', async (expected, headers) => {
    const [answered] = await ask('/v1/customers', 'name=x', headers as Record<string, string>);
    expect(answered).toBe(expected);
  });
});
