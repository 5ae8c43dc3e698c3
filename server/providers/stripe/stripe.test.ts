import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { gatewayContract } from '../../test/payment-gateway.contract.ts';
import { apiVersion, openStripe } from '../../test/stripe-bench.ts';
import type { Fault } from '../../test/stripe-server.ts';
import { createStripeGateway } from './index.ts';

gatewayContract('Stripe', () => openStripe());

describe('the Stripe adapter', () => {
  let bench: Awaited<ReturnType<typeof openStripe>>;
  let made: { customer: string; card: string };
  beforeEach(async () => {
    // The SDK waits half a second before it retries a request that was cut off by a closed connection.
    bench = await openStripe({ timeoutMs: 3000 });
    const customer = await bench.gateway.createCustomer({ reference: 'c', idempotencyKey: 'customer' });
    const begun = await bench.gateway.startCard({ customer, idempotencyKey: 'start' });
    await bench.enterCard(begun, '4242424242424242');
    const end = await bench.gateway.finishCard(begun);
    if (end.status !== 'saved') throw new Error('not saved');
    made = { customer, card: end.card.id };
    bench.server.notices();
  });
  afterEach(() => bench.close());

  const charge = (gateway = bench.gateway) =>
    gateway.charge({ ...made, amountCents: 5000, currency: 'usd', idempotencyKey: 'one', description: 'x' });
  const find = () =>
    bench.gateway.findCharge({ customer: made.customer, idempotencyKey: 'one', since: bench.clock.now() });
  const fault = (at: Fault['at'], act: Fault['act'], times = 1, path = /payment_intents$/) =>
    bench.server.faults.push({ path, at, act, times });
  const status = (code: number, type = 'api_error', reason?: string) => ({
    status: code,
    type,
    ...(reason ? { code: reason } : {}),
  });

  describe('when answers are lost', () => {
    test.each(['before', 'after'] as const)(
      '[PAY-02] a connection closed once %s the work costs nothing',
      async (at) => {
        fault(at, 'drop');
        expect(await charge()).toMatchObject({ status: 'succeeded' });
        expect(bench.server.captured()).toEqual([5000]);
      },
    );

    test.each<[string, Fault['at'], Fault['act'], number]>([
      ['the connection is closed again', 'after', 'drop', 2],
      ['nobody answers', 'after', 'hang', 1],
      ['the answer is no JSON', 'after', 'garbage', 1],
      ['500', 'after', status(500), 1],
      ['502', 'after', status(502), 1],
      ['424', 'after', status(424), 1],
      ['409, the key is in use', 'after', status(409, 'idempotency_error', 'idempotency_key_in_use'), 1],
    ])('[PAY-02] unknown when %s, and found then', async (_, at, act, times) => {
      fault(at, act, times);
      expect(await charge()).toMatchObject({ status: 'unknown' });
      expect(await find()).toMatchObject({ status: 'succeeded', amountCents: 5000 });
      expect(await charge()).toMatchObject({ status: 'succeeded' });
      expect(bench.server.captured()).toEqual([5000]);
    });

    test.each<[string, Fault['act'], number]>([
      ['the connection is closed again', 'drop', 2],
      ['nobody answers', 'hang', 1],
      ['500', status(500), 1],
    ])('[PAY-02] unknown when %s before the work, and none is found', async (_, act, times) => {
      fault('before', act, times);
      expect(await charge()).toMatchObject({ status: 'unknown' });
      expect(await find()).toEqual({ status: 'none' });
      expect(await charge()).toMatchObject({ status: 'succeeded' });
      expect(bench.server.captured()).toEqual([5000]);
    });

    test.each<[string, Fault['act'], string]>([
      ['429', status(429, 'invalid_request_error', 'rate_limit'), 'busy'],
      ['a lock', status(429, 'invalid_request_error', 'lock_timeout'), 'busy'],
      ['403', status(403, 'invalid_request_error'), 'credentials'],
      ['400', status(400, 'invalid_request_error', 'parameter_invalid_empty'), 'invalid'],
    ])('[PAY-02] %s means that nothing was done', async (_, act, code) => {
      fault('before', act);
      await expect(charge()).rejects.toMatchObject({ name: 'GatewayError', code });
      expect(bench.server.captured()).toEqual([]);
    });

    test('[PAY-02] a Stripe that cannot be reached has done nothing', async () => {
      const nobody = createServer();
      await new Promise<void>((ready) => nobody.listen(0, '127.0.0.1', ready));
      const apiBase = `http://127.0.0.1:${(nobody.address() as AddressInfo).port}`;
      await new Promise((closed) => nobody.close(closed));
      const gateway = createStripeGateway({ ...bench.parts, apiBase, clock: bench.clock });
      await expect(charge(gateway)).rejects.toMatchObject({ code: 'unavailable' });
      await expect(gateway.getCard({ card: made.card })).rejects.toMatchObject({ code: 'unavailable' });
    });

    test('[PAY-02] but closed first and gone then, it may have', async () => {
      const server = createServer((request) => {
        server.close();
        request.socket.destroy();
      });
      await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
      const apiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const gateway = createStripeGateway({ ...bench.parts, apiBase, clock: bench.clock });
      expect(await charge(gateway)).toEqual({ status: 'unknown', why: 'no answer (ECONNREFUSED)' });
    });

    test('[PAY-02] an answer that trickles in is cut off at the deadline', async () => {
      const server = createServer((_, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(timer));
      });
      await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
      const apiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const parts = { ...bench.parts, apiBase, timeoutMs: 300 };
      const gateway = createStripeGateway({ ...parts, clock: bench.clock });
      expect(await charge(gateway)).toEqual({ status: 'unknown', why: 'no answer within 300 ms' });
      server.closeAllConnections();
      server.close();
    });

    test('[PAY-02] a wrong key is told', async () => {
      const parts = { ...bench.parts, secretKey: 'sk_test_wrong', apiBase: bench.server.url };
      const gateway = createStripeGateway({ ...parts, clock: bench.clock });
      const error = await charge(gateway).catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'credentials' });
      expect(JSON.stringify(error) + error.message + error.stack).not.toContain('sk_test_wrong');
    });

    test('[PAY-02] a lost refund is unknown, and found', async () => {
      const outcome = await charge();
      const id = outcome.status === 'succeeded' ? outcome.charge : '';
      fault('after', status(500), 1, /refunds$/);
      const refund = { charge: id, amountCents: 100, idempotencyKey: 'back' };
      expect(await bench.gateway.refund(refund)).toMatchObject({ status: 'unknown' });
      expect(await bench.gateway.findRefund(refund)).toMatchObject({ status: 'succeeded', amountCents: 100 });
    });

    test('[PAY-02] other calls say that they had no answer, and may be repeated', async () => {
      fault('after', 'drop', 2, /customers$/);
      const create = () => bench.gateway.createCustomer({ reference: 'c', idempotencyKey: 'again' });
      await expect(create()).rejects.toMatchObject({ code: 'no_answer' });
      const id = await create();
      expect(await create()).toBe(id);
    });
  });

  test('[PAY-02] a charge that Stripe has not finished is unknown', async () => {
    const later = { customer: made.customer, metadata: { charge_key: 'one' }, last_payment_error: null };
    for (const state of [
      'processing',
      'requires_confirmation',
      'requires_payment_method',
      'requires_capture',
    ]) {
      bench.server.addIntents('', [{ ...later, status: state }]);
      expect(await find()).toMatchObject({ status: 'unknown' });
    }
    bench.server.addIntents('', [{ ...later, status: 'requires_action', client_secret: 's' }]);
    expect(await find()).toMatchObject({ status: 'declined', needsAuthentication: true, clientSecret: 's' });
  });

  test('[PAY-02] a charge is found behind hundreds of others', async () => {
    await charge();
    const others = Array.from({ length: 250 }, (_, at) => ({
      customer: made.customer,
      metadata: { charge_key: `other-${at}` },
    }));
    bench.server.addIntents('', others);
    expect(await find()).toMatchObject({ status: 'succeeded' });
    const pages = bench.server.requests.filter(({ name }) => name === 'GET /v1/payment_intents');
    expect(pages).toHaveLength(3);
  });

  test('[PAY-02] says its version and our key, and nothing of itself that was not asked for', async () => {
    await charge();
    for (const { name, headers } of bench.server.requests) {
      expect(headers['stripe-version']).toBe(apiVersion);
      expect(headers).not.toHaveProperty('x-stripe-client-telemetry');
      if (name.startsWith('POST')) expect(headers['idempotency-key']).toMatch(/^(customer|start|one)$/);
    }
    expect(bench.server.requests.at(-1)?.body).toEqual({
      ...{
        amount: 5000,
        currency: 'usd',
        customer: made.customer,
        payment_method: made.card,
        description: 'x',
      },
      ...{ off_session: true, confirm: true, allowed_payment_method_types: ['card'] },
      metadata: { charge_key: 'one' },
    });
  });

  test('[PAY-01] an account that has left us is none', async () => {
    fault('before', status(403, 'invalid_request_error', 'account_invalid'), 1, /accounts/);
    expect(await bench.gateway.getAccount('acct_1')).toMatchObject({ status: '' });
    fault('before', status(500), 1, /accounts/);
    await expect(bench.gateway.getAccount('acct_1')).rejects.toMatchObject({ code: 'no_answer' });
  });
});
