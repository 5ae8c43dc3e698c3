import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiScope } from '../../../../contract/developer/developer-rules.ts';
import {
  ApiCampaignDetail,
  ApiClient,
  ApiKeywordCountDetail,
  ApiLead,
} from '../../../../contract/developer/v1.ts';
import { LEAD_VERSION, VERSIONS } from '../../../../contract/developer/versions.ts';
import { dollarsOf } from '../../../../contract/dollars.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { cursorOf } from './cursor.policy.ts';
import { createRates, RATE } from './rate.ts';
import { resources } from './v1.resources.ts';

const HOST = 'acme.test';
const NOBODY = '00000000-0000-4000-8000-000000000000';
let app: TestApp;
let root: Company;
let acme: Company;
let client: Company;
let campaign: MadeCampaign;
let foreign: {
  client: Company;
  campaign: MadeCampaign;
  leadId: string;
  countId: string;
  listId: string;
  hookId: string;
  endpointId: string;
  messageId: string;
};
/** An endpoint of Acme. */
let endpointId: string;
let token: string;
/** The session of Acme's owner. */
let ann: string;

type Item = Record<string, unknown> & { id: string };
interface Key {
  id: string;
  secret_key: string;
}

/** A key of Acme with these scopes. */
async function make(scopes: ApiScope[], mode: 'live' | 'test' = 'live'): Promise<Key> {
  const { status, body } = await app.call('POST', '/api/developer/keys', {
    host: HOST,
    token: ann,
    body: { name: 'Sync', mode, scopes },
  });
  expect(status).toBe(200);
  return { id: (body.data as unknown as Item).id, secret_key: String(body.secret_key) };
}
const get = (path: string, as = token, headers: Record<string, string> = {}) =>
  app.call('GET', path, { host: HOST, token: as, headers });
const ids = (body: Record<string, unknown>) => (body.data as Item[]).map(({ id }) => id);

/** All items of a list, two at a time, following the Link header. */
async function all(path: string): Promise<Item[]> {
  const found: Item[] = [];
  let next: string | undefined = `${path}${path.includes('?') ? '&' : '?'}limit=2`;
  while (next) {
    const { status, body, headers } = await get(next);
    expect([next, status]).toEqual([next, 200]);
    found.push(...(body.data as unknown as Item[]));
    const [, url] = /^<http:\/\/acme\.test(\/[^>]+)>; rel="next"$/.exec(String(headers.link ?? '')) ?? [];
    expect(Boolean(url)).toBe(body.next_cursor !== null);
    expect((body.data as unknown as Item[]).length).toBeLessThanOrEqual(2);
    next = url;
    // A key's bucket is refilled while the clock moves on.
    app.clock.advance(1000);
  }
  return found;
}

/** Makes leads of new people, each at its own second. */
async function leadsFor(of: MadeCampaign, count: number, owner = root) {
  const people = Array.from({ length: count }, () => app.make.person());
  await app.make.people(owner, people);
  for (const { email } of people) {
    await app.make.visit(of, { email });
    await app.features.leads.resolver.resolveAll();
    app.clock.advance(1000);
  }
  return people;
}
const stored = async (sql: string, ...values: unknown[]) =>
  (await app.admin.query(sql, values)).rows as Item[];

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: HOST, name: 'Acme' });
  const owner = await app.make.user(acme, { email: 'ann@x.test', password: PASSWORD });
  await app.make.developer(acme, owner.id);
  ann = await app.signIn('ann@x.test', HOST);
  client = await app.make.client(acme, { name: 'Bakery' });
  await app.make.user(client, { email: 'bea@x.test', name: 'Bea Baker' });
  campaign = await app.make.campaign(client, { name: 'Shop', price: 2_500_000n, balance: 900_000_000n });
  const other = await app.make.agency(root, { host: 'other.test', name: 'Other' });
  const theirs = await app.make.client(other);
  const one = await app.make.campaign(theirs, { price: 1_000_000n, balance: 9_000_000n });
  await leadsFor(one, 1);
  const [lead] = await stored('select id from lead where campaign_id = $1', one.id);
  const search = { location: 'national' as const, states: [], cities: [], zips: [], keywords: ['tea'] };
  await app.features.signals.counts.seed(one.owner, (await app.make.campaign(theirs, { search })).id, search);
  const [count] = await stored('select id from intent_count where company_id = $1', theirs.id);
  const { id: listId } = await app.make.exclusionList(theirs, 'client', ['ada@example.com']);
  const [hook] = await stored(
    `insert into integration (id, root_id, agency_id, company_id, campaign_id, kind, url, secret_sealed, state, created_at, updated_at)
     select gen_random_uuid(), root_id, agency_id, company_id, id, 'webhook', 'https://x.test/', 'x', 'enabled', now(), now()
     from campaign where id = $1 returning id`,
    one.id,
  );
  const url = 'https://x.test/';
  ({ id: endpointId } = await app.make.hook(acme, owner.id, { url }));
  const endpoint = await app.make.hook(other, (await app.make.user(other)).id, { url, about: [theirs] });
  const [message] = await stored('select id from developer_message where hook_id = $1', endpoint.id);
  foreign = {
    client: theirs,
    campaign: one,
    leadId: lead!.id,
    countId: count!.id,
    listId,
    hookId: hook!.id,
    endpointId: endpoint.id,
    messageId: message!.id,
  };
  ({ secret_key: token } = await make([
    'clients.read',
    'campaigns.read',
    'leads.read',
    'keywords.read',
    'exclusions.read',
    'deliveries.read',
    'wallet.read',
    'statements.read',
    'webhooks.write',
  ]));
});
afterAll(() => app.close());

