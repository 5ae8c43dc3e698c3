import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BOUNDS } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { auditLedger } from '../ledger/index.ts';

const USD = 1_000_000n;
let app: TestApp;
let root: Company;
let acme: Company;
let texan: Company;
let oregonian: Company;
const tokens: Record<string, string> = {};
const hosts: Record<string, string> = {
  root: 'root.test',
  agency: 'acme.test',
  client: 'acme.test',
  other: 'two.test',
};
let serial = 0;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: 'acme.test', name: 'Acme' });
  const other = await app.make.agency(root, { host: 'two.test' });
  texan = await app.make.client(acme, { name: 'Texan' });
  oregonian = await app.make.client(acme, { name: 'Oregonian' });
  await app.admin.query(
    `update company set country_code = 'US', state_code = case id when $1 then 'TX' else 'OR' end where id in ($1, $2)`,
    [texan.id, oregonian.id],
  );
  for (const [who, company] of [
    ['root', root],
    ['agency', acme],
    ['client', texan],
    ['other', other],
  ] as const) {
    await app.make.user(company, { email: `${who}@x.test`, password: PASSWORD });
    tokens[who] = await app.signIn(`${who}@x.test`, hosts[who]!);
  }
});
afterAll(() => app?.close());

const inRoot = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  inScope(app.platform.db.app, { rootId: root.id }, work);
const ask = async (who: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown) =>
  (await app.call(method, `/api${url}`, {
    host: hosts[who]!,
    token: tokens[who]!,
    ...(body === undefined ? {} : { body }),
    // biome-ignore lint/suspicious/noExplicitAny: answers of many calls
  })) as { status: number; body: any };
const setRate = (rate: string, state = '', who = 'root') =>
  ask(who, 'PUT', '/configuration/taxes', { name: 'Sales tax', state, rate });
