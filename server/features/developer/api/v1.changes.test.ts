import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiLead } from '../../../../contract/developer/v1.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

const HOST = 'acme.test';
const MINUTE = 60_000;
/** An address of the sandbox's networks (server/providers/sandbox-networks). */
const CEDAR = '198.18.1.7';
let app: TestApp;
let root: Company;
let acme: Company;
let client: Company;
let shop: MadeCampaign;
let token: string;

type Item = Record<string, unknown> & { id: string; updated_at: string };
const people: { email: string; last_name: string | null; phone: string | null }[] = [];

const get = (path: string) => app.call('GET', path, { host: HOST, token });
/** All items of a list, two at a time. */
async function all(path: string): Promise<Item[]> {
  const found: Item[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await get(`${path}&limit=2${cursor}`);
    expect([path, status]).toEqual([path, 200]);
    found.push(...(body.data as unknown as Item[]));
    if (body.next_cursor === null) return found;
    cursor = `&cursor=${String(body.next_cursor)}`;
    // A key's bucket is refilled while the clock moves on.
    app.clock.advance(1000);
  }
}
const changed = (list: string, since: string | Date, more = '') =>
  all(`/v1/${list}?updated_since=${new Date(since).toISOString()}${more}`);
const idsOf = (items: Item[]) => items.map(({ id }) => id);
/** Moves the clock on by more than what a list gives of earlier changes, and returns the instant. */
function later(): Date {
  app.clock.advance(10 * MINUTE);
  return app.clock.now();
}
async function visit(email: string, url = 'https://shop.example.com/', of = shop) {
  await app.make.visit(of, { email, url });
  await app.features.leads.resolver.resolveAll();
}
const leadOf = async (email: string): Promise<string> =>
  (
    await app.admin.query(
      'select x.lead_id from lead_contact x where x.email = $1 order by x.created_at desc limit 1',
      [email],
    )
  ).rows[0].lead_id;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: HOST, name: 'Acme' });
  const owner = await app.make.user(acme, { email: 'ann@x.test', password: PASSWORD });
  await app.make.developer(acme, owner.id);
  client = await app.make.client(acme, { name: 'Bakery' });
  await app.make.user(client, { email: 'bea@x.test', name: 'Bea Baker' });
  shop = await app.make.campaign(client, {
    price: 0n,
    score_pages: ['pricing'],
    company_leads: true,
    thankYouUrl: 'https://shop.example.com/thanks',
  });
  const { body } = await app.call('POST', '/api/developer/keys', {
    host: HOST,
    token: await app.signIn('ann@x.test', HOST),
    body: {
      name: 'Copy',
      mode: 'live',
      scopes: ['clients.read', 'clients.write', 'campaigns.read', 'campaigns.write', 'leads.read'],
    },
  });
  token = String(body.secret_key);
  for (let n = 0; n < 5; n++) {
    const person = app.make.person();
    await app.make.people(root, [person]);
    people.push({ email: person.email!, last_name: person.last_name ?? null, phone: person.phone ?? null });
    await visit(person.email!, n === 0 ? 'https://shop.example.com/pricing' : undefined);
    app.clock.advance(1000);
  }
});
afterAll(() => app.close());

