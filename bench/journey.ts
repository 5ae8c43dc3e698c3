import pg from 'pg';
import type { Result } from './import.ts';
import { caller } from './pages.ts';
import { median, openStage } from './stage.ts';

const PASSWORD = 'correct horse battery';
/** Answers of the pixels of all campaigns, over this many days. */
const SIZE = { full: 50_000_000, short: 2_000_000 };
const DAYS = 60;
const CAMPAIGNS = 50;
/** Visits of the lead's person, in so many browsers, and those in the same browsers before they were recognized. */
const VISITS = 1_000;
const BROWSERS = 10;
const BEFORE = 200;
const PER_PAGE = 25;
const TIMES = 31;
const PERSON = '00000000-0000-4000-8000-000000000001';
const LEAD = '00000000-0000-4000-8000-000000000002';

/** Fills the visit log; the visits of the lead's person lie everywhere between those of others. */
async function fill(client: pg.Client, size: number, campaigns: string[]): Promise<void> {
  const run = (text: string, values?: unknown[]) => client.query(text, values);
  await run('set session_replication_role = replica');
  await run(`set synchronous_commit = off`);
  await run(`set maintenance_work_mem = '1GB'`);
  await run(
    `call ensure_visit_partitions((now() at time zone 'UTC')::date - ${DAYS}, (now() at time zone 'UTC')::date)`,
  );
  const { rows: indexes } = await run(`select indexname, indexdef from pg_indexes
    where tablename = 'visit' and indexdef not like 'CREATE UNIQUE%'`);
  for (const { indexname } of indexes) await run(`drop index ${indexname}`);
  const every = Math.floor(size / (VISITS + BEFORE));
  // Each fifth visitor is known to the graph; the lead's person is where n is a multiple of `every`.
  await run(
    `insert into visit (day, event_id, root_id, agency_id, company_id, campaign_id, received_at, visitor_id, url, title, referrer, event,
        person_id, resolved_at, outcome)
     select (at at time zone 'UTC')::date,
       (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid,
       c.root_id, c.agency_id, c.company_id, c.id, at,
       case when is_own then ('00000000-0000-4000-8000-0000000001' || lpad((n / ${every} % ${BROWSERS})::text, 2, '0'))::uuid
            else ('00000000-0000-4000-9000-' || lpad(to_hex(visitor), 12, '0'))::uuid end,
       'https://shop.example.com/item/' || n % 500 || case when n % 9 = 0 then '?utm_source=news&utm_campaign=spring' else '' end,
       'Item ' || n % 500 || ' - Outdoor Shop Example', case when n % 9 = 0 then 'https://www.google.com/' end, 'view',
       case when is_own then case when n > ${every}::bigint * ${BEFORE} then '${PERSON}'::uuid end
            when visitor % 5 = 0 then ('00000000-0000-4000-a000-' || lpad(to_hex(visitor), 12, '0'))::uuid end,
       at, 'duplicate'
     from (select n, n % ${every} = 0 as is_own, abs(hashint8(n)::bigint) % ${Math.round(size / 10)} as visitor,
             now() - interval '${DAYS} days' + n * (interval '${DAYS} days' / ${size + 1}::float8) as at
           from generate_series(1::bigint, ${size}::bigint) n
           where n % ${every} <> 0 or n <= ${every}::bigint * ${VISITS + BEFORE}) v
     join campaign c on c.id = ($1::uuid[])[case when is_own then 1 else 1 + visitor % ${CAMPAIGNS} end]`,
    [campaigns],
  );
  for (const { indexdef } of indexes) await run(indexdef.replace(' ON ONLY ', ' ON '));
  await run(
    `insert into lead (id, root_id, agency_id, company_id, campaign_id, person_id, match_kind, confidence, price_micros, cost_micros, created_at)
     select '${LEAD}', root_id, agency_id, company_id, id, '${PERSON}', 1, 98, 2000000, 1000000, now() - interval '40 days'
     from campaign where id = $1`,
    [campaigns[0]],
  );
  // Triggers are off.
  await run(
    `insert into lead_change (lead_id, root_id, agency_id, company_id, campaign_id, changed_at)
     select id, root_id, agency_id, company_id, campaign_id, created_at from lead`,
  );
  await run(`insert into lead_contact (lead_id, root_id, agency_id, company_id, campaign_id, created_at, email)
    select id, root_id, agency_id, company_id, campaign_id, created_at, 'ada@people.example' from lead`);
  await run('analyze visit');
  await run('analyze lead');
  await run('checkpoint');
}

