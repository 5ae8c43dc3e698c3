import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BannerDesign, Layer } from '../../../../contract/ads/banner-rules.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { anyDesign, type Company } from '../../../test/factories.ts';

const HOST = 'banner-agency.test';
/** What the tests read of answers. */
interface Answer {
  data: { id: string };
  errors: Record<string, string[]>;
  name: string;
  total: number;
  design: BannerDesign;
}
let app: TestApp;
let agency: Company;
let client: Company;
let agencyUser: { id: string; email: string };

beforeAll(async () => {
  app = await testApp();
  const root = await app.make.root({ host: 'banner-root.test' });
  agency = await app.make.agency(root, { host: HOST });
  agencyUser = await app.make.user(agency, { password: PASSWORD });
  await app.make.setUp(agency, agencyUser.id);
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  await app.close();
});
beforeEach(async () => {
  client = await app.make.client(agency);
  app.clock.advance(60_000);
});

const as = async (who: { email: string }) => {
  const token = await app.signIn(who.email, HOST);
  return async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
    const given = { host: HOST, token, ...(body ? { body } : {}) };
    const answer = await app.call(method, `/api/ads/banners${path}`, given);
    return { status: answer.status, body: answer.body as unknown as Answer };
  };
};
const fields = (more: object = {}) => ({
  name: 'Spring',
  alt_text: '',
  click_url: '',
  design: anyDesign(),
  ...more,
});
const withLayers = (layers: unknown[]) => fields({ design: { ...anyDesign(), layers } });
const [text] = anyDesign().layers as [Layer];
const image = (media_id: string) => ({
  ...{ id: 'photo', name: 'Photo', kind: 'image', media_id, fit: 'cover' },
  ...{ anchor_x: 'left', anchor_y: 'top', opacity: 1 },
  frames: { '300x250': { x: 0, y: 0, width: 300, height: 250 } },
});

