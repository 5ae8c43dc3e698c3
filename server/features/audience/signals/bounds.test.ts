import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../platform/clock.ts';
import { inScope } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign, MadePerson } from '../../../test/factories.ts';
import { startSignals } from './jobs.ts';
import { WAIT_MS } from './policy.ts';
import type { Signals } from './service.ts';

// Cases where a campaign ends in the middle of processing: its dates, limits and money, and how much it may look for.

const USD = 1_000_000n;
const PEOPLE = 7;
let app: TestApp;
let clock: ManualClock;
let root: Company;
let agency: Company;
let client: Company;
let people: MadePerson[];
let host: string;
let serial = 0;

beforeAll(async () => {
  clock = new ManualClock('2026-03-10T15:00:00Z');
  app = await testApp({ clock });
});
afterAll(() => app.close());
beforeEach(async () => {
  host = `b${++serial}.bounds.test`;
  clock.advance(Date.parse('2026-03-10T15:00:00Z') - clock.now().getTime());
  await app.features.visits.keepPartitions();
  root = await app.make.root();
  agency = await app.make.agency(root, { host });
  client = await app.make.client(agency, { timeZone: 'America/Chicago' });
  people = Array.from({ length: PEOPLE }, () => app.make.person());
  await app.make.people(root, people);
});

/** Brings people to a campaign and processes them, all in one batch: as visitors of its site, or by their signals. */
const WAYS = {
  visits: {
    search: {},
    bring: async (campaign: MadeCampaign, who: MadePerson[]) => {
      for (const { email } of who) await app.make.visit(campaign, { email });
    },
    work: () => app.features.leads.resolver.resolveAll(),
    found: (campaign: MadeCampaign) => tally('select outcome from visit where campaign_id = $1', campaign),
  },
  signals: {
    search: { search: { keywords: ['boots'] } },
    bring: async (_: MadeCampaign, who: MadePerson[]) => {
      const at = new Date(clock.now().getTime() - 60_000).toISOString();
      const file = `email,keyword,time\n${who.map(({ email }) => `${email},boots,${at}`).join('\n')}\n`;
      const { files } = app.features.people;
      const { id } = await files.add(root.id, 's.csv', once(file), { kind: 'signals' });
      await files.queue(root.id, id, {});
      expect((await files.run(root.id, id))!.rows_added).toBe(BigInt(who.length));
    },
    work: () => app.features.signals.delivery.run(root.id),
    found: (campaign: MadeCampaign) =>
      tally('select outcome from intent_candidate where campaign_id = $1', campaign),
  },
};
const ways = Object.entries(WAYS) as [keyof typeof WAYS, (typeof WAYS)['visits']][];

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

/** Returns how many there are of each outcome; those without an outcome are waiting. */
async function tally(text: string, campaign: MadeCampaign): Promise<Record<string, number>> {
  const { rows } = await app.admin.query<{ outcome: string | null }>(text, [campaign.id]);
  return Object.fromEntries(
    Object.entries(Object.groupBy(rows, (row) => row.outcome ?? 'waiting')).map(([word, of]) => [
      word,
      of!.length,
    ]),
  );
}
const leads = async ({ id }: MadeCampaign): Promise<number> =>
  (await app.admin.query('select from lead where campaign_id = $1', [id])).rows.length;
const stateOf = async ({ id }: MadeCampaign) => {
  const { rows } = await app.admin.query('select state, state_reason from campaign where id = $1', [id]);
  return [rows[0].state, rows[0].state_reason];
};
/** Returns the outcome of a visit that comes too late; a signal's person waits. */
const late = (way: string, word: string): string => (way === 'signals' ? 'waiting' : word);

