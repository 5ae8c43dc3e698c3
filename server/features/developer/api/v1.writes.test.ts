import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiScope, SCOPE_NAMES } from '../../../../contract/developer/developer-rules.ts';
import { Ctx } from '../../../platform/ctx.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { outliveCaches } from '../../../test/outlive.ts';
import { createWrite } from './v1.write.ts';
import { writes } from './v1.writes.ts';

const HOST = 'acme.test';
let app: TestApp;
let root: Company;
let acme: Company;
let owner: { id: string };
let client: Company;
let foreign: { client: Company; campaign: MadeCampaign };
let live: string;
let test1: string;

type Body = Record<string, unknown> & { id: string };
const send = async (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  body?: object,
  given: { key?: string; as?: string } = {},
) => {
  // A key's bucket is refilled while the clock moves on.
  app.clock.advance(1000);
  const {
    status,
    body: answer,
    headers,
  } = await app.call(method as 'POST', url, {
    host: HOST,
    token: given.as ?? live,
    ...(body ? { body } : {}),
    headers: given.key === undefined ? {} : { 'idempotency-key': given.key },
  });
  return { status, body: answer as Body, headers };
};
const keyOf = async (scopes: ApiScope[], mode: 'live' | 'test' = 'live') =>
  (await app.make.apiKey(acme, owner.id, { scopes, mode })).secret;
const stored = async <T = Record<string, unknown>>(sql: string, ...values: unknown[]) =>
  (await app.admin.query(sql, values)).rows as T[];
const shop = (more: object = {}) => ({
  client_id: client.id,
  product: 'site_id',
  name: 'Shop',
  site_url: 'https://shop.example.com/',
  ...more,
});

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: HOST, name: 'Acme' });
  owner = await app.make.user(acme, { email: 'ann@x.test', password: PASSWORD });
  await app.make.developer(acme, owner.id);
  client = await app.make.client(acme, { name: 'Bakery' });
  await app.make.user(client, { email: 'bea@x.test', name: 'Bea Baker' });
  const theirs = await app.make.client(await app.make.agency(root, { host: 'other.test' }));
  foreign = { client: theirs, campaign: await app.make.campaign(theirs) };
  live = await keyOf([...SCOPE_NAMES]);
  test1 = await keyOf([...SCOPE_NAMES], 'test');
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  await app.close();
});

