import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { compareMails } from '../../../test/mails.ts';
import { runs } from '../../../test/runs.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
const tokens: Record<'root' | 'agency' | 'client', string> = { root: '', agency: '', client: '' };
const HOST = 'acme.test';
const site = { campaignName: 'Tents', urlCode: 'https://shop.example.com/' };
/** Ids of two advanced data fields. */
const FIELDS = [1, 2];

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: HOST, name: 'Acme' });
  client = await app.make.client(agency, { name: 'Client' });
  for (const [who, company] of Object.entries({ root, agency, client }))
    await app.make.user(company, { email: `${who}@x.test`, password: PASSWORD });
  for (const who of ['root', 'agency', 'client'] as const) await signIn(who);
});
afterAll(() => app?.close());

const signIn = async (who: 'root' | 'agency' | 'client') => {
  tokens[who] = await app.signIn(`${who}@x.test`, who === 'root' ? 'root.test' : HOST);
};
const call = (
  who: 'root' | 'agency' | 'client',
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: any call's answer
): Promise<{ status: number; body: any }> =>
  app.call(method, `/api${path}`, {
    host: who === 'root' ? 'root.test' : HOST,
    token: tokens[who],
    ...(body ? { body } : {}),
  });
const campaign = async (id: string) => (await call('agency', 'GET', `/leadspeek/getcampaign/${id}`)).body;
const update = async (who: 'agency' | 'client', id: string, given: object) => {
  const { version, advanceInformation } = await campaign(id);
  return call(who, 'PUT', '/leadspeek/client/update', {
    ...site,
    leadspeekID: id,
    version,
    advanceInformation,
    ...given,
  });
};
const create = async (who: 'agency' | 'client', given: object) =>
  call(who, 'POST', '/leadspeek/client/create', {
    ...site,
    leadspeekType: 'local',
    ...(who === 'agency' ? { companyID: client.id } : {}),
    ...given,
  });
/**
 * Sets what the root charges the agency for a lead, and for one with advanced data; from a certain day, or immediately.
 */
const ask = (lead: string, advanced: string, from?: string) =>
  call('root', 'PUT', '/configuration/setting', {
    companyID: agency.id,
    comsetname: 'costagency',
    comsetval: {
      local: Object.fromEntries(
        ['Weekly', 'Monthly', 'OneTime', 'Prepaid'].map((term) => [
          term,
          { LeadspeekCostperlead: lead, LeadspeekCostperleadAdvanced: advanced },
        ]),
      ),
    },
    ...(from ? { effective_from: from } : {}),
  });
const choose = (rule: string) => call('agency', 'PUT', '/configuration/margins', { rule });
const check = () => app.features.margins.check({ rootId: root.id, agencyId: agency.id });
const mailsAreRight = async () => {
  const { compared, differing } = await compareMails(app);
  expect(differing).toEqual([]);
  expect(compared).toBeGreaterThan(0);
};
const mails = async () =>
  (await app.admin.query(`select subject from mail where kind = 'margin.below_cost' order by id`)).rows.map(
    (row) => row.subject,
  );
/** The loss per lead of each campaign that is running and would sell one now. */
const losses = () =>
  inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
    const at = app.clock.now();
    const { rows } = await app.admin.query(
      `select id, agency_id, company_id, root_id, module from campaign where state = 'active' and root_id = $1`,
      [root.id],
    );
    if (rows.length === 0) return [];
    const sellingOf = await app.features.billing.selling(tx, rows, at);
    const of = (row: (typeof rows)[number]) => ({
      rootId: row.root_id,
      agencyId: row.agency_id,
      clientId: row.company_id,
    });
    const till = await app.features.billing.openTill(
      tx,
      rows.map((row) => ({ id: row.id, ...of(row) })),
      at,
    );
    return rows.flatMap((row) => {
      const sale = sellingOf(row.id);
      const refused = till.refusal({ ...of(row), campaignId: row.id, ...sale });
      return sale.costMicros > sale.priceMicros && refused !== 'below_cost'
        ? [{ id: row.id, price: sale.priceMicros, cost: sale.costMicros }]
        : [];
    });
  });