describe.each(ways)('[CAMP-06] %s, of whom the batch has more than the campaign takes', (name, way) => {
  test('the limit of leads a day: so many, and no more', async () => {
    const campaign = await app.make.campaign(client, { ...way.search, dailyCap: 3 });
    await way.bring(campaign, people);
    await way.work();
    expect(await way.found(campaign)).toEqual({ lead: 3, [late(name, 'daily_cap')]: 4 });
    expect([await leads(campaign), ...(await stateOf(campaign))]).toEqual([3, 'active', null]);
  });

  test('the balance: what it pays for, then the campaign is paused and says why', async () => {
    const campaign = await app.make.campaign(client, { ...way.search, price: 2n * USD, balance: 7n * USD });
    await way.bring(campaign, people);
    await way.work();
    expect(await way.found(campaign)).toEqual({ lead: 3, [late(name, 'balance_empty')]: 4 });
    expect([await leads(campaign), ...(await stateOf(campaign))]).toEqual([3, 'paused', 'balance_empty']);
  });

  test.each([
    ['campaign', 'campaign'],
    ['client', 'client'],
  ] as const)('the spending limit of the %s: up to it', async (_, subject) => {
    const campaign = await app.make.campaign(client, { ...way.search, price: 2n * USD, balance: 100n * USD });
    await app.admin.query(
      `insert into cap (id, root_id, agency_id, company_id, subject, subject_id, period, set_by, hard_micros, updated_at)
       values (gen_random_uuid(), $1, $2, $3, $4, $5, 'day', 'agency', 7000000, $6)`,
      [root.id, agency.id, client.id, subject, subject === 'client' ? client.id : campaign.id, clock.now()],
    );
    await way.bring(campaign, people);
    await way.work();
    expect(await way.found(campaign)).toEqual({ lead: 3, [late(name, `cap_${subject}`)]: 4 });
    expect([await leads(campaign), ...(await stateOf(campaign))]).toEqual([3, 'paused', `cap_${subject}`]);
  });

  test('the last day: who comes before midnight of the client, and no one who is judged after', async () => {
    const campaign = await app.make.campaign(client, way.search);
    await app.admin.query(`update campaign set ends_on = '2026-03-10' where id = $1`, [campaign.id]);
    clock.advance(Date.parse('2026-03-11T04:59:59.999Z') - clock.now().getTime());
    await way.bring(campaign, people.slice(0, 3));
    await way.work();
    expect(await way.found(campaign)).toEqual({ lead: 3 });
    await way.bring(campaign, people.slice(3));
    clock.advance(1);
    await way.work();
    expect(await way.found(campaign)).toEqual({ lead: 3, [late(name, 'outside_dates')]: 4 });
    expect(await leads(campaign)).toBe(3);
  });

  test('the first day: no one before it begins where the client is', async () => {
    const campaign = await app.make.campaign(client, way.search);
    await app.admin.query(`update campaign set starts_on = '2026-03-11' where id = $1`, [campaign.id]);
    clock.advance(Date.parse('2026-03-11T04:59:59.999Z') - clock.now().getTime());
    await way.bring(campaign, people.slice(0, 3));
    await way.work();
    expect(await way.found(campaign)).toEqual({ [late(name, 'outside_dates')]: 3 });
    clock.advance(1);
    await way.bring(campaign, people.slice(3));
    await way.work();
    expect(await leads(campaign)).toBe(4);
    // People who waited are checked again half an hour later.
    clock.advance(30 * 60_000);
    await way.work();
    expect(await leads(campaign)).toBe(name === 'signals' ? 7 : 4);
  });
});

