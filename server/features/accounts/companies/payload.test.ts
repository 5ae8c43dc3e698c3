import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXPORTS } from '../../../services.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
let root: Company;
let acme: Company;
const token: Record<string, string> = {};
const ids: Record<string, string> = {};
const HOST = 'acme.root.test';
type Node = Record<string, unknown> & { id: string; company_id: string; version: number };

beforeAll(async () => {
  app = await testApp();
  const { make } = app;
  root = await make.root({ host: 'root.test', isMaster: true });
  acme = await make.agency(root, { host: HOST, name: 'Acme' });
  const passwordHash = await app.features.users.hashPassword(PASSWORD);
  for (const [name, company, role] of [
    ['root', root, 'owner'],
    ['agency', acme, 'owner'],
    ['seller', acme, 'sales'],
    ['rootseller', root, 'sales'],
  ] as const) {
    const made = await make.user(company, {
      email: `${name}@x.test`,
      name: `The ${name}`,
      role,
      passwordHash,
    });
    ids[name] = made.id;
    token[name] = await app.signIn(made.email, company === root ? 'root.test' : HOST);
  }
});
afterAll(() => app.close());

let serial = 0;
const ask = (method: 'GET' | 'POST' | 'PUT', url: string, body?: unknown, who = 'agency') =>
  app.call(method, `/api/${url}`, { host: who === 'root' ? 'root.test' : HOST, token: token[who]!, body });
const fields = (given: object = {}) => ({
  companyID: acme.id,
  userType: 'client',
  ClientCompanyName: `Client ${++serial}`,
  ClientFullName: 'Clara Client',
  ClientEmail: `clara${++serial}@x.test`,
  ClientPhone: '(202) 555-0123',
  ClientPhoneCountryCode: 'US',
  ...given,
});
const create = (given: object = {}, who = 'agency') =>
  ask('POST', 'configuration/user/create', fields(given), who);
const nodeIn = ({ status, body }: Awaited<ReturnType<typeof create>>): Node => {
  expect([status, body.errors]).toEqual([200, undefined]);
  return (body.data as Node[])[0]!;
};
const update = (node: Node, given: object, who = 'agency') =>
  ask(
    'PUT',
    'configuration/user/update',
    {
      ...fields(),
      ClientID: node.id,
      ClientCompanyName: node.company_name,
      ClientEmail: node.email,
      version: node.version,
      ...given,
    },
    who,
  );
