import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { agencyId, FULL, fillCompanies, TENTH } from './companies-data.ts';
import { benchCompaniesPage } from './companies-page.ts';
import type { Result } from './import.ts';
import { caller, scans } from './pages.ts';
import { median, openStage } from './stage.ts';

const PASSWORD = 'correct horse battery';
/** How many times each side of a ratio is requested, alternating. */
const TIMES = 25;
/** A page may take three times as long as the bare SQL. */
const TARGET = 1 / 3;

/** A list as it is requested, and the SQL that returns the same rows and total for a user who may see everything. */
interface Case {
  group: string;
  name: string;
  who: 'root' | 'agency';
  path: string;
  bare: [text: string, values: unknown[]][];
}

/** What a row of the agency or client list shows, for the companies on a page, in page order. */
const rowsOf = (ids: string, order: string): string => `
  select c.id, c.root_id, c.parent_id, c.kind, c.name, c.created_at, c.version, c.external_id, c.owner_id, c.owner_name, c.owner_email,
    u.phonenum, u.phone_country, u.phone_calling, u.profile_done, s.modules, s.terms, a.status,
    b.package_id, b.manual_bill, b.payment_status, b.campaigns_closed, b.api_mode, b.white_labelling, b.onboarding_charged,
    (select d.host from domain d where d.company_id = c.id and d.kind = 'subdomain' limit 1) as subdomain,
    coalesce((select d.host from domain d where d.company_id = c.id and d.kind = 'custom' limit 1),
      (select m.host from domain_claim m where m.company_id = c.id order by m.created_at desc limit 1)) as domain,
    (select p.id from payment_card p where p.company_id = c.id and p.removed_at is null) as card,
    exists (select from agreement_acceptance g where g.company_id = c.id and g.document_type = 'developer') as agreed,
    (select o.plan_id from minspend_choice o where o.company_id = c.id order by o.valid_from desc, o.serial desc limit 1) as plan,
    (select json_object_agg(l.module, l.slug) from module_label l where l.company_id = c.id) as slugs,
    (select json_agg(json_build_array(r.role, w.id, w.name)) from sales_assignment r join user_account w on w.id = r.user_id
     where r.company_id = c.id) as sales,
    (select count(*) from company k where k.parent_id = c.id and k.removed_at is null) as clients,
    (select count(*) from campaign g where g.agency_id = c.agency_id and (c.kind = 'agency' or g.company_id = c.id)
      and g.state = 'active') as campaigns,
    case c.kind when 'agency' then (select l.created_at from lead l where l.agency_id = c.id order by l.created_at desc limit 1)
      else (select l.created_at from lead l where l.company_id = c.id order by l.created_at desc limit 1) end as last_lead,
    (select sum(x.balance) from account v join account_balance x on x.account_id = v.id where v.company_id = c.id) as balance,
    (select min(i.first_failed_at) from invoice i where i.company_id = c.id and i.status = 'open') as failing,
    (select min(f.updated_at) from prepaid_auto f where f.company_id = c.id and f.is_failing) as renewal,
    (select t.state from wallet_setting t where t.company_id = c.id and t.declines > 0) as topup
  from (${ids}) wanted
  join company c on c.id = wanted.id
  left join user_account u on u.id = c.owner_id
  left join company_billing b on b.company_id = c.id
  left join company_products s on s.company_id = c.id
  left join connected_account a on a.company_id = c.id
  order by ${order}`;

/** The agency or client list below a company. */
function list(
  group: string,
  who: Case['who'],
  rootId: string,
  parent: string,
  given: {
    name: string;
    sort?: string;
    search?: string;
    more?: string;
    page?: number;
    where?: string;
    tree?: boolean;
  },
): Case {
  const { sort, search, page = 1 } = given;
  const column = { company_name: 'lower(c.name)', full_name: 'lower(c.owner_name)', email: 'c.owner_email' }[
    sort ?? ''
  ];
  const order = column ? `${column}, c.id` : 'c.created_at desc, c.id desc';
  const where = `c.parent_id = $1 and c.removed_at is null${search ? ' and c.search like $2' : ''}${given.where ? ` and ${given.where}` : ''}`;
  const values = [parent, ...(search ? [`%${search}%`] : [])];
  const type = parent === rootId ? 'userdownline' : 'client';
  const query = `PerPage=10&Page=${page}${given.more ?? ''}${given.tree ? '&inAgencyList=T' : ''}`;
  return {
    group,
    name: given.name,
    who,
    path: `configuration/user/${parent}/all/${rootId}/${type}/all/${sort ?? 'all'}/${sort ? 'asc' : 'all'}/${encodeURIComponent(search ?? 'all')}?${query}`,
    bare: [
      [
        rowsOf(
          `select c.id from company c where ${where} order by ${order} limit 10 offset ${(page - 1) * 10}`,
          order,
        ),
        values,
      ],
      [`select count(*) as total from company c where ${where}`, values],
    ],
  };
}