describe('writes', () => {
  test('[DEV-04] a client is created with its owner, who is invited, and changed', async () => {
    const made = await send('POST', '/v1/clients', {
      name: 'Florist',
      owner: { name: 'Flo Flores', email: 'flo@x.test', phone: '+15045550100' },
      external_id: 'F-1',
      industry: 'Flowers',
      gets_phone_numbers: false,
    });
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        name: 'Florist',
        owner: { name: 'Flo Flores', email: 'flo@x.test', phone: '+15045550100' },
        external_id: 'F-1',
        industry: 'Flowers',
        gets_phone_numbers: false,
        can_add_campaigns: true,
      },
    ]);
    expect((await send('GET', `/v1/clients/${made.body.id}`)).body).toEqual(made.body);
    expect(await stored(`select kind from mail where to_address = 'flo@x.test'`)).toHaveLength(1);
    const changed = await send('PATCH', `/v1/clients/${made.body.id}`, {
      name: 'Florist & Sons',
      owner: { phone: '+13125550142' },
      industry: null,
      can_add_campaigns: false,
    });
    expect([changed.status, changed.body]).toEqual([
      200,
      {
        ...made.body,
        updated_at: expect.any(String),
        name: 'Florist & Sons',
        owner: { name: 'Flo Flores', email: 'flo@x.test', phone: '+13125550142' },
        industry: null,
        can_add_campaigns: false,
      },
    ]);
    const wrong = await send('POST', '/v1/clients', {
      name: 'X',
      owner: { name: 'Y', email: 'flo@x.test', phone: '12' },
    });
    expect([wrong.status, wrong.body]).toMatchObject([422, { errors: [{ location: 'body.owner.phone' }] }]);
    const taken = await send('POST', '/v1/clients', {
      name: 'X',
      owner: { name: 'Y', email: 'flo@x.test', phone: '+15045550101' },
    });
    expect([taken.status, taken.body]).toMatchObject([422, { errors: [{ location: 'body.owner.email' }] }]);
  });

  test('[DEV-04] a client is changed whose owner has no phone number, or who has no owner', async () => {
    const bakery = await send('PATCH', `/v1/clients/${client.id}`, { industry: 'Bread' });
    expect([bakery.status, bakery.body]).toMatchObject([
      200,
      { name: 'Bakery', industry: 'Bread', owner: { name: 'Bea Baker', phone: null } },
    ]);
    const named = await send('PATCH', `/v1/clients/${client.id}`, { owner: { name: 'Bea B.' } });
    expect(named.body).toMatchObject({ owner: { name: 'Bea B.', email: 'bea@x.test', phone: null } });
    const wrong = await send('PATCH', `/v1/clients/${client.id}`, { owner: { phone: '12' } });
    expect([wrong.status, wrong.body]).toMatchObject([422, { errors: [{ location: 'body.owner.phone' }] }]);
    const without = await app.make.client(acme, { name: 'Nobody' });
    const renamed = await send('PATCH', `/v1/clients/${without.id}`, { name: 'Nobody yet' });
    expect([renamed.status, renamed.body]).toMatchObject([200, { name: 'Nobody yet', owner: null }]);
    expect((await send('PATCH', `/v1/clients/${without.id}`, { owner: { name: 'N' } })).status).toBe(409);
  });

  test('[DEV-04] a campaign is created, changed, and set to a status, with its fields named as in reads', async () => {
    const made = await send('POST', '/v1/campaigns', shop({ price_per_lead: '2.50', requires_phone: true }));
    expect([made.status, made.body]).toMatchObject([
      201,
      { name: 'Shop', product: 'site_id', status: 'paused', price_per_lead: '2.50', requires_phone: true },
    ]);
    expect((await send('GET', `/v1/campaigns/${made.body.id}`)).body).toEqual(made.body);
    const changed = await send('PATCH', `/v1/campaigns/${made.body.id}`, {
      name: 'Shop 2',
      lead_limit: 5,
      lead_limit_period: 'week',
      thank_you_url: 'https://shop.example.com/thanks',
      payment_term: 'Weekly',
    });
    expect([changed.status, changed.body]).toMatchObject([
      200,
      {
        name: 'Shop 2',
        lead_limit: 5,
        lead_limit_period: 'week',
        requires_phone: true,
        payment_term: 'Weekly',
      },
    ]);
    const filter = {
      fit_states: ['TX', 'CA', 'TX'],
      fit_job_titles: [' Head  of Sales'],
      fit_unknown: 'refuse',
    };
    expect((await send('PATCH', `/v1/campaigns/${made.body.id}`, filter)).body).toMatchObject({
      fit_states: ['CA', 'TX'],
      fit_job_titles: ['Head of Sales'],
      fit_unknown: 'refuse',
    });
    const misfit = await send('PATCH', `/v1/campaigns/${made.body.id}`, { fit_zip_codes: ['78701', '78'] });
    expect([misfit.status, misfit.body]).toMatchObject([
      422,
      { errors: [{ location: 'body.fit_zip_codes.1' }] },
    ]);
    const active = await send('PUT', `/v1/campaigns/${made.body.id}/status`, { status: 'active' });
    expect([active.status, active.body.status]).toEqual([200, 'active']);
    const search = await send('POST', '/v1/campaigns', {
      client_id: client.id,
      product: 'search_id',
      name: 'Chairs',
      paused: true,
      targeting: { keywords: ['office chair', 'desk'], location: 'zip', zips: ['60601', '78701'] },
    });
    expect([search.status, search.body]).toMatchObject([
      201,
      {
        status_reason: 'person',
        targeting: { keywords: ['office chair', 'desk'], zips: ['60601', '78701'] },
      },
    ]);
    const zips = await send('PATCH', `/v1/campaigns/${search.body.id}`, { targeting: { zips: ['1'] } });
    expect([zips.status, zips.body.detail, zips.body.errors]).toMatchObject([
      422,
      'body.targeting.zips: has 1, which is not a five-digit zip code',
      [{ location: 'body.targeting.zips' }],
    ]);
    const sent = await send('POST', `/v1/campaigns/${made.body.id}/test-leads`);
    expect([sent.status, sent.body]).toMatchObject([201, { destinations: 0 }]);
    expect((await send('POST', `/v1/campaigns/${made.body.id}/test-leads`)).status).toBe(429);
  });

  test('[DEV-04] an exclusion list is added, loaded, and removed; a keyword count is requested', async () => {
    const made = await send('POST', '/v1/exclusion-lists', {
      client_id: client.id,
      name: 'Former customers',
      entries: ['ada@example.com', '=1+1', '+15045550100', 'example.org'],
    });
    expect([made.status, made.body]).toMatchObject([
      201,
      { level: 'client', client_id: client.id, name: 'former_customers.csv', status: 'queued' },
    ]);
    await app.features.exclusions.loads.load({ rootId: root.id, listId: made.body.id });
    expect((await send('GET', `/v1/exclusion-lists/${made.body.id}`)).body).toMatchObject({
      status: 'active',
      rows_read: 4,
      rows_invalid: 1,
      entries_added: 3,
    });
    const gone = await send('DELETE', `/v1/exclusion-lists/${made.body.id}`);
    expect([gone.status, gone.body.status]).toEqual([200, 'removed']);
    expect((await send('DELETE', `/v1/exclusion-lists/${made.body.id}`)).status).toBe(409);
    const count = await send('POST', '/v1/keyword-counts', {
      client_id: client.id,
      targeting: { keywords: ['tea'], location: 'national' },
    });
    expect([count.status, count.body]).toMatchObject([
      201,
      { status: 'pending', product: 'search_id', targeting: { keywords: ['tea'] } },
    ]);
    expect((await send('POST', `/v1/keyword-counts/${count.body.id}/retry`)).status).toBe(409);
    const search = await send('POST', '/v1/campaigns', {
      client_id: client.id,
      product: 'search_id',
      name: 'Teas',
      targeting: { keywords: ['coffee'], location: 'national' },
    });
    await app.features.signals.counts.run(root.id, count.body.id);
    const applied = await send('POST', `/v1/keyword-counts/${count.body.id}/apply`, {
      campaign_id: search.body.id,
    });
    expect([applied.status, applied.body]).toMatchObject([200, { targeting: { keywords: ['tea'] } }]);
  });

  test('[DEV-04] a client’s owner is signed in by a link that works once', async () => {
    const made = await send('POST', '/v1/sso-tokens', { client_id: client.id });
    expect([made.status, made.body.url]).toEqual([201, expect.stringContaining('/sso?token=')]);
    const use = () =>
      app.call('POST', '/api/v1/developer/sso/validation', { host: HOST, body: { token: made.body.token } });
    expect((await use()).status).toBe(200);
    expect((await use()).status).toBe(410);
    expect((await send('POST', '/v1/sso-tokens', { client_id: foreign.client.id })).status).toBe(404);
  });

  test('[DEV-04] another agency’s clients and campaigns are not there', async () => {
    const { campaign } = foreign;
    const tries = [
      await send('POST', '/v1/campaigns', shop({ client_id: foreign.client.id })),
      await send('PATCH', `/v1/campaigns/${campaign.id}`, { name: 'Mine' }),
      await send('PUT', `/v1/campaigns/${campaign.id}/status`, { status: 'paused' }),
      await send('PATCH', `/v1/clients/${foreign.client.id}`, { name: 'Mine' }),
      await send('POST', '/v1/exclusion-lists', {
        campaign_id: campaign.id,
        name: 'X',
        entries: ['a@b.example'],
      }),
      await send('POST', `/v1/campaigns/${campaign.id}/test-leads`),
    ];
    expect(tries.map(({ status }) => status)).toEqual(tries.map(() => 404));
  });
});