describe('one that fails whenever it is worked on', () => {
  /** Whatever row this is true for cannot be changed. Returns what mends that. */
  async function breakRows(table: string, when: string): Promise<() => Promise<unknown>> {
    await app.admin.query(`create function broken() returns trigger language plpgsql as $$
      begin raise numeric_value_out_of_range; end $$`);
    await app.admin.query(
      `create trigger broken before update on ${table} for each row when (${when}) execute function broken()`,
    );
    return () => app.admin.query('drop function broken cascade');
  }

  test('is set aside as a visit, while all others become leads, and tried again later', async () => {
    const campaign = await app.make.campaign(client, {});
    await WAYS.visits.bring(campaign, people);
    const { rows } = await app.admin.query(
      'select day::text, event_id from visit where campaign_id = $1 order by received_at, event_id',
      [campaign.id],
    );
    const { day, event_id: eventId } = rows[3];
    const mend = await breakRows('visit', `new.event_id = '${eventId}' and new.outcome <> 'failed'`);
    const again = () => app.features.leads.resolver.again({ rootId: root.id, day, eventId });
    await WAYS.visits.work();
    expect(await WAYS.visits.found(campaign)).toEqual({ lead: PEOPLE - 1, failed: 1 });
    const counted = async () =>
      (
        await app.admin.query(
          `select sum(visits)::int as visits, sum(leads)::int as leads,
             (select sum(count)::int from campaign_refusal where campaign_id = $1 and reason = 'failed') as failed
           from campaign_hour where campaign_id = $1`,
          [campaign.id],
        )
      ).rows[0];
    expect(await counted()).toEqual({ visits: PEOPLE, leads: PEOPLE - 1, failed: 1 });
    await expect(again()).rejects.toThrow('numeric_value_out_of_range');
    const waiting = await app.admin.query(
      `select data - 'traceparent' as data from pgboss.job where name = 'visits.resolve_again' and start_after > $1`,
      [clock.now()],
    );
    expect(waiting.rows).toEqual([{ data: { rootId: root.id, day, eventId } }]);
    await mend();
    await again();
    await again();
    expect(await WAYS.visits.found(campaign)).toEqual({ lead: PEOPLE });
    expect(await counted()).toEqual({ visits: PEOPLE, leads: PEOPLE, failed: 1 });
  });

  test('waits as a candidate, while all others become leads', async () => {
    const campaign = await app.make.campaign(client, WAYS.signals.search);
    await WAYS.signals.bring(campaign, people);
    await app.features.signals.delivery.matchNew(root.id);
    await app.features.signals.delivery.unpack(root.id);
    const { rows } = await app.admin.query(
      'select person_id as id from intent_candidate where campaign_id = $1 order by person_id',
      [campaign.id],
    );
    const mend = await breakRows(
      'intent_candidate',
      `new.person_id = '${rows[3].id}' and new.outcome is not null`,
    );
    await WAYS.signals.work();
    expect(await WAYS.signals.found(campaign)).toEqual({ lead: PEOPLE - 1, waiting: 1 });
    expect(await app.features.signals.delivery.hasWork(root.id)).toBe(false);
    await mend();
    clock.advance(WAIT_MS);
    await WAYS.signals.work();
    expect(await WAYS.signals.found(campaign)).toEqual({ lead: PEOPLE });
  });

  test('keeps its score for an hour as a lead, while all others get theirs', async () => {
    const campaign = await app.make.campaign(client, {});
    await WAYS.visits.bring(campaign, people);
    await WAYS.visits.work();
    const { rows } = await app.admin.query('select id from lead where campaign_id = $1 order by id', [
      campaign.id,
    ]);
    const mend = await breakRows(
      'lead',
      `new.id = '${rows[3].id}' and new.score_details is distinct from old.score_details`,
    );
    const due = async () => {
      await app.admin.query(`update lead set score_due_at = $2 where campaign_id = $1`, [
        campaign.id,
        clock.now(),
      ]);
    };
    await due();
    clock.advance(2 * 86_400_000);
    await app.features.leads.scores.scoreDue(root.id);
    const left = async () =>
      (
        await app.admin.query(
          'select id, score_due_at as at from lead where campaign_id = $1 and score_due_at <= $2',
          [campaign.id, new Date(clock.now().getTime() + 3_600_000)],
        )
      ).rows;
    expect(await left()).toEqual([{ id: rows[3].id, at: new Date(clock.now().getTime() + 3_600_000) }]);
    await mend();
    clock.advance(3_600_000);
    await app.features.leads.scores.scoreDue(root.id);
    expect(await left()).toEqual([]);
  });
});

