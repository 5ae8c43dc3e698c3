import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  LEAD_VERSION,
  VERSION_MONTHS,
  VERSIONS,
  type Version,
} from '../../../../contract/developer/versions.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { resources } from './v1.resources.ts';
import { CHANGES, lifeOf } from './v1.versions.ts';
import { writes } from './v1.writes.ts';

const HOST = 'acme.test';
const [OLDEST, MIDDLE] = VERSIONS;
let app: TestApp;
let acme: Company;
let client: Company;
let ownerId: string;
let endpoint: Server;
let base: string;
let received: string[] = [];
/** A key that was made two changes ago, one change ago, and now. */
let oldest: string;
let middle: string;
let newest: string;

type Body = Record<string, unknown> & { id: string };
async function send(method: string, url: string, as: string, body?: object, headers = {}) {
  app.clock.advance(500);
  const answer = await app.call(method as 'POST', url, {
    host: HOST,
    token: as,
    headers,
    ...(body ? { body } : {}),
  });
  return { ...answer, body: answer.body as Body };
}
const keyOf = async (version: Version) => (await app.make.apiKey(acme, ownerId, { version })).secret;
const campaignOf = (targeting: object, more: object = {}) => ({
  client_id: client.id,
  product: 'search_id',
  name: 'Teas',
  paused: true,
  targeting: { location: 'national', keywords: ['tea'], ...targeting },
  ...more,
});

beforeAll(async () => {
  endpoint = createServer((request, reply) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      received.push(text);
      reply.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const { port } = endpoint.address() as AddressInfo;
  base = `http://hooks.localhost:${port}`;
  app = await testApp({ outboundExceptions: [`hooks.localhost:${port}`] });
  const root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: HOST, name: 'Acme' });
  ownerId = (await app.make.user(acme, { email: 'ann@x.test', password: PASSWORD })).id;
  await app.make.developer(acme, ownerId);
  client = await app.make.client(acme);
  oldest = await keyOf(OLDEST);
  middle = await keyOf(MIDDLE);
  newest = (await app.make.apiKey(acme, ownerId, {})).secret;
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  endpoint.close();
  await app.close();
});

