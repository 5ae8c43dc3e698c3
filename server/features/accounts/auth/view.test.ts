import { decodeJwt, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Grade, PERMISSIONS, type Permission } from '../../../../contract/accounts/permissions.ts';
import { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { CompanyKind } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { rotatingToken } from '../../../platform/rotation.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { mayView, viewEnd } from './policy.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let campaign: MadeCampaign;
/** Ids of the people below, by the name before the @. */
const people: Record<string, string> = {};
const HOST = 'root.test';
const REASON = 'Support call 4711';

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: HOST, isMaster: true, name: 'Rooted' });
  const other = await app.make.root({ host: 'other.test' });
  agency = await app.make.agency(root, { host: 'acme.test', name: 'Acme' });
  const rival = await app.make.agency(root, { host: 'rival.test' });
  client = await app.make.client(agency, { name: 'Cleo Ltd' });
  const passwordHash = await app.features.users.hashPassword(PASSWORD);
  for (const [name, company, role] of [
    ['root', root, 'owner'],
    ['rootadmin', root, 'administrator'],
    ['rootsales', root, 'sales'],
    ['rootmate', root, 'administrator'],
    ['agency', agency, 'owner'],
    ['agencyadmin', agency, 'administrator'],
    ['agencysales', agency, 'sales'],
    ['client', client, 'owner'],
    ['clientadmin', client, 'administrator'],
    ['rival', rival, 'owner'],
    ['rivalclient', await app.make.client(rival), 'owner'],
    ['otherclient', await app.make.client(await app.make.agency(other)), 'owner'],
  ] as const) {
    const given = { email: `${name}@x.test`, name: `${name} person`, role, passwordHash };
    people[name] = (await app.make.user(company, given)).id;
  }
  campaign = await app.make.campaign(client, { name: 'Cleo campaign' });
  await app.make.campaign(await app.make.client(agency, { name: 'Zed Ltd' }), { name: 'Sibling campaign' });
});
afterAll(() => app.close());

const get = (url: string, token: string, host = HOST) => app.call('GET', url, { host, token });
const post = (url: string, token: string, body: unknown = {}, host = HOST) =>
  app.call('POST', url, { host, token, body });
const signIn = (name: string, host = HOST) => app.signIn(`${name}@x.test`, host);
async function login(name: string, host = HOST): Promise<{ token: string; refresh: string }> {
  const { body } = await app.call('POST', '/api/login', {
    host,
    body: { username: `${name}@x.test`, password: PASSWORD },
  });
  return { token: body.access_token as string, refresh: body.refresh_token as string };
}
const renewed = (refresh: string, host = HOST) =>
  app.call('POST', '/api/auth/refresh-token', { host, body: { refresh_token: refresh } });
const start = (token: string, name: string, host = HOST, reason = REASON) =>
  post('/api/user/switch', token, { usrID: people[name], reason }, host);
/** The token of a view that is expected to start. */
async function viewAs(token: string, name: string, host = HOST): Promise<string> {
  const { status, body } = await start(token, name, host);
  expect([status, body.message]).toEqual([200, ownMessages.viewStarted]);
  return body.access_token as string;
}
const sessionOf = (token: string): string => decodeJwt(token).sid as string;
const newestLog = async () =>
  (
    await app.admin.query(
      `select l.actor_id, l.viewed_as_id, l.company_id, l.action, d.name, d.type_user, d.company_name, d.description
       from user_log l join user_log_detail d on d.log_id = l.id order by l.xmin::text::bigint desc limit 1`,
    )
  ).rows[0];
/** Makes a change in the database that the product would notice within 5 s, and makes it notice at once. */
async function change(sql: string, values: unknown[], ...tokens: string[]): Promise<void> {
  await app.admin.query(sql, values);
  app.features.auth.sessions.forget(tokens.map(sessionOf));
}

