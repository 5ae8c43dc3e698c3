import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import type { ManualClock } from '../platform/clock.ts';
import { callOf, example, misfit, readForm } from './stripe-check.ts';

// biome-ignore lint/suspicious/noExplicitAny: Stripe's resources as JSON
type Resource = Record<string, any>;

/** What should go wrong with the next requests to a path. */
export interface Fault {
  path: RegExp;
  /** Before or after the work is done. */
  at: 'before' | 'after';
  /** drop: close the connection; hang: never answer; garbage: 200 without JSON; a status: Stripe's error with it. */
  act: 'drop' | 'hang' | 'garbage' | { status: number; type: string; code?: string };
  times?: number;
}

interface TestCard {
  brand?: string;
  /** Declined when entered, and how. */
  save?: [code: string, declineCode?: string];
  challenge?: true;
  charge?: [code: string, declineCode?: string];
  /** The answer to a charge arrives too late, or never. */
  answer?: 'late' | 'lost';
}

/** Test cards as documented at docs.stripe.com/testing; the last two are ours. */
const testCards: Record<string, TestCard> = {
  '4242424242424242': {},
  '5555555555554444': { brand: 'mastercard' },
  '4000000000000002': { save: ['card_declined', 'generic_decline'] },
  '4000000000009995': { save: ['card_declined', 'insufficient_funds'] },
  '4000000000009987': { save: ['card_declined', 'lost_card'] },
  '4000000000009979': { save: ['card_declined', 'stolen_card'] },
  '4000000000000069': { save: ['expired_card'] },
  '4000000000000127': { save: ['incorrect_cvc'] },
  '4000000000000119': { save: ['processing_error'] },
  '4000000000000341': { charge: ['card_declined', 'generic_decline'] },
  '4000008260003178': { challenge: true, charge: ['card_declined', 'insufficient_funds'] },
  '4000002500003155': { challenge: true },
  '4000002760003184': { challenge: true, charge: ['authentication_required', 'authentication_required'] },
  '4000000009000029': { answer: 'late' },
  '4000000009000037': { answer: 'lost' },
};

class Refused extends Error {
  readonly status: number;
  readonly body: { error: Resource };
  constructor(status: number, type: string, more: Resource = {}) {
    super(type);
    this.status = status;
    this.body = { error: { type, message: `${type} ${more.code ?? ''}`.trim(), ...more } };
  }
}

export interface StripeServerOptions {
  clock: ManualClock;
  secretKey: string;
  webhookSecret: string;
  apiVersion: string;
  /** The delay of a late answer. */
  lateMs: number;
}

/**
 * A Stripe on loopback: refuses what Stripe's own document does not allow, stores what it is given, answers in the form
 * of Stripe's examples, repeats answers under an idempotency key, and fails when told to.
 */
