import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { type Dues, duesOf } from '../../../test/dues.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { openStripe } from '../../../test/stripe-bench.ts';
import { auditLedger } from '../ledger/index.ts';

const USD = 1_000_000n;
const WEEK = 7 * 86_400_000;
let app: TestApp;
let stripe: Awaited<ReturnType<typeof openStripe>>;
let root: Company;
let acme: Company;
let dues: Dues;

beforeAll(async () => {
  stripe = await openStripe();
  // A Tuesday; the root is in Chicago.
  stripe.clock.advance(Date.parse('2026-03-10T15:00:00Z') - stripe.clock.now().getTime());
  const { secretKey, publishableKey, webhookSecrets } = stripe.parts;
  app = await testApp({
    clock: stripe.clock,
    settings: { stripe: { secretKey, publishableKey, webhookSecrets, apiBase: stripe.server.url } },
  });
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: 'acme.test', name: 'Acme' });
  dues = duesOf(app, root);
  stripe.server.taxRates['US-TX'] = 8.25;
  await lives(acme);
  await app.admin.query(
    `insert into tax_setting (root_id, company_id, calculator, updated_at) values ($1, $1, 'stripe', now())`,
    [root.id],
  );
  await app.make.user(root, { email: 'boss@root.test', password: PASSWORD });
  await app.make.user(acme, { email: 'boss@acme.test', password: PASSWORD });
});
afterAll(async () => {
  const { checks } = await auditLedger(app.admin);
  await app.close();
  await stripe.close();
  // Leads posted here have no row in `lead`.
  expect(
    checks.filter((c) => c.violations > 0 && !/^every lead with|counted/.test(c.name)).map((c) => c.examples),
  ).toEqual([]);
});

const lives = ({ id }: Company) =>
  app.admin.query(
    `update company set country_code = 'US', state_code = 'TX', zip = '78701', address = '1 Main St', city = 'Austin' where id = $1`,
    [id],
  );
async function client(name: string, of = acme, term: 'Weekly' | 'Monthly' = 'Weekly') {
  const company = await app.make.client(of, { name });
  const costs = { term, setup_micros: 0n, month_micros: 0n };
  return { company, campaign: await app.make.campaign(company, { price: USD, costs }) };
}
const owe = (campaign: MadeCampaign, price: bigint) => dues.lead(campaign, price, 0n);
const close = () => app.features.invoices.close(root.id);
const invoicesOf = async ({ id }: Company) =>
  (
    await app.admin.query(
      'select period_key, subtotal_micros::int8 as sum from invoice where company_id = $1 order by seq',
      [id],
    )
  ).rows.map((row) => [row.period_key, Number(row.sum) / 1e6]);