describe('[NAV-03] [BEY-12] view mode', () => {
  test('a root sees what a client sees, at its own host; each token, row and answer tells who it really is', async () => {
    const token = await signIn('root');
    const { body } = await start(token, 'client');
    const view = body.access_token as string;
    expect(body).toMatchObject({
      result: 'success',
      expires_in: 900,
      expires_at: '2026-03-10T15:30:00.000Z',
    });
    expect(decodeJwt(view)).toMatchObject({ sub: people.client, act: { sub: people.root } });
    const me = (await get('/api/user', view)).body;
    expect(me).toMatchObject({
      id: people.client,
      company_id: client.id,
      user_type: 'client',
      user_type_ori: 'user',
      isViewMode: true,
      systemuser: false,
      view: {
        by_name: 'root person',
        as_name: 'client person',
        reason: REASON,
        expires_at: '2026-03-10T15:30:00.000Z',
      },
    });
    const names = async (by: string) =>
      ((await get('/api/leadspeek/client/list?PerPage=100', by)).body.data as { campaignName: string }[]).map(
        (row) => row.campaignName,
      );
    expect(await names(view)).toEqual(['Cleo campaign']);
    // The login itself is unchanged.
    expect((await get('/api/user', token)).body).toMatchObject({
      id: people.root,
      isViewMode: false,
      user_type_ori: 'user',
      view: null,
    });
    expect(await names(token)).toContain('Sibling campaign');

    expect(await newestLog()).toMatchObject({
      actor_id: people.root,
      viewed_as_id: people.client,
      company_id: client.id,
      action: 'view.start',
      name: 'root person as client person',
      type_user: 'root.owner',
      company_name: 'Cleo Ltd',
      description: `Started viewing as client person until 15:30 UTC. Reason: ${REASON}`,
    });
    app.clock.advance(1000);
    await post('/api/leadspeek/client/activepause', view, { leadspeekID: campaign.id, status: 'paused' });
    expect(await newestLog()).toMatchObject({
      actor_id: people.root,
      viewed_as_id: people.client,
      company_id: client.id,
      name: 'root person as client person',
      type_user: 'root.owner',
    });
    app.clock.advance(1000);
    const back = await post('/api/user/switch/revert', view);
    expect([back.status, back.body.message]).toEqual([200, ownMessages.viewEnded]);
    expect(await newestLog()).toMatchObject({
      actor_id: people.root,
      viewed_as_id: people.client,
      company_id: client.id,
      action: 'view.end',
    });
    expect((await get('/api/user', view)).status).toBe(401);
    expect((await get('/api/user', token)).status).toBe(200);
    // All of it appears in the log of the company viewed, and none of it names the root's company.
    const scope = { rootId: root.id, agencyId: agency.id, companyId: client.id };
    const seen = await inScope(app.platform.db.app, scope, (tx) =>
      tx
        .selectFrom('user_log as l')
        .innerJoin('user_log_detail as d', 'd.log_id', 'l.id')
        .select(['l.action', 'd.company_name', 'd.description'])
        .where('l.actor_id', '=', people.root!)
        .orderBy('l.created_at')
        .execute(),
    );
    expect(seen.map((row) => row.action)).toEqual(['view.start', 'campaign.pause', 'view.end']);
    expect(JSON.stringify(seen)).not.toContain('Rooted');
  });

  test('who may view as whom', async () => {
    const outcome: Record<string, number> = {};
    for (const [viewer, host] of [
      ['root', HOST],
      ['rootadmin', HOST],
      ['rootsales', HOST],
      ['agency', 'acme.test'],
      ['agencyadmin', HOST],
      ['agencysales', 'acme.test'],
      ['client', 'acme.test'],
    ] as const) {
      const token = await signIn(viewer, host);
      for (const viewed of Object.keys(people)) {
        const { status } = await start(token, viewed, host);
        outcome[`${viewer} > ${viewed}`] = status;
        if (status === 200) await post('/api/user/switch/revert', token, {}, host);
      }
    }
    const may = Object.keys(outcome).filter((key) => outcome[key] === 200);
    const below = ['agency', 'agencyadmin', 'agencysales', 'client', 'clientadmin', 'rival', 'rivalclient'];
    expect(may).toEqual([
      ...below.map((name) => `root > ${name}`),
      ...below.map((name) => `rootadmin > ${name}`),
      'agency > client',
      'agency > clientadmin',
      'agencyadmin > client',
      'agencyadmin > clientadmin',
    ]);
    // The actor's own company is visible but refused; companies they cannot see return 404; the rest have no permission
    // at all.
    expect(outcome).toMatchObject({
      'root > root': 403,
      'root > rootmate': 403,
      'root > otherclient': 404,
      'agency > agency': 403,
      'agency > agencyadmin': 403,
      'agency > root': 404,
      'agency > rival': 404,
      'agency > rivalclient': 404,
      'agencyadmin > agency': 403,
      // Nothing is assigned to these salespeople.
      'rootsales > client': 404,
      'agencysales > client': 404,
      'client > clientadmin': 403,
      'client > agency': 403,
    });
  });

  test('the rule by itself', () => {
    const at = (
      kind: CompanyKind,
      role: string,
      agencyId: string | null,
      companyId: string,
      rootId = 'r',
    ) => ({
      rootId,
      agencyId,
      companyId,
      kind,
      role,
    });
    const viewed = at('client', 'owner', 'a', 'c');
    expect(mayView(at('root', 'owner', null, 'r'), viewed)).toBe(true);
    expect(mayView(at('agency', 'owner', 'a', 'a'), viewed)).toBe(true);
    expect(mayView(at('agency', 'owner', 'b', 'b'), viewed)).toBe(false);
    expect(mayView(at('agency', 'owner', 'a', 'a'), at('agency', 'owner', 'a', 'a'))).toBe(false);
    // For salespeople assignment is checked too; they view owners only.
    expect(mayView(at('agency', 'sales', 'a', 'a'), viewed)).toBe(true);
    expect(mayView(at('agency', 'sales', 'b', 'b'), viewed)).toBe(false);
    expect(mayView(at('root', 'sales', null, 'r'), at('client', 'administrator', 'a', 'c'))).toBe(false);
    expect(mayView(at('client', 'owner', 'a', 'c'), viewed)).toBe(false);
    expect(mayView(at('root', 'owner', null, 's', 's'), viewed)).toBe(false);
    expect(mayView(at('root', 'owner', null, 'r'), at('root', 'owner', null, 'r'))).toBe(false);
    const now = new Date('2026-01-01T00:00:00Z');
    const later = (minutes: number): Date => new Date(now.getTime() + minutes * 60_000);
    expect(viewEnd(now, later(60))).toEqual(later(30));
    expect(viewEnd(now, later(20))).toEqual(later(20));
  });

  test('a reason is asked for: 5 to 255 characters', async () => {
    const token = await signIn('root');
    for (const reason of ['', '    ', 'abcd', ' abcd ', 'x'.repeat(256), 'two\nlines']) {
      const { status, body } = await start(token, 'client', HOST, reason);
      expect([reason, status, Object.keys(body.errors as object)]).toEqual([reason, 422, ['reason']]);
    }
    expect((await post('/api/user/switch', token, { usrID: people.client })).status).toBe(422);
    for (const reason of ['abcde', 'x'.repeat(255)]) {
      expect((await start(token, 'client', HOST, reason)).status).toBe(200);
      await post('/api/user/switch/revert', token);
    }
  });

  test('lasts 30 minutes, and 30 more from each renewal; then the login is what it was', async () => {
    const { token, refresh } = await login('root');
    const view = await viewAs(token, 'client');
    app.clock.advance(14 * 60_000);
    // Another token of the same view, as the client gets one every 15 minutes.
    const quarter = await renewed(refresh);
    const second = quarter.body.view as unknown as { access_token: string; expires_in: number };
    expect([sessionOf(second.access_token), second.expires_in]).toEqual([sessionOf(view), 15 * 60]);
    app.clock.advance(10 * 60_000);
    const more = await post('/api/user/switch/renew', second.access_token);
    expect([more.status, more.body.expires_at]).toEqual([
      200,
      new Date(app.clock.now().getTime() + 30 * 60_000).toISOString(),
    ]);
    expect(await newestLog()).toMatchObject({
      action: 'view.renew',
      actor_id: people.root,
      viewed_as_id: people.client,
    });
    app.clock.advance(25 * 60_000);
    const third = await renewed(quarter.body.refresh_token as string);
    expect(sessionOf((third.body.view as unknown as { access_token: string }).access_token)).toBe(
      sessionOf(view),
    );

    const again = await login('root');
    await viewAs(again.token, 'client');
    app.clock.advance(29 * 60_000 + 50_000);
    const last = await renewed(again.refresh);
    const lastView = last.body.view as unknown as { access_token: string; expires_in: number };
    expect(lastView.expires_in).toBe(10);
    expect((await get('/api/user', lastView.access_token)).body.isViewMode).toBe(true);
    app.clock.advance(10_000);
    expect((await get('/api/user', lastView.access_token)).status).toBe(401);
    expect((await post('/api/user/switch/renew', lastView.access_token)).status).toBe(401);
    const after = await renewed(last.body.refresh_token as string);
    expect([after.status, after.body.view]).toEqual([200, undefined]);
    expect((await get('/api/user', after.body.access_token as string)).body).toMatchObject({
      id: people.root,
      isViewMode: false,
    });
    // An expired view does not block the next one.
    await viewAs(after.body.access_token as string, 'agency');
  });

  test('a view token of before its end is of no use after it, whatever its own end says', async () => {
    const token = await signIn('root');
    const view = await viewAs(token, 'client');
    await change(
      `update session set expires_at = $2 where id = $1`,
      [sessionOf(view), app.clock.now()],
      view,
    );
    expect((await get('/api/user', view)).status).toBe(401);
  });

  test('never lasts longer than the login behind it', async () => {
    const token = await signIn('root');
    const end = new Date(app.clock.now().getTime() + 10 * 60_000);
    await change(`update session set expires_at = $2 where id = $1`, [sessionOf(token), end], token);
    const { body } = await start(token, 'client');
    expect(body).toMatchObject({ expires_at: end.toISOString(), expires_in: 600 });
    const { body: more } = await post('/api/user/switch/renew', body.access_token as string);
    expect(more.expires_at).toBe(end.toISOString());
  });

  test('one view for each login, none from within another', async () => {
    const token = await signIn('root');
    const view = await viewAs(token, 'agency');
    const twice = await start(token, 'client');
    expect([twice.status, twice.body.message]).toEqual([409, ownMessages.viewAlready]);
    // The agency's owner could view as its client, but not from inside this view.
    const nested = await start(view, 'client');
    expect([nested.status, nested.body.message]).toEqual([403, ownMessages.notInView]);
    const elsewhere = await signIn('root');
    const other = await viewAs(elsewhere, 'client');
    expect((await get('/api/user', view)).body.id).toBe(people.agency);
    expect((await get('/api/user', other)).body.id).toBe(people.client);
    // The login behind may renew and end the view, too.
    expect((await post('/api/user/switch/renew', token)).status).toBe(200);
    expect(await newestLog()).toMatchObject({ actor_id: people.root, viewed_as_id: people.agency });
    expect((await post('/api/user/switch/revert', token)).status).toBe(200);
    expect((await get('/api/user', view)).status).toBe(401);
    expect((await get('/api/user', other)).status).toBe(200);
    for (const path of ['revert', 'renew']) {
      const none = await post(`/api/user/switch/${path}`, token);
      expect([path, none.status, none.body.message]).toEqual([path, 409, ownMessages.viewNone]);
    }
    const atOnce = await Promise.all([1, 2, 3, 4].map(() => start(token, 'client')));
    expect(atOnce.map((one) => one.status).sort()).toEqual([200, 409, 409, 409]);
  });

  test('ends with the login: signed out, signed out in view mode, ended from another device', async () => {
    const first = await login('root');
    const view = await viewAs(first.token, 'client');
    await post('/api/logout', first.token);
    expect((await get('/api/user', view)).status).toBe(401);
    expect((await renewed(first.refresh)).status).toBe(401);

    const second = await login('root');
    const inside = await viewAs(second.token, 'client');
    app.clock.advance(1000);
    expect((await post('/api/logout', inside)).status).toBe(200);
    expect(await newestLog()).toMatchObject({ action: 'logout', actor_id: people.root });
    for (const token of [inside, second.token]) expect((await get('/api/user', token)).status).toBe(401);
    expect((await renewed(second.refresh)).status).toBe(401);

    const third = await login('root');
    const away = await viewAs(third.token, 'client');
    await post('/api/user/sessions/end-others', await signIn('root'));
    expect((await get('/api/user', away)).status).toBe(401);
  });

  test('ends when either person or company may not any more', async () => {
    for (const [what, undo, id] of [
      [
        'update user_account set disabled_at = now() where id = $1',
        'update user_account set disabled_at = null where id = $1',
        people.clientadmin,
      ],
      [
        'update user_account set disabled_at = now() where id = $1',
        'update user_account set disabled_at = null where id = $1',
        people.rootmate,
      ],
      [
        `update user_account set role = 'sales' where id = $1`,
        `update user_account set role = 'administrator' where id = $1`,
        people.rootmate,
      ],
      [
        'update company set removed_at = now() where id = $1',
        'update company set removed_at = null where id = $1',
        client.id,
      ],
    ]) {
      const { token, refresh } = await login('rootmate');
      const view = await viewAs(token, 'clientadmin');
      expect((await get('/api/user', view)).status).toBe(200);
      await change(what!, [id], view, token);
      expect([what, (await get('/api/user', view)).status]).toEqual([what, 401]);
      expect([what, (await renewed(refresh)).body.view]).toEqual([what, undefined]);
      if (id !== people.rootmate) expect((await start(token, 'clientadmin')).status).toBe(404);
      await change(undo!, [id], view, token);
    }
  });

  test('forged and foreign tokens are refused', async () => {
    const token = await signIn('root');
    const view = await viewAs(token, 'client');
    const { kid, privateKey } = await app.features.auth.keys.signing();
    const signed = (claims: Record<string, unknown>) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid }).sign(privateKey);
    const claims = decodeJwt(view);
    expect((await get('/api/user', await signed(claims))).status).toBe(200);
    for (const [name, forged] of Object.entries({
      withoutActor: await signed({ ...claims, act: undefined }),
      anotherActor: await signed({ ...claims, act: { sub: people.rootadmin } }),
      loginWithActor: await signed({ ...decodeJwt(token), act: { sub: people.root } }),
      cut: view.slice(0, -4),
    })) {
      expect([name, (await get('/api/user', forged)).status]).toEqual([name, 401]);
    }
    for (const host of ['acme.test', 'other.test'])
      expect([host, (await get('/api/user', view, host)).status]).toEqual([host, 401]);
    // A view has no refresh token, not even one made with the right key.
    const key = app.features.auth.sessions.refreshKey;
    expect((await renewed(rotatingToken(key, sessionOf(view), 0))).status).toBe(401);
    expect((await get('/api/user', view)).status).toBe(200);
  });

  test('a view is no device of the person viewed, who can neither see nor end it by the list', async () => {
    const token = await signIn('root');
    const view = await viewAs(token, 'clientadmin');
    const own = await signIn('clientadmin', 'acme.test');
    const list = (await get('/api/user/sessions', own, 'acme.test')).body.data as unknown as { id: string }[];
    expect(list.map((row) => row.id)).not.toContain(sessionOf(view));
    expect((await post('/api/user/sessions/end-others', own, {}, 'acme.test')).status).toBe(200);
    const gone = await app.call('DELETE', `/api/user/sessions/${sessionOf(view)}`, {
      host: 'acme.test',
      token: own,
    });
    expect(gone.status).toBe(404);
    expect((await get('/api/user', view)).status).toBe(200);
  });

  test('a download that is asked for in view mode is the true actor’s', async () => {
    const view = await viewAs(await signIn('root'), 'client');
    app.clock.advance(1000);
    const { status, body } = await post('/api/general/download-token', view, {
      path: '/api/leadspeek/report/lead/export',
    });
    expect(status).toBe(200);
    expect(await newestLog()).toMatchObject({
      action: 'download',
      actor_id: people.root,
      viewed_as_id: people.client,
    });
    const tenant = (await app.features.tenants.byHost(HOST))!;
    const used = await app.features.auth.actorOfDownload(
      new URL(String(body.url), 'http://x').searchParams.get('token')!,
      '/api/leadspeek/report/lead/export',
      tenant,
    );
    expect(used).toMatchObject({ userId: people.client, trueActor: { userId: people.root } });
  });

  test('a download that was asked for in view mode is over with the view, and with the login behind it', async () => {
    for (const end of ['/api/user/switch/revert', '/api/logout']) {
      const view = await viewAs(await signIn('rootmate'), 'rivalclient');
      const path = '/api/leadspeek/report/lead/export';
      const made = await post('/api/general/download-token', view, { path });
      const kept = await post('/api/general/download-token', view, { path });
      const ask = (url: unknown) => app.call('GET', String(url), { host: HOST });
      expect((await ask(made.body.url)).status).toBe(200);
      expect((await post(end, view, {})).status).toBe(200);
      expect([end, (await ask(kept.body.url)).status]).toEqual([end, 401]);
    }
  });
});

