import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { compareMails } from '../../../test/mails.ts';
import { auditLedger } from '../ledger/index.ts';

const USD = 1_000_000n;
const HOST = 'caps.test';
let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let tokens: { agency: string; client: string };

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: HOST });
  await app.make.leadCost(agency, 700_000n);
  await app.make.user(agency, { email: 'agency@x.test', password: PASSWORD });
  client = await app.make.client(agency);
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
  tokens = {
    agency: await app.signIn('agency@x.test', HOST),
    client: await app.signIn('client@x.test', HOST),
  };
});
afterAll(() => app.close());
/** Advances a day and renews the logins. */
async function nextDay(): Promise<void> {
  app.clock.advance(86_400_000);
  await app.features.visits.keepPartitions(3);
  tokens = {
    agency: await app.signIn('agency@x.test', HOST),
    client: await app.signIn('client@x.test', HOST),
  };
}
beforeEach(nextDay);

const set = (as: 'agency' | 'client', body: object) =>
  app.call('PUT', '/api/ledger/caps', { host: HOST, token: tokens[as], body });
const list = async (as: 'agency' | 'client') =>
  (await app.call('GET', '/api/ledger/caps', { host: HOST, token: tokens[as] })).body.data as unknown as {
    subject: string;
    subjectID: string;
    spent: string;
    hard: string | null;
  }[];
/** Creates the given number of visits by known people on a campaign, and resolves them. */
async function visit(campaign: MadeCampaign, count: number): Promise<void> {
  const people = Array.from({ length: count }, () => app.make.person());
  await app.make.people(root, people);
  for (const { email } of people) await app.make.visit(campaign, { email });
  await app.features.leads.resolver.resolveAll();
}
const outcomes = async (campaign: MadeCampaign): Promise<Record<string, number>> =>
  Object.fromEntries(
    (
      await app.admin.query(
        'select outcome, count(*)::int as n from visit where campaign_id = $1 group by 1 order by 1',
        [campaign.id],
      )
    ).rows.map((row) => [row.outcome, row.n]),
  );
const state = async (campaign: MadeCampaign) =>
  (await app.admin.query('select state, state_reason as reason from campaign where id = $1', [campaign.id]))
    .rows[0];
const resume = () => app.features.campaigns.resumeCapped(root.id);
const mails = async (subject: RegExp): Promise<string[]> => {
  const { rows } = await app.admin.query(
    `select data from pgboss.job where name = 'caps.tell' order by created_on`,
  );
  for (const { data } of rows) await app.features.spendingLimits.tell(data);
  return (await app.admin.query('select to_address, subject from mail order by created_at, id')).rows
    .filter((row) => subject.test(row.subject))
    .map((row) => row.to_address);
};

