import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Result } from './import.ts';
import { caller, scans } from './pages.ts';
import { median, openStage } from './stage.ts';

const PASSWORD = 'correct horse battery';
/** A page may take three times as long as the bare SQL. */
const TARGET = 1 / 3;
/**
 * How many times each side of a ratio is requested, alternating, or for how long if that is less (but at least three
 * times).
 */
const TIMES = 25;
const FOR_MS = 700;
const PER_PAGE = 100;
/** Leads of the one client; others have another tenth as many. */
const SIZE = { full: 5_000_000, short: 500_000 };
/**
 * Of every hundred leads of the client, how many each of its campaigns has; the last campaign is of a different
 * product.
 */
const SHARES = [40, 30, 19, 1, 10];
/** A search returns at most this many hits, the newest ones (server/features/campaigns/leads/store.ts). */
const MOST_HITS = 1000;

type Sort = 'created_at' | 'last_name' | 'email';
type Who = 'root' | 'agency' | 'client';
type Order = 'asc' | 'desc';

/** The parameters the list is requested with. */
interface Given {
  name: string;
  group: string;
  who?: Who;
  sort?: Sort;
  order?: Order;
  /** Which of the client's campaigns, from 0. */
  campaign?: number;
  module?: string;
  /** Days, both inclusive. */
  days?: [from: string, to: string];
  search?: string;
}
/** Position in the list: the first page, the middle one, the last. */
const PLACES = ['first', 'middle', 'last'] as const;

interface Stand {
  client: string;
  campaigns: string[];
}

/** Fills a client with leads directly in the database; a tenth as many belong to another client and another agency. */
export async function fillLeads(
  url: string,
  leads: number,
  campaigns: { id: string; root_id: string; agency_id: string; company_id: string; share: number }[],
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const run = (text: string, values?: unknown[]) => client.query(text, values);
  await run('set session_replication_role = replica');
  await run(`set maintenance_work_mem = '1GB'`);
  await run(
    `create temp table share (slot int primary key, id uuid, root_id uuid, agency_id uuid, company_id uuid)`,
  );
  let slot = 0;
  for (const { id, root_id, agency_id, company_id, share } of campaigns)
    for (let n = 0; n < share; n++)
      await run('insert into share values ($1, $2, $3, $4, $5)', [
        slot++,
        id,
        root_id,
        agency_id,
        company_id,
      ]);
  // Indexes are created afterward, from their definitions.
  const { rows: indexes } = await run(`select indexname, indexdef from pg_indexes
    where tablename in ('lead', 'lead_contact') and indexdef not like 'CREATE UNIQUE%'`);
  for (const { indexname } of indexes) await run(`drop index ${indexname}`);
  const id = `overlay(overlay(md5('lead' || n) placing '4' from 13) placing '8' from 17)::uuid`;
  const person = `overlay(overlay(md5('person' || n) placing '4' from 13) placing '8' from 17)::uuid`;
  await run(`create temp table made as
    select n, ${id} as id, ${person} as person_id, hashint4(n) & 2147483647 as h, s.id as campaign_id, s.root_id, s.agency_id, s.company_id,
      timestamptz '2025-01-01 12:00+00' + n * (interval '365 days' / ${leads * 1.1}) as at
    from generate_series(1, ${Math.round(leads * 1.1)}) n join share s on s.slot = (hashint4(n) & 2147483647) % ${slot}`);
  await run(`insert into lead (id, root_id, agency_id, company_id, campaign_id, person_id, match_kind, confidence, price_micros, cost_micros, created_at)
    select id, root_id, agency_id, company_id, campaign_id, person_id, 1, 98, 2000000, 1000000, at from made`);
  await run(`insert into lead_contact (lead_id, root_id, agency_id, company_id, campaign_id, created_at, first_name, last_name, email, phone,
      address, city, state, zip, company_name, page_url)
    select id, root_id, agency_id, company_id, campaign_id, at, first, last, lower(first || '.' || last) || n || '@mail.test',
      '+1202' || lpad((h / 7% 10000000)::text, 7, '0'), h % 900 || ' Main Street', city, state, lpad((h / 11% 90000 + 10000)::text, 5, '0'),
      case when n % 5 = 0 then last || ' and Sons' end, 'https://shop.test/item/' || h % 100
    from (select *, (array['Ada', 'Boris', 'Chloe', 'Diego', 'Emma', 'Farid', 'Grace', 'Hugo', 'Ines', 'Jonas', 'Karin', 'Liam', 'Maria', 'Nora',
        'Oscar', 'Paula', 'Quentin', 'Rosa', 'Simon', 'Tara'])[1 + h / 100% 20] as first,
      (array['Ander', 'Brook', 'Carl', 'Dal', 'East', 'Fitz', 'Gold', 'Hart', 'Iver', 'Jack', 'King', 'Lind', 'Mont', 'Nor', 'Oak', 'Pem', 'Ridge',
        'Stan', 'Thorn', 'West'])[1 + h / 2000% 20] || (array['son', 'field', 'ton', 'ley', 'wood', 'berg', 'mann', 'worth', 'by', 'ford'])[1 + h / 40000% 10]
        || (array['', 's', 'er', 'ing', 'well'])[1 + h / 400000% 5] as last,
      (array['Austin', 'Boston', 'Chicago', 'Dallas', 'El Paso', 'Fresno', 'Houston', 'Mesa'])[1 + h / 13% 8] as city,
      (array['TX', 'MA', 'IL', 'CA', 'AZ', 'NY', 'OH', 'WA'])[1 + h / 13% 8] as state from made) m`);
  // Triggers are off.
  await run(`insert into lead_change (lead_id, root_id, agency_id, company_id, campaign_id, changed_at)
    select id, root_id, agency_id, company_id, campaign_id, at from made`);
  await run(`insert into lead_data (lead_id, root_id, agency_id, company_id, campaign_id, fields, created_at)
    select id, root_id, agency_id, company_id, campaign_id, '{}', at from made where n % 10 = 0`);
  await run(`insert into campaign_conversion (campaign_id, person_id, root_id, agency_id, company_id, converted_at)
    select campaign_id, person_id, root_id, agency_id, company_id, at from made where n % 50 = 0`);
  for (const { indexdef } of indexes) await run(indexdef);
  await run('drop table made');
  await run('vacuum analyze');
  await client.end();
}