describe('clients', () => {
  test('[DEV-04] are listed newest first with their owner, found by name, and read one by one', async () => {
    for (let n = 0; n < 4; n++) {
      await app.make.client(acme, { name: `Florist ${n}` });
      app.clock.advance(1000);
    }
    const expected = await stored(
      `select id from company where agency_id = $1 and kind = 'client' order by created_at desc, id desc`,
      acme.id,
    );
    await app.admin.query(`update company set industry = 'Bread' where id = $1`, [client.id]);
    const found = await all('/v1/clients');
    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    expect(found.length).toBe(5);
    expect((await all('/v1/clients?search=florist')).length).toBe(4);
    const { status, body } = await get(`/v1/clients/${client.id}`);
    expect([status, body]).toEqual([
      200,
      {
        id: client.id,
        name: 'Bakery',
        external_id: null,
        industry: 'Bread',
        owner: { name: 'Bea Baker', email: 'bea@x.test', phone: null },
        can_add_campaigns: true,
        gets_phone_numbers: true,
        active_campaigns: 1,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect(ApiClient.strict().parse(body)).toEqual(body);
    expect((await get(`/v1/clients/${acme.id}`)).status).toBe(404);
  });
});

describe('campaigns', () => {
  test('[DEV-04] are listed with archived ones, filtered, and read with their targeting', async () => {
    const bistro = await app.make.client(acme, { name: 'Bistro' });
    const made: MadeCampaign[] = [];
    for (const state of ['active', 'paused', 'archived'] as const) {
      made.push(await app.make.campaign(bistro, { state, search: { keywords: ['pasta', 'wine'] } }));
      app.clock.advance(1000);
    }
    const of = `client_id=${bistro.id}`;
    const newest = made.map(({ id }) => id).toReversed();
    expect((await all(`/v1/campaigns?${of}`)).map(({ id }) => id)).toEqual(newest);
    expect(ids((await get(`/v1/campaigns?${of}&status=paused`)).body)).toEqual([made[1]!.id]);
    expect(ids((await get(`/v1/campaigns?${of}&product=site_id`)).body)).toEqual([]);
    expect(ids((await get(`/v1/campaigns?product=search_id&search=Bistro`)).body)).toEqual(newest);
    const shop = (await get(`/v1/campaigns/${campaign.id}`)).body;
    expect(shop).toMatchObject({
      client_id: client.id,
      name: 'Shop',
      product: 'site_id',
      status: 'active',
      status_reason: null,
      price_per_lead: '2.50',
      site_url: 'https://shop.example.com/',
      targeting: null,
    });
    expect(ApiCampaignDetail.strict().parse(shop)).toEqual(shop);
    const search = (await get(`/v1/campaigns/${made[0]!.id}`)).body;
    expect(search).toMatchObject({
      site_url: null,
      targeting: { keywords: ['pasta', 'wine'], location: 'national', zips: [] },
    });
    const b2b = await app.make.campaign(bistro, {
      module: 'b2b',
      search: { keywords: ['ovens'], titles: ['Chef'], sizes: [2] },
    });
    expect((await get(`/v1/campaigns/${b2b.id}`)).body).toMatchObject({
      product: 'b2b_id',
      targeting: { job_titles: ['Chef'], company_sizes: ['11 to 50'] },
    });
  });

  test('[DEV-04] a removed campaign is not there', async () => {
    const gone = await app.make.campaign(client);
    await app.admin.query(`update campaign set state = 'removed' where id = $1`, [gone.id]);
    expect((await get(`/v1/campaigns/${gone.id}`)).status).toBe(404);
    expect(ids((await get('/v1/campaigns?limit=100')).body)).not.toContain(gone.id);
  });
});

describe('leads', () => {
  let own: Company;
  let shop: MadeCampaign;
  let people: Awaited<ReturnType<typeof leadsFor>>;
  beforeAll(async () => {
    own = await app.make.client(acme, { name: 'Tailor' });
    shop = await app.make.campaign(own, { price: 2_500_000n, balance: 900_000_000n });
    people = await leadsFor(shop, 5);
  });

  test('[DEV-04] are read newest first, or oldest first since an instant, without a gap or a repeat', async () => {
    const rows = await stored(
      'select id, created_at from lead where agency_id = $1 order by created_at, id',
      acme.id,
    );
    const oldest = rows.map(({ id }) => id);
    const read = async (path: string) => (await all(path)).map(({ id }) => id);
    expect(oldest.length).toBe(5);
    expect(await read('/v1/leads')).toEqual(oldest.toReversed());
    for (const filter of [`client_id=${own.id}`, `campaign_id=${shop.id}`, 'product=site_id'])
      expect(await read(`/v1/leads?${filter}`)).toEqual(oldest.toReversed());
    const at = (n: number) => encodeURIComponent((rows[n]!.created_at as Date).toISOString());
    expect(await read(`/v1/leads?created_since=${at(0)}`)).toEqual(oldest);
    expect(await read(`/v1/leads?created_since=${at(1)}&created_before=${at(4)}`)).toEqual(
      oldest.slice(1, 4),
    );
    expect(await read(`/v1/leads?client_id=${own.id}&created_since=${at(3)}`)).toEqual(oldest.slice(3));
    expect(await read(`/v1/leads?campaign_id=${shop.id}&created_before=${at(2)}`)).toEqual(
      oldest.slice(0, 2).toReversed(),
    );
    expect(await read('/v1/leads?product=b2b_id')).toEqual([]);
    const plusTwo = encodeURIComponent((rows[4]!.created_at as Date).toISOString().replace('Z', '+00:00'));
    expect(await read(`/v1/leads?created_since=${plusTwo}`)).toEqual(oldest.slice(4));
  });

  test('[DEV-04] leads of the same instant are not skipped between pages', async () => {
    const same = await app.make.campaign(await app.make.client(acme), { price: 0n, balance: 1_000_000n });
    const several = Array.from({ length: 5 }, () => app.make.person());
    await app.make.people(root, several);
    for (const { email } of several) await app.make.visit(same, { email });
    await app.features.leads.resolver.resolveAll();
    const rows = await stored('select id, created_at from lead where campaign_id = $1', same.id);
    expect(new Set(rows.map((row) => String(row.created_at))).size).toBe(1);
    const found = await all(`/v1/leads?campaign_id=${same.id}`);
    expect(found.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => id).sort());
    const since = encodeURIComponent((rows[0]!.created_at as Date).toISOString());
    const again = await all(`/v1/leads?campaign_id=${same.id}&created_since=${since}`);
    expect(again.map(({ id }) => id)).toEqual(found.map(({ id }) => id).toReversed());
  });

  test('[DEV-04] one is read with its person, price, match and visit', async () => {
    const [row] = await stored(
      'select l.id from lead l join lead_contact x on x.lead_id = l.id where x.email = $1',
      people[0]!.email,
    );
    const { status, body } = await get(`/v1/leads/${row!.id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: row!.id,
      client_id: own.id,
      campaign_id: shop.id,
      product: 'site_id',
      test: false,
      price: '2.50',
      excluded: false,
      person: { first_name: people[0]!.first_name, email: people[0]!.email, phone: people[0]!.phone },
      delivery: 'none',
      match: { type: 'email_sha256' },
    });
    expect(ApiLead.strict().parse(body)).toEqual(body);
    const listed = (await get('/v1/leads?limit=100')).body.data as unknown as Item[];
    expect(listed.find(({ id }) => id === row!.id)).toEqual(body);
  });

  test('[DEV-04] [EXCL-05] someone who came onto an exclusion list since is withheld; the sale stays', async () => {
    const person = people[1]!;
    const [row] = await stored(
      'select l.id from lead l join lead_contact x on x.lead_id = l.id where x.email = $1',
      person.email,
    );
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.exclusions.addList(
        tx,
        {
          owner: { root_id: root.id, agency_id: null, company_id: root.id },
          ownerId: root.id,
          level: 'root',
          name: 'x',
          lines: [person.email!],
        },
        app.clock.now(),
      ),
    );
    const one = await get(`/v1/leads/${row!.id}`);
    expect(one.body).toMatchObject({ price: '2.50', excluded: true, person: null, visit: null, data: {} });
    const { text, body } = await get(`/v1/leads?campaign_id=${shop.id}`);
    expect(ids(body)).toContain(row!.id);
    for (const told of [one.text, text])
      for (const secret of [person.email!, person.phone!, person.last_name!])
        expect(told).not.toContain(secret);
    expect(text).toContain(people[2]!.email);
  });

  test('[DEV-04] a lead whose contact was erased does not end the list', async () => {
    const [newest] = await stored(
      'select id from lead where campaign_id = $1 order by created_at desc limit 1',
      shop.id,
    );
    await app.admin.query('delete from lead_contact where lead_id = $1', [newest!.id]);
    const found = await all(`/v1/leads?campaign_id=${shop.id}`);
    expect(found.length).toBe(4);
    expect((await get(`/v1/leads/${newest!.id}`)).status).toBe(404);
  });
});

describe('keyword counts', () => {
  test('[DEV-04] are listed newest first by client, campaign and product, and read with what was counted', async () => {
    const bar = await app.make.client(acme, { name: 'Bar' });
    const made = await app.make.campaign(bar, { search: { keywords: ['gin'] } });
    const search = {
      location: 'state' as const,
      states: ['LA'],
      cities: [],
      zips: [],
      keywords: ['gin', 'rum'],
    };
    for (let n = 0; n < 3; n++) {
      await app.features.signals.counts.seed(made.owner, made.id, search);
      app.clock.advance(1000);
    }
    const expected = await stored(
      'select id from intent_count where company_id = $1 order by created_at desc',
      bar.id,
    );
    const of = expected.map(({ id }) => id);
    expect(of.length).toBe(3);
    for (const filter of ['', `?client_id=${bar.id}`, `?campaign_id=${made.id}`, '?product=search_id'])
      expect((await all(`/v1/keyword-counts${filter}`)).map(({ id }) => id)).toEqual(of);
    expect(await all('/v1/keyword-counts?product=b2b_id')).toEqual([]);
    const { body } = await get(`/v1/keyword-counts/${of[0]}`);
    expect(body).toMatchObject({
      client_id: bar.id,
      campaign_id: made.id,
      product: 'search_id',
      status: 'done',
      keyword_total: 2,
      people: 0,
      people_in_location: 0,
      forecast: {
        not_excluded: 0,
        not_customers: 0,
        contactable: 0,
        confident: 0,
        not_delivered: 0,
        deliverable: 0,
      },
      targeting: { keywords: ['gin', 'rum'], location: 'state', states: ['LA'], zips: [] },
    });
    expect(ApiKeywordCountDetail.strict().parse(body)).toEqual(body);
    const { targeting: _, ...short } = body;
    expect(((await get('/v1/keyword-counts')).body.data as unknown as Item[])[0]).toEqual(short);
  });
});

describe('exclusion lists', () => {
  test('[DEV-04] are those of the agency, of a client, or of a campaign, newest first', async () => {
    const add = (level: 'root' | 'agency' | 'client' | 'campaign', ownerId: string, owner: object) =>
      inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
        app.clock.advance(1000);
        const given = {
          level,
          ownerId,
          owner: owner as MadeCampaign['owner'],
          name: level,
          lines: ['a@x.test'],
        };
        return (await app.features.exclusions.addList(tx, given, app.clock.now())).id;
      });
    const of = (company: Company) => ({
      root_id: company.root_id,
      agency_id: company.agency_id,
      company_id: company.id,
    });
    await add('root', root.id, of(root));
    const theirs = await add('client', foreign.client.id, of(foreign.client));
    const own: string[] = [];
    for (let n = 0; n < 3; n++) own.unshift(await add('agency', acme.id, of(acme)));
    const clients = await add('client', client.id, of(client));
    const campaigns = await add('campaign', campaign.id, campaign.owner);
    const read = async (query: string) => (await all(`/v1/exclusion-lists${query}`)).map(({ id }) => id);
    expect(await read('')).toEqual(own);
    expect(await read(`?client_id=${client.id}`)).toEqual([clients]);
    expect(await read(`?campaign_id=${campaign.id}`)).toEqual([campaigns]);
    const { body } = await get(`/v1/exclusion-lists?campaign_id=${campaign.id}`);
    expect((body.data as unknown as Item[])[0]).toMatchObject({
      level: 'campaign',
      client_id: client.id,
      campaign_id: campaign.id,
      name: 'campaign',
      status: 'active',
      rows_read: 1,
      entries_added: 1,
      emails: 1,
    });
    for (const query of [`client_id=${foreign.client.id}`, `campaign_id=${foreign.campaign.id}`]) {
      const { status, text } = await get(`/v1/exclusion-lists?${query}`);
      expect([query, status, text.includes(theirs)]).toEqual([query, 404, false]);
    }
    const both = await get(`/v1/exclusion-lists?client_id=${client.id}&campaign_id=${campaign.id}`);
    expect([both.status, both.body.detail]).toEqual([
      422,
      'query.campaign_id: cannot be combined with client_id',
    ]);
  });
});

describe('deliveries', () => {
  test('[DEV-04] are those of a campaign, newest first, by status, with the last response', async () => {
    const made = await app.make.campaign(await app.make.client(acme), { price: 0n, balance: 1_000_000n });
    const [hook] = await stored(
      `insert into integration (id, root_id, agency_id, company_id, campaign_id, kind, url, secret_sealed, state, created_at, updated_at)
       values (gen_random_uuid(), $1, $2, $3, $4, 'webhook', 'https://crm.test/hook', 'x', 'enabled', now(), now()) returning id`,
      root.id,
      acme.id,
      made.owner.company_id,
      made.id,
    );
    await leadsFor(made, 5);
    const rows = await stored(
      'select id, lead_id from delivery where campaign_id = $1 order by created_at desc, id desc',
      made.id,
    );
    expect(rows.length).toBe(5);
    const path = `/v1/deliveries?campaign_id=${made.id}`;
    expect((await all(path)).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    const at = new Date('2026-03-10T16:00:00Z');
    await stored(
      `update delivery set state = 'failed', attempts = 1, next_at = null where id = $1`,
      rows[1]!.id,
    );
    await stored(
      `insert into delivery_attempt (delivery_id, number, root_id, agency_id, company_id, started_at, duration_ms, status, answer, error)
       select id, 1, root_id, agency_id, company_id, $2, 12, 500, 'secret answer', 'Returned 500' from delivery where id = $1`,
      rows[1]!.id,
      at,
    );
    const failed = await get(`${path}&status=failed`);
    expect(failed.body).toEqual({
      data: [
        {
          id: rows[1]!.id,
          campaign_id: made.id,
          lead_id: rows[1]!.lead_id,
          message_id: expect.stringMatching(/^msg_/),
          webhook_id: hook!.id,
          url: 'https://crm.test/hook',
          test: false,
          status: 'failed',
          attempts: 1,
          last_attempt_at: at.toISOString(),
          last_status: 500,
          last_error: 'Returned 500',
          next_attempt_at: null,
          delivered_at: null,
          created_at: expect.any(String),
        },
      ],
      next_cursor: null,
    });
    expect((await get(`/v1/deliveries?campaign_id=${foreign.campaign.id}`)).status).toBe(404);
    const without = await get('/v1/deliveries');
    expect([without.status, without.body.detail]).toEqual([422, 'query.campaign_id: is required']);
  });
});

describe('money', () => {
  test('[DEV-04] the wallet and the statement say what the screens say', async () => {
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.dataWallet.auto.grant(
        tx,
        { rootId: root.id, agencyId: acme.id, amountMicros: 40_000_000n, memo: 'Welcome', key: 'v1' },
        app.clock.now(),
      ),
    );
    app.clock.advance(1000);
    await app.make.leadCost(acme, 900_000n);
    const buyer = await app.make.client(acme);
    const sold = await app.make.campaign(buyer, { price: 2_500_000n, balance: 90_000_000n });
    await leadsFor(sold, 3);
    expect((await get('/v1/wallet')).body).toEqual({
      balance: '37.30',
      total_added: '40.00',
      automatic_top_up: { enabled: false, status: 'idle', amount: '0.00', threshold: expect.any(String) },
    });
    const screen = async (query: string) => {
      const { body } = await app.call('GET', `/api/ledger/statement?PerPage=100${query}`, {
        host: HOST,
        token: ann,
      });
      return (body.data as unknown as Record<string, number | string>[]).map((line) => [
        line.id,
        dollarsOf(line.amount_micros as number),
        dollarsOf(line.balance_micros as number),
      ]);
    };
    const read = async (query: string) =>
      (await all(`/v1/statement?${query}`)).map(({ id, amount, balance }) => [id, amount, balance]);
    expect((await screen('')).length).toBeGreaterThanOrEqual(4);
    expect(await read('')).toEqual(await screen(''));
    expect(await read('view=earnings')).toEqual(await screen('&view=earnings'));
    expect(await read(`campaign_id=${sold.id}`)).toEqual(await screen(`&leadspeekID=${sold.id}`));
    expect(await read(`client_id=${buyer.id}&kind=lead`)).toEqual(
      await screen(`&clientID=${buyer.id}&kind=lead`),
    );
    expect(await read('kind=wallet_grant&start_date=2026-03-01&end_date=2026-03-31')).toHaveLength(1);
    expect(await read('end_date=2026-03-01')).toEqual([]);
    const { body } = await get('/v1/statement?kind=lead&limit=1');
    expect((body.data as unknown as Item[])[0]).toMatchObject({
      kind: 'lead',
      amount: '-0.90',
      price: '2.50',
      cost: '0.90',
      campaign_id: sold.id,
    });
    const cursor = String(body.next_cursor);
    expect((await get(`/v1/statement?kind=lead&view=wallet&cursor=${cursor}`)).status).toBe(422);
    for (const query of [`client_id=${foreign.client.id}`, `campaign_id=${foreign.campaign.id}`])
      expect([query, await read(query)]).toEqual([query, []]);
  });
});

describe('every resource', () => {
  /** Those that are asked for with something of Acme's. */
  const asked = (): Record<string, string> => ({
    '/v1/deliveries': `?campaign_id=${campaign.id}`,
    '/v1/webhooks': `?campaign_id=${campaign.id}`,
    '/v1/webhook-samples': `?campaign_id=${campaign.id}`,
    '/v1/webhook-messages': `?endpoint_id=${endpointId}`,
  });
  /** An address of a resource, with an id that may be anyone's. */
  const addressOf = (url: string, id: string) => `${url.replace(':id', id)}${asked()[url] ?? ''}`;
  /** What someone else has, by resource. */
  const theirs = (): Record<string, string> => ({
    '/v1/clients/:id': foreign.client.id,
    '/v1/campaigns/:id': foreign.campaign.id,
    '/v1/leads/:id': foreign.leadId,
    '/v1/keyword-counts/:id': foreign.countId,
    '/v1/exclusion-lists/:id': foreign.listId,
    '/v1/webhooks/:id': foreign.hookId,
    '/v1/webhook-endpoints/:id': foreign.endpointId,
    '/v1/webhook-messages/:id': foreign.messageId,
  });

  test('[DEV-04] needs its scope and a key that still works; a test key sees none of it', async () => {
    for (const { url, scope } of resources) {
      const address = addressOf(url, NOBODY);
      const lacking = await make([scope === 'leads.read' ? 'clients.read' : 'leads.read']);
      const { status, body, headers } = await get(address, lacking.secret_key);
      expect([url, status, body.detail]).toEqual([url, 403, `The key does not have the scope ${scope}.`]);
      expect(headers['www-authenticate']).toContain('insufficient_scope');
      const test = await make([scope], 'test');
      const refused = await get(address, test.secret_key);
      expect([url, refused.status]).toEqual([url, url.includes(':id') || asked()[url] ? 404 : 200]);
      const live = await make([scope]);
      const good = await get(address, live.secret_key);
      expect([url, good.status]).toEqual([url, url.includes(':id') ? 404 : 200]);
      expect((await get(address, '')).status).toBe(401);
      await app.call('PUT', `/api/developer/keys/${live.id}`, {
        host: HOST,
        token: ann,
        body: { disabled: 'T' },
      });
      expect((await get(address, live.secret_key)).status).toBe(401);
      for (const { id } of [lacking, test, live])
        await app.admin.query('update developer_key set removed_at = now() where id = $1', [id]);
    }
  });

  test("[DEV-04] another tenant's id is not there, and its rows are in no list", async () => {
    const items = resources.filter(({ url }) => url.includes(':id')).map(({ url }) => url);
    for (const url of items) {
      expect(theirs()[url], `an id for ${url}`).toBeDefined();
      for (const id of [theirs()[url]!, NOBODY]) {
        const { status, body, headers } = await get(addressOf(url, id));
        expect([url, status, body.detail]).toEqual([url, 404, ownMessages.notFound]);
        expect(headers['content-type']).toMatch(/^application\/problem\+json/);
      }
    }
    for (const path of [
      `/v1/campaigns?client_id=${foreign.client.id}`,
      `/v1/leads?client_id=${foreign.client.id}`,
      `/v1/keyword-counts?client_id=${foreign.client.id}`,
      `/v1/leads?campaign_id=${foreign.campaign.id}`,
    ])
      expect([path, (await get(path)).body]).toEqual([path, { data: [], next_cursor: null }]);
  });

  test('[DEV-04] names each parameter that is wrong, with its place and how to correct it', async () => {
    const wrong = async (path: string) => {
      const { status, body } = await get(path);
      const errors = (body.errors ?? []) as { location: string; message: string; fix: string }[];
      for (const { fix } of errors) expect(fix.length).toBeGreaterThan(10);
      return [status, errors.map(({ location, message }) => `${location}: ${message}`)];
    };
    const whole = 'query.limit: must be a whole number from 1 to 100';
    for (const limit of ['0', '101', '-1', '1.5', 'x', '', '1e2', '0x10', '9999', '%20'])
      expect([limit, await wrong(`/v1/leads?limit=${limit}`)]).toEqual([limit, [422, [whole]]]);
    const bad = 'query.cursor: is not a cursor of this list with these parameters';
    const place = { at: app.clock.now(), id: NOBODY };
    for (const cursor of [
      'x',
      '',
      'bnVsbA',
      cursorOf('campaigns', place),
      cursorOf('leads asc', place),
      Buffer.from(`["leads desc",1e99,"${NOBODY}"]`).toString('base64url'),
      Buffer.from(`["leads desc",1,"' or 1=1"]`).toString('base64url'),
    ])
      expect([cursor, await wrong(`/v1/leads?cursor=${cursor}`)]).toEqual([cursor, [422, [bad]]]);
    expect((await get(`/v1/leads?cursor=${cursorOf('leads desc', place)}`)).status).toBe(200);
    expect((await get(`/v1/leads?cursor=${'a'.repeat(400)}`)).status).toBe(422);
    expect(await wrong('/v1/leads?Page=2&limit=0&nope=1')).toEqual([
      422,
      [
        'query.Page: is not a parameter of this request',
        'query.nope: is not a parameter of this request',
        whole,
      ],
    ]);
    expect(await wrong('/v1/leads?limit=1&limit=2')).toEqual([422, ['query.limit: must be sent only once']]);
    expect((await wrong(`/v1/clients/${client.id}?x=1`))[1]).toEqual([
      'query.x: is not a parameter of this request',
    ]);
    for (const name of ['id', '__proto__', 'constructor', 'toString'])
      expect(await wrong(`/v1/clients/${client.id}?${name}=1`)).toEqual([
        422,
        [`query.${name}: is not a parameter of this request`],
      ]);
    expect(await wrong(`/v1/deliveries?campaign_id=${NOBODY}&campaign_id=${NOBODY}`)).toEqual([
      422,
      ['query.campaign_id: must be sent only once'],
    ]);
    for (const path of [
      '/v1/leads?client_id=1',
      '/v1/leads?campaign_id=x',
      '/v1/leads?product=local',
      '/v1/campaigns?status=removed',
      '/v1/campaigns?search=',
      '/v1/clients?search=%00x',
      `/v1/clients?search=${'x'.repeat(201)}`,
      '/v1/leads?created_since=2026-01-01',
      '/v1/leads?created_since=0000-01-01T00:00:00Z',
      '/v1/leads?created_before=9999-12-31T23:59:59Z',
      '/v1/leads?created_since=2026-02-30T00:00:00Z',
    ]) {
      const [, parameter] = /[?&](\w+)=/.exec(path)!;
      const [status, errors] = await wrong(path);
      expect([path, status, errors]).toEqual([path, 422, [expect.stringMatching(`^query.${parameter}: `)]]);
    }
    expect(await wrong('/v1/leads/17')).toEqual([422, [expect.stringMatching(/^path\.id: /)]]);
    const { body } = await get('/v1/leads?limit=0');
    expect(body).toEqual({
      type: 'about:blank',
      title: 'Invalid parameters',
      status: 422,
      detail: whole,
      errors: [
        {
          location: 'query.limit',
          message: 'must be a whole number from 1 to 100',
          fix: 'Send a whole number from 1 to 100, or leave it out for 25.',
        },
      ],
      request_id: expect.any(String),
    });
  });

  test('[DEV-04] tells its version, and refuses any other', async () => {
    expect((await get('/v1/clients')).headers['lead-version']).toBe(LEAD_VERSION);
    expect((await get('/v1/clients', token, { 'lead-version': LEAD_VERSION })).status).toBe(200);
    const { status, body, headers } = await get('/v1/clients', token, { 'lead-version': '2025-01-01' });
    expect([status, headers['lead-version']]).toEqual([400, LEAD_VERSION]);
    expect(body.errors).toEqual([
      {
        location: 'header.Lead-Version',
        message: `must be one of ${VERSIONS.join(', ')}`,
        fix: `Send one of ${VERSIONS.join(', ')}, or leave the header out for the version of your key.`,
      },
    ]);
    expect((await get('/v1/me', 'x')).headers['lead-version']).toBe(LEAD_VERSION);
  });

  test('[DEV-04] is in the OpenAPI document with parameters, answer, scope and security', async () => {
    const { body } = await app.call('GET', '/api/openapi.json', { host: HOST });
    const paths = body.paths as unknown as Record<string, { get: Record<string, unknown> }>;
    for (const { url, scope, query } of resources) {
      const { get: operation } = paths[url.replace(':id', '{id}')]!;
      expect(operation).toMatchObject({
        tags: ['Developer API'],
        security: [{ bearer: [scope] }],
        description: expect.stringContaining(scope),
        responses: {
          200: {
            content: { 'application/json': { schema: { type: 'object', properties: expect.anything() } } },
          },
          default: { $ref: '#/components/responses/Problem' },
        },
      });
      const names = (operation.parameters as { name: string }[]).map(({ name }) => name);
      expect(names).toEqual([
        ...(url.includes(':id') ? ['id'] : []),
        ...Object.keys(query.shape),
        'Lead-Version',
      ]);
    }
    const limit = (paths['/v1/leads']!.get.parameters as { name: string }[]).find(
      ({ name }) => name === 'limit',
    );
    expect(limit).toMatchObject({ schema: { type: 'integer', minimum: 1, maximum: 100, default: 25 } });
  });
});

describe('the rate limit', () => {
  test('[DEV-04] is counted for each key, told with every answer, and refilled by the clock', async () => {
    const { secret_key } = await make(['clients.read']);
    const policy = `"default";q=100;w=10`;
    const first = await get('/v1/me', secret_key);
    expect([first.headers['ratelimit-policy'], first.headers.ratelimit]).toEqual([
      policy,
      '"default";r=99;t=1',
    ]);
    const refused = await get('/v1/clients?limit=0', secret_key);
    expect(refused.headers.ratelimit).toBe('"default";r=98;t=1');
    const rest = await Promise.all(Array.from({ length: 120 }, () => get('/v1/clients', secret_key)));
    expect(rest.filter(({ status }) => status === 200).length).toBe(98);
    const [over] = rest.filter(({ status }) => status === 429);
    expect(over!.body).toMatchObject({ status: 429, title: 'Too many requests' });
    expect([
      over!.headers['retry-after'],
      over!.headers.ratelimit,
      over!.headers['ratelimit-policy'],
    ]).toEqual(['1', '"default";r=0;t=10', policy]);
    expect((await get('/v1/me')).status).toBe(200);
    app.clock.advance(1000);
    const after = await Promise.all(Array.from({ length: 12 }, () => get('/v1/me', secret_key)));
    expect(after.filter(({ status }) => status === 200).length).toBe(10);
    expect((await get('/v1/me', 'x')).headers['ratelimit-policy']).toBe(policy);
  });

  test('[DEV-04] never holds more than it can, remembers those in use, and survives a clock set back', () => {
    const rates = createRates();
    const at = new Date('2026-12-01T00:00:00Z');
    for (let n = 0; n < RATE.burst; n++) expect(rates.take('a', at).isOver).toBe(false);
    expect(rates.take('a', at)).toMatchObject({ isOver: true, retryAfter: 1 });
    for (let n = 0; n < 9999; n++) rates.take(`key ${n}`, at);
    rates.take('a', at);
    for (let n = 0; n < 5000; n++) rates.take(`other ${n}`, at);
    expect(rates.size()).toBe(10_000);
    expect(rates.take('a', at).isOver).toBe(true);
    expect(rates.take('a', new Date(at.getTime() - 60_000)).isOver).toBe(true);
    expect(rates.take('a', new Date(at.getTime() + 3_600_000)).header).toBe('"default";r=99;t=1');
  });
});
