import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Grade, may, PERMISSIONS, type Permission } from '../../../contract/accounts/permissions.ts';
import { auditLedger } from '../../features/money/ledger/index.ts';
import { PASSWORD, type TestApp, testApp } from '../app.ts';
import type { Company } from '../factories.ts';
import { type Call, callsOf, fitting, HOSTILE, HOSTS, namesObject, randomOf } from './requests.ts';

/**
 * An attack on every call of the OpenAPI document, generated from the document alone: each role with other tenants'
 * ids, each field with hostile values, hosts, origins, and bursts. `npm run attack` tries everything; `npm test` runs a
 * sample that ATTACK_SEED reproduces.
 */

const WHOLE = process.env.ATTACK === 'whole';
const SEED = Number(process.env.ATTACK_SEED ?? 20261123);
const random = randomOf(SEED);
/** The whole list in a full attack, otherwise a few items chosen by the seed. */
function some<T>(list: readonly T[], few: number): T[] {
  if (WHOLE || list.length <= few) return [...list];
  const rest = [...list];
  return Array.from({ length: few }, () => rest.splice(random(rest.length), 1)[0]!);
}

interface Tenant {
  name: string;
  root: Company;
  agency: Company;
  client: Company;
  /** A word in every name of the tenant's, which no one else may read. */
  canary: string;
  host: string;
  /** The ids of what it owns, by table. */
  ids: Map<string, string[]>;
}
interface Attacker {
  grade: Grade;
  company: Company;
  host: string;
  token: string;
}

let app: TestApp;
let calls: Call[];
let own: Tenant;
let siblingClient: Tenant;
let siblingAgency: Tenant;
let otherRoot: Tenant;
let attackers: Attacker[];
let access: Map<string, string>;
let serial = 0;
let sent = 0;
const statuses: Record<string, number> = {};
/** The longest times a request blocked the process, for the full attack's report. */
let slowest: [ms: number, what: string][] = [];

const GRADES: Grade[] = [
  'root.owner',
  'root.administrator',
  'root.sales',
  'agency.owner',
  'agency.administrator',
  'agency.sales',
  'client.owner',
  'client.administrator',
];

