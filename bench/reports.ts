import pg from 'pg';
import { systemClock } from '../server/platform/clock.ts';
import { inScope } from '../server/platform/db/scope.ts';
import type { MadeCampaign } from '../server/test/factories.ts';
import type { Result } from './import.ts';
import { median, openStage } from './stage.ts';

const AGENCIES = 10;
const CAMPAIGNS = 100;
const ROUNDS = 3;
const PRICE = 2_000_000n;
const COST = 1_000_000n;
const ZONE = 'America/Chicago';

/**
 * A report by month and by agency over 24 months, compared with the bare statement that adds up the same entries as the
 * superuser. Fails if they differ.
 */
export async function benchReports(options: { full?: boolean } = {}): Promise<Result[]> {
  const leads = options.full ? 10_000_000 : 500_000;
  const stage = await openStage();
  const client = new pg.Client({ connectionString: stage.adminUrl });
  await client.connect();
  try {
    const root = await stage.make.root({ host: 'bench.test' });
    const campaigns: MadeCampaign[] = [];
    for (let n = 0; n < AGENCIES; n++) {
      const own = await stage.make.client(await stage.make.agency(root));
      for (let i = 0; i < CAMPAIGNS / AGENCIES; i++)
        campaigns.push(await stage.make.campaign(own, { price: PRICE }));
    }
    await client.query('set session_replication_role = replica');
    await client.query(`set maintenance_work_mem = '1GB'`);
    // Indexes are created afterward, from their definitions.
    const { rows: indexes } = await client.query(`select indexname, indexdef from pg_indexes
      where tablename in ('transfer', 'entry') and indexdef not like 'CREATE UNIQUE%'`);
    for (const { indexname } of indexes) await client.query(`drop index ${indexname}`);
    const filling = performance.now();
    // The sides of each lead: what the client, the agency, and the root paid and got. Reports add up codes, not accounts.
    // Ids in the order of time, as the product makes them.
    await client.query(
      `create temp table made as
       select n, at, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid as id, c.*
       from (select n, now() - interval '2 years' + n * (interval '2 years' / $1::int) as at from generate_series(1, $1::int) n) t
       join unnest($2::uuid[], $3::uuid[], $4::uuid[]) with ordinality c (campaign_id, agency_id, company_id, nth)
         on c.nth = 1 + n % $5::int`,
      [
        leads,
        campaigns.map(({ id }) => id),
        campaigns.map(({ owner }) => owner.agency_id),
        campaigns.map(({ owner }) => owner.company_id),
        campaigns.length,
      ],
    );
    await client.query(
      `insert into transfer (id, root_id, agency_id, company_id, kind, reference_id, campaign_id, idempotency_key, created_at)
       select id, '${root.id}', agency_id, company_id, 'lead', id, campaign_id, 'lead:' || id, at from made order by n`,
    );
    await client.query(
      `insert into entry (transfer_id, line, root_id, agency_id, company_id, account_id, account_code, amount, created_at)
       select m.id, e.line, '${root.id}', e.agency, e.company, e.company, e.code, e.amount, m.at
       from made m, lateral (values (1, agency_id, company_id, 2, ${-PRICE}), (2, agency_id, agency_id, 13, ${PRICE}),
         (3, agency_id, agency_id, 11, ${-COST}), (4, null, '${root.id}'::uuid, 20, ${COST})) e (line, agency, company, code, amount)
       order by m.n, e.line`,
    );
    for (const { indexdef } of indexes) await client.query(indexdef);
    await client.query('drop table made');
    await client.query('vacuum analyze');
    console.log(`reports: ${leads} leads filled in ${((performance.now() - filling) / 1000).toFixed(0)} s`);
    const began = performance.now();
    await stage.features.ledger.sumSales(stage.platform.db.app, root.id, systemClock.now());
    console.log(
      `reports: ${leads} leads summed by day in ${((performance.now() - began) / 1000).toFixed(1)} s`,
    );
    await client.query('vacuum analyze');

    const [from, before] = [new Date(Date.now() - 731 * 86_400_000), new Date()];
    const results: Result[] = [];
    for (const by of ['month', 'agency'] as const) {
      const key =
        by === 'month' ? `to_char(t.created_at at time zone '${ZONE}', 'YYYY-MM')` : 'c.agency_id::text';
      const bare = () =>
        client.query(
          `select ${key} as key, count(distinct t.id)::text as leads,
             (-sum(e.amount) filter (where e.account_code in (10, 11)))::text as cost
           from transfer t join campaign c on c.id = t.campaign_id join entry e on e.transfer_id = t.id
           where t.root_id = $1 and t.kind in ('lead', 'lead_return', 'platform_fee', 'monthly_fee')
             and t.created_at >= $2 and t.created_at < $3 group by 1 order by 1`,
          [root.id, from, before],
        );
      const ours = () =>
        inScope(stage.platform.db.app, { rootId: root.id }, (tx) =>
          stage.features.ledger.salesBy(tx, { companyId: root.id, from, before, timeZone: ZONE, by }),
        );
      const times = { bare: [] as number[], ours: [] as number[] };
      for (let round = 0; round < ROUNDS; round++) {
        let start = performance.now();
        const { rows } = await bare();
        times.bare.push((performance.now() - start) / 1000);
        start = performance.now();
        const told = await ours();
        times.ours.push((performance.now() - start) / 1000);
        const same = told.map((row) => `${row.key} ${row.leads} ${row.cost}`).join('\n');
        if (same !== rows.map((row) => `${row.key} ${row.leads} ${row.cost}`).join('\n'))
          throw new Error(`The report by ${by} differs from the ledger`);
      }
      // Reports per minute: more is better.
      const [limit, mine] = [60 / median(times.bare), 60 / median(times.ours)];
      results.push({
        name: `report over 24 months of ${leads.toLocaleString('en-US')} leads by ${by}, per minute`,
        limit,
        ours: mine,
        ratio: mine / limit,
        target: 0.33,
      });
    }
    return results;
  } finally {
    await client.end();
    await stage.close();
  }
}
