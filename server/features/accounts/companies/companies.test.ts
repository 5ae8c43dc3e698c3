import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownMessages } from '../../../../contract/messages.ts';
import { configMessages } from '../../../../contract/messages-config.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { duesOf } from '../../../test/dues.ts';
import type { Company } from '../../../test/factories.ts';
import { linkIn, mailsTo } from '../../../test/ways-in.ts';

let app: TestApp;
let root: Company;
let acme: Company;
const token: Record<string, string> = {};
const HOST: Record<string, string> = { agency: 'acme.root.test' };

beforeAll(async () => {
  app = await testApp();
  const { make } = app;
  root = await make.root({ host: 'root.test', isMaster: true });
  acme = await make.agency(root, { host: 'acme.root.test', name: 'Acme' });
  const passwordHash = await app.features.users.hashPassword(PASSWORD);
  const phone = { number: '2025550123', country: 'US', calling: '+1' };
  await make.user(root, { email: 'root@x.test', name: 'Rita Root', passwordHash });
  await make.user(acme, {
    email: 'agency@x.test',
    name: 'Anna Acme',
    passwordHash,
    phone,
    profileDone: true,
  });
  token.root = await app.signIn('root@x.test', 'root.test');
  token.agency = await app.signIn('agency@x.test', 'acme.root.test');
});
afterAll(() => app.close());

const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown, who = 'root') =>
  app.call(method, `/api/${url}`, { host: HOST[who] ?? 'root.test', token: token[who]!, body });
let serial = 0;
const fields = (given: object = {}) => ({
  companyID: root.id,
  idsys: root.id,
  userType: 'userdownline',
  ClientCompanyName: `Agency ${++serial}`,
  ClientFullName: 'Otto Owner',
  ClientEmail: `otto${++serial}@x.test`,
  ClientPhone: '(202) 555-0123',
  ClientPhoneCountryCode: 'US',
  ClientPhoneCountryCallingCode: '+1',
  DownlineSubDomain: `agency-${++serial}`,
  ...given,
});
type Node = Record<string, unknown> & { id: string; company_id: string; version: number };
const create = (given: object = {}) => ask('POST', 'configuration/user/create', fields(given));
async function made(given: object = {}): Promise<Node> {
  const { status, body } = await create(given);
  expect([status, body.message]).toEqual([200, 'Data has been added successfully']);
  return (body.data as Node[])[0]!;
}
/** The node's own values as the edit form sends them. */
const same = (node: Node, given: object = {}) => ({
  companyID: root.id,
  userType: 'userdownline',
  action: 'downline',
  ClientID: node.id || node.company_id,
  ClientCompanyName: node.company_name,
  ClientFullName: node.name,
  ClientEmail: node.email,
  ClientPhone: node.phonenum,
  ClientPhoneCountryCode: node.phone_country_code,
  DownlineSubDomain: node.orisubdomain,
  version: node.version,
  ...given,
});
const update = (node: Node, given: object = {}) => ask('PUT', 'configuration/user/update', same(node, given));
const list = (path = 'all/all/userdownline/all/all/all/all', query = '', parent = root.id, who = 'root') =>
  ask('GET', `configuration/user/${parent}/${path}${query}`, undefined, who);
const names = async (...args: Parameters<typeof list>) => {
  const { status, body } = await list(...args);
  expect([status, body.message]).toEqual([200, undefined]);
  return (body.data as Node[]).map((row) => row.company_name);
};
const nodeOf = async (id: string): Promise<Node> =>
  ((await list('all/all/all/all/all/all/all', '?PerPage=100')).body.data as Node[]).find(
    (row) => row.company_id === id,
  )!;
const mails = async (to: string) => (await mailsTo(app, root.id, to)).reverse();
const logged = async () =>
  Number(
    (await app.admin.query(`select count(*) as n from user_log where action like 'company.%'`)).rows[0].n,
  );