/** The call for a case at a page, the SQL for the same ids and rows, and the SQL for the same total. */
function asked(given: Given, stand: Stand, page: number) {
  const { who = 'client', sort = 'created_at', order = 'desc' } = given;
  const campaign = given.campaign === undefined ? undefined : stand.campaigns[given.campaign];
  const query = new URLSearchParams({ PerPage: String(PER_PAGE), Page: String(page), sortby: sort, order });
  if (who !== 'client' && !campaign) query.set('companyID', stand.client);
  const where = [`x.company_id = '${stand.client}'`];
  if (campaign) {
    query.set('leadspeekID', campaign);
    where[0] = `x.campaign_id = '${campaign}'`;
  }
  if (given.module) {
    query.set('moduleType', given.module);
    where.push(`x.campaign_id in (select id from campaign where module = '${given.module}')`);
  }
  if (given.days) {
    query.set('startDate', given.days[0]);
    query.set('endDate', given.days[1]);
    where.push(`x.created_at >= timestamp '${given.days[0]}' at time zone 'America/Chicago'`);
    where.push(
      `x.created_at < (timestamp '${given.days[1]}' + interval '1 day') at time zone 'America/Chicago'`,
    );
  }
  let [lead, contact] = [
    `select x.id, x.created_at from lead x where ${where.join(' and ')}`,
    `select x.lead_id as id, x.last_name, x.first_name, x.email, x.created_at from lead_contact x where ${where.join(' and ')}`,
  ];
  if (given.search) {
    query.set('searchQuery', given.search);
    contact += ` and x.search like '%${given.search.split(' ').join('%')}%' order by x.created_at desc limit ${MOST_HITS}`;
    lead = contact;
  }
  const from = sort === 'created_at' ? lead : contact;
  const columns = {
    created_at: ['created_at', 'id'],
    last_name: ['last_name', 'first_name', 'id'],
    email: ['email', 'id'],
  };
  const by = columns[sort].map((column) => `${column} ${order}`).join(', ');
  return {
    who,
    path: `leadspeek/report/lead?${query}`,
    rows: `select l.*, c.number, c.name, c.module, k.name as client_name, x.*, g.converted_at, w.id,
        (select min(d.state) from delivery d where d.lead_id = l.id) as delivery
      from (select id, row_number() over () as place from (select id from (${from}) f order by ${by}
        limit ${PER_PAGE} offset ${(page - 1) * PER_PAGE}) p) w
      join lead l on l.id = w.id join lead_contact x on x.lead_id = l.id join campaign c on c.id = l.campaign_id
      join company k on k.id = l.company_id
      left join campaign_conversion g on g.campaign_id = l.campaign_id and g.person_id = l.person_id
      order by w.place`,
    total: `select count(*) as total from (${lead}) f`,
  };
}

