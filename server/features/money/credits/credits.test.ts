import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { duesOf } from '../../../test/dues.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { auditLedger } from '../ledger/index.ts';

const USD = 1_000_000n;
const HOST = 'root.test';
let app: TestApp;
let root: Company;
let rootToken: string;
let dues: ReturnType<typeof duesOf>;
let agency: Awaited<ReturnType<typeof dues.agency>>;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: HOST, isMaster: true });
  const { email } = await app.make.user(root, { password: PASSWORD });
  rootToken = await app.signIn(email, HOST);
  dues = duesOf(app, root);
  agency = await dues.agency();
  await app.make.leadCost(agency.company, 2n * USD);
});
afterAll(() => app.close());

const asAgency = (method: 'GET' | 'POST', path: string, body?: object) =>
  app.call(method, `/api${path}`, { host: agency.host, token: agency.token, body });
const asRoot = (method: 'GET' | 'POST', path: string, body?: object) =>
  app.call(method, `/api${path}`, { host: HOST, token: rootToken, body });

/** Creates one lead of a campaign; returns its id. */
async function lead(campaign: MadeCampaign): Promise<string> {
  const person = app.make.person();
  await app.make.people(root, [person]);
  await app.make.visit(campaign, { email: person.email });
  await app.features.leads.resolver.resolveAll();
  const { rows } = await app.admin.query(
    'select id from lead where campaign_id = $1 order by created_at desc, id desc limit 1',
    [campaign.id],
  );
  return rows[0].id;
}
/** Creates a client with a campaign that has had one lead, priced at 3 dollars for the client and 2 for its agency. */
async function sold(term: 'Prepaid' | 'Weekly' = 'Prepaid') {
  const client = await dues.client(agency);
  const campaign = await app.make.campaign(client.company, {
    price: 3n * USD,
    ...(term === 'Prepaid' ? { balance: 10n * USD } : { costs: { term } }),
  });
  return { client, campaign, leadId: await lead(campaign) };
}
/** What a company's accounts of a kind hold, by plain sums of entries. */
async function held(company: Company, kind: string): Promise<bigint> {
  const { rows } = await app.admin.query(
    'select coalesce(sum(amount), 0)::text as sum from entry where company_id = $1 and account_code = account_code($2)',
    [company.id, kind],
  );
  return BigInt(rows[0].sum);
}
const mails = async (to: { email: string }, kind: string): Promise<string[]> =>
  (await dues.mails(kind)).filter((mail) => mail.to === to.email).map(({ text }) => text);
const proven = async () =>
  expect((await auditLedger(app.admin)).checks.filter((check) => check.violations > 0)).toEqual([]);
const WHY = { reason: 'wrong_person', note: 'Never heard of them' };
const state = async (campaign: MadeCampaign) =>
  (await app.admin.query('select state, state_reason from campaign where id = $1', [campaign.id])).rows[0];