describe('[AGCY-06] adding an agency', () => {
  test('makes the company, its owner and its subdomain, invites the owner, and writes one row in the log', async () => {
    const before = await logged();
    const node = await made({
      ClientCompanyName: ' Bluepeak ',
      ClientEmail: 'Bea@Bluepeak.TEST',
      ClientFullName: 'Bea Blue',
      DownlineSubDomain: 'BluePeak',
      DownlineDomain: 'leads.bluepeak.com',
      DownlineOrganizationID: 'ORG-7',
      ApiMode: 'T',
      ClientWhiteLabeling: 'T',
    });
    expect(await logged()).toBe(before + 1);
    expect(node).toMatchObject({
      company_name: 'Bluepeak',
      name: 'Bea Blue',
      email: 'bea@bluepeak.test',
      phonenum: '2025550123',
      phone_country_code: 'US',
      phone_country_calling_code: '+1',
      subdomain: 'bluepeak.root.test',
      orisubdomain: 'bluepeak',
      domain: 'leads.bluepeak.com',
      external_organizationid: 'ORG-7',
      api_mode: 'T',
      is_whitelabeling: 'T',
      manual_bill: 'F',
      user_type: 'userdownline',
      profile_setup_completed: 'F',
    });
    const [mail] = await mails('bea@bluepeak.test');
    expect(mail).toMatchObject({ kind: 'account.invitation', subject: 'Your account is ready' });
    // The link leads to the agency's own host, and works once: the owner sets a password and is signed in there at once.
    const { url, token: link } = linkIn(mail);
    expect(url.hostname).toBe('bluepeak.root.test');
    const set = { email: 'bea@bluepeak.test', token: link, newpassword: PASSWORD };
    const { body: known } = await app.call('POST', '/api/verify-reset-token', {
      host: 'bluepeak.root.test',
      body: { token: link, email: set.email },
    });
    expect(known).toMatchObject({ valid: true, is_invitation: true });
    const done = await app.call('POST', '/api/setnewpassword', { host: 'bluepeak.root.test', body: set });
    expect([done.status, done.body.message]).toEqual([200, 'Your password is set. Welcome.']);
    const me = await app.call('GET', '/api/user', {
      host: 'bluepeak.root.test',
      token: String(done.body.access_token),
    });
    expect(me.body.email).toBe('bea@bluepeak.test');
    expect(
      (await app.call('POST', '/api/setnewpassword', { host: 'bluepeak.root.test', body: set })).status,
    ).toBe(410);
    await app.signIn('bea@bluepeak.test', 'bluepeak.root.test');
  });

  test.each([
    ['ClientCompanyName', '', 'Company Name is required'],
    ['ClientCompanyName', 'x'.repeat(256), 'Company Name must not exceed 255 characters.'],
    ['ClientCompanyName', '🙂'.repeat(256), 'Company Name must not exceed 255 characters.'],
    ['ClientCompanyName', 'two\nlines', 'must not contain control characters'],
    ['ClientFullName', '  ', 'Full Name is required'],
    ['ClientFullName', 'x'.repeat(256), 'Full Name must not exceed 255 characters.'],
    ['ClientEmail', '', 'Email is required'],
    ['ClientEmail', 'nobody', 'Please enter a valid email'],
    ['ClientEmail', `${'x'.repeat(62)}@mail.com`, 'Email must not exceed 70 characters.'],
    ['ClientPhone', '', 'Please enter valid phone number'],
    ['ClientPhone', '12', 'Please enter valid phone number'],
    ['ClientPhone', '0'.repeat(41), 'Please enter valid phone number'],
    ['DownlineSubDomain', '', 'is required'],
    ['DownlineSubDomain', '-a', 'must not start or end with a hyphen'],
    ['DownlineSubDomain', 'a-', 'must not start or end with a hyphen'],
    ['DownlineSubDomain', 'a_b', 'must have only letters, digits, and hyphens'],
    ['DownlineSubDomain', 'a.b', 'must have only letters, digits, and hyphens'],
    ['DownlineSubDomain', 'x'.repeat(64), 'must not exceed 63 characters'],
    ['DownlineSubDomain', 'www', 'is reserved. Choose another one'],
    ['DownlineSubDomain', 'acme', 'is already taken'],
    ['DownlineDomain', 'localhost', 'must be a full domain name, such as portal.example.com'],
    ['DownlineDomain', 'x.root.test', "is part of the platform's own domain. Set a subdomain instead"],
    ['DownlineOrganizationID', 'x'.repeat(256), 'must not exceed 255 characters'],
    ['userType', 'client', 'cannot be added here'],
    ['idsys', '00000000-0000-4000-8000-000000000000', 'is not this platform'],
  ])('[AGCY-18] %s %j is refused and makes nothing', async (field, value, text) => {
    const count = async () => Number((await app.admin.query('select count(*) as n from company')).rows[0].n);
    const before = await count();
    const { status, body } = await create({ [field]: value });
    expect([status, body.errors]).toEqual([422, { [field]: [text] }]);
    expect(await count()).toBe(before);
  });

  test.each([
    ['a', 'short@x.test'],
    ['x'.repeat(255), `${'x'.repeat(61)}@mail.com`],
    ['🙂'.repeat(255), 'emoji@x.test'],
    ['<img src=x onerror=alert(1)>', 'html@x.test'],
    ['\u202Eevil \u200Fשלום', 'rtl@x.test'],
  ])('[AGCY-18] the name %j is kept to the letter', async (name, email) => {
    const node = await made({ ClientCompanyName: name, ClientFullName: name, ClientEmail: email });
    expect(await nodeOf(node.company_id)).toMatchObject({ company_name: name, name, email });
    const [mail] = await mails(email);
    expect(mail!.body!.html).not.toContain('<img src=x');
  });

  test('[AGCY-14] an address that has an account is told in words, and a subdomain of 63 characters is none too long', async () => {
    const { status, body } = await create({ ClientEmail: 'AGENCY@x.test' });
    expect([status, body.message, body.errors]).toEqual([
      422,
      'Another account uses this email address.',
      { ClientEmail: ['Another account uses this email address.'] },
    ]);
    await made({ DownlineSubDomain: 'x'.repeat(63) });
  });

  test('[CONF-01] an agency adds clients below itself, without hosts, and nowhere else', async () => {
    const client = {
      companyID: acme.id,
      idsys: root.id,
      userType: 'client',
      DownlineSubDomain: undefined,
      disabledaddcampaign: 'T',
    };
    const done = await ask('POST', 'configuration/user/create', fields(client), 'agency');
    expect([done.status, (done.body.data as Node[])[0]]).toMatchObject([
      200,
      { kind: 'client', user_type: 'client', subdomain: '', disabledaddcampaign: 'T' },
    ]);
    const refused = async (given: object) => {
      const { status, body } = await ask(
        'POST',
        'configuration/user/create',
        fields({ ...client, ...given }),
        'agency',
      );
      return [status, Object.keys(body.errors as object)[0]];
    };
    expect(await refused({ DownlineSubDomain: 'mine' })).toEqual([422, 'DownlineSubDomain']);
    expect(await refused({ ApiMode: 'T' })).toEqual([422, 'ApiMode']);
    expect((await refused({ companyID: root.id }))[0]).toBe(404);
  });
});