describe('[CAMP-06] a limit of one lead a day, by the days of the client', () => {
  test.each([
    ['America/Chicago, a day of 23 hours', 'America/Chicago', '2026-03-08T06:00Z', '2026-03-09T05:00Z'],
    ['America/Chicago, a day of 25 hours', 'America/Chicago', '2026-11-01T05:00Z', '2026-11-02T06:00Z'],
    ['Asia/Kolkata, half an hour off', 'Asia/Kolkata', '2026-03-09T18:30Z', '2026-03-10T18:30Z'],
    ['America/Santiago, without a midnight', 'America/Santiago', '2026-09-06T04:00Z', '2026-09-07T03:00Z'],
    ['America/Santiago, an hour twice', 'America/Santiago', '2026-04-04T03:00Z', '2026-04-05T04:00Z'],
    ['Africa/Cairo, without a midnight', 'Africa/Cairo', '2026-04-23T22:00Z', '2026-04-24T21:00Z'],
    ['Africa/Cairo, an hour twice', 'Africa/Cairo', '2026-10-28T21:00Z', '2026-10-29T22:00Z'],
  ])('%s', async (_, timeZone, from, to) => {
    const own = await app.make.client(agency, { timeZone });
    const site = await app.make.campaign(own, { dailyCap: 1 });
    const search = await app.make.campaign(own, { dailyCap: 1, search: { keywords: ['boots'] } });
    const others = people.map(() => app.make.person());
    await app.make.people(root, others);
    const came: [string, number, number][] = [];
    const at = async (instant: number, n: number) => {
      clock.advance(instant - clock.now().getTime());
      await app.features.visits.keepPartitions();
      await app.features.people.keepSignals();
      await WAYS.visits.bring(site, people.slice(n, n + 2));
      await WAYS.visits.work();
      await WAYS.signals.bring(search, others.slice(n, n + 1));
      await WAYS.signals.work();
      came.push([new Date(instant).toISOString(), await leads(site), await leads(search)]);
    };
    const [begin, end] = [Date.parse(from), Date.parse(to)];
    await at(begin - 1, 0);
    await at(begin, 1);
    await at(end - 1, 2);
    await at(end, 3);
    expect(came.map(([, ...numbers]) => numbers)).toEqual([
      [1, 1],
      [2, 2],
      [2, 2],
      [3, 3],
    ]);
  });
});