async function tenant(name: string, root: Company, agency: Company, host: string): Promise<Tenant> {
  const canary = `CANARY${name}`;
  const { make } = app;
  const client = await make.client(agency, { name: canary });
  const campaign = await make.campaign(client, {
    name: `${canary} campaign`,
    price: 1_000_000n,
    balance: 50_000_000n,
  });
  await make.user(client, { name: `${canary} owner` });
  const person = make.person({ last_name: canary });
  await make.people(root, [person]);
  await make.visit(campaign, { email: person.email });
  await app.features.leads.resolver.resolveAll();
  const at = [root.id, agency.id, client.id, `${canary} thing`];
  for (const statement of [
    `insert into company_group (id, root_id, agency_id, company_id, name, created_at, updated_at)
     values (gen_random_uuid(), $1, $2, $3, $4, now(), now())`,
    `insert into exclusion_list (id, root_id, agency_id, company_id, owner_id, level, name, state, created_at)
     values (gen_random_uuid(), $1, $2, $3, $3, 'client', $4, 'active', now())`,
    `insert into intent_count (id, root_id, agency_id, company_id, location, keywords, state, people, placed, asked_at, created_at)
     values (gen_random_uuid(), $1, $2, $3, 'national', array[$4::text], 'done', 1, 1, now(), now())`,
    `insert into role (id, root_id, agency_id, company_id, name, created_at, updated_at)
     values (gen_random_uuid(), $1, $2, $3, $4, now(), now())`,
    `insert into charge (id, root_id, agency_id, company_id, purpose, reference_id, idempotency_key, amount_cents, description,
       provider, account, customer, card, brand, last4, state, created_at)
     values (gen_random_uuid(), $1, $2, $3, 'invoice', gen_random_uuid()::text, gen_random_uuid()::text, 100, $4, 'sandbox', '', 'none', 'none', 'visa',
       '4242', 'declined', now())`,
    `insert into payment_mismatch (id, root_id, agency_id, company_id, provider_reference, kind, ours, theirs, found_at, seen_at)
     values (gen_random_uuid(), $1, $2, $3, gen_random_uuid()::text, 'not_here', $4, 'x', now(), now())`,
  ])
    await app.admin.query(statement, at);
  await app.admin.query(
    `insert into integration (id, root_id, agency_id, company_id, campaign_id, kind, url, secret_sealed, state, created_at, updated_at)
     values (gen_random_uuid(), $1, $2, $3, $4, 'webhook', $5, $6, 'enabled', now(), now())`,
    [
      ...at.slice(0, 3),
      campaign.id,
      `https://127.0.0.1/${canary}`,
      app.platform.vault.seal('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'integration.secret'),
    ],
  );
  await make.connection(client, { name: canary, campaignId: campaign.id });
  await app.admin.query(
    `insert into import_job (id, root_id, company_id, kind, file_name, file_path, file_bytes, mapping, state, created_at)
     values (gen_random_uuid(), $1, $1, 'people', $2, 'imports/none.csv', 1, '{}', 'held', now())`,
    [root.id, `${canary}.csv`],
  );
  return { name, root, agency, client, canary, host, ids: new Map() };
}

/** Collects what a client owns, by table. */
async function collect(one: Tenant): Promise<void> {
  one.ids.set('company', [one.client.id]);
  const { rows: tables } = await app.admin.query(
    `select c.relname from pg_class c
     join pg_attribute i on i.attrelid = c.oid and i.attname = 'id' and i.atttypid = 'uuid'::regtype
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not c.relispartition order by 1`,
  );
  for (const { relname } of tables) {
    const { rows } = await app.admin.query(
      `select id from ${relname} where company_id = any ($1) order by id desc limit 2`,
      [[one.client.id, one.root.id]],
    );
    if (rows.length > 0)
      one.ids.set(
        relname,
        rows.map((row) => row.id),
      );
  }
}

/** One checksum for each table of a company's tree; a later difference means it was changed. */
async function fingerprint(column: string, id: string): Promise<Record<string, string>> {
  const { rows: tables } = await app.admin.query(
    `select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = $1
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not c.relispartition`,
    [column],
  );
  const { rows } = await app.admin.query(
    tables
      .map(
        ({ relname }) =>
          `select '${relname}' as name, count(*) || ' ' || coalesce(sum(hashtext(t::text)::bigint), 0) as sum from ${relname} t where ${column} = $1`,
      )
      .join(' union all '),
    [id],
  );
  return Object.fromEntries(rows.map((row) => [row.name, row.sum]));
}

/** A new user of a grade, signed in. */
async function attacker(grade: Grade): Promise<Attacker> {
  const [kind, role] = grade.split('.') as ['root' | 'agency' | 'client', 'owner'];
  const company = { root: own.root, agency: own.agency, client: own.client }[kind];
  const host = kind === 'root' ? 'root.test' : own.host;
  const user = await app.make.user(company, { role, password: PASSWORD });
  return { grade, company, host, token: await app.signIn(user.email, host) };
}

interface Answer {
  status: number;
  text: string;
  type: string;
  headers: Record<string, unknown>;
}

/**
 * Sends a call with a value for each of its fields; renews a login that has ended in the meantime and waits out a
 * limit.
 */
async function send(
  call: Call,
  values: Record<string, unknown>,
  who: { host: string; token?: string } | Attacker,
  extra: Record<string, string> = {},
): Promise<Answer> {
  for (let tries = 0; ; tries += 1) {
    let path = call.path;
    const query = new URLSearchParams();
    const body: Record<string, unknown> = {};
    for (const field of call.fields) {
      const value = values[field.name];
      if (value === undefined) continue;
      const text = typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value);
      if (field.in === 'path') path = path.replace(`{${field.name}}`, encodeURIComponent(text));
      else if (field.in === 'query') query.set(field.name, text);
      else body[field.name] = value;
    }
    path = path.replace(/\{\w+\}/g, 'none');
    const hasBody = call.method !== 'GET' && call.fields.some((field) => field.in === 'body');
    const began = performance.now();
    const response = await app.server.inject({
      method: call.method,
      url: `${path}${query.size > 0 ? `?${query}` : ''}`,
      headers: {
        host: who.host,
        'user-agent': 'attack',
        ...(who.token ? { authorization: `Bearer ${who.token}` } : {}),
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...extra,
      },
      ...(hasBody ? { payload: JSON.stringify(body) } : {}),
    });
    sent += 1;
    statuses[response.statusCode] = (statuses[response.statusCode] ?? 0) + 1;
    slowest.push([performance.now() - began, call.key]);
    if (slowest.length > 1000) slowest = slowest.sort((a, b) => b[0] - a[0]).slice(0, 10);
    const answer = {
      status: response.statusCode,
      text: response.body,
      type: String(response.headers['content-type'] ?? ''),
      headers: response.headers,
    };
    if (tries < 2 && answer.status === 429 && 'grade' in who) {
      app.clock.advance(1000 * (Number(response.headers['retry-after'] ?? 1) + 1));
      continue;
    }
    // An attacker with a freshly stolen session counts as having just confirmed their identity. Calls for keys and
    // download tokens accept no session, however fresh.
    const ended =
      (answer.status === 401 && guarded(call)) || (answer.status === 403 && /"confirm":\[/.test(answer.text));
    if (tries < 2 && ended && 'grade' in who) {
      Object.assign(who, await attacker(who.grade));
      continue;
    }
    return answer;
  }
}

/** Our own companies and hosts as created: the owner's own calls may rename, pause or remove them. */
let standing: Record<'company' | 'domain', string>;
const STANDING = {
  company: 'select jsonb_agg(t order by t.id)::text as kept from company t where t.id = any ($1)',
  domain: 'select jsonb_agg(t order by t.host)::text as kept from domain t where t.company_id = any ($1)',
};
async function stands(): Promise<typeof standing> {
  const mine = [[own.root.id, own.agency.id, own.client.id]];
  const of = async (table: keyof typeof STANDING) =>
    (await app.admin.query(STANDING[table], mine)).rows[0].kept as string;
  return { company: await of('company'), domain: await of('domain') };
}

/** Restores what an earlier call removed, since nothing behind a removed host would be tested at all. */
async function putBack(): Promise<void> {
  const now = await stands();
  const mine = [own.root.id, own.agency.id, own.client.id];
  if (now.company !== standing.company)
    await app.admin.query(
      `update company c set removed_at = t.removed_at, name = t.name
       from jsonb_populate_recordset(null::company, $1::jsonb) t where t.id = c.id`,
      [standing.company],
    );
  if (now.domain !== standing.domain) {
    await app.admin.query('delete from domain where company_id = any ($1)', [mine]);
    await app.admin.query(
      'insert into domain select * from jsonb_populate_recordset(null::domain, $1::jsonb)',
      [standing.domain],
    );
  }
}

/** What is wrong with a response, whatever the request was. */
function wrong({ status, text, type, headers }: Answer): string | undefined {
  // 502 to 504 are what a site, a mail server or a database elsewhere has done.
  if (status === 500) return `${status}: ${text.slice(0, 200)}`;
  if (
    /\bat \S+ \(?\/|node_modules|\.ts:\d+|syntax error at|relation "|column "|violates|invalid input syntax/.test(
      text,
    )
  )
    return `tells of its inside: ${text.slice(0, 200)}`;
  if (type.startsWith('text/html') && /<script>alert\(1\)|<img src=x/.test(text))
    return 'brings the script back';
  if (String(headers['set-cookie'] ?? '').includes('attack=1')) return 'sets a cookie that was sent';
  if (status >= 500 && !type.includes('json')) return `${status} without words`;
  if (status >= 400 && type.includes('json')) {
    const body = JSON.parse(text) as { result?: string; message?: string; status?: number; detail?: string };
    // The developer API refuses with an RFC 9457 problem, which repeats its status.
    const isProblem = type.startsWith('application/problem+json') && body.status === status && body.detail;
    if (!isProblem && (body.result !== 'failed' || !body.message))
      return `is no refusal: ${text.slice(0, 200)}`;
  }
  return undefined;
}

const ids = (one: Tenant): string[] => [
  one.agency.id,
  one.root.id,
  ...[...one.ids.values()].flat(),
  `${one.canary}.csv`,
];
/** Which table a call's ids come from, by the name of its field or else its path. */
const TABLES: [says: RegExp, table: string][] = [
  [/rol/i, 'role'],
  [/us(e)?r/i, 'user_account'],
  [/group/i, 'company_group'],
  [/leadspeek|campaign/i, 'campaign'],
  [/deliver/i, 'delivery'],
  [/connection/i, 'connection'],
  [/kept|absorbed|merges/i, 'person'],
];
const PATHS: [says: RegExp, table: string][] = [
  [/exclusions|suppression/, 'exclusion_list'],
  [/integrations\/connections/, 'connection'],
  [/integrations/, 'integration'],
  [/identity\/imports/, 'import_job'],
  [/invoices/, 'invoice'],
  [/difference/, 'payment_mismatch'],
  [/payment/, 'charge'],
  [/bigdbm/, 'intent_count'],
  [/statement/, 'transfer'],
  [/report\/lead/, 'lead'],
  [/company-group/, 'company_group'],
  [/user/, 'user_account'],
];
const NOBODY = '00000000-0000-4000-8000-000000000000';
/** A call's fields as a well-meaning user would fill them in. */
const plain = (call: Call, objects: Tenant): Record<string, unknown> =>
  Object.fromEntries(
    call.fields
      .filter((field) => field.required || namesObject(field.name))
      .map(({ name, schema }) => {
        if (!namesObject(name)) return [name, fitting(name, schema, ++serial)];
        if (/compan|client|agency/i.test(name) && !/group/i.test(name))
          return [name, random(2) ? objects.client.id : objects.agency.id];
        const table =
          TABLES.find(([says]) => says.test(name)) ?? PATHS.find(([says]) => says.test(call.path));
        return [name, objects.ids.get(table?.[1] ?? '')?.[0] ?? NOBODY];
      }),
  );
const guarded = (call: Call): Permission | undefined => {
  const of = access.get(call.key.replace(/\{(\w+)\}/g, ':$1'));
  return of !== undefined && of in PERMISSIONS ? (of as Permission) : undefined;
};
/** Calls that remove things come last, so that the others can find them. */
const ends = ({ method, path }: Call): number =>
  method === 'GET' ? 0 : method === 'DELETE' || /remove|archive|purge|cancel|close/.test(path) ? 2 : 1;
/** Ends the session that the call uses, which would only have to be renewed. */
const LEFT_OUT = ['POST /api/logout'];

beforeAll(async () => {
  app = await testApp();
  const { make } = app;
  const root = await make.root({ host: 'root.test', isMaster: true });
  const second = await make.root({ host: 'second.test' });
  const agency = await make.agency(root, { host: 'one.test' });
  own = await tenant('Own', root, agency, 'one.test');
  siblingClient = await tenant('SiblingClient', root, agency, 'one.test');
  siblingAgency = await tenant(
    'SiblingAgency',
    root,
    await make.agency(root, { name: 'CANARYSiblingAgency', host: 'two.test' }),
    'two.test',
  );
  otherRoot = await tenant(
    'OtherRoot',
    second,
    await make.agency(second, { name: 'CANARYOtherRoot', host: 'three.test' }),
    'three.test',
  );
  for (const one of [own, siblingClient, siblingAgency, otherRoot]) await collect(one);
  standing = await stands();
  attackers = [];
  for (const grade of GRADES) attackers.push(await attacker(grade));
  const document = await app.call('GET', '/api/openapi.json', { host: 'root.test' });
  calls = callsOf(document.body as never)
    .filter((call) => !LEFT_OUT.includes(call.key))
    .sort((a, b) => ends(a) - ends(b));
  access = new Map(
    app.server.routeList.map((route) => [`${route.method} ${route.url}`, String(route.access ?? '')]),
  );
});
afterAll(async () => {
  if (WHOLE) {
    console.log(
      `${sent.toLocaleString('en-US')} requests; seed ${SEED}; by status: ${JSON.stringify(statuses)}. The slowest:`,
    );
    for (const [ms, what] of slowest.sort((a, b) => b[0] - a[0]).slice(0, 10))
      console.log(`  ${ms.toFixed(0).padStart(6)} ms  ${what}`);
  }
  await app?.close();
});

describe('[TEN-02] [BEY-31] an attack on every call', () => {
  test('the document names every call that there is', () => {
    const named = new Set(calls.map((call) => call.key));
    const left = app.server.routeList
      // The pages themselves, where they are built.
      .filter((route) => route.method !== 'HEAD' && route.url !== '/*')
      .map((route) => `${route.method} ${route.url.replace(/:(\w+)/g, '{$1}')}`)
      .filter((key) => !named.has(key) && !LEFT_OUT.includes(key));
    // The scripts of the pixel and of ad zones, ads' pictures, and the preflight that browsers send before a visit.
    expect(left.sort()).toEqual(['GET /a/v1/i/{file}', 'GET /a/v1/tag.js', 'GET /p/v1/{file}', 'OPTIONS /v']);
  });

  test('ids of others: nothing of them is told, nothing of theirs changes', async () => {
    const found: unknown[] = [];
    const tenants = { 'root.': [otherRoot], 'agency.': [siblingAgency, otherRoot] } as Record<
      string,
      Tenant[]
    >;
    for (const who of WHOLE ? attackers : [attackers[0]!, attackers[3]!, attackers[6]!]) {
      const strangers = tenants[`${who.grade.split('.')[0]}.`] ?? [siblingClient, siblingAgency, otherRoot];
      const sums = async () => {
        const all: Record<string, string>[] = [];
        for (const one of strangers)
          all.push(
            await (one === otherRoot
              ? fingerprint('root_id', one.root.id)
              : one === siblingAgency
                ? fingerprint('agency_id', one.agency.id)
                : fingerprint('company_id', one.client.id)),
          );
        return all;
      };
      const before = await sums();
      for (const call of calls) {
        const objects = call.fields.filter((field) => namesObject(field.name));
        if (objects.length === 0) continue;
        for (const stranger of some(strangers, 1)) {
          const attempts = [
            ...some(
              [
                ...ids(stranger).map((id) => Object.fromEntries(objects.map((field) => [field.name, id]))),
                ...objects.flatMap((field) => ids(stranger).map((id) => ({ [field.name]: id }))),
              ],
              1,
            ),
            Object.fromEntries(objects.map(({ name }) => [name, plain(call, stranger)[name]])),
          ];
          for (const attempt of attempts) {
            const values = { ...plain(call, own), ...attempt };
            const answer = await send(call, values, who);
            const echoed = JSON.stringify(values).includes(stranger.canary);
            const bad = wrong(answer);
            if (bad) found.push([call.key, who.grade, attempt, bad]);
            if (!echoed && answer.text.includes(stranger.canary))
              found.push([call.key, who.grade, attempt, 'told', answer.text.slice(0, 200)]);
          }
        }
      }
      const after = await sums();
      for (const [at, one] of strangers.entries())
        for (const [table, sum] of Object.entries(before[at]!))
          if (after[at]![table] !== sum) found.push([who.grade, one.name, table, sum, after[at]![table]]);
    }
    expect(found).toEqual([]);
  });

  test('without the permission nothing is reached, whatever the fields say', async () => {
    const found: unknown[] = [];
    for (const call of calls) {
      const permission = guarded(call);
      if (!permission) continue;
      for (const who of some(
        attackers.filter((one) => !may(one.grade, permission)),
        1,
      )) {
        const { status } = await send(call, plain(call, own), who);
        if (status !== 403) found.push([call.key, who.grade, status]);
      }
      const { status } = await send(call, plain(call, own), { host: own.host });
      if (status !== 401) found.push([call.key, 'nobody', status]);
    }
    expect(found).toEqual([]);
  });

  test('hostile values in every field: a refusal or an answer, never a fault, and nothing of the inside', async () => {
    const found: unknown[] = [];
    for (const call of calls) {
      const permission = guarded(call);
      const who =
        attackers[3] && (!permission || may(attackers[3].grade, permission))
          ? attackers[3]
          : attackers.find((one) => permission && may(one.grade, permission))!;
      await putBack();
      for (const { name } of call.fields)
        for (const value of some(HOSTILE, 1)) {
          const bad = wrong(await send(call, { ...plain(call, own), [name]: value }, who));
          if (bad) found.push([call.key, name, JSON.stringify(value)?.slice(0, 60), bad]);
        }
    }
    expect(found).toEqual([]);
    await alive();
  });

  test('hosts that are no one’s reach no tenant, and a login is worth nothing at another’s', async () => {
    const found: unknown[] = [];
    const looks = calls.filter((call) => call.method === 'GET');
    for (const call of some(looks, 30)) {
      for (const host of some(HOSTS, 2)) {
        const answer = await send(call, plain(call, own), { host, token: attackers[3]!.token });
        const bad = wrong(answer);
        if (bad) found.push([call.key, host, bad]);
        if (answer.text.includes('CANARY')) found.push([call.key, host, 'told']);
        const through = await send(
          call,
          plain(call, own),
          { host: 'two.test', token: attackers[3]!.token },
          { 'x-forwarded-host': 'one.test', forwarded: 'host=one.test', 'x-original-host': 'one.test' },
        );
        if (guarded(call) && through.status !== 401) found.push([call.key, 'two.test', through.status]);
      }
    }
    expect(found).toEqual([]);
  });

  test('another site may read no answer, and a cookie opens nothing for it', async () => {
    const found: unknown[] = [];
    const origin = 'https://evil.test';
    await putBack();
    const user = await app.make.user(own.agency, { password: PASSWORD });
    const login = await app.call('POST', '/api/login', {
      host: own.host,
      body: { username: user.email, password: PASSWORD },
    });
    const cookie = [login.headers['set-cookie']]
      .flat()
      .map((one) => String(one).split(';')[0])
      .join('; ');
    expect(cookie).not.toBe('');
    for (const call of calls) {
      if (!call.path.startsWith('/api/')) continue;
      const answer = await send(
        call,
        plain(call, own),
        { host: own.host },
        {
          origin,
          cookie,
          'sec-fetch-site': 'cross-site',
        },
      );
      if (guarded(call) && answer.status !== 401) found.push([call.key, answer.status]);
      const allowed = String(answer.headers['access-control-allow-origin'] ?? '');
      if (allowed === origin || answer.headers['access-control-allow-credentials'])
        found.push([call.key, 'allows', allowed]);
      if (/"(access|refresh)_?token":"[^"]+\./i.test(answer.text)) found.push([call.key, 'gives a token']);
    }
    expect(found).toEqual([]);
  });

  test('[PAY-02] bursts: the same call many times at once leaves a ledger that adds up, and no fault', async () => {
    const found: unknown[] = [];
    const changing = calls.filter((call) => call.method !== 'GET' && guarded(call));
    for (const call of some(changing, 25)) {
      const permission = guarded(call)!;
      const who = attackers.find((one) => one.grade.endsWith('owner') && may(one.grade, permission));
      if (!who) continue;
      await putBack();
      const values = plain(call, own);
      const answers = await Promise.all(Array.from({ length: 12 }, () => send(call, values, { ...who })));
      for (const answer of answers) {
        const bad = wrong(answer);
        if (bad) found.push([call.key, bad]);
      }
    }
    expect(found).toEqual([]);
    const { checks } = await auditLedger(app.admin);
    expect(checks.filter((check) => check.violations > 0)).toEqual([]);
    await alive();
  });
});

/** Checks that the server still answers, and so does its database. */
async function alive(): Promise<void> {
  const { status } = await app.call('GET', '/readyz', { host: 'root.test' });
  expect(status).toBe(200);
}