interface Definition {
  '~orpc': { route: { method?: string; path?: string }; meta: { access?: string; notInView?: true } };
}
const calls = Object.values(contract).flatMap((feature) =>
  Object.entries(feature as unknown as Record<string, Definition>).map(([name, call]) => ({
    name,
    ...call['~orpc'],
  })),
);

describe('[BEY-12] what view mode may not do', () => {
  test('is refused at the API with a clear text, no matter who is viewed', async () => {
    const guarded = calls.filter((call) => call.meta.notInView);
    const views = [
      await viewAs(await signIn('root'), 'client'),
      await viewAs(await signIn('root'), 'agency'),
      await viewAs(await signIn('root'), 'agencysales'),
    ];
    const refused = new Set<string>();
    for (const view of views) {
      for (const { name, route } of guarded) {
        const url = `/api${route.path}`.replace(/\{\w+\}/g, people.client!);
        const { status, body } = await app.call(route.method as 'POST', url, {
          host: HOST,
          token: view,
          ...(route.method === 'GET' ? {} : { body: {} }),
        });
        expect([name, status]).toEqual([name, 403]);
        if (body.message === ownMessages.notInView) refused.add(`${route.method} ${route.path}`);
      }
    }
    // Each is refused because of the view, not only because the role may not do it anyway. Roots cannot be viewed, so
    // root-only calls are refused for that reason alone.
    const reachable = guarded.filter(({ meta }) =>
      (PERMISSIONS[meta.access as Permission] as readonly Grade[]).some(
        (grade) => !grade.startsWith('root.'),
      ),
    );
    expect([...refused].sort()).toEqual(reachable.map(({ route }) => `${route.method} ${route.path}`).sort());
  });

  test('every call that touches passwords, second factors, sessions, cards or charges says so', () => {
    const touches = /password|twofactor|tfa|\/sessions\/|\/sso\/|card|charge|topup|payment|\/user\/switch$/i;
    const wanted = calls.filter(
      ({ route, meta }) =>
        meta.access !== 'public' &&
        touches.test(route.path ?? '') &&
        // Reading reveals nothing usable, except the secret of an authenticator.
        (route.method !== 'GET' || /google-tfa/.test(route.path ?? '')),
    );
    expect(wanted.filter(({ meta }) => !meta.notInView).map(({ name }) => name)).toEqual([]);
    expect(wanted.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'resetPassword',
        'saveTwoFactor',
        'googleTfa',
        'endSession',
        'endOtherSessions',
        'topUp',
        'switchUser',
      ]),
    );
  });
});

