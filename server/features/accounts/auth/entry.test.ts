import { AsyncLocalStorage } from 'node:async_hooks';
import * as argon from '@node-rs/argon2';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { createLimits } from '../../../platform/limits.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { linkIn, mailsTo, solveCaptcha } from '../../../test/ways-in.ts';
import { FORGOT_NETWORK } from './limit.policy.ts';

vi.mock('@node-rs/argon2', async (original) => {
  const real = await original<typeof import('@node-rs/argon2')>();
  return { ...real, hash: vi.fn(real.hash), verify: vi.fn(real.verify) };
});

const HOST = 'acme.test';
const NEW = 'a brand new password';
let app: TestApp;
let root: Company;
let agency: Company;
let person: { id: string; email: string };
let serial = 0;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', brand: { name: 'Root Brand' } });
  agency = await app.make.agency(root, { host: HOST, brand: { name: 'Acme Leads', box_bgcolor: '#123456' } });
  await app.make.agency(root, { host: 'rival.test' });
});
afterAll(() => app.close());
beforeAll(() => {
  // Only the statements of the measured call: jobs of earlier calls may still be running.
  const { query } = pg.Client.prototype;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
    const measured = measuring.getStore();
    if (measured) measured.statements++;
    return (query as (...all: unknown[]) => unknown).apply(this, given);
  } as never);
});
beforeEach(async () => {
  app.clock.advance(86_400_000);
  person = await app.make.user(agency, { email: `p${++serial}@x.test`, password: PASSWORD });
});

const post = (path: string, body: object, host = HOST, headers: Record<string, string> = {}) =>
  app.call('POST', path, { host, body, headers });
const captcha = (host = HOST) => solveCaptcha(app, host);
const forgot = async (username: string, host = HOST, headers = {}) =>
  post('/api/forgetpass', { username, gtoken: await captcha(host) }, host, headers);
const mails = (address: string) => mailsTo(app, root.id, address);
const login = async (username: string, password: string, host = HOST) =>
  (await post('/api/login', { username, password }, host)).status;
const allow = (company: Company, open = true) =>
  inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
    app.features.tenants.setRegistration(tx, company.id, open),
  );
const measuring = new AsyncLocalStorage<{ statements: number }>();
/** The cost of a call in hashes and statements, and everything it returns except its id. */
async function cost(ask: () => Promise<{ status: number; body: Record<string, unknown> }>) {
  // A host's tenant is looked up once in 5 s for all requests.
  for (const host of [HOST, 'root.test']) await app.features.tenants.byHost(host);
  vi.mocked(argon.hash).mockClear();
  vi.mocked(argon.verify).mockClear();
  const measured = { statements: 0 };
  const { status, body } = await measuring.run(measured, ask);
  const { requestId: _, ...rest } = body;
  return {
    status,
    body: rest,
    hashes: vi.mocked(argon.hash).mock.calls.length,
    checks: vi.mocked(argon.verify).mock.calls.length,
    statements: measured.statements,
  };
}