describe('[BEY-31] a price below what the agency pays', () => {
  test('a client cannot ask for data that its price does not cover', async () => {
    await ask('0.30', '0.90');
    const made = await create('agency', { CostSet: '0.50', PaymentTerm: 'Weekly' });
    const id = made.body.data.leadspeekID;
    expect(made.body.data.status).toBe('active');
    const refused = await update('client', id, { advanceInformation: FIELDS });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      {
        advanceInformation: [
          'Your current price per lead does not include this data. Ask your agency to update the price first.',
        ],
      },
    ]);
    expect(await campaign(id)).toMatchObject({ status: 'active', advanceInformation: [] });
    // Any other change is up to the client, and so is data that is paid for.
    expect((await update('client', id, { LimitLead: 20 })).status).toBe(200);
    expect((await update('agency', id, { CostSet: '0.50', CostSetAdvanced: '1.00' })).status).toBe(200);
    expect((await update('client', id, { advanceInformation: FIELDS })).status).toBe(200);
    expect((await create('client', { advanceInformation: FIELDS })).body).toMatchObject({
      data: { status: 'active' },
    });
    expect(await losses()).toEqual([]);
  });

  test('an agency that sets one knows what it pays; a copy by its client does not sell for it', async () => {
    await ask('0.30', '0');
    const made = await create('agency', { CostSet: '0.10', PaymentTerm: 'Weekly' });
    const id = made.body.data.leadspeekID;
    expect(made.body.data.status).toBe('active');
    expect(await losses()).toMatchObject([{ id, price: 100_000n, cost: 300_000n }]);
    const copy = (await call('client', 'POST', '/leadspeek/client/duplicate', { leadspeekID: id })).body.data;
    const start = (who: 'agency' | 'client', leadspeekID: string) =>
      call(who, 'POST', '/leadspeek/client/activepause', { leadspeekID, status: 'active' });
    expect((await start('client', copy.leadspeekID)).body).toMatchObject({
      message: expect.stringContaining('on hold until its price per lead is updated'),
      errors: { status: ['needs a new price'] },
    });
    // A new campaign that the client creates at the last price waits for its agency.
    const own = (await create('client', {})).body.data;
    expect(own).toMatchObject({ status: 'paused', statusReason: 'below_cost' });
    const { body } = await call('agency', 'GET', '/configuration/margins');
    expect(body).toMatchObject({ rule: 'hold' });
    expect(body.campaigns).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id, held: false, sells: true, price: '0.10', cost: '0.30', from: null }),
        expect.objectContaining({ id: own.leadspeekID, held: true, sells: false, company_name: 'Client' }),
      ]),
    );
    // The agency raises the price, and it resumes.
    expect((await update('agency', own.leadspeekID, { CostSet: '0.30' })).body.data.status).toBe('active');
    await call('agency', 'POST', '/leadspeek/client/remove', { leadspeekID: id });
    expect(await losses()).toEqual([]);
  });

  test('when the root asks more, campaigns are held, raised or go on, as the agency chose, and it is told', async () => {
    await ask('0.10', '0');
    const made = await create('agency', { CostSet: '0.40', PaymentTerm: 'Weekly', campaignName: 'Boots' });
    const id = made.body.data.leadspeekID;
    await app.admin.query('delete from mail');
    await ask('0.70', '0');
    expect(await losses()).toEqual([]); // Not even before anything was done about it.
    await check();
    expect(await campaign(id)).toMatchObject({ status: 'paused', statusReason: 'below_cost' });
    expect((await mails())[0]).toMatch(/^Your cost exceeds the price in (1 campaign|\d+ campaigns)$/);
    await check();
    expect(await mails()).toHaveLength(1);
    // When the cost is lowered again, it resumes automatically.
    await ask('0.10', '0');
    await check();
    expect(await campaign(id)).toMatchObject({ status: 'active', CostSet: '0.40' });

    expect((await choose('raise')).body.data).toMatchObject({ rule: 'raise', campaigns: [] });
    await ask('0.70', '0');
    await check();
    expect(await campaign(id)).toMatchObject({ status: 'active', CostSet: '0.70' });
    expect(await mails()).toHaveLength(2);
    await mailsAreRight();
    // Not above the maximum that the client allows for a lead.
    const capped = await update('agency', id, {
      CostSet: '0.70',
      CostSetAdvanced: '0.70',
      CostMaxLead: '0.80',
    });
    expect([capped.status, capped.body.errors]).toEqual([200, undefined]);
    await ask('0.90', '0');
    await check();
    expect(await campaign(id)).toMatchObject({ status: 'paused', CostSet: '0.70' });

    // [BEY-11] To sell at a loss takes more than a session that was left open.
    tokens.agency = await app.oldSession('agency@x.test', HOST);
    expect(await choose('sell')).toMatchObject({ status: 403, body: { errors: { confirm: ['password'] } } });
    expect(await campaign(id)).toMatchObject({ status: 'paused' });
    for (const who of ['root', 'agency', 'client'] as const) await signIn(who);
    expect((await choose('sell')).status).toBe(200);
    expect((await choose('sell')).status).toBe(200);
    expect(await campaign(id)).toMatchObject({ status: 'active', CostSet: '0.70' });
    expect(await losses()).toEqual(expect.arrayContaining([expect.objectContaining({ id })]));
    expect((await choose('hold')).status).toBe(200);
    expect(await campaign(id)).toMatchObject({ status: 'paused', statusReason: 'below_cost' });
    expect((await choose('whatever')).status).toBe(422);
    expect((await call('client', 'GET', '/configuration/margins')).status).toBe(403);
    expect((await call('root', 'GET', '/configuration/margins')).status).toBe(403);
  });

  test('what is planned is told when it is planned, and holds from its day on', async () => {
    await ask('0.10', '0');
    const { body } = await create('agency', { CostSet: '0.40', PaymentTerm: 'Weekly' });
    const id = body.data.leadspeekID;
    await app.admin.query('delete from mail');
    const day = new Date(app.clock.now().getTime() + 3 * 86_400_000).toISOString().slice(0, 10);
    expect((await ask('0.60', '0', day)).status).toBe(200);
    await app.features.margins.tellPlanned({ rootId: root.id, agencyId: agency.id });
    expect((await mails())[0]).toMatch(/^Starting \w+ \d+, \d{4}, your cost exceeds the price in/);
    await mailsAreRight();
    const { campaigns } = (await call('agency', 'GET', '/configuration/margins')).body;
    expect(campaigns).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id, held: false, cost: '0.60', from: expect.any(String) }),
      ]),
    );
    await check();
    expect((await campaign(id)).status).toBe('active');
    app.clock.advance(4 * 86_400_000);
    for (const who of ['root', 'agency', 'client'] as const) await signIn(who);
    expect(await losses()).toEqual([]);
    await check();
    expect(await campaign(id)).toMatchObject({ status: 'paused', statusReason: 'below_cost' });
  });

  test('an agency that cannot be checked does not keep the next one from being held', async () => {
    const ids = new Map<string, string>();
    for (const one of [await app.make.agency(root), await app.make.agency(root)]) {
      const { id } = await app.make.campaign(await app.make.client(one), { price: 400_000n });
      await app.make.leadCost(one, 800_000n);
      ids.set(one.id, id);
    }
    const { campaigns } = app.features;
    const { lockForMargins } = campaigns;
    let failing: string | null | undefined;
    campaigns.lockForMargins = async (tx, of) => {
      if (of.agencyId && ids.has(of.agencyId)) failing ??= of.agencyId;
      if (of.agencyId === failing) throw new Error('This one fails.');
      return lockForMargins(tx, of);
    };
    try {
      await expect(app.features.margins.checkAll({ rootId: root.id })).rejects.toThrow('This one fails.');
    } finally {
      campaigns.lockForMargins = lockForMargins;
    }
    const running = async () => {
      const { rows } = await app.admin.query(
        `select agency_id from campaign where id = any($1) and state = 'active'`,
        [[...ids.values()]],
      );
      return rows.map((row) => row.agency_id);
    };
    expect(await running()).toEqual([failing]);
    await app.features.margins.checkAll({});
    expect(await running()).toEqual([]);
  });

  test('whatever a client does, and whatever the root asks, no lead is sold at a loss that the agency has not chosen', async () => {
    await ask('0.20', '0.40');
    await choose('hold');
    const cents = fc.integer({ min: 5, max: 90 }).map((n) => (n / 100).toFixed(2));
    const some = fc.subarray(FIELDS);
    const pick = fc.nat();
    const step = fc.oneof(
      fc.record({
        do: fc.constant('create' as const),
        advanceInformation: some,
        draft: fc.constantFrom('T', 'F'),
      }),
      fc.record({ do: fc.constant('update' as const), pick, advanceInformation: some }),
      fc.record({
        do: fc.constantFrom('duplicate' as const, 'archive' as const, 'active' as const, 'paused' as const),
        pick,
      }),
      fc.record({ do: fc.constant('ask' as const), lead: cents, advanced: cents }),
      fc.record({ do: fc.constant('raise' as const), rule: fc.constantFrom('raise', 'hold') }),
      fc.record({ do: fc.constant('check' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), cents, async (steps, price) => {
        await app.admin.query(`update campaign set state = 'removed' where company_id = $1`, [client.id]);
        // The agency's own price covers its cost when the campaign is created.
        await ask('0.05', '0.05');
        const first = await create('agency', {
          CostSet: price,
          CostSetAdvanced: '0',
          CostMaxLead: '0',
          PaymentTerm: 'Weekly',
        });
        expect(first.status).toBe(200);
        const ids: string[] = [first.body.data.leadspeekID];
        for (const one of steps) {
          const id = 'pick' in one ? ids[one.pick % ids.length]! : '';
          let answer: { status: number; body: { data?: { leadspeekID?: string } } } | undefined;
          if (one.do === 'create') {
            const { do: _, ...given } = one;
            answer = await create('client', given);
          } else if (one.do === 'update')
            answer = await update('client', id, { advanceInformation: one.advanceInformation });
          else if (one.do === 'duplicate')
            answer = await call('client', 'POST', '/leadspeek/client/duplicate', { leadspeekID: id });
          else if (one.do === 'archive')
            answer = await call('client', 'POST', '/leadspeek/client/archive', { leadspeekID: id });
          else if (one.do === 'active' || one.do === 'paused')
            answer = await call('client', 'POST', '/leadspeek/client/activepause', {
              leadspeekID: id,
              status: one.do,
            });
          else if (one.do === 'ask') await ask(one.lead, one.advanced);
          else if (one.do === 'raise') await choose(one.rule);
          else await check();
          const made = answer?.body.data?.leadspeekID;
          if (made && !ids.includes(made)) ids.push(made);
          expect(answer?.status ?? 200).toBeLessThan(500);
          expect(await losses()).toEqual([]);
        }
        await check();
        const { campaigns } = (await call('agency', 'GET', '/configuration/margins')).body;
        expect(campaigns.filter((one: { held: boolean }) => !one.held)).toEqual([]);
      }),
      { numRuns: runs(12) },
    );
  });
});