describe('what changed since an instant', () => {
  test('[DEV-04] new leads are among the changes, in their order, page by page', async () => {
    const first = new Date(app.clock.now().getTime() - MINUTE);
    const found = await changed('leads', first);
    const expected: string[] = [];
    for (const { email } of people) expected.push(await leadOf(email));
    expect(idsOf(found)).toEqual(expected);
    for (const one of found) expect(one.updated_at).toBe(one.created_at);
    expect(await changed('leads', later())).toEqual([]);
  });

  test('[DEV-04] a lead whose person returns or buys, or whose score falls, has changed', async () => {
    const back = later();
    await visit(people[3]!.email, 'https://shop.example.com/pricing');
    const returned = await changed('leads', back);
    expect(idsOf(returned)).toEqual([await leadOf(people[3]!.email)]);
    expect(Date.parse(returned[0]!.updated_at)).toBeGreaterThanOrEqual(back.getTime());

    const bought = later();
    await visit(people[1]!.email, 'https://shop.example.com/thanks');
    const buyers = await changed('leads', bought, `&campaign_id=${shop.id}&client_id=${client.id}`);
    expect(idsOf(buyers)).toEqual([await leadOf(people[1]!.email)]);
    expect(buyers[0]!.converted_at).not.toBeNull();

    app.clock.advance(3 * 24 * 60 * MINUTE);
    const fallen = app.clock.now();
    await app.features.leads.scores.scoreDue(root.id);
    const rescored = await changed('leads', fallen);
    expect(rescored.length).toBe(5);
    for (const { updated_at } of rescored) expect(updated_at).toBe(fallen.toISOString());
    // The same instant five times: no page repeats or skips one.
    expect(new Set(idsOf(rescored)).size).toBe(5);
    const quiet = later();
    await app.features.leads.scores.scoreDue(root.id);
    expect(await changed('leads', quiet)).toEqual([]);
  });

  test('[DEV-04] a change that becomes visible after newer ones is not lost to a program that polls', async () => {
    later();
    const [early, late] = [await leadOf(people[0]!.email), await leadOf(people[2]!.email)];
    let commit!: () => void;
    const held = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let written!: () => void;
    const isWritten = new Promise<void>((resolve) => {
      written = resolve;
    });
    const { app: db } = app.platform.db;
    const slow = inScope(db, { rootId: root.id }, async (tx) => {
      await app.features.leads.changed(tx, [late]);
      written();
      await held;
    });
    await isWritten;
    app.clock.advance(5000);
    await inScope(db, { rootId: root.id }, (tx) => app.features.leads.changed(tx, [early]));
    const seen = await changed('leads', app.clock.now());
    expect(idsOf(seen)).toEqual([early]);
    commit();
    await slow;
    expect(idsOf(await changed('leads', seen.at(-1)!.updated_at))).toEqual([late, early]);
  });

  test('[DEV-04] a lead that changes while its list is read comes again instead of another being skipped', async () => {
    const since = later();
    const some = [0, 1, 2].map((n) => leadOf(people[n]!.email));
    const [a, b, c] = (await Promise.all(some)) as [string, string, string];
    const touch = (id: string) =>
      inScope(app.platform.db.app, { rootId: root.id }, (tx) => app.features.leads.changed(tx, [id]));
    for (const id of [a, b, c]) {
      await touch(id);
      app.clock.advance(1000);
    }
    const path = `/v1/leads?updated_since=${since.toISOString()}&limit=2`;
    const { body } = await get(path);
    expect(idsOf(body.data as unknown as Item[])).toEqual([a, b]);
    await touch(a);
    const next = await get(`${path}&cursor=${String(body.next_cursor)}`);
    expect(idsOf(next.body.data as unknown as Item[])).toEqual([c, a]);
    // The cursor is of this order only.
    expect((await get(`/v1/leads?limit=2&cursor=${String(body.next_cursor)}`)).status).toBe(422);
  });

  test('[DEV-04] a campaign changes with its settings and its state', async () => {
    const other = await app.make.campaign(client, { price: 0n });
    const since = later();
    expect(await changed('campaigns', since)).toEqual([]);
    const renamed = await app.call('PATCH', `/v1/campaigns/${shop.id}`, {
      host: HOST,
      token,
      body: { name: 'Renamed' },
    });
    expect(renamed.status).toBe(200);
    app.clock.advance(1000);
    const paused = await app.call('PUT', `/v1/campaigns/${other.id}/status`, {
      host: HOST,
      token,
      body: { status: 'paused' },
    });
    expect(paused.status).toBe(200);
    expect((await changed('campaigns', since)).map(({ id, status }) => [id, status])).toEqual([
      [shop.id, 'active'],
      [other.id, 'paused'],
    ]);
    expect(idsOf(await changed('campaigns', since, '&status=paused'))).toEqual([other.id]);
  });

  test('[DEV-04] a client changes with its own fields, its owner, and the number of campaigns that run', async () => {
    const florist = await app.make.client(acme, { name: 'Florist' });
    const tea = await app.make.campaign(florist, { price: 0n });
    const theirs = await app.make.agency(root, { host: 'other.test' });
    const since = later();
    expect(await changed('clients', since)).toEqual([]);
    const put = await app.call('PATCH', `/v1/clients/${client.id}`, {
      host: HOST,
      token,
      body: { name: 'Bakery & Sons' },
    });
    expect(put.status).toBe(200);
    app.clock.advance(1000);
    const before = (await get(`/v1/clients/${florist.id}`)).body;
    const paused = await app.call('PUT', `/v1/campaigns/${tea.id}/status`, {
      host: HOST,
      token,
      body: { status: 'paused' },
    });
    expect(paused.status).toBe(200);
    app.clock.advance(1000);
    await app.make.client(theirs);
    const found = await changed('clients', since);
    expect(found.map(({ id, name, active_campaigns }) => [id, name, active_campaigns])).toEqual([
      [client.id, 'Bakery & Sons', 1],
      [florist.id, 'Florist', 0],
    ]);
    expect(before).toMatchObject({ active_campaigns: 1, updated_at: before.created_at });
  });

  test('[DEV-04] a change is noted after whoever kept the client at that moment', async () => {
    const baker = await app.make.client(acme, { name: 'Baker' });
    const bread = await app.make.campaign(baker, { price: 0n });
    const since = later();
    // As a sale does, that pays from the client's own money.
    await app.admin.query('begin');
    await app.admin.query('select 1 from company where id = $1 for no key update', [baker.id]);
    try {
      const paused = await app.call('PUT', `/v1/campaigns/${bread.id}/status`, {
        host: HOST,
        token,
        body: { status: 'paused' },
      });
      expect(paused.status).toBe(200);
    } finally {
      await app.admin.query('commit');
    }
    expect(idsOf(await changed('clients', since))).toEqual([]);
    const { rows } = await app.admin.query(
      `select data from pgboss.job where name = 'companies.changed' and data->>'companyId' = $1`,
      [baker.id],
    );
    expect(rows).toHaveLength(1);
    await app.features.companies.noteChange(rows[0].data);
    const found = await changed('clients', since);
    expect(found.map(({ id, active_campaigns }) => [id, active_campaigns])).toEqual([[baker.id, 0]]);
  });
});