/** The same steps and their number, as the superuser: visits of the person, those before in the same browsers, and the lead. */
const bareSql = (campaign: string, offset: number) => `
  with own as (
    select event_id, received_at, url, title, referrer, visitor_id from visit where campaign_id = '${campaign}' and person_id = '${PERSON}'),
  steps as (
    select * from own
    union all
    select v.event_id, v.received_at, v.url, v.title, v.referrer, v.visitor_id from visit v
    where v.visitor_id in (select visitor_id from own) and v.event = 'view' and v.person_id is null and v.campaign_id = '${campaign}'
    union all
    select id, created_at, null, null, null, null from lead where id = '${LEAD}'
    union all
    select d.id, d.created_at, null, null, null, null from delivery d where d.lead_id = '${LEAD}')
  select event_id, count(*) over ()::int as total from steps order by received_at desc limit ${PER_PAGE} offset ${offset}`;

/**
 * Requests pages of the journey of a lead whose person made 1,000 visits, over HTTP as its client, where 50 million
 * visits are kept (2 million without `full`), each compared with the bare SQL that returns the same steps and their
 * number to the superuser, alternating; medians. Fails when the steps differ.
 */
export async function benchJourney(options: { full?: boolean } = {}): Promise<Result[]> {
  const size = options.full ? SIZE.full : SIZE.short;
  const stage = await openStage();
  const client = new pg.Client({ connectionString: stage.adminUrl });
  try {
    const { make } = stage;
    const root = await make.root({ host: 'localhost', isMaster: true });
    const agency = await make.agency(root, { host: 'acme.localhost' });
    const whose = await make.client(agency);
    const campaigns: string[] = [];
    for (let n = 0; n < CAMPAIGNS; n++)
      campaigns.push((await make.campaign(n === 0 ? whose : await make.client(agency))).id);
    await client.connect();
    const began = performance.now();
    await fill(client, size, campaigns);
    const { rows: held } = await client.query(
      `select count(*)::int as partitions, pg_size_pretty(sum(pg_total_relation_size(inhrelid))) as size
       from pg_inherits where inhparent = 'visit'::regclass`,
    );
    console.log(
      `journey: ${size} visits (${held[0].size} in ${held[0].partitions} partitions) filled in ${((performance.now() - began) / 1000).toFixed(0)} s`,
    );
    const { port } = await stage.start('app', { ROLES: 'web' });
    const call = caller(port);
    await make.user(whose, { email: 'client@people.test', password: PASSWORD, profileDone: true });
    const signedIn = await call('acme.localhost', 'POST', 'login', {
      username: 'client@people.test',
      password: PASSWORD,
    });
    const token = String(signedIn.access_token);
    const pages = Math.ceil((VISITS + BEFORE + 1) / PER_PAGE);
    const results: Result[] = [];
    for (const [name, page] of [
      ['first', 1],
      ['last', pages],
    ] as const) {
      const ours = async () => {
        const { data, total } = await call(
          'acme.localhost',
          'GET',
          `leadspeek/report/lead/${LEAD}/journey?Page=${page}&PerPage=${PER_PAGE}`,
          undefined,
          token,
        );
        return { ids: (data as { id: string }[]).map(({ id }) => id), total };
      };
      const text = bareSql(campaigns[0]!, (page - 1) * PER_PAGE);
      const bare = async () => {
        const { rows } = await client.query(text);
        return { ids: rows.map((row) => row.event_id as string), total: rows[0]?.total as number };
      };
      const [found, meant] = [await ours(), await bare()];
      if (found.total !== VISITS + BEFORE + 1 || found.total !== meant.total)
        throw new Error(`journey: ${found.total} steps, the bare SQL has ${meant.total}`);
      if (found.ids.join() !== meant.ids.join()) throw new Error('journey: other steps than the bare SQL’s');
      const took = { ours: [] as number[], bare: [] as number[] };
      for (let time = 0; time < TIMES; time++)
        for (const side of ['bare', 'ours'] as const) {
          const start = performance.now();
          await (side === 'ours' ? ours : bare)();
          took[side].push(performance.now() - start);
        }
      console.log(
        `journey: ${name} page: ${median(took.ours).toFixed(1)} ms, bare SQL ${median(took.bare).toFixed(1)} ms`,
      );
      const [limit, mine] = [1000 / median(took.bare), 1000 / median(took.ours)];
      results.push({
        name: `journeys per second (${name} page)`,
        limit,
        ours: mine,
        ratio: mine / limit,
        target: 1 / 3,
      });
    }
    return results;
  } finally {
    await client.end();
    await stage.close();
  }
}