describe('[BEY-01] refunding a lead', () => {
  test('gives the client its price back once, out of the revenue of its agency alone, and tells it why', async () => {
    const { client, campaign, leadId } = await sold();
    const before = {
      revenue: await held(agency.company, 'agency_revenue'),
      root: await held(root, 'root_revenue'),
    };
    const asked = await asAgency('GET', `/credits/lead/${leadId}`);
    expect(asked.body).toEqual({ data: [], refundable_micros: 3_000_000, blocked: '' });
    const done = await asAgency('POST', `/credits/lead/${leadId}`, WHY);
    expect([done.status, done.body.amount_micros]).toEqual([200, 3_000_000]);
    expect(await held(client.company, 'client_prepaid')).toBe(10n * USD);
    expect(await held(agency.company, 'agency_revenue')).toBe(before.revenue - 3n * USD);
    expect(await held(root, 'root_revenue')).toBe(before.root);
    const again = await asAgency('POST', `/credits/lead/${leadId}`, WHY);
    expect([again.status, again.body.message]).toEqual([409, 'This lead was already refunded.']);
    expect(await held(client.company, 'client_prepaid')).toBe(10n * USD);
    const seen = await app.call('GET', `/api/credits/lead/${leadId}`, client);
    expect(seen.body).toMatchObject({
      data: [{ amount_micros: 3_000_000, ...WHY, campaignName: expect.any(String) }],
      refundable_micros: 0,
    });
    const [mail, ...more] = await mails(client, 'credit.lead');
    expect(more).toEqual([]);
    expect(mail).toContain('Wrong person (Never heard of them)');
    expect(mail).toContain('returned to the campaign balance');
    expect(
      (await app.call('GET', `/api/leadspeek/client/remaining-balance/${campaign.id}`, agency)).body,
    ).toMatchObject({ balance_micros: 10_000_000, spent_micros: 0 });
    await proven();
  });

  test('two at once refund it once', async () => {
    const { client, leadId } = await sold();
    const both = await Promise.all([1, 2].map(() => asAgency('POST', `/credits/lead/${leadId}`, WHY)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await held(client.company, 'client_prepaid')).toBe(10n * USD);
  });

  test('what is owed falls; invoiced already, it comes off the next invoice', async () => {
    const { client, leadId, campaign } = await sold('Weekly');
    await dues.bill(client.company);
    expect(await held(client.company, 'client_unbilled')).toBe(0n);
    expect((await asAgency('POST', `/credits/lead/${leadId}`, WHY)).status).toBe(200);
    expect(await held(client.company, 'client_unbilled')).toBe(3n * USD);
    await lead(campaign);
    await lead(campaign);
    const coming = await app.call('GET', '/api/billing/upcoming', client);
    const lines = (coming.body.data as { lines: { kind: string; amount_micros: number }[] }[]).flatMap(
      (one) => one.lines,
    );
    expect(lines).toContainEqual(expect.objectContaining({ kind: 'returns', amount_micros: -3_000_000 }));
    expect((await mails(client, 'credit.lead'))[0]).toContain('deducted from your next invoice');
  });

  test('a root gives the agency back its cost, into the lot that paid; the price stays with the agency', async () => {
    await dues.inRoot((tx) =>
      app.features.wallet.topUp(
        tx,
        { rootId: root.id, agencyId: agency.company.id, amountMicros: 50n * USD, key: 'lot' },
        app.clock.now(),
      ),
    );
    const { client, leadId } = await sold();
    const before = await held(agency.company, 'agency_wallet');
    expect((await asRoot('GET', `/credits/lead/${leadId}`)).body.refundable_micros).toBe(2_000_000);
    expect((await asRoot('POST', `/credits/lead/${leadId}`, WHY)).body.amount_micros).toBe(2_000_000);
    expect(await held(agency.company, 'agency_wallet')).toBe(before + 2n * USD);
    expect(await held(client.company, 'client_prepaid')).toBe(7n * USD);
    expect((await mails(agency, 'credit.lead')).at(-1)).toContain(
      'in your Data Wallet that paid for the lead',
    );
    // The other side is the agency's to refund, and the client sees only its own.
    expect((await asAgency('POST', `/credits/lead/${leadId}`, WHY)).status).toBe(200);
    expect((await asAgency('GET', `/credits/lead/${leadId}`)).body.data).toHaveLength(2);
    expect((await app.call('GET', `/api/credits/lead/${leadId}`, client)).body.data).toHaveLength(1);
    await proven();
  });

  test('a campaign that stood still for want of balance goes on', async () => {
    const { campaign, leadId, client } = await sold();
    await lead(campaign);
    await lead(campaign);
    await dues.inRoot(async (tx) => {
      const [row] = await app.features.campaigns.lock(tx, [campaign.id]);
      await app.features.campaigns.stop(tx, row!, 'balance_empty', app.clock.now());
    });
    expect(await held(client.company, 'client_prepaid')).toBe(USD);
    await asAgency('POST', `/credits/lead/${leadId}`, WHY);
    expect(await state(campaign)).toEqual({ state: 'active', state_reason: null });
  });

  test('says why it cannot be refunded, and wants a note for any other reason', async () => {
    const { campaign, leadId } = await sold();
    const test = await asAgency('POST', '/leadspeek/client/send-test-lead', { leadspeekID: campaign.id });
    const refused = await asAgency('POST', `/credits/lead/${test.body.lead_id}`, WHY);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'Test leads are free, so there is nothing to refund.',
    ]);
    const bare = await asAgency('POST', `/credits/lead/${leadId}`, { reason: 'other' });
    expect([bare.status, bare.body.errors]).toEqual([
      422,
      { note: ['is required when the reason is other'] },
    ]);
    const client = await app.call('POST', `/api/credits/lead/${leadId}`, {
      host: agency.host,
      token: (await sold()).client.token,
      body: WHY,
    });
    expect(client.status).toBe(403);
  });
});