describe('[AGCY-05] changing an agency', () => {
  test('sets every field, keeps the rest, and writes one row that says what', async () => {
    const node = await made();
    const plan = await ask('POST', 'general/minimum-spend-config', {
      planName: 'Gold',
      months: ['10'],
      flatMonth: '20',
    });
    const planId = (plan.body.data as { id: string }).id;
    const before = await logged();
    const { status, body } = await update(node, {
      ClientCompanyName: 'Renamed',
      ClientFullName: 'Nora New',
      ClientPhone: '+44 20 7946 0958',
      ClientPhoneCountryCode: 'GB',
      DownlineSubDomain: 'renamed',
      DownlineOrganizationID: '42',
      ClientWhiteLabeling: 'T',
      ApiMode: 'T',
      selectedterms: [
        { term: 'Weekly', status: true },
        { term: 'Monthly', status: 'F' },
        { term: 'One Time', status: false },
      ],
      planMinSpendId: planId,
    });
    expect([status, body.message]).toEqual([200, 'Data has been updated successfully']);
    expect(await logged()).toBe(before + 1);
    const after = (body.data as Node[])[0]!;
    expect(after).toMatchObject({
      company_name: 'Renamed',
      name: 'Nora New',
      phonenum: '2079460958',
      phone_country_code: 'GB',
      subdomain: 'renamed.root.test',
      external_organizationid: '42',
      is_whitelabeling: 'T',
      api_mode: 'T',
      plan_minspend_id: planId,
      selected_payment_term: [
        { term: 'Weekly', status: true },
        { term: 'Monthly', status: false },
        { term: 'One Time', status: false },
        { term: 'Prepaid', status: true },
      ],
    });
    expect(after.version).toBeGreaterThan(node.version);
    const { rows } = await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id where l.action = 'company.update' order by l.created_at desc, l.id desc limit 1`,
    );
    expect(rows[0].description).toContain('company name: Renamed');
    expect(rows[0].description).toContain('payment terms: Weekly, Prepaid');
    expect(rows[0].description).toContain('minimum-spend plan: Gold');
    // The previous host is released, the new one is served.
    expect((await app.call('GET', '/api/general/domain-info', { host: 'renamed.root.test' })).status).toBe(
      200,
    );
  });

  test.each([
    ['ClientCompanyName', '', 'Company Name is required'],
    ['ClientCompanyName', 'x'.repeat(256), 'Company Name must not exceed 255 characters.'],
    ['ClientCompanyName', '🙂'.repeat(256), 'Company Name must not exceed 255 characters.'],
    ['ClientFullName', ' ', 'Full Name is required'],
    ['ClientFullName', 'x'.repeat(256), 'Full Name must not exceed 255 characters.'],
    ['ClientEmail', '', 'Email is required'],
    ['ClientEmail', 'nobody', 'Please enter a valid email'],
    ['ClientEmail', `${'x'.repeat(62)}@mail.com`, 'Email must not exceed 70 characters.'],
    ['ClientPhone', '12', 'Please enter valid phone number'],
    ['DownlineSubDomain', 'a.b', 'must have only letters, digits, and hyphens'],
    ['DownlineSubDomain', '-a', 'must not start or end with a hyphen'],
    ['DownlineSubDomain', 'x'.repeat(64), 'must not exceed 63 characters'],
    ['DownlineSubDomain', 'www', 'is reserved. Choose another one'],
    ['DownlineSubDomain', 'acme', 'is already taken'],
    ['DownlineOrganizationID', 'x'.repeat(256), 'must not exceed 255 characters'],
  ])('[AGCY-18] %s %j is refused of an edit, too, and changes nothing', async (field, value, text) => {
    const node = await made();
    const { status, body } = await update(node, { [field]: value, ClientWhiteLabeling: 'T' });
    expect([status, body.errors]).toEqual([422, { [field]: [text] }]);
    expect(await nodeOf(node.company_id)).toEqual(node);
  });

  test.each([
    ['x'.repeat(255), 'y'.repeat(63)],
    ['🙂'.repeat(255), 'a'],
    ['<script>alert(1)</script> & \u202Eשלום', 'a-1'],
  ])(
    '[AGCY-18] names at their limit and the subdomain beside them are kept of an edit: %j',
    async (name, label) => {
      const node = await made();
      const email = `${'e'.repeat(50 + (++serial % 10))}${serial}@edit.test`.slice(-70);
      const { status } = await update(node, {
        ClientCompanyName: name,
        ClientFullName: name,
        ClientEmail: email,
        DownlineSubDomain: label,
        DownlineOrganizationID: name.slice(0, 100),
      });
      expect(status).toBe(200);
      expect(await nodeOf(node.company_id)).toMatchObject({
        company_name: name,
        name,
        email,
        orisubdomain: label,
        external_organizationid: name.slice(0, 100),
      });
    },
  );

  test('[TEN-05] where an agency’s people sign in is changed by owners only, freshly confirmed, as themselves', async () => {
    const node = await made();
    const { email } = await app.make.user(root, {
      email: `admin${++serial}@x.test`,
      role: 'administrator',
      password: PASSWORD,
    });
    token.admin = await app.signIn(email, 'root.test');
    const tries = [{ DownlineSubDomain: 'evil' }, { DownlineDomain: 'leads.evil.test' }];
    const change = (given: object, who: string) =>
      ask('PUT', 'configuration/user/update', same(node, given), who);
    for (const given of tries) {
      const { status, body } = await change(given, 'admin');
      expect([status, body.errors]).toEqual([403, { [Object.keys(given)[0]!]: [configMessages.hostOwner] }]);
    }
    await app.admin.query(
      `update session set created_at = created_at - interval '1 hour', confirmed_at = null`,
    );
    for (const given of tries) {
      const { status, body } = await change(given, 'root');
      expect([status, body.errors]).toEqual([403, { confirm: ['password'] }]);
    }
    expect(await nodeOf(node.company_id)).toEqual(node);
    // Whatever else the form holds is saved by both.
    expect((await change({ ClientCompanyName: 'Kept', DownlineDomain: '' }, 'admin')).status).toBe(200);
    token.root = await app.signIn('root@x.test', 'root.test');
    const moved = await update(await nodeOf(node.company_id), { DownlineDomain: 'leads.moved.test' });
    expect((moved.body.data as Node[])[0]!.domain).toBe('leads.moved.test');
  });

  test('no payment term left: told by the spec, nothing changed', async () => {
    const node = await made();
    const none = ['Weekly', 'Monthly', 'One Time', 'Prepaid'].map((term) => ({ term, status: false }));
    const { status, body } = await update(node, { ClientCompanyName: 'Not kept', selectedterms: none });
    expect([status, body.message]).toEqual([422, 'Please select payment term']);
    expect((await nodeOf(node.company_id)).company_name).toBe(node.company_name);
  });

  test('whether a stranger’s address has an account is told in the end only, rarely, and leaves a row in the log', async () => {
    const node = await made();
    const { email } = await app.make.user(root, { email: `probe${++serial}@x.test`, password: PASSWORD });
    token.probe = await app.signIn(email, 'root.test');
    const probe = (given: object) => ask('PUT', 'configuration/user/update', same(node, given), 'probe');
    const none = ['Weekly', 'Monthly', 'One Time', 'Prepaid'].map((term) => ({ term, status: false }));
    for (const ClientEmail of ['agency@x.test', 'free@x.test']) {
      for (const wrong of [{ selectedterms: none }, { salesRep: root.id }, { twoFactorAuth: 'email' }])
        expect(Object.keys((await probe({ ClientEmail, ...wrong })).body.errors as object)).toEqual(
          Object.keys(wrong),
        );
      const added = await ask(
        'POST',
        'configuration/user/create',
        fields({ ClientEmail, salesRep: root.id }),
        'probe',
      );
      expect(Object.keys(added.body.errors as object)).toEqual(['salesRep']);
    }
    for (let i = 0; i < 20; i++) {
      const { status, body } = await probe({ ClientEmail: 'agency@x.test' });
      expect([status, body.errors]).toEqual([422, { ClientEmail: [ownMessages.emailTaken] }]);
    }
    const { rows } = await app.admin.query(
      `select count(*)::int as n from user_log l join user_account a on a.id = l.actor_id
       where l.action = 'account.taken' and a.email = $1`,
      [email],
    );
    expect(rows[0].n).toBe(20);
    for (const ClientEmail of ['agency@x.test', 'free@x.test']) {
      expect((await probe({ ClientEmail })).status).toBe(429);
      expect((await ask('POST', 'configuration/user/create', fields({ ClientEmail }), 'probe')).status).toBe(
        429,
      );
    }
    expect((await probe({ ClientCompanyName: 'Kept' })).status).toBe(200);
  });

  test('of two editors the later is told and overwrites nothing, also when the first was the owner themself', async () => {
    const node = await made();
    expect((await update(node, { ClientCompanyName: 'First' })).status).toBe(200);
    const late = await update(node, { ClientCompanyName: 'Second' });
    expect([late.status, late.body.message]).toEqual([
      409,
      'Someone else changed this company in the meantime. Reload it to see their changes, then make yours again.',
    ]);
    const now = await nodeOf(node.company_id);
    expect(now.company_name).toBe('First');
    await app.admin.query(`update user_account set name = 'By themself' where id = $1`, [node.id]);
    expect((await update(now, { ClientCompanyName: 'Third' })).status).toBe(409);
    const both = await nodeOf(node.company_id);
    const [one, two] = await Promise.all([
      update(both, { ClientCompanyName: 'Left' }),
      update(both, { ClientCompanyName: 'Right' }),
    ]);
    expect([one.status, two.status].sort()).toEqual([200, 409]);
  });

  test('another email address: the old one is told, its links open nothing, and who has no password is invited again', async () => {
    const node = await made();
    const old = String(node.email);
    app.clock.advance(1000);
    expect((await update(node, { ClientEmail: 'moved@x.test' })).status).toBe(200);
    expect((await mails(old)).map((mail) => mail.kind)).toEqual(['account.invitation', 'account.notice']);
    const [fresh] = await mails('moved@x.test');
    expect(fresh!.kind).toBe('account.invitation');
    const [first] = await mails(old);
    const stale = linkIn(first).token;
    const tried = await app.call('POST', '/api/setnewpassword', {
      host: 'root.test',
      body: { email: old, token: stale, newpassword: PASSWORD },
    });
    expect(tried.status).toBe(410);
    const taken = await update(await nodeOf(node.company_id), { ClientEmail: 'agency@x.test' });
    expect([taken.status, taken.body.message]).toEqual([422, 'Another account uses this email address.']);
  });

  test('invitations lead to the custom domain only while it is served: with white labeling', async () => {
    const node = await made();
    await app.admin.query('update domain set is_primary = false where company_id = $1', [node.company_id]);
    await app.admin.query(
      `insert into domain (host, root_id, agency_id, company_id, kind, is_primary, verified_at, created_at)
       values ('leads.invited.example', $1, $2, $2, 'custom', true, now(), now())`,
      [root.id, node.company_id],
    );
    const invited = async () => {
      app.clock.advance(1000);
      await ask('POST', 'configuration/user/resendinvitation', { companyID: root.id, ClientID: node.id });
      const [{ origin }] = (
        await app.admin.query(
          'select origin from password_reset where user_id = $1 order by created_at desc limit 1',
          [node.id],
        )
      ).rows;
      return new URL(origin).hostname;
    };
    expect(await invited()).toBe('leads.invited.example');
    expect((await update(node, { ClientWhiteLabeling: 'F' })).status).toBe(200);
    expect(await invited()).toBe(node.subdomain);
  });

  test('a company whose owner has left gets a new one, who is invited', async () => {
    const node = await made();
    await app.admin.query('update user_account set disabled_at = now() where id = $1', [node.id]);
    const gone = await nodeOf(node.company_id);
    expect([gone.id, gone.name, gone.email]).toEqual(['', '', '']);
    const { status } = await update(gone, {
      ClientFullName: 'Next One',
      ClientEmail: 'next@x.test',
      ClientPhone: '2025550123',
      ClientPhoneCountryCode: 'US',
    });
    expect(status).toBe(200);
    expect((await mails('next@x.test')).map((mail) => mail.kind)).toEqual(['account.invitation']);
    expect(await nodeOf(node.company_id)).toMatchObject({ name: 'Next One' });
  });

  test('[AGCY-12] a product with active campaigns is not taken away; the campaigns are told by their numbers', async () => {
    const node = await made();
    const agency = { id: node.company_id, root_id: root.id, agency_id: node.company_id };
    const campaign = await app.make.campaign(await app.make.client(agency));
    const check = (leadspeek_type = 'local') =>
      ask('POST', 'leadspeek/check-campaign-active', {
        company_id: node.company_id,
        leadspeek_type,
        user_type: 'agency',
      });
    expect((await check('locator|b2b')).body.active_campaign_id).toEqual([]);
    expect((await check('local|locator')).body.active_campaign_id).toHaveLength(1);
    for (const wrong of ['', 'local|', 'local,locator', 'x'])
      expect((await check(wrong)).body.errors).toEqual({ leadspeek_type: ['is not a product'] });
    const { rows } = await app.admin.query('select number from campaign where id = $1', [campaign.id]);
    expect((await check()).body).toEqual({ result: 'success', active_campaign_id: [String(rows[0].number)] });
    const off = { selectedmodules: [{ type: 'local', status: false }] };
    const refused = await update(await nodeOf(node.company_id), off);
    expect([refused.status, refused.body.message]).toEqual([
      422,
      'Unable to disable the product due to active campaigns. Please manually stop the campaigns before disabling the product.',
    ]);
    await app.admin.query(`update campaign set state = 'paused' where id = $1`, [campaign.id]);
    expect((await check()).body.active_campaign_id).toEqual([]);
    const done = await update(await nodeOf(node.company_id), off);
    expect((done.body.data as Node[])[0]!.selected_modules).toEqual([
      { type: 'local', status: false },
      { type: 'locator', status: true },
      { type: 'enhance', status: true },
      { type: 'b2b', status: true },
      { type: 'simplifi', status: true },
    ]);
  });

  test('[BETA-01] a root opens trials, for agencies or for all, and chooses what it sells; active campaigns keep it open', async () => {
    const node = await made();
    const path = 'configuration/setting';
    type Products = { modules: string[]; betaFeature: { id: number; is_beta: boolean }[] };
    const now = async () =>
      (await ask('GET', `${path}/${root.id}/products`)).body.data as unknown as Products;
    const save = async (comsetval: object) =>
      ask('PUT', path, { comsetname: 'products', comsetval: { ...(await now()), ...comsetval } });
    const rootMenu = async () =>
      (
        (await app.call('GET', '/api/general/domain-info', { host: 'root.test' })).body
          .rootsidemenu as unknown as { type: string }[]
      ).map((one) => one.type);
    const choosable = async () =>
      ((await nodeOf(node.company_id)).selected_modules as { type: string }[]).map((one) => one.type);
    expect(await now()).toEqual({
      modules: ['local', 'locator', 'enhance', 'b2b', 'simplifi'],
      betaFeature: [
        { id: 1, is_beta: true, apply_to_all_agency: false },
        { id: 2, is_beta: true, apply_to_all_agency: false },
        { id: 3, is_beta: true, apply_to_all_agency: false },
      ],
    });
    expect(await rootMenu()).toEqual((await now()).modules);
    // For one agency.
    expect(node.beta_user).toBe('F');
    const included = await update(node, { betaUser: 'T' });
    expect((included.body.data as Node[])[0]!.beta_user).toBe('T');
    expect(await names('all/all/userdownline/all/all/all/all', '?Filters=beta_user')).toEqual([
      node.company_name,
    ]);
    const agency = { id: node.company_id, root_id: root.id, agency_id: node.company_id };
    const campaign = await app.make.campaign(await app.make.client(agency), {
      module: 'b2b',
      search: { keywords: ['crm'] },
    });
    const out = async () => update(await nodeOf(node.company_id), { betaUser: 'F' });
    expect((await out()).body.errors).toMatchObject({
      betaUser: [expect.stringMatching(/active campaigns/)],
    });
    // For all agencies, and for none.
    const b2b = (is_beta: boolean, apply_to_all_agency: boolean) =>
      save({ betaFeature: [{ id: 2, is_beta, apply_to_all_agency }] });
    expect((await b2b(true, true)).status).toBe(200);
    expect((await out()).status).toBe(200);
    for (const refused of [
      await b2b(true, false),
      await b2b(false, false),
      await save({ modules: ['local'] }),
    ])
      expect([refused.status, refused.body.message]).toEqual([
        422,
        expect.stringMatching(/^[\w: ]*Unable to disable the product due to active campaigns/),
      ]);
    await app.admin.query(`update campaign set state = 'paused' where id = $1`, [campaign.id]);
    expect((await b2b(false, false)).status).toBe(200);
    // What the root itself sells.
    expect((await save({ modules: [] })).status).toBe(422);
    expect((await save({ modules: ['local', 'enhance'] })).status).toBe(200);
    expect(await rootMenu()).toEqual(['local', 'enhance']);
    expect(await choosable()).toEqual(['local', 'enhance']);
    expect((await b2b(true, false)).status).toBe(200);
    expect((await save({ modules: ['local', 'locator', 'enhance', 'b2b', 'simplifi'] })).status).toBe(200);
    expect(await rootMenu()).toEqual(await choosable());
  });

  test('[AGCY-11] developer mode off and on again asks for the terms again', async () => {
    const node = await made({ ApiMode: 'T' });
    const accept = () =>
      app.make.developer({ ...acme, id: node.company_id, agency_id: node.company_id }, node.id);
    const agreed = async () => (await nodeOf(node.company_id)).is_marketing_services_agreement_developer;
    expect(await agreed()).toBe('F');
    app.clock.advance(1000);
    await accept();
    expect(await agreed()).toBe('T');
    app.clock.advance(1000);
    await update(await nodeOf(node.company_id), { ApiMode: 'F' });
    app.clock.advance(1000);
    await update(await nodeOf(node.company_id), { ApiMode: 'T' });
    expect(await agreed()).toBe('F');
    await accept();
    expect(await agreed()).toBe('T');
  });

  test('nobody changes what is not right below their own company', async () => {
    const client = await app.make.client(acme);
    const { status, body } = await update(
      {
        id: '',
        company_id: client.id,
        version: 1,
        company_name: 'x',
        name: 'x',
        email: 'y@x.test',
        phonenum: '2025550123',
        phone_country_code: 'US',
      },
      { DownlineSubDomain: undefined },
    );
    expect([status, body.errors]).toEqual([422, { companyID: ['is not directly below your own company'] }]);
  });
});

describe('[AGCY-13] removing an agency', () => {
  const remove = (node: Node, given?: object) =>
    ask('DELETE', `configuration/user/remove/${root.id}/${node.id || node.company_id}`, given);
  const tenant = (node: Node): Company => ({
    id: node.company_id,
    root_id: root.id,
    agency_id: node.company_id,
  });

  test('is refused in words with active campaigns, with a balance and with something due', async () => {
    const node = await made({ ClientCompanyName: 'Busy' });
    const client = await app.make.client(tenant(node));
    const campaign = await app.make.campaign(client, { balance: 250_000_000n });
    const one = await remove(node);
    expect([one.status, one.body.message]).toEqual([
      409,
      'Busy has 1 active campaign. Stop it first, then remove it.',
    ]);
    await app.admin.query(`update campaign set state = 'paused' where id = $1`, [campaign.id]);
    const two = await remove(node);
    expect([two.status, two.body.message]).toEqual([
      409,
      'Busy still has $250.00 in its balances. Refund it or wait until it is used, then remove the company.',
    ]);
    expect((await nodeOf(node.company_id)).company_name).toBe('Busy');
    // Another company owes a fee that is not on an invoice yet, and then the invoice for it.
    const debtor = await made({ ClientCompanyName: 'Debtor' });
    const dues = duesOf(app, root);
    await dues.fee(tenant(debtor), 12_500_000n);
    const owes = 'Debtor still owes $12.50. Collect the amount or write it off, then remove the company.';
    expect((await remove(debtor)).body.message).toBe(owes);
    expect((await nodeOf(debtor.company_id)).company_name).toBe('Debtor');
  });

  test('is refused while it or a client has a credit toward the next invoice, unless it is to keep that', async () => {
    const dues = duesOf(app, root);
    const node = await made({ ClientCompanyName: 'Credited' });
    await dues.fee(tenant(node), -12_500_000n);
    const campaign = await app.make.campaign(await app.make.client(tenant(node)), { state: 'paused' });
    await dues.lead(campaign, -50_000_000n, 0n);
    // What a client kept that left before is of no concern anymore.
    const former = await app.make.client(tenant(node));
    await dues.lead(await app.make.campaign(former, { state: 'paused' }), -7_000_000n, 0n);
    await app.admin.query('update company set removed_at = now() where id = $1', [former.id]);
    const refused = await remove(node);
    expect([refused.status, refused.body.message, refused.body.errors]).toEqual([
      409,
      'Credited, including its clients, still has a credit of $62.50 toward its next invoice. Confirm that it stays on the account, where nothing can use it.',
      { keep_credit: ['must be on to remove a company with a credit'] },
    ]);
    expect((await nodeOf(node.company_id)).company_name).toBe('Credited');
    // A balance is not kept along with it.
    const both = await made({ ClientCompanyName: 'Both' });
    await dues.fee(tenant(both), -1_000_000n);
    await app.make.campaign(await app.make.client(tenant(both)), { state: 'paused', balance: 3_000_000n });
    expect((await remove(both, { keep_credit: true })).body.message).toContain('$3.00 in its balances');
    expect((await remove(node, { keep_credit: true })).status).toBe(200);
    expect(await nodeOf(node.company_id)).toBeUndefined();
    expect(await dues.books(tenant(node))).toMatchObject({ agency_payable: 12_500_000 });
    const { rows } = await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id
       where l.action = 'company.remove' and l.object_id = $1`,
      [node.company_id],
    );
    expect(rows.map(({ description }) => description)).toEqual([
      'Removed the agency Credited and its 1 clients, with a credit of $62.50 kept',
    ]);
  });

  test('takes it and its clients off the list, ends their sessions, and keeps their rows', async () => {
    const node = await made({ ClientCompanyName: 'Leaving' });
    const client = await app.make.client(tenant(node));
    const passwordHash = await app.features.users.hashPassword(PASSWORD);
    await app.admin.query('update user_account set password_hash = $2 where id = $1', [
      node.id,
      passwordHash,
    ]);
    const user = await app.make.user(client, { passwordHash });
    const host = String(node.subdomain);
    const theirs = [await app.signIn(String(node.email), host), await app.signIn(user.email, host)];
    const before = await logged();
    const done = await remove(node);
    expect([done.status, (done.body.data as { result: string }).result]).toEqual([200, 'success']);
    expect(await logged()).toBe(before + 1);
    expect(await nodeOf(node.company_id)).toBeUndefined();
    expect((await remove(node)).status).toBe(404);
    for (const bearer of theirs)
      expect((await app.call('GET', '/api/user', { host, token: bearer })).status).toBeGreaterThanOrEqual(
        400,
      );
    await expect(app.signIn(user.email, 'root.test')).rejects.toThrow();
    const { rows } = await app.admin.query(
      'select count(*) as n from company where removed_at is not null and agency_id = $1',
      [node.company_id],
    );
    expect(Number(rows[0].n)).toBe(2);
  });
});

