import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../platform/clock.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { runs } from '../../../test/runs.ts';
import type { Posting } from '../ledger/index.ts';
import { addSaleDays, forgetSaleDays } from '../ledger/sales.store.ts';

const USD = 1_000_000n;
const NOW = '2026-03-10T15:00:00Z';
const ZONE = 'America/Chicago';
let app: TestApp;
let root: Company;
let one: Company;
let two: Company;
const campaigns: MadeCampaign[] = [];
const tokens: Record<string, string> = {};
const HOSTS: Record<string, string> = {
  owner: 'root.test',
  admin: 'root.test',
  one: 'one.test',
  two: 'two.test',
};

// biome-ignore lint/suspicious/noExplicitAny: any call's answer
const ask = async (who: string, path: string): Promise<{ status: number; body: any }> =>
  app.call('GET', `/api/configuration/${path}`, { host: HOSTS[who]!, token: tokens[who]! });
const get = async (who: string, path: string) => {
  const { status, body } = await ask(who, path);
  expect([path, status, status === 200 ? '' : body]).toEqual([path, 200, '']);
  return body;
};
const run = <T>(work: (tx: Tx) => Promise<T>) => inScope(app.platform.db.app, { rootId: root.id }, work);

let posted = 0;
/** A lead (or, with `back`, its refund) sold at an instant: what the client, the agency, and the root paid for it. */
function sale(
  campaign: MadeCampaign,
  at: Date,
  [price, cost, supplier]: [bigint, bigint, bigint],
  back = false,
): Posting {
  const sign = back ? -1n : 1n;
  const agency = {
    root_id: root.id,
    agency_id: campaign.owner.agency_id,
    company_id: campaign.owner.agency_id,
  };
  const platform = { root_id: root.id, agency_id: null, company_id: root.id };
  return {
    owner: campaign.owner,
    kind: back ? 'lead_return' : 'lead',
    referenceId: campaign.id,
    campaignId: campaign.id,
    key: `sale-${posted++}`,
    at,
    entries: [
      {
        account: { owner: campaign.owner, kind: 'client_unbilled', campaignId: campaign.id },
        amount: -price * sign,
      },
      { account: { owner: agency, kind: 'agency_revenue' }, amount: price * sign },
      { account: { owner: agency, kind: 'agency_payable' }, amount: -cost * sign },
      { account: { owner: platform, kind: 'root_revenue' }, amount: cost * sign },
      { account: { owner: platform, kind: 'root_cost' }, amount: -supplier * sign },
      { account: { owner: platform, kind: 'supplier_due' }, amount: supplier * sign },
    ],
  } as Posting;
}
const post = (...all: Posting[]) => run((tx) => app.features.ledger.post(tx, all, app.clock.now()));

beforeAll(async () => {
  app = await testApp({ clock: new ManualClock('2025-01-01T12:00:00Z') });
  const { make } = app;
  root = await make.root({ host: 'root.test' });
  one = await make.agency(root, { host: 'one.test', name: 'One' });
  two = await make.agency(root, { host: 'two.test', name: 'Two' });
  const [a, b] = [await make.client(one, { name: 'Ann' }), await make.client(one, { name: 'Ben' })];
  const c = await make.client(two, { name: 'Cid' });
  const costs = (term: 'Weekly' | 'Monthly') => ({ costs: { term, setup_micros: 0n, month_micros: 0n } });
  campaigns.push(
    await make.campaign(a, { name: 'Tents', price: 3n * USD, ...costs('Weekly') }),
    await make.campaign(b, { name: 'Boats', price: 2n * USD, ...costs('Monthly') }),
    await make.campaign(c, { name: 'Cars', price: 5n * USD, ...costs('Weekly') }),
  );
  app.clock.advance(Date.parse(NOW) - app.clock.now().getTime());
  const [tents, boats, cars] = campaigns as [MadeCampaign, MadeCampaign, MadeCampaign];
  const noon = (day: string) => new Date(`${day}T18:00:00Z`);
  await post(
    sale(tents, noon('2025-11-05'), [3n * USD, USD, USD / 4n]),
    sale(tents, noon('2025-12-05'), [3n * USD, USD, USD / 4n]),
    sale(tents, noon('2026-01-05'), [3n * USD, USD, USD / 4n]),
    // In March in UTC, and still in February for everyone here.
    sale(tents, new Date('2026-03-01T03:00:00Z'), [3n * USD, USD, USD / 4n]),
    sale(tents, noon('2026-03-02'), [3n * USD, USD, USD / 4n]),
    sale(boats, noon('2026-01-20'), [2n * USD, USD, 0n]),
    sale(boats, noon('2026-01-21'), [2n * USD, USD, 0n]),
    sale(boats, noon('2026-01-22'), [2n * USD, USD, 0n], true),
    sale(cars, noon('2025-12-20'), [5n * USD, 4n * USD, USD]),
    sale(cars, noon('2026-02-10'), [5n * USD, 4n * USD, USD]),
  );
  await app.features.ledger.snapshot(app.platform.db.app, root.id, app.clock.now());
  for (const [name, company, role] of [
    ['owner', root, 'owner'],
    ['admin', root, 'administrator'],
    ['one', one, 'owner'],
    ['two', two, 'owner'],
  ] as const) {
    await make.user(company, { email: `${name}@x.test`, password: PASSWORD, role });
    tokens[name] = await app.signIn(`${name}@x.test`, HOSTS[name]!);
  }
});
afterAll(() => app?.close());

