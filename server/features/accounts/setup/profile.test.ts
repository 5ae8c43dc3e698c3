import { createCanvas } from '@napi-rs/canvas';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { derive } from '../../../platform/crypto.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { solveCaptcha } from '../../../test/ways-in.ts';
import { linkToken } from '../auth/policy.ts';
import { readPhone } from '../users/index.ts';

let app: TestApp;
let agency: Company;
let client: Company;
let passwordHash: string;
let serial = 0;
const HOST = 'agency.test';

beforeAll(async () => {
  app = await testApp();
  const { make } = app;
  passwordHash = await app.features.users.hashPassword(PASSWORD);
  const root = await make.root({ host: 'root.test', isMaster: true });
  agency = await make.agency(root, { host: HOST });
  client = await make.client(agency);
  await make.root({ host: 'other.test' });
});
afterAll(() => app.close());

async function person(company: Company, given: Partial<Parameters<TestApp['make']['user']>[1]> = {}) {
  const made = await app.make.user(company, { email: `p${++serial}@profile.test`, passwordHash, ...given });
  const token = await app.signIn(made.email, HOST);
  return {
    ...made,
    get: (url: string) => app.call('GET', url, { host: HOST, token }),
    put: (url: string, body: object) => app.call('PUT', url, { host: HOST, token, body }),
    /** Sends the form as a browser does. */
    async save(fields: Record<string, string>, picture?: Uint8Array) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      if (picture) form.append('profile_pict', new Blob([new Uint8Array(picture)]), 'me.png');
      const sent = new Response(form);
      const response = await app.server.inject({
        method: 'POST',
        url: '/api/user/update',
        headers: {
          host: HOST,
          authorization: `Bearer ${token}`,
          'content-type': sent.headers.get('content-type')!,
        },
        payload: Buffer.from(await sent.arrayBuffer()),
      });
      const body = response.json() as Record<string, unknown> & { user: Record<string, unknown> };
      return { status: response.statusCode, body };
    },
  };
}
const logs = async (action: string, userId: string): Promise<number> => {
  const text = 'select count(*) as n from user_log where action = $1 and object_id = $2';
  return Number((await app.admin.query(text, [action, userId])).rows[0].n);
};
const lastLink = async (to: string): Promise<string> => {
  const { rows } = await app.admin.query(
    `select body_sealed from mail where to_address = $1 and kind = 'account.email' order by created_at desc limit 1`,
    [to],
  );
  const text = app.platform.vault.open(rows[0].body_sealed, 'mail.body').toString();
  return /confirm-email\/([\w.-]+)/.exec(text)![1]!;
};