export async function startStripeServer(options: StripeServerOptions) {
  const { clock } = options;
  /** By account ('' is the platform) and id. */
  const resources = new Map<string, Resource>();
  const cards = new Map<string, TestCard>();
  const keys = new Map<string, { input: string; answer?: { status: number; body: unknown } }>();
  const faults: Fault[] = [];
  const requests: { name: string; headers: IncomingMessage['headers']; body: Resource }[] = [];
  let events: Resource[] = [];
  /**
   * In percent, by country and state; a place that is not listed has no registration, so nothing is collected there.
   */
  const taxRates: Record<string, number> = {};
  /** Accounts ('': the platform) without a head office, for which Stripe Tax does nothing. */
  const taxInactive = new Set<string>();

  const seconds = () => Math.floor(clock.now().getTime() / 1000);
  const newId = (prefix: string) => `${prefix}_${randomBytes(9).toString('hex')}`;
  const keep = (account: string, resource: Resource): Resource => {
    resources.set(`${account} ${resource.id}`, resource);
    return resource;
  };
  const get = (account: string, id: string, param?: string): Resource => {
    const found = resources.get(`${account} ${id}`);
    if (!found) throw new Refused(404, 'invalid_request_error', { code: 'resource_missing', param });
    return found;
  };
  const all = (account: string, object: string) =>
    [...resources]
      .filter(([key, resource]) => key.startsWith(`${account} `) && resource.object === object)
      .map(([, resource]) => resource)
      .reverse();
  function make(account: string, object: string, prefix: string, fields: Resource): Resource {
    const id = newId(prefix);
    return keep(account, { ...example(object), id, created: seconds(), metadata: {}, ...fields });
  }
  function tell(account: string, type: string, object: Resource): void {
    const event = { ...example('event'), id: newId('evt'), type, created: seconds(), data: { object } };
    events.push(structuredClone(account ? { ...event, account } : event));
  }
  const cardError = ([code, declineCode]: [string, string?], more: Resource = {}): Resource => ({
    code,
    ...(declineCode ? { decline_code: declineCode } : {}),
    message: 'Your card was declined.',
    ...more,
  });

  function charge(account: string, body: Resource): Resource {
    const method = get(account, body.payment_method, 'payment_method');
    get(account, body.customer, 'customer');
    if (account && !get('', account).charges_enabled)
      throw new Refused(400, 'invalid_request_error', { code: 'capability_not_active' });
    if (method.customer !== body.customer)
      throw new Refused(400, 'invalid_request_error', { code: 'payment_method_unexpected_state' });
    if (body.application_fee_amount && !account)
      throw new Refused(400, 'invalid_request_error', { code: 'application_fees_not_allowed' });
    const intent = make(account, 'payment_intent', 'pi', {
      amount: body.amount,
      currency: body.currency,
      customer: body.customer,
      description: body.description ?? null,
      application_fee_amount: body.application_fee_amount ?? null,
      metadata: body.metadata ?? {},
      client_secret: newId('secret'),
      last_payment_error: null,
      canceled_at: null,
    });
    const failure = cards.get(method.id)?.charge;
    if (!failure) return succeed(account, intent, method.id);
    intent.last_payment_error = { type: 'card_error', ...cardError(failure) };
    tell(account, 'payment_intent.payment_failed', intent);
    throw new Refused(
      402,
      'card_error',
      cardError(failure, { payment_intent: intent, payment_method: method }),
    );
  }

  function succeed(account: string, intent: Resource, method: string): Resource {
    const latest = make(account, 'charge', 'ch', { amount: intent.amount, payment_intent: intent.id });
    Object.assign(intent, {
      status: 'succeeded',
      amount_received: intent.amount,
      payment_method: method,
      latest_charge: latest.id,
      last_payment_error: null,
    });
    tell(account, 'payment_intent.succeeded', intent);
    return intent;
  }

  function refund(account: string, body: Resource): Resource {
    const intent = get(account, body.payment_intent, 'payment_intent');
    const given = all(account, 'refund')
      .filter((one) => one.payment_intent === intent.id)
      .reduce((sum, one) => sum + one.amount, 0);
    const left = (intent.status === 'succeeded' ? intent.amount_received : 0) - given;
    const amount = body.amount ?? left;
    if (left === 0) throw new Refused(400, 'invalid_request_error', { code: 'charge_already_refunded' });
    if (amount > left) throw new Refused(400, 'invalid_request_error', { param: 'amount' });
    if (body.refund_application_fee && !intent.application_fee_amount)
      throw new Refused(400, 'invalid_request_error', { param: 'refund_application_fee' });
    const metadata = body.metadata ?? {};
    const made = make(account, 'refund', 're', { amount, metadata, payment_intent: intent.id });
    get(account, intent.latest_charge).amount_refunded = given + amount;
    tell(account, 'charge.refunded', get(account, intent.latest_charge));
    return made;
  }

  /** Sends an account's funds to its bank, as Stripe does each day. */
  function payOut(account: string): void {
    const taken = new Set(all(account, 'balance_transaction').map((one) => one.source));
    const open = [...all(account, 'charge'), ...all(account, 'refund')].filter((one) => !taken.has(one.id));
    const moved = open.map((source) => {
      const isRefund = source.object === 'refund';
      const intent = get(account, source.payment_intent);
      const fee = isRefund ? 0 : (intent.application_fee_amount ?? 0);
      const amount = isRefund ? -source.amount : source.amount;
      const description = intent.description ?? null;
      return {
        type: isRefund ? 'refund' : 'charge',
        source: source.id,
        amount,
        fee,
        net: amount - fee,
        description,
      };
    });
    const amount = moved.reduce((sum, one) => sum + one.net, 0);
    const payout = make(account, 'payout', 'po', {
      amount,
      status: 'in_transit',
      arrival_date: seconds() + 2 * 86_400,
    });
    const self = { type: 'payout', source: payout.id, amount: -amount, fee: 0, net: -amount };
    for (const one of [...moved, self])
      make(account, 'balance_transaction', 'txn', { ...one, payout_of_test: payout.id });
  }

  function calculate(account: string, body: Resource): Resource {
    if (taxInactive.has(account))
      throw new Refused(400, 'invalid_request_error', { code: 'stripe_tax_inactive' });
    const { address, tax_ids = [], taxability_override = 'none' } = body.customer_details ?? {};
    if (!address || (address.country === 'US' && !address.postal_code))
      throw new Refused(400, 'invalid_request_error', { code: 'customer_tax_location_invalid' });
    if (tax_ids.some((one: Resource) => one.type === 'eu_vat' && !/^[A-Z]{2}[0-9A-Z]{8,12}$/.test(one.value)))
      throw new Refused(400, 'invalid_request_error', { code: 'tax_id_invalid' });
    const place = [address.country, address.state].filter(Boolean).join('-');
    const percent = taxRates[place] ?? taxRates[address.country];
    const isReverse = address.country !== 'US' && tax_ids.some((one: Resource) => one.type === 'eu_vat');
    const reason =
      taxability_override === 'customer_exempt'
        ? 'customer_exempt'
        : percent === undefined
          ? 'not_collecting'
          : isReverse
            ? 'reverse_charge'
            : 'standard_rated';
    const rate = reason === 'standard_rated' ? percent! : 0;
    const items = (body.line_items as Resource[]).map((item) => {
      const inclusive = item.tax_behavior === 'inclusive';
      const tax = inclusive
        ? Math.round(item.amount - item.amount / (1 + rate / 100))
        : Math.round((item.amount * rate) / 100);
      return { ...item, inclusive, tax, base: inclusive ? item.amount - tax : item.amount };
    });
    const sum = (name: 'tax' | 'base', inclusive?: boolean): number =>
      items
        .filter((item) => inclusive === undefined || item.inclusive === inclusive)
        .reduce((all, item) => all + item[name], 0);
    return make(account, 'tax.calculation', 'taxcalc', {
      amount_total: sum('base') + sum('tax'),
      customer_details: {
        ...example('tax.calculation').customer_details!,
        address,
        tax_ids,
        taxability_override,
      },
      expires_at: seconds() + 90 * 86_400,
      shipping_cost: null,
      ship_from_details: null,
      tax_amount_exclusive: sum('tax', false),
      tax_amount_inclusive: sum('tax', true),
      tax_breakdown: [
        {
          amount: sum('tax'),
          inclusive: items[0]!.inclusive,
          taxability_reason: reason,
          taxable_amount: rate ? sum('base') : 0,
          tax_rate_details: {
            country: address.country,
            state: address.state ?? null,
            percentage_decimal: String(rate),
            tax_type: address.country === 'US' ? 'sales_tax' : 'vat',
            flat_amount: null,
            rate_type: 'percentage',
          },
        },
      ],
      tax_date: seconds(),
      items,
    });
  }

  /** Records a sale or its reversal. References are used once. */
  function taxTransaction(account: string, reference: string, fields: Resource): Resource {
    if (all(account, 'tax.transaction').some((one) => one.reference === reference))
      throw new Refused(400, 'invalid_request_error', {
        code: 'resource_already_exists',
        param: 'reference',
      });
    return make(account, 'tax.transaction', 'tax', { reference, posted_at: seconds(), ...fields });
  }

  function reverse(account: string, body: Resource): Resource {
    const sale = get(account, body.original_transaction, 'original_transaction');
    const before = all(account, 'tax.transaction')
      .filter((one) => one.reversal?.original_transaction === sale.id)
      .reduce((sum, one) => sum + one.total, 0);
    const total = body.mode === 'full' ? -sale.total : body.flat_amount;
    if (body.mode === 'full' ? body.flat_amount !== undefined : !(total < 0))
      throw new Refused(400, 'invalid_request_error', { param: 'flat_amount' });
    if (sale.total + before + total < 0)
      throw new Refused(400, 'invalid_request_error', { param: 'flat_amount' });
    return taxTransaction(account, body.reference, {
      type: 'reversal',
      reversal: { original_transaction: sale.id },
      total,
    });
  }

  const page = (found: Resource[], query: Resource, url: string): Resource => {
    const from = query.starting_after ? found.findIndex((one) => one.id === query.starting_after) + 1 : 0;
    const data = found.slice(from, from + (query.limit ?? 10));
    return { object: 'list', url, data, has_more: from + data.length < found.length };
  };

  const handlers: Record<
    string,
    (account: string, ids: string[], body: Resource, query: Resource) => Resource
  > = {
    'POST /v1/customers': (account, _, body) => make(account, 'customer', 'cus', body),
    'POST /v1/setup_intents': (account, _, body) => {
      get(account, body.customer, 'customer');
      const client_secret = newId('secret');
      return make(account, 'setup_intent', 'seti', { ...body, client_secret, last_setup_error: null });
    },
    'GET /v1/setup_intents/{intent}': (account, [id], _, query) => {
      const setup = get(account, id!);
      const expand = query.expand?.includes('payment_method') && setup.payment_method;
      return expand ? { ...setup, payment_method: get(account, setup.payment_method) } : setup;
    },
    'GET /v1/payment_methods/{payment_method}': (account, [id]) => get(account, id!),
    'POST /v1/payment_methods/{payment_method}/detach': (account, [id]) => {
      const method = Object.assign(get(account, id!), { customer: null });
      tell(account, 'payment_method.detached', method);
      return method;
    },
    'POST /v1/payment_intents': (account, _, body) => charge(account, body),
    'GET /v1/payment_intents': (account, _, __, query) =>
      page(
        all(account, 'payment_intent')
          .filter(
            (one) =>
              (!query.customer || one.customer === query.customer) &&
              one.created >= (query.created?.gte ?? 0),
          )
          .map((one) =>
            query.expand?.includes('data.latest_charge') && one.latest_charge
              ? { ...one, latest_charge: get(account, one.latest_charge) }
              : one,
          ),
        query,
        '/v1/payment_intents',
      ),
    'GET /v1/payment_intents/{intent}': (account, [id]) => get(account, id!),
    'POST /v1/payment_intents/{intent}/cancel': (account, [id]) => {
      const intent = get(account, id!);
      if (!intent.status.startsWith('requires_'))
        throw new Refused(400, 'invalid_request_error', { code: 'payment_intent_unexpected_state' });
      Object.assign(intent, { status: 'canceled', canceled_at: seconds() });
      tell(account, 'payment_intent.canceled', intent);
      return intent;
    },
    'GET /v1/payouts': (account, _, __, query) =>
      page(
        all(account, 'payout').filter((one) => one.created >= (query.created?.gte ?? 0)),
        query,
        '/v1/payouts',
      ),
    'GET /v1/balance_transactions': (account, _, __, query) => {
      get(account, query.payout, 'payout');
      return page(
        all(account, 'balance_transaction')
          .filter((one) => one.payout_of_test === query.payout)
          .map(({ payout_of_test: _of, ...one }) =>
            query.expand?.includes('data.source') ? { ...one, source: get(account, one.source) } : one,
          ),
        query,
        '/v1/balance_transactions',
      );
    },
    'POST /v1/refunds': (account, _, body) => refund(account, body),
    'GET /v1/refunds': (account, _, __, query) =>
      page(
        all(account, 'refund').filter((one) => one.payment_intent === query.payment_intent),
        query,
        '/v1/refunds',
      ),
    'POST /v1/accounts': (_, __, body) => make('', 'account', 'acct', body),
    'GET /v1/accounts/{account}': (_, [id]) => get('', id!),
    'POST /v1/tax/calculations': (account, _, body) => {
      const { items: _items, ...told } = calculate(account, body);
      return told;
    },
    'POST /v1/tax/transactions/create_from_calculation': (account, _, body) => {
      const sale = get(account, body.calculation, 'calculation');
      if (sale.expires_at < seconds())
        throw new Refused(400, 'invalid_request_error', { param: 'calculation' });
      return taxTransaction(account, body.reference, {
        type: 'transaction',
        reversal: null,
        total: sale.amount_total,
      });
    },
    'POST /v1/tax/transactions/create_reversal': (account, _, body) => reverse(account, body),
    'POST /v1/account_links': (_, __, body) => {
      const { id } = get('', body.account, 'account');
      const url = `https://connect.stripe.test/setup/s/${id}/${newId('link')}`;
      return { ...example('account_link'), url, created: seconds(), expires_at: seconds() + 300 };
    },
  };

  /** Everything Stripe does with a request before and after the work itself. */
  function answer(request: IncomingMessage, text: string): { status: number; body: unknown } {
    const url = new URL(request.url!, 'http://stripe');
    const found = callOf(request.method!, url.pathname);
    const { headers } = request;
    if (headers.authorization !== `Bearer ${options.secretKey}`)
      throw new Refused(401, 'invalid_request_error');
    if (headers['stripe-version'] !== options.apiVersion)
      throw new Refused(400, 'invalid_request_error', { param: 'Stripe-Version' });
    if (!found) throw new Refused(404, 'invalid_request_error', { message: `Unrecognized request URL` });
    const body = readForm(text) as Resource;
    const query = readForm(url.search.slice(1)) as Resource;
    requests.push({ name: found.call.name, headers, body });
    const wrong = misfit(found.call, query, body);
    if (wrong) throw new Refused(400, 'invalid_request_error', { ...wrong });
    const account = (headers['stripe-account'] as string | undefined) ?? '';
    if (account && !resources.has(` ${account}`))
      throw new Refused(403, 'invalid_request_error', { code: 'account_invalid' });
    const work = () => ({ status: 200, body: handlers[found.call.name]!(account, found.ids, body, query) });
    if (request.method !== 'POST') return work();

    const key = headers['idempotency-key'] as string | undefined;
    if (!key || key.length > 255)
      throw new Refused(400, 'invalid_request_error', { param: 'Idempotency-Key' });
    const id = `${account} ${key}`;
    const input = `${url.pathname} ${text}`;
    const before = keys.get(id);
    if (before && before.input !== input) throw new Refused(400, 'idempotency_error');
    if (before?.answer) return before.answer;
    let done: { status: number; body: unknown };
    try {
      done = work();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      done = error;
    }
    // A copy of the current state: later changes to the resource are not repeated.
    done = { status: done.status, body: structuredClone(done.body) };
    keys.set(id, { input, answer: done });
    return done;
  }

  function takeFault(path: string, at: Fault['at']): Fault['act'] | undefined {
    const index = faults.findIndex((fault) => fault.at === at && fault.path.test(path));
    const fault = faults[index];
    if (!fault) return undefined;
    fault.times = (fault.times ?? 1) - 1;
    if (fault.times <= 0) faults.splice(index, 1);
    return fault.act;
  }

  function send(response: ServerResponse, status: number, body: unknown): void {
    const text = JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': newId('req') }).end(text);
  }

  function goWrong(act: Fault['act'], request: IncomingMessage, response: ServerResponse): void {
    if (act === 'drop') request.socket.destroy();
    else if (act === 'garbage') response.writeHead(200).end('<html>');
    else if (act !== 'hang') send(response, act.status, { error: { type: act.type, code: act.code } });
  }

  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const early = takeFault(request.url!, 'before');
    if (early) return goWrong(early, request, response);
    let answered: { status: number; body: unknown };
    try {
      answered = answer(request, text);
    } catch (error) {
      if (!(error instanceof Refused))
        return send(response, 500, { error: { type: 'api_error', message: String(error) } });
      answered = error;
    }
    const late = takeFault(request.url!, 'after');
    if (late) return goWrong(late, request, response);
    const { payment_method } = readForm(text) as Resource;
    const card = cards.get(payment_method);
    const manner = card?.answer;
    // Only the first time: a repeated request is answered.
    if (card) delete card.answer;
    if (manner === 'lost') return;
    if (manner === 'late') await new Promise((done) => setTimeout(done, options.lateMs).unref());
    send(response, answered.status, answered.body);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));

  const holder = (clientSecret: string): [account: string, resource: Resource] => {
    for (const [key, resource] of resources)
      if (resource.client_secret === clientSecret) return [key.split(' ')[0]!, resource];
    throw new Error('no such client secret');
  };

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    faults,
    taxRates,
    taxInactive,
    /** The contents of an account's tax report, oldest first: reference and amount with tax, in cents. */
    taxReport: (account = ''): [reference: string, cents: number][] =>
      all(account, 'tax.transaction')
        .map((one): [string, number] => [one.reference, one.total])
        .reverse(),
    /** A user enters a card into Stripe's form in the browser; `passes` tells whether they pass the bank's prompt. */
    enterCard(clientSecret: string, number: string, passes: boolean | undefined): void {
      const [account, setup] = holder(clientSecret);
      const card = testCards[number];
      if (!card) throw new Error(`Stripe has no test card ${number}`);
      const failed =
        card.save ?? (card.challenge && passes === false && ['setup_intent_authentication_failure']);
      if (failed) {
        setup.last_setup_error = { type: 'card_error', ...cardError(failed as [string, string?]) };
        setup.status = 'requires_payment_method';
        tell(account, 'setup_intent.setup_failed', setup);
        return;
      }
      if (card.challenge && passes === undefined) {
        setup.status = 'requires_action';
        return;
      }
      const method = make(account, 'payment_method', 'pm', { customer: setup.customer });
      const brand = card.brand ?? 'visa';
      const fingerprint = Buffer.from(number).toString('hex').slice(-16);
      method.card = { ...method.card, brand, last4: number.slice(-4), fingerprint };
      cards.set(method.id, { ...card });
      Object.assign(setup, { status: 'succeeded', payment_method: method.id, last_setup_error: null });
      tell(account, 'setup_intent.succeeded', setup);
    },
    /** The holder answers the bank's prompt about a declined charge. */
    authenticate(clientSecret: string, passes: boolean): void {
      const [account, intent] = holder(clientSecret);
      if (intent.status !== 'requires_payment_method') return;
      if (passes) succeed(account, intent, intent.payment_method);
    },
    /** Stripe changes an account's status. */
    setAccount(id: string, fields: Resource): void {
      const account = Object.assign(get('', id), fields);
      tell(id, 'account.updated', account);
    },
    /** A payout of an account is returned by the bank; `amount` in cents. */
    failPayout(id: string, amount: number, failure_message: string): void {
      tell(id, 'payout.failed', make(id, 'payout', 'po', { amount, status: 'failed', failure_message }));
    },
    /** Someone refunds a charge in Stripe's dashboard, or through its API with metadata of their own. */
    refundThere: (charge: string, amount: number, account = '', metadata: Resource = {}): string =>
      refund(account, { payment_intent: charge, amount, metadata }).id,
    addIntents(account: string, list: Resource[]): void {
      for (const fields of list) make(account, 'payment_intent', 'pi', fields);
    },
    /** Charges that were not declined, in cents, one entry per charge. */
    payOut,
    captured: (account = ''): number[] =>
      all(account, 'payment_intent')
        .filter((one) => one.status === 'succeeded')
        .map((one) => one.amount_received),
    fees: (account: string): number =>
      all(account, 'payment_intent').reduce((sum, one) => sum + (one.application_fee_amount ?? 0), 0),
    /** The events since the last call, signed now. */
    notices(): { body: string; headers: Record<string, string> }[] {
      const taken = events;
      events = [];
      return taken.map((event) => this.sign(event));
    },
    sign(event: Resource, { secret = options.webhookSecret, at = clock.now() } = {}) {
      const body = JSON.stringify(event);
      const timestamp = Math.floor(at.getTime() / 1000);
      const signed = stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
      return { body, headers: { 'stripe-signature': signed } };
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      if (server.listening) await new Promise((done) => server.close(done));
    },
  };
}

const stripe = new Stripe('sk_test_signs_only');

export type StripeServer = Awaited<ReturnType<typeof startStripeServer>>;