describe('[AGCY-13] a removed client sells nothing more', () => {
  const client = async () => {
    const made = await app.make.client(acme);
    const passwordHash = await app.features.users.hashPassword(PASSWORD);
    return { ...made, user: await app.make.user(made, { passwordHash }) };
  };
  const remove = (who: Company) =>
    ask('DELETE', `configuration/user/remove/${acme.id}/${who.id}`, {}, 'agency');
  const activate = (id: string, bearer = token.agency!) =>
    app.call('POST', '/api/leadspeek/client/activepause', {
      host: HOST.agency!,
      token: bearer,
      body: { leadspeekID: id, status: 'active', activeuser: 'T' },
    });
  const add = (who: Company) =>
    ask(
      'POST',
      'leadspeek/client/create',
      {
        companyID: who.id,
        campaignName: 'Race',
        urlCode: 'https://race.example/',
        PaymentTerm: 'Monthly',
        costperlead: '2.00',
      },
      'agency',
    );
  const activeOf = async (who: Company) =>
    Number(
      (
        await app.admin.query(
          `select count(*) as n from campaign where company_id = $1 and state = 'active'`,
          [who.id],
        )
      ).rows[0].n,
    );

  test('its sessions end with it, and nothing of it can be started by anyone', async () => {
    const who = await client();
    const campaign = await app.make.campaign(who, { price: 0n });
    await app.admin.query(`update campaign set state = 'paused' where id = $1`, [campaign.id]);
    const bearer = await app.signIn(who.user.email, HOST.agency!);
    expect((await app.call('GET', '/api/user', { host: HOST.agency!, token: bearer })).status).toBe(200);
    expect((await remove(who)).status).toBe(200);
    expect((await app.call('GET', '/api/user', { host: HOST.agency!, token: bearer })).status).toBe(401);
    const refused = await activate(campaign.id);
    expect([refused.status, refused.body.message]).toEqual([409, ownMessages.heldRemoved]);
    expect((await add(who)).status).toBe(404);
    expect(await activeOf(who)).toBe(0);
  });

  test('removed, activated and given another campaign at the same moment, it has nothing that runs', async () => {
    for (let round = 0; round < 6; round++) {
      const who = await client();
      const campaign = await app.make.campaign(who, { price: 0n });
      await app.admin.query(`update campaign set state = 'paused' where id = $1`, [campaign.id]);
      const [gone, started, added] = await Promise.all([remove(who), activate(campaign.id), add(who)]);
      const statuses = [gone.status, started.status, added.status];
      expect(statuses.every((status) => [200, 404, 409].includes(status))).toBe(true);
      // Either it is gone, or something of it runs; never both.
      expect([statuses, (await activeOf(who)) > 0]).toEqual([statuses, gone.status !== 200]);
    }
  });

  test('what runs against all of that gets no lead', async () => {
    const who = await client();
    const campaign = await app.make.campaign(who, { price: 0n });
    const person = app.make.person();
    await app.make.people(root, [person]);
    await app.admin.query('update company set removed_at = now() where id = $1', [who.id]);
    await app.make.visit(campaign, { email: person.email });
    await app.features.leads.resolver.resolveAll();
    const { rows } = await app.admin.query('select id from lead where campaign_id = $1', [campaign.id]);
    expect(rows).toEqual([]);
  });
});