describe('[PROF-02] POST /user/update', () => {
  test('step 1: the person with the phone in its parts; what is left out stays', async () => {
    const owner = await person(client);
    const saved = await owner.save({
      usrID: owner.id,
      step: '1',
      name: 'New Name',
      email: owner.email,
      phonenum: '(202) 555-0123',
      phone_country_code: 'US',
      phone_country_calling_code: '+1',
      address: '1 Main Street',
      city: 'Springfield',
      zip: '62701',
      state_code: 'IL',
      country_code: 'us',
    });
    expect(saved.body).toMatchObject({ result: 'success', message: messages.updated, email_pending: null });
    expect(saved.body.user).toMatchObject({
      name: 'New Name',
      phonenum: '2025550123',
      phone_country_code: 'US',
      phone_country_calling_code: '+1',
      city: 'Springfield',
      zip: '62701',
      state_code: 'IL',
      country_code: 'US',
    });
    const again = await owner.save({ city: 'Chicago' });
    expect(again.body.user).toMatchObject({ name: 'New Name', city: 'Chicago', phonenum: '2025550123' });
    expect(await logs('profile.updated', owner.id)).toBe(2);
  });

  test('step 2: the company, by its owner only', async () => {
    const boss = await person(agency);
    const admin = await person(agency, { role: 'administrator' });
    const company = {
      step: '2',
      company_name: 'Renamed Agency',
      company_phone: '+44 20 7946 0958',
      company_email: 'Office@Agency.example',
      company_address: '2 High Street',
      company_city: 'London',
      company_zip: 'SW1A 1AA',
      company_country_code: 'GB',
    };
    expect((await boss.save({ ...company, company_city: '' })).body.errors).toEqual({
      company_city: ['is required'],
    });
    const saved = await boss.save(company);
    expect(saved.body.user).toMatchObject({
      company_name: 'Renamed Agency',
      company_phone: '+442079460958',
      company_email: 'office@agency.example',
      company_country_code: 'GB',
      contact: { name: 'Renamed Agency', email: 'office@agency.example', phone: '+442079460958' },
    });
    expect((await admin.save(company)).body.message).toBe(ownMessages.companyByOwner);
    const below = await person(client);
    expect((await below.get('/api/user')).body.team).toMatchObject({ name: 'Renamed Agency' });
  });

  test('refuses what is wrong, naming the field, and saves nothing of it', async () => {
    const owner = await person(client, { name: 'Before' });
    for (const [fields, errors] of [
      [{ step: '1', name: 'x', email: owner.email }, { phonenum: [messages.phoneInvalid] }],
      [{ name: 'x', phonenum: '12' }, { phonenum: [messages.phoneInvalid] }],
      [
        { name: 'x', phonenum: '2025550123', phone_country_code: 'FR' },
        { phonenum: [messages.phoneInvalid] },
      ],
      [{ name: 'x', country_code: 'US', zip: 'abc' }, { zip: ['must have 5 digits'] }],
      [{ name: 'x', country_code: 'US', state_code: 'XX' }, { state_code: ['must be a listed state'] }],
      [{ name: '' }, { name: ['is required'] }],
      [{ name: 'x'.repeat(256) }, { name: ['must not exceed 255 characters'] }],
    ] as [Record<string, string>, object][]) {
      const { status, body } = await owner.save(fields);
      expect([fields, status, body.errors]).toEqual([fields, 422, errors]);
    }
    const other = await person(client);
    expect((await owner.save({ usrID: other.id, name: 'x' })).status).toBe(404);
    const plain = await app.call('POST', '/api/user/update', {
      host: HOST,
      token: await app.signIn(owner.email, HOST),
      body: { name: 'x' },
    });
    expect(plain.status).toBe(400);
    expect((await owner.get('/api/user')).body.name).toBe('Before');
  });

  test('a picture is encoded again, shown at the hosts of the system only, replaced and removed', async () => {
    const owner = await person(client);
    const canvas = createCanvas(400, 300);
    const saved = await owner.save({}, canvas.toBuffer('image/png'));
    const first = String(saved.body.user.profile_pict);
    expect(first).toMatch(/^\/profile-picture\/[0-9a-f-]{36}\.(png|jpg)$/);
    const get = (url: string, host = HOST) => app.server.inject({ method: 'GET', url, headers: { host } });
    const shown = await get(first);
    expect([shown.statusCode, shown.headers['content-type']]).toEqual([200, 'image/png']);
    expect([shown.rawPayload.readUInt32BE(16), shown.rawPayload.readUInt32BE(20)]).toEqual([192, 192]);
    expect((await get(first, 'root.test')).statusCode).toBe(200);
    expect((await get(first, 'other.test')).statusCode).toBe(404);
    const second = String((await owner.save({}, canvas.toBuffer('image/jpeg'))).body.user.profile_pict);
    expect((await get(first)).statusCode).toBe(404);
    expect((await get(second)).statusCode).toBe(200);
    const bad = await owner.save({}, Buffer.from('not a picture'));
    expect([bad.status, Object.keys(bad.body.errors as object)]).toEqual([422, ['profile_pict']]);
    expect((await owner.save({ remove_pict: 'T' })).body.user.profile_pict).toBeNull();
    expect((await get(second)).statusCode).toBe(404);
  });

  test('another address needs the password and a confirmation, and the old one holds until then', async () => {
    const owner = await person(client);
    const email = `new${++serial}@profile.test`;
    expect((await owner.save({ email, name: 'Kept out' })).body.errors).toEqual({
      currpassword: [messages.currentPasswordWrong],
    });
    await app.admin.query(
      `update session set created_at = created_at - interval '1 hour', confirmed_at = null where user_id = $1`,
      [owner.id],
    );
    const stale = await owner.save({ email, currpassword: PASSWORD });
    expect([stale.status, stale.body.errors]).toEqual([403, { confirm: ['password'] }]);
    await app.admin.query('update session set confirmed_at = $2 where user_id = $1', [
      owner.id,
      app.clock.now(),
    ]);
    const saved = await owner.save({ email, name: 'Moved', currpassword: PASSWORD });
    expect(saved.body).toMatchObject({
      result: 'success',
      message: ownMessages.emailConfirm,
      email_pending: email,
      user: { email: owner.email, name: 'Moved' },
    });
    const token = await lastLink(email);
    const notices = await app.admin.query(
      `select count(*) as n from mail where to_address = $1 and kind = 'account.notice'`,
      [owner.email],
    );
    expect(Number(notices.rows[0].n)).toBe(1);
    const confirm = (given: string, host = HOST) =>
      app.call('POST', '/api/user/confirm-email', { host, body: { token: given } });
    expect((await confirm(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).status).toBe(410);
    expect((await confirm(token, 'other.test')).status).toBe(410);
    expect((await confirm(token)).status).toBe(200);
    expect((await confirm(token)).status).toBe(410);
    expect((await owner.get('/api/user')).body.email).toBe(email);
    await app.signIn(email, HOST);
    expect([await logs('email.asked', owner.id), await logs('email.changed', owner.id)]).toEqual([1, 1]);
  });

  test('anyone who loses the account loses the link to another address with it, and the old address its links', async () => {
    const owner = await person(client);
    const email = `thief${++serial}@profile.test`;
    const confirm = (token: string) =>
      app.call('POST', '/api/user/confirm-email', { host: HOST, body: { token } });
    const resetLink = async (): Promise<string> => {
      const { rows } = await app.admin.query(
        'select id from password_reset where user_id = $1 order by created_at desc limit 1',
        [owner.id],
      );
      const key = derive(app.platform.config.appKey, 'links');
      return linkToken(key, 'reset', rows[0].id);
    };
    const forgot = async (username: string) => {
      const body = { username, gtoken: await solveCaptcha(app, HOST) };
      return app.call('POST', '/api/forgetpass', { host: HOST, body });
    };
    const setNew = async (of: string) =>
      (
        await app.call('POST', '/api/setnewpassword', {
          host: HOST,
          body: { token: await resetLink(), email: of, newpassword: 'a fresh new password' },
        })
      ).status;
    await owner.save({ email, currpassword: PASSWORD });
    const stolen = await lastLink(email);
    expect((await forgot(owner.email)).status).toBe(200);
    expect(await setNew(owner.email)).toBe(200);
    expect((await confirm(stolen)).status).toBe(410);

    const mover = await person(client);
    const next = `next${++serial}@profile.test`;
    await mover.save({ email: next, currpassword: PASSWORD });
    const changed = await app.call('POST', '/api/user/resetpassword', {
      host: HOST,
      token: await app.signIn(mover.email, HOST),
      body: { usrID: mover.id, newpassword: 'seven gray herons wade', currpassword: PASSWORD },
    });
    expect(changed.status).toBe(200);
    expect((await confirm(await lastLink(next))).status).toBe(410);

    const third = await person(client);
    const kept = `kept${++serial}@profile.test`;
    expect((await forgot(third.email)).status).toBe(200);
    await third.save({ email: kept, currpassword: PASSWORD });
    expect((await confirm(await lastLink(kept))).status).toBe(200);
    const open = await app.admin.query(
      'select count(*) as n from password_reset where user_id = $1 and used_at is null',
      [third.id],
    );
    expect(Number(open.rows[0].n)).toBe(0);
  });

  test('an address that is taken answers error_email and saves nothing; a late link is over', async () => {
    const owner = await person(client, { name: 'Stays' });
    const other = await person(agency);
    const taken = await owner.save({ email: other.email, name: 'Changed', currpassword: PASSWORD });
    expect(taken.body).toEqual({
      result: 'error_email',
      message: ownMessages.emailTaken,
      user: null,
      email_pending: null,
    });
    expect((await owner.get('/api/user')).body).toMatchObject({ name: 'Stays', email: owner.email });
    const email = `late${++serial}@profile.test`;
    await owner.save({ email, currpassword: PASSWORD });
    const token = await lastLink(email);
    app.clock.advance(24 * 3_600_000 + 1);
    const late = await app.call('POST', '/api/user/confirm-email', { host: HOST, body: { token } });
    expect(late.status).toBe(410);
    app.clock.advance(-24 * 3_600_000 - 1);
  });
});

describe('[PROF-05] the questionnaire', () => {
  const answers = {
    industry_id: 'legal',
    franchize: 'T',
    franchizedirector: 'F',
    officemanager: 'T',
    business_type: 'agency',
    client_count: '2-10',
    lead_volume: '500',
    verticals: ['legal'],
    channels: ['search'],
    crm: 'none',
    how_heard: 'event',
    experience: 'some',
    goals: ['resell', 'measure'],
    note: '',
  };

  test('is saved, read and changed; the session user tells of it', async () => {
    const boss = await person(agency);
    expect((await boss.get('/api/user/questionnaire')).body.data).toBeNull();
    expect((await boss.put('/api/user/questionnaire', answers)).status).toBe(200);
    expect((await boss.get('/api/user/questionnaire')).body.data).toEqual(answers);
    expect((await boss.get('/api/user')).body).toMatchObject({
      questionnaire_setup_completed: 'T',
      industry_id: 'legal',
      industry_name: 'Legal',
      franchize: 'T',
      franchizedirector: 'F',
      officemanager: 'T',
    });
    await boss.put('/api/user/questionnaire', { ...answers, industry_id: 'other' });
    expect((await boss.get('/api/user')).body.industry_name).toBe('Other');
    const wrong = await boss.put('/api/user/questionnaire', { ...answers, industry_id: 'x', goals: [] });
    expect(Object.keys(wrong.body.errors as object).sort()).toEqual(['goals', 'industry_id']);
  });

  test('is not for clients', async () => {
    const owner = await person(client);
    expect((await owner.get('/api/user/questionnaire')).status).toBe(403);
    expect((await owner.put('/api/user/questionnaire', answers)).status).toBe(403);
  });
});

describe('[CONF-10] lists', () => {
  test('states, their cities, time zones and the country of a visitor', async () => {
    const owner = await person(client);
    const states = (await owner.get('/api/general/states')).body.data as { value: string; label: string }[];
    expect(states).toContainEqual({ value: 'IL', label: 'Illinois' });
    const cities = (await owner.get('/api/general/cities?state=il')).body.data as string[];
    expect(cities).toEqual(expect.arrayContaining(['Chicago', 'Springfield']));
    expect(cities).not.toContain('New Orleans');
    expect((await owner.get('/api/general/cities?state=XX')).status).toBe(422);
    const zones = (await owner.get('/api/general/timezones')).body;
    expect(zones.default).toBe('America/Chicago');
    expect(zones.data).toContainEqual({ value: 'America/Chicago', label: 'America/Chicago (GMT-05:00)' });
    const country = await app.server.inject({
      method: 'GET',
      url: '/api/general/visitor-country',
      headers: { host: HOST },
      remoteAddress: '193.0.6.139',
    });
    expect(country.json()).toEqual({ country_code: 'NL', known: true });
    const local = await app.call('GET', '/api/general/visitor-country', { host: HOST });
    expect(local.body).toEqual({ country_code: 'US', known: false });
  });
});

test.each([
  ['2025550123', 'US', '+1', { number: '2025550123', country: 'US', calling: '+1' }],
  ['+1 202-555-0123', '', '', { number: '2025550123', country: 'US', calling: '+1' }],
  ['030 901820', 'DE', '+49', { number: '30901820', country: 'DE', calling: '+49' }],
  ['030901820', '', '+49', { number: '30901820', country: 'DE', calling: '+49' }],
  ['+49 30 901820', 'US', '+1', null],
  ['123', 'US', '+1', null],
  ['2025550123', 'ZZ', '', null],
])('[PROF-02] phone %s of %s %s', (number, country, calling, parts) => {
  expect(readPhone(number, country, calling)).toEqual(parts);
});
