import { createCanvas, loadImage } from '@napi-rs/canvas';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RESERVED_SLUGS } from '../../../../contract/choices.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
let root: Company;
let acme: Company;
let tokens: Record<string, string>;

const LOOK = {
  name: 'Acme Leads',
  tagline: 'More of the right customers',
  box_bgcolor: '#0B7285',
  text_color: null,
  link_color: '#0b7285',
  template_bgcolor: null,
  sidebar_bgcolor: '#0b3b45',
  font_theme: 'humanist',
  logo: null,
  favicon: null,
};

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true, brand: { name: 'Rooted Platform' } });
  acme = await app.make.agency(root, { host: 'acme.root.test', name: 'Acme' });
  const second = await app.make.agency(root, { host: 'second.root.test', brand: { name: 'Second' } });
  const client = await app.make.client(acme, { name: 'A client' });
  const foreign = await app.make.root({ host: 'foreign.test' });
  const people: [string, Company, string, 'owner' | 'administrator' | 'sales'][] = [
    ['root', root, 'root.test', 'owner'],
    ['rootadmin', root, 'root.test', 'administrator'],
    ['sales', root, 'root.test', 'sales'],
    ['agency', acme, 'acme.root.test', 'owner'],
    ['admin', acme, 'acme.root.test', 'administrator'],
    ['agencysales', acme, 'acme.root.test', 'sales'],
    ['second', second, 'second.root.test', 'owner'],
    ['client', client, 'acme.root.test', 'owner'],
    ['foreign', foreign, 'foreign.test', 'owner'],
  ];
  tokens = {};
  for (const [name, company, host, role] of people) {
    await app.make.user(company, { email: `${name}@x.test`, role, password: PASSWORD });
    tokens[name] = await app.signIn(`${name}@x.test`, host);
  }
});
afterAll(() => app.close());

const hostOf = (who: string): string =>
  ['root', 'rootadmin', 'sales'].includes(who)
    ? 'root.test'
    : who === 'second'
      ? 'second.root.test'
      : who === 'foreign'
        ? 'foreign.test'
        : 'acme.root.test';
const call = (who: string, method: 'GET' | 'PUT' | 'POST', url: string, body?: unknown) =>
  app.call(method, `/api/configuration/setting${url}`, {
    host: hostOf(who),
    token: tokens[who]!,
    ...(body ? { body } : {}),
  });
const save = (who: string, comsetname: string, comsetval: unknown, more: object = {}) =>
  call(who, 'PUT', '', { comsetname, comsetval, ...more });
const read = async (who: string, name: string, company = acme.id) =>
  (await call(who, 'GET', `/${company}/${name}`)).body as unknown as {
    version: number;
    data: Record<string, unknown>;
  };
const faults = (body: Record<string, unknown>) => body.errors as Record<string, string[]>;
const upload = (who: string, purpose: string, payload: Buffer, query = '') =>
  app.server.inject({
    method: 'POST',
    url: `/api/configuration/setting/picture?purpose=${purpose}${query}`,
    headers: { host: hostOf(who), authorization: `Bearer ${tokens[who]}`, 'content-type': 'image/png' },
    payload,
  });
const picture = (width: number, height: number) => createCanvas(width, height).encode('png');

