import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

const HOST = 'acme.test';
const DAY_MS = 86_400_000;
let app: TestApp;
let root: Company;
let client: Company;
let token: string;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  const agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
  token = await app.signIn('client@x.test', HOST);
});
afterAll(() => app.close());

interface Shown {
  id: string;
  score: number | null;
  score_reasons: { reason: string; points: number; most: number; words: string }[];
}
const call = async (method: 'GET' | 'POST', url: string, body?: object) =>
  (await app.call(method, `/api${url}`, { host: HOST, token, ...(body ? { body } : {}) })).body as never;
const leadsOf = async (campaignId: string, more = '') =>
  (
    (await call('GET', `/leadspeek/report/lead?leadspeekID=${campaignId}&PerPage=50${more}`)) as {
      data: { id: string; email: string; score: number | null }[];
    }
  ).data;
const lead = (id: string) => call('GET', `/leadspeek/report/lead/${id}`) as Promise<Shown>;

test('[BEY-17] a lead is scored when it comes in, when its person returns, and as time passes', async () => {
  const campaign = await app.make.campaign(client, { score_pages: ['pricing'], price: 0n });
  const [hot, cold] = [app.make.person(), app.make.person()];
  await app.make.people(root, [hot, cold]);
  const returned: string[] = [];
  app.platform.events.on('leads.seen', async (_, { leads }) => {
    returned.push(...leads.flatMap(({ id, hasReturned }) => (hasReturned ? [id] : [])));
  });
  await app.make.visit(campaign, { email: hot.email, url: 'https://shop.example.com/pricing' });
  await app.make.visit(campaign, { email: cold.email, url: 'https://shop.example.com/' });
  await app.features.leads.resolver.resolveAll();

  // Without a filter, fit weighs nothing: 3, 3, and 4 of 10.
  const rows = await leadsOf(campaign.id, '&sortby=score&order=desc');
  expect(rows.map(({ email, score }) => [email, score])).toEqual([
    [hot.email, 30 + 6 + 28],
    [cold.email, 30 + 6],
  ]);
  expect((await leadsOf(campaign.id, '&minScore=40')).map(({ email }) => email)).toEqual([hot.email]);
  expect((await leadsOf(campaign.id, '&minScore=40&sortby=email')).length).toBe(1);
  const id = rows[1]!.id;
  expect((await lead(id)).score_reasons).toEqual([
    { reason: 'recency', points: 30, most: 30, words: 'Last seen within a day' },
    { reason: 'depth', points: 6, most: 30, words: '1 page viewed' },
    { reason: 'hot', points: 0, most: 40, words: 'No hot page viewed' },
  ]);

  // Time passes.
  app.clock.advance(2 * DAY_MS);
  token = await app.signIn('client@x.test', HOST);
  await app.features.leads.scores.scoreDue(root.id);
  expect((await lead(id)).score).toBe(24 + 6);

  // They come back and look at prices, on two pages of one visit.
  for (const page of ['pricing', 'pricing/teams'])
    await app.make.visit(campaign, { email: cold.email, url: `https://shop.example.com/${page}` });
  await app.features.leads.resolver.resolveAll();
  expect((await lead(id)).score).toBe(30 + 18 + 28);
  expect(returned).toEqual([id]);

  // Other weights: tried, then saved.
  const tried = (await call('POST', '/leadspeek/report/lead/score-preview', {
    leadspeekID: campaign.id,
    scoreRecency: 0,
    scoreDepth: 0,
  })) as { leads: number; bands: { before: number; after: number }[]; examples: { id: string }[] };
  expect(tried.leads).toBe(2);
  expect(tried.bands.map(({ after }) => after)).toEqual([0, 0, 0, 2, 0]);
  expect((await lead(id)).score).toBe(76);
  await app.admin.query('update campaign set score_recency = 0, score_depth = 0 where id = $1', [
    campaign.id,
  ]);
  await app.features.leads.scores.renew(root.id, campaign.id);
  await app.features.leads.scores.scoreDue(root.id);
  expect((await lead(id)).score).toBe(70);
  const left = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
    tx.selectFrom('lead').select('id').where('score_due_at', 'is not', null).execute(),
  );
  expect(left).toEqual([]);
});

test('[BEY-17] a company has one preview made at a time, and a few wait', async () => {
  const campaign = await app.make.campaign(client, {});
  await app.admin.query('begin');
  await app.admin.query('lock table lead');
  let refused = 0;
  const all = Array.from({ length: 12 }, async () => {
    const { status } = await app.call('POST', '/api/leadspeek/report/lead/score-preview', {
      host: HOST,
      token,
      body: { leadspeekID: campaign.id },
    });
    if (status === 429) refused++;
    return status;
  });
  await vi.waitFor(() => expect(refused).toBe(6), { timeout: 10_000 });
  await app.admin.query('commit');
  expect((await Promise.all(all)).filter((status) => status === 200)).toHaveLength(6);
});