describe('[BEY-14] Idempotency-Key', () => {
  test('the same write 50 times at once happens once, and all get the first answer', async () => {
    const key = newId(app.clock.now());
    const body = { name: 'Once', owner: { name: 'O', email: 'once@x.test', phone: '+15045550102' } };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        app.call('POST', '/v1/clients', {
          host: HOST,
          token: live,
          body,
          headers: { 'idempotency-key': key },
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body: { id } }) => id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(49);
    expect(await stored(`select id from company where name = 'Once'`)).toHaveLength(1);
    expect(await stored(`select id from mail where to_address = 'once@x.test'`)).toHaveLength(1);
    app.clock.advance(60_000);
  });

  test('of two processes, one writes and the other gets its answer, whatever refused its own write', async () => {
    const tenant = (await app.features.tenants.byHost(HOST))!;
    const { clock } = app;
    const ctx = new Ctx({
      ...{ tenant, actor: null, requestId: 'test', clock },
      ...{ ip: '127.0.0.1', userAgent: '', origin: `http://${HOST}` },
    });
    const caller = await app.features.developer.auth.caller(ctx, `Bearer ${live}`);
    const both = [1, 2].map(() => createWrite(app.platform, app.features as never));
    const doBoth = (tool: string, key: string, body: object) =>
      Promise.all(
        both.map((write) =>
          write(writes.find((one) => one.tool === tool)!, caller, { query: {}, params: {}, body, key }),
        ),
      );
    for (const [one, other] of [
      await doBoth('create_campaign', 'both', shop({ name: 'Both' })),
      // The slower one finds the email address taken.
      await doBoth('create_client', 'both too', {
        name: 'Both',
        owner: { name: 'B', email: 'both@x.test', phone: '+15045550103' },
      }),
    ]) {
      expect(one!.body).toEqual(other!.body);
      expect([one!.isReplayed, other!.isReplayed].sort()).toEqual([false, true]);
    }
    expect(await stored(`select id from campaign where name = 'Both'`)).toHaveLength(1);
    expect(await stored(`select id from company where name = 'Both'`)).toHaveLength(1);
  });

  test('refuses a changed request, forgets after 24 hours, and keeps no refusal', async () => {
    const key = 'changes';
    expect((await send('POST', '/v1/campaigns', shop({ name: '' }), { key })).status).toBe(422);
    const first = await send('POST', '/v1/campaigns', shop({ name: 'One' }), { key });
    expect(first.status).toBe(201);
    const other = await send('POST', '/v1/campaigns', shop({ name: 'Two' }), { key });
    expect([other.status, other.body.errors]).toMatchObject([
      422,
      [{ location: 'header.Idempotency-Key', message: 'was used for a different request' }],
    ]);
    expect((await send('POST', '/v1/keyword-counts', {}, { key: 'x'.repeat(256) })).status).toBe(422);
    app.clock.advance(24 * 3_600_000);
    const later = await send('POST', '/v1/campaigns', shop({ name: 'Two' }), { key });
    expect([later.status, later.body.id === first.body.id]).toEqual([201, false]);
    // The answer of another agency's key, or of another mode, is not found.
    const inTest = await send('GET', '/v1/campaigns', undefined, { as: test1 });
    const campaigns = inTest.body.data as unknown as Body[];
    expect(campaigns.length).toBeGreaterThan(0);
  });
});

