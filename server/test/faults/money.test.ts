import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type App, createApp } from '../../app.ts';
import { inScope } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import { type TestApp, testApp } from '../app.ts';
import { BROWSER, type Company, type MadeCampaign, type MadePerson, sha256 } from '../factories.ts';

const CENT = 10_000n;
let app: TestApp;
let other: App;
let root: Company;
let client: Company;

beforeAll(async () => {
  app = await testApp();
  // A second process in all but name: its own pools, its own resolver, the same database.
  other = await createApp({
    config: { ...app.platform.config, roles: [] },
    urls: app.urls,
    clock: app.clock,
  });
  // A lead may enqueue jobs, which needs a queue.
  await other.platform.jobs.start();
  root = await app.make.root();
  client = await app.make.client(await app.make.agency(root));
});
afterAll(async () => {
  await other?.stop();
  await app?.close();
});

let campaign: MadeCampaign;
let people: MadePerson[];
beforeEach(async () => {
  people = Array.from({ length: 12 }, () => app.make.person());
  await app.make.people(root, people);
});

/** The campaign's leads, debits, balance and state, out of the database. */
async function standing() {
  const one = async (query: string) => (await app.admin.query(query, [campaign.id])).rows[0];
  return {
    leads: (await one('select count(*)::int as n from lead where campaign_id = $1')).n,
    debits: (
      await one(
        `select count(*)::int as n from transfer t join lead l on l.transfer_id = t.id and l.campaign_id = $1 where t.kind = 'lead'`,
      )
    ).n,
    ...(await one(`select b.balance::int as balance, (select sum(amount)::int from entry where account_id = a.id) as entries
      from account a join account_balance b on b.account_id = a.id where a.campaign_id = $1`)),
    ...(await one('select state, state_reason as reason from campaign where id = $1')),
  };
}
const spent = { leads: 1, debits: 1, balance: 0, entries: 0, state: 'paused', reason: 'balance_empty' };

describe('two concurrent debits of the last cent', () => {
  beforeEach(async () => {
    campaign = await app.make.campaign(client, { price: CENT, balance: CENT });
  });

  test('twelve acceptances at once in two processes make exactly one lead, and the campaign is paused as empty', async () => {
    const { rows } = await app.admin.query('select id, email from person where email = any($1)', [
      people.map((p) => p.email),
    ]);
    expect(rows.length).toBe(people.length);
    const outcomes = await Promise.all(
      rows.map(({ id }, i) => {
        const { features, platform } = i % 2 ? app : other;
        const now = app.clock.now();
        const visit = {
          ref: 0,
          campaignId: campaign.id,
          receivedAt: now,
          visit: {
            day: now.toISOString().slice(0, 10),
            eventId: newId(now),
            url: null,
            referrer: null,
            ip: null,
          },
          match: {
            personId: id,
            kind: 1 as const,
            confidence: 98,
            evidence: [],
            alternatives: 0,
            others: [],
          },
        };
        return inScope(platform.db.app, { rootId: root.id }, (tx) =>
          features.leads.accept(tx, root.id, [visit], now),
        );
      }),
    );
    const told = outcomes.map((outcome) => outcome.get(0)!);
    expect(told.filter((outcome) => 'lead' in outcome).length).toBe(1);
    expect(await standing()).toEqual(spent);
  });

  test('visits of twelve people, resolved by two workers at once, make exactly one lead', async () => {
    await Promise.all(people.map(({ email }) => app.make.visit(campaign, { email })));
    await Promise.all([app.features.leads.resolver.resolveAll(), other.features.leads.resolver.resolveAll()]);
    expect(await standing()).toEqual(spent);
    const { rows } = await app.admin.query(
      'select outcome, count(*)::int as n from visit where campaign_id = $1 group by 1 order by 1',
      [campaign.id],
    );
    expect(rows.reduce((sum, row) => sum + row.n, 0)).toBe(people.length);
    expect(rows.find((row) => row.outcome === 'lead')).toEqual({ outcome: 'lead', n: 1 });
  });
});

describe('duplicate events', () => {
  beforeEach(async () => {
    campaign = await app.make.campaign(client, { price: CENT, balance: 100n * CENT });
  });

  test('the same id in one body, in parallel bodies and again after it was resolved is one visit and one lead', async () => {
    const event = { i: newId(app.clock.now()), u: 'https://shop.example.com/', h: sha256(people[0]!.email) };
    const post = (events: object[]) =>
      app.server.inject({
        method: 'POST',
        url: '/v',
        headers: { 'user-agent': BROWSER, origin: 'https://shop.example.com' },
        payload: JSON.stringify({ k: campaign.siteKey, e: events }),
      });
    const bodies = await Promise.all([
      post([event, event]),
      ...Array.from({ length: 10 }, () => post([event])),
    ]);
    expect(bodies.map((answer) => answer.statusCode)).toEqual(bodies.map(() => 204));
    await Promise.all([app.features.leads.resolver.resolveAll(), other.features.leads.resolver.resolveAll()]);
    expect((await post([event])).statusCode).toBe(204);
    expect(await app.features.leads.resolver.resolveAll()).toBe(0);
    expect(
      (await app.admin.query('select outcome from visit where campaign_id = $1', [campaign.id])).rows,
    ).toEqual([{ outcome: 'lead' }]);
    expect(await standing()).toMatchObject({
      leads: 1,
      debits: 1,
      balance: 990_000,
      entries: 990_000,
      state: 'active',
    });
  });
});
