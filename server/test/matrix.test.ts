import { globSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { extractText, getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Grade,
  MODULE_PERMISSIONS,
  may,
  PERMISSIONS,
  type Permission,
} from '../../contract/accounts/permissions.ts';
import { hubspotStub } from '../integrations/hubspot/stub.ts';
import { type RunningStub, startStub } from '../integrations/stub.ts';
import { inScope } from '../platform/db/scope.ts';
import { EXPORTS } from '../services.ts';
import { PASSWORD, testApp } from './app.ts';
import type { Company } from './factories.ts';
import {
  app,
  freshList,
  own,
  type Principal,
  principals,
  type Samples,
  setStage,
  type Target,
  targets,
} from './samples.ts';

/**
 * Every route x every role x own, sibling and foreign tenant. The routes come from the server itself, the samples from
 * the folders of their features (samples.ts): a route without a sample fails the build.
 */

let samples: Samples = {
  'GET /healthz': { named: false, request: () => ({ url: '/healthz' }) },
  'GET /readyz': { named: false, request: () => ({ url: '/readyz' }) },
  'GET /*': { named: false, request: () => ({ url: '/login' }) },
  'GET /api/openapi.json': { named: false, request: () => ({ url: '/api/openapi.json' }) },
  'GET /api/reference': { named: false, request: () => ({ url: '/api/reference' }) },
  'GET /api/reference/scalar.js': { named: false, request: () => ({ url: '/api/reference/scalar.js' }) },
  'GET /api/reference/page.js': { named: false, request: () => ({ url: '/api/reference/page.js' }) },
};
const folder = join(import.meta.dirname, '../features');
for (const file of globSync('*/*/samples.ts', { cwd: folder })) {
  const { samples: more } = (await import(join(folder, file))) as { samples: Samples };
  Object.assign(samples, more);
}

// A list's export can be requested by anyone who may request the list, under the same rules: each has its call's sample
// and permission.
for (const { name, call } of EXPORTS) {
  const { route, meta } = call['~orpc'] as { route: { path: string }; meta: { access: Permission } };
  const path = `/api${route.path}`;
  const sample = samples[`GET ${path.replace(/\{(\w+)\}/g, ':$1')}`]!;
  samples[`GET /api/export/${name}`] = {
    ...sample,
    permission: meta.access,
    async request(target, who) {
      const url = new URL((await sample.request(target, who)).url, 'http://x');
      const values = url.pathname.split('/');
      for (const [at, part] of path.split('/').entries())
        if (part.startsWith('{')) url.searchParams.set(part.slice(1, -1), decodeURIComponent(values[at]!));
      return { url: `/api/export/${name}?${url.searchParams}` };
    },
  };
}
const last = 'POST /api/logout';
const { [last]: logout, ...others } = samples;
samples = { ...others, [last]: logout! };

/** Names and hosts that no client may meet, wherever it looks: it knows its agency alone. */
const BAIT = { platform: 'BAIT Platform', otherPlatform: 'BAIT Elsewhere', otherAgency: 'BAIT Rival' };
const STRANGE = new RegExp(
  [...Object.values(BAIT), 'root.test', 'other.test', 'two.test', 'three.test', 'meridian platform']
    .map((word) => RegExp.escape(word))
    .join('|'),
  'i',
);

let hubspot: RunningStub;
afterAll(() => hubspot?.stop());

beforeAll(async () => {
  hubspot = await startStub(hubspotStub(), 'hubspot');
  setStage({
    app: await testApp({
      outboundExceptions: [hubspot.host],
      standIns: { hubspot: { base: hubspot.base, client: { id: 'client', secret: 'secret' } } },
    }),
  });
  const { make } = app;
  const passwordHash = await app.features.users.hashPassword(PASSWORD);
  const logo = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="1"><rect width="2" height="1"/></svg>',
  );
  const root1 = await make.root({ host: 'root.test', isMaster: true, name: BAIT.platform, brand: { logo } });
  const root2 = await make.root({ host: 'other.test', name: BAIT.otherPlatform });
  const agency1 = await make.agency(root1, { host: 'one.test', name: 'One', brand: { name: 'One', logo } });
  const agency2 = await make.agency(root1, { host: 'two.test', name: BAIT.otherAgency });
  const agency3 = await make.agency(root2, { host: 'three.test' });
  const build = async (name: string, agency: Company, root: Company): Promise<Target> => {
    const canary = `CANARY${name}`;
    const client = await make.client(agency, { name: canary });
    const campaign = await make.campaign(client, {
      name: `${canary} campaign`,
      price: 1_000_000n,
      balance: 50_000_000n,
    });
    const person = make.person({ last_name: canary });
    await make.people(root, [person]);
    await make.visit(campaign, { email: person.email });
    await app.features.leads.resolver.resolveAll();
    const { rows } = await app.admin.query('select id, transfer_id from lead where campaign_id = $1', [
      campaign.id,
    ]);
    const importId = (
      await app.admin.query(
        `insert into import_job (id, root_id, company_id, kind, file_name, file_path, file_bytes, state, created_at)
         values (gen_random_uuid(), $1, $1, 'people', $2, 'none.csv', 1, 'done', now()) returning id`,
        [root.id, `${canary}.csv`],
      )
    ).rows[0].id;
    const webhookId = (
      await app.admin.query(
        `insert into integration (id, root_id, agency_id, company_id, campaign_id, kind, url, secret_sealed, state, created_at, updated_at)
         values (gen_random_uuid(), $1, $2, $3, $4, 'webhook', $5, $6, 'enabled', now(), now()) returning id`,
        [
          root.id,
          agency.id,
          client.id,
          campaign.id,
          `https://127.0.0.1/${canary}`,
          app.platform.vault.seal('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'integration.secret'),
        ],
      )
    ).rows[0].id;
    const delivery = await app.admin.query(
      `insert into delivery (id, root_id, agency_id, company_id, campaign_id, integration_id, lead_id, message_id, state, created_at)
       values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, 'msg_' || $4::uuid, 'failed', now()) returning id`,
      [root.id, agency.id, client.id, campaign.id, webhookId, rows[0].id],
    );
    const personId = (await make.user(client, { name: canary })).id;
    const connection = await make.connection(client, { name: canary, campaignId: campaign.id });
    return {
      name,
      client,
      campaign,
      leadId: rows[0].id,
      transferId: rows[0].transfer_id,
      webhookId,
      deliveryId: delivery.rows[0].id,
      connectionId: connection.id,
      importId,
      exclusionListId: await freshList({ client, canary }),
      personId,
      canary,
    };
  };
  setStage({
    fresh: async (target) => {
      const campaign = await make.campaign(target.client, {
        name: `${target.canary} fresh`,
        price: 1_000_000n,
        balance: 5_000_000n,
      });
      const { rows } = await app.admin.query(
        `insert into integration (id, root_id, agency_id, company_id, campaign_id, kind, url, secret_sealed, state, created_at, updated_at)
       select gen_random_uuid(), root_id, agency_id, company_id, $2, kind, url, secret_sealed, state, now(), now() from integration where id = $1 returning id`,
        [target.webhookId, campaign.id],
      );
      return { ...target, campaign, webhookId: rows[0].id };
    },
  });
  const first = await build('Own', agency1, root1);
  setStage({
    own: first,
    targets: [
      first,
      await build('SiblingClient', agency1, root1),
      await build('SiblingAgency', agency2, root1),
      await build('OtherRoot', agency3, root2),
    ],
  });
  // The agency is in the Data Wallet trial, with an agreement and a card.
  const agencyOwner = { root_id: root1.id, agency_id: agency1.id, company_id: agency1.id };
  const { id: signer } = await make.user(agency1);
  await inScope(app.platform.db.app, { rootId: root1.id }, async (tx) => {
    const at = app.clock.now();
    await app.features.tenants.products.setBetaUser(tx, agencyOwner, true, at);
  });
  await make.accept(agency1, signer, 'data_wallet');
  const companies = {
    root: { company: root1, host: 'root.test' },
    agency: { company: agency1, host: 'one.test' },
    client: { company: own.client, host: 'one.test' },
  };
  setStage({ principals: [] });
  for (const grade of [
    'root.owner',
    'root.administrator',
    'root.sales',
    'agency.owner',
    'agency.administrator',
    'agency.sales',
    'client.owner',
    'client.administrator',
  ] as const) {
    const [kind, role] = grade.split('.') as ['root' | 'agency' | 'client', 'owner'];
    const { company, host } = companies[kind];
    const user = await make.user(company, { role, passwordHash });
    principals.push({
      grade,
      host,
      userId: user.id,
      companyId: company.id,
      token: await app.signIn(user.email, host),
      sees: (t) =>
        t.client.root_id === root1.id &&
        (kind === 'root' || t.client.agency_id === agency1.id) &&
        (kind !== 'client' || t.client.id === own.client.id),
    });
  }
});
afterAll(() => app.close());

const routes = () => app.server.routeList.filter((route) => route.method !== 'HEAD');
const leaks = (text: string, principal: Principal): string[] =>
  targets.filter((t) => !principal.sees(t) && text.includes(t.canary)).map((t) => t.name);
/** The brand or host of anyone but its agency that a client meets in an answer, a file, an error, or their headers. */
const strange = (key: string, text: string, principal: Principal): string[] => {
  const [found] = (principal.grade.startsWith('client') && STRANGE.exec(text)) || [];
  return found ? [`${key} ${principal.grade}: ${found}`] : [];
};

let turn = 0;
/**
 * Whose data a principal asks for. All grades of a company have the same scope: its owner asks for everyone's, the others
 * for their own and one stranger's in turn. `npm run attack` leaves nothing out.
 */
function targetsOf({ grade }: Principal): Target[] {
  if (process.env.ATTACK === 'whole' || grade.endsWith('.owner')) return targets;
  const strangers = targets.filter((target) => target !== own);
  return [own, strangers[turn++ % strangers.length]!];
}

type Asker = Principal | { host: string; token?: string };
/** What is sent for a route's call about a target. To prepare it may take a campaign of its own, for example. */
const requestOf = (key: string, target: Target, who?: Asker) =>
  samples[key]!.request(target, who && 'userId' in who ? who : undefined);

/** Makes a call; `prepared`: with a request that no call has used up. */
async function ask(
  key: string,
  target: Target,
  who: Asker,
  prepared?: Awaited<ReturnType<typeof requestOf>>,
) {
  const [method = ''] = key.split(' ');
  const { url, body, headers, payload } = prepared ?? (await requestOf(key, target, who));
  const response = await app.server.inject({
    method: method as 'GET',
    url,
    headers: {
      host: who.host,
      'user-agent': 'matrix',
      ...(who.token ? { authorization: `Bearer ${who.token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? (payload === undefined ? {} : { payload }) : { payload: JSON.stringify(body) }),
  });
  return { status: response.statusCode, text: response.body + JSON.stringify(response.headers) };
}

/** Signs in an administrator of the own agency whose role allows to look (T), or nothing at all (F). */
async function narrow(enabled: 'T' | 'F') {
  const { host, token } = principals.find((one) => one.grade === 'agency.owner')!;
  const { body } = await app.call('POST', '/api/configuration/role-module/add', {
    host,
    token,
    body: {
      roleName: `Narrow ${enabled}`,
      roleModule: ['Ads Design', 'Campaign', 'LeadsPeek', 'Settings'].map((module_name) => ({
        module_name,
        enable_permission: enabled,
        create_permission: 'F',
        update_permission: 'F',
        delete_permission: 'F',
      })),
    },
  });
  const agency = { id: own.client.agency_id!, root_id: own.client.root_id, agency_id: own.client.agency_id };
  const user = await app.make.user(agency, {
    role: 'administrator',
    password: PASSWORD,
    roleId: String(body.roleID),
  });
  return { ...user, host, token: await app.signIn(user.email, host) };
}

/** Requests a browser download with a token that the user has just obtained. */
async function download(url: string, principal: Principal) {
  const { body } = await app.call('POST', '/api/general/download-token', {
    host: principal.host,
    token: principal.token,
    body: { path: url },
  });
  const response = await app.server.inject({
    method: 'GET',
    url: String(body.url),
    headers: { host: principal.host },
  });
  const headers = JSON.stringify(response.headers);
  const isPaper = headers.includes('application/pdf') && response.statusCode === 200;
  const words = isPaper
    ? (await extractText(await getDocumentProxy(new Uint8Array(response.rawPayload)), { mergePages: true }))
        .text
    : response.body;
  return { status: response.statusCode, text: words + headers };
}

describe('[TEN-02] every route, every role, own and foreign tenants', () => {
  test('every route has a policy and a sample', () => {
    const listed = routes().map((route) => `${route.method} ${route.url}`);
    expect(listed.filter((key) => !samples[key])).toEqual([]);
    expect(Object.keys(samples).filter((key) => !listed.includes(key))).toEqual([]);
    expect(routes().filter((route) => !route.access)).toEqual([]);
  });

  test('[BEY-11] nobody passes a guarded route without a login, with a forged one, or at a foreign host; an agency’s host shows no one else', async () => {
    const met: string[] = [];
    for (const route of routes()) {
      const key = `${route.method} ${route.url}`;
      const guarded = route.access === 'download' || (route.access ?? '') in PERMISSIONS;
      // Nobody uses it up where everybody is turned away.
      const request = await requestOf(key, own);
      const anonymous = await ask(key, own, { host: 'root.test' }, request);
      if (guarded) expect([key, anonymous.status]).toEqual([key, 401]);
      else
        expect([key, [200, 204, 304, ...(samples[key]!.passes ?? [])].includes(anonymous.status)]).toEqual([
          key,
          true,
        ]);
      expect([key, targets.filter((t) => anonymous.text.includes(t.canary))]).toEqual([key, []]);
      // [BEY-11] The host of an agency shows nothing of anyone else either, before anyone has signed in.
      const { text } = await ask(key, own, { host: 'one.test' }, guarded ? request : undefined);
      const [found] = STRANGE.exec(text) ?? [];
      if (found) met.push(`${key}: ${found}`);
      if (!guarded || route.access === 'download') continue;
      const forged = await ask(key, own, { host: 'root.test', token: 'not.a.token' }, request);
      expect([key, forged.status]).toEqual([key, 401]);
      for (const host of ['other.test', 'three.test']) {
        const foreign = await ask(key, own, { host, token: principals[0]!.token }, request);
        expect([key, host, foreign.status]).toEqual([key, host, 401]);
      }
    }
    expect(met).toEqual([]);
  });

  test('[BEY-11] each role reaches what its permission and scope allow, and nothing else; clients meet no brand but their agency’s', async () => {
    const met: string[] = [];
    for (const route of routes()) {
      const key = `${route.method} ${route.url}`;
      const sample = samples[key]!;
      if (!((route.access ?? '') in PERMISSIONS) || key === 'POST /api/logout') continue;
      let unused: Awaited<ReturnType<typeof requestOf>> | undefined;
      for (const principal of principals) {
        const isAdmitted = may(principal.grade, route.access as Permission);
        const isAllowed = isAdmitted && (!sample.also || may(principal.grade, sample.also));
        // Whoever is not admitted is turned away before anyone reads what the call is about.
        if (!isAdmitted) unused ??= await requestOf(key, own, principal);
        for (const target of sample.named && isAdmitted ? targetsOf(principal) : [own]) {
          const { status, text } = await ask(key, target, principal, isAdmitted ? undefined : unused);
          const at = [key, principal.grade, target.name];
          expect([...at, leaks(text, principal)]).toEqual([...at, []]);
          met.push(...strange(key, text, principal));
          if (!isAllowed) expect([...at, status]).toEqual([...at, 403]);
          else if (
            sample.named &&
            !(sample.rootOnly ? target.client.root_id === own.client.root_id : principal.sees(target))
          ) {
            expect([...at, status]).toEqual([...at, 404]);
          } else
            expect([
              ...at,
              status,
              (status >= 200 && status < 300) || (sample.passes ?? []).includes(status),
            ]).toEqual([...at, status, true]);
        }
      }
    }
    expect([...new Set(met)]).toEqual([]);
  });

  test('[ROLE-01] a role that allows nothing sees no one but itself', async () => {
    const { token, email, host } = await narrow('F');
    const person = await app.admin.query('select email from user_account where id = $1', [own.personId]);
    const free = ['session.own', 'account.own', 'questionnaire.own', 'client.list'];
    for (const route of routes()) {
      const key = `${route.method} ${route.url}`;
      if (!((route.access ?? '') in PERMISSIONS) || route.method !== 'GET') continue;
      const { status, text } = await ask(key, own, { host, token });
      if (!free.includes(route.access!)) expect([key, status]).toEqual([key, 403]);
      expect([key, text.replaceAll(email, '').includes(person.rows[0].email)]).toEqual([key, false]);
    }
  });

  test('[ROLE-01] a role that may only look changes nothing, as itself or in a view of anyone', async () => {
    const { token, host } = await narrow('T');
    const view = await app.call('POST', '/api/user/switch', {
      host,
      token,
      body: { usrID: own.personId, reason: 'To look at something' },
    });
    expect(view.status).toBe(200);
    // What ends or proves the viewer's own session, gets them a file that they may read, only reads, or only tells of it.
    const harmless = new Set([
      'POST /api/logout',
      'POST /api/user/switch/renew',
      'POST /api/user/switch/revert',
      'POST /api/user/confirm',
      'POST /api/general/download-token',
      'POST /api/user/getuserdata',
      'POST /api/general/user-log-saved',
    ]);
    for (const route of routes()) {
      const key = `${route.method} ${route.url}`;
      if (!((route.access ?? '') in PERMISSIONS) || route.method === 'GET' || harmless.has(key)) continue;
      // Calls that only read, or try without changing anything, ask for what they show.
      const [, action] = MODULE_PERMISSIONS[route.access as Permission] ?? [];
      if (action === 'enable') continue;
      const inView = await ask(key, own, { host, token: String(view.body.access_token) });
      expect([key, inView.status]).toEqual([key, 403]);
      if (action) expect([key, (await ask(key, own, { host, token })).status]).toEqual([key, 403]);
    }
  });

  test('downloads: the token is for one person, one file, one use', async () => {
    for (const [key, { permission }] of Object.entries(samples)) {
      if (!permission) continue;
      const sample = samples[key]!;
      for (const principal of principals) {
        // Whoever is not admitted is turned away before anyone reads what the file is of.
        for (const target of sample.named && may(principal.grade, permission)
          ? targetsOf(principal)
          : [own]) {
          const { url } = await sample.request(target, principal);
          const { status, text } = await download(url, principal);
          const at = [key, principal.grade, target.name];
          expect([...at, leaks(text, principal), strange(key, text, principal)]).toEqual([...at, [], []]);
          const seen =
            !sample.named ||
            (sample.rootOnly ? target.client.root_id === own.client.root_id : principal.sees(target));
          const needs = [permission, ...(sample.also ? [sample.also] : [])];
          const expected = !needs.every((one) => may(principal.grade, one)) ? 403 : seen ? 200 : 404;
          expect([...at, sample.passes?.includes(status) ? expected : status]).toEqual([...at, expected]);
        }
      }
    }
    const { host, token } = principals[3]!;
    const { body } = await app.call('POST', '/api/general/download-token', {
      host,
      token,
      body: { path: '/api/leadspeek/report/lead/export' },
    });
    const get = (url: string, at = host) =>
      app.server.inject({ method: 'GET', url, headers: { host: at } }).then((r) => r.statusCode);
    const url = String(body.url);
    expect(await get(url.replace('/lead/export', '/lead/export?companyID=x&'))).toBe(401);
    expect(await get(url, 'two.test')).toBe(401);
    const again = await app.call('POST', '/api/general/download-token', {
      host,
      token,
      body: { path: '/api/leadspeek/report/lead/export' },
    });
    expect(await get(String(again.body.url))).toBe(200);
    expect(await get(String(again.body.url))).toBe(401);
    const late = await app.call('POST', '/api/general/download-token', {
      host,
      token,
      body: { path: '/api/leadspeek/report/lead/export' },
    });
    app.clock.advance(61_000);
    expect(await get(String(late.body.url))).toBe(401);
    app.clock.advance(-61_000);
  });

  test('[BEY-11] emails to clients, written by any of these calls, have no brand or host but their agency’s', async () => {
    const { rows } = await app.admin.query<Record<'kind' | 'body_sealed' | 'rest', string>>(
      `select kind, body_sealed, (to_jsonb(m) - 'body_sealed')::text as rest from mail m
       where company_id in (select id from company where kind = 'client' and agency_id = $1) and body_sealed is not null`,
      [own.client.agency_id],
    );
    expect(rows.length).toBeGreaterThan(3);
    for (const { kind, body_sealed, rest } of rows) {
      const text = app.platform.vault.open(body_sealed, 'mail.body') + rest;
      expect([kind, STRANGE.exec(text)?.[0]]).toEqual([kind, undefined]);
    }
  });

  test('[BEY-31] an upload whose sender is signed out while it arrives changes nothing', async () => {
    const streamed = routes().filter((route) => route.streamed);
    expect(streamed.length).toBeGreaterThan(5);
    for (const route of streamed) {
      const key = `${route.method} ${route.url}`;
      const principal = principals.find((one) => may(one.grade, route.access as Permission))!;
      const { url, body, headers, payload } = await samples[key]!.request(own, principal);
      const [kind, role] = principal.grade.split('.') as ['root', 'owner'];
      const company = { root: own.client.root_id, agency: own.client.agency_id!, client: own.client.id }[
        kind
      ];
      const user = await app.make.user(
        {
          id: company,
          root_id: own.client.root_id,
          agency_id: kind === 'root' ? null : own.client.agency_id,
        },
        { role, password: PASSWORD },
      );
      const token = await app.signIn(user.email, principal.host);
      const rows = async () => (await app.admin.query('select count(*) as n from user_log')).rows[0].n;
      const before = await rows();
      const bytes = Buffer.from(payload ?? JSON.stringify(body));
      const response = await app.server.inject({
        method: 'POST',
        url,
        headers: {
          host: principal.host,
          authorization: `Bearer ${token}`,
          'content-length': String(bytes.length),
          ...headers,
        },
        payload: Readable.from(
          (async function* () {
            yield bytes.subarray(0, 10);
            await app.admin.query('update session set revoked_at = now() where user_id = $1', [user.id]);
            yield bytes.subarray(10);
          })(),
        ),
      });
      expect([key, response.statusCode, await rows()]).toEqual([key, 401, before]);
    }
  });

  test('the database alone keeps tenants apart: a scope sees its rows whatever a query forgets', async () => {
    const { rows: tables } = await app.admin.query(
      `select c.relname, c.relrowsecurity and c.relforcerowsecurity as walled,
         exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'company_id') as owned
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'root_id'
       where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not c.relispartition`,
    );
    expect(tables.length).toBeGreaterThan(20);
    expect(tables.filter((table) => !table.walled)).toEqual([]);
    const { rows: parts } = await app.admin.query(
      `select relname from pg_class where relispartition and relkind = 'r' and not relrowsecurity and relnamespace = 'public'::regnamespace`,
    );
    expect(parts).toEqual([]);
    const { appPool } = app.platform.db;
    const { rows: me } = await appPool.query(
      `select rolsuper or rolbypassrls as strong, exists (select from pg_class where relowner = r.oid) as owns from pg_roles r where rolname = current_user`,
    );
    expect(me[0]).toEqual({ strong: false, owns: false });
    for (const { relname, owned } of tables) {
      const unscoped = await appPool.query(`select count(*) as n from ${relname}`);
      expect([relname, Number(unscoped.rows[0].n)]).toEqual([relname, 0]);
      for (const target of targets) {
        const client = await appPool.connect();
        await client.query('begin');
        await client.query(
          `select set_config('role', 'lead_client', true), set_config('scope.root_id', $1, true), set_config('scope.agency_id', $2, true), set_config('scope.company_id', $3, true)`,
          [target.client.root_id, target.client.agency_id, target.client.id],
        );
        // What belongs to a root alone is nothing that a client sees.
        const others =
          relname === 'company' ? 'id <> $1' : owned ? 'company_id <> $1' : '$1::uuid is not null';
        try {
          const { rows } = await client.query(`select count(*) as n from ${relname} where ${others}`, [
            target.client.id,
          ]);
          expect([relname, target.name, Number(rows[0].n)]).toEqual([relname, target.name, 0]);
        } finally {
          await client.query('rollback');
          client.release();
        }
      }
    }
    // Writing a row for another tenant is not possible either.
    const client = await appPool.connect();
    await client.query('begin');
    await client.query(
      `select set_config('role', 'lead_root', true), set_config('scope.root_id', $1, true), set_config('scope.agency_id', '', true), set_config('scope.company_id', '', true)`,
      [own.client.root_id],
    );
    await expect(
      client.query(`insert into brand (company_id, root_id, name, updated_at) values ($1, $2, 'x', now())`, [
        targets[3]!.client.id,
        targets[3]!.client.root_id,
      ]),
    ).rejects.toThrow(/row-level security/);
    await client.query('rollback');
    client.release();
  });
});

/** Counts formatters as they are made: some of the most expensive objects there are, in memory that no limit sees. */
function countFormatters() {
  const { DateTimeFormat } = Intl;
  const counter = { made: 0, stop: () => Object.assign(Intl, { DateTimeFormat }) };
  Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
    construct(target, given, as) {
      counter.made++;
      return Reflect.construct(target, given, as);
    },
  });
  return counter;
}

describe('[LOGS-03] the user log', () => {
  // Every route has been called before: what a call prepares for all that follow (time zones) is there.
  test('every state-changing call writes exactly one row; reading writes none, and no call makes formatters by the dozen; nothing can alter a row', async () => {
    const formatters = countFormatters();
    const agency = principals[3]!;
    const count = async (): Promise<number> =>
      Number((await app.admin.query('select count(*) as n from user_log')).rows[0].n);
    // Replaying nothing changes nothing.
    const quiet = new Set([
      'POST /api/integrations/custom/:id/replay',
      'POST /api/integrations/deliveries/resend',
      // The samples have no spreadsheet (features/campaigns/delivery/document.test.ts counts their rows).
      'POST /api/integrations/google-sheet/revoke',
      'POST /api/leadspeek/spreadsheet',
      'POST /api/leadspeek/spreadsheet/reset',
      'PUT /api/leadspeek/spreadsheet/share',
      'POST /api/leadspeek/client/resendgooglelink',
      // The sample's state is none (features/campaigns/connections/sign-in.test.ts).
      'POST /api/integrations/connections/signed-in',
      // Only tries, or only reads, but has a body.
      'POST /api/integrations/connections/:id/test',
      'POST /api/integrations/destinations/preview',
      'POST /api/integrations/destinations/:id/rules/try',
      'POST /api/integrations/custom/:id/payload/preview',
      'POST /api/leadspeek/report/lead/score-preview',
      'POST /api/alerts/preview',
      'POST /api/templates/:id/preview',
      'POST /api/configuration/user/log-user',
      'POST /api/configuration/user/log-category',
      'POST /api/configuration/user/show-user',
      'POST /api/configuration/user/show-campaigns',
      'POST /api/leadspeek/simplifi/check-budget-increase',
      // The samples have no image, no product, and nothing due (features/ads/ad-campaigns/ad-campaigns.test.ts).
      'POST /api/ads/creatives',
      'POST /api/media',
      'POST /api/leadspeek/simplifi',
      'POST /api/leadspeek/simplifi/charge-campaign-by-remaining-days',
      // Only reads a text.
      'POST /api/leadspeek/keyword-to-tags',
      // Only reads, and uses nothing up.
      'POST /api/configuration/coupon/get-coupon',
      'POST /api/leadspeek/check-campaign-active',
      'POST /api/auth/refresh-token',
      'POST /api/login',
      'POST /api/setup/first-owner',
      'POST /v',
      'POST /api/logout',
      // Only sends a read again.
      'POST /api/developer/requests/:id/replay',
      // Only reads, but has a body.
      'POST /api/user/getuserdata',
      // Already done by the tests above, and only once (features/accounts/setup/setup.test.ts counts their rows).
      'PUT /api/leadspeek/user/setupcomplete',
      'POST /api/general/agreement/confirm',
      // Makes the file of what was accepted, once: nothing about it changes.
      'POST /api/general/agreement/download',
      // The samples bring no key and have none (features/accounts/agreements/signing.test.ts counts their rows).
      'POST /api/document/signing-key',
      'DELETE /api/document/signing-key',
      // The agencies in this test have nothing to pay (features/money/onboarding-charge/onboarding.test.ts counts its rows).
      'POST /api/user/onboarding-charge',
      'POST /api/general/marketing-services-agreement-feature',
      'POST /api/general/marketing-services-agreement',
      // The samples do not name an existing form, card or charge; features/money/payments/calls.test.ts counts their rows.
      'POST /api/payment/card/start',
      'PUT /api/payment/card',
      'POST /api/payment/customer',
      'POST /api/payment/customer-direct',
      'DELETE /api/payment/card',
      'POST /api/payment/charge/:id/authentication',
      'POST /api/payment/charge/:id/check',
      'POST /api/general/connected-account/create',
      'POST /api/general/connected-account/link',
      'POST /api/general/connected-account/keep',
      'POST /api/payment/sandbox/card',
      'POST /api/payment/sandbox/authentication',
      'POST /api/payment/sandbox/account/open',
      'POST /api/payment/sandbox/account/submit',
      // The delivery of the sample has no record at a service (connections.test.ts).
      'POST /api/integrations/deliveries/:id/erase',
      // The sample's last week has nothing to tell of (features/campaigns/digest/digest.test.ts counts its rows).
      'POST /api/digest/send',
      // A choice of a client's own users (features/campaigns/silence/silence.test.ts counts its rows).
      'PUT /api/silence',
      // In the logs of both agencies (features/accounts/client-transfers/client-transfers.test.ts).
      'POST /api/client-transfers/:id/agree',
      'POST /api/client-transfers/:id/end',
      // Only computes what something would cost.
      'POST /api/leadspeek/client/topup-estimate',
    ]);
    // Who makes the call, if not an agency.
    const asked: Record<string, Grade> = {
      'people.import': 'root.owner',
      'optout.write': 'root.owner',
      'privacy.decide': 'root.owner',
      'sales.downline': 'root.sales',
      'payment.mend': 'root.owner',
      'return.open': 'client.owner',
    };
    for (const route of routes()) {
      const key = `${route.method} ${route.url}`;
      if (quiet.has(key) || route.access === 'open' || !((route.access ?? '') in PERMISSIONS)) continue;
      const grade = asked[route.access ?? ''];
      const principal =
        principals.find((one) => one.grade === grade) ??
        (may(agency.grade, route.access as Permission) ? agency : principals[0]!);
      if (samples[key]!.rootOnly && samples[key]!.named && route.method !== 'GET') continue; // The sample's import is over.
      const request = await samples[key]!.request(own, principal);
      samples[key] = { ...samples[key]!, request: () => request };
      const before = await count();
      const madeBefore = formatters.made;
      const { status } = await ask(key, own, principal);
      expect([key, status, (await count()) - before]).toEqual([key, status, route.method === 'GET' ? 0 : 1]);
      expect([key, formatters.made - madeBefore > 24]).toEqual([key, false]);
    }
    formatters.stop();
    await expect(app.admin.query(`update user_log set action = 'x'`)).rejects.toThrow(/append-only/);
    await expect(app.admin.query('delete from user_log')).rejects.toThrow(/append-only/);
    await expect(app.platform.db.appPool.query('delete from user_log')).rejects.toThrow(/permission denied/);
  });

  test('a row says who, what, where and when, and survives the erasure of what is personal', async () => {
    const { rows } = await app.admin.query(
      `select l.action, l.object_kind, l.actor_id is not null as actor, d.name, d.type_user, host(d.user_ip) as ip, d.location, d.description, d.company_name, l.detail_hash
       from user_log l join user_log_detail d on d.log_id = l.id where l.action = 'campaign.create' limit 1`,
    );
    expect(rows[0]).toMatchObject({
      object_kind: 'campaign',
      actor: true,
      ip: '127.0.0.1',
      location: 'Local network',
    });
    expect(rows[0].description).toContain('Matrix');
    await app.admin.query('delete from user_log_detail');
    expect(Number((await app.admin.query('select count(*) as n from user_log')).rows[0].n)).toBeGreaterThan(
      10,
    );
  });
});

test('nothing asks for another connection inside a transaction', () => {
  expect(app.greedy).toEqual([]);
});