describe('[CONF-07] report analytics', () => {
  test('is for root owners, administrators with the permission, and agencies over their own clients', async () => {
    const paths = [
      'report-analytics',
      'root-revenue/2026-03-01/2026-03-10',
      'agencies-report',
      'get-under-perform-campaigns',
    ];
    const statuses = async (who: string, of = paths) =>
      Promise.all(of.map(async (path) => (await ask(who, path)).status));
    expect(await statuses('owner')).toEqual([200, 200, 200, 200]);
    expect(await statuses('admin')).toEqual([403, 403, 403, 403]);
    const give = (active: boolean) =>
      app.admin.query(
        `update user_account set permission_active = $1, permissions = $2 where email = 'admin@x.test'`,
        [active, JSON.stringify([{ name: 'report_analytics', active: true }])],
      );
    await give(false);
    expect(await statuses('admin')).toEqual([403, 403, 403, 403]);
    await give(true);
    expect(await statuses('admin')).toEqual([200, 200, 200, 200]);
    expect(await statuses('one', [...paths, 'clients-report'])).toEqual([200, 403, 403, 200, 200]);
    expect((await ask('one', `report-analytics?companyID=${two.id}`)).status).toBe(404);
    expect((await ask('owner', 'clients-report')).status).toBe(403);
  });

  test('sums revenue, cost, and margin by group, next to the period before', async () => {
    const months = await get('owner', 'report-analytics?by=month&startDate=2026-01-01&endDate=2026-03-10');
    expect(months.before).toEqual({ startDate: '2025-10-01', endDate: '2025-12-10' });
    expect(
      months.data.map((row: Record<string, unknown>) => [
        row.key,
        row.leads,
        row.revenue_micros,
        row.margin_micros,
      ]),
    ).toEqual([
      ['2026-01', 2, 2e6, 1.75e6],
      ['2026-02', 2, 5e6, 3.75e6],
      ['2026-03', 1, 1e6, 0.75e6],
    ]);
    expect(
      months.data.map((row: { before: { revenue_micros: number } }) => row.before.revenue_micros),
    ).toEqual([0, 1e6, 1e6]);
    expect(months.total).toMatchObject({
      leads: 5,
      price_micros: 16e6,
      revenue_micros: 8e6,
      before: { revenue_micros: 2e6 },
    });
    const year = 'startDate=2025-03-11&endDate=2026-03-10';
    for (const [by, who, rows] of [
      [
        'agency',
        'owner',
        [
          ['Two', 8e6],
          ['One', 6e6],
        ],
      ],
      [
        'client',
        'owner',
        [
          ['Cid', 8e6],
          ['Ann', 5e6],
          ['Ben', 1e6],
        ],
      ],
      [
        'term',
        'owner',
        [
          ['Weekly', 13e6],
          ['Monthly', 1e6],
        ],
      ],
      ['product', 'owner', [['Site ID', 14e6]]],
      [
        'client',
        'one',
        [
          ['Ann', 15e6],
          ['Ben', 2e6],
        ],
      ],
      ['client', 'two', [['Cid', 10e6]]],
    ] as const) {
      const { data } = await get(who, `report-analytics?by=${by}&${year}`);
      expect(
        data.map((row: { name: string; revenue_micros: number }) => [row.name, row.revenue_micros]),
      ).toEqual(rows);
    }
    // What suppliers are paid, an agency never learns: its cost is what it pays itself.
    expect((await get('one', `report-analytics?${year}`)).total).toMatchObject({
      revenue_micros: 17e6,
      cost_micros: 6e6,
      margin_micros: 11e6,
    });
    for (const [query, rule] of [
      ['startDate=2026-02-02&endDate=2026-02-01', /endDate: must not be before the start date/],
      ['startDate=2020-01-01&endDate=2026-02-01', /endDate: must be within 1100 days/],
      ['by=planet', /by/],
      ['compare=never', /compare/],
    ] as const) {
      const { status, body } = await ask('owner', `report-analytics?${query}`);
      expect([status, body.message]).toEqual([422, expect.stringMatching(rule)]);
    }
  });

  test("a root's revenue is what its statement says, by day or month, with everything in it", async () => {
    await run((tx) =>
      app.features.ledger.post(
        tx,
        [
          {
            owner: { root_id: root.id, agency_id: one.id, company_id: one.id },
            kind: 'onboarding',
            referenceId: one.id,
            key: 'onboarding',
            at: new Date('2026-02-03T12:00:00Z'),
            entries: [
              {
                account: {
                  owner: { root_id: root.id, agency_id: one.id, company_id: one.id },
                  kind: 'agency_payable',
                },
                amount: -50n * USD,
              },
              {
                account: {
                  owner: { root_id: root.id, agency_id: null, company_id: root.id },
                  kind: 'root_revenue',
                },
                amount: 50n * USD,
              },
            ],
          },
        ],
        app.clock.now(),
      ),
    );
    const days = await get('owner', 'root-revenue/2026-02-01/2026-02-28');
    expect(days.data).toHaveLength(28);
    expect(days.total).toMatchObject({
      revenue_micros: 55e6,
      cost_micros: 1.25e6,
      margin_micros: 53.75e6,
      before: { revenue_micros: 2e6 },
    });
    expect(days.data.at(-1)).toMatchObject({ key: '2026-02-28', revenue_micros: 1e6 });
    const months = await get('owner', 'root-revenue/2025-11-15/2026-03-10');
    expect(
      months.data.map((row: Record<string, unknown>) => [row.key, row.startDate, row.revenue_micros]),
    ).toEqual([
      ['2025-11', '2025-11-15', 0],
      ['2025-12', '2025-12-01', 5e6],
      ['2026-01', '2026-01-01', 2e6],
      ['2026-02', '2026-02-01', 55e6],
      ['2026-03', '2026-03-01', 1e6],
    ]);
    const { body: statement } = await app.call(
      'GET',
      '/api/ledger/statement?startDate=2025-11-15&endDate=2026-03-10',
      {
        host: 'root.test',
        token: tokens.owner!,
      },
    );
    expect(months.total.margin_micros).toBe(
      Number(statement.balance_micros) - Number(statement.opening_micros),
    );
    expect((await ask('owner', 'root-revenue/2026-02-02/2026-02-01')).body.message).toMatch(
      /end: must not be before/,
    );
    expect((await ask('owner', 'root-revenue/soon/2026-02-01')).status).toBe(422);
  });

  test('tells who is new, stays, and was lost, what each was worth, and what is unpaid', async () => {
    const report = await get('owner', 'agencies-report?startDate=2026-03-01&endDate=2026-03-10');
    expect(report.data).toMatchObject([
      {
        company_name: 'One',
        standing: 'active',
        revenue_micros: 1e6,
        before_micros: 0,
        first_month: '2025-11',
        months: 5,
        lifetime_revenue_micros: 6e6,
        clients: 2,
        campaigns: 2,
        unpaid_micros: 0,
      },
      {
        company_name: 'Two',
        standing: 'lost',
        revenue_micros: 0,
        before_micros: 4e6,
        first_month: '2025-12',
        last_month: '2026-02',
        lifetime_margin_micros: 6e6,
      },
    ]);
    expect(report.total).toMatchObject({ active: 1, fresh: 0, lost: 1, churn: 1, lifetime_micros: 7e6 });
    const mine = await get('one', 'clients-report?startDate=2026-01-01&endDate=2026-01-31');
    expect(mine.data).toMatchObject([
      { company_name: 'Ann', standing: 'active', revenue_micros: 3e6 },
      { company_name: 'Ben', standing: 'new', revenue_micros: 2e6, cost_micros: 1e6 },
    ]);
    const growth = await get('owner', 'report-growth?months=5');
    expect(
      growth.data.map((row: Record<string, unknown>) => [
        row.key,
        row.active,
        row.fresh,
        row.back,
        row.lost,
        row.churn,
      ]),
    ).toEqual([
      ['2025-11', 1, 1, 0, 0, null],
      ['2025-12', 2, 1, 0, 0, 0],
      ['2026-01', 1, 0, 0, 1, 0.5],
      ['2026-02', 2, 0, 1, 0, 0],
      ['2026-03', 1, 0, 0, 1, 0.5],
    ]);
    for (const row of growth.data.slice(1))
      expect(row.revenue_micros - growth.data[growth.data.indexOf(row) - 1].revenue_micros).toBe(
        row.fresh_micros + row.grown_micros + row.shrunk_micros + row.lost_micros,
      );
    expect(growth.cohorts).toEqual([
      { key: '2025-11', size: 1, active: [1, 1, 1, 1, 1], revenue_micros: [1e6, 1e6, 2e6, 1e6, 1e6] },
      { key: '2025-12', size: 1, active: [1, 0, 1, 0], revenue_micros: [4e6, 0, 4e6, 0] },
    ]);
  });

  test('lists campaigns that under-perform, with the reasons', async () => {
    const { data, days } = await get('owner', 'get-under-perform-campaigns?days=30');
    expect(days).toBe(30);
    expect(
      data.map((row: Record<string, unknown>) => [row.campaignName, row.company_name, row.agency_name]),
    ).toEqual([
      ['Tents', 'Ann', 'One'],
      ['Boats', 'Ben', 'One'],
      ['Cars', 'Cid', 'Two'],
    ]);
    expect(data[0].reasons).toEqual([
      { code: 'silent', text: 'Its site has sent no visits since Jan 1, 2025' },
      { code: 'no_leads', text: 'No leads in 30 days' },
    ]);
    const mine = await get('two', 'get-under-perform-campaigns');
    expect(mine.data.map((row: { campaignName: string }) => row.campaignName)).toEqual(['Cars']);
  });

  test('each list is downloaded with the same numbers', async () => {
    const file = async (path: string) => {
      const { body } = await app.call('POST', '/api/general/download-token', {
        host: 'root.test',
        token: tokens.owner!,
        body: { path: `/api/export/${path}` },
      });
      const { status, text } = await app.call('GET', String(body.url), { host: 'root.test' });
      expect([path, status]).toEqual([path, 200]);
      return text.replace('﻿', '').trimEnd().split('\r\n');
    };
    expect(
      (await file('report-analytics?by=agency&startDate=2025-03-11&endDate=2026-03-10')).slice(1),
    ).toEqual(['Two,,2,10.00,8.00,2.00,6.00,0,0.00,0.00', 'One,,6,17.00,6.00,1.25,4.75,0,0.00,0.00']);
    expect(await file('root-revenue?start=2025-11-15&end=2026-03-10')).toHaveLength(6);
    expect(await file('agencies-report')).toHaveLength(3);
    expect(await file('report-growth?months=5')).toHaveLength(6);
    expect(await file('report-cohorts?months=5')).toHaveLength(10);
    expect(await file('under-perform-campaigns')).toHaveLength(4);
  });
});

