import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../platform/clock.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadePerson } from '../../../test/factories.ts';
import { runs } from '../../../test/runs.ts';
import { mailsTo } from '../../../test/ways-in.ts';
import { ANYBODY, type Audience, type Search, type SearchModule } from '../../campaigns/campaigns/index.ts';
import { TOLD, WHOLE } from './policy.ts';
import { MOST_STARTS } from './queue.ts';

const START = Date.parse('2026-03-10T15:00:00Z');
let app: TestApp;
let clock: ManualClock;
let root: Company;
let agency: Company;
let client: Company;
let token: string;
const HOST = 'intent.test';
let serial = 0;

beforeAll(async () => {
  // What these tests show, they show with a few people. How counts are told has a test of its own.
  Object.assign(TOLD, { least: 0, step: 1 });
  clock = new ManualClock(new Date(START));
  app = await testApp({ clock });
});
afterAll(() => {
  Object.assign(TOLD, WHOLE);
  return app.close();
});
beforeEach(async () => {
  serial++;
  root = await app.make.root();
  agency = await app.make.agency(root, { host: `a${serial}.${HOST}` });
  client = await app.make.client(agency);
  await app.make.user(client, { email: `c${serial}@intent.test`, name: 'Casey Client', password: PASSWORD });
  token = await app.signIn(`c${serial}@intent.test`, `a${serial}.${HOST}`);
});

interface Said {
  person: MadePerson;
  keyword: string;
  place?: [state: string, city: string, zip: string];
  hours?: number;
}

async function signals(rows: Said[]): Promise<void> {
  const cells = rows.map(({ person, keyword, place = ['', '', ''], hours = 1 }) =>
    [
      person.email,
      `"${keyword}"`,
      ...place,
      `https://site.example/${encodeURIComponent(keyword)}`,
      new Date(clock.now().getTime() - hours * 3_600_000).toISOString(),
    ].join(','),
  );
  const text = `email,keyword,state,city,zip,url,time\n${cells.join('\n')}\n`;
  const imports = app.features.people.files;
  const { id } = await imports.add(root.id, 's.csv', bytes(text), { kind: 'signals' });
  await imports.queue(root.id, id, {});
  const row = await imports.run(root.id, id);
  expect([row!.state, row!.rows_bad]).toEqual(['done', 0n]);
}
/** Adds import batches without content, before whatever comes next. */
const emptyBatches = (many: number) =>
  app.admin.query(
    `insert into signal_batch (root_id, company_id, import_id, signals, created_at)
     select $1, $1, gen_random_uuid(), 0, $2 from generate_series(1, $3::int)`,
    [root.id, clock.now(), many],
  );