describe('[BEY-03] limits on spending', () => {
  test('a hard limit of a campaign stops it to the cent, says why, and lets it go on the next day', async () => {
    const campaign = await app.make.campaign(client, { price: 2_500_000n, balance: 100n * USD });
    const { status, body } = await set('client', {
      subject: 'campaign',
      subjectID: campaign.id,
      period: 'day',
      hard: '10.00',
      soft: '5',
    });
    expect([status, body.data]).toEqual([
      200,
      [expect.objectContaining({ hard: '10.00', soft: '5.00', spent: '0.00', set_by: 'client' })],
    ]);
    await visit(campaign, 6);
    expect(await outcomes(campaign)).toEqual({ cap_campaign: 2, lead: 4 });
    expect(await state(campaign)).toEqual({ state: 'paused', reason: 'cap_campaign' });
    expect((await list('client')).find((cap) => cap.subjectID === campaign.id)).toMatchObject({
      spent: '10.00',
    });
    const seen = await app.call('GET', `/api/leadspeek/getcampaign/${campaign.id}`, {
      host: HOST,
      token: tokens.client,
    });
    expect(seen.body).toMatchObject({ status: 'paused', statusReason: 'cap_campaign' });
    const activate = () =>
      app.call('POST', '/api/leadspeek/client/activepause', {
        host: HOST,
        token: tokens.client,
        body: { leadspeekID: campaign.id, status: 'active' },
      });
    expect(await activate()).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('The campaign has reached its spending limit') },
    });
    // One notification each: that 5 dollars were passed, and that the limit was reached.
    expect(await mails(/close to/)).toEqual(['client@x.test']);
    expect(await mails(/has been reached/)).toEqual(['client@x.test']);
    expect(await compareMails(app)).toEqual({ compared: 2, differing: [] });
    expect(await resume()).toBe(0);
    await nextDay();
    expect(await resume()).toBe(1);
    expect(await state(campaign)).toEqual({ state: 'active', reason: null });
    await set('client', { subject: 'campaign', subjectID: campaign.id, period: 'day', hard: '', soft: '' });
    expect((await list('client')).filter((cap) => cap.subjectID === campaign.id)).toEqual([]);
  });

  test("a client's limit counts all its campaigns; raising it sets them going; a month is a month", async () => {
    const [a, b] = [
      await app.make.campaign(client, { price: 2n * USD, balance: 100n * USD }),
      await app.make.campaign(client, { price: 3n * USD, balance: 100n * USD }),
    ];
    const before = Number((await list('agency')).find((cap) => cap.subjectID === client.id)?.spent ?? 0);
    const limit = (hard: string) =>
      set('agency', { subject: 'client', subjectID: client.id, period: 'month', hard });
    const spent = Number((await limit('1000')).body.data ? (await list('agency'))[0]!.spent : before);
    await limit(String(spent + 7));
    await visit(a, 2); // 4
    await visit(b, 2); // 3 more, and the second does not fit
    expect(await outcomes(b)).toEqual({ cap_client: 1, lead: 1 });
    expect(await state(b)).toEqual({ state: 'paused', reason: 'cap_client' });
    await nextDay();
    expect(await resume()).toBe(0);
    await limit(String(spent + 20));
    const { rows } = await app.admin.query(
      `select count(*)::int as n from pgboss.job where name = 'campaigns.resume'`,
    );
    expect(rows[0].n).toBeGreaterThan(0);
    expect(await resume()).toBe(1);
    await limit('');
  });

  test('one that is lowered and raised in turn gives no lead for nothing', async () => {
    const campaign = await app.make.campaign(client, { price: USD, balance: 100n * USD });
    const limit = (hard: string) =>
      set('client', { subject: 'campaign', subjectID: campaign.id, period: 'day', hard, soft: null });
    for (let round = 1; round <= 3; round++) {
      expect((await limit('50.00')).status).toBe(200);
      await resume();
      await visit(campaign, 2);
      expect((await limit('0.01')).status).toBe(200);
      await visit(campaign, 1);
      expect(await state(campaign)).toEqual({ state: 'paused', reason: 'cap_campaign' });
      const { rows } = await app.admin.query(
        `select (select count(*)::int from lead where campaign_id = $1) as leads,
                (select count(*)::int from transfer where campaign_id = $1 and kind = 'lead') as sold`,
        [campaign.id],
      );
      expect(rows).toEqual([{ leads: 2 * round, sold: 2 * round }]);
    }
    expect((await list('client')).find(({ subjectID }) => subjectID === campaign.id)?.spent).toBe('6.00');
  });

  test("the wallet's limit stops campaigns of all its clients", async () => {
    const owner = await app.make.agency(root, { host: 'wallet.test' });
    await app.make.leadCost(owner, 700_000n);
    await app.make.user(owner, { email: 'boss@x.test', password: PASSWORD });
    const token = await app.signIn('boss@x.test', 'wallet.test');
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.wallet.topUp(
        tx,
        { rootId: root.id, agencyId: owner.id, amountMicros: 50n * USD, key: 'w' },
        app.clock.now(),
      ),
    );
    const ask = (body: object) => app.call('PUT', '/api/ledger/caps', { host: 'wallet.test', token, body });
    expect((await ask({ subject: 'wallet', subjectID: owner.id, period: 'day', hard: '1.40' })).status).toBe(
      200,
    );
    const campaign = await app.make.campaign(await app.make.client(owner), {
      price: USD,
      balance: 10n * USD,
    });
    // Notifications about limits that have been changed since.
    await app.admin.query('delete from mail');
    await visit(campaign, 3);
    expect(await outcomes(campaign)).toEqual({ cap_wallet: 1, lead: 2 });
    expect(await mails(/has been reached/)).toContain('boss@x.test');
    expect((await compareMails(app)).differing).toEqual([]);
  });

  test('parallel load in many transactions cannot pass a hard limit by a cent', async () => {
    const spender = await app.make.client(agency);
    const campaigns = await Promise.all(
      [0, 1, 2, 3].map(() => app.make.campaign(spender, { price: 330_000n, balance: 100n * USD })),
    );
    await set('agency', { subject: 'client', subjectID: spender.id, period: 'day', hard: '10.00' });
    const at = app.clock.now();
    const sell = (i: number) =>
      inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
        app.features.billing.sellLeads(
          tx,
          [
            {
              id: newId(at),
              rootId: root.id,
              agencyId: agency.id,
              clientId: spender.id,
              campaignId: campaigns[i % 4]!.id,
              priceMicros: 330_000n,
              costMicros: 700_000n,
            },
          ],
          at,
        ),
      );
    const outcomes: PromiseSettledResult<unknown>[] = [];
    const seller = async (nth: number): Promise<void> => {
      for (let n = 0; n < 12; n++) outcomes.push(...(await Promise.allSettled([sell(nth)])));
    };
    await Promise.all(Array.from({ length: 10 }, (_, nth) => seller(nth)));
    const sold = outcomes.filter((o) => o.status === 'fulfilled').length;
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(String(outcome.reason)).toMatch(/The client has reached its spending limit/);
    expect(sold).toBe(30); // 30 x 0.33 = 9.90
    expect((await list('agency')).find((cap) => cap.subjectID === spender.id)).toMatchObject({
      spent: '9.90',
    });
    const { checks } = await auditLedger(app.admin);
    expect(checks.filter((c) => c.violations > 0 && !c.name.startsWith('every lead with'))).toEqual([]);
  });

  test('a lead that is sold again is counted once', async () => {
    const campaign = await app.make.campaign(client, { price: 4n * USD, balance: 100n * USD });
    await set('agency', { subject: 'campaign', subjectID: campaign.id, period: 'day', hard: '20.00' });
    const at = app.clock.now();
    const { agency_id, company_id } = campaign.owner;
    const where = { rootId: root.id, agencyId: agency_id, clientId: company_id, campaignId: campaign.id };
    const sale = () => ({ id: newId(at), ...where, priceMicros: 4n * USD, costMicros: 0n });
    const [first, second] = [sale(), sale()];
    const sell = (...sales: (typeof first)[]) =>
      inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
        app.features.billing.sellLeads(tx, sales, at),
      );
    const spent = async () => (await list('agency')).find((cap) => cap.subjectID === campaign.id)?.spent;
    expect(await sell(first)).toEqual([expect.any(String)]);
    expect(await sell(first)).toEqual([null]);
    expect(await spent()).toBe('4.00');
    expect(await sell(first, second)).toEqual([null, expect.any(String)]);
    expect(await spent()).toBe('8.00');
  });

  test('a limit that is set while leads are being accepted counts them', async () => {
    const campaign = await app.make.campaign(client, { price: 4n * USD, balance: 100n * USD });
    let setting: ReturnType<typeof set> | undefined;
    await inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
      await app.features.campaigns.lock(tx, [campaign.id]);
      const at = app.clock.now();
      const { agency_id, company_id } = campaign.owner;
      const sale = { rootId: root.id, agencyId: agency_id, clientId: company_id, campaignId: campaign.id };
      await app.features.billing.sellLeads(
        tx,
        [{ id: newId(at), ...sale, priceMicros: 4n * USD, costMicros: 0n }],
        at,
      );
      const six = { subject: 'campaign', subjectID: campaign.id, period: 'day', hard: '6.00' };
      setting = app.outside(() => set('client', six));
      await expect
        .poll(
          async () =>
            (await app.admin.query('select count(*)::int as n from pg_locks where not granted')).rows[0].n,
        )
        .toBeGreaterThan(0);
    });
    expect(await setting!).toMatchObject({ status: 200, body: { data: [{ spent: '4.00' }] } });
    await visit(campaign, 1);
    expect(await outcomes(campaign)).toEqual({ cap_campaign: 1 });
  });

  test('[BEY-11] a session that was left open may lower a hard limit, but neither raises nor lifts it', async () => {
    const campaign = await app.make.campaign(client);
    const limit = (hard: string, soft = '') =>
      set('client', { subject: 'campaign', subjectID: campaign.id, period: 'day', hard, soft });
    const hard = async () =>
      (await list('client')).find((cap) => cap.subjectID === campaign.id)?.hard ?? 'none';
    tokens.client = await app.oldSession('client@x.test', HOST);
    expect([(await limit('', '5.00')).status, (await limit('9.00')).status]).toEqual([200, 200]);
    expect([(await limit('8.00', '2.00')).status, (await limit('8.00', '3.00')).status]).toEqual([200, 200]);
    for (const more of ['8.01', ''])
      expect(await limit(more)).toMatchObject({
        status: 403,
        body: { errors: { confirm: ['password'] } },
      });
    expect(await hard()).toBe('8.00');
    tokens.client = await app.signIn('client@x.test', HOST);
    expect([(await limit('8.01')).status, await hard()]).toEqual([200, '8.01']);
    expect([(await limit('')).status, await hard()]).toEqual([200, 'none']);
  });

  test('who may limit what', async () => {
    const campaign = await app.make.campaign(client);
    const body = { subject: 'campaign', subjectID: campaign.id, period: 'day', hard: '9.00' };
    // Both limit the same campaign; the client sees the limit of its agency and cannot lift it.
    await set('agency', body);
    await set('client', { ...body, hard: '' });
    expect((await list('client')).filter((cap) => cap.subjectID === campaign.id)).toMatchObject([
      { hard: '9.00', set_by: 'agency' },
    ]);
    await set('agency', { ...body, hard: '' });
    expect((await set('client', { ...body, subject: 'wallet', subjectID: agency.id })).status).toBe(404);
    expect((await set('agency', { ...body, subject: 'wallet', subjectID: client.id })).status).toBe(404);
    expect(await set('agency', { ...body, soft: '9.01' })).toMatchObject({
      status: 422,
      body: { errors: { soft: ['must not be above the hard limit'] } },
    });
    for (const hard of ['-1', 'NaN', '1e309', '1,000', '０.５', '1.0000001'])
      expect([hard, (await set('agency', { ...body, hard })).status]).toEqual([hard, 422]);
    await set('agency', { subject: 'wallet', subjectID: agency.id, period: 'day', soft: '5.00', hard: '' });
    expect((await list('client')).some((cap) => cap.subject === 'wallet')).toBe(false);
    expect((await list('agency')).some((cap) => cap.subject === 'wallet')).toBe(true);
    const above = await app.call('GET', `/api/ledger/caps?companyID=${agency.id}`, {
      host: HOST,
      token: tokens.client,
    });
    expect(above.status).toBe(404);
  });
});