describe('[KEYW-02] floods', () => {
  const call = async (path: string, body: object) => {
    await app.make.user(client, { email: `c${serial}@bounds.test`, password: PASSWORD });
    return app.call('POST', `/api${path}`, {
      host,
      token: await app.signIn(`c${serial}@bounds.test`, host),
      body,
    });
  };
  const keywords = (n: number) => Array.from({ length: n }, (_, i) => `boots ${i}`);
  const zips = (n: number) => Array.from({ length: n }, (_, i) => String(10_001 + i));
  const flood = (words: string[], codes: string[]) => ({
    campaignName: 'Flood',
    leadspeekType: 'locator',
    locatorkeyword: words.join('\n'),
    locationtarget: 'Zip Code',
    locatorzip: codes.join('\n'),
  });

  test.each([
    [
      '1,001 keywords',
      flood(keywords(1001), zips(1)),
      'locatorkeyword',
      'has 1001 keywords. Up to 1000 are allowed',
    ],
    [
      '40,001 zip codes',
      flood(keywords(1), zips(40_001)),
      'locatorzip',
      'has 40001 zip codes. Up to 40000 are allowed',
    ],
    [
      'a text of keywords with no expiration date',
      flood(['boots '.repeat(60_000)], zips(1)),
      'locatorkeyword',
      'must not exceed 300000 characters',
    ],
    [
      'a text of zip codes with no expiration date',
      flood(keywords(1), zips(89_000)),
      'locatorzip',
      'must not exceed 500000 characters',
    ],
  ])('%s are refused by the limit’s name', async (_, body, field, rule) => {
    const answer = await call('/leadspeek/client/create', body);
    expect([answer.status, answer.body.errors]).toEqual([422, { [field]: [rule] }]);
  });

  test('1,000 keywords and 40,000 zip codes on one campaign find whom they should, each once', async () => {
    const made = await call('/leadspeek/client/create', flood(keywords(1000), zips(40_000)));
    expect([made.status, made.body.message]).toEqual([200, expect.any(String)]);
    const { leadspeekID } = made.body.data as unknown as { leadspeekID: string };
    // A page of a hundred such campaigns stays small.
    const list = await app.call('GET', '/api/leadspeek/client/list', {
      host,
      token: await app.signIn(`c${serial}@bounds.test`, host),
    });
    const listed = (list.body.data as unknown as { keyword_preview: string }[])[0]!;
    expect(listed.keyword_preview).toMatch(/^boots 0, boots 1, /);
    expect(JSON.stringify(listed).length).toBeLessThan(5000);
    const { rows } = await app.admin.query(
      `select (select count(*)::int from campaign_keyword where campaign_id = $1) as keywords,
              (select count(*)::int from campaign_place where campaign_id = $1) as places`,
      [leadspeekID],
    );
    expect(rows[0]).toEqual({ keywords: 1000, places: 40_000 });
    await app.admin.query(`update campaign set state = 'active' where id = $1`, [leadspeekID]);
    const at = clock.now().toISOString();
    const row = (person: number, keyword: string, zip: string) =>
      `${people[person]!.email},${keyword},${zip},${at}`;
    const file = [
      'email,keyword,zip,time',
      row(0, 'boots 999', '50000'),
      row(0, 'boots 1', '10001'),
      row(1, 'red boots 500 sale', '10001'),
      row(2, 'boots 1000', '10001'), // no keyword of the campaign
      row(3, 'boots 999', '50001'), // no place of it
      row(4, 'boots 0', ''),
    ].join('\n');
    const { files } = app.features.people;
    const { id } = await files.add(root.id, 's.csv', once(`${file}\n`), { kind: 'signals' });
    await files.queue(root.id, id, {});
    await files.run(root.id, id);
    await app.features.signals.delivery.matchNew(root.id);
    await app.features.signals.delivery.unpack(root.id);
    const found = await app.admin.query(
      `select p.email, c.signals from intent_candidate c join person p on p.root_id = c.root_id and p.id = c.person_id
       where c.campaign_id = $1 order by c.signals desc`,
      [leadspeekID],
    );
    expect(found.rows).toEqual([
      { email: people[0]!.email, signals: 2 },
      { email: people[1]!.email, signals: 1 },
    ]);
  });

  test('a keyword that thousands of terms hold counts each person once', async () => {
    const at = clock.now().toISOString();
    const lines = Array.from(
      { length: 6000 },
      (_, i) => `${people[i % PEOPLE]!.email},boots kind ${i},TX,${at}`,
    );
    const { files } = app.features.people;
    const { id } = await files.add(
      root.id,
      's.csv',
      once(`email,keyword,state,time\n${lines.join('\n')}\n`),
      {
        kind: 'signals',
      },
    );
    await files.queue(root.id, id, {});
    expect((await files.run(root.id, id))!.rows_added).toBe(6000n);
    const campaign = await app.make.campaign(client, {
      search: { keywords: ['boot', 'kind', ...keywords(998)], location: 'state', states: ['TX'] },
    });
    await app.features.signals.delivery.matchNew(root.id);
    await app.features.signals.delivery.unpack(root.id);
    const { rows } = await app.admin.query<{ signals: number }>(
      'select signals from intent_candidate where campaign_id = $1 order by 1',
      [campaign.id],
    );
    expect(rows.map((one) => one.signals)).toEqual([857, 857, 857, 857, 857, 857, 858]);
  });
});

