import { afterAll, beforeAll, expect, test } from 'vitest';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { openStripe } from '../../../test/stripe-bench.ts';
import { auditLedger } from '../ledger/index.ts';

const USD = 1_000_000n;
let app: TestApp;
let stripe: Awaited<ReturnType<typeof openStripe>>;
let root: Company;
let acme: Company;
let texan: Company;
let nowhere: Company;
const tokens: Record<string, string> = {};
const hosts: Record<string, string> = { root: 'root.test', agency: 'acme.test', client: 'acme.test' };
let serial = 0;

beforeAll(async () => {
  stripe = await openStripe();
  const { secretKey, publishableKey, webhookSecrets } = stripe.parts;
  app = await testApp({
    clock: stripe.clock,
    settings: { stripe: { secretKey, publishableKey, webhookSecrets, apiBase: stripe.server.url } },
  });
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: 'acme.test', name: 'Acme' });
  texan = await app.make.client(acme, { name: 'Texan' });
  nowhere = await app.make.client(acme, { name: 'Nowhere' });
  await app.admin.query(
    `update company set country_code = 'US', state_code = 'TX', zip = '78701', address = '1 Main St', city = 'Austin' where id in ($1, $2)`,
    [texan.id, acme.id],
  );
  stripe.server.taxRates['US-TX'] = 8.25;
  for (const [who, company] of [
    ['root', root],
    ['agency', acme],
    ['client', texan],
  ] as const) {
    await app.make.user(company, { email: `${who}@x.test`, password: PASSWORD });
    tokens[who] = await app.signIn(`${who}@x.test`, hosts[who]!);
  }
});
afterAll(async () => {
  await app?.close();
  await stripe?.close();
});

const inRoot = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  inScope(app.platform.db.app, { rootId: root.id }, work);
const ask = async (who: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown) =>
  (await app.call(method, `/api${url}`, {
    host: hosts[who]!,
    token: tokens[who]!,
    ...(body === undefined ? {} : { body }),
    // biome-ignore lint/suspicious/noExplicitAny: answers of many calls
  })) as { status: number; body: any };
const choose = (calculator: string, who = 'root') =>
  ask(who, 'PUT', '/configuration/taxes/calculator', { calculator });
const page = async (who: string) => (await ask(who, 'GET', '/configuration/taxes')).body;

/** Creates a lead with an amount that is not on an invoice yet. */
async function owe(client: Company, price: bigint) {
  const campaign = await app.make.campaign(client, {
    price,
    costs: { term: 'Weekly', setup_micros: 0n, month_micros: 0n },
  });
  const person = app.make.person();
  await app.make.people(root, [person]);
  await app.make.visit(campaign, { email: person.email });
  await app.features.leads.resolver.resolveAll();
  return campaign.owner;
}
const bill = (owner: Awaited<ReturnType<typeof owe>>, side: 'retail' | 'wholesale' = 'retail') =>
  inRoot((tx) =>
    app.features.invoices.bill(
      tx,
      {
        owner,
        side,
        kind: 'to_date',
        term: null,
        periodKey: `key-${++serial}`,
        from: null,
        to: null,
        events: { before: new Date('9999-01-01'), cycle: null },
      },
      app.clock.now(),
    ),
  );
const invoice = async (id: string) => (await ask('agency', 'GET', `/billing/invoices/${id}`)).body;
const invoices = async (): Promise<number> =>
  (await app.admin.query('select count(*)::int as count from invoice')).rows[0].count;
const report = () => app.features.taxes.reportAll(root.id);
const sound = async () => {
  const { checks } = await auditLedger(app.admin);
  expect(checks.filter((check) => check.violations > 0)).toEqual([]);
};