const setPayer = (given: object, who = 'agency') => ask(who, 'PUT', '/configuration/taxes/payers', given);
/** Creates an invoice for the amount of one lead. */
async function invoiceOf(client: Company, amount: bigint) {
  const campaign = await app.make.campaign(client, {
    price: amount,
    costs: { term: 'Weekly', setup_micros: 0n, month_micros: 0n },
  });
  const person = app.make.person();
  await app.make.people(root, [person]);
  await app.make.visit(campaign, { email: person.email });
  await app.features.leads.resolver.resolveAll();
  const made = await inRoot((tx) =>
    app.features.invoices.bill(
      tx,
      {
        owner: campaign.owner,
        side: 'retail',
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
  return (await ask('agency', 'GET', `/billing/invoices/${made!.id}`)).body;
}
const setAside = async (company: Company): Promise<number> => {
  const { rows } = await app.admin.query(
    'select coalesce(sum(amount), 0)::int as sum from entry where company_id = $1 and account_code = 33',
    [company.id],
  );
  return rows[0].sum;
};

test('[PAY-04] rates by state, own rates, exemptions and tax IDs reach invoices, receipts, credit notes and the ledger', async () => {
  expect(await invoiceOf(texan, 10n * USD)).toMatchObject({
    tax_name: '',
    tax_micros: 0,
    total_micros: 10e6,
  });

  expect((await setRate('8.25', 'TX')).status).toBe(200);
  expect((await setRate('50.1')).body.errors).toHaveProperty('rate');
  expect((await setRate('1', 'XX')).body.errors).toHaveProperty('state');
  expect((await setRate('1', 'TX', 'agency')).status).toBe(403);
  expect((await setPayer({ companyID: texan.id, tax_id: '75-1234567' })).status).toBe(200);
  expect((await setPayer({ companyID: acme.id, tax_id: 'ACME-1' })).status).toBe(200);
  expect((await setPayer({ companyID: acme.id, tax_id: 'ACME-1', exempt: 'T' })).status).toBe(422);
  expect((await setPayer({ companyID: texan.id, rate: '0' }, 'other')).status).toBe(404);
  expect((await setPayer({ companyID: texan.id, exempt: 'T' }, 'client')).status).toBe(403);

  const taxed = await invoiceOf(texan, 10n * USD);
  expect(taxed).toMatchObject({
    tax_name: 'Sales tax 8.25%',
    subtotal_micros: 10e6,
    tax_micros: 830_000,
    total_micros: 10_830_000,
    due_micros: 10_830_000,
  });
  expect(taxed.payer.address).toContain('Tax ID 75-1234567');
  expect(taxed.issuer.address).toContain('Tax ID ACME-1');
  expect(await setAside(acme)).toBe(830_000);
  // Elsewhere, no tax applies until the country has a rate.
  expect((await invoiceOf(oregonian, 10n * USD)).tax_micros).toBe(0);
  await setRate('5');
  expect(await invoiceOf(oregonian, 10n * USD)).toMatchObject({ tax_micros: 500_000 });

  // A credit includes its share of the tax, to the last cent.
  const credit = (amount: string) =>
    ask('agency', 'POST', `/billing/invoices/${taxed.id}/credit`, {
      amount,
      reason: 'Mended',
      idempotencyKey: `credit-${++serial}-00000000`,
    });
  expect((await credit('5.00')).status).toBe(200);
  expect(await setAside(acme)).toBe(830_000 + 500_000 - 380_000);
  expect((await credit('5.83')).status).toBe(200);
  expect(await setAside(acme)).toBe(500_000);

  await setPayer({ companyID: texan.id, exempt: 'T', exempt_reason: 'Certificate 7' });
  expect(await invoiceOf(texan, 10n * USD)).toMatchObject({ tax_name: 'Tax exempt', tax_micros: 0 });
  await setPayer({ companyID: texan.id, rate: '10', rate_name: 'City tax' });
  expect(await invoiceOf(texan, 10n * USD)).toMatchObject({ tax_name: 'City tax 10%', tax_micros: 1e6 });

  // A top-up was paid as a total: its tax is part of it, and is refunded with it.
  const campaign = await app.make.campaign(texan, { balance: 22n * USD });
  const { rows } = await app.admin.query(
    `select id from transfer where kind = 'top_up' and campaign_id = $1`,
    [campaign.id],
  );
  const before = await setAside(acme);
  const receipt = await inRoot((tx) =>
    app.features.invoices.receipt(
      tx,
      {
        owner: campaign.owner,
        transferId: rows[0].id,
        campaignId: campaign.id,
        description: 'Top-up',
        amountMicros: 22n * USD,
        term: 'Prepaid',
      },
      app.clock.now(),
    ),
  );
  expect((await ask('client', 'GET', `/billing/invoices/${receipt!.id}`)).body).toMatchObject({
    tax_name: 'City tax 10%, included',
    subtotal_micros: 20e6,
    tax_micros: 2e6,
    total_micros: 22e6,
  });
  expect(await setAside(acme)).toBe(before + 2e6);
  await inRoot((tx) =>
    app.features.invoices.creditReceipt(
      tx,
      {
        transferId: rows[0].id,
        refundTransferId: rows[0].id,
        amountMicros: 11n * USD,
        reason: 'Balance refunded',
        key: 'back',
        userId: null,
      },
      app.clock.now(),
    ),
  );
  expect(await setAside(acme)).toBe(before + 1e6);

  const { body } = await ask('agency', 'GET', '/configuration/taxes/payers?searchQuery=tex');
  expect(body.data).toMatchObject([{ company_name: 'Texan', place: 'TX, US', holds: 'City tax 10%' }]);
  const rates = (await ask('agency', 'GET', '/configuration/taxes')).body;
  expect([rates.own_tax_id, rates.data.map((one: { rate: string }) => one.rate)]).toEqual([
    'ACME-1',
    ['5', '8.25'],
  ]);
  expect((await ask('root', 'DELETE', `/configuration/taxes/${rates.data[0].id}`)).status).toBe(200);
  expect((await ask('root', 'DELETE', `/configuration/taxes/${rates.data[0].id}`)).status).toBe(404);
  expect((await invoiceOf(oregonian, 10n * USD)).tax_micros).toBe(0);

  const { checks } = await auditLedger(app.admin);
  expect(checks.filter((check) => check.violations > 0)).toEqual([]);
});

test('[PAY-04] an exemption that is revoked while the company saves its own tax ID stays revoked', async () => {
  const exempt = await setPayer({ companyID: acme.id, exempt: 'T', exempt_reason: 'Certificate 9' }, 'root');
  expect(exempt.status).toBe(200);
  await app.admin.query('begin');
  await app.admin.query(
    `update tax_profile set is_exempt = false, exempt_reason = '', rate_name = 'City tax', rate_ppm = 20000
     where company_id = $1`,
    [acme.id],
  );
  const saving = setPayer({ companyID: acme.id, tax_id: 'ACME-2' });
  const isWaiting = async () => {
    // Otherwise a transaction keeps seeing what it saw first.
    await app.admin.query('select pg_stat_clear_snapshot()');
    const { rowCount } = await app.admin.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and usename <> current_user`,
    );
    return rowCount! > 0;
  };
  while (!(await isWaiting())) await sleep(20);
  await app.admin.query('commit');
  expect((await saving).status).toBe(200);
  const { rows } = await app.admin.query(
    'select tax_id, is_exempt, exempt_reason, rate_name, rate_ppm from tax_profile where company_id = $1',
    [acme.id],
  );
  expect(rows).toEqual([
    { tax_id: 'ACME-2', is_exempt: false, exempt_reason: '', rate_name: 'City tax', rate_ppm: 20_000 },
  ]);
});

test('[PAY-04] a root has a limited number of tax rates; those it has can still be changed', async () => {
  expect((await setRate('4', 'NY')).status).toBe(200);
  const { data } = (await ask('root', 'GET', '/configuration/taxes')).body;
  const { most } = BOUNDS.taxRates;
  BOUNDS.taxRates.most = data.length;
  try {
    const { status, body } = await setRate('4', 'NJ');
    expect([status, body.errors]).toEqual([
      422,
      { state: [`would exceed the limit of ${data.length} tax rates per root. Remove some first`] },
    ]);
    expect((await setRate('4.5', 'NY')).status).toBe(200);
  } finally {
    BOUNDS.taxRates.most = most;
  }
  expect((await setRate('4', 'NJ')).status).toBe(200);
});