describe('[CONF-07] sums of sales by day', () => {
  const now = () => app.clock.now();
  const days = fc.integer({ min: 0, max: 40 });
  const minutes = fc.integer({ min: 0, max: 1439 });
  const command = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('sell' as const),
        campaign: fc.nat(2),
        day: days,
        minute: minutes,
        back: fc.boolean(),
        micros: fc.integer({ min: 1, max: 9_999_999 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('sum', 'resum', 'kill', 'race' as const),
        campaign: fc.nat(2),
        day: days,
        minute: minutes,
      }),
    },
  );

  /** Every group of some days, from the sums as far as there are any, equals the ledger's own. */
  async function compare(day: number, length: number, zone: string) {
    const from = new Date(Date.parse('2026-01-25T00:00:00Z') + day * 86_400_000 + 5 * 3_600_000);
    const before = new Date(from.getTime() + length * 43_200_000);
    for (const by of ['month', 'product', 'agency', 'client', 'campaign', 'term', 'all'] as const) {
      const told = await run((tx) =>
        app.features.ledger.salesBy(tx, { companyId: root.id, from, before, timeZone: zone, by }),
      );
      const key = {
        month: `to_char(t.created_at at time zone '${zone}', 'YYYY-MM')`,
        product: 'c.module',
        agency: 'c.agency_id::text',
        client: 'c.company_id::text',
        campaign: 'c.id::text',
        term: `(select term from retail_cost p where p.campaign_id = c.id and p.valid_from <= t.created_at order by serial desc limit 1)`,
        all: `''`,
      }[by];
      const { rows } = await app.admin.query(
        `select k as key, sum(case kind when 'lead' then 1 else -1 end)::text as leads, (-sum(price))::text as price,
           (-sum(cost))::text as cost, (-sum(supplier))::text as supplier
         from (select ${key} as k, t.kind,
             (select sum(amount) from entry e where e.transfer_id = t.id and e.account_code in (1, 2)) as price,
             (select sum(amount) from entry e where e.transfer_id = t.id and e.account_code in (10, 11)) as cost,
             coalesce((select sum(amount) from entry e where e.transfer_id = t.id and e.account_code = 21), 0) as supplier
           from transfer t join campaign c on c.id = t.campaign_id
           where t.root_id = $1 and t.kind in ('lead', 'lead_return') and t.created_at >= $2 and t.created_at < $3) x
         group by 1 order by 1`,
        [root.id, from, before],
      );
      const nonzero = told.map(({ key, leads, price, cost, supplier }) => ({
        key,
        leads: String(leads),
        price: String(price),
        cost: String(cost),
        supplier: String(supplier),
      }));
      expect([by, zone, nonzero]).toEqual([by, zone, rows]);
    }
  }

  test('equal the ledger, whatever is posted into the past, made again, interrupted, or made meanwhile', async () => {
    const { ledger } = app.features;
    const db = app.platform.db.app;
    await fc.assert(
      fc.asyncProperty(
        fc.array(command, { minLength: 4, maxLength: 14 }),
        days,
        fc.integer({ min: 1, max: 90 }),
        fc.constantFrom(ZONE, 'UTC', 'Asia/Kathmandu'),
        async (commands, day, length, zone) => {
          for (const one of commands) {
            const at = new Date(
              Date.parse('2026-01-25T00:00:00Z') + one.day * 86_400_000 + one.minute * 60_000,
            );
            const lead = (micros = 1_234_567) =>
              sale(
                campaigns[one.campaign]!,
                at,
                [BigInt(micros) * 3n, BigInt(micros) * 2n, BigInt(micros)],
                'back' in one && one.back,
              );
            if (one.do === 'sell') await post(lead(one.micros));
            else if (one.do === 'sum') await ledger.sumSales(db, root.id, now());
            else if (one.do === 'resum') await ledger.resumSales(db, root.id, now());
            else if (one.do === 'race')
              await Promise.all([post(lead()), ledger.resumSales(db, root.id, now()), post(lead())]);
            else {
              // The process ends when the sums are half made: its connection is gone, and what it did with it.
              const killed = inScope(db, { rootId: root.id }, async (tx) => {
                await forgetSaleDays(tx, root.id);
                await addSaleDays(tx, root.id, '2026-01-25', '2026-02-20');
                throw new Error('killed');
              });
              await expect(killed).rejects.toThrow('killed');
            }
          }
          await compare(day, length, zone);
        },
      ),
      { numRuns: runs(40) },
    );
    await ledger.sumSales(db, root.id, now());
    const { rows } = await app.admin.query(
      'select count(*)::int as days from sale_day_mark where root_id = $1',
      [root.id],
    );
    expect(rows[0].days).toBeGreaterThan(100);
    await compare(0, 90, ZONE);
    // The reports are really read from the sums: with other sums they would say something else.
    await app.admin.query('update sale_day set price_micros = price_micros + 1000000');
    await expect(compare(0, 90, ZONE)).rejects.toThrow();
    await ledger.resumSales(db, root.id, now());
    await compare(0, 90, ZONE);
  });

  test('an agency reads only its own, without supplier costs, and a client none', async () => {
    await app.features.ledger.sumSales(app.platform.db.app, root.id, app.clock.now());
    const seen = async (scope: { agencyId?: string; companyId?: string }) =>
      inScope(app.platform.db.app, { rootId: root.id, ...scope }, (tx) =>
        tx.selectFrom('sale_day').select(['company_id', 'supplier_micros']).distinct().execute(),
      );
    expect(await seen({ agencyId: one.id })).toEqual([{ company_id: one.id, supplier_micros: 0n }]);
    expect(await seen({ agencyId: one.id, companyId: campaigns[0]!.owner.company_id })).toEqual([]);
    expect(new Set((await seen({})).map((row) => row.company_id))).toEqual(
      new Set([root.id, one.id, two.id]),
    );
  });
});
