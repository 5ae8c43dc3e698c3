import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { configMessages } from '../../../../contract/messages-config.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { layOut } from '../../../platform/mail-layout.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { solveCaptcha } from '../../../test/ways-in.ts';

/** A mail server that speaks the protocol: accepts one user, and emails to every address but `nobody@`. */
async function mailServer() {
  const received: { from: string; to: string; raw: string; user: string }[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === 'acme' && password === 'secret word'
        ? done(null, { user: 'acme' })
        : done(new Error('Wrong user or password')),
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map((one) => one.address).join(),
          raw: Buffer.concat(parts).toString(),
          user: String(session.user),
        });
        done(null, 'taken as 4711');
      });
    },
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  const { port } = server.server.address() as { port: number };
  return { received, port, close: () => new Promise<void>((done) => server.close(() => done())) };
}

let app: TestApp;
let mails: Awaited<ReturnType<typeof mailServer>>;
let root: Company;
let acme: Company;
const token: Record<string, string> = {};

beforeAll(async () => {
  mails = await mailServer();
  app = await testApp({ outboundExceptions: [`mail.acme.test:${mails.port}`] });
  root = await app.make.root({ host: 'root.test' });
  acme = await app.make.agency(root, { host: 'acme.test', name: 'Acme', brand: { name: 'Acme' } });
  const passwordHash = await app.features.users.hashPassword(PASSWORD);
  await app.make.user(root, { email: 'root@x.test', passwordHash });
  await app.make.user(acme, { email: 'agency@x.test', name: 'Anna', passwordHash });
  token.root = await app.signIn('root@x.test', 'root.test');
  token.agency = await app.signIn('agency@x.test', 'acme.test');
});
afterAll(async () => {
  await app.close();
  await mails.close();
});

const ask = (method: 'GET' | 'POST' | 'PUT', url: string, body?: object, who = 'agency') =>
  app.call(method, `/api/${url}`, {
    host: who === 'root' ? 'root.test' : 'acme.test',
    token: token[who]!,
    body,
  });
const server = (given: object = {}) => ({
  host: 'mail.acme.test',
  port: mails.port,
  security: 'none',
  username: 'acme',
  password: 'secret word',
  from_name: 'Acme Mail',
  from_address: 'hello@acme.test',
  ...given,
});
const save = (given: object = {}) =>
  ask('PUT', 'configuration/setting', { comsetname: 'smtp', comsetval: server(given) });
const greet = async (given: object = {}) =>
  (await ask('POST', 'configuration/user/testsmtp', { smtp: server(given) })).body;

