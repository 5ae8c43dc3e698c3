import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
let master: Company;
let agency: Company;
let plain: Company;
beforeAll(async () => {
  app = await testApp();
  master = await app.make.root({
    host: 'root.test',
    isMaster: true,
    brand: { name: 'Rooted', link_color: '#123456' },
  });
  agency = await app.make.agency(master, {
    host: 'acme.test',
    brand: { name: 'Acme', tagline: 'More' },
    modules: [{ module: 'local', name: 'Visitor ID', slug: 'visitor-id' }],
  });
  plain = await app.make.agency(master, { host: 'plain.test', name: 'Plain Media' });
});
afterAll(() => app.close());

describe('[TEN-01] the tree of companies', () => {
  test('has one master, roots, agencies and clients, and refuses a crooked one', async () => {
    const other = await app.make.root({ host: 'other.test' });
    const client = await app.make.client(agency);
    expect(client).toMatchObject({ root_id: master.id, agency_id: agency.id });
    const crooked = (row: Record<string, unknown>) =>
      app.admin.query(
        `insert into company (id, root_id, agency_id, parent_id, kind, is_master, name, created_at) values (gen_random_uuid(), $1, $2, $3, $4, $5, 'x', now())`,
        [
          row.root_id ?? master.id,
          row.agency_id ?? null,
          row.parent_id ?? null,
          row.kind,
          row.is_master ?? false,
        ],
      );
    await expect(
      crooked({ kind: 'client', agency_id: agency.id, parent_id: agency.id, root_id: other.id }),
    ).rejects.toThrow(/foreign key/);
    await expect(crooked({ kind: 'client', agency_id: agency.id, parent_id: master.id })).rejects.toThrow(
      /check constraint/,
    );
    await expect(crooked({ kind: 'root' })).rejects.toThrow(/check constraint/);
    await expect(
      inScope(app.platform.db.app, { rootId: other.id }, (tx) =>
        tx.updateTable('company').set({ is_master: true }).where('id', '=', other.id).execute(),
      ),
    ).rejects.toThrow(/company_one_master/);
  });

  test('[BEY-31] a time zone that is none, as an imported archive may have, becomes the default', async () => {
    const client = await app.make.client(agency);
    const kept: string[] = [];
    for (const zone of ['Nowhere/Land', 'Nowhere5', '', 'Europe/Berlin', 'Etc/GMT+5', 'UTC']) {
      const { rows } = await app.admin.query(
        'update company set time_zone = $2 where id = $1 returning time_zone',
        [client.id, zone],
      );
      kept.push(rows[0].time_zone);
    }
    const none = 'America/Chicago';
    expect(kept).toEqual([none, none, none, 'Europe/Berlin', 'Etc/GMT+5', 'UTC']);
  });

  test('the host decides the tenant and its front door; an agency without a brand shows its own name and nothing of its root', async () => {
    const door = async (host: string) => (await app.call('GET', '/api/general/domain-info', { host })).body;
    expect(await door('acme.test')).toMatchObject({
      idsys: master.id,
      company_id: agency.id,
      company_kind: 'agency',
      name: 'Acme',
      tagline: 'More',
      leadlocalname: 'Visitor ID',
      leadlocalurl: 'visitor-id',
    });
    expect(await door('PLAIN.test')).toMatchObject({
      company_kind: 'agency',
      name: 'Plain Media',
      link_color: null,
      leadlocalurl: 'site-id',
    });
    expect((await app.call('GET', '/api/general/domain-info', { host: 'unknown.test' })).status).toBe(421);
    // Proxy headers are trusted only if the proxy is configured.
    expect(
      (
        await app.call('GET', '/api/general/domain-info', {
          host: 'unknown.test',
          headers: { 'x-forwarded-host': 'acme.test' },
        })
      ).status,
    ).toBe(421);
  });

  test('[BEY-11] emails of an agency without a brand have its name, in no one’s colors', async () => {
    expect(await app.features.tenants.mailBrand(plain.id)).toEqual({
      name: 'Plain Media',
      accent: null,
      logo: undefined,
    });
    expect((await app.features.tenants.mailBrand(master.id)).name).toBe('Rooted');
  });

  test('[BEY-11] papers show the own brand of who issues them, and nothing of its root', async () => {
    const paper = (companyId: string) =>
      inScope(app.platform.db.app, { rootId: master.id }, (tx) =>
        app.features.tenants.paperBrand(tx, companyId),
      );
    expect(await paper(master.id)).toEqual({ accent: '#123456', logo: undefined });
    const bare = await app.make.agency(master, { host: 'bare.test' });
    expect(await paper(bare.id)).toEqual({ accent: null, logo: undefined });
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20"/></svg>';
    const own = await app.make.agency(master, {
      host: 'own.test',
      brand: { name: 'Own', box_bgcolor: '#00aa00', logo: Buffer.from(svg) },
    });
    const { accent, logo } = await paper(own.id);
    expect(accent).toBe('#00aa00');
    expect(logo!.bytes.subarray(1, 4).toString()).toBe('PNG');
  });

  test('[TEN-06] domain info has every field, about the tenant whose brand the host shows', async () => {
    await app.admin.query(
      `update company set legal_name = 'Acme Leads LLC', short_name = 'AL', address = '1 Main St', city = 'Austin', zip = '78701',
       state_code = 'TX', country_code = 'US', phone = '+15125550100', email = 'hello@acme.test' where id = $1`,
      [agency.id],
    );
    await app.admin.query(
      `update company set legal_name = 'Rooted Platform Inc.', email = 'owner@rooted.test', city = 'Reno' where id = $1`,
      [master.id],
    );
    const door = async (host: string, path = '') =>
      (await app.call('GET', `/api/general/domain-info${path}`, { host })).body as Record<string, never>;
    const acme = await door('acme.test');
    expect(acme).toEqual({
      ...acme,
      idsys: master.id,
      masteridsys: master.id,
      companyrootname: 'Acme',
      companyrootlegalname: 'Acme Leads LLC',
      companyrootnameshort: 'AL',
      address: '1 Main St',
      city: 'Austin',
      zip: '78701',
      state_code: 'TX',
      state_name: 'Texas',
      phone: '+15125550100',
      domain: 'acme.test',
      subdomain: '',
      userrootname: 'Acme Leads LLC',
      userrootemail: 'hello@acme.test',
      userrootaddress: '1 Main St, Austin, TX 78701',
      sppubkey: '',
      recapkey: '',
      charges_enabled: false,
      payouts_enabled: false,
      account_requirements: [],
      rootcomp: false,
      agencyplatformroot: 'T',
      paymenttermlist: ['Weekly', 'Monthly', 'One Time', 'Prepaid'].map((value) => ({ value, label: value })),
    });
    expect(acme.sidemenu).toEqual(acme.agencysidebar);
    expect([acme.rootsidemenu![0], acme.sidemenu![0]]).toEqual([
      { type: 'local', name: 'Site ID', url: 'site-id' },
      { type: 'local', name: 'Visitor ID', url: 'visitor-id' },
    ]);
    // [BEY-11] The host of an agency shows nothing of the root, whether it has a brand or not.
    for (const one of [acme, await door('plain.test')]) expect(JSON.stringify(one)).not.toMatch(/rooted/i);
    expect(await door('root.test')).toMatchObject({
      rootcomp: true,
      companyrootlegalname: 'Rooted Platform Inc.',
      agencysidebar: [],
    });
    expect(await door('plain.test')).toMatchObject({
      rootcomp: false,
      companyrootname: 'Plain Media',
      city: '',
    });
    // Its account at the card provider, as we last heard; a root has none.
    await app.admin.query(
      `insert into connected_account (company_id, root_id, agency_id, provider, status, charges_enabled, payouts_enabled, requirements, updated_at)
       select id, root_id, id, 'sandbox', 'inverification', true, false, '["individual.id_number"]', now() from company where id = $1`,
      [acme.company_id],
    );
    const account = {
      charges_enabled: true,
      payouts_enabled: false,
      account_requirements: ['individual.id_number'],
    };
    expect(await door('acme.test')).toEqual({ ...acme, ...account });
    expect(await door('root.test')).toMatchObject({ charges_enabled: false, account_requirements: [] });
    await app.admin.query('delete from connected_account where company_id = $1', [acme.company_id]);
    // The same for another host, or for a subdomain of the root, but not for other companies' hosts.
    await app.make.agency(master, { host: 'sub.root.test', brand: { name: 'Sub' } });
    expect(await door('root.test', '/ACME.test')).toEqual(acme);
    expect(await door('root.test', '/sub')).toMatchObject({
      companyrootname: 'Sub',
      subdomain: 'sub.root.test',
    });
    expect(await door('acme.test', '/acme.test')).toEqual(acme);
    // An agency's host says nothing of other agencies, nor of the root above it.
    for (const unknown of ['sub', 'sub.root.test', 'root.test', 'nobody', 'nobody.test', '%00', '..'])
      expect([
        unknown,
        (await app.call('GET', `/api/general/domain-info/${unknown}`, { host: 'acme.test' })).status,
      ]).not.toEqual([unknown, 200]);
    expect((await app.call('GET', '/api/general/domain-info/nobody', { host: 'acme.test' })).status).toBe(
      404,
    );
  });

  test('an unverified or removed tenant serves nobody', async () => {
    await app.make.agency(master, { host: 'soon.test' });
    await app.admin.query(`update domain set verified_at = null where host = 'soon.test'`);
    expect((await app.call('GET', '/api/general/domain-info', { host: 'soon.test' })).status).toBe(421);
  });
});

