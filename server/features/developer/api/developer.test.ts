import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PERMISSIONS } from '../../../../contract/accounts/permissions.ts';
import {
  API_SCOPES,
  CHOSEN_SCOPES,
  mayScope,
  SCOPE_NAMES,
} from '../../../../contract/developer/developer-rules.ts';
import { LEAD_VERSION } from '../../../../contract/developer/versions.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { type Dues, duesOf } from '../../../test/dues.ts';
import type { Company } from '../../../test/factories.ts';
import { outliveCaches } from '../../../test/outlive.ts';
import { auditLedger } from '../../money/ledger/index.ts';
import * as policy from './key.policy.ts';
import { acceptedUnpaid } from './unpaid.store.ts';

const HOST = 'acme.test';
const OTHER = 'other.test';
let app: TestApp;
let root: Company;
let dues: Dues;
let acme: Company;
let other: Company;
let owner: { id: string; email: string };
let stranger: { id: string; email: string };
let token: string;
let theirs: string;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  dues = duesOf(app, root);
  acme = await app.make.agency(root, { host: HOST, name: 'Acme' });
  other = await app.make.agency(root, { host: OTHER, name: 'Other' });
  owner = await app.make.user(acme, { email: 'ann@x.test', name: 'Ann Owner', password: PASSWORD });
  stranger = await app.make.user(other, { email: 'sam@x.test', password: PASSWORD });
  await app.make.developer(acme, owner.id);
  await app.make.developer(other, stranger.id);
});
afterAll(async () => {
  const { checks } = await auditLedger(app.admin);
  await app.close();
  expect(checks.filter((one) => one.violations > 0)).toEqual([]);
});
beforeEach(async () => {
  token = await app.signIn(owner.email, HOST);
  theirs = await app.signIn(stranger.email, OTHER);
});

type Made = { id: string; client_id: string; secret_key: string };
const ask = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
  as = token,
  host = HOST,
) => app.call(method, `/api${path}`, { host, token: as, ...(body ? { body } : {}) });
/** A key of Acme, made by its owner. */
async function make(more: object = {}): Promise<Made> {
  const { status, body } = await ask('POST', '/developer/keys', {
    name: 'CRM sync',
    mode: 'live',
    scopes: ['leads.read', 'campaigns.read'],
    ...more,
  });
  expect([status, body.message]).toEqual([200, ownMessages.keyMade]);
  const { id, client_id } = body.data as unknown as Made;
  return { id, client_id, secret_key: String(body.secret_key) };
}
const me = (authorization: string | undefined, host = HOST) =>
  app.call('GET', '/v1/me', { host, headers: authorization ? { authorization } : {} });
const bearer = (secret: string, host = HOST) => me(`Bearer ${secret}`, host);
const basic = (key: Made) => `Basic ${Buffer.from(`${key.client_id}:${key.secret_key}`).toString('base64')}`;
/** Requests a token with a form. */
async function tokenOf(
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
  host = HOST,
) {
  const response = await app.server.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { host, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(form).toString(),
  });
  return { status: response.statusCode, body: response.json(), headers: response.headers };
}
const credentials = (key: Made, more: Record<string, string> = {}) => ({
  grant_type: 'client_credentials',
  client_id: key.client_id,
  client_secret: key.secret_key,
  ...more,
});
const listed = async (id: string) =>
  ((await ask('GET', '/developer/keys')).body.data as unknown as { id: string; state: string }[]).find(
    (one) => one.id === id,
  );
const log = async (id: string) =>
  (
    await app.admin.query(
      `select l.action, l.actor_id, d.description from user_log l join user_log_detail d on d.log_id = l.id
       where l.object_id = $1 order by l.created_at, l.id`,
      [id],
    )
  ).rows;
const set = (sql: string, ...values: unknown[]) => app.admin.query(sql, values);
const terms = (values: object, company = acme) =>
  inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
    app.features.billing.accounts.setTerms(
      tx,
      { root_id: root.id, agency_id: company.id, company_id: company.id },
      { ...values, updated_at: app.clock.now() },
    ),
  );