/** Asks as the owner of a root or agency. */
const ask = async (host: string, path: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: answers of several calls
  (await app.call('GET', path, { host, token: await app.signIn(`boss@${host}`, host) })).body as any;
const waiting = async (host: string) =>
  (await ask(host, '/api/billing/waiting')).data.map((one: { company_name: string; reason: string }) => [
    one.company_name,
    one.reason,
  ]);
const waits = async () =>
  (
    await app.admin.query(
      `select c.name, w.side, w.cycle, w.period_from, w.reason from invoice_wait w join company c on c.id = w.company_id order by 1, 2, 3`,
    )
  ).rows.map((row) => [row.name, row.side, row.cycle, row.period_from.toISOString().slice(0, 10)]);

test('[PAY-04] a payer without an answer of Stripe Tax holds up no other, and no later period', async () => {
  const good = await client('Good');
  const nowhere = await client('Nowhere');
  const monthly = await client('Monthly', acme, 'Monthly');
  await lives(good.company);
  await lives(monthly.company);
  await owe(monthly.campaign, 50n * USD);
  for (const dollars of [1n, 2n, 3n]) {
    await owe(good.campaign, dollars * 10n * USD);
    await owe(nowhere.campaign, dollars * USD);
    app.clock.advance(WEEK);
    await close();
  }
  const weeks = ['Weekly:2026-03-09', 'Weekly:2026-03-16', 'Weekly:2026-03-23'];
  expect(await invoicesOf(good.company)).toEqual(weeks.map((week, i) => [week, (i + 1) * 10]));
  expect(await invoicesOf(nowhere.company)).toEqual([]);
  expect(await waits()).toEqual([['Nowhere', 'retail', 'Weekly', '2026-03-09']]);
  // Who issues it is told what is missing, and no one else.
  await app.admin.query(`update company set country_code = 'US', city = 'Austin' where id = $1`, [
    nowhere.company.id,
  ]);
  await close();
  const missing = 'Stripe Tax requires a complete address. Missing: street, ZIP code, state.';
  expect(await waiting('acme.test')).toEqual([['Nowhere', missing]]);
  expect(await waiting('root.test')).toEqual([]);
  expect((await ask('acme.test', '/api/dashboard/home')).attention).toContainEqual(
    expect.objectContaining({ kind: 'uninvoiced', count: 1 }),
  );
  app.clock.advance(WEEK);
  await close();
  expect(await invoicesOf(monthly.company)).toEqual([['Monthly:2026-03-01', 50]]);

  await lives(nowhere.company);
  await Promise.all([close(), close()]);
  await close();
  expect(await invoicesOf(nowhere.company)).toEqual(weeks.map((week, i) => [week, i + 1]));
  expect(await dues.books(nowhere.company)).toMatchObject({ client_receivable: expect.any(Number) });
  expect((await dues.books(nowhere.company)).client_unbilled).toBeUndefined();
  expect(await waits()).toEqual([]);
});

test('[PAY-04] an agency on whose account Stripe Tax is not set up, or that has no address, holds up only itself', async () => {
  const beta = await app.make.agency(root, { host: 'beta.test', name: 'Beta' });
  const reference = await stripe.gateway.createAccount({ idempotencyKey: 'beta', reference: beta.id });
  await app.admin.query(
    `insert into connected_account (root_id, agency_id, company_id, provider, reference, status, charges_enabled, payouts_enabled, requirements, updated_at)
     values ($1, $2, $2, 'stripe', $3, 'completed', true, true, '[]', now())`,
    [root.id, beta.id, reference],
  );
  const below = await client('Below', beta);
  const good = await client('Better');
  await lives(below.company);
  await lives(good.company);
  await dues.lead(below.campaign, 20n * USD, 5n * USD);
  await owe(good.campaign, 30n * USD);
  stripe.server.taxInactive.add(reference);
  app.clock.advance(WEEK);
  await close();
  expect((await invoicesOf(good.company)).map(([, sum]) => sum)).toEqual([30]);
  // The agency's own costs wait for its address. Its clients' invoices do not: they go without those costs.
  expect((await waits()).map(([name, side]) => [name, side])).toEqual([
    ['Below', 'retail'],
    ['Beta', 'wholesale'],
  ]);
  expect((await waiting('root.test')).map(([name]: string[]) => name)).toEqual(['Beta']);
  stripe.server.taxInactive.delete(reference);
  await close();
  expect((await invoicesOf(below.company)).map(([, sum]) => sum)).toEqual([20]);
  expect((await waits()).map(([name, side]) => [name, side])).toEqual([['Beta', 'wholesale']]);
  await lives(beta);
  await close();
  expect((await invoicesOf(beta)).map(([, sum]) => sum)).toEqual([5]);
  expect(await waits()).toEqual([]);
});

test('[PAY-04] what no one foresaw is thrown, once all others and both cycles are done', async () => {
  const first = await client('First');
  const second = await client('Second');
  const monthly = await client('Third', acme, 'Monthly');
  for (const one of [first, second, monthly]) {
    await lives(one.company);
    await owe(one.campaign, 10n * USD);
  }
  const { billing } = app.features;
  const { seller } = billing.accounts;
  let times = 0;
  // The first that is billed fails, whichever it is.
  billing.accounts.seller = async (...given) => {
    if (times++ === 0) throw new Error('a defect');
    return seller(...given);
  };
  app.clock.advance(5 * WEEK);
  try {
    await expect(close()).rejects.toThrow('a defect');
  } finally {
    billing.accounts.seller = seller;
  }
  const sums = async () =>
    (await Promise.all([first, second, monthly].map(({ company }) => invoicesOf(company)))).map(
      (all) => all.length,
    );
  expect((await sums()).toSorted()).toEqual([0, 1, 1]);
  expect(await sums()).toEqual([expect.any(Number), expect.any(Number), 1]);
  await close();
  expect(await sums()).toEqual([1, 1, 1]);
  expect(await waits()).toEqual([]);
});