describe('[CONF-03] settings by their name', () => {
  test('are read all at once or one by one, saved with the text of the specification, and logged once', async () => {
    const all = (await call('agency', 'GET', '')).body.data as { settingname: string; version: number }[];
    expect(all.map((one) => [one.settingname, one.version])).toEqual([
      ['branding', 0],
      ['rootAgencyEmbeddedCode', 0],
      ['registration', 0],
      ['secondfactor', 0],
      ['modulenames', 0],
      ['costagency', 0],
      ['agencyonboardingcustom', 0],
      ['smtp', 0],
      ['clientsidebar', 0],
      ['billingthreshold', 0],
      ['leadreturns', 0],
    ]);
    const { status, body } = await save('agency', 'branding', LOOK, { version: 0 });
    expect([status, body.message]).toEqual([200, 'Setting has been saved.']);
    expect(await read('admin', 'branding')).toMatchObject({
      version: 1,
      data: { ...LOOK, box_bgcolor: '#0b7285' },
    });
    const { rows } = await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id where l.action = 'setting.save' and l.object_id = $1`,
      [acme.id],
    );
    expect(rows).toEqual([
      { description: expect.stringMatching(/^Saved the branding for Acme: name, tagline, box_bgcolor/) },
    ]);
    const door = (await app.call('GET', '/api/general/domain-info', { host: 'acme.root.test' })).body;
    expect(door).toMatchObject({ name: 'Acme Leads', box_bgcolor: '#0b7285', font_theme: 'humanist' });
  });

  test('of two editors the later is told, and nothing of theirs is kept', async () => {
    const { version } = await read('agency', 'branding');
    const [one, two] = await Promise.all([
      save('agency', 'branding', { ...LOOK, name: 'One' }, { version }),
      save('admin', 'branding', { ...LOOK, name: 'Two' }, { version }),
    ]);
    expect([one.status, two.status].sort()).toEqual([200, 409]);
    const winner = one.status === 200 ? 'One' : 'Two';
    expect(await read('agency', 'branding')).toMatchObject({ version: version + 1, data: { name: winner } });
    expect((await save('agency', 'registration', { open: true }, { version: 7 })).status).toBe(409);
    expect(await read('agency', 'registration')).toMatchObject({ version: 0, data: { open: false } });
  });

  test('an unknown name is refused by it, a wrong value by its field', async () => {
    const unknown = await call('agency', 'GET', `/${acme.id}/nonsense`);
    expect([unknown.status, faults(unknown.body)]).toEqual([
      422,
      { settingname: ['nonsense is not a setting'] },
    ]);
    expect((await save('agency', 'constructor', {})).status).toBe(422);
    for (const [field, value, rule] of [
      ['name', '', 'is required'],
      ['name', 'x'.repeat(256), 'must not exceed 255 characters'],
      ['box_bgcolor', 'red;background:url(//x)', 'must be a color such as #1a73e8'],
      ['font_theme', 'Comic"; } body {', 'must be one of the listed fonts'],
      ['logo', '00000000-0000-4000-8000-000000000000', 'is not an uploaded image'],
    ]) {
      const { status, body } = await save('agency', 'branding', { ...LOOK, [field!]: value });
      expect([field, status, faults(body)[field!]?.[0]]).toEqual([field, 422, rule]);
    }
    const code = await save('agency', 'rootAgencyEmbeddedCode', { placeEmbedded: 'top', embeddedcode: 'x' });
    expect(faults(code.body)).toEqual({ placeEmbedded: ['must be head, body or footer'] });
  });

  test('belong to roots and agencies and their administrators; a root may set its agencies up', async () => {
    for (const who of ['sales', 'agencysales', 'client']) {
      expect([who, (await call(who, 'GET', '')).status]).toEqual([who, 403]);
      expect([who, (await save(who, 'registration', { open: true })).status]).toEqual([who, 403]);
      expect([who, (await upload(who, 'logo', await picture(4, 4))).statusCode]).toEqual([who, 403]);
    }
    for (const who of ['second', 'foreign'])
      for (const name of ['branding', 'rootAgencyEmbeddedCode', 'registration', 'modulenames']) {
        expect([who, name, (await call(who, 'GET', `/${acme.id}/${name}`)).status]).toEqual([who, name, 404]);
        expect((await save(who, 'registration', { open: true }, { companyID: acme.id })).status).toBe(404);
      }
    expect((await call('agency', 'GET', `/${root.id}/branding`)).status).toBe(404);
    expect((await upload('second', 'logo', await picture(4, 4), `&companyID=${acme.id}`)).statusCode).toBe(
      404,
    );
    expect((await save('rootadmin', 'registration', { open: true }, { companyID: acme.id })).status).toBe(
      200,
    );
    expect(await read('root', 'registration')).toMatchObject({ data: { open: true } });
    // A client has no settings of its own, not even for its agency.
    const { rows } = await app.admin.query(`select id from company where kind = 'client' limit 1`);
    expect((await call('agency', 'GET', `/${rows[0].id}/branding`)).status).toBe(404);
  });

  test('registration opens the door that the login pages ask for', async () => {
    const open = async () =>
      (await app.call('GET', '/api/general/access-options', { host: 'acme.root.test' })).body
        .isRegisterAccount;
    await save('agency', 'registration', { open: true });
    expect(await open()).toBe('F');
    await save('root', 'registration', { open: true });
    expect(await open()).toBe('T');
    await save('agency', 'registration', { open: false });
    expect(await open()).toBe('F');
  });
});

describe('[CONF-03] what is shown of the sidebar below', () => {
  const hiddenOf = async (who: string) =>
    (
      (await app.call('GET', '/api/user/retrieve', { host: hostOf(who), token: tokens[who]! })).body
        .setup as { hidden_menu: string[] }
    ).hidden_menu;

  test('a root hides entries from its agencies, an agency from its clients, each from no others', async () => {
    expect((await save('root', 'agencysidebar', { hidden: ['limits', 'audience', 'limits'] })).status).toBe(
      200,
    );
    expect((await save('agency', 'clientsidebar', { hidden: ['banner-list'] })).status).toBe(200);
    expect((await read('root', 'agencysidebar', root.id)).data).toEqual({ hidden: ['audience', 'limits'] });
    expect(await hiddenOf('agency')).toEqual(['audience', 'limits']);
    expect(await hiddenOf('second')).toEqual(['audience', 'limits']);
    expect(await hiddenOf('client')).toEqual(['banner-list']);
    expect([await hiddenOf('root'), await hiddenOf('foreign')]).toEqual([[], []]);
  });

  test('what everyone needs cannot be hidden, and only who is above decides', async () => {
    for (const name of ['profile', 'card-setting', 'general-setting', 'statement', 'invoices', 'dashboard'])
      expect([name, (await save('root', 'agencysidebar', { hidden: [name] })).status]).toEqual([name, 422]);
    expect((await save('agency', 'clientsidebar', { hidden: ['role-list'] })).status).toBe(422);
    expect((await save('agency', 'agencysidebar', { hidden: [] })).status).toBe(422);
    expect((await save('root', 'clientsidebar', { hidden: [] })).status).toBe(422);
    expect((await save('client', 'clientsidebar', { hidden: [] })).status).toBe(403);
  });
});

describe('[TEN-07] module names and addresses', () => {
  const none = Object.fromEntries(
    ['local', 'locator', 'enhance', 'b2b', 'simplifi'].flatMap((m) => [
      [`lead${m}name`, ''],
      [`lead${m}url`, ''],
    ]),
  );
  test('an agency’s own stand before its root’s, which stand before the global ones', async () => {
    expect(
      (
        await save('agency', 'modulenames', {
          ...none,
          leadlocalname: 'Visitor ID',
          leadlocalurl: 'Visitor-ID',
        })
      ).status,
    ).toBe(200);
    expect((await save('root', 'modulenames', { ...none, leadlocatorname: 'Finder' })).status).toBe(200);
    const door = (await app.call('GET', '/api/general/domain-info', { host: 'acme.root.test' })).body;
    expect(door.sidemenu).toEqual([
      { type: 'local', name: 'Visitor ID', url: 'visitor-id' },
      { type: 'locator', name: 'Finder', url: 'search-id' },
      { type: 'enhance', name: 'Enhance ID', url: 'enhance-id' },
      { type: 'b2b', name: 'B2B ID', url: 'b2b-id' },
      { type: 'simplifi', name: 'Simplifi ID', url: 'simplifi-id' },
    ]);
    expect((door.rootsidemenu as { name: string }[])[0]!.name).toBe('Site ID');
    const user = (await app.call('GET', '/api/user', { host: 'acme.root.test', token: tokens.client! })).body;
    expect(user).toMatchObject({ leadlocalname: 'Visitor ID', leadlocalurl: 'visitor-id' });
    await save('agency', 'modulenames', none);
    expect(
      (await app.call('GET', '/api/general/domain-info', { host: 'acme.root.test' })).body.leadlocalurl,
    ).toBe('site-id');
  });

  test('no two modules share an address, and none takes that of a page', async () => {
    const clash = await save('agency', 'modulenames', { ...none, leadb2burl: 'search-id' });
    expect(faults(clash.body)).toEqual({
      leadb2burl: ['is already the address of Finder. Choose another one'],
    });
    for (const slug of RESERVED_SLUGS)
      expect([slug, (await save('agency', 'modulenames', { ...none, leadlocalurl: slug })).status]).toEqual([
        slug,
        422,
      ]);
    for (const slug of ['a b', 'a/b', '../x', '-a', 'ä', '<script>'])
      expect([slug, (await save('agency', 'modulenames', { ...none, leadlocalurl: slug })).status]).toEqual([
        slug,
        422,
      ]);
  });
});

describe('[TEN-03] logo and favicon', () => {
  test('are encoded again, shown once they are saved, by the hosts of their brand and of the root above, and no other', async () => {
    const up = await upload('agency', 'logo', await picture(1200, 300));
    expect(up.json()).toMatchObject({ result: 'success', data: { width: 512, height: 128 } });
    const { id, url } = up.json().data;
    await save('agency', 'branding', { ...LOOK, logo: id });
    const door = (await app.call('GET', '/api/general/domain-info', { host: 'acme.root.test' })).body;
    expect(door).toMatchObject({ company_logo: { url, width: 512, height: 128 }, favicon: null });
    const shown = await app.server.inject({ url, headers: { host: 'acme.root.test' } });
    expect(shown.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'",
    });
    expect((await loadImage(shown.rawPayload)).width).toBe(512);
    for (const host of ['second.root.test', 'foreign.test'])
      expect([host, (await app.call('GET', url, { host })).status]).toEqual([host, 404]);
    // In view mode, people from the companies above see it at their own host (ROUT-11).
    expect((await app.call('GET', url, { host: 'root.test' })).status).toBe(200);
    for (const path of ['/brand/x.png', '/brand/..%2f..%2fetc', `/brand/${id}.svg`])
      expect((await app.call('GET', path, { host: 'acme.root.test' })).status).toBe(404);
    // A symbol is shown small, and is part of every first load.
    expect((await upload('agency', 'logo', await picture(600, 500))).json()).toMatchObject({
      data: { width: 128, height: 107 },
    });
    const icon = (await upload('agency', 'favicon', await picture(300, 200))).json().data;
    expect([icon.width, icon.height]).toEqual([192, 192]);
    // A favicon cannot be used as a logo.
    expect((await save('agency', 'branding', { ...LOOK, logo: icon.id })).status).toBe(422);
    await save('agency', 'branding', { ...LOOK, logo: id, favicon: icon.id });
    expect((await app.call('GET', '/api/general/domain-info', { host: 'acme.root.test' })).body.favicon).toBe(
      icon.url,
    );
  });

  test('[BEY-11] without white label they are the root’s, its own domain and mail server are not used, and all is back with it', async () => {
    const wears = async (on: boolean) => {
      await app.make.terms(acme, { white_labelling: on });
      app.features.tenants.forgetHosts();
    };
    await app.admin.query('update domain set is_primary = false where company_id = $1', [acme.id]);
    await app.admin.query(
      `insert into domain (host, root_id, agency_id, company_id, kind, is_primary, verified_at, created_at)
       values ('leads.acme.example', $1, $2, $2, 'custom', true, now(), now())`,
      [root.id, acme.id],
    );
    const { id } = (await upload('agency', 'logo', await picture(300, 100))).json().data;
    await save('agency', 'branding', { ...LOOK, logo: id });
    const seen = async () => {
      const at = (host: string) => app.call('GET', '/api/general/domain-info', { host });
      const user = await app.call('GET', '/api/user', { host: 'acme.root.test', token: tokens.agency! });
      const mail = await app.features.tenants.mailBrand(acme.id);
      return {
        name: (await at('acme.root.test')).body.name,
        domain: (await at('leads.acme.example')).status,
        logo: user.body.company_logo !== null,
        sender: mail.name,
        links: await app.features.tenants.primaryHost(acme.id),
      };
    };
    const own = {
      name: 'Acme Leads',
      domain: 200,
      logo: true,
      sender: 'Acme Leads',
      links: 'leads.acme.example',
    };
    expect(await seen()).toEqual(own);
    await wears(false);
    expect(await seen()).toEqual({
      name: 'Rooted Platform',
      domain: 421,
      logo: false,
      sender: 'Rooted Platform',
      links: 'acme.root.test',
    });
    expect((await read('agency', 'branding')).data.name).toBe('Acme Leads');
    await wears(true);
    expect(await seen()).toEqual(own);
    await app.admin.query(`delete from domain where host = 'leads.acme.example'`);
    await app.admin.query('update domain set is_primary = true where company_id = $1', [acme.id]);
    app.features.tenants.forgetHosts();
  });

  test('a drawing with a script becomes a picture without one; what is no picture is refused by its field', async () => {
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><script>alert(1)</script><rect width="10" height="10"/></svg>',
    );
    const { id, url } = (await upload('agency', 'logo', svg)).json().data;
    await save('agency', 'branding', { ...LOOK, logo: id });
    const shown = await app.server.inject({ url, headers: { host: 'acme.root.test' } });
    expect([shown.headers['content-type'], shown.rawPayload.includes('script')]).toEqual([
      'image/png',
      false,
    ]);
    // Nearly square, so it is also used as the favicon.
    expect((await app.call('GET', '/api/general/domain-info', { host: 'acme.root.test' })).body.favicon).toBe(
      url,
    );
    const bad = await upload('agency', 'logo', Buffer.from('<html>'));
    expect([bad.statusCode, bad.json().errors]).toEqual([
      422,
      { logo: ['must be a PNG, JPEG, WebP, or SVG image'] },
    ]);
    const large = await upload('agency', 'logo', Buffer.alloc(2 * 1024 * 1024 + 10));
    expect(large.json().errors).toEqual({ logo: ['must not be larger than 2 MB'] });
    expect((await upload('agency', 'banner', svg)).json().errors).toEqual({
      purpose: ['must be logo or favicon'],
    });
  });

  test('pictures that no brand names are let go after a day', async () => {
    const count = async () =>
      Number(
        (await app.admin.query('select count(*) as n from picture where company_id = $1', [acme.id])).rows[0]
          .n,
      );
    expect(await count()).toBeGreaterThan(2);
    await app.admin.query(`update picture set created_at = created_at - interval '2 days'`);
    await save('agency', 'branding', LOOK);
    expect(await count()).toBe(0);
  });
});

describe('[TEN-09] embed code', () => {
  test('is kept as it is, for the agency’s own host only', async () => {
    const value = { placeEmbedded: 'footer', embeddedcode: '<script>window.__x = "</script>";</script>' };
    expect((await save('agency', 'rootAgencyEmbeddedCode', value)).status).toBe(200);
    expect((await read('agency', 'rootAgencyEmbeddedCode')).data).toEqual(value);
    const of = async (host: string) =>
      app.features.settings.embedFor((await app.features.tenants.byHost(host))!);
    expect(await of('acme.root.test')).toEqual({ place: 'footer', code: value.embeddedcode });
    for (const host of ['root.test', 'second.root.test', 'foreign.test'])
      expect([host, await of(host)]).toEqual([host, undefined]);
    // A root cannot have one, no matter what is sent.
    const roots = await save('root', 'rootAgencyEmbeddedCode', value);
    expect(faults(roots.body)).toEqual({ comsetname: ['can only be set for an agency'] });
    await save('agency', 'rootAgencyEmbeddedCode', { placeEmbedded: 'head', embeddedcode: '  ' });
    expect(await of('acme.root.test')).toBeUndefined();
  });

  test('[BEY-11] is saved by owners alone, as themselves: it is as strong as whoever opens the pages', async () => {
    const value = { placeEmbedded: 'footer', embeddedcode: '<script>1</script>' };
    const about = { companyID: acme.id };
    expect((await save('rootadmin', 'rootAgencyEmbeddedCode', value, about)).status).toBe(403);
    expect((await save('admin', 'rootAgencyEmbeddedCode', value)).status).toBe(403);
    expect((await read('admin', 'rootAgencyEmbeddedCode')).data.embeddedcode).toBe('  ');
    const { rows } = await app.admin.query(`select id from user_account where email = 'agency@x.test'`);
    const viewing = await app.call('POST', '/api/user/switch', {
      host: 'root.test',
      token: await app.signIn('root@x.test', 'root.test'),
      body: { usrID: rows[0].id, reason: 'Embed code' },
    });
    const seen = await app.call('PUT', '/api/configuration/setting', {
      host: 'root.test',
      token: viewing.body.access_token as string,
      body: { comsetname: 'rootAgencyEmbeddedCode', comsetval: value },
    });
    expect([viewing.status, seen.status]).toEqual([200, 403]);
  });
});