describe('a secret', () => {
  test('[DEV-01] has its prefix, 256 random bits and a checksum that a wrong letter breaks', () => {
    for (const mode of ['live', 'test'] as const) {
      const secret = policy.newSecret(mode);
      expect(secret).toMatch(new RegExp(`^lps_${mode}_[0-9A-Za-z]{49}$`));
      expect(policy.isSecret(secret)).toBe(true);
      for (let at = 9; at < secret.length; at++) {
        const letter = secret[at] === 'a' ? 'b' : 'a';
        expect(policy.isSecret(secret.slice(0, at) + letter + secret.slice(at + 1))).toBe(false);
      }
      expect(policy.isSecret(secret.slice(0, -1))).toBe(false);
      expect(policy.newClientId(mode)).toMatch(new RegExp(`^lp_${mode}_[0-9A-Za-z]{22}$`));
    }
    expect(new Set(Array.from({ length: 500 }, () => policy.newSecret('live'))).size).toBe(500);
  });

  test('[DEV-04] no scope is made of a right that moves money, and none goes beyond its maker', () => {
    const money = Object.keys(PERMISSIONS).filter((name) =>
      /^(prepaid|card|account|subscription|payment|payout|credit)\.|\.(topup|pay|refund|price|direct)$|^(wallet|invoice|cost)\.write$/.test(
        name,
      ),
    );
    expect(money.length).toBeGreaterThan(10);
    for (const scope of SCOPE_NAMES)
      for (const needed of API_SCOPES[scope].needs) expect(money, scope).not.toContain(needed);
    const rows = (enable: 'T' | 'F') =>
      (['Ads Design', 'Campaign', 'LeadsPeek', 'Settings'] as const).map((module_name) => ({
        module_name,
        enable_permission: enable,
        create_permission: 'F' as const,
        update_permission: 'F' as const,
        delete_permission: 'F' as const,
      }));
    const of = (scope: (typeof SCOPE_NAMES)[number]) => [
      mayScope('agency.owner', null, scope),
      mayScope('agency.administrator', rows('T'), scope),
      mayScope('agency.administrator', rows('F'), scope),
    ];
    expect(of('campaigns.read')).toEqual([true, true, false]);
    expect(of('campaigns.write')).toEqual([true, false, false]);
    expect(of('wallet.read')).toEqual([true, false, false]);
  });
});