describe('[ROLE-02] the view of a sales person', () => {
  /**
   * The token of a view of the actor's agency, or of its client, by one of the root's salespeople to whom it is
   * assigned.
   */
  async function look(viewed: string): Promise<string> {
    await app.make.sales(agency, { representative: people.rootsales! });
    return viewAs(await signIn('rootsales'), viewed);
  }

  test('is of the owners of what is in their care and of the clients of that, and of no one else', async () => {
    const root = await signIn('rootsales');
    const seller = await signIn('agencysales', 'acme.test');
    const tried = async (token: string, host: string) => {
      const outcome: Record<string, number> = {};
      for (const name of Object.keys(people)) {
        const { status } = await start(token, name, host);
        outcome[name] = status;
        if (status === 200) await post('/api/user/switch/revert', token, {}, host);
      }
      return outcome;
    };
    await app.make.sales(agency, { account_executive: people.rootsales! });
    const ofRoot = await tried(root, HOST);
    expect(Object.keys(ofRoot).filter((name) => ofRoot[name] === 200)).toEqual(['agency', 'client']);
    expect(ofRoot).toMatchObject({ agencyadmin: 403, clientadmin: 403, agencysales: 403 });
    expect(ofRoot).toMatchObject({
      rival: 404,
      rivalclient: 404,
      root: 404,
      rootmate: 404,
      otherclient: 404,
    });
    await app.make.sales(client, { representative: people.agencysales! });
    const ofAgency = await tried(seller, 'acme.test');
    expect(Object.keys(ofAgency).filter((name) => ofAgency[name] === 200)).toEqual(['client']);
    expect(ofAgency).toMatchObject({
      agency: 404,
      rival: 404,
      rivalclient: 404,
      root: 404,
      otherclient: 404,
    });
    await app.admin.query('delete from sales_assignment');
  });

  test('shows the work of the company, and neither its settings, people and payments nor what owners alone see', async () => {
    const view = await look('agency');
    const me = (await get('/api/user', view)).body;
    expect(me).toMatchObject({
      id: people.agency,
      grade: 'agency.administrator',
      user_type: 'userdownline',
      user_type_ori: 'sales',
      isViewMode: true,
    });
    expect((await get('/api/leadspeek/client/list', view)).status).toBe(200);
    expect((await get('/api/leadspeek/report/lead', view)).status).toBe(200);
    expect((await get(`/api/leadspeek/getcampaign/${campaign.id}`, view)).status).toBe(200);
    for (const url of [
      '/api/configuration/setting',
      `/api/configuration/setting/${agency.id}/costagency`,
      `/api/configuration/user/${agency.id}/all/all/administrator/all/all/all/all`,
      '/api/user/views',
    ])
      expect([url, (await get(url, view)).status]).toEqual([url, 403]);
    // Who an alert goes to is told by name.
    const { body } = await get(`/api/alerts/choices?companyID=${client.id}`, view);
    const users = body.users as unknown as { name: string; email: string }[];
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter(({ email }) => email !== '')).toEqual([]);
  });

  test('opens no reading but those of the work: every GET call is asked', async () => {
    const read: Record<string, string[]> = {};
    for (const viewed of ['agency', 'client']) {
      const view = await look(viewed);
      read[viewed] = [];
      for (const { route, meta } of calls) {
        if (meta.access === 'public' || route.method !== 'GET') continue;
        const id = /campaign|leadspeekID/i.test(route.path!) ? campaign.id : people[viewed]!;
        const { status } = await get(`/api${route.path}`.replace(/\{\w+\}/g, id), view);
        if (status !== 403) read[viewed].push(meta.access!);
      }
      for (const url of [
        '/ledger/statement',
        '/ledger/statement?view=wallet',
        '/ledger/caps',
        `/configuration/user/${agency.id}/all/all/client/all/all/all/all`,
        '/configuration/company/list',
        `/leadspeek/client/remaining-balance/${campaign.id}`,
        `/leadspeek/client/current-topup/${campaign.id}`,
        '/user/activity',
        '/user/sessions',
        '/user/passkeys',
        '/user/recovery-codes',
      ])
        expect([url, (await get(`/api${url}`, view)).status]).toEqual([url, 403]);
      const { data } = (await get('/api/leadspeek/client/list', view)).body;
      expect((data as { balance_micros: null }[]).map((row) => row.balance_micros)).toContain(null);
      await post('/api/user/switch/revert', view);
    }
    const work = [
      'banner.read',
      'campaign.read',
      'exclusion.read',
      'insight.read',
      'integration.read',
      'lead.read',
    ];
    expect([...new Set(read.agency)].sort()).toEqual([...work, 'client.list', 'session.own'].sort());
    expect([...new Set(read.client)].sort()).toEqual([...work, 'session.own'].sort());
    // Who is viewed, and what the pages themselves need.
    expect(read.agency!.filter((access) => access === 'session.own')).toHaveLength(9);
    const clients = await get('/api/leadspeek/report/clients', await look('agency'));
    expect((clients.body.data as { balance_micros: null }[]).map((row) => row.balance_micros)).toContain(
      null,
    );
  });

  test('changes and downloads nothing: every call that is no reading is refused', async () => {
    for (const view of [await look('agency'), await look('client')]) {
      const open: string[] = [];
      for (const { route, meta } of calls) {
        if (meta.access === 'public' || route.method === 'GET') continue;
        const url = `/api${route.path}`.replace(/\{\w+\}/g, people.client!);
        // Last, since it ends the view.
        if (/logout|revert/.test(url)) continue;
        const { status } = await app.call(route.method as 'POST', url, { host: HOST, token: view, body: {} });
        if (status !== 403) open.push(url);
      }
      expect(open.sort()).toEqual(['/api/user/getuserdata', '/api/user/switch/renew']);
      const form = new FormData();
      form.set('name', 'Mallory');
      const profile = await app.server.inject({
        method: 'POST',
        url: '/api/user/update',
        headers: { host: HOST, authorization: `Bearer ${view}` },
        payload: form,
      });
      expect([profile.statusCode, profile.json().message]).toEqual([403, ownMessages.salesView]);
      const file = await post('/api/general/download-token', view, {
        path: '/api/leadspeek/report/lead/export',
      });
      expect([file.status, file.body.message]).toEqual([403, ownMessages.salesView]);
      expect((await post('/api/user/switch/revert', view)).status).toBe(200);
    }
  });

  test('is in the log under their own name, and ends as soon as the company is taken from them', async () => {
    const { token, refresh } = await login('rootsales');
    await app.make.sales(agency, { representative: people.rootsales! });
    const view = await viewAs(token, 'client');
    expect(await newestLog()).toMatchObject({
      action: 'view.start',
      actor_id: people.rootsales,
      viewed_as_id: people.client,
      name: 'rootsales person as client person',
      type_user: 'root.sales',
    });
    // Referring a company does not assign it to the sales person.
    await change(
      `update sales_assignment set role = 'referrer' where user_id = $1`,
      [people.rootsales],
      view,
    );
    expect((await get('/api/user', view)).status).toBe(401);
    expect((await renewed(refresh)).body.view).toBeUndefined();
    expect((await start(token, 'client')).status).toBe(404);
    await change('delete from sales_assignment where user_id = $1', [people.rootsales], view);
  });
});