const changeOf = async (companyId: string) =>
  (
    await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id where l.action = 'company.update' and l.object_id = $1`,
      [companyId],
    )
  ).rows[0].description as string;

describe('[CONF-01] every field of the client/user payload', () => {
  test('a client begins as it is entered: flags of its owner, its salespeople, its own settings', async () => {
    const node = nodeIn(
      await create({
        ClientRole: 'owner',
        defaultAdmin: 'T',
        customercare: 'T',
        adminGetNotification: 'F',
        disabledreceivedemail: 'T',
        disabledaddcampaign: 'T',
        enablephonenumber: 'F',
        editorspreadsheet: 'T',
        twoFactorAuth: '',
        permission_active: 'T',
        user_permissions: [],
        DownlineOrganizationID: 'org 7',
        salesRep: ids.seller,
        salesAE: ids.seller,
      }),
    );
    expect(node).toMatchObject({
      defaultAdmin: 'T',
      customercare: 'T',
      adminGetNotification: 'F',
      disabledreceivedemail: 'T',
      disabledaddcampaign: 'T',
      enablephonenumber: 'F',
      editorspreadsheet: 'T',
      twoFactorAuth: '',
      external_organizationid: 'org 7',
      salesrepid: ids.seller,
      accountexecutiveid: ids.seller,
      accountrefid: '',
    });
    const { rows } = await app.admin.query(
      'select is_default_admin, customer_care, gets_notices, mail_off from user_account where id = $1',
      [node.id],
    );
    expect(rows).toEqual([
      { is_default_admin: true, customer_care: true, gets_notices: false, mail_off: true },
    ]);
  });

  test('a change sets what is given, leaves the rest, and says so in one row of the log', async () => {
    const node = nodeIn(await create({ customercare: 'T', salesRep: ids.seller }));
    const after = nodeIn(
      await update(node, {
        adminGetNotification: 'F',
        enablephonenumber: 'F',
        salesRep: '',
        salesRef: ids.seller,
      }),
    );
    expect(after).toMatchObject({
      customercare: 'T',
      adminGetNotification: 'F',
      enablephonenumber: 'F',
      editorspreadsheet: 'F',
      salesrepid: '',
      accountrefid: ids.seller,
    });
    const log = await changeOf(node.company_id);
    for (const part of [
      'notifications: no',
      'leads without phone numbers: true',
      'sales representative: nobody',
    ])
      expect(log).toContain(part);
    // The second of two concurrent editors gets a conflict, whatever the first one changed.
    expect((await update(node, { customercare: 'F' })).status).toBe(409);
  });

  test("[CONF-01] a client's industry is in the form's call, the list, the log, and files", async () => {
    const made = nodeIn(await create({ industry: ' Roofing ' }));
    expect(made).toMatchObject({ industry: 'Roofing' });
    const after = nodeIn(await update(made, { industry: 'Solar energy' }));
    expect(after).toMatchObject({ industry: 'Solar energy' });
    expect(await changeOf(made.company_id)).toContain('industry: Solar energy');
    expect(nodeIn(await update(after, {}))).toMatchObject({ industry: 'Solar energy' });
    const file = EXPORTS.find(({ name }) => name === 'user')!;
    const cells = file.columns({ type: 'client' }).map(([title, cell]) => [title, cell(after)]);
    expect(cells).toContainEqual(['Industry', 'Solar energy']);
    expect(file.columns({ type: 'userdownline' }).map(([title]) => title)).not.toContain('Industry');
  });

  test.each([
    [{ industry: 'x'.repeat(256) }, 'industry', 'must not exceed 255 characters'],
    [{ industry: 'a\u0000b' }, 'industry', undefined],
    [{ ClientRole: 'administrator' }, 'ClientRole', 'must be owner for an agency or client'],
    [{ permission_active: 'F' }, 'permission_active', 'is only for administrators'],
    [{ user_permissions: [{ name: 'report_analytics' }] }, 'user_permissions', 'is only for administrators'],
    [{ twoFactorAuth: 'email' }, 'twoFactorAuth', 'can only be set by the user'],
    [
      { ClientDomain: 'a.example.com', DownlineDomain: 'b.example.com' },
      'ClientDomain',
      'does not match the other domain',
    ],
    [{ ClientDomain: 'a.example.com' }, 'DownlineDomain', 'can only be set for an agency'],
    [{ salesRep: '00000000-0000-4000-8000-000000000000' }, 'salesRep', 'must be one of your salespeople'],
    [{ enablephonenumber: 'yes' }, 'enablephonenumber', undefined],
  ])('%o is refused, naming the field, and adds nobody', async (given, field, why) => {
    const count = async () => Number((await app.admin.query('select count(*) as n from company')).rows[0].n);
    const before = await count();
    const { status, body } = await create(given);
    expect([status, Object.keys(body.errors as object)]).toEqual([422, [field]]);
    if (why) expect((body.errors as Record<string, string[]>)[field]).toEqual([why]);
    expect(await count()).toBe(before);
  });

  test("another tenant's sales person is none, and what is for clients is refused of an agency", async () => {
    expect((await create({ salesAE: ids.rootseller })).status).toBe(422);
    const agency = { userType: 'userdownline', companyID: root.id, DownlineSubDomain: `sub-${++serial}` };
    for (const given of [{ enablephonenumber: 'F' }, { editorspreadsheet: 'T' }, { industry: 'Roofing' }]) {
      const { status, body } = await create({ ...agency, ...given }, 'root');
      expect([status, Object.keys(body.errors as object)]).toEqual([422, Object.keys(given)]);
    }
    const node = nodeIn(
      await create({ ...agency, ClientDomain: 'portal.payload-test.com', salesRep: ids.rootseller }, 'root'),
    );
    expect(node).toMatchObject({ domain: 'portal.payload-test.com', salesrepid: ids.rootseller });
  });

  test("nobody's second factor is changed by others, neither an owner's nor an administrator's", async () => {
    const node = nodeIn(await create());
    expect((await update(node, { twoFactorAuth: 'google' })).body.errors).toEqual({
      twoFactorAuth: ['can only be set by the user'],
    });
    const person = {
      companyID: acme.id,
      userType: 'administrator',
      ClientFullName: 'Ada',
      ClientEmail: `ada${++serial}@x.test`,
      ClientPhone: '2025550123',
      ClientPhoneCountryCode: 'US',
    };
    const made = nodeIn(await ask('POST', 'configuration/user/create', { ...person, twoFactorAuth: '' }));
    const changed = await ask('PUT', 'configuration/user/update', {
      companyID: acme.id,
      userType: 'administrator',
      ClientID: made.id,
      twoFactorAuth: 'email',
    });
    expect([changed.status, Object.keys(changed.body.errors as object)]).toEqual([422, ['twoFactorAuth']]);
  });

  test('without phone numbers no list, page, file or message of a lead tells one', async () => {
    const node = nodeIn(await create());
    const client = { id: node.company_id, root_id: root.id, agency_id: acme.id } as Company;
    const campaign = await app.make.campaign(client);
    const person = app.make.person({});
    await app.make.people(root, [person]);
    await app.make.visit(campaign, { email: person.email });
    await app.features.leads.resolver.resolveAll();
    const url = `leadspeek/report/lead?leadspeekID=${campaign.id}`;
    const lead = async () =>
      ((await ask('GET', url)).body.data as { id: string; phone: string | null }[])[0]!;
    const told = async () => {
      const { id, phone } = await lead();
      const one = (await ask('GET', `leadspeek/report/lead/${id}`)).body;
      const hits = async (searchQuery: string) =>
        (await ask('GET', `${url}&searchQuery=${encodeURIComponent(searchQuery)}`)).body.total;
      const path = `/api/leadspeek/report/lead/export?leadspeekID=${campaign.id}`;
      const { body } = await ask('POST', 'general/download-token', { path });
      const file = await app.server.inject({ method: 'GET', url: String(body.url), headers: { host: HOST } });
      const found = [await hits(person.phone!.slice(-6)), await hits(person.email)];
      return [phone, one.phone, file.body.includes(person.phone!), ...found];
    };
    expect(await told()).toEqual([person.phone, person.phone, true, 1, 1]);
    nodeIn(await update(node, { enablephonenumber: 'F' }));
    expect(await told()).toEqual([null, null, false, 0, 1]);
  });
});