async function* bytes(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

const call = (method: 'GET' | 'POST' | 'PUT', url: string, body?: unknown) =>
  app.call(method, `/api${url}`, { host: `a${serial}.${HOST}`, token, ...(body ? { body } : {}) });

/** Requests a count and makes it. */
async function count(body: Record<string, unknown>) {
  const asked = await call('POST', '/bigdbm/services/queuecount', body);
  expect([asked.status, asked.body.message]).toEqual([
    200,
    'The count is queued. You will get an email when it is done.',
  ]);
  const { id } = asked.body.data as unknown as { id: string };
  await app.features.signals.counts.run(root.id, id);
  return (await call('GET', `/bigdbm/services/getcountcampaign/${id}`)).body as unknown as {
    id: string;
    status: string;
    count: number;
    count_without_geo: number;
    waterfall: Record<string, number>;
  };
}

const leadsOf = async (campaignId: string) =>
  (
    await app.admin.query(
      `select x.email, l.confidence, l.match_kind, l.evidence from lead l join lead_contact x on x.lead_id = l.id
       where l.campaign_id = $1 order by x.email`,
      [campaignId],
    )
  ).rows as {
    email: string;
    confidence: number;
    match_kind: number;
    evidence: { signals: Record<string, unknown>[]; signal_count: number };
  }[];

const TX: Said['place'] = ['TX', 'Austin', '78701'];
const DALLAS: Said['place'] = ['TX', 'Dallas', '75201'];
const LA: Said['place'] = ['LA', 'New Orleans', '70116'];

describe('[KEYW-01] counts', () => {
  test('people of the last seven days by phrase and stem, everywhere and in the place; the waterfall says who is left', async () => {
    const people = Array.from({ length: 8 }, () => app.make.person());
    const [a, b, c, d, e, f, g, h] = people as [
      MadePerson,
      MadePerson,
      MadePerson,
      MadePerson,
      MadePerson,
      MadePerson,
      MadePerson,
      MadePerson,
    ];
    delete (h as Partial<MadePerson>).address;
    await app.make.people(root, people);
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.exclusions.addList(
        tx,
        {
          owner: { root_id: root.id, agency_id: null, company_id: root.id },
          ownerId: root.id,
          level: 'root',
          name: 'x',
          lines: [b.email],
        },
        clock.now(),
      ),
    );
    await signals([
      { person: a, keyword: 'best running shoes', place: TX },
      { person: a, keyword: 'Running Shoe', place: LA, hours: 5 },
      { person: b, keyword: 'running shoes', place: TX },
      { person: c, keyword: 'running shoes', place: LA },
      { person: d, keyword: 'shoes for running', place: TX },
      { person: e, keyword: 'running shoes', place: TX, hours: 7 * 24 + 1 },
      { person: f, keyword: 'trail shoes', place: DALLAS },
      { person: g, keyword: 'running shoes' },
      { person: h, keyword: 'running shoes', place: DALLAS, hours: 50 },
    ]);
    const keyword = 'running shoe\nTrail shoes';
    expect(await count({ target_location: 'National Targeting', keyword })).toMatchObject({
      status: 'done',
      count: 6,
      count_without_geo: 6,
    });
    expect(await count({ target_location: 'State', states: ['TX'], keyword })).toMatchObject({
      count: 4,
      count_without_geo: 6,
      waterfall: {
        signals: 6,
        in_audience: 6,
        placed: 4,
        not_excluded: 3,
        not_customers: 3,
        contactable: 3,
        sure_enough: 3,
        not_delivered: 3,
        deliverable: 3,
      },
    });
    expect(
      await count({ target_location: 'State', states: ['TX', 'LA'], cities: ['Austin, TX'], keyword }),
    ).toMatchObject({ count: 3 });
    expect(await count({ target_location: 'Zip Code', zip_code: '75201\n70116', keyword })).toMatchObject({
      count: 4,
      count_without_geo: 6,
    });
    expect(await count({ target_location: 'State', states: ['NY'], keyword })).toMatchObject({
      count: 0,
      count_without_geo: 6,
    });
    const { rows: mails } = await app.admin.query(
      `select kind, to_name, subject, from_name from mail where kind = 'count.done' and root_id = $1`,
      [root.id],
    );
    expect(mails.length).toBe(5);
    expect(mails[0]).toMatchObject({ to_name: 'Casey Client', subject: 'Your keyword count is ready' });
  });

  test('[BEY-30] a count says nothing of one person: not by a search for them, nor by a list of their address', async () => {
    Object.assign(TOLD, WHOLE);
    try {
      const people = Array.from({ length: 24 }, () => app.make.person());
      await app.make.people(root, people);
      await signals([
        ...people.map((person) => ({ person, keyword: 'boots', place: TX })),
        { person: people[0]!, keyword: 'yurt repair', place: LA },
      ]);
      const boots = { target_location: 'National Targeting', keyword: 'boots', tell: 'F' };
      const before = await count(boots);
      expect([before.count_without_geo, before.count]).toEqual([20, 20]);
      for (const left of Object.values(before.waterfall)) expect(left).toBe(20);
      const owner = { root_id: root.id, agency_id: agency.id, company_id: client.id };
      const address = {
        ...{ owner, ownerId: client.id, level: 'client' as const },
        ...{ name: 'One', lines: [people[0]!.email] },
      };
      await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
        app.features.exclusions.addList(tx, address, clock.now()),
      );
      const { waterfall, count: placed } = await count(boots);
      expect([placed, waterfall]).toEqual([before.count, before.waterfall]);
      const one = await count({ ...boots, keyword: 'yurt repair', tell: 'T' });
      const none = await count({ ...boots, keyword: 'hats' });
      expect([one.count_without_geo, one.count, one.waterfall]).toEqual([0, 0, none.waterfall]);
      // Nor does what is stored, by which counts are sorted.
      const { rows } = await app.admin.query(
        `select distinct people, placed from intent_count where 'yurt repair' = any(keywords)`,
      );
      expect(rows).toEqual([{ people: 0n, placed: 0n }]);
      const mails = await mailsTo(app, root.id, `c${serial}@intent.test`);
      expect(mails.map((mail) => mail.body?.text).join()).toContain(
        'Fewer than 20 people showed this intent',
      );
    } finally {
      Object.assign(TOLD, { least: 0, step: 1 });
    }
  });

  test('[CAMP-11] before its campaign is there a count goes by the rules that are given, and no one is told', async () => {
    const { phone: _, ...silent } = app.make.person();
    await app.make.people(root, [silent, app.make.person()]);
    const [person, other] = (
      await app.admin.query(
        'select first_name, email from person where root_id = $1 order by phone nulls first',
        [root.id],
      )
    ).rows as MadePerson[];
    await signals([
      { person: person!, keyword: 'boots' },
      { person: other!, keyword: 'boots' },
    ]);
    const body = { target_location: 'National Targeting', keyword: 'boots', tell: 'F', phoneenabled: 'T' };
    expect((await count(body)).waterfall).toMatchObject({ placed: 2, contactable: 1, deliverable: 1 });
    expect((await count({ ...body, phoneenabled: 'F' })).waterfall).toMatchObject({ deliverable: 2 });
    // Each step counts all that it names: anyone who is excluded is not "not excluded", also without a phone.
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.exclusions.addList(
        tx,
        {
          owner: { root_id: root.id, agency_id: null, company_id: root.id },
          ownerId: root.id,
          level: 'root',
          name: 'silent',
          lines: [silent.email],
        },
        clock.now(),
      ),
    );
    expect((await count(body)).waterfall).toMatchObject({ placed: 2, not_excluded: 1, contactable: 1 });
    const { rows } = await app.admin.query(`select from mail where kind = 'count.done' and root_id = $1`, [
      root.id,
    ]);
    expect(rows).toHaveLength(0);
  });

  test('[CAMP-03] [KEYW-01] Enhance ID counts words in any order with others between; B2B ID whom its audience wants', async () => {
    const people = Array.from({ length: 4 }, () => app.make.person());
    const [a, b, c, d] = people as [MadePerson, MadePerson, MadePerson, MadePerson];
    await app.make.people(root, [a, { ...b, job_title: 'VP, Sales' }, c, d]);
    await signals([
      { person: a, keyword: 'running shoes' },
      { person: b, keyword: 'shoes for trail running' },
      { person: c, keyword: 'running' },
      { person: d, keyword: 'trail shoes' },
    ]);
    const ask = async (leadspeekType: string, more: object = {}) =>
      (
        await count({
          target_location: 'National Targeting',
          keyword: 'running shoe',
          leadspeekType,
          ...more,
        })
      ).count;
    expect([await ask('locator'), await ask('enhance')]).toEqual([1, 2]);
    // People without known work data never fit.
    expect(await ask('b2b')).toBe(1);
    expect(await ask('b2b', { jobTitles: ['sales vp'] })).toBe(1);
    expect(await ask('b2b', { jobTitles: ['sales manager'] })).toBe(0);
    // Its waterfall begins with everyone who showed the intent, and says how many of them remain in the audience.
    const b2b = await count({
      target_location: 'National Targeting',
      keyword: 'running shoe',
      leadspeekType: 'b2b',
      jobTitles: ['sales vp'],
    });
    expect(b2b).toMatchObject({ count_without_geo: 1, count: 1 });
    expect(b2b.waterfall).toMatchObject({ signals: 2, in_audience: 1, placed: 1, deliverable: 1 });
    const wrong = await call('POST', '/bigdbm/services/queuecount', {
      target_location: 'National Targeting',
      keyword: 'x',
      leadspeekType: 'b2b',
      department: ['Moon'],
    });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      { department: ['has Moon, which cannot be selected'] },
    ]);
  });

  test('[KEYW-02] what cannot be counted is refused with the field and the rule', async () => {
    for (const [body, field, rule] of [
      [{ target_location: 'State', keyword: 'a' }, 'states', 'needs at least one state'],
      [{ target_location: 'State', states: ['XX'], keyword: 'a' }, 'states', 'has XX, which is not a state'],
      [
        { target_location: 'Zip Code', zip_code: '78701\n7870', keyword: 'a' },
        'zip_code',
        'has 7870, which is not a five-digit zip code',
      ],
      [
        { target_location: 'National Targeting', keyword: 'shoes, !!' },
        'keyword',
        'has “!!”, which contains no letters or digits',
      ],
      [
        {
          target_location: 'National Targeting',
          keyword: Array.from({ length: 1001 }, (_, i) => `k${i}`).join('\n'),
        },
        'keyword',
        'has 1001 keywords. Up to 1000 are allowed',
      ],
    ] as const) {
      const { status, body: answer } = await call('POST', '/bigdbm/services/queuecount', body);
      expect([status, (answer.errors as unknown as Record<string, string[]>)[field]]).toEqual([422, [rule]]);
    }
  });

  test('[KEYW-02] 1,000 keywords and 40,000 zip codes are counted', async () => {
    const person = app.make.person();
    await app.make.people(root, [person]);
    await signals([{ person, keyword: 'word 999', place: ['NY', 'New York', '10001'] }]);
    const made = await count({
      target_location: 'Zip Code',
      keyword: Array.from({ length: 1000 }, (_, i) => `word ${i}`).join('\n'),
      zip_code: Array.from({ length: 40_000 }, (_, i) => String(10_001 + i)).join('\n'),
    });
    expect(made).toMatchObject({ count: 1, count_without_geo: 1 });
  });

  test('[KEYW-02] the mail that it is done goes to who asked, once, and says what was counted', async () => {
    const person = app.make.person();
    await app.make.people(root, [person]);
    await signals([{ person, keyword: 'boots' }]);
    const { id } = await count({
      target_location: 'National Targeting',
      keyword: 'boots\nhats\ngloves\nscarves',
    });
    await app.features.signals.counts.run(root.id, id);
    const mails = await mailsTo(app, root.id, `c${serial}@intent.test`);
    expect(mails.map((mail) => [mail.kind, mail.subject])).toEqual([
      ['count.done', 'Your keyword count is ready'],
    ]);
    expect(mails[0]!.body!.text).toContain('boots, hats, gloves and 1 more');
    expect(mails[0]!.body!.text).toContain('About 1 people showed this intent in the last 7 days.');
  });

  test('[KEYW-02] a count whose worker is killed each time fails in the end, and can be tried again', async () => {
    const asked = await call('POST', '/bigdbm/services/queuecount', {
      target_location: 'National Targeting',
      keyword: 'shoes',
    });
    const { id } = asked.body.data as unknown as { id: string };
    // Leaves what a killed worker leaves: the started attempt, and nothing else.
    const killed = (times: number) =>
      app.admin.query('update intent_count set attempts = $2 where id = $1', [id, times]);
    const state = async () =>
      (await call('GET', `/bigdbm/services/getcountcampaign/${id}`)).body.status as unknown as string;
    await killed(MOST_STARTS);
    await app.features.signals.counts.run(root.id, id);
    expect(await state()).toBe('error');
    expect((await call('POST', '/bigdbm/services/queuecount', { id })).status).toBe(200);
    expect(await state()).toBe('pending');
    await killed(MOST_STARTS - 1);
    await app.features.signals.counts.run(root.id, id);
    expect(await state()).toBe('done');
  });

  test('[KEYW-02] a count that cannot be made fails after three tries, and can be tried again, but not while it is pending; two workers make one once', async () => {
    const asked = await call('POST', '/bigdbm/services/queuecount', {
      target_location: 'National Targeting',
      keyword: 'shoes',
    });
    const { id } = asked.body.data as unknown as { id: string };
    const again = await call('POST', '/bigdbm/services/queuecount', { id });
    expect([again.status, again.body.message]).toEqual([409, 'Only failed counts can be retried.']);
    await app.admin.query('alter table intent_phrase rename to intent_phrase_away');
    try {
      for (let attempt = 1; attempt <= 2; attempt++)
        await expect(app.features.signals.counts.run(root.id, id)).rejects.toThrow(/intent_phrase/);
      await app.features.signals.counts.run(root.id, id);
    } finally {
      await app.admin.query('alter table intent_phrase_away rename to intent_phrase');
    }
    const history = await call('GET', '/bigdbm/services/getcountcampaignhistory');
    expect(history.body).toMatchObject({ processing: 0, data: [{ id, status: 'error', count: null }] });
    expect((await call('POST', '/bigdbm/services/queuecount', { id })).status).toBe(200);
    await Promise.all([
      app.features.signals.counts.run(root.id, id),
      app.features.signals.counts.run(root.id, id),
    ]);
    expect((await call('GET', `/bigdbm/services/getcountcampaign/${id}`)).body).toMatchObject({
      status: 'done',
      count: 0,
    });
    const { rows } = await app.admin.query(
      `select subject from mail where kind = 'count.done' and root_id = $1 order by created_at, id`,
      [root.id],
    );
    expect(rows.map((row) => row.subject).sort()).toEqual([
      'Your keyword count failed',
      'Your keyword count is ready',
    ]);
  });

  test('[KEYW-02] the history sorts by each column, and shows those of a campaign with those of none', async () => {
    const people = [app.make.person(), app.make.person()];
    await app.make.people(root, people);
    await signals([
      { person: people[0]!, keyword: 'boots', place: TX },
      { person: people[1]!, keyword: 'boots', place: LA },
      { person: people[1]!, keyword: 'hats', place: LA },
    ]);
    const mine = await app.make.campaign(client, { search: { keywords: ['x'] } });
    const other = await app.make.campaign(client, { search: { keywords: ['y'] } });
    await count({ target_location: 'State', states: ['TX'], keyword: 'boots' });
    await count({ target_location: 'National Targeting', keyword: 'boots', leadspeekID: mine.id });
    await count({ target_location: 'National Targeting', keyword: 'gloves', leadspeekID: other.id });
    const list = async (query: string) =>
      (
        (await call('GET', `/bigdbm/services/getcountcampaignhistory?${query}`)).body.data as unknown as {
          keyword: string;
          count: number;
        }[]
      ).map((row) => `${row.keyword} ${row.count}`);
    expect(await list('sortby=count&order=asc')).toEqual(['gloves 0', 'boots 1', 'boots 2']);
    expect(await list('sortby=count&order=desc')).toEqual(['boots 2', 'boots 1', 'gloves 0']);
    expect(await list('sortby=keyword&order=desc')).toContain('gloves 0');
    expect((await list(`leadspeekID=${mine.id}`)).sort()).toEqual(['boots 1', 'boots 2']);
    for (const sortby of ['created_at', 'count_without_geo', 'target_location', 'status'])
      expect(await list(`sortby=${sortby}`)).toHaveLength(3);
  });
});