test('[PAY-04] a root chooses Stripe Tax: asked before an invoice, told after it, and of what is credited', async () => {
  expect(await page('root')).toMatchObject({ calculator: 'table', has_stripe: true, waiting: [] });
  expect((await choose('stripe', 'agency')).status).toBe(403);
  expect((await choose('stripe')).status).toBe(200);
  expect((await page('agency')).calculator).toBe('stripe');
  const payers = (await ask('agency', 'GET', '/configuration/taxes/payers?searchQuery=tex')).body;
  expect(payers.data[0].holds).toBe('By Stripe Tax');

  const owner = await owe(texan, 100n * USD);
  // Before the first request the tax is unknown; afterward the last answer is the best estimate of the next one.
  const upcoming = async () => (await ask('client', 'GET', '/billing/upcoming')).body.data;
  expect(await upcoming()).toMatchObject([{ tax_name: '', tax_micros: null, total_micros: 100e6 }]);
  const made = (await bill(owner))!;
  expect(await invoice(made.id)).toMatchObject({
    tax_name: 'Sales tax 8.25%',
    subtotal_micros: 100e6,
    tax_micros: 8_250_000,
    total_micros: 108_250_000,
  });
  await owe(texan, 200n * USD);
  expect(await upcoming()).toMatchObject([
    { tax_name: 'Sales tax 8.25%', tax_micros: 16_500_000, total_micros: 216_500_000 },
  ]);

  expect(stripe.server.taxReport()).toEqual([]);
  await report();
  await report();
  expect(stripe.server.taxReport()).toEqual([[made.id, 10_825]]);
  const credited = await ask('agency', 'POST', `/billing/invoices/${made.id}/credit`, {
    amount: '21.65',
    reason: 'Mended',
    idempotencyKey: 'credit-stripe-0000',
  });
  expect(credited.status).toBe(200);
  await report();
  expect(stripe.server.taxReport().slice(1)).toEqual([[expect.any(String), -2165]]);
  await sound();
});

test('[PAY-04] without an answer of Stripe Tax no invoice is issued: it waits, says why, and is issued when there is one', async () => {
  const owner = await owe(texan, 50n * USD);
  const before = await invoices();
  stripe.server.faults.push({
    path: /tax\/calculations$/,
    at: 'before',
    act: { status: 500, type: 'api_error' },
  });
  await expect(bill(owner)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('Stripe Tax could not be reached'),
  });
  expect(await invoices()).toBe(before);
  expect(await page('agency')).toMatchObject({
    waiting: [{ company_name: 'Texan', reason: 'Stripe Tax could not be reached.' }],
    waiting_count: 1,
  });
  // It is the agency's responsibility, not the root's.
  expect((await page('root')).waiting).toEqual([]);
  const made = (await bill(owner))!;
  expect((await invoice(made.id)).tax_name).toBe('Sales tax 8.25%');
  expect((await page('agency')).waiting).toEqual([]);

  // An invalid address is no reason not to charge tax.
  const lost = await owe(nowhere, 10n * USD);
  await expect(bill(lost)).rejects.toMatchObject({ code: 'unavailable' });
  expect((await page('agency')).waiting).toMatchObject([
    { company_name: 'Nowhere', reason: expect.stringContaining('complete address') },
  ]);
  // An exempt payer is reported as exempt; a payer's own rate takes precedence over Stripe, which is not asked.
  await ask('agency', 'PUT', '/configuration/taxes/payers', { companyID: nowhere.id, rate: '10' });
  const asked = stripe.server.requests.length;
  const own = (await bill(lost))!;
  expect(await invoice(own.id)).toMatchObject({ tax_name: 'Tax 10%', tax_micros: 1e6 });
  expect(stripe.server.requests.length).toBe(asked);
  await ask('agency', 'PUT', '/configuration/taxes/payers', {
    companyID: texan.id,
    exempt: 'T',
    tax_id: '12-3456789',
  });
  const exempt = (await bill(await owe(texan, 30n * USD)))!;
  expect(await invoice(exempt.id)).toMatchObject({ tax_name: 'Tax exempt', tax_micros: 0 });
  expect(stripe.server.requests.at(-1)!.body).toMatchObject({
    customer_details: {
      taxability_override: 'customer_exempt',
      tax_ids: [{ type: 'us_ein', value: '12-3456789' }],
    },
  });
  await ask('agency', 'PUT', '/configuration/taxes/payers', { companyID: texan.id });
  await sound();
});