describe('[NAV-03] the list that a view begins from', () => {
  const list = async (token: string, query = '', host = HOST) =>
    (await get(`/api/configuration/company/list${query}`, token, host)).body as unknown as {
      data: { id: string; company_name: string; kind: string; user_id: string | null; clients: number }[];
      total: number;
    };

  test('a root sees its agencies, and the clients of each; an agency its clients', async () => {
    const token = await signIn('root');
    const agencies = await list(token);
    expect(agencies.total).toBe(2);
    expect(agencies.data.find((row) => row.id === agency.id)).toMatchObject({
      company_name: 'Acme',
      kind: 'agency',
      clients: 2,
      user_id: people.agency,
      name: 'agency person',
      email: 'agency@x.test',
    });
    const clients = await list(token, `?companyID=${agency.id}&sortby=company_name&order=asc`);
    expect(clients.data.map((row) => [row.kind, row.company_name === 'Cleo Ltd', row.user_id])).toEqual([
      ['client', true, people.client],
      ['client', false, null],
    ]);
    expect((await list(token, `?companyID=${agency.id}&order=desc`)).data.map((row) => row.user_id)).toEqual([
      null,
      people.client,
    ]);
    // What is no column sorts by name, also if every object has a property of that name.
    const odd = await list(token, `?companyID=${agency.id}&sortby=toString&order=asc`);
    expect(odd.data).toEqual(clients.data);
    const own = await list(await signIn('agency', 'acme.test'), '?searchQuery=cleo', 'acme.test');
    expect(own).toMatchObject({ total: 1, data: [{ id: client.id, user_id: people.client }] });
    expect(await list(token, '?searchQuery=agency@x')).toMatchObject({ total: 1, data: [{ id: agency.id }] });
    expect((await list(token, '?searchQuery=%25')).total).toBe(0);
    expect((await list(token, '?PerPage=1&Page=2')).data).toHaveLength(1);
  });

  test('another’s agency is not there, and a client is no agency', async () => {
    const token = await signIn('agency', 'acme.test');
    const { rows } = await app.admin.query(`select company_id from user_account where id = $1`, [
      people.rival,
    ]);
    for (const id of [rows[0].company_id, client.id, root.id]) {
      const { status } = await get(`/api/configuration/company/list?companyID=${id}`, token, 'acme.test');
      expect([id, status]).toEqual([id, 404]);
    }
  });
});