describe('choosing a client', () => {
  test('an agency finds its own clients by part of the name', async () => {
    await app.make.client(agency, { name: 'Zebra 100% Foods' });
    await app.make.user(agency, { email: 'agency@x.test', password: PASSWORD });
    const token = await app.signIn('agency@x.test', 'acme.test');
    const find = async (text: string) =>
      (
        await app.call('GET', `/api/configuration/client/list?searchQuery=${text}`, {
          host: 'acme.test',
          token,
        })
      ).body;
    expect(await find('100%25')).toMatchObject({ total: 1, data: [{ company_name: 'Zebra 100% Foods' }] });
    expect(await find('_')).toMatchObject({ total: 0, data: [] });
  });
});

describe('health and documents', () => {
  test('tells alive from ready', async () => {
    expect((await app.call('GET', '/healthz', { host: 'x' })).body).toEqual({ status: 'ok' });
    expect((await app.call('GET', '/readyz', { host: 'x' })).body).toEqual({
      status: 'ready',
      roles: { web: 'ready', ingest: 'ready', worker: 'ready' },
      visits: {
        kept_in: 'database',
        promise: 'committed before the answer',
        waiting: 0,
        bytes: 0,
        oldest_seconds: 0,
        damaged: 0,
      },
    });
    await app.admin.query(`delete from migration where name like '0001%'`);
    const not = await app.call('GET', '/readyz', { host: 'x' });
    expect([not.status, not.headers['retry-after'], not.body.reason]).toEqual([
      503,
      '5',
      'migrations are missing',
    ]);
  });

  test('every call stands in the OpenAPI document, with its roles, and in the page to read', async () => {
    const document = (await app.call('GET', '/api/openapi.json', { host: 'acme.test' })).body as unknown as {
      paths: Record<string, Record<string, { security: unknown[]; description: string }>>;
    };
    for (const route of app.server.routeList) {
      if (route.method === 'HEAD' || route.url === '/*' || !route.url.startsWith('/api')) continue;
      const path = route.url.replace('/api', '').replace(/:(\w+)/g, '{$1}');
      const operation = document.paths[path]?.[route.method.toLowerCase()];
      expect([route.method, path, operation?.description]).toEqual([
        route.method,
        path,
        expect.stringMatching(/Available to/),
      ]);
    }
    const page = await app.call('GET', '/api/reference', { host: 'acme.test' });
    expect(page.text).toContain('<title>API reference · ');
    // Scripts of its own only, and nothing that a tenant entered is one.
    expect(page.text.match(/<script(?! type="application\/json")[^>]*>/g)).toEqual([
      expect.stringContaining('src="/api/reference/scalar.js'),
      expect.stringContaining('src="/api/reference/page.js'),
    ]);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  });
});