describe('[CONF-03] [CONF-09] the mail server of a tenant', () => {
  test('it is tried before it is saved, and its own words are told', async () => {
    expect(await greet()).toEqual({ result: 'success', message: configMessages.smtpGreeted, answer: '' });
    const wrong = await greet({ password: 'wrong' });
    expect(wrong).toMatchObject({ result: 'failed', message: configMessages.smtpFailed });
    expect(wrong.answer).toBe('535 Wrong user or password');
    expect(mails.received).toEqual([]);
  });

  test('no address inside the own network is spoken to', async () => {
    for (const host of ['127.0.0.1', '10.0.0.1', '169.254.169.254', 'localhost', 'other.acme.test']) {
      const answer = await greet({ host });
      expect([host, answer.result]).toEqual([host, 'failed']);
      expect([host, String(answer.answer)]).toEqual([
        host,
        expect.stringMatching(/private or reserved network|could not be looked up/),
      ]);
    }
    const port = await ask('POST', 'configuration/user/testsmtp', { smtp: server({ port: 22 }) });
    expect([port.status, Object.keys(port.body.errors as object)]).toEqual([422, ['port']]);
  });

  test('the password is sealed, never read, and goes nowhere else than where it was given for', async () => {
    const { status, body } = await save();
    expect([status, body.message]).toEqual([200, messages.settingSaved]);
    const read = await ask('GET', `configuration/setting/${acme.id}/smtp`);
    expect(read.body.data).toMatchObject({ host: 'mail.acme.test', password: '', password_set: 'T' });
    expect(JSON.stringify([body, read.body])).not.toContain('secret word');
    const { rows } = await app.admin.query(`select value::text as text from setting where name = 'smtp'`);
    expect(rows[0].text).not.toContain('secret word');
    // Left empty, the password is kept; with another server, another user, or no encryption, it must be entered again.
    expect((await save({ password: '', from_name: 'Acme' })).status).toBe(200);
    for (const other of [{ host: 'evil.test' }, { username: 'other' }, { port: mails.port + 1 }]) {
      const moved = await save({ password: '', ...other });
      expect([moved.status, Object.keys(moved.body.errors as object)]).toEqual([422, ['password']]);
      const tried = await ask('POST', 'configuration/user/testsmtp', {
        smtp: server({ password: '', ...other }),
      });
      expect(tried.status).toBe(422);
    }
    const log = await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id where l.action = 'setting.save'`,
    );
    const words = log.rows.map((row) => row.description as string);
    expect(
      words.filter((text) => /^Saved the mail server for Acme: host, .*password/.test(text)),
    ).toHaveLength(1);
    expect(JSON.stringify(log.rows)).not.toContain('secret word');
  });

  test('[BEY-11] owners alone set it, as themselves and just confirmed: links to set their password travel by it', async () => {
    const passwordHash = await app.features.users.hashPassword(PASSWORD);
    await app.make.user(acme, { email: 'admin@x.test', role: 'administrator', passwordHash });
    await app.make.user(root, { email: 'rootadmin@x.test', role: 'administrator', passwordHash });
    const evil = { comsetname: 'smtp', comsetval: server({ host: 'mail.evil.test', password: 'x' }) };
    const put = (host: string, token: string, more: object = {}) =>
      app.call('PUT', '/api/configuration/setting', { host, token, body: { ...evil, ...more } });
    expect((await put('acme.test', await app.signIn('admin@x.test', 'acme.test'))).status).toBe(403);
    const rootAdmin = await app.signIn('rootadmin@x.test', 'root.test');
    expect((await put('root.test', rootAdmin, { companyID: acme.id })).status).toBe(403);
    // The domain that those links lead to and the second factor that protects the owner are just as sensitive.
    const admin = await app.signIn('admin@x.test', 'acme.test');
    for (const [path, body] of [
      ['/api/configuration/update-custom-domain', { domain: 'portal.evil.test' }],
      [
        '/api/configuration/setting',
        { comsetname: 'secondfactor', comsetval: { people: false, owners: false, from: null } },
      ],
    ] as const)
      expect([path, (await app.call('PUT', path, { host: 'acme.test', token: admin, body })).status]).toEqual(
        [path, 403],
      );
    const { rows } = await app.admin.query(`select id from user_account where email = 'agency@x.test'`);
    const viewing = await app.call('POST', '/api/user/switch', {
      host: 'root.test',
      token: token.root!,
      body: { usrID: rows[0].id, reason: 'Mail server' },
    });
    const seen = await put('root.test', viewing.body.access_token as string);
    expect([seen.status, seen.body.message]).toEqual([403, ownMessages.notInView]);
    const old = await app.signIn('agency@x.test', 'acme.test');
    await app.admin.query(`update session set created_at = created_at - interval '1 hour'`);
    const left = await put('acme.test', old);
    expect([left.status, left.body.errors]).toEqual([403, { confirm: ['password'] }]);
    await app.admin.query(`update session set created_at = created_at + interval '1 hour'`);
    expect((await ask('GET', `configuration/setting/${acme.id}/smtp`)).body.data).toMatchObject({
      host: 'mail.acme.test',
    });
  });

  test('a test email goes to whoever asks, and the answer of the server is told', async () => {
    const { body } = await ask('POST', 'configuration/setting/test-email', {});
    expect(body).toMatchObject({ result: 'success', message: configMessages.smtpSent('agency@x.test') });
    expect(body.answer).toContain('taken as 4711');
    expect(mails.received.at(-1)).toMatchObject({
      from: 'hello@acme.test',
      to: 'agency@x.test',
      user: 'acme',
    });
    const none = await ask('POST', 'configuration/setting/test-email', {}, 'root');
    expect(none.body).toEqual({ result: 'failed', message: configMessages.smtpNone, answer: '' });
  });

  const enqueue = (host: string, address: string) =>
    inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.mail.enqueue(tx, {
        ...layOut(
          { name: 'Acme', accent: null },
          { subject: 'Hello', lines: ['A line'] },
          'you asked for it',
        ),
        kind: 'test',
        owner: { ...acme, company_id: acme.id },
        to: { name: 'Bea', address },
        sender: { name: 'Acme', host },
      }),
    );
  const stateOf = async (id: string) =>
    (await app.admin.query('select state, from_address, last_error from mail where id = $1', [id])).rows[0];

  test('the tenant’s emails go by it from its address, and other tenants’ do not', async () => {
    const before = mails.received.length;
    const [own, other] = [await enqueue('acme.test', 'bea@x.test'), await enqueue('root.test', 'bea@x.test')];
    for (const mailId of [own, other]) await app.features.mail.send({ rootId: root.id, mailId });
    expect(await stateOf(own)).toEqual({ state: 'sent', from_address: 'hello@acme.test', last_error: null });
    expect(await stateOf(other)).toMatchObject({ state: 'kept', from_address: 'no-reply@root.test' });
    expect(mails.received).toHaveLength(before + 1);
    expect(mails.received.at(-1)?.raw).toContain('From: Acme <hello@acme.test>');
  });

  test('[BEY-07] what proves who someone is to the root, and what the root knows of them, never goes by it', async () => {
    const before = mails.received.length;
    const asked = await app.call('POST', '/api/general/privacy-request', {
      host: 'acme.test',
      body: {
        gtoken: await solveCaptcha(app, 'acme.test'),
        kind: 'access',
        name: 'Pat',
        email: 'pat@victim.test',
      },
    });
    expect(asked.status).toBe(200);
    const { rows } = await app.admin.query(`select id from mail where to_address = 'pat@victim.test'`);
    await app.features.mail.send({ rootId: root.id, mailId: rows[0].id });
    expect(await stateOf(rows[0].id)).toMatchObject({ state: 'kept', from_address: 'no-reply@acme.test' });
    expect(mails.received).toHaveLength(before);
  });

  test('where it does not take emails the platform does in the end: no one is locked out by a wrong setting', async () => {
    await save({ password: 'changed since' });
    const mailId = await enqueue('acme.test', 'bea@x.test');
    const send = () => app.features.mail.send({ rootId: root.id, mailId });
    for (let tries = 0; tries < 3; tries++) await expect(send()).rejects.toThrow(/Wrong user or password/);
    expect((await stateOf(mailId)).last_error).toContain('Wrong user or password');
    await send();
    expect(await stateOf(mailId)).toMatchObject({ state: 'kept', from_address: 'no-reply@acme.test' });
    await save({ host: '' });
    expect((await ask('GET', `configuration/setting/${acme.id}/smtp`)).body.data).toMatchObject({
      host: '',
      username: '',
      password_set: 'F',
      platform_server: 'F',
    });
  });
});

describe('[CONF-03] what new agencies begin with', () => {
  const defaults = (given: object, who = 'root') =>
    ask(
      'PUT',
      'configuration/setting',
      {
        comsetname: 'agencydefaults',
        comsetval: {
          rootPaymentTermsNewAgencies: ['Weekly', 'Prepaid'],
          agencyDefaultModules: ['local'],
          ...given,
        },
      },
      who,
    );

  test('at least one term, nothing that is not on offer, and for a root only', async () => {
    const none = await defaults({ rootPaymentTermsNewAgencies: [] });
    expect([none.status, none.body.errors]).toEqual([
      422,
      { rootPaymentTermsNewAgencies: [messages.selectPaymentTerm] },
    ]);
    expect((await defaults({ agencyDefaultModules: ['simplifi'] })).status).toBe(422);
    expect((await defaults({}, 'agency')).status).toBe(422);
    const strange = await ask(
      'PUT',
      'configuration/setting',
      { comsetname: 'toString', comsetval: {} },
      'root',
    );
    expect(strange.status).toBe(422);
  });

  test('an agency made afterward has them, one from before keeps what it had', async () => {
    expect((await defaults({})).status).toBe(200);
    const after = await app.make.agency(root, { host: 'after.test' });
    const { rows } = await app.admin.query(
      'select company_id, modules, terms from company_products where company_id = any($1)',
      [[acme.id, after.id]],
    );
    expect(rows).toEqual([{ company_id: after.id, modules: ['local'], terms: ['Weekly', 'Prepaid'] }]);
    const { body } = await ask('GET', 'user/retrieve', undefined, 'agency');
    expect((body.setup as { rootPaymentTermsNewAgencies: unknown }).rootPaymentTermsNewAgencies).toEqual([
      { value: 'Weekly', label: 'Weekly' },
      { value: 'Prepaid', label: 'Prepaid' },
    ]);
  });
});