/** The administrators of a root. */
function staff(rootId: string, name: string, search?: string): Case {
  const from = `from user_account u left join role r on r.id = u.role_id left join user_factor f on f.user_id = u.id
    where u.company_id = $1 and u.role in ('owner', 'administrator') and u.disabled_at is null
    ${search ? `and (lower(u.name) like $2 or u.email like $2 or lower(coalesce(r.name, '')) like $2)` : ''}`;
  const values = [rootId, ...(search ? [`%${search}%`] : [])];
  return {
    group: 'staff list',
    name,
    who: 'root',
    path: `configuration/user/${rootId}/all/${rootId}/administrator/all/full_name/asc/${encodeURIComponent(search ?? 'all')}?PerPage=10`,
    bare: [
      [
        `select u.*, r.name as role_name, f.kind, rights_of(u.id),
          (select max(p.expires_at) from password_reset p where p.user_id = u.id and p.used_at is null)
        ${from} order by lower(u.name), u.id limit 10`,
        values,
      ],
      [`select count(*) as total ${from}`, values],
    ],
  };
}

/** The palette's search over everything. */
function palette(name: string, q: string): Case {
  const start = `${q}%`;
  const patterns = q.length < 3 ? [start, `% ${start}`] : [`%${start}`, `%${start}`];
  return {
    group: 'palette search',
    name,
    who: 'root',
    path: `general/search?q=${encodeURIComponent(q)}`,
    bare: [
      [
        `select f.id, f.kind, f.name, f.owner_name, a.name as agency_name from (
           select c.*, row_number() over (partition by c.kind order by lower(c.name) like $3 desc, lower(c.name), c.id) as place
           from company c where c.kind <> 'root' and c.removed_at is null and (c.search like $1 or c.search like $2)) f
         left join company a on a.id = f.agency_id and f.kind = 'client' where f.place <= 21`,
        [...patterns, start],
      ],
      [
        `select g.id, g.name, g.number, g.module, g.state, k.name as company_name, a.name as agency_name
         from campaign g join company k on k.id = g.company_id join company a on a.id = g.agency_id
         where g.state <> 'removed' and (lower(g.name) like $1 or lower(g.name) like $2)
         order by g.state = 'archived', lower(g.name) like $3 desc, lower(g.name), g.id limit 21`,
        [...patterns, start],
      ],
    ],
  };
}

function cases(rootId: string): Case[] {
  const [many, few] = [agencyId(1), agencyId(2)];
  const agencies = 'agency list';
  const billed = (what: string) =>
    `exists (select from company_billing b where b.company_id = c.id and ${what})`;
  const ofRoot = (given: Parameters<typeof list>[4]) => list(agencies, 'root', rootId, rootId, given);
  const below = (parent: string, given: Parameters<typeof list>[4]) =>
    list('clients of an agency', 'root', rootId, parent, { ...given, tree: true });
  const own = (given: Parameters<typeof list>[4]) => list('client list', 'agency', rootId, many, given);
  return [
    ofRoot({ name: 'newest first' }),
    ofRoot({ name: 'by name', sort: 'company_name' }),
    ofRoot({ name: 'by email, page 90', sort: 'email', page: 90 }),
    ofRoot({ name: 'search of few, by name', sort: 'company_name', search: 'acorn roof' }),
    ofRoot({ name: 'search of two letters', search: 'ro' }),
    ofRoot({ name: 'search of many, by owner', sort: 'full_name', search: 'acorn' }),
    ofRoot({
      name: 'direct payment',
      sort: 'company_name',
      more: '&Filters=direct_payment',
      where: billed('b.manual_bill'),
    }),
    ofRoot({
      name: 'failed payment and search',
      sort: 'company_name',
      search: 'ing',
      more: '&Filters=payment_failed',
      where: billed(`b.payment_status = 'failed'`),
    }),
    ofRoot({
      name: 'a card on file',
      sort: 'company_name',
      more: '&CardStatus=active',
      where: `exists (select from payment_card p where p.company_id = c.id and p.removed_at is null)
        and not ${billed(`b.payment_status = 'failed'`)}`,
    }),
    ofRoot({
      name: 'active campaigns',
      sort: 'company_name',
      more: '&CampaignStatus=active',
      where: `exists (select from campaign g where g.agency_id = c.id and g.state = 'active')`,
    }),
    below(few, { name: 'of few' }),
    below(many, { name: 'of very many' }),
    below(many, { name: 'of very many, search by name', sort: 'company_name', search: 'acorn roof' }),
    own({ name: 'newest first' }),
    own({ name: 'by name, page 90', sort: 'company_name', page: 90 }),
    own({ name: 'search by email', sort: 'email', search: 'acorn roof' }),
    staff(rootId, 'by name'),
    staff(rootId, 'search', 'acorn'),
    palette('a name of few', 'acorn roofing 12'),
    palette('a name of many', 'acorn'),
    palette('two letters', 'ac'),
  ];
}

