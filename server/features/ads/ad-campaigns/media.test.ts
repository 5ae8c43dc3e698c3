import { createCanvas } from '@napi-rs/canvas';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BOUNDS } from '../../../platform/db/bounds.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

const HOST = 'media-agency.test';
/** What the tests read of answers. */
interface Answer {
  data: (Record<string, string> & { id: string }) & { id: string }[];
  errors: Record<string, string[]>;
  url: string;
  token: string;
}
let app: TestApp;
let agency: Company;
let client: Company;
let user: { id: string; email: string };

beforeAll(async () => {
  app = await testApp();
  const root = await app.make.root({ host: 'media-root.test' });
  agency = await app.make.agency(root, { host: HOST });
  const owner = await app.make.user(agency, { password: PASSWORD });
  await app.make.setUp(agency, owner.id);
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  await app.close();
});
beforeEach(async () => {
  client = await app.make.client(agency);
  user = await app.make.user(client, { password: PASSWORD });
  await app.make.setUp(client, user.id);
  app.clock.advance(60_000);
});

const picture = (width: number, height: number): Buffer => {
  const canvas = createCanvas(width, height);
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#1f5c43';
  pen.fillRect(0, 0, width, height);
  return canvas.toBuffer('image/png');
};
const as = async (who: { email: string }) => {
  const token = await app.signIn(who.email, HOST);
  const call = async (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => {
    const answer = await app.call(method, `/api${path}`, { host: HOST, token, ...(body ? { body } : {}) });
    return { status: answer.status, body: answer.body as unknown as Answer };
  };
  const upload = async (file: Buffer, fields: Record<string, string> = { name: 'Pack' }) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('file', new Blob([new Uint8Array(file)]), 'pack.png');
    const request = new Request('http://x/', { method: 'POST', body: form });
    const answer = await app.server.inject({
      method: 'POST',
      url: '/api/media',
      headers: {
        host: HOST,
        'user-agent': 'test',
        authorization: `Bearer ${token}`,
        'content-type': request.headers.get('content-type')!,
      },
      payload: Buffer.from(await request.arrayBuffer()),
    });
    return { status: answer.statusCode, body: answer.json() as Answer };
  };
  return { call, upload, token };
};

describe('[MED-01] images for banners', () => {
  test('are kept as pixels alone, and listed by company, user, and campaign', async () => {
    const { call, upload } = await as(user);
    const added = await upload(picture(300, 250));
    expect([added.status, added.body.data]).toMatchObject([
      200,
      { name: 'Pack', width: 300, height: 250, leadspeekID: null, alt_text: null, status: 'active' },
    ]);
    const { id } = added.body.data;
    expect((await call('GET', '/media')).body.data.map((one) => one.id)).toEqual([id]);
    expect((await call('GET', `/media/user/${user.id}`)).body.data).toHaveLength(1);
    const made = await app.make.adCampaign(client);
    expect((await call('GET', `/media/campaign/${made.id}`)).body.data).toMatchObject([
      { id: made.creativeId, leadspeekID: made.id, click_url: 'https://shop.example.com/' },
    ]);
  });

  test('[BEY-30] that are removed give back their place on the disk, and do not come back', async () => {
    const { call, upload } = await as(user);
    const { id } = (await upload(picture(300, 250))).body.data;
    const made = await app.make.adCampaign(client);
    const sizes = async () =>
      (
        await app.admin.query('select state, length(bytes) as size from creative where id = any($1)', [
          [id, made.creativeId],
        ])
      ).rows;
    expect((await call('PUT', `/media/${id}`, { status: 'removed' })).status).toBe(200);
    const both = await Promise.all([
      call('PUT', `/ads/creatives/${made.creativeId}`, { status: 'removed' }),
      call('PUT', `/ads/creatives/${made.creativeId}`, { status: 'active' }),
    ]);
    expect(both[0].status).toBe(200);
    expect(await sizes()).toEqual([
      { state: 'removed', size: 70 },
      { state: 'removed', size: 70 },
    ]);
  });

  test('[BEY-30] do not exceed what a library can have when several are added at once', async () => {
    const { most } = BOUNDS.media;
    Object.assign(BOUNDS.media, { most: 2 });
    const { upload } = await as(user);
    const answers = await Promise.all(Array.from({ length: 3 }, () => upload(picture(300, 250))));
    Object.assign(BOUNDS.media, { most });
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 422]);
    expect(answers.find(({ status }) => status === 422)!.body.errors).toEqual({
      file: ['would exceed the limit of 2 images per library. Remove some first'],
    });
  });

  test.each([
    [
      'a page with a script',
      '<html><script>alert(1)</script></html>',
      'must be a PNG, JPEG, GIF, WebP, or SVG image',
    ],
    [
      'a drawing that loads from elsewhere',
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><image href="https://x.example/a.png"/></svg>',
      'must not reference other files or addresses',
    ],
    [
      'a drawing with entities',
      '<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>',
      'must be a PNG, JPEG, GIF, WebP, or SVG image',
    ],
    [
      'half a picture',
      picture(300, 250).subarray(0, 60),
      'cannot be read as an image; export it again and retry',
    ],
    ['nothing', '', 'is empty'],
  ])('%s is refused', async (_what, file, why) => {
    const { status, body } = await (await as(user)).upload(Buffer.from(file));
    expect([status, body.errors]).toEqual([422, { file: [why] }]);
  });

  test('a bomb is refused by what it claims to be, before it is unpacked', async () => {
    const bomb = picture(300, 250);
    bomb.writeUInt32BE(30_000, 16);
    bomb.writeUInt32BE(30_000, 20);
    const { status, body } = await (await as(user)).upload(bomb);
    expect([status, body.errors]).toEqual([422, { file: ['must not have more than 24 million pixels'] }]);
  });

  test('a script in a drawing is not kept: it becomes a PNG', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 25"><script>alert(1)</script><rect width="30" height="25" fill="#f00"/></svg>';
    const { body } = await (await as(user)).upload(Buffer.from(svg));
    const { rows } = await app.admin.query('select type, bytes from creative where id = $1', [body.data.id]);
    expect([rows[0].type, rows[0].bytes.includes('script')]).toEqual(['image/png', false]);
  });
});