describe('[BEY-14] [DEV-02] whose remembered answer it is', () => {
  const hook = () => ({ url: 'https://hooks.example.com/in', types: ['lead.accepted'] });
  const tokenOf = async (made: { clientId: string; secret: string }, scope: string) => {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: made.clientId,
      client_secret: made.secret,
      scope,
    });
    const { payload } = await app.server.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { host: HOST, 'content-type': 'application/x-www-form-urlencoded' },
      payload: form.toString(),
    });
    return JSON.parse(payload).access_token as string;
  };
  const scopes: ApiScope[] = ['webhooks.write', 'leads.read', 'campaigns.write'];

  test('another key with the same Idempotency-Key writes for itself and gets no secret of the first', async () => {
    const key = 'shared';
    const first = await send('POST', '/v1/webhook-endpoints', hook(), { key, as: await keyOf(scopes) });
    expect(first.status).toBe(201);
    const fewer = await keyOf(['webhooks.write']);
    const refused = await send('POST', '/v1/webhook-endpoints', hook(), { key, as: fewer });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      403,
      expect.stringContaining('leads.read'),
    ]);
    expect(JSON.stringify(refused.body)).not.toContain(first.body.secret as string);
    const same = await send('POST', '/v1/webhook-endpoints', hook(), { key, as: await keyOf(scopes) });
    expect([same.status, same.headers['idempotency-replayed']]).toEqual([201, undefined]);
    expect([same.body.id === first.body.id, same.body.secret === first.body.secret]).toEqual([false, false]);
    // Another body under that name is no fault of a key that never used it.
    const other = await send('POST', '/v1/campaigns', shop({ name: 'Own' }), {
      key,
      as: await keyOf(['campaigns.write']),
    });
    expect(other.status).toBe(201);
  });

  test('a token and a rotated secret of the same key get it, unless they lack a scope that the write took', async () => {
    const made = await app.make.apiKey(acme, owner.id, { scopes });
    const key = 'retried';
    const first = await send('POST', '/v1/webhook-endpoints', hook(), { key, as: made.secret });
    expect(first.status).toBe(201);
    const again = (as: string) => send('POST', '/v1/webhook-endpoints', hook(), { key, as });
    const whole = await again(await tokenOf(made, 'webhooks.write leads.read'));
    expect([whole.status, whole.body, whole.headers['idempotency-replayed']]).toEqual([
      201,
      first.body,
      'true',
    ]);
    const narrow = await again(await tokenOf(made, 'webhooks.write'));
    expect([narrow.status, narrow.body.detail]).toEqual([403, 'The key does not have the scope leads.read.']);
    expect((await again(await tokenOf(made, 'campaigns.write'))).status).toBe(403);
    const ann = await app.signIn('ann@x.test', HOST);
    const rotated = await app.call('POST', `/api/developer/keys/${made.id}/rotate`, {
      host: HOST,
      token: ann,
      body: { overlap_minutes: 60 },
    });
    const { secret_key } = rotated.body as unknown as { secret_key: string };
    expect((await again(secret_key)).body).toEqual(first.body);
    await app.admin.query(`update developer_key set scopes = '{webhooks.write}' where id = $1`, [made.id]);
    outliveCaches();
    expect((await again(secret_key)).status).toBe(403);
    await app.admin.query(`update developer_key set scopes = $2 where id = $1`, [made.id, scopes]);
    outliveCaches();
    expect((await again(secret_key)).body).toEqual(first.body);
  });
});