describe('[CAMP-02] Search ID campaigns', () => {
  const fields = {
    campaignName: 'Runners',
    leadspeekType: 'locator',
    locatorkeyword: 'running shoes, Running shoe\ntrail run',
  };

  test('are made with keywords and places, shown so, and changed by their own call', async () => {
    const made = await call('POST', '/leadspeek/client/create', {
      ...fields,
      locationtarget: 'Zip Code',
      locatorzip: '78701, 75201\n\n78701',
    });
    expect(made.status).toBe(200);
    const data = made.body.data as unknown as Record<string, unknown> & {
      leadspeekID: string;
      version: number;
    };
    expect(data).toMatchObject({
      leadspeekType: 'locator',
      urlCode: '',
      locatorkeyword: 'running shoes\ntrail run',
      locationtarget: 'Zip Code',
      nationaltargeting: 'F',
      locatorzip: '78701\n75201',
      locatorrequire: 'Email',
    });
    const changed = await call('PUT', '/leadspeek/client/locator/update', {
      ...fields,
      leadspeekID: data.leadspeekID,
      version: data.version,
      nationaltargeting: 'T',
      locatordesc: 'For spring',
    });
    expect(changed.body.data).toMatchObject({
      locationtarget: 'National Targeting',
      nationaltargeting: 'T',
      locatorzip: '',
      locatordesc: 'For spring',
    });
    expect((await call('GET', `/leadspeek/client/embedded-code/${data.leadspeekID}`)).status).toBe(409);
    const list = await call('GET', '/leadspeek/client/list?leadspeekType=locator');
    expect((list.body.data as unknown as unknown[]).length).toBe(1);
    expect(
      ((await call('GET', '/leadspeek/client/list?leadspeekType=local')).body.data as unknown as unknown[])
        .length,
    ).toBe(0);
    const site = await call('POST', '/leadspeek/client/create', { campaignName: 'Site' });
    expect([site.status, site.body.errors]).toEqual([422, { urlCode: ['is required'] }]);
    const bare = await call('POST', '/leadspeek/client/create', { ...fields, locatorkeyword: undefined });
    expect([bare.status, bare.body.errors]).toEqual([422, { locationtarget: ['is required'] }]);
  });

  test('[CAMP-13] a pasted text becomes tags, each once', async () => {
    const { body } = await call('POST', '/leadspeek/keyword-to-tags', {
      keyword: 'Running shoes, running SHOE;boots;--',
    });
    expect(body).toEqual({ tags: ['Running shoes', 'boots'], repeated: 1, empty: 1 });
  });

  test('[KEYW-01] what one of two connections has matched stays matched when the other fails, and makes each lead once', async () => {
    const people = Array.from({ length: 4 }, () => app.make.person());
    await app.make.people(root, people);
    const campaign = await app.make.campaign(client, {
      search: { keywords: ['shoes'], location: 'national' },
    });
    const batchesThen = async (where: string) =>
      (
        await app.admin.query(`select id from signal_batch where root_id = $1 and ${where} order by id`, [
          root.id,
        ])
      ).rows;
    await emptyBatches(49);
    await signals(people.slice(0, 3).map((person) => ({ person, keyword: 'red shoes', place: TX })));
    await signals(people.slice(2).map((person) => ({ person, keyword: 'blue shoes', place: TX })));
    const [last] = (await batchesThen('signals > 0')).slice(-1);
    // Blocks the second one.
    await app.admin.query(
      `insert into intent_match select id, $2, root_id, agency_id, company_id, '{}', '{}', '{}', '{}', 0, now() from campaign where id = $1`,
      [campaign.id, last.id],
    );
    const { delivery } = app.features.signals;
    await expect(delivery.matchNew(root.id)).rejects.toThrow('intent_match_pkey');
    expect(await batchesThen('matched_at is null')).toEqual([last]);
    await app.admin.query('delete from intent_match where batch_id = $1', [last.id]);
    await delivery.run(root.id);
    const leads = await leadsOf(campaign.id);
    expect(leads.map((lead) => lead.email).toSorted()).toEqual(people.map((one) => one.email).toSorted());
    expect(await delivery.hasWork(root.id)).toBe(false);
  });

  test('[BEY-27] keywords on a theme that was blocked since they were chosen are not looked for', async () => {
    const [pious, booted] = [app.make.person(), app.make.person()];
    await app.make.people(root, [pious, booted]);
    const allow = () =>
      app.admin.query(
        `insert into keyword_allowance (id, root_id, company_id, for_company, theme, reason, allowed_by, created_at)
         values (gen_random_uuid(), $1, $1, $2, 4, 'A book store', $1, now())`,
        [root.id, agency.id],
      );
    await allow();
    const campaign = await app.make.campaign(client, { search: { keywords: ['mosque tours', 'boots'] } });
    await app.admin.query('delete from keyword_allowance where root_id = $1', [root.id]);
    await signals([
      { person: pious, keyword: 'mosque tours' },
      { person: booted, keyword: 'boots' },
    ]);
    await app.features.signals.delivery.run(root.id);
    const emails = async () => (await leadsOf(campaign.id)).map((lead) => lead.email).toSorted();
    expect(await emails()).toEqual([booted.email]);
    await allow();
    await signals([{ person: pious, keyword: 'mosque tours', hours: 2 }]);
    await app.features.signals.delivery.run(root.id);
    expect(await emails()).toEqual([booted.email, pious.email].toSorted());
  });

  test('new signals become leads with their evidence, once per person; old and foreign ones do not', async () => {
    const people = Array.from({ length: 4 }, () => app.make.person());
    await app.make.people(root, people);
    const campaign = await app.make.campaign(client, {
      search: { keywords: ['running shoes'], location: 'state', states: ['TX'] },
    });
    const [a, b, c, d] = people as [MadePerson, MadePerson, MadePerson, MadePerson];
    await signals([
      { person: a, keyword: 'running shoes', place: TX, hours: 1 },
      { person: a, keyword: 'best running shoes', place: TX, hours: 30 },
      { person: b, keyword: 'running shoes', place: LA },
      { person: c, keyword: 'running', place: TX },
      { person: d, keyword: 'running shoes', place: TX, hours: 8 * 24 },
    ]);
    await app.features.signals.delivery.run(root.id);
    const leads = await leadsOf(campaign.id);
    expect(leads.map((lead) => lead.email)).toEqual([a.email]);
    expect(leads[0]).toMatchObject({ match_kind: 9, confidence: 99, evidence: { signal_count: 2 } });
    expect(leads[0]!.evidence.signals).toEqual([
      {
        keyword: 'running shoes',
        url: 'https://site.example/running%20shoes',
        place: 'TX 78701',
        at: new Date(clock.now().getTime() - 3_600_000).toISOString(),
        key: 'email_sha256',
        confidence: 98,
      },
      expect.objectContaining({ keyword: 'best running shoes' }),
    ]);
    await signals([{ person: a, keyword: 'running shoes', place: TX, hours: 0.5 }]);
    await app.features.signals.delivery.run(root.id);
    expect(await leadsOf(campaign.id)).toHaveLength(1);
    const { id } = (await app.admin.query('select id from lead where campaign_id = $1', [campaign.id]))
      .rows[0];
    const shown = await call('GET', `/leadspeek/report/lead/${id}`);
    expect(shown.body).toMatchObject({
      match_type: 'intent',
      visited_at: null,
      signal_count: 2,
      alternatives: 0,
    });
    const forecast = await call('GET', `/leadspeek/client/forecast/${campaign.id}`);
    expect(forecast.body).toMatchObject({
      forecast: null,
      found: 1,
      waiting: 0,
      refused: [{ reason: 'seen_recently', count: 1 }],
    });
  });

  test("a day's cap lets the others wait, the newest first; they come the next day", async () => {
    const people = Array.from({ length: 3 }, () => app.make.person());
    await app.make.people(root, people);
    const campaign = await app.make.campaign(client, { dailyCap: 1, search: { keywords: ['boots'] } });
    await signals(people.map((person, i) => ({ person, keyword: 'boots', hours: 10 + i })));
    const { delivery } = app.features.signals;
    await delivery.run(root.id);
    expect((await leadsOf(campaign.id)).map((lead) => lead.email)).toEqual([people[0]!.email]);
    clock.advance(86_400_000);
    await delivery.run(root.id);
    expect(await leadsOf(campaign.id)).toHaveLength(2);
    clock.advance(8 * 86_400_000);
    await delivery.run(root.id);
    expect(await leadsOf(campaign.id)).toHaveLength(2);
    clock.advance(-9 * 86_400_000);
  });

  test('applying a count makes the campaign look for it, from the last seven days on', async () => {
    const person = app.make.person();
    await app.make.people(root, [person]);
    const campaign = await app.make.campaign(client, { search: { keywords: ['nothing'] } });
    const local = await app.make.campaign(client);
    await signals([{ person, keyword: 'winter boots', place: TX, hours: 20 }]);
    await app.features.signals.delivery.run(root.id);
    const made = await count({ target_location: 'State', states: ['TX'], keyword: 'boots' });
    const applied = await call('POST', '/bigdbm/services/applycampaign', {
      id: made.id,
      leadspeekID: campaign.id,
    });
    expect([applied.status, applied.body.message]).toEqual([
      200,
      'The campaign now searches for these keywords.',
    ]);
    expect((await call('GET', `/leadspeek/getcampaign/${campaign.id}`)).body).toMatchObject({
      locatorkeyword: 'boots',
      locationtarget: 'State',
      locatorstate: ['TX'],
    });
    // A count made before there was a campaign to name becomes its forecast.
    expect((await call('GET', `/leadspeek/client/forecast/${campaign.id}`)).body).toMatchObject({
      forecast: { id: made.id },
    });
    await app.features.signals.delivery.catchUp(root.id, campaign.id);
    expect((await leadsOf(campaign.id)).map((lead) => lead.email)).toEqual([person.email]);
    expect(
      (await call('POST', '/bigdbm/services/applycampaign', { id: made.id, leadspeekID: local.id })).status,
    ).toBe(409);
    const wider = await app.make.campaign(client, { module: 'enhance', search: { keywords: ['x'] } });
    const refused = await call('POST', '/bigdbm/services/applycampaign', {
      id: made.id,
      leadspeekID: wider.id,
    });
    expect([refused.status, refused.body.errors]).toEqual([
      409,
      { leadspeekID: ['is for a different product than the count'] },
    ]);
  });
});