describe('the first key', () => {
  test('[DEV-02] is told as empty, generated with all scopes that need not be chosen, told masked, and generated only once', async () => {
    const get = () => ask('GET', `/general/open-api/${acme.id}`);
    const base_url = `http://${HOST}/v1`;
    expect((await get()).body).toEqual({
      data: { status: 'empty' },
      user: { client_id: '', secret_key: '' },
      base_url,
    });
    const generate = (body: object) => ask('POST', '/general/open-api', body);
    const given = { companyID: acme.id, email: owner.email };
    expect((await generate({ companyID: acme.id })).body.errors).toEqual({ email: ['is required'] });
    const notMine = await generate({ ...given, email: stranger.email });
    expect([notMine.status, notMine.body.errors]).toEqual([
      422,
      { email: ['must be your own email address'] },
    ]);
    expect((await generate({ ...given, companyID: other.id })).status).toBe(404);
    expect((await ask('GET', `/general/open-api/${other.id}`)).status).toBe(404);
    const both = await Promise.all([generate({ ...given, email: ' ANN@x.test ' }), generate(given)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const made = both.find(({ status }) => status === 200)!.body;
    const user = made.user as unknown as { client_id: string; secret_key: string };
    expect(made).toEqual({
      message: messages.keyGenerated,
      data: { status: 'success' },
      user: {
        client_id: expect.stringMatching(/^lp_live_/),
        secret_key: expect.stringMatching(/^lps_live_/),
      },
      base_url,
    });
    expect((await get()).body).toEqual({
      data: { status: 'success' },
      user: { client_id: user.client_id, secret_key: `lps_live_…${user.secret_key.slice(-4)}` },
      base_url,
    });
    expect((await generate(given)).body.message).toBe(ownMessages.keyThere);
    expect((await bearer(user.secret_key)).body).toEqual({
      key: {
        id: expect.any(String),
        version: LEAD_VERSION,
        client_id: user.client_id,
        name: 'API key',
        expires_at: null,
      },
      company: { id: acme.id, name: 'Acme', time_zone: expect.any(String) },
      scopes: SCOPE_NAMES.filter((scope) => !CHOSEN_SCOPES.includes(scope)),
      mode: 'live',
    });
  });

  test('[DEV-01] needs the developer mode, its agreement, and nothing unpaid; only an owner of an agency makes keys', async () => {
    const bare = await app.make.agency(root, { host: 'bare.test' });
    const { email, id } = await app.make.user(bare, { password: PASSWORD });
    const as = await app.signIn(email, 'bare.test');
    const generate = async () => {
      const body = { companyID: bare.id, email };
      const answer = await ask('POST', '/general/open-api', body, as, 'bare.test');
      return [answer.status, answer.body.message];
    };
    expect(await generate()).toEqual([403, ownMessages.developerOff]);
    await terms({ api_mode: true, api_mode_since: app.clock.now() }, bare);
    expect(await generate()).toEqual([409, ownMessages.developerNotAgreed]);
    await app.make.developer(bare, id);
    await terms({ payment_status: 'failed' }, bare);
    expect(await generate()).toEqual([409, ownMessages.developerUnpaid]);
    await terms({ payment_status: '' }, bare);
    expect((await generate())[0]).toBe(200);
    const admin = await app.make.user(acme, { role: 'administrator', password: PASSWORD });
    const administrator = await app.signIn(admin.email, HOST);
    expect((await ask('GET', '/developer/keys', undefined, administrator)).status).toBe(403);
  });
});

describe('keys', () => {
  test('[DEV-01] [BEY-14] are made with name, mode, scopes and an end; the secret is shown once and kept as its hash', async () => {
    const key = await make({ mode: 'test', expires_in_days: 30 });
    const { data, is_agreed, token_url } = (await ask('GET', '/developer/keys')).body;
    expect([is_agreed, token_url]).toEqual([true, `http://${HOST}/oauth/token`]);
    expect((data as unknown as { id: string }[]).find((one) => one.id === key.id)).toEqual({
      id: key.id,
      version: LEAD_VERSION,
      app: null,
      name: 'CRM sync',
      mode: 'test',
      client_id: key.client_id,
      secret_hint: `lps_test_…${key.secret_key.slice(-4)}`,
      scopes: ['campaigns.read', 'leads.read'],
      state: 'active',
      made_by: 'Ann Owner',
      created_at: app.clock.now().toISOString(),
      rotated_at: null,
      previous_until: null,
      expires_at: new Date(app.clock.now().getTime() + 30 * 86_400_000).toISOString(),
      last_used_at: null,
      last_used_ip: null,
    });
    expect((await bearer(key.secret_key)).body.mode).toBe('test');
    const { rows } = await app.admin.query(
      'select k::text as row, secret_hash from developer_key k where id = $1',
      [key.id],
    );
    expect(rows[0].row).not.toContain(key.secret_key.slice(9, 52));
    expect(rows[0].secret_hash).toEqual(policy.hashOf(key.secret_key));
    expect(await log(key.id)).toEqual([
      {
        action: 'apikey.make',
        actor_id: owner.id,
        description: expect.stringContaining(
          `Created the test API key CRM sync (${key.client_id}), valid until April 9, 2026`,
        ),
      },
    ]);
    const mails = await app.admin.query(
      `select subject from mail where kind = 'developer.key' and company_id = $1`,
      [acme.id],
    );
    expect(mails.rows.at(-1)).toEqual({ subject: 'A new API key was created' });
  });

  test('[DEV-01] bad input is refused by field and rule, and nothing is made', async () => {
    const count = async () =>
      (await app.admin.query('select count(*)::int as n from developer_key')).rows[0].n;
    const before = await count();
    const good = { name: 'x', mode: 'live', scopes: ['leads.read'] };
    const faults: [object, Record<string, string[]>][] = [
      [{ name: ' ' }, { name: ['is required'] }],
      [{ name: 'x'.repeat(61) }, { name: ['must not exceed 60 characters'] }],
      [{ name: 'a\nb' }, { name: ['must not contain control characters'] }],
      [{ scopes: [] }, { scopes: ['must list at least one'] }],
      [{ scopes: ['leads.read', 'leads.read'] }, { scopes: ['must list each only once'] }],
      [{ expires_in_days: 0 }, { expires_in_days: ['must be at least 1'] }],
      [{ expires_in_days: 731 }, { expires_in_days: ['must not exceed 730'] }],
    ];
    for (const [more, errors] of faults) {
      const { status, body } = await ask('POST', '/developer/keys', { ...good, ...more });
      expect([status, body.errors]).toEqual([422, errors]);
    }
    for (const more of [{ mode: 'prod' }, { scopes: ['money.move'] }])
      expect((await ask('POST', '/developer/keys', { ...good, ...more })).status).toBe(422);
    expect(await count()).toBe(before);
  });

  test('[BEY-14] making, rotating, deleting and enabling ask for a fresh confirmation, disabling does not; none in view mode', async () => {
    const key = await make();
    const boss = await app.make.user(root, { password: PASSWORD });
    const { body: view } = await app.call('POST', '/api/user/switch', {
      host: 'root.test',
      token: await app.signIn(boss.email, 'root.test'),
      body: { usrID: owner.id, reason: 'Support' },
    });
    const asViewer = (method: 'POST' | 'PUT' | 'DELETE', path: string, body: object) =>
      app.call(method, `/api${path}`, { host: 'root.test', token: String(view.access_token), body });
    const changes: ['POST' | 'PUT' | 'DELETE', string, object][] = [
      ['POST', '/developer/keys', { name: 'x', mode: 'live', scopes: ['leads.read'] }],
      ['POST', '/general/open-api', { companyID: acme.id, email: owner.email }],
      ['POST', `/developer/keys/${key.id}/rotate`, {}],
      ['PUT', `/developer/keys/${key.id}`, { disabled: 'F' }],
      ['DELETE', `/developer/keys/${key.id}`, {}],
    ];
    for (const [method, path, body] of changes)
      expect((await asViewer(method, path, body)).body.message).toBe(ownMessages.notInView);
    const login = { host: HOST, body: { username: owner.email, password: PASSWORD } };
    const { body: session } = await app.call('POST', '/api/login', login);
    app.clock.advance(3_600_000);
    const renewed = await app.call('POST', '/api/auth/refresh-token', {
      host: HOST,
      body: { refresh_token: session.refresh_token },
    });
    const old = String(renewed.body.access_token);
    for (const [method, path, body] of changes)
      expect((await ask(method, path, body, old)).body.errors).toEqual({ confirm: ['password'] });
    expect((await ask('PUT', `/developer/keys/${key.id}`, { disabled: 'T' }, old)).status).toBe(200);
  });

  test("[DEV-01] another agency's key is not there, and neither is what it opens at another tenant's address", async () => {
    const key = await make();
    const before = await log(key.id);
    expect((await ask('GET', '/developer/keys', undefined, theirs, OTHER)).body.data).toEqual([]);
    for (const [method, path, body] of [
      ['POST', '/rotate', {}],
      ['PUT', '', { disabled: 'T' }],
      ['DELETE', '', undefined],
    ] as const)
      expect((await ask(method, `/developer/keys/${key.id}${path}`, body, theirs, OTHER)).status).toBe(404);
    const far = await app.make.root({ host: 'far.test' });
    await app.make.agency(far, { host: 'far-agency.test' });
    const { body: given } = await tokenOf(credentials(key));
    for (const host of [OTHER, 'far.test', 'far-agency.test']) {
      expect((await bearer(key.secret_key, host)).status).toBe(401);
      expect((await bearer(given.access_token, host)).status).toBe(401);
      expect((await tokenOf(credentials(key), {}, host)).body.error).toBe('invalid_client');
    }
    // Requests at other addresses leave no trace, so they cannot flood the log of the key's own agency.
    expect(await log(key.id)).toEqual(before);
    expect((await bearer(key.secret_key, 'root.test')).status).toBe(200);
    expect((await bearer(key.secret_key)).status).toBe(200);
  });

  test('[BEY-14] a use is noted with its address, at most once a minute', async () => {
    const key = await make();
    const used = async () =>
      (
        await app.admin.query(
          'select last_used_at as at, last_used_ip as ip, xmin from developer_key where id = $1',
          [key.id],
        )
      ).rows[0];
    await bearer(key.secret_key);
    const first = await used();
    expect(first).toMatchObject({ at: app.clock.now(), ip: '127.0.0.1' });
    app.clock.advance(59_000);
    await bearer(key.secret_key);
    expect(await used()).toEqual(first);
    app.clock.advance(1_000);
    await bearer(key.secret_key);
    expect((await used()).at).toEqual(app.clock.now());
  });

  test('[BEY-14] rotation: both secrets for the overlap, never longer; at once without; the tokens of each end with it', async () => {
    const key = await make();
    const { body: before } = await tokenOf(credentials(key));
    const rotate = async (overlap_minutes: number) =>
      (await ask('POST', `/developer/keys/${key.id}/rotate`, { overlap_minutes })).body;
    expect((await rotate(7)).errors).toEqual({ overlap_minutes: ['must be one of 0, 60, 1440, 10080'] });
    const second = String((await rotate(60)).secret_key);
    const works = async (...all: string[]) => {
      const found = [];
      for (const one of all) found.push((await bearer(one)).status === 200);
      return found;
    };
    const old = key.secret_key;
    expect(await works(old, second, before.access_token)).toEqual([true, true, true]);
    const { body: after } = await tokenOf(credentials({ ...key, secret_key: second }));
    app.clock.advance(59 * 60_000);
    expect(await works(old, second, after.access_token)).toEqual([true, true, true]);
    app.clock.advance(61_000);
    // The old secret's token would otherwise still be valid for a while.
    expect(await works(old, second)).toEqual([false, true]);
    token = await app.signIn(owner.email, HOST);
    const { body: middle } = await tokenOf(credentials({ ...key, secret_key: second }));
    const third = String((await rotate(0)).secret_key);
    expect(await works(second, middle.access_token, third)).toEqual([false, false, true]);
    await ask('PUT', `/developer/keys/${key.id}`, { disabled: 'T' });
    expect((await rotate(0)).message).toBe(ownMessages.keyIsDisabled);
    expect((await log(key.id)).map(({ action }) => action).sort()).toEqual([
      'apikey.disable',
      'apikey.make',
      'apikey.refused',
      'apikey.rotate',
      'apikey.rotate',
    ]);
  });

  test('[BEY-14] who rotates a key lends it their rights from then on', async () => {
    const key = await make();
    const second = await app.make.user(acme, { password: PASSWORD, name: 'Bea Second' });
    const as = await app.signIn(second.email, HOST);
    const { body } = await ask('POST', `/developer/keys/${key.id}/rotate`, {}, as);
    expect(body.data).toMatchObject({ made_by: 'Bea Second' });
    await set('update user_account set disabled_at = now() where id = $1', second.id);
    expect((await bearer(String(body.secret_key))).status).toBe(401);
    expect(await listed(key.id)).toMatchObject({ state: 'orphaned' });
    // Another owner takes it over.
    const taken = await ask('POST', `/developer/keys/${key.id}/rotate`, { overlap_minutes: 0 });
    expect((await bearer(String(taken.body.secret_key))).status).toBe(200);
  });

  test('[BEY-14] owners are told 14 and 3 days before the end and when it has come, each once', async () => {
    const key = await make({ name: 'Ends soon', expires_in_days: 30 });
    const told = async () => {
      for (let i = 0; i < 2; i++) await app.features.developer.warn(root.id);
      const { rows } = await app.admin.query(
        `select subject from mail where kind = 'developer.expiry' and subject like '%Ends soon%' and company_id = $1
         group by subject, created_at order by created_at`,
        [acme.id],
      );
      return rows.map(({ subject }) => subject);
    };
    const day = 86_400_000;
    expect(await told()).toEqual([]);
    app.clock.advance(16 * day);
    const soon = expect.stringContaining('The API key “Ends soon” expires on');
    expect(await told()).toEqual([soon]);
    app.clock.advance(5 * day);
    expect(await told()).toEqual([soon]);
    app.clock.advance(6 * day);
    expect(await told()).toEqual([soon, soon]);
    expect((await bearer(key.secret_key)).status).toBe(200);
    app.clock.advance(3 * day);
    expect(await told()).toEqual([soon, soon, 'The API key “Ends soon” has expired']);
    const over = await bearer(key.secret_key);
    expect([over.status, over.body.detail]).toEqual([401, 'This API key has expired.']);
  });
});

describe('a key stops with the next request', () => {
  test('[BEY-14] deleted, also if it is used before that is committed', async () => {
    const key = await make();
    expect((await bearer(key.secret_key)).status).toBe(200);
    const meanwhile: number[] = [];
    app.platform.events.on('log.written', async (_tx, { objectId }) => {
      if (objectId === key.id)
        meanwhile.push(await app.outside(async () => (await bearer(key.secret_key)).status));
    });
    expect((await ask('DELETE', `/developer/keys/${key.id}`)).status).toBe(200);
    expect(meanwhile).toEqual([200]);
    expect((await bearer(key.secret_key)).status).toBe(401);
  });

  test('[BEY-14] disabled, deleted, its maker without the right or gone, the mode off, unpaid, the company removed', async () => {
    const key = await make();
    const { body: given } = await tokenOf(credentials(key));
    // At the root's address, since a removed agency no longer has one.
    const atOnce = async () => [
      (await bearer(key.secret_key, 'root.test')).status,
      (await bearer(given.access_token, 'root.test')).status,
      (await tokenOf(credentials(key), {}, 'root.test')).body.error ?? 'token',
    ];
    // What is changed in the database itself is noticed when what was known has been kept long enough.
    const both = () => {
      outliveCaches();
      return atOnce();
    };
    const fine = [200, 200, 'token'];
    const change = (disabled: 'T' | 'F') => ask('PUT', `/developer/keys/${key.id}`, { disabled });
    const stops: [string, () => Promise<unknown>, () => Promise<unknown>, unknown[], string?][] = [
      ['disabled', () => change('T'), () => change('F'), [401, 401, 'invalid_client'], 'disabled'],
      [
        'the maker is no owner any more',
        () => set(`update user_account set role = 'administrator' where id = $1`, owner.id),
        () => set(`update user_account set role = 'owner' where id = $1`, owner.id),
        [401, 401, 'invalid_client'],
      ],
      [
        'the maker is gone',
        () => set('update user_account set disabled_at = now() where id = $1', owner.id),
        () => set('update user_account set disabled_at = null where id = $1', owner.id),
        [401, 401, 'invalid_client'],
      ],
      [
        'the developer mode is off',
        () => terms({ api_mode: false }),
        () => terms({ api_mode: true }),
        [403, 403, 'unauthorized_client'],
        'off',
      ],
      [
        'a payment failed',
        () => terms({ payment_status: 'failed' }),
        () => terms({ payment_status: '' }),
        [403, 403, 'unauthorized_client'],
        'unpaid',
      ],
      [
        'the company is removed',
        () => set('update company set removed_at = now() where id = $1', acme.id),
        () => set('update company set removed_at = null where id = $1', acme.id),
        [403, 403, 'unauthorized_client'],
      ],
    ];
    for (const [why, stop, again, expected, state] of stops) {
      expect(await both(), why).toEqual(fine);
      await stop();
      const seen = [await both(), state ? (await listed(key.id))?.state : undefined];
      await again();
      expect(seen, why).toEqual([expected, state]);
    }
    expect(await both()).toEqual(fine);
    // After off and on again, the terms have to be accepted again.
    app.clock.advance(1000);
    await terms({ api_mode_since: app.clock.now() });
    expect((await both())[0]).toBe(403);
    // Accepted in a way that charges no fee, they are not in force.
    await app.make.accept(acme, owner.id, 'developer');
    expect([(await both())[0], (await listed(key.id))?.state]).toEqual([403, 'off']);
    await app.make.developer(acme, owner.id);
    expect(await both()).toEqual(fine);
    expect((await ask('PUT', `/developer/keys/${key.id}`, { disabled: 'T' })).status).toBe(200);
    expect(await atOnce()).toEqual([401, 401, 'invalid_client']);
    expect((await ask('PUT', `/developer/keys/${key.id}`, { disabled: 'F' })).status).toBe(200);
    expect(await atOnce()).toEqual(fine);
    await ask('DELETE', `/developer/keys/${key.id}`);
    expect(await atOnce()).toEqual([401, 401, 'invalid_client']);
    expect(await listed(key.id)).toBeUndefined();
    expect((await ask('DELETE', `/developer/keys/${key.id}`)).status).toBe(404);
  });
});

describe('the agreement', () => {
  const day = 86_400_000;
  /** An agency with the developer mode, and its calls about the agreement. */
  async function agency(card: 'works' | 'declined' | null) {
    const one = await dues.agency({ card });
    const mode = (values: object) => terms(values, one.company);
    await mode({ api_mode: true, api_mode_since: app.clock.now() });
    const url = '/general/marketing-services-agreement';
    const agree = (more: object = {}, as = one.token) =>
      ask(
        'POST',
        url,
        {
          user_id: one.userId,
          company_id: one.company.id,
          company_name: 'Dues',
          location_menu: 'Developer',
          is_marketing_services_agreement_developer: 'T',
          ...more,
        },
        as,
        one.host,
      );
    const shown = async () =>
      (await ask('GET', `${url}/${one.company.id}`, undefined, one.token, one.host)).body;
    const fees = async () =>
      (
        await app.admin.query(
          `select i.status, i.total_micros::int8 / 10000 as cents, l.description from invoice i join invoice_line l on l.invoice_id = i.id
           where i.company_id = $1 and i.kind = 'developer' order by i.id`,
          [one.company.id],
        )
      ).rows.map((row) => [row.status, Number(row.cents), row.description]);
    return { ...one, mode, agree, shown, fees };
  }
  const PAID = ['paid', 34_900, 'One-time developer API fee'];

  test('[DEV-03] needs the tick; its fee is posted once, with an invoice, however often and at once it is accepted', async () => {
    const one = await agency('works');
    const unticked = await one.agree({ is_marketing_services_agreement_developer: 'F' });
    expect([unticked.status, unticked.body.message]).toEqual([422, messages.clickAgree]);
    expect(await one.shown()).toMatchObject({
      is_marketing_services_agreement_developer: 'F',
      first_time_charge: '349.00',
    });
    const all = await Promise.all([one.agree(), one.agree(), one.agree()]);
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await one.agree()).status).toBe(200);
    await dues.jobs();
    expect(await one.fees()).toEqual([PAID]);
    expect(await dues.taken(one.company)).toBe(34_900);
    expect(await dues.books(one.company)).toEqual({});
    expect(await one.shown()).toMatchObject({ is_marketing_services_agreement_developer: 'T' });
    // After off and on again it applies again.
    app.clock.advance(1000);
    await one.mode({ api_mode: false });
    await one.mode({ api_mode: true, api_mode_since: app.clock.now() });
    expect(await one.shown()).toMatchObject({ is_marketing_services_agreement_developer: 'F' });
    expect((await one.agree()).status).toBe(200);
    await dues.jobs();
    expect(await one.fees()).toEqual([PAID, PAID]);
  });

  test('[DEV-03] without a card, without the mode, by an administrator or an open session nothing is accepted or charged', async () => {
    const bare = await agency(null);
    const noCard = await bare.agree();
    expect([noCard.status, noCard.body.message]).toEqual([409, ownMessages.noCard]);
    const off = await agency('works');
    await off.mode({ api_mode: false });
    expect((await off.agree()).body.message).toBe(ownMessages.developerOff);
    await off.mode({ api_mode: true });
    const admin = await app.make.user(off.company, { role: 'administrator', password: PASSWORD });
    const administrator = await app.signIn(admin.email, off.host);
    expect((await off.agree({ user_id: admin.id }, administrator)).status).toBe(403);
    for (const one of [bare, off]) {
      expect(await one.fees()).toEqual([]);
      expect(await one.shown()).toMatchObject({ is_marketing_services_agreement_developer: 'F' });
      expect(await dues.books(one.company)).toEqual({});
    }
  });

  test('[DEV-03] only this call accepts it; an acceptance without its fee still owes the fee', async () => {
    const one = await agency('works');
    const admin = await app.make.user(one.company, { role: 'administrator', password: PASSWORD });
    for (const as of [one.token, await app.signIn(admin.email, one.host)]) {
      const body = { document_type: 'developer', agreed: 'T', read_to_end: 'T', text_hash: '' };
      const { status, body: answer } = await ask('POST', '/general/agreement/confirm', body, as, one.host);
      expect([status, answer.errors]).toEqual([
        422,
        { document_type: ['is accepted together with its fee'] },
      ]);
    }
    expect(await one.shown()).toMatchObject({ is_marketing_services_agreement_developer: 'F' });
    await app.make.accept(one.company, one.userId, 'developer');
    // Accepted without its fee, it is not in force, and no key can be made.
    expect(await one.shown()).toMatchObject({ is_marketing_services_agreement_developer: 'F' });
    const key = { name: 'x', mode: 'live', scopes: ['leads.read'] };
    const refused = await ask('POST', '/developer/keys', key, one.token, one.host);
    expect([refused.status, refused.body.message]).toEqual([409, ownMessages.developerNotAgreed]);
    const named = async () =>
      (await acceptedUnpaid(app.admin)).filter((line) => line.includes(one.company.id));
    expect(await named()).toHaveLength(1);
    expect((await one.agree()).status).toBe(200);
    await dues.jobs();
    expect(await one.fees()).toEqual([PAID]);
    expect(await named()).toEqual([]);
    expect((await one.agree()).status).toBe(200);
    await dues.jobs();
    expect(await one.fees()).toEqual([PAID]);
  });

  test('[DEV-03] a declined card leaves the invoice open, and no key is made before it is paid', async () => {
    const one = await agency('declined');
    expect((await one.agree()).status).toBe(200);
    await dues.jobs();
    expect(await one.fees()).toEqual([['open', ...PAID.slice(1)]]);
    const key = { name: 'x', mode: 'live', scopes: ['leads.read'] };
    const refused = await ask('POST', '/developer/keys', key, one.token, one.host);
    expect([refused.status, refused.body.message]).toEqual([409, ownMessages.developerUnpaid]);
  });

  test('[DEV-03] the minimum spend that was shown is accepted with it, and charged from the next whole month on', async () => {
    const one = await agency('works');
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.plans.insertDefault(
        tx,
        root,
        { name: 'Growth', months: [0n, 99_000_000n], flat: 149_000_000n },
        app.clock.now(),
      ),
    );
    expect(await one.shown()).toMatchObject({
      minimum_spend_max: '149.00',
      minimum_spend_amount_list: ['0.00', '99.00'],
      minimum_spend_flat: '149.00',
    });
    const offers = async () =>
      (
        await app.admin.query(
          'select accepted_at, accepted_by, withdrawn_at, flat::int8 as flat from minspend_offer where company_id = $1',
          [one.company.id],
        )
      ).rows;
    expect((await one.agree()).status).toBe(200);
    const accepted = { accepted_at: app.clock.now(), accepted_by: one.userId, withdrawn_at: null };
    expect(await offers()).toEqual([{ ...accepted, flat: 149_000_000n }]);
    // Nothing more is announced, and it does not apply to this month.
    await app.features.minimumSpend.offers.announce(root.id);
    expect(await offers()).toHaveLength(1);
    const progress = async () => {
      const as = await app.signIn(one.email, one.host);
      const url = `/configuration/setting/minimum-spend/${one.company.id}`;
      return (await ask('GET', url, undefined, as, one.host)).body;
    };
    expect(await progress()).toMatchObject({ amount_micros: null });
    app.clock.advance(62 * day);
    expect(await progress()).toMatchObject({ amount_micros: 99_000_000 });
  });
});