describe('[MED-02] media', () => {
  test('an image becomes a creative of a campaign once it has what an ad needs', async () => {
    const { call, upload } = await as(user);
    const made = await app.make.adCampaign(client);
    app.clock.advance(1_000);
    const { id } = (await upload(picture(728, 90))).body.data;
    const leadspeekID = made.id;
    const bare = await call('PUT', `/media/${id}`, { leadspeekID });
    expect([bare.status, bare.body.errors]).toEqual([422, { alt_text: ['is required'] }]);
    const used = await call('PUT', `/media/${id}`, {
      ...{ leadspeekID, name: 'Wide', alt_text: 'A pack', click_url: 'https://shop.example.com/pack' },
    });
    expect(used.body.data).toMatchObject({ id, leadspeekID, name: 'Wide', alt_text: 'A pack' });
    expect((await call('GET', '/media')).body.data).toEqual([]);
    expect((await call('GET', `/ads/creatives?leadspeekID=${leadspeekID}`)).body.data).toMatchObject([
      { id: made.creativeId },
      { id, width: 728, height: 90, click_url: 'https://shop.example.com/pack' },
    ]);
    // Its link can be changed without another upload, but not the campaign it is counted in.
    expect((await call('PUT', `/media/${id}`, { click_url: 'https://shop.example.com/' })).status).toBe(200);
    const other = await app.make.adCampaign(client);
    const moved = await call('PUT', `/media/${id}`, { leadspeekID: other.id });
    expect([moved.status, Object.keys(moved.body.errors)]).toEqual([422, ['leadspeekID']]);
  });

  test('an image in no size of ads, and a campaign of another client, are refused', async () => {
    const { call, upload } = await as(user);
    const texts = { alt_text: 'A pack', click_url: 'https://shop.example.com/' };
    const odd = (await upload(picture(100, 90))).body.data.id;
    const own = await app.make.adCampaign(client);
    const refused = await call('PUT', `/media/${odd}`, { leadspeekID: own.id, ...texts });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      { leadspeekID: ['needs an image in the size of an ad; this one is 100x90'] },
    ]);
    const foreign = await app.make.adCampaign(await app.make.client(agency));
    const fitting = (await upload(picture(300, 250))).body.data.id;
    const other = await call('PUT', `/media/${fitting}`, { leadspeekID: foreign.id, ...texts });
    expect([other.status, other.body.errors]).toEqual([
      422,
      { leadspeekID: ['must be an ad campaign of the company that the image belongs to'] },
    ]);
  });

  test('another tenant’s user, campaign, image: 404', async () => {
    const { call } = await as(user);
    const other = await app.make.client(agency);
    const someone = await app.make.user(other);
    const campaign = await app.make.adCampaign(other);
    const image = await app.make.media(other);
    const own = await app.make.media(client);
    for (const path of [
      `/media/user/${someone.id}`,
      `/media/campaign/${campaign.id}`,
      `/media?companyID=${other.id}`,
    ])
      expect([path, (await call('GET', path)).status]).toEqual([path, 404]);
    expect((await call('PUT', `/media/${image}`, { name: 'Mine' })).status).toBe(404);
    const token = await call('POST', `/media/generate-download-token/${own}|${image}`, {});
    expect(token.status).toBe(404);
    expect((await call('POST', '/media/generate-download-token/x', {})).status).toBe(422);
  });

  test('a download token works once: for one image as it is, for several as a zip', async () => {
    const { call } = await as(user);
    const image = picture(300, 250);
    const ids = [
      await app.make.media(client, { name: 'Same', image, size: [300, 250] }),
      await app.make.media(client, { name: 'Same', image, size: [300, 250] }),
    ];
    const get = (url: string) =>
      app.server.inject({ method: 'GET', url, headers: { host: HOST, 'user-agent': 'test' } });
    const single = (await call('POST', `/media/generate-download-token/${ids[0]}`, {})).body;
    expect(single.url).toContain(single.token);
    const file = await get(single.url);
    expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'image/png']);
    expect(file.rawPayload.equals(image)).toBe(true);
    expect((await get(single.url)).statusCode).not.toBe(200);
    const both = (await call('POST', `/media/generate-download-token/${ids.join('|')}`, {})).body;
    const zip = unzipSync(new Uint8Array((await get(both.url)).rawPayload));
    expect(Object.keys(zip)).toHaveLength(2);
    expect(Object.values(zip).every((one) => Buffer.from(one).equals(image))).toBe(true);
  });

  test('[BEY-30] an image that is asked for fifty times is read once', async () => {
    const { call } = await as(user);
    const image = picture(300, 250);
    const ids = [
      await app.make.media(client, { name: 'One', image, size: [300, 250] }),
      await app.make.media(client, { name: 'Two', image, size: [300, 250] }),
    ];
    const path = `/api/media/file?ids=${Array.from({ length: 50 }, (_, at) => ids[at % 2]).join('.')}`;
    const { url } = (await call('POST', '/general/download-token', { path })).body;
    const answer = await app.server.inject({
      method: 'GET',
      url,
      headers: { host: HOST, 'user-agent': 'test' },
    });
    expect(answer.statusCode).toBe(200);
    expect(Object.keys(unzipSync(new Uint8Array(answer.rawPayload)))).toHaveLength(2);
  });
});