test('[PAY-04] money that came in does not wait for Stripe Tax: its receipt does, and what is given back after it', async () => {
  await report();
  const campaign = await app.make.campaign(texan, { balance: 0n });
  const moved = (
    event: 'prepaid.topped_up' | 'prepaid.refunded',
    kind: 'prepaid_top_up' | 'prepaid_refund',
    amount: bigint,
    topUpId?: string,
  ) =>
    inRoot(async (tx) => {
      const { owner } = campaign;
      const agency = { ...owner, company_id: owner.agency_id };
      const sign = kind === 'prepaid_top_up' ? 1n : -1n;
      const [transferId] = await app.features.ledger.post(
        tx,
        [
          {
            owner,
            kind,
            referenceId: texan.id,
            campaignId: campaign.id,
            key: `moved-${++serial}`,
            entries: [
              { account: { owner, kind: 'client_prepaid', campaignId: campaign.id }, amount: sign * amount },
              { account: { owner: agency, kind: 'card_clearing' }, amount: -sign * amount },
            ],
          },
        ],
        app.clock.now(),
      );
      const common = {
        owner,
        campaignId: campaign.id,
        term: 'Prepaid' as const,
        amountMicros: amount,
        transferId: transferId!,
        chargeId: texan.id,
      };
      if (event === 'prepaid.topped_up')
        await app.platform.events.emit(tx, event, { ...common, leads: 1, priceMicros: amount });
      else await app.platform.events.emit(tx, event, { ...common, cause: 'refund', topUpId: topUpId! });
      return transferId!;
    });
  const receipts = async () =>
    (
      await app.admin.query(
        `select i.tax_micros::int, i.total_micros::int, i.credited_micros::int from invoice i where kind = 'receipt' order by seq`,
      )
    ).rows;
  stripe.server.faults.push({
    path: /tax\/calculations$/,
    at: 'before',
    act: { status: 503, type: 'api_error' },
  });
  const topUp = await moved('prepaid.topped_up', 'prepaid_top_up', 108_250_000n);
  await moved('prepaid.refunded', 'prepaid_refund', 21_650_000n, topUp);
  expect(await receipts()).toEqual([]);
  await expect(app.features.invoices.writeReceipts(root.id)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await receipts()).toEqual([]);
  await app.features.invoices.writeReceipts(root.id);
  await app.features.invoices.writeReceipts(root.id);
  expect(await receipts()).toEqual([
    { tax_micros: 8_250_000, total_micros: 108_250_000, credited_micros: 21_650_000 },
  ]);
  await report();
  expect(
    stripe.server
      .taxReport()
      .slice(-2)
      .map(([, cents]) => cents),
  ).toEqual([10_825, -2165]);
  await sound();
});

test('[PAY-04] taxed wholesale is on a wholesale invoice and not in an application fee; an agency sells on its own account', async () => {
  const reference = await stripe.gateway.createAccount({ idempotencyKey: 'acme', reference: acme.id });
  await app.admin.query(
    `insert into connected_account (root_id, agency_id, company_id, provider, reference, status, charges_enabled, payouts_enabled, requirements, updated_at)
     values ($1, $2, $2, 'stripe', $3, 'completed', true, true, '[]', now())
     on conflict (company_id) do update set provider = 'stripe', reference = $3, charges_enabled = true`,
    [root.id, acme.id, reference],
  );
  await app.admin.query(
    `insert into payment_card (id, root_id, agency_id, company_id, provider, reference, brand, last4, exp_month, exp_year, account, customer, fingerprint, created_at)
     values (gen_random_uuid(), $1, $2, $3, 'stripe', 'pm_texan', 'visa', '4242', 12, 2030, $4, 'cus_texan', 'x', now())`,
    [root.id, acme.id, texan.id, reference],
  );
  await app.make.leadCost(acme, 5n * USD);
  const fee = async (id: string) => BigInt((await invoice(id)).fee_micros);
  const taxed = (await bill(await owe(texan, 40n * USD)))!;
  expect(await fee(taxed.id)).toBe(0n);
  expect(stripe.server.taxReport(reference)).toEqual([]);
  await report();
  expect(stripe.server.taxReport(reference)).toEqual([[taxed.id, 4330]]);
  const agency = { root_id: root.id, agency_id: acme.id, company_id: acme.id };
  const wholesale = (await bill(agency, 'wholesale'))!;
  const { subtotal_micros, tax_micros, tax_name } = await invoice(wholesale.id);
  expect([subtotal_micros, tax_name]).toEqual([5e6, 'Sales tax 8.25%']);
  expect(tax_micros).toBe(410_000);

  // An agency that resells is exempt, so its wholesale price is charged together with the invoice again.
  await ask('root', 'PUT', '/configuration/taxes/payers', { companyID: acme.id, exempt: 'T' });
  const free = (await bill(await owe(texan, 40n * USD)))!;
  expect(await fee(free.id)).toBeGreaterThan(0n);
  await sound();
});