describe('[MED-01] banners', () => {
  test('are created for a client, listed, changed, and deleted, with a row in the log each', async () => {
    const call = await as(agencyUser);
    const made = await call('POST', '', fields({ companyID: client.id }));
    expect([made.status, made.body.data]).toMatchObject([
      200,
      { company_id: client.id, name: 'Spring', design: anyDesign(), version: 1 },
    ]);
    const { id } = made.body.data;
    const changed = await call('PUT', `/${id}`, {
      name: 'Summer',
      alt_text: 'A pack',
      click_url: 'https://shop.example.com/',
      design: { ...anyDesign(), sizes: ['300x250', '728x90'] },
      version: 1,
    });
    expect(changed.body.data).toMatchObject({ name: 'Summer', alt_text: 'A pack', version: 2 });
    expect((await call('GET', `?companyID=${client.id}&searchQuery=summ`)).body).toMatchObject({
      total: 1,
      data: [{ id, sizes: ['300x250', '728x90'], layers: 1, version: 2 }],
    });
    expect((await call('GET', `/${id}`)).body.design.layers).toEqual(anyDesign().layers);
    expect((await call('DELETE', `/${id}`)).status).toBe(200);
    expect((await call('GET', `/${id}`)).status).toBe(404);
    const { rows } = await app.admin.query('select action from user_log where object_id = $1', [id]);
    expect(rows.map(({ action }) => action).sort()).toEqual([
      'banner.create',
      'banner.remove',
      'banner.update',
    ]);
  });

  test('someone who edited an older version is told, and nothing of the newer one is lost', async () => {
    const call = await as(agencyUser);
    const id = await app.make.banner(client);
    expect((await call('PUT', `/${id}`, { name: 'First', version: 1 })).status).toBe(200);
    const late = await call('PUT', `/${id}`, { name: 'Second', version: 1 });
    expect([late.status, late.body.errors]).toEqual([409, { version: ['is not the current one'] }]);
    expect((await call('GET', `/${id}`)).body.name).toBe('First');
  });

  test('[BEY-30] that are deleted leave no design behind, whoever saves them at the same time', async () => {
    const call = await as(agencyUser);
    const id = await app.make.banner(client);
    const [, removed] = await Promise.all([
      call('PUT', `/${id}`, { name: 'Meanwhile' }),
      call('DELETE', `/${id}`),
    ]);
    expect(removed.status).toBe(200);
    const { rows } = await app.admin.query('select state, design from banner where id = $1', [id]);
    expect(rows).toMatchObject([{ state: 'removed', design: { layers: [] } }]);
  });

  test('another client’s, another agency’s: 404, in addresses and as the company', async () => {
    const other = await app.make.client(agency);
    const user = await app.make.user(other, { password: PASSWORD });
    await app.make.setUp(other, user.id);
    const call = await as(user);
    const foreign = await app.make.banner(client);
    expect((await call('GET', `/${foreign}`)).status).toBe(404);
    expect((await call('PUT', `/${foreign}`, { name: 'Mine' })).status).toBe(404);
    expect((await call('DELETE', `/${foreign}`)).status).toBe(404);
    expect((await call('POST', '', fields({ companyID: client.id }))).status).toBe(404);
    expect((await call('GET', `?companyID=${client.id}`)).status).toBe(404);
    expect((await call('GET', '')).body.total).toBe(0);
  });

  test('200 layers are kept in order, 201 are refused', async () => {
    const call = await as(agencyUser);
    const layers = Array.from({ length: 200 }, (_, at) => ({ ...text, id: `text-${at}` }));
    const made = await call('POST', '', withLayers(layers));
    expect(made.status).toBe(200);
    const { design } = (await call('GET', `/${made.body.data.id}`)).body;
    expect(design.layers.map(({ id }) => id)).toEqual(layers.map(({ id }) => id));
    const more = await call('POST', '', withLayers([...layers, { ...text, id: 'one-more' }]));
    expect([more.status, more.body.errors]).toEqual([
      422,
      { 'design.layers': ['must not exceed 200 layers'] },
    ]);
  });

  test.each([
    ['a script of its own', { ...text, script: 'alert(1)' }],
    [
      'an address to load from',
      { ...image('00000000-0000-7000-8000-000000000000'), src: 'https://x.example' },
    ],
    ['an unknown kind', { ...text, kind: 'video' }],
    ['an unknown font', { ...text, font: 'Comic Sans' }],
    ['a color that is code', { ...text, color: 'url(https://x.example)' }],
    ['an endless text', { ...text, text: 'x'.repeat(501) }],
    ['a size that no site has', { ...text, frames: { '1x1': { x: 0, y: 0, width: 1, height: 1 } } }],
    ['a place beyond measure', { ...text, frames: { '300x250': { x: 1e9, y: 0, width: 1, height: 1 } } }],
    ['an opacity above 1', { ...text, opacity: 2 }],
  ])('%s is refused', async (_what, layer) => {
    const call = await as(agencyUser);
    const { status, body } = await call('POST', '', withLayers([layer]));
    expect(status).toBe(422);
    expect(Object.keys(body.errors).every((field) => field.startsWith('design'))).toBe(true);
  });

  test('two layers with one id, a size twice, no size, and http addresses are refused', async () => {
    const call = await as(agencyUser);
    for (const [given, field] of [
      [withLayers([text, text]), 'design.layers'],
      [fields({ design: { ...anyDesign(), sizes: ['300x250', '300x250'] } }), 'design.sizes'],
      [fields({ design: { ...anyDesign(), sizes: [] } }), 'design.sizes'],
      [fields({ click_url: 'http://shop.example.com/' }), 'click_url'],
      [fields({ alt_text: 'x'.repeat(126) }), 'alt_text'],
    ] as const) {
      const { status, body } = await call('POST', '', given);
      expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    }
  });

  test('images are those of the same company: another one’s is refused like one that does not exist', async () => {
    const call = await as(agencyUser);
    const own = await app.make.media(client);
    const other = await app.make.media(await app.make.client(agency));
    const made = await call('POST', '', { ...withLayers([image(own)]), companyID: client.id });
    expect(made.status).toBe(200);
    for (const id of [other, '00000000-0000-7000-8000-000000000000']) {
      const refused = await call('POST', '', { ...withLayers([image(id)]), companyID: client.id });
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        { 'design.layers.0.media_id': ['must be an image of the same company'] },
      ]);
    }
    // One that was removed meanwhile does not keep the rest of the banner from being saved.
    await app.admin.query(`update creative set state = 'removed' where id = $1`, [own]);
    const { id } = made.body.data;
    expect((await call('PUT', `/${id}`, { design: withLayers([image(own)]).design })).status).toBe(200);
  });

  test('salespeople have none of it', async () => {
    const sales = await app.make.user(agency, { password: PASSWORD, role: 'sales' });
    expect((await (await as(sales))('GET', '')).status).toBe(403);
  });
});