describe('[AUTH-09] [AUTH-10] the forgotten password', () => {
  test('a link in the tenant brand sets a new password once and ends all sessions', async () => {
    const token = await app.signIn(person.email, HOST);
    expect((await forgot(person.email)).body).toMatchObject({
      result: 'success',
      message: expect.stringContaining('If this address has an account here'),
    });
    const [mail] = await mails(person.email);
    expect(mail).toMatchObject({
      kind: 'password.reset',
      from_name: 'Acme Leads',
      from_address: 'no-reply@acme.test',
    });
    expect(mail!.body!.html).toContain('#123456');
    const link = linkIn(mail);
    expect(link.url.origin + link.url.pathname).toBe(`http://acme.test/set-new-password/${link.token}`);
    expect(link.url.searchParams.get('email')).toBe(person.email);
    const proof = { token: link.token, email: person.email };
    expect((await post('/api/verify-reset-token', proof)).body).toEqual({
      valid: true,
      reason: null,
      is_invitation: false,
      passkeys: [],
      passkeys_stay: false,
    });
    expect((await post('/api/setnewpassword', { ...proof, newpassword: 'short' })).body.errors).toEqual({
      newpassword: ['must have at least 12 characters'],
    });
    expect(
      (await post('/api/setnewpassword', { ...proof, newpassword: 'aaaaaaaaaaaaaa' })).body.errors,
    ).toEqual({ newpassword: ['must have at least 5 different characters'] });
    expect((await post('/api/setnewpassword', { ...proof, newpassword: NEW })).status).toBe(200);
    expect((await app.call('GET', '/api/user', { host: HOST, token })).status).toBe(401);
    expect([await login(person.email, PASSWORD), await login(person.email, NEW)]).toEqual([401, 200]);
    expect((await post('/api/setnewpassword', { ...proof, newpassword: 'once more this one' })).status).toBe(
      410,
    );
    expect((await post('/api/verify-reset-token', proof)).body).toEqual({
      valid: false,
      reason: 'This link was already used. Request a new one if you need it.',
    });
  });

  test('20 uses of a link at once set one password', async () => {
    await forgot(person.email);
    const { token } = linkIn((await mails(person.email))[0]);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        post('/api/setnewpassword', { token, email: person.email, newpassword: `${NEW} ${i}` }),
      ),
    );
    const good = answers.flatMap((answer, i) => (answer.status === 200 ? [i] : []));
    expect(good).toHaveLength(1);
    expect(await login(person.email, `${NEW} ${good[0]}`)).toBe(200);
  });

  test('a link is for one address, one system, one hour; a newer password ends the older links', async () => {
    await forgot(person.email);
    const { token } = linkIn((await mails(person.email))[0]);
    const check = async (given: object, host = HOST) =>
      (await post('/api/verify-reset-token', { token, email: person.email, ...given }, host)).body;
    const invalid = { valid: false, reason: 'This link is not valid. Request a new one.' };
    expect(await check({ email: 'other@x.test' })).toEqual(invalid);
    expect(await check({ token: `${token.slice(0, -2)}AA` })).toEqual(invalid);
    expect(await check({ token: token.replace(/^./, (c) => (c === '0' ? '1' : '0')) })).toEqual(invalid);
    for (const bad of [
      '',
      'x',
      '../../etc',
      `${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}.${'A'.repeat(43)}`,
    ])
      expect(await check({ token: bad })).toEqual(invalid);
    const other = await app.make.root({ host: `foreign${serial}.test` });
    await app.make.user(other, { email: person.email, password: PASSWORD });
    expect(await check({}, `foreign${serial}.test`)).toEqual(invalid);
    app.clock.advance(3_600_000);
    expect((await check({})).reason).toBe('This link has expired. Request a new one.');
    expect((await post('/api/setnewpassword', { token, email: person.email, newpassword: NEW })).status).toBe(
      410,
    );
  });

  test('nothing tells whether an address has an account: text, status, statements, hashing, mail', async () => {
    await app.make.user(root, { email: 'owner@root.test', password: PASSWORD });
    const asked = async (username: string) => {
      const gtoken = await captcha();
      return cost(() => post('/api/forgetpass', { username, gtoken }));
    };
    const jobs = async () =>
      Number(
        (await app.admin.query(`select count(*) from pgboss.job where name = 'access.reset'`)).rows[0].count,
      );
    const before = await jobs();
    const known = await asked(person.email);
    expect(known.statements).toBeGreaterThan(5);
    expect(await asked('nobody@x.test')).toEqual(known);
    // One of the root's own people has no account at an agency's host.
    expect(await asked('owner@root.test')).toEqual(known);
    expect((await jobs()) - before).toBe(3);
    expect(await mails('nobody@x.test')).toEqual([]);
    expect(await mails('owner@root.test')).toEqual([]);
    const { rows } = await app.admin.query(
      `select count(*) from user_log where action = 'password.forgot' and created_at = $1`,
      [app.clock.now()],
    );
    expect(Number(rows[0].count)).toBe(3);
  });

  test('the link leads to the host as the database knows it, whatever headers say', async () => {
    await forgot(person.email, `${HOST}:80`, {
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'gopher',
    });
    expect(linkIn((await mails(person.email))[0]).url.hostname).toBe('acme.test');
    expect((await post('/api/forgetpass', { username: person.email }, 'evil.test')).status).toBe(421);
  });

  test('[AUTH-19] [AUTH-21] needs a captcha each time, and not more than five wishes an hour go without a pause', async () => {
    const bare = await post('/api/forgetpass', { username: person.email });
    expect([bare.status, bare.body.errors]).toEqual([422, { gtoken: ['is required'] }]);
    const gtoken = await captcha();
    expect((await post('/api/forgetpass', { username: person.email, gtoken })).status).toBe(200);
    expect((await post('/api/forgetpass', { username: person.email, gtoken })).body.errors).toEqual({
      gtoken: ['is no longer valid'],
    });
    const statuses = [];
    for (let i = 0; i < 6; i++) statuses.push((await forgot(person.email)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    const held = await forgot('nobody-else@x.test');
    expect(held.status).toBe(200);
  });

  test('[AUTH-21] anyone who asks too often from a network pauses it at that tenant alone', async () => {
    const limits = createLimits(app.platform);
    for (let i = 0; i < FORGOT_NETWORK.max; i++) await limits.take(FORGOT_NETWORK, `${agency.id}\n127.0.0.1`);
    expect((await forgot('one@x.test')).status).toBe(429);
    expect((await forgot('one@x.test', 'root.test')).status).toBe(200);
    app.clock.advance(3_700_000);
  });

  test('[AUTH-21] who tries links is paused', async () => {
    const statuses = [];
    for (let i = 0; i < 22; i++)
      statuses.push((await post('/api/verify-reset-token', { token: 'x', email: person.email })).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    app.clock.advance(3_700_000);
  });
});

describe('[AUTH-07] [AUTH-08] registering', () => {
  const form = () => ({
    companyname: 'New Agency LLC',
    name: 'Nora New',
    email: `new${++serial}@x.test`,
    phonenum: '(504) 555-0123',
    password: NEW,
  });
  const register = async (given: object, host = 'root.test') =>
    post('/api/register', { ...given, gtoken: await captcha(host) }, host);
  const confirm = (given: object, host = 'root.test') => post('/api/register/confirm', given, host);
  const options = async (host: string) =>
    (await app.call('GET', '/api/general/access-options', { host })).body;

  test('is closed unless the root has opened it, an agency for its clients, too', async () => {
    expect(await options('root.test')).toEqual({
      isRegisterAccount: 'F',
      userType: 'userdownline',
      captcha: 'altcha',
      recapkey: null,
      emails: 'kept',
    });
    expect((await register(form())).status).toBe(403);
    await allow(agency);
    expect((await options(HOST)).isRegisterAccount).toBe('F');
    await allow(root);
    expect(await options(HOST)).toMatchObject({ isRegisterAccount: 'T', userType: 'client' });
    expect(await options('root.test')).toMatchObject({ isRegisterAccount: 'T', userType: 'userdownline' });
    expect((await options('rival.test')).isRegisterAccount).toBe('F');
  });

  test('an agency signs up with a referral code and can sign in once its address is confirmed', async () => {
    await allow(root);
    const sales = await app.make.user(root, { role: 'sales' });
    const code = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.auth.entry.referralCode(tx, {
        id: sales.id,
        root_id: root.id,
        agency_id: null,
        company_id: root.id,
      }),
    );
    const given = form();
    expect((await register({ ...given, refcode: 'nobody' })).body.errors).toEqual({
      refcode: ['is not a referral code of this platform'],
    });
    expect(
      (await register({ ...given, userType: 'userdownline', idsys: root.id, refcode: code })).status,
    ).toBe(200);
    expect(await login(given.email, NEW, 'root.test')).toBe(401);
    const [mail] = await mails(given.email);
    expect(mail).toMatchObject({ kind: 'register', from_name: 'Root Brand' });
    const { token, url } = linkIn(mail);
    expect(url.pathname).toBe(`/register/confirm/${token}`);
    expect((await confirm({ token, email: 'else@x.test' })).status).toBe(410);
    // Nor is it good at another tenant's host, or once sign-up is closed.
    expect((await confirm({ token, email: given.email }, HOST)).status).toBe(410);
    const setOpen = (open: boolean) =>
      app.admin.query('update company set registration_open = $2 where id = $1', [root.id, open]);
    await setOpen(false);
    expect((await confirm({ token, email: given.email })).status).toBe(403);
    await setOpen(true);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => confirm({ token, email: given.email })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(9).fill(410)]);
    // It goes by its own name, not by its root's.
    const { rows: brands } = await app.admin.query(
      'select b.name from brand b join user_account u on u.company_id = b.company_id where u.email = $1',
      [given.email],
    );
    expect(brands).toEqual([{ name: given.companyname }]);
    const me = await app.call('GET', '/api/user', {
      host: 'root.test',
      token: await app.signIn(given.email, 'root.test', NEW),
    });
    expect(me.body).toMatchObject({
      name: 'Nora New',
      user_type: 'userdownline',
      systemuser: false,
      company_name: 'New Agency LLC',
      company_parent: root.id,
      phonenum: '5045550123',
      phone_country_code: 'US',
      phone_country_calling_code: '+1',
      profile_setup_completed: 'F',
    });
    const { rows } = await app.admin.query(
      'select referred_by, phone, made_company, password_hash from sign_up where email = $1',
      [given.email],
    );
    expect(rows.filter((row) => row.made_company)).toEqual([
      { referred_by: sales.id, phone: '+15045550123', made_company: me.body.company_id, password_hash: null },
    ]);
    const { rows: assigned } = await app.admin.query(
      'select role, user_id, agency_id from sales_assignment where company_id = $1',
      [me.body.company_id],
    );
    expect(assigned).toEqual([{ role: 'referrer', user_id: sales.id, agency_id: me.body.company_id }]);
  });

  test('[CONF-10] everyone who may invite others has a link of their own that leads to an open sign-up', async () => {
    await allow(root);
    await allow(agency, false);
    const linkOf = async (email: string, host: string) =>
      app.call('GET', '/api/general/referral-link', { host, token: await app.signIn(email, host) });
    const sales = await app.make.user(root, { role: 'sales', password: PASSWORD });
    const first = await linkOf(sales.email, 'root.test');
    const code = String(first.body.refcode);
    expect(first.body).toEqual({
      url: `http://root.test/agency-register/${code}`,
      refcode: code,
      isRegisterAccount: 'T',
    });
    expect((await linkOf(sales.email, 'root.test')).body).toEqual(first.body);
    const { rows } = await app.admin.query(
      `select count(*)::int as made from user_log where action = 'referral.create' and object_id = $1`,
      [sales.id],
    );
    expect(rows[0].made).toBe(1);
    const given = form();
    expect((await register({ ...given, refcode: code })).status).toBe(200);

    // An agency user always invites clients to the agency's own host, no matter where they are signed in.
    for (const host of [HOST, 'root.test']) {
      const { body } = await linkOf(person.email, host);
      expect(body).toEqual({
        url: `http://acme.test/register?refcode=${body.refcode}`,
        refcode: body.refcode,
        isRegisterAccount: 'F',
      });
    }
    const client = await app.make.client(agency);
    const customer = await app.make.user(client, { password: PASSWORD });
    expect((await linkOf(customer.email, HOST)).status).toBe(403);
  });

  test("a client signs up at its agency's host", async () => {
    await allow(root);
    await allow(agency);
    const given = { ...form(), phonenum: '', refcode: ' ' };
    expect((await register({ ...given, userType: 'userdownline' }, HOST)).body.errors).toEqual({
      userType: ['cannot register here'],
    });
    expect((await register(given, HOST)).status).toBe(200);
    expect(
      (await confirm({ token: linkIn((await mails(given.email))[0]).token, email: given.email }, HOST))
        .status,
    ).toBe(200);
    const me = await app.call('GET', '/api/user', {
      host: HOST,
      token: await app.signIn(given.email, HOST, NEW),
    });
    expect(me.body).toMatchObject({ user_type: 'client', company_parent: agency.id });
  });

  test('nothing tells whether an address is known, but the mail to its owner', async () => {
    await allow(root);
    const fresh = form();
    const known = { ...form(), email: person.email };
    const [one, two] = [await captcha('root.test'), await captcha('root.test')];
    const first = await cost(() => post('/api/register', { ...fresh, gtoken: one }, 'root.test'));
    expect(first).toMatchObject({ status: 200, hashes: 1 });
    expect(first.statements).toBeGreaterThan(5);
    expect(await cost(() => post('/api/register', { ...known, gtoken: two }, 'root.test'))).toEqual(first);
    expect((await mails(known.email))[0]!.subject).toBe('You already have an account');
    // A password that a stranger submits for a registered address is discarded.
    const { rows } = await app.admin.query('select password_hash from sign_up where email = $1', [
      known.email,
    ]);
    expect(rows).toEqual([{ password_hash: null }]);
    expect([await login(known.email, NEW), await login(known.email, PASSWORD)]).toEqual([401, 200]);
  });

  test('a link ends after a day, and when the address has got an account meanwhile', async () => {
    await allow(root);
    const [late, taken] = [form(), form()];
    for (const given of [late, taken]) await register(given);
    const tokens = await Promise.all(
      [late, taken].map(async (given) => linkIn((await mails(given.email))[0]).token),
    );
    await app.make.user(agency, { email: taken.email });
    expect((await confirm({ token: tokens[1], email: taken.email })).status).toBe(410);
    app.clock.advance(86_400_000);
    expect((await confirm({ token: tokens[0], email: late.email })).status).toBe(410);
  });

  test('names the field and the rule of what is not right', async () => {
    await allow(root);
    const errors = async (given: object) => (await register({ ...form(), ...given })).body.errors;
    expect(await errors({ companyname: 'x'.repeat(256) })).toEqual({
      companyname: ['must not exceed 255 characters'],
    });
    expect(await errors({ phonenum: '123' })).toEqual({ phonenum: ['Please enter valid phone number'] });
    expect(await errors({ email: 'longer-name@x.test', password: 'longer-name@x.test' })).toEqual({
      password: ['must not be your email address'],
    });
    expect(await errors({ idsys: agency.id })).toEqual({ idsys: ['is not this platform'] });
    expect((await post('/api/register', form(), 'root.test')).body.errors).toEqual({
      gtoken: ['is required'],
    });
  });
});

describe('[AUTH-01] enumeration by login', () => {
  test('costs one check of a hash whoever is named, and reads the same', async () => {
    await app.make.user(agency, { email: 'nopassword@x.test' });
    await app.make.user(root, { email: 'atroot@x.test', password: PASSWORD });
    const ask = (username: string, password = 'wrong') =>
      cost(() => post('/api/login', { username, password }));
    const known = await ask(person.email);
    expect(known).toMatchObject({ status: 401, checks: 1, hashes: 0 });
    for (const who of ['unknown@x.test', 'nopassword@x.test']) expect(await ask(who)).toEqual(known);
    expect(await ask('atroot@x.test', PASSWORD)).toEqual(known);
  });
});