test('[PAY-04] [CONF-06] the end of a subscription bills each client by itself, and none that has no answer yet holds up the others', async () => {
  const beta = await app.make.agency(root, { host: 'beta.test' });
  const { email } = await app.make.user(beta, { password: PASSWORD });
  const clients: Company[] = [];
  for (let i = 0; i < 10; i++) {
    const client = await app.make.client(beta);
    const state = i === 3 ? null : 'TX';
    await app.admin.query(
      `update company set country_code = case when $2::text is null then country_code else 'US' end, state_code = $2,
         zip = '78701', address = '1 Main St', city = 'Austin' where id = $1`,
      [client.id, state],
    );
    await owe(client, 20n * USD);
    clients.push(client);
  }
  const { invoices: parts } = app.features;
  const { bill: billed } = parts;
  let times = 0;
  parts.bill = (...given) => {
    times++;
    return billed(...given);
  };
  try {
    hosts.beta = 'beta.test';
    tokens.beta = await app.signIn(email, 'beta.test');
    const before = await invoices();
    const ended = await ask('beta', 'PUT', '/configuration/cancel-subscription', { companyID: beta.id });
    expect(ended.status).toBe(200);
    // The end is committed: campaigns are held, and no invoice was waited for.
    expect([times, await invoices()]).toEqual([0, before]);
    const { rows: held } = await app.admin.query(
      'select distinct state, state_reason from campaign where agency_id = $1',
      [beta.id],
    );
    expect(held).toEqual([{ state: 'paused', state_reason: 'cancelled' }]);
    const run = async () => {
      const { rows } = await app.admin.query(
        `update pgboss.job set state = 'completed' where state = 'created' and name = 'collection.bill' returning data`,
      );
      for (const { data } of rows) await app.features.dunning.terms.billToDate(data);
      return rows.map(({ data }) => data);
    };
    // A page that begins at the last client.
    const [first] = (await app.admin.query(`select data from pgboss.job where name = 'collection.bill'`))
      .rows;
    const ids = clients.map(({ id }) => id).sort();
    await app.features.dunning.terms.billToDate({ ...first.data, after: ids[8]!, withAgency: false });
    expect([times, await invoices()]).toEqual([2, before + 1]);
    expect(await run()).toHaveLength(1);
    // Twice for each of the ten, since the tax is asked for in between, and once for the agency.
    expect([times, await invoices()]).toEqual([2 + 8 * 2 + 1 + 1, before + 9]);
    // What has no answer is tried again by itself, as often as it takes.
    const [again] = (
      await app.admin.query(
        `select data from pgboss.job where state = 'created' and name = 'collection.bill'`,
      )
    ).rows;
    expect(again.data.payerId).toBe(clients[3]!.id);
    await expect(run()).rejects.toMatchObject({ code: 'unavailable' });
    await app.admin.query(`update company set country_code = 'US', state_code = 'TX' where id = $1`, [
      clients[3]!.id,
    ]);
    await app.features.dunning.terms.billToDate(again.data);
    await app.features.dunning.terms.billToDate({ ...again.data, payerId: undefined });
    expect(await invoices()).toBe(before + 10);
  } finally {
    parts.bill = billed;
  }
  await sound();
});

test('[PAY-04] back at the own table nothing is asked, and what Stripe calculated is still told', async () => {
  expect((await choose('table')).status).toBe(200);
  const asked = stripe.server.requests.length;
  const made = (await bill(await owe(texan, 10n * USD)))!;
  expect(await invoice(made.id)).toMatchObject({ tax_name: '', tax_micros: 0 });
  expect(stripe.server.requests.length).toBe(asked);
  const plain = await testApp();
  try {
    const other = await plain.make.root({ host: 'plain.test', isMaster: true });
    await plain.make.user(other, { email: 'root@plain.test', password: PASSWORD });
    const token = await plain.signIn('root@plain.test', 'plain.test');
    const refused = await plain.call('PUT', '/api/configuration/taxes/calculator', {
      host: 'plain.test',
      token,
      body: { calculator: 'stripe' },
    });
    expect([refused.status, refused.body.errors]).toEqual([
      409,
      { calculator: ['requires this platform’s Stripe keys'] },
    ]);
  } finally {
    await plain.close();
  }
});