describe('[BEY-31] a campaign that found more people than its limit', () => {
  const due = async (campaign: MadeCampaign): Promise<Set<string>> =>
    new Set(
      (
        await app.admin.query<{ person_id: string }>(
          'select person_id from intent_candidate where campaign_id = $1 and retry_at <= $2 and outcome is null',
          [campaign.id, clock.now()],
        )
      ).rows.map((row) => row.person_id),
    );
  const leadsIn = async (campaign: MadeCampaign) => (await WAYS.signals.found(campaign)).lead ?? 0;

  test('holds up no one: its people are left as they are until it is asked again, and those of others are judged', async () => {
    const search = { search: { keywords: ['boots'] } };
    const capped = await app.make.campaign(client, { ...search, dailyCap: 1 });
    await WAYS.signals.bring(capped, people);
    await app.features.signals.delivery.matchNew(root.id);
    await app.features.signals.delivery.unpack(root.id);
    await app.admin.query(
      `insert into intent_candidate (campaign_id, person_id, root_id, agency_id, company_id, terms, signals, strength, last_at, retry_at, created_at)
       select $1, gen_random_uuid(), $2, $3, $4, '{1}', 1, 98, $5, $5, $5 from generate_series(1, 2000)`,
      [capped.id, root.id, agency.id, client.id, clock.now()],
    );
    await app.admin.query(
      `update intent_candidate set retry_at = retry_at - interval '1 minute'
       where campaign_id = $1 and person_id in (select id from person where root_id = $2)`,
      [capped.id, root.id],
    );
    clock.advance(1000);
    await WAYS.signals.work();
    expect(await leadsIn(capped)).toBe(1);
    const left = await due(capped);
    expect(left.size).toBe(2000 + PEOPLE - 500);

    const other = await app.make.campaign(await app.make.client(agency), search);
    clock.advance(1000);
    await app.features.signals.delivery.catchUp(root.id, other.id);
    expect([await leadsIn(other), await leadsIn(capped)]).toEqual([PEOPLE, 1]);
    expect(await due(capped)).toEqual(left);
    expect(await app.features.signals.delivery.hasWork(root.id)).toBe(false);

    // Half an hour later, it is asked again; when it is started, at once.
    clock.advance(WAIT_MS);
    expect(await app.features.signals.delivery.hasWork(root.id)).toBe(true);
    await WAYS.signals.work();
    expect((await due(capped)).size).toBeLessThan(left.size);
    await app.admin.query('update campaign set daily_cap = 3 where id = $1', [capped.id]);
    await WAYS.signals.work();
    expect(await leadsIn(capped)).toBe(1);
    await app.features.signals.delivery.catchUp(root.id, capped.id);
    expect(await leadsIn(capped)).toBe(3);
  });

  test('searches again in turn with those of other agencies, and not because nothing has changed', async () => {
    const search = (...keywords: string[]) => ({ keywords });
    const first = await app.make.campaign(client, { search: search('boots') });
    const second = await app.make.campaign(client, { search: search('boots') });
    const elsewhere = await app.make.client(await app.make.agency(root));
    const other = await app.make.campaign(elsewhere, { search: search('boots') });
    await app.admin.query(`delete from pgboss.job where name = 'intent.catch_up'`);
    const aim = async (campaign: MadeCampaign, keywords: string[]) =>
      inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
        const { campaigns } = app.features;
        const row = (await campaigns.visible(tx, campaign.id))!;
        const { location, states, cities, zips } = (await campaigns.targets(tx, [row.id])).get(row.id)!;
        await campaigns.aim(tx, row, { location, states, cities, zips, keywords });
      });
    const waiting = async () =>
      (
        await app.admin.query(
          `select data ->> 'campaignId' as id from pgboss.job where name = 'intent.catch_up' and state < 'active'
           order by priority desc, created_on`,
        )
      ).rows.map((row) => row.id);
    for (let i = 0; i < 5; i++) await aim(first, ['boots']);
    expect(await waiting()).toEqual([]);
    for (let i = 0; i < 30; i++) await aim(first, [`boots ${i}`]);
    await aim(second, ['hats']);
    await aim(other, ['hats']);
    expect(await waiting()).toEqual([first.id, other.id, second.id]);
    // One that is being done has read what it searches for: a later change is searched for again.
    await app.admin.query(
      `update pgboss.job set state = 'active' where name = 'intent.catch_up' and data ->> 'campaignId' = $1`,
      [first.id],
    );
    await aim(first, ['socks']);
    expect(await waiting()).toContain(first.id);
  });

  test('one root that fails holds up no other', async () => {
    const handlers = new Map<string, (payload: object) => Promise<unknown>>();
    const asked: string[] = [];
    const signals = {
      counts: {},
      delivery: {
        hasWork: async () => true,
        run: async (id: string) => {
          asked.push(id);
          if (asked.length === 1) throw new Error('a statement took too long');
        },
      },
    } as unknown as Signals;
    const jobs = {
      work: async (kind: { name: string }, _: object, handler: (payload: object) => Promise<unknown>) =>
        void handlers.set(kind.name, handler),
      schedule: async () => {},
    };
    await startSignals(signals, app.features.tenants, { ...app.platform, jobs } as unknown as Platform);
    const roots = await app.features.tenants.roots();
    expect(roots.length).toBeGreaterThan(1);
    await expect(handlers.get('intent.match')!({})).rejects.toThrow('took too long');
    expect(asked).toEqual(roots);
  });
});