describe('[DEV-04] versions of the API', () => {
  test('each change is of a version, in order, and of operations that there are', () => {
    expect(CHANGES.map(({ version }) => version)).toEqual(VERSIONS.slice(1));
    expect([...VERSIONS].sort()).toEqual(VERSIONS);
    const tools = [...resources, ...writes].map(({ tool }) => tool);
    for (const change of CHANGES) expect(tools).toEqual(expect.arrayContaining([...change.tools]));
  });

  test('a key pinned two changes ago sends, reads, and is refused in the words of then', async () => {
    const made = await send('POST', '/v1/campaigns', oldest, campaignOf({ titles: [] }));
    expect([made.status, made.body]).toMatchObject([201, { targeting: { titles: [] } }]);
    expect(made.body.targeting).not.toHaveProperty('job_titles');
    const search = { keywords: ['ovens'], titles: ['Cook'] };
    const url = `/v1/campaigns/${(await app.make.campaign(client, { module: 'b2b', search })).id}`;
    const changed = await send('PATCH', url, oldest, { targeting: { titles: ['Chef'] } });
    expect([changed.status, changed.body]).toMatchObject([200, { targeting: { titles: ['Chef'] } }]);
    const then = await send('GET', url, oldest);
    const now = await send('GET', url, newest);
    expect(then.body).toEqual(changed.body);
    expect(now.body).toMatchObject({ targeting: { job_titles: ['Chef'] } });
    expect(now.body.targeting).not.toHaveProperty('titles');
    expect((await send('GET', url, middle)).body).toEqual(now.body);
    const wrong = { titles: ['x'.repeat(301)] };
    expect((await send('PATCH', url, oldest, { targeting: wrong })).body.errors).toMatchObject([
      { location: 'body.targeting.titles.0' },
    ]);
    const { body } = await send('PATCH', url, newest, { targeting: { job_titles: ['x'.repeat(301)] } });
    expect([body.detail, body.errors]).toMatchObject([
      expect.stringMatching(/^body\.targeting\.job_titles\.0: /),
      [{ location: 'body.targeting.job_titles.0' }],
    ]);
    // A name of another version is none.
    expect((await send('PATCH', url, newest, { targeting: { titles: ['Cook'] } })).status).toBe(422);
    const webhook = { campaign_id: made.body.id, url: 'https://hooks.example.com/x' };
    const added = await send('POST', '/v1/webhooks', oldest, webhook);
    expect(added.body).toMatchObject({ disabled_by: null });
    for (const [as, field, not] of [
      [oldest, 'disabled_by', 'status_reason'],
      [middle, 'disabled_by', 'status_reason'],
      [newest, 'status_reason', 'disabled_by'],
    ] as const) {
      const list = await send('GET', `/v1/webhooks?campaign_id=${made.body.id}`, as);
      const [one] = list.body.data as unknown as Body[];
      expect([list.status, one]).toEqual([200, expect.objectContaining({ [field]: null })]);
      expect(one).not.toHaveProperty(not);
    }
  });

  test('old versions tell that they are deprecated and when they end; a header asks for another', async () => {
    const told = async (as: string, headers = {}) => {
      const { headers: found } = await send('GET', '/v1/leads?limit=1', as, undefined, headers);
      return [found['lead-version'], found.deprecation, found.sunset];
    };
    const ofOldest = [OLDEST, '@1796688000', 'Fri, 08 Dec 2028 00:00:00 GMT'];
    expect(await told(oldest)).toEqual(ofOldest);
    expect(await told(middle)).toEqual([MIDDLE, '@1797292800', 'Fri, 15 Dec 2028 00:00:00 GMT']);
    expect(await told(newest)).toEqual([LEAD_VERSION, undefined, undefined]);
    expect(await told(newest, { 'lead-version': OLDEST })).toEqual(ofOldest);
    expect(await told(oldest, { 'lead-version': LEAD_VERSION })).toEqual([
      LEAD_VERSION,
      undefined,
      undefined,
    ]);
    const { headers } = await send('GET', '/v1/clients?limit=1', oldest);
    expect(headers.link).toContain('rel="deprecation"');
    expect((await send('GET', '/v1/me', oldest)).body).toMatchObject({ key: { version: OLDEST } });
  });

  test('a write that is repeated in another version is the same write', async () => {
    const key = { 'idempotency-key': 'same' };
    const first = await send('POST', '/v1/campaigns', oldest, campaignOf({ titles: [] }), key);
    const again = await send('POST', '/v1/campaigns', oldest, campaignOf({ job_titles: [] }), {
      ...key,
      'lead-version': LEAD_VERSION,
    });
    expect([again.status, again.headers['idempotency-replayed'], again.body.id]).toEqual([
      201,
      'true',
      first.body.id,
    ]);
    expect(again.body).toMatchObject({ targeting: { job_titles: [] } });
    const replayed = await send('POST', '/v1/campaigns', oldest, campaignOf({ titles: [] }), key);
    expect([replayed.headers['idempotency-replayed'], replayed.body]).toEqual(['true', first.body]);
  });

  test('webhook endpoints are told of events in the version of the key that made them', async () => {
    const add = async (as: string) =>
      (await send('POST', '/v1/webhook-endpoints', as, { url: base, types: ['campaign.updated'] })).body;
    const ofOldest = await add(oldest);
    const ofNewest = await add(newest);
    expect([ofOldest.version, ofNewest.version]).toEqual([OLDEST, LEAD_VERSION]);
    const tell = async (id: string) => {
      received = [];
      const sent = await send('POST', `/v1/webhook-endpoints/${id}/test`, newest, {
        type: 'campaign.updated',
      });
      expect(sent.status).toBe(200);
      return (JSON.parse(received[0]!) as { data: { targeting: object } }).data.targeting;
    };
    const example = await tell(ofOldest.id);
    expect([Object.keys(example), Object.keys(await tell(ofNewest.id))]).toEqual([
      expect.arrayContaining(['titles']),
      expect.arrayContaining(['job_titles']),
    ]);
    expect(example).not.toHaveProperty('job_titles');
    const changed = await send('PATCH', `/v1/webhook-endpoints/${ofOldest.id}`, oldest, {
      version: LEAD_VERSION,
    });
    expect([changed.status, changed.body.version]).toEqual([200, LEAD_VERSION]);
  });

  test('its owner moves a key to another version, which the log tells', async () => {
    const ann = await app.signIn('ann@x.test', HOST);
    const { id, secret } = await app.make.apiKey(acme, ownerId, { name: 'Moved' });
    const set = await app.call('PUT', `/api/developer/keys/${id}/version`, {
      host: HOST,
      token: ann,
      body: { version: MIDDLE },
    });
    expect([set.status, set.body]).toMatchObject([
      200,
      { message: `The API key now uses version ${MIDDLE}.`, data: { version: MIDDLE } },
    ]);
    expect((await send('GET', '/v1/me', secret)).headers['lead-version']).toBe(MIDDLE);
    const { rows } = await app.admin.query(
      `select from user_log where action = 'apikey.version' and object_id = $1`,
      [id],
    );
    expect(rows).toHaveLength(1);
  });

  test('a version that has ended is refused with what to do', async () => {
    const { ends } = lifeOf(OLDEST)!;
    expect(ends.toISOString().slice(0, 10)).toBe(`${2026 + VERSION_MONTHS / 12}-12-08`);
    app.clock.advance(ends.getTime() - app.clock.now().getTime());
    const over = await send('GET', '/v1/clients', oldest);
    expect([over.status, over.body.errors]).toMatchObject([
      410,
      [{ location: 'header.Lead-Version', message: `${OLDEST} ended on 2028-12-08` }],
    ]);
    const other = await send('GET', '/v1/clients', oldest, undefined, { 'lead-version': LEAD_VERSION });
    expect(other.status).toBe(200);
  });
});