describe('[BEY-09] one engine', () => {
  test('on a frozen snapshot the count is the set that is found, and its last step the leads', async () => {
    const words = [
      'boots',
      'red boots',
      'boots, black and red',
      'running shoes',
      'shoes for running',
      'best running shoe',
      'hat',
      'red hat sale',
    ];
    // The known work data of ten people; null if nothing is known.
    const known = [
      {
        title: 'VP of Marketing',
        seniority: 'vp',
        department: 'Marketing',
        industry: 'Computer Software',
        employees: 51,
      },
      {
        title: 'Marketing Manager',
        seniority: 'Manager',
        department: 'marketing',
        industry: 'Retail',
        employees: 10,
      },
      { title: null, seniority: 'Vice President', department: null, industry: 'software', employees: 10_000 },
      { title: 'Nurse', seniority: null, department: 'Medical & Health', industry: null, employees: null },
      null,
    ] as const;
    const places = [TX, DALLAS, LA, undefined];
    await fc.assert(
      fc.asyncProperty(
        // Signals of one person for one keyword at one instant are one signal, wherever they were.
        fc.uniqueArray(
          fc.record({
            who: fc.nat(9),
            keyword: fc.constantFrom(...words),
            place: fc.constantFrom(...places),
            hours: fc.constantFrom(1, 30, 160, 167.9, 168, 170),
          }),
          {
            minLength: 1,
            maxLength: 40,
            selector: ({ who, keyword, hours }) => `${who} ${keyword} ${hours}`,
          },
        ),
        fc.uniqueArray(fc.constantFrom('boot', 'running shoes', 'hats', 'red', 'sale hat', 'red boot'), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.constantFrom<Omit<Search, 'keywords'>>(
          { location: 'national', states: [], cities: [], zips: [] },
          { location: 'state', states: ['TX'], cities: [], zips: [] },
          {
            location: 'state',
            states: ['LA', 'TX'],
            cities: ['Dallas, TX'],
            zips: [],
          },
          { location: 'zip', states: [], cities: [], zips: ['78701', '70116'] },
        ),
        fc.record({
          min_confidence: fc.constantFrom(50, 90, 98),
          phone_required: fc.boolean(),
          fit_states: fc.constantFrom<string[]>([], ['TX']),
          fit_ages: fc.constantFrom<string[]>([], ['35 to 44']),
          fit_unknown: fc.constantFrom('take' as const, 'refuse' as const),
        }),
        fc.array(fc.nat(9), { maxLength: 3 }),
        fc.constantFrom('caught up', 'matched', 'matched by two'),
        fc.constantFrom<SearchModule>('locator', 'enhance', 'b2b'),
        fc.constantFrom<Partial<Audience>>(
          {},
          { seniorities: ['Vice president'] },
          { titles: ['marketing'], departments: ['Marketing'] },
          { industries: ['Software'], sizes: [3, 8] },
          { titles: ['manager marketing', 'nurse'] },
        ),
        async (said, keywords, target, rules, excluded, way, module, wanted) => {
          root = await app.make.root();
          const host = await app.make.agency(root);
          const own = await app.make.client(host);
          const people = Array.from({ length: 10 }, (_, i) => {
            const { phone, ...rest } = app.make.person();
            return i % 3 ? { ...rest, phone: phone! } : rest;
          });
          await app.make.people(
            root,
            people.map((one, i) => {
              const title = known[i % known.length]?.title;
              return title ? { ...one, job_title: title } : one;
            }),
          );
          for (const [i, one] of people.entries()) {
            const profile = known[i % known.length];
            if (profile)
              await app.admin.query(
                `insert into person_profile (root_id, company_id, person_id, seniority, department, industry, employees, updated_at)
                 select root_id, root_id, id, $2, $3, $4, $5, now() from person where email = $1`,
                [one.email, profile.seniority, profile.department, profile.industry, profile.employees],
              );
          }
          await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
            app.features.exclusions.addList(
              tx,
              {
                owner: { root_id: root.id, agency_id: host.id, company_id: own.id },
                ownerId: own.id,
                level: 'client',
                name: 'x',
                lines: excluded.map((i) => people[i]!.email),
              },
              clock.now(),
            ),
          );
          const audience: Audience = { ...ANYBODY, ...(module === 'b2b' ? wanted : {}) };
          const search: Search = { ...target, keywords, ...audience };
          const campaign = await app.make.campaign(own, {
            ...rules,
            search,
            module,
            state: way === 'caught up' ? 'paused' : 'active',
          });
          const all = said.map(({ who, ...one }) => ({
            ...one,
            person: people[who]!,
            ...(one.place ? { place: one.place } : { place: ['', '', ''] as const }),
          })) as Said[];
          // The first connection takes these and what comes with the first file, the second what comes with the other.
          if (way === 'matched by two') await emptyBatches(49);
          const half = way === 'matched by two' ? Math.floor(all.length / 2) : 0;
          if (half > 0) await signals(all.slice(0, half));
          await signals(all.slice(half));
          const { rows } = await app.admin.query(
            `insert into intent_count (id, root_id, agency_id, company_id, campaign_id, location, states, cities, zips, keywords, state, asked_at, created_at,
               module, titles, seniorities, departments, industries, sizes)
             select gen_random_uuid(), root_id, agency_id, company_id, id, $2, $3, $4, $5, $6, 'pending', $7, $7,
               $8, $9, $10, $11, $12, $13 from campaign where id = $1 returning id`,
            [
              ...[
                campaign.id,
                search.location,
                search.states,
                search.cities,
                search.zips,
                keywords,
                clock.now(),
              ],
              ...[module, audience.titles, audience.seniorities, audience.departments],
              ...[audience.industries, audience.sizes],
            ],
          );
          await app.features.signals.counts.run(root.id, rows[0].id);
          const { rows: counted } = await app.admin.query(
            'select state, placed::int, waterfall from intent_count where id = $1',
            [rows[0].id],
          );
          if (way === 'caught up') {
            await app.admin.query(`update campaign set state = 'active' where id = $1`, [campaign.id]);
            await app.features.signals.delivery.catchUp(root.id, campaign.id);
          } else {
            await app.features.signals.delivery.run(root.id);
          }
          const { rows: found } = await app.admin.query(
            'select count(*)::int as n from intent_candidate where campaign_id = $1',
            [campaign.id],
          );
          expect(counted[0]).toMatchObject({ state: 'done', placed: found[0].n });
          const leads = await leadsOf(campaign.id);
          expect(counted[0].waterfall.deliverable).toBe(leads.length);
          // No one on a list, and no one whom the plain rules do not find.
          for (const lead of leads) expect(excluded.map((i) => people[i]!.email)).not.toContain(lead.email);
          const stems = (text: string) =>
            text.replace('shoes', 'shoe').replace('boots', 'boot').replace('hats', 'hat').replace(',', '');
          const matches = (word: string, signal: string) =>
            module === 'locator'
              ? ` ${stems(signal)} `.includes(` ${stems(word)} `)
              : stems(word)
                  .split(' ')
                  .every((one) => stems(signal).split(' ').includes(one));
          // Which of the five kinds of people each audience wants.
          const kinds =
            audience.seniorities.length > 0
              ? [0, 2]
              : audience.departments.length > 0
                ? [0, 1]
                : audience.sizes.length > 0
                  ? [0, 2]
                  : audience.titles.length > 0
                    ? [1, 3]
                    : [0, 1, 2, 3];
          const expected = new Set(
            said
              .filter((one) => one.hours < 168 && keywords.some((word) => matches(word, one.keyword)))
              .filter(({ who }) => module !== 'b2b' || kinds.includes(who % known.length))
              .filter(({ place }) =>
                search.location === 'national'
                  ? true
                  : !place
                    ? false
                    : search.location === 'zip'
                      ? search.zips.includes(place[2])
                      : search.cities.length > 0
                        ? place[0] === 'LA' || place[1] === 'Dallas'
                        : search.states.includes(place[0]),
              )
              .map((one) => one.who),
          );
          expect(found[0].n).toBe(expected.size);
        },
      ),
      { numRuns: runs(30) },
    );
  });
});