function cases(): Given[] {
  const sorts: Sort[] = ['created_at', 'last_name', 'email'];
  const orders: Order[] = ['desc', 'asc'];
  const [week, half]: [string, string][] = [
    ['2025-03-03', '2025-03-09'],
    ['2025-02-01', '2025-07-31'],
  ];
  const of = (group: string, given: Omit<Given, 'group'>): Given => ({ group, ...given });
  return [
    ...sorts.flatMap((sort) => orders.map((order) => of('sort', { name: 'all', sort, order }))),
    ...sorts.flatMap((sort) => [
      of('filter', { name: 'a large campaign', sort, campaign: 0 }),
      of('filter', { name: 'a small campaign', sort, campaign: 3 }),
      of('filter', { name: 'a week', sort, days: week }),
      of('filter', { name: 'half a year', sort, days: half }),
      of('filter', { name: 'a product', sort, module: 'enhance' }),
      of('filter', { name: 'a campaign and a week', sort, campaign: 1, days: week }),
    ]),
    of('search', { name: 'few', search: 'quentin thornfordwell dallas' }),
    of('search', { name: 'by email', search: 'ada.anderson' }),
    of('search', { name: 'very many', search: 'houston' }),
    of('search', { name: 'two letters', search: 'tx' }),
    of('search', { name: 'many, by name', search: 'maria', sort: 'last_name', order: 'asc' }),
    of('search', { name: 'many in a campaign', search: 'maria', campaign: 3 }),
    of('search', { name: 'many in an old week', search: 'maria', days: week }),
    of('search', { name: 'many of a product', search: 'maria', module: 'enhance', sort: 'email' }),
    ...(['agency', 'root'] as const).flatMap((who) => [
      ...sorts.map((sort) => of(`above`, { name: 'a client', who, sort })),
      of('above', { name: 'a campaign', who, campaign: 0 }),
      of('above', { name: 'a campaign', who, campaign: 0, sort: 'last_name' }),
      of('above', { name: 'a week', who, days: week }),
      of('above', { name: 'a week', who, days: week, sort: 'email' }),
      of('above', { name: 'a product', who, module: 'enhance' }),
      of('above', { name: 'search of a client', who, search: 'maria' }),
    ]),
  ];
}

/**
 * Requests pages of the lead list over HTTP where one client has 5 million leads (half a million without `full`), with
 * every sort and filter offered, each compared with the bare SQL that returns the same rows and total to the superuser,
 * alternating; medians. Fails when rows or a total differ, or when a large table was read from end to end.
 */
