import { hash } from 'node:crypto';
import pg from 'pg';

/** How much data a benchmark platform has; `people` includes the owners. */
export interface Size {
  agencies: number;
  clients: number;
  people: number;
  leads: number;
}
export const FULL: Size = { agencies: 10_000, clients: 200_000, people: 1_000_000, leads: 1_000_000 };
export const TENTH: Size = { agencies: 1000, clients: 20_000, people: 100_000, leads: 100_000 };

/**
 * One client in ten belongs to the first agency, so that one agency has very many; the rest are spread over the others.
 */
const OF_FIRST = 10;
/** Every nth agency is billed directly, has a failed payment, or has the developer mode. */
const MANUAL = 20;
const FAILED = 50;
const API = 25;

/** Words that names are made of, so that a search finds some of them and not all. */
const WORDS = `array['Acorn', 'Birch', 'Cedar', 'Dover', 'Ember', 'Falcon', 'Garnet', 'Harbor', 'Indigo', 'Juniper',
  'Kestrel', 'Larkspur', 'Meadow', 'Northgate', 'Orchard', 'Prairie', 'Quarry', 'Ridge', 'Sterling', 'Timber', 'Upland', 'Valley',
  'Willow', 'Yarrow', 'Zephyr']`;
const TRADES = `array['Roofing', 'Dental', 'Marketing', 'Plumbing', 'Realty', 'Insurance', 'Legal', 'Motors', 'Solar', 'Fitness', 'Media']`;
/** The id for a number: the same in every statement, distributed like random ids. */
const id = (kind: string, n: string): string => `pg_temp.made('${kind}' || ${n})`;
const pick = (words: string, n: string): string =>
  `(${words})[1 + abs(hashint4(${n}) % cardinality(${words}))]`;

/**
 * Fills a root with agencies, clients, people, campaigns, balances, invoices and leads directly in the database, which
 * is much faster. The data is what the features would have written, except for ledger entries, which no list reads.
 * @param url of a superuser: triggers and foreign keys are disabled meanwhile
 */