/**
 * Requests pages of the lists over HTTP on a platform of 10,000 agencies, 200,000 clients and 1,000,000 people (a tenth
 * of that without `full`), each compared with the bare SQL that returns the same rows and total to the superuser,
 * alternating; medians. Fails when a total differs or when a large table was read from end to end.
 */
export async function benchCompanies(options: { full?: boolean } = {}): Promise<Result[]> {
  const size = options.full ? FULL : TENTH;
  const stage = await openStage();
  const client = new pg.Client({ connectionString: stage.adminUrl });
  try {
    const root = await stage.make.root({ host: 'localhost', isMaster: true });
    const began = performance.now();
    await fillCompanies(stage.adminUrl, root.id, size);
    console.log(
      `companies: ${size.agencies} agencies, ${size.clients} clients, ${size.people} people filled in ${((performance.now() - began) / 1000).toFixed(0)} s`,
    );
    await stage.make.user(root, {
      email: 'root@people.test',
      password: PASSWORD,
      profileDone: true,
    });
    const first = { id: agencyId(1), root_id: root.id, agency_id: agencyId(1) };
    await stage.make.user(first, { email: 'agency@people.test', password: PASSWORD });
    await client.connect();
    const { port } = await stage.start('app', { ROLES: 'web' });
    const call = caller(port);
    const hosts = { root: 'localhost', agency: 'agency1.localhost' };
    const tokens: Record<string, string> = {};
    for (const who of ['root', 'agency'] as const) {
      const body = { username: `${who}@people.test`, password: PASSWORD };
      tokens[who] = String((await call(hosts[who], 'POST', 'login', body)).access_token);
    }

    const worst = new Map<string, Result>();
    for (const one of cases(root.id)) {
      const ours = () => call(hosts[one.who], 'GET', one.path, undefined, tokens[one.who]);
      const bare = async () => {
        let last: pg.QueryResult | undefined;
        for (const [text, values] of one.bare) last = await client.query(text, values);
        return last!.rows[0];
      };
      const [found, meant] = [await ours(), await bare()];
      if (found.total !== undefined && Number(meant.total) !== found.total)
        throw new Error(
          `${one.group}, ${one.name}: ${found.total} rows in all, the bare SQL has ${meant.total}`,
        );
      if ((found.data as unknown[]).length === 0)
        throw new Error(`${one.group}, ${one.name}: nothing was found`);
      const before = await scans(client);
      const took = { ours: [] as number[], bare: [] as number[] };
      for (let time = 0; time < TIMES; time++) {
        for (const side of ['bare', 'ours'] as const) {
          const start = performance.now();
          await (side === 'ours' ? ours : bare)();
          took[side].push(performance.now() - start);
        }
      }
      // A connection reports its counts with the first transaction that ends at least a second after its last report.
      await sleep(1100);
      for (let time = 0; time < 3; time++) await ours();
      const scanned = [...(await scans(client))].filter(([table, count]) => count > (before.get(table) ?? 0));
      if (scanned.length > 0)
        throw new Error(
          `${one.group}, ${one.name}: read from end to end: ${scanned.map(([table]) => table).join(', ')}`,
        );
      const [limit, mine] = [1000 / median(took.bare), 1000 / median(took.ours)];
      console.log(
        `companies: ${one.group}, ${one.name}: ${median(took.ours).toFixed(1)} ms, bare SQL ${median(took.bare).toFixed(1)} ms, ${(limit / mine).toFixed(2)} times as long`,
      );
      const ratio = mine / limit;
      if (ratio < (worst.get(one.group)?.ratio ?? Number.POSITIVE_INFINITY))
        worst.set(one.group, {
          name: `pages per second of the ${one.group} (${one.name})`,
          limit,
          ours: mine,
          ratio,
          target: TARGET,
        });
    }
    const page = await benchCompaniesPage({
      origin: `http://localhost:${port}`,
      email: 'root@people.test',
      password: PASSWORD,
      agencies: size.agencies,
    });
    return [...worst.values(), page];
  } finally {
    await client.end();
    await stage.close();
  }
}