describe('[PAY-03] granting credit', () => {
  const grant = (more: object) => ({
    amount: '25.00',
    reason: 'goodwill',
    note: '',
    idempotencyKey: 'grant-key-1',
    ...more,
  });

  test('a root credits an agency: a lot of its own, once, told, and watched again for a low balance', async () => {
    const other = await dues.agency();
    const owner = dues.owner(other.company);
    await dues.inRoot((tx) =>
      tx
        .insertInto('wallet_setting')
        .values({
          ...owner,
          agency_id: other.company.id,
          amount_micros: 100n * USD,
          told: 'empty',
          updated_at: app.clock.now(),
        })
        .execute(),
    );
    const body = grant({ companyID: other.company.id });
    expect((await asRoot('POST', '/credits', body)).status).toBe(200);
    expect((await asRoot('POST', '/credits', body)).status).toBe(200);
    expect(await held(other.company, 'agency_wallet')).toBe(25n * USD);
    expect(await held(root, 'granted')).toBe(-25n * USD);
    const { rows: lots } = await app.admin.query(
      'select is_granted, amount::text, remaining::text from wallet_lot where company_id = $1',
      [other.company.id],
    );
    expect(lots).toEqual([{ is_granted: true, amount: '25000000', remaining: '25000000' }]);
    const { rows } = await app.admin.query('select told from wallet_setting where company_id = $1', [
      other.company.id,
    ]);
    expect(rows).toEqual([{ told: '' }]);
    const [mail, ...more] = await mails(other, 'credit.grant');
    expect(more).toEqual([]);
    expect(mail).toContain('a credit of $25.00');
    const clash = await asRoot('POST', '/credits', { ...body, amount: '30.00' });
    expect([clash.status, clash.body.errors]).toEqual([
      409,
      { idempotencyKey: ['has already been used for a different amount'] },
    ]);
    const listed = await asRoot('GET', `/credits?companyID=${other.company.id}`);
    expect(listed.body).toMatchObject({ total: 1, data: [{ amount_micros: 25_000_000, lead_id: null }] });
    await proven();
  });

  test('credit that leaves the balance low does not begin the notices again', async () => {
    const other = await dues.agency();
    await dues.inRoot((tx) =>
      tx
        .insertInto('wallet_setting')
        .values({
          ...dues.owner(other.company),
          amount_micros: 1000n * USD,
          told: 'low',
          updated_at: app.clock.now(),
        })
        .execute(),
    );
    await asRoot('POST', '/credits', grant({ companyID: other.company.id }));
    const { rows } = await app.admin.query('select told from wallet_setting where company_id = $1', [
      other.company.id,
    ]);
    expect(rows).toEqual([{ told: 'low' }]);
  });

  test('an agency credits a campaign: its balance, or off the next invoice, out of its own revenue', async () => {
    for (const [term, kind, micros] of [
      ['Prepaid', 'client_prepaid', 32n * USD],
      ['Weekly', 'client_unbilled', 22n * USD],
    ] as const) {
      const { client, campaign } = await sold(term);
      const before = await held(agency.company, 'agency_revenue');
      const body = grant({ companyID: client.company.id, leadspeekID: campaign.id });
      for (let n = 0; n < 2; n++) expect((await asAgency('POST', '/credits', body)).status).toBe(200);
      expect(await held(client.company, kind)).toBe(micros);
      expect(await held(agency.company, 'agency_revenue')).toBe(before - 25n * USD);
      expect(await mails(client, 'credit.grant')).toHaveLength(1);
    }
    await proven();
  });

  test('an invoice names the credit that came off it', async () => {
    const { client, campaign } = await sold('Weekly');
    await asAgency(
      'POST',
      '/credits',
      grant({ companyID: client.company.id, leadspeekID: campaign.id, amount: '1.00' }),
    );
    const id = await dues.bill(client.company);
    const { body } = await app.call('GET', `/api/billing/invoices/${id}`, client);
    expect(body).toMatchObject({ total_micros: 2_000_000 });
    expect(JSON.stringify(body)).toContain('Credit: goodwill');
    await proven();
  });

  test('nobody grants what is not theirs: others below, more than the maximum, or past a bill outside', async () => {
    const { client, campaign } = await sold();
    const stranger = await sold();
    const other = await dues.agency();
    const refused = async (who: typeof asRoot, body: object) => {
      const { status, body: answer } = await who('POST', '/credits', grant(body));
      return [status, answer.errors ?? {}];
    };
    expect(await refused(asRoot, { companyID: client.company.id, leadspeekID: campaign.id })).toEqual([
      404,
      {},
    ]);
    expect(await refused(asAgency, { companyID: agency.company.id })).toEqual([404, {}]);
    expect(await refused(asAgency, { companyID: other.company.id })).toEqual([404, {}]);
    expect(
      await refused(asAgency, { companyID: client.company.id, leadspeekID: stranger.campaign.id }),
    ).toEqual([404, {}]);
    expect(await refused(asAgency, { companyID: client.company.id })).toEqual([
      422,
      { leadspeekID: ['is required'] },
    ]);
    expect(await refused(asRoot, { companyID: other.company.id, amount: '10000.01' })).toEqual([
      422,
      { amount: ['must not exceed 10000'] },
    ]);
    expect(await refused(asRoot, { companyID: other.company.id, amount: '0' })).toEqual([
      422,
      { amount: ['must be above 0'] },
    ]);
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.billing.accounts.setTerms(tx, dues.owner(agency.company), {
        manual_bill: true,
        updated_at: app.clock.now(),
      }),
    );
    expect((await refused(asAgency, { companyID: client.company.id, leadspeekID: campaign.id }))[0]).toBe(
      409,
    );
  });
});