describe('[BEY-14] test mode', () => {
  test('works with a sandbox client and made leads, and posts nothing', async () => {
    const me = await send('GET', '/v1/me', undefined, { as: test1 });
    expect(me.body).toMatchObject({ mode: 'test', company: { name: 'Acme' } });
    const clients = (await send('GET', '/v1/clients', undefined, { as: test1 })).body
      .data as unknown as Body[];
    expect(clients.map(({ name }) => name)).toEqual(['Test client']);
    const leads = (await send('GET', '/v1/leads?limit=100', undefined, { as: test1 })).body
      .data as unknown as { person: { email: string }; price: string }[];
    expect(leads).toHaveLength(40);
    expect(
      leads.every(({ person, price }) => person.email.endsWith('@example.com') && price === '0.00'),
    ).toBe(true);
    const [found] = (await send('GET', '/v1/campaigns', undefined, { as: test1 })).body
      .data as unknown as Body[];
    const made = await send('POST', '/v1/sandbox/leads', { campaign_id: found!.id }, { as: test1 });
    expect([made.status, made.body]).toMatchObject([
      201,
      { campaign_id: found!.id, test: false, excluded: false },
    ]);
    expect((await send('POST', '/v1/sandbox/leads', { campaign_id: found!.id })).status).toBe(403);
    const campaign = await send(
      'POST',
      '/v1/campaigns',
      shop({ client_id: clients[0]!.id, price_per_lead: '3.00' }),
      { as: test1 },
    );
    expect([campaign.status, campaign.body.status]).toEqual([201, 'active']);
    const florist = await send(
      'POST',
      '/v1/clients',
      { name: 'T', owner: { name: 'T', email: 'real@x.test', phone: '+15045550100' } },
      { as: test1 },
    );
    expect(florist.status).toBe(201);
    const [mail] = await stored<{ id: string; root_id: string }>(
      `select id, root_id from mail where to_address = 'real@x.test'`,
    );
    await app.features.mail.send({ rootId: mail!.root_id, mailId: mail!.id });
    expect(await stored('select state from mail where id = $1', mail!.id)).toEqual([{ state: 'kept' }]);
    const [sandbox] = await stored<{ sandbox_root_id: string }>('select * from developer_sandbox');
    expect(await stored('select id from transfer where root_id = $1', sandbox!.sandbox_root_id)).toEqual([]);
    expect(await app.features.tenants.roots()).toEqual([root.id]);
  });

  test('is hidden from live keys, and live data from it', async () => {
    const ids = async (as: string, path: string) =>
      ((await send('GET', path, undefined, { as })).body.data as unknown as Body[]).map(({ id }) => id);
    for (const path of ['/v1/clients', '/v1/campaigns', '/v1/leads']) {
      const [mine, theirs] = [await ids(live, path), await ids(test1, path)];
      expect(mine.filter((id) => theirs.includes(id))).toEqual([]);
      const [id] = theirs;
      expect((await send('GET', `${path}/${id}`)).status).toBe(404);
    }
    expect((await send('PATCH', `/v1/clients/${client.id}`, { name: 'X' }, { as: test1 })).status).toBe(404);
    expect((await send('POST', '/v1/campaigns', shop(), { as: test1 })).status).toBe(404);
  });
});