type ViewRow = { who: string; reason: string };
describe('[BEY-12] what the company viewed sees', () => {
  const views = async (who: string, host: string, query = '') =>
    get(`/api/user/views${query}`, await signIn(who, host), host);
  const texts = async (who: string, host: string) =>
    ((await views(who, host)).body.data as ViewRow[]).map((row) => `${row.who}: ${row.reason}`);

  test('is who looked at its people, when, why and until when; no one else is told', async () => {
    const fresh = await app.make.client(agency, { name: 'Fresh Ltd' });
    const passwordHash = await app.features.users.hashPassword(PASSWORD);
    for (const role of ['owner', 'administrator'] as const) {
      const name = role === 'owner' ? 'fresh' : 'freshadmin';
      const given = { email: `${name}@x.test`, name: `${name} person`, role, passwordHash };
      people[name] = (await app.make.user(fresh, given)).id;
    }
    const agencyBefore = (await views('agency', 'acme.test')).body.total;
    const begun = app.clock.now();
    const { token } = await login('root');
    await viewAs(token, 'fresh');
    const now = (await views('fresh', 'acme.test')).body;
    expect(now).toMatchObject({ total: 1, from: 1, to: 1 });
    expect((now.data as ViewRow[])[0]).toMatchObject({
      who: 'root person as fresh person',
      reason: REASON,
      started_at: begun.toISOString(),
      until: new Date(begun.getTime() + 30 * 60_000).toISOString(),
      active: true,
    });
    app.clock.advance(60_000);
    const ended = app.clock.now();
    expect((await post('/api/user/switch/revert', token)).status).toBe(200);
    expect(((await views('fresh', 'acme.test')).body.data as ViewRow[])[0]).toMatchObject({
      until: ended.toISOString(),
      active: false,
    });
    // A second view of the same user by the same user: each has its own reason and end.
    await start(token, 'fresh', HOST, 'Second look');
    expect(await texts('fresh', 'acme.test')).toEqual([
      'root person as fresh person: Second look',
      `root person as fresh person: ${REASON}`,
    ]);
    expect((await views('fresh', 'acme.test', '?Page=2&PerPage=1')).body).toMatchObject({
      total: 2,
      data: [{ reason: REASON, active: false, until: ended.toISOString() }],
    });
    await post('/api/user/switch/revert', token);
    // Not the agency above, though its scope includes the rows, nor a sibling, nor users who are not owners.
    expect((await views('agency', 'acme.test')).body.total).toBe(agencyBefore);
    expect((await texts('agency', 'acme.test')).join()).not.toContain('fresh');
    expect((await texts('rival', 'rival.test')).join()).not.toContain('fresh');
    expect((await views('freshadmin', 'acme.test')).status).toBe(403);
    expect((await views('root', HOST)).status).toBe(403);
  });
});