describe('the filters of the screens', () => {
  const emailsOf = async (filter: string) =>
    (await all(`/v1/leads?${filter}`)).map(({ person }) => (person as { email: string } | null)?.email);

  test('[DEV-04] find leads by score, by text, and by how they were recognized', async () => {
    const stored = (await all(`/v1/leads?campaign_id=${shop.id}`)) as (Item & {
      score: { points: number };
    })[];
    const points = stored.map(({ score }) => score.points);
    const middle = [...points].sort((a, b) => a - b)[2]!;
    const byScore = async (filter: string) =>
      ((await all(`/v1/leads?${filter}`)) as (Item & { score: { points: number } })[]).map(
        ({ score }) => score.points,
      );
    expect(new Set(points).size).toBeGreaterThan(1);
    expect(await byScore(`min_score=${middle}`)).toEqual(points.filter((one) => one >= middle));
    expect(await byScore(`max_score=${middle}`)).toEqual(points.filter((one) => one <= middle));
    expect(await byScore(`min_score=${middle}&max_score=${middle}`)).toEqual(
      points.filter((one) => one === middle),
    );
    const [, , third] = people as [unknown, unknown, (typeof people)[number]];
    expect(await emailsOf(`search=${encodeURIComponent(third.email.toUpperCase())}`)).toEqual([third.email]);
    expect(await emailsOf(`search=${encodeURIComponent(third.phone!.slice(-7))}`)).toContain(third.email);
    expect(await emailsOf('search=nobody-of-this-name')).toEqual([]);
    expect((await emailsOf('match=email_sha256')).length).toBe(5);
    expect(await emailsOf('match=intent')).toEqual([]);
  });

  test('[BEY-21] [DEV-04] companies without a person are read by kind, with their name and domain', async () => {
    const since = later();
    await app.make.visit(shop, { ip: CEDAR, url: 'https://shop.example.com/pricing' });
    await app.features.leads.resolver.resolveAll();
    const companies = await all('/v1/leads?kind=company');
    expect(companies).toMatchObject([
      {
        kind: 'company',
        person: null,
        company: { name: 'Sandbox: Cedar Ridge Builders', domain: 'cedarridge.example' },
        match: { type: 'company' },
        score: null,
      },
    ]);
    expect(ApiLead.strict().parse(companies[0])).toEqual(companies[0]);
    expect(await changed('leads', since)).toEqual(companies);
    const persons = await all('/v1/leads?kind=person');
    expect(persons.length).toBe(5);
    for (const one of persons) expect(one).toMatchObject({ kind: 'person', company: null });
    // One without a score is not among those with a low one.
    expect((await emailsOf('max_score=100')).length).toBe(5);

    // On an exclusion list, nothing is told of it but the sale.
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.exclusions.addList(
        tx,
        {
          owner: { root_id: root.id, agency_id: null, company_id: root.id },
          ownerId: root.id,
          level: 'root',
          name: 'x',
          lines: ['cedarridge.example'],
        },
        app.clock.now(),
      ),
    );
    const { text, body } = await get(`/v1/leads/${companies[0]!.id}`);
    expect(body).toMatchObject({ kind: 'company', excluded: true, company: null, person: null });
    expect(text).not.toMatch(/cedar/i);
  });

  test.each([
    ['min_score=101', 'query.min_score'],
    ['max_score=-1', 'query.max_score'],
    ['kind=dog', 'query.kind'],
    ['match=luck', 'query.match'],
    ['search=', 'query.search'],
    ['updated_since=yesterday', 'query.updated_since'],
  ])('[DEV-04] %s is refused at %s', async (filter, place) => {
    const { status, body } = await get(`/v1/leads?${filter}`);
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain(place);
  });
});