describe('the token endpoint', () => {
  test('[DEV-04] gives a token for all scopes or some, by form or Basic; neither kind of token is good as the other', async () => {
    const key = await make();
    const all = await tokenOf(credentials(key));
    expect([all.status, all.headers['cache-control'], all.headers.pragma]).toEqual([
      200,
      'no-store',
      'no-cache',
    ]);
    expect(all.body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'campaigns.read leads.read',
    });
    const some = await tokenOf(
      { grant_type: 'client_credentials', scope: 'leads.read' },
      { authorization: basic(key) },
    );
    expect(some.body.scope).toBe('leads.read');
    expect((await bearer(some.body.access_token)).body.scopes).toEqual(['leads.read']);
    expect((await bearer(all.body.access_token)).body.scopes).toEqual(['campaigns.read', 'leads.read']);
    expect((await me(basic(key))).body.scopes).toEqual(['campaigns.read', 'leads.read']);
    // The token opens none of a user's calls, and a session does not open the API.
    expect((await ask('GET', '/developer/keys', undefined, all.body.access_token)).status).toBe(401);
    expect((await ask('GET', '/developer/keys', undefined, key.secret_key)).status).toBe(401);
    expect((await bearer(token)).status).toBe(401);
    app.clock.advance(3_600_000);
    expect((await bearer(all.body.access_token)).status).toBe(401);
  });

  test('[DEV-04] refuses in the shape of RFC 6749', async () => {
    const key = await make({ expires_in_days: 1 });
    const cases: [Record<string, string> | string, Record<string, string>, number, string][] = [
      [{}, {}, 400, 'invalid_request'],
      [{ grant_type: 'password' }, {}, 400, 'unsupported_grant_type'],
      [{ grant_type: 'client_credentials' }, {}, 401, 'invalid_client'],
      [credentials(key, { scope: 'leads.read wallet.read' }), {}, 400, 'invalid_scope'],
      [credentials(key), { authorization: basic(key) }, 400, 'invalid_request'],
      [credentials({ ...key, secret_key: policy.newSecret('live') }), {}, 401, 'invalid_client'],
      [credentials({ ...key, client_id: policy.newClientId('live') }), {}, 401, 'invalid_client'],
      ['grant_type=client_credentials&grant_type=client_credentials', {}, 400, 'invalid_request'],
      [{ grant_type: 'client_credentials' }, { authorization: 'Basic !!!' }, 401, 'invalid_client'],
    ];
    for (const [form, headers, status, error] of cases) {
      const answer = await tokenOf(form, headers);
      expect([answer.status, answer.body.error], JSON.stringify(form)).toEqual([status, error]);
      expect(answer.body.error_description).toEqual(expect.any(String));
      expect(Boolean(answer.headers['www-authenticate'])).toBe(status === 401);
    }
    const json = await app.call('POST', '/oauth/token', { host: HOST, body: credentials(key) });
    expect([json.status, json.body.error]).toEqual([400, 'invalid_request']);
    // No longer than the key itself.
    app.clock.advance(86_400_000 - 600_000);
    expect((await tokenOf(credentials(key))).body.expires_in).toBe(600);
  });

  test('[DEV-04] /v1 refuses as a problem (RFC 9457): without a key, with a cut or unknown one', async () => {
    const key = await make();
    for (const given of [
      undefined,
      'Digest x',
      `Bearer ${key.secret_key.slice(0, -1)}`,
      `Bearer ${policy.newSecret('live')}`,
      'Bearer a.b.c',
    ]) {
      const { status, body, headers } = await me(given);
      expect([status, headers['content-type']]).toEqual([401, 'application/problem+json; charset=utf-8']);
      expect(body).toEqual({
        type: 'about:blank',
        title: 'Unauthorized',
        status: 401,
        detail: expect.any(String),
        request_id: headers['x-request-id'],
      });
      expect(headers['www-authenticate']).toContain('Bearer realm="API"');
    }
  });

  test('[DEV-04] failed tries are counted, logged and paused, while the right secret goes on', async () => {
    const key = await make();
    const wrong = () => tokenOf(credentials({ ...key, secret_key: policy.newSecret('live') }));
    const statuses = [];
    for (let i = 0; i < 12; i++) statuses.push((await wrong()).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    const paused = await wrong();
    expect([paused.body.error, Number(paused.headers['retry-after'])]).toEqual(['slow_down', 60]);
    expect((await tokenOf(credentials(key))).status).toBe(200);
    expect((await bearer(key.secret_key)).status).toBe(200);
    const refused = (await log(key.id)).filter(({ action }) => action === 'apikey.refused');
    expect(refused).toHaveLength(10);
    expect(refused[0]).toEqual({
      action: 'apikey.refused',
      actor_id: null,
      description: `Refused a program using the API key CRM sync (${key.client_id}) from 127.0.0.1: the secret was incorrect`,
    });
    const many = [];
    for (let i = 0; i < 31; i++) many.push((await tokenOf(credentials(key))).status);
    expect([many.filter((status) => status === 200).length, many.at(-1)]).toEqual([29, 429]);
  });
});