export async function benchLeads(options: { full?: boolean } = {}): Promise<Result[]> {
  const size = options.full ? SIZE.full : SIZE.short;
  const stage = await openStage();
  const client = new pg.Client({ connectionString: stage.adminUrl });
  try {
    const root = await stage.make.root({ host: 'localhost', isMaster: true });
    const agency = await stage.make.agency(root, { host: 'acme.localhost' });
    const elsewhere = await stage.make.agency(root, { host: 'bluepeak.localhost' });
    const whose = await stage.make.client(agency);
    const campaigns = [];
    for (const [n, share] of SHARES.entries()) {
      const given =
        n === SHARES.length - 1 ? { module: 'enhance' as const, search: { keywords: ['solar'] } } : {};
      const { id, owner } = await stage.make.campaign(whose, given);
      campaigns.push({ id, ...owner, share });
    }
    for (const parent of [agency, elsewhere]) {
      const { id, owner } = await stage.make.campaign(await stage.make.client(parent));
      campaigns.push({ id, ...owner, share: 5 });
    }
    const began = performance.now();
    await fillLeads(stage.adminUrl, size, campaigns);
    console.log(
      `leads: ${size} of one client filled in ${((performance.now() - began) / 1000).toFixed(0)} s`,
    );
    const people = { root, agency, client: whose };
    const hosts = { root: 'localhost', agency: 'acme.localhost', client: 'acme.localhost' };
    const { port } = await stage.start('app', { ROLES: 'web' });
    const call = caller(port);
    const ranks = ['root', 'agency', 'client'] as const;
    for (const who of ranks)
      await stage.make.user(people[who], {
        email: `${who}@people.test`,
        password: PASSWORD,
        profileDone: true,
      });
    const tokens: Record<string, string> = {};
    let signedInAt = Number.NEGATIVE_INFINITY;
    /** Signs all users in again before their tokens expire. */
    const signIn = async () => {
      if (performance.now() - signedInAt < 5 * 60_000) return;
      for (const who of ranks) {
        const body = { username: `${who}@people.test`, password: PASSWORD };
        tokens[who] = String((await call(hosts[who], 'POST', 'login', body)).access_token);
      }
      signedInAt = performance.now();
    };
    await client.connect();

    const stand = { client: whose.id, campaigns: campaigns.map(({ id }) => id) };
    const worst = new Map<string, Result>();
    const faults: string[] = [];
    for (const given of cases()) {
      await signIn();
      const calls: (() => Promise<unknown>)[] = [];
      let pages = 1;
      for (const place of PLACES) {
        const page = place === 'first' ? 1 : place === 'middle' ? Math.ceil(pages / 2) : pages;
        if ((place === 'middle' && pages < 3) || (place === 'last' && pages < 2)) continue;
        if (place === 'middle' && given.group === 'above') continue;
        const { who, path, rows, total } = asked(given, stand, page);
        const name = `${given.group}, ${who}, ${given.name}, ${given.sort ?? 'created_at'} ${given.order ?? 'desc'}, ${place} page`;
        const ours = () => call(hosts[who], 'GET', path, undefined, tokens[who]);
        const bare = async () => ({
          rows: (await client.query(rows)).rows.map((row) => row.id as string),
          total: Number((await client.query(total)).rows[0].total),
        });
        const [found, meant] = [await ours(), await bare()];
        const ids = (found.data as { id: string }[]).map((row) => row.id);
        if (found.total !== meant.total)
          faults.push(`${name}: ${found.total} leads in all, the bare SQL has ${meant.total}`);
        if (ids.join() !== meant.rows.join()) faults.push(`${name}: other rows than the bare SQL's`);
        if (ids.length === 0) faults.push(`${name}: nothing was found`);
        pages = Math.ceil(meant.total / PER_PAGE);
        const took = { ours: [] as number[], bare: [] as number[] };
        const until = performance.now() + FOR_MS;
        for (let time = 0; time < TIMES && (time < 3 || performance.now() < until); time++) {
          for (const side of ['bare', 'ours'] as const) {
            const start = performance.now();
            await (side === 'ours' ? ours : bare)();
            took[side].push(performance.now() - start);
          }
        }
        const [limit, mine] = [1000 / median(took.bare), 1000 / median(took.ours)];
        console.log(
          `leads: ${name}: ${median(took.ours).toFixed(1)} ms, bare SQL ${median(took.bare).toFixed(1)} ms, ${(limit / mine).toFixed(2)} times as long`,
        );
        const ratio = mine / limit;
        if (ratio < (worst.get(given.group)?.ratio ?? Number.POSITIVE_INFINITY))
          worst.set(given.group, {
            name: `pages per second of leads (${name})`,
            limit,
            ours: mine,
            ratio,
            target: TARGET,
          });
        calls.push(ours);
      }
      // Run separately, so that what the bare SQL read is not counted; our connection reports its counts with the next
      // call, a second after its last report.
      await client.query('select pg_stat_force_next_flush()');
      await sleep(1100);
      await calls[0]!();
      const before = await scans(client);
      for (const again of calls) await again();
      await sleep(1100);
      await calls[0]!();
      const scanned = [...(await scans(client))].filter(([table, count]) => count > (before.get(table) ?? 0));
      if (scanned.length > 0)
        faults.push(
          `${given.group}, ${given.who ?? 'client'}, ${given.name}, ${given.sort ?? 'created_at'}: read from end to end: ${scanned.map(([table]) => table).join(', ')}`,
        );
    }
    if (faults.length > 0) throw new Error(`leads:\n${faults.join('\n')}`);
    return [...worst.values()];
  } finally {
    await client.end();
    await stage.close();
  }
}