export async function fillCompanies(url: string, rootId: string, size: Size): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const run = (text: string) => client.query(text);
  await run('set session_replication_role = replica');
  await run(`set work_mem = '256MB'`);
  await run(`create function pg_temp.made(name text) returns uuid language sql immutable
    as $$ select overlay(overlay(md5(name) placing '4' from 13) placing '8' from 17)::uuid $$`);
  const own = Math.floor(size.clients / OF_FIRST);
  const agencyOf = (n: string) =>
    id('agency', `(case when ${n} <= ${own} then 1 else 1 + ${n} / 7 % ${size.agencies} end)`);
  const since = (n: string) => `now() - interval '700 days' + ${n} * interval '1 minute'`;

  await run(`insert into company (id, root_id, agency_id, parent_id, kind, name, created_at, owner_id, owner_name, owner_email)
    select ${id('agency', 'n')}, '${rootId}', ${id('agency', 'n')}, '${rootId}', 'agency',
      ${pick(WORDS, 'n')} || ' ' || ${pick(TRADES, 'n * 7')} || ' ' || n, ${since('n')},
      ${id('agency owner', 'n')}, ${pick(WORDS, 'n * 3')} || ' Owner ' || n, 'owner' || n || '@agency.test'
    from generate_series(1, ${size.agencies}) n`);
  await run(`insert into company (id, root_id, agency_id, parent_id, kind, name, created_at, owner_id, owner_name, owner_email)
    select ${id('client', 'n')}, '${rootId}', ${agencyOf('n')}, ${agencyOf('n')}, 'client',
      ${pick(WORDS, 'n * 11')} || ' ' || ${pick(TRADES, 'n * 13')} || ' ' || n, ${since('n')},
      ${id('client owner', 'n')}, ${pick(WORDS, 'n * 17')} || ' Owner ' || n, 'owner' || n || '@client.test'
    from generate_series(1, ${size.clients}) n`);
  const account = `insert into user_account (id, root_id, agency_id, company_id, role, email, name, created_at, phone, phone_country, phone_calling)`;
  await run(`${account} select owner_id, root_id, agency_id, id, 'owner', owner_email, owner_name, created_at, '2025550123', 'US', '+1'
    from company where kind <> 'root' and root_id = '${rootId}'`);
  // Administrators: a thousand for the root itself, the rest alternating between agencies and clients.
  const more = size.people - size.agencies - size.clients;
  const staff = (n: string, column: string) =>
    `case when ${n} <= 1000 then ${column === 'agency_id' ? 'null' : `'${rootId}'::uuid`}
      when ${n}% 4 = 0 then ${id('agency', `(1 + ${n} % ${size.agencies})`)}
      else ${column === 'agency_id' ? agencyOf(`(1 + ${n} % ${size.clients})`) : id('client', `(1 + ${n} % ${size.clients})`)} end`;
  await run(`${account} select ${id('person', 'n')}, '${rootId}', ${staff('n', 'agency_id')}, ${staff('n', 'company_id')}, 'administrator',
      'person' || n || '@people.test', ${pick(WORDS, 'n * 5')} || ' Person ' || n, ${since('n')}, '2025550123', 'US', '+1'
    from generate_series(1, ${more}) n`);

  await run(`insert into domain (host, root_id, agency_id, company_id, is_primary, verified_at, created_at, kind)
    select 'agency' || n || '.localhost', '${rootId}', ${id('agency', 'n')}, ${id('agency', 'n')}, true, now(), now(), 'subdomain'
    from generate_series(1, ${size.agencies}) n`);
  await run(`insert into company_billing (company_id, root_id, agency_id, manual_bill, payment_status, access_module, api_mode, updated_at)
    select ${id('agency', 'n')}, '${rootId}', ${id('agency', 'n')}, n % ${MANUAL} = 0,
      case when n % ${FAILED} = 0 then 'failed' else '' end, case when n % ${FAILED} = 0 then 'paymentfailed' else '' end,
      n % ${API} = 0, now()
    from generate_series(1, ${size.agencies}) n`);
  await run(`insert into payment_card (id, root_id, agency_id, company_id, provider, brand, last4, exp_month, exp_year, created_at)
    select ${id('card', 'c.id')}, c.root_id, c.agency_id, c.id, 'sandbox', 'visa', '4242', 12, 2040, now()
    from company c where c.root_id = '${rootId}' and c.kind <> 'root' and c.name not like '%3'`);
  await run(`insert into sales_assignment (company_id, role, root_id, agency_id, user_id, assigned_at)
    select ${id('agency', 'n')}, 'representative', '${rootId}', ${id('agency', 'n')}, ${id('person', '(1 + n % 50)')}, now()
    from generate_series(1, ${size.agencies}) n`);
  await run(`update user_account set role = 'sales' where id in (select user_id from sales_assignment)`);

  // A campaign for one client in ten, each with a prepaid balance; a wallet for each agency.
  await run(`insert into campaign (id, root_id, agency_id, company_id, module, name, state, site_key, site_url, created_at, updated_at)
    select ${id('campaign', 'n')}, '${rootId}', c.agency_id, c.id, 'local', ${pick(WORDS, 'n * 19')} || ' visitors ' || n,
      case when n % 50 = 0 then 'paused' else 'active' end, 'bench' || n, 'https://site' || n || '.test', c.created_at, now()
    from generate_series(10, ${size.clients}, 10) n join company c on c.id = ${id('client', 'n')}`);
  await run(`insert into account (id, root_id, agency_id, company_id, campaign_id, kind, created_at)
    select ${id('prepaid', 'g.id')}, g.root_id, g.agency_id, g.company_id, g.id, 'client_prepaid', now() from campaign g where g.root_id = '${rootId}'
    union all
    select ${id('wallet', 'c.id')}, c.root_id, c.agency_id, c.id, null, 'agency_wallet', now() from company c
    where c.root_id = '${rootId}' and c.kind = 'agency'`);
  await run(`insert into account_balance (account_id, root_id, agency_id, company_id, balance)
    select a.id, a.root_id, a.agency_id, a.company_id, abs(hashtext(a.id::text) % 5000) * 1000000::bigint from account a where a.root_id = '${rootId}'`);
  await run(`insert into invoice (id, root_id, agency_id, company_id, issuer_id, side, kind, period_key, number, seq, subtotal_micros,
      total_micros, issuer, payer, transfer_id, finalised_at, due_at, status, paid_micros, attempts, first_failed_at)
    select ${id('invoice', `n || ' ' || m`)}, '${rootId}', ${id('agency', 'n')}, ${id('agency', 'n')}, '${rootId}', 'wholesale', 'period',
      'bench ' || m, 'B-' || n || '-' || m, n * 10 + m, 90000000, 90000000, '{}', '{}', ${id('collected', `n || ' ' || m`)},
      now() - m * interval '30 days', now() - m * interval '30 days',
      case when m = 1 and n % ${FAILED} = 0 then 'open' else 'paid' end, case when m = 1 and n % ${FAILED} = 0 then 0 else 90000000 end, 1,
      case when m = 1 and n % ${FAILED} = 0 then now() - interval '9 days' end
    from generate_series(1, ${size.agencies}) n, generate_series(1, 5) m`);
  await run(`insert into lead (id, root_id, agency_id, company_id, campaign_id, match_kind, confidence, price_micros, cost_micros, created_at)
    select ${id('lead', 'n')}, g.root_id, g.agency_id, g.company_id, g.id, 1, 98, 2000000, 1000000,
      now() - interval '1 year' + n * (interval '1 year' / ${size.leads})
    from generate_series(1, ${size.leads}) n
    join campaign g on g.id = ${id('campaign', `(10 * (1 + abs(hashint4(n) % ${Math.floor(size.clients / 10)})))`)}`);
  await run('vacuum analyze');
  await client.end();
}

/** The id of the nth agency of a platform filled by `fillCompanies`; the first agency has a tenth of all clients. */
export function agencyId(n: number): string {
  const hex = hash('md5', `agency${n}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
