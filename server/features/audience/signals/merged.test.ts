import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ManualClock } from '../../../platform/clock.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { runs } from '../../../test/runs.ts';
import { TOLD, WHOLE } from './policy.ts';

const USD = 1_000_000n;
let app: TestApp;
let clock: ManualClock;
let serial = 0;

beforeAll(async () => {
  Object.assign(TOLD, { least: 0, step: 1 });
  clock = new ManualClock(new Date('2026-03-10T15:00:00Z'));
  app = await testApp({ clock });
});
afterAll(() => {
  Object.assign(TOLD, WHOLE);
  return app.close();
});

async function world() {
  serial++;
  const rootHost = `r${serial}.im.test`;
  const host = `a${serial}.im.test`;
  const root = await app.make.root({ host: rootHost });
  const client = await app.make.client(await app.make.agency(root, { host }));
  await app.make.user(root, { email: `r${serial}@im.test`, password: PASSWORD });
  await app.make.user(client, { email: `c${serial}@im.test`, password: PASSWORD });
  const rootToken = await app.signIn(`r${serial}@im.test`, rootHost);
  const token = await app.signIn(`c${serial}@im.test`, host);
  return {
    root,
    client,
    asRoot: (url: string, body: unknown) =>
      app.call('POST', `/api/identity${url}`, { host: rootHost, token: rootToken, body }),
    asClient: (method: 'GET' | 'POST', url: string, body?: unknown) =>
      app.call(method, `/api${url}`, { host, token, ...(body ? { body } : {}) }),
  };
}
type World = Awaited<ReturnType<typeof world>>;

async function signals(root: Company, rows: { email: string; hours: number }[]): Promise<void> {
  const lines = rows.map(
    ({ email, hours }) =>
      `${email},running shoes,${new Date(clock.now().getTime() - hours * 3_600_000).toISOString()}`,
  );
  const imports = app.features.people.files;
  const { id } = await imports.add(
    root.id,
    's.csv',
    (async function* () {
      yield Buffer.from(`email,keyword,time\n${lines.join('\n')}\n`);
    })(),
    { kind: 'signals' },
  );
  await imports.queue(root.id, id, {});
  expect(await imports.run(root.id, id)).toMatchObject({ state: 'done', rows_bad: 0n });
}

async function count(
  at: World,
  leadspeekID?: string,
): Promise<{ count: number; waterfall: { deliverable: number } }> {
  const asked = await at.asClient('POST', '/bigdbm/services/queuecount', {
    target_location: 'National Targeting',
    keyword: 'running shoes',
    ...(leadspeekID ? { leadspeekID } : {}),
  });
  const { id } = asked.body.data as unknown as { id: string };
  await app.features.signals.counts.run(at.root.id, id);
  return (await at.asClient('GET', `/bigdbm/services/getcountcampaign/${id}`)).body as never;
}

/** Does what the queued job would do for a campaign. */
const catchUp = (at: World, campaignId: string) =>
  app.features.signals.delivery.catchUp(at.root.id, campaignId);
const queued = async (campaignId: string): Promise<number> =>
  (
    await app.admin.query(
      `select count(*)::int as n from pgboss.job where name = 'intent.catch_up' and data ->> 'campaignId' = $1`,
      [campaignId],
    )
  ).rows[0].n;
const leads = async (campaignId: string): Promise<string[]> =>
  (
    await app.admin.query(
      'select x.email from lead l join lead_contact x on x.lead_id = l.id where l.campaign_id = $1 order by 1',
      [campaignId],
    )
  ).rows.map((row) => row.email);

const person = (n: number) => ({ ...app.make.person(), email: `p${n}@x.example`, last_name: `P${n}` });
const idsOf = async (at: World): Promise<string[]> =>
  (
    await app.admin.query('select id from person where root_id = $1 order by last_name', [at.root.id])
  ).rows.map((row) => row.id);

test('[BEY-05] the signals of two who are merged are one person’s: counted once, judged together, delivered once', async () => {
  const at = await world();
  await app.make.people(at.root, [person(0), person(1)]);
  const [a, b] = (await idsOf(at)) as [string, string];
  const campaign = await app.make.campaign(at.client, {
    price: USD,
    balance: 100n * USD,
    min_confidence: 99,
    search: { location: 'national', keywords: ['running shoes'] },
  });
  await signals(at.root, [
    { email: 'p0@x.example', hours: 1 },
    { email: 'p1@x.example', hours: 2 },
  ]);
  await app.features.signals.delivery.run(at.root.id);
  // One signal each is 98 % sure, which is not enough; both together are enough.
  expect(await leads(campaign.id)).toEqual([]);
  const { body } = await at.asRoot('/merges', { kept: a, absorbed: b });
  expect(await queued(campaign.id)).toBeGreaterThan(0);
  expect(await count(at)).toMatchObject({ count: 1 });
  await catchUp(at, campaign.id);
  expect(await leads(campaign.id)).toEqual(['p0@x.example']);
  const { rows } = await app.admin.query('select evidence from lead where campaign_id = $1', [campaign.id]);
  expect(rows[0].evidence).toMatchObject({ signal_count: 2, signals: [{}, {}] });
  // A signal of the absorbed person makes no second lead.
  clock.advance(60_000);
  await signals(at.root, [{ email: 'p1@x.example', hours: 0 }]);
  await app.features.signals.delivery.run(at.root.id);
  expect(await leads(campaign.id)).toHaveLength(1);
  const { id } = body.data as unknown as { id: string };
  await at.asRoot(`/merges/${id}/undo`, {});
  expect(await count(at)).toMatchObject({ count: 2 });
});

test('[BEY-05] [BEY-09] with people merged at random, before or after they were found, the count is what is delivered', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ who: fc.nat({ max: 5 }), hours: fc.integer({ min: 1, max: 170 }) }), {
        minLength: 1,
        maxLength: 12,
      }),
      fc.array(fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 5 })), { maxLength: 5 }),
      // How far the work has progressed when the merges come.
      fc.constantFrom('nothing', 'packed', 'unpacked'),
      async (said, pairs, before) => {
        const at = await world();
        await app.make.people(
          at.root,
          Array.from({ length: 6 }, (_, n) => person(n)),
        );
        const ids = await idsOf(at);
        const campaign = await app.make.campaign(at.client, {
          price: USD,
          balance: 100n * USD,
          min_confidence: 90,
          search: { location: 'national', keywords: ['running shoes'] },
        });
        await signals(
          at.root,
          said.map(({ who, hours }) => ({ email: `p${who}@x.example`, hours })),
        );
        const { delivery } = app.features.signals;
        if (before !== 'nothing') await delivery.matchNew(at.root.id);
        if (before === 'unpacked') await delivery.unpack(at.root.id);
        for (const [kept, absorbed] of pairs)
          await at.asRoot('/merges', { kept: ids[kept], absorbed: ids[absorbed] });
        const { waterfall } = await count(at, campaign.id);
        await delivery.run(at.root.id);
        await catchUp(at, campaign.id);
        expect((await leads(campaign.id)).length).toBe(waterfall.deliverable);
        const { rows } = await app.admin.query(
          `select count(distinct coalesce(m.top_id, s.person_id))::int as n from signal s
           left join person_merge m on m.person_id = s.person_id and m.undone_at is null where s.root_id = $1 and s.at > $2`,
          [at.root.id, new Date(clock.now().getTime() - 7 * 86_400_000)],
        );
        expect((await count(at)).count).toBe(rows[0].n);
      },
    ),
    { numRuns: runs(15), endOnFailure: true },
  );
});