describe('[AGCY-19] the list', () => {
  test('sorts by each column up and down, pages, searches, and leaves out; the node has every field', async () => {
    const other = await testApp();
    try {
      const system = await other.make.root({ host: 'root.test', isMaster: true });
      await other.make.user(system, {
        email: 'r@x.test',
        passwordHash: await other.features.users.hashPassword(PASSWORD),
      });
      const bearer = await other.signIn('r@x.test', 'root.test');
      const rows = [
        ['alpha', 'Zoe', 'b@x.test'],
        ['Beta', 'adam', 'c@x.test'],
        ['Gamma 100%', 'Mia', 'a@x.test'],
      ] as const;
      const ids: string[] = [];
      for (const [name, owner, email] of rows) {
        const agency = await other.make.agency(system, { name });
        await other.make.user(agency, { name: owner, email });
        ids.push(agency.id);
        other.clock.advance(1000);
      }
      const get = async (path: string, query = '') => {
        const { status, body } = await other.call(
          'GET',
          `/api/configuration/user/${system.id}/all/${system.id}/userdownline/all/${path}${query}`,
          { host: 'root.test', token: bearer },
        );
        expect(status).toBe(200);
        return body as unknown as {
          data: Node[];
          total: number;
          from: number;
          to: number;
          last_page: number;
        };
      };
      const order = async (path: string, query = '') =>
        (await get(path, query)).data.map((row) => String(row.company_name)[0]).join('');
      expect(await order('company_name/asc/all')).toBe('aBG');
      expect(await order('company_name/desc/all')).toBe('GBa');
      expect(await order('full_name/asc/all')).toBe('BGa');
      expect(await order('full_name/desc/all')).toBe('aGB');
      expect(await order('email/asc/all')).toBe('GaB');
      expect(await order('created_at/asc/all')).toBe('aBG');
      expect(await order('all/all/all')).toBe('GBa');
      expect(await get('company_name/asc/all', '?Page=2&PerPage=2')).toMatchObject({
        total: 3,
        from: 3,
        to: 3,
        last_page: 2,
        data: [{ company_name: 'Gamma 100%' }],
      });
      expect(await order('all/all/ZOE')).toBe('a');
      expect(await order('all/all/C%40x.t')).toBe('B');
      expect(await order('all/all/100%25')).toBe('G');
      expect(await order('all/all/_')).toBe('');
      // By one of their clients, and by the owner's phone as people write it.
      const beta = { id: ids[1]!, root_id: system.id, agency_id: ids[1]! };
      await other.make.user(await other.make.client(beta, { name: 'Corner Bakery' }), { email: 'cb@x.test' });
      await other.make.user(await other.make.agency(system, { name: 'Delta' }), {
        email: 'd@x.test',
        phone: { number: '3125550188', country: 'US', calling: '+1' },
      });
      expect(await order('all/all/corner%20b')).toBe('B');
      expect(await order('all/all/cb')).toBe('B');
      expect(await order('all/all/+1%20(312)%20555-01')).toBe('D');
      expect(await order('all/all/5550188', '?Filters=out_of_balance')).toBe('');
      await other.admin.query(`update company set removed_at = now() where name = 'Delta'`);
      expect(await order('all/all/all', `?Exclude=${ids[0]},${ids[1]}`)).toBe('G');
      const node = (await get('company_name/asc/all')).data[0]!;
      const spec =
        'id company_id company_root_id company_name name email user_type package_id created_at phonenum phone_country_code phone_country_calling_code subdomain orisubdomain domain external_organizationid manual_bill is_whitelabeling api_mode is_user_generate_api is_marketing_services_agreement_developer exclude_minimum_spend exclude_onboard_charge is_onboard_charged customer_payment_id company_agreement_file payment_status plan_minspend_id salesrep salesrepid accountexecutive accountexecutiveid accountref accountrefid selected_payment_term selected_modules rootpaymentterm rootmodules profile_setup_completed status_acc leadlocalurl leadlocatorurl';
      expect(spec.split(' ').filter((name) => !(name in node))).toEqual([]);
      expect(node).toMatchObject({
        rootmodules: [
          { value: 'local', label: 'Site ID' },
          { value: 'locator', label: 'Search ID' },
          { value: 'enhance', label: 'Enhance ID' },
          { value: 'b2b', label: 'B2B ID' },
          { value: 'simplifi', label: 'Simplifi ID' },
        ],
        leadlocalurl: 'site-id',
        customer_payment_id: '',
      });
    } finally {
      await other.close();
    }
  });

  test('[AGCY-02] filters keep direct payment, failed payment and developer mode; each has to hold', async () => {
    const direct = await made({ ClientCompanyName: 'Filter direct', ApiMode: 'T' });
    const failed = await made({ ClientCompanyName: 'Filter failed' });
    await made({ ClientCompanyName: 'Filter neither' });
    const terms = (node: Node, values: Parameters<typeof app.make.terms>[1]) =>
      app.make.terms({ id: node.company_id, root_id: root.id, agency_id: node.company_id }, values);
    await terms(direct, { manual_bill: true });
    await terms(failed, { payment_status: 'failed' });
    const by = (filters: string) =>
      names('all/all/userdownline/all/company_name/asc/Filter', `?Filters=${filters}`);
    expect(await by('direct_payment')).toEqual(['Filter direct']);
    expect(await by('payment_failed')).toEqual(['Filter failed']);
    expect(await by('developer_mode_enabled')).toEqual(['Filter direct']);
    expect(await by('direct_payment,payment_failed')).toEqual([]);
    const plan = await ask('POST', 'general/minimum-spend-config', {
      planName: 'Filter plan',
      months: [],
      flatMonth: '10.00',
    });
    expect(plan.status).toBe(200);
    const planId = (plan.body.data as { id: string }).id;
    const set = await update(await nodeOf(direct.company_id), {
      ClientWhiteLabeling: 'F',
      planMinSpendId: planId,
    });
    expect((set.body.data as Node[])[0]).toMatchObject({ plan_minspend_name: 'Filter plan' });
    await terms(failed, { excluded_minimum_spend: true });
    expect(await by('no_white_labelling')).toEqual(['Filter direct']);
    expect(await by('minimum_spend_plan')).toEqual(['Filter direct']);
    expect(await by('excluded_minimum_spend')).toEqual(['Filter failed']);
    expect(await by('api_key_generated')).toEqual([]);
    const agency = { id: direct.company_id, root_id: root.id, agency_id: direct.company_id };
    await app.make.developer(agency, direct.id);
    await app.make.apiKey(agency, direct.id);
    expect(await by('api_key_generated')).toEqual(['Filter direct']);
    // So its badge is green: contract/accounts/company-rules.ts.
    expect(await nodeOf(direct.company_id)).toMatchObject({
      api_mode: 'T',
      is_marketing_services_agreement_developer: 'T',
      is_user_generate_api: true,
    });
    expect(await names('all/all/userdownline/all/company_name/asc/Filter', '?CardStatus=failed')).toEqual([
      'Filter failed',
    ]);
    expect((await list('all/all/userdownline/all/all/all/all', '?Filters=nonsense')).status).toBe(422);
  });

  test("[AGCY-03] an agency's clients come 10 a page, to the root and to the agency alone", async () => {
    const agency = await app.make.agency(root, { name: 'Many' });
    for (let at = 0; at < 11; at++)
      await app.make.client(agency, { name: `Client ${String(at).padStart(2, '0')}` });
    const { body } = await list(
      'all/all/client/all/company_name/asc/all',
      '?Page=2&inAgencyList=T',
      agency.id,
    );
    expect(body).toMatchObject({
      total: 11,
      current_page: 2,
      last_page: 2,
      from: 11,
      to: 11,
      data: [{ company_name: 'Client 10' }],
    });
    expect((await list('all/all/client/all/all/all/all', '', agency.id, 'agency')).status).toBe(404);
    expect((await list('all/all/client/all/all/all/all', '', root.id, 'agency')).status).toBe(404);
    expect((await list('all/all/client/all/all/all/all', '', acme.id, 'agency')).status).toBe(200);
  });

  test('a page costs the same statements however many rows it has', async () => {
    const agency = await app.make.agency(root, { name: 'Statements' });
    const count = async (): Promise<number> => {
      let seen = 0;
      const { appPool } = app.platform.db;
      const connect = appPool.connect.bind(appPool);
      const spied = new Set<unknown>();
      appPool.connect = (async () => {
        const client = await connect();
        if (!spied.has(client)) {
          spied.add(client);
          const query = client.query.bind(client) as (...args: unknown[]) => unknown;
          (client as { query: unknown }).query = (...args: unknown[]) => {
            seen += 1;
            return query(...args);
          };
        }
        return client;
      }) as typeof appPool.connect;
      await list('all/all/client/all/company_name/asc/all', '?PerPage=100', agency.id);
      appPool.connect = connect;
      return seen;
    };
    // Background queries are occasionally counted as well.
    const fewest = async (): Promise<number> => Math.min(await count(), await count(), await count());
    await app.make.client(agency);
    await count();
    const few = await fewest();
    await app.make.clients(agency, 9);
    expect(await fewest()).toBe(few);
  });
});

test('an invitation can be sent again; the one before ends', async () => {
  const node = await made();
  app.clock.advance(1000);
  const done = await ask('POST', 'configuration/user/resendinvitation', {
    companyID: root.id,
    ClientID: node.id,
  });
  expect([done.status, done.body.message]).toEqual([200, 'Invitation sent.']);
  const [first, second] = await mails(String(node.email));
  const reset = (mail: Parameters<typeof linkIn>[0]) =>
    app.call('POST', '/api/setnewpassword', {
      host: 'root.test',
      body: {
        email: node.email,
        token: linkIn(mail).token,
        newpassword: PASSWORD,
      },
    });
  expect((await reset(first)).status).toBe(410);
  expect((await reset(second)).status).toBe(200);
});
