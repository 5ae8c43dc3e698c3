import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../platform/clock.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign, MadePerson } from '../../../test/factories.ts';

const USD = 1_000_000n;
let app: TestApp;
let clock: ManualClock;
let root: Company;
let agency: Company;
let client: Company;
let serial = 0;
const tokens = new Map<string, string>();
const hostOf = (who: string) => (who === 'root' ? `root${serial}.ev.test` : `agency${serial}.ev.test`);

beforeAll(async () => {
  clock = new ManualClock(new Date('2026-03-10T15:00:00Z'));
  // Large numbers of people sign up at once here.
  const signUpLimits = { browser: 1000, address: 1000, network: 1000, hour: 100_000, day: 100_000 };
  app = await testApp({ clock, settings: { signUpLimits } });
});
afterAll(() => app.close());
beforeEach(async () => {
  serial++;
  root = await app.make.root({ host: hostOf('root') });
  agency = await app.make.agency(root, { host: hostOf('agency') });
  client = await app.make.client(agency);
  for (const [who, company] of Object.entries({ root, agency, client })) {
    await app.make.user(company, { email: `${who}${serial}@ev.test`, password: PASSWORD });
  }
  await signIn();
});
async function signIn(): Promise<void> {
  for (const who of ['root', 'agency', 'client'])
    tokens.set(who, await app.signIn(`${who}${serial}@ev.test`, hostOf(who)));
}

const call = (
  who: 'root' | 'agency' | 'client',
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  body?: unknown,
) =>
  app.call(method, `/api${url}`, { host: hostOf(who), token: tokens.get(who)!, ...(body ? { body } : {}) });
const campaign = (given: Parameters<TestApp['make']['campaign']>[1] = {}): Promise<MadeCampaign> =>
  app.make.campaign(client, { price: 2n * USD, balance: 100n * USD, min_confidence: 0, ...given });
const resolve = () => app.features.leads.resolver.resolveAll();
const leadsOf = async (one: MadeCampaign): Promise<string[]> =>
  (
    await app.admin.query('select id from lead where campaign_id = $1 order by created_at', [one.id])
  ).rows.map((row) => row.id);
interface Told {
  confidence: number;
  alternatives: number;
  others: { confidence: number; keys: Record<string, unknown>[] }[];
  evidence: Record<string, unknown>[];
}
const lead = async (who: 'root' | 'agency' | 'client', id: string) =>
  (await call(who, 'GET', `/leadspeek/report/lead/${id}`)).body as unknown as Told;
/** The money that a campaign has moved. */
const postings = async (one: MadeCampaign): Promise<number> =>
  (
    await app.admin.query(
      `select count(*)::int as n from lead l join transfer t on t.id = l.transfer_id where l.campaign_id = $1`,
      [one.id],
    )
  ).rows[0].n;
const balance = async (one: MadeCampaign): Promise<string> =>
  (
    await app.admin.query(
      `select b.balance from account_balance b join account a on a.id = b.account_id where a.campaign_id = $1`,
      [one.id],
    )
  ).rows[0].balance;
const setThreshold = (least_confidence: unknown, who: 'agency' | 'client' | 'root' = 'agency') =>
  call(who, 'PUT', '/configuration/setting', {
    comsetname: 'billingthreshold',
    comsetval: { least_confidence },
  });
const refusals = async (one: MadeCampaign): Promise<Record<string, number>> =>
  Object.fromEntries(
    (
      await app.admin.query(
        'select reason, sum(count)::int as n from campaign_refusal where campaign_id = $1 group by 1',
        [one.id],
      )
    ).rows.map(({ reason, n }) => [reason, n]),
  );

/** Imports signals of people by address or phone. */
async function signals(rows: { email?: string; phone?: string; keyword: string; hours?: number }[]) {
  const cells = rows.map(({ email = '', phone = '', keyword, hours = 1 }) =>
    [
      email,
      phone,
      keyword,
      'TX',
      'Austin',
      '78701',
      'https://news.example/a',
      new Date(clock.now().getTime() - hours * 3_600_000).toISOString(),
    ].join(','),
  );
  const imports = app.features.people.files;
  const text = `email,phone,keyword,state,city,zip,url,time\n${cells.join('\n')}\n`;
  const { id } = await imports.add(
    root.id,
    's.csv',
    (async function* () {
      yield Buffer.from(text);
    })(),
    { kind: 'signals' },
  );
  await imports.queue(root.id, id, {});
  expect(await imports.run(root.id, id)).toMatchObject({ state: 'done', rows_bad: 0n });
}

describe('[BEY-05] who else it may have been', () => {
  test('of a visit: each with the keys that spoke for them and how sure it would have been; nothing of who they are', async () => {
    const one = await campaign();
    const [ann, bob, cat] = [app.make.person(), app.make.person(), app.make.person()];
    await app.make.people(root, [ann, bob, cat], 'import: secret.csv');
    const visitorId = randomUUID();
    // Bob used this browser, and Cat is at this address, too.
    await app.make.visit(one, { email: bob.email, visitorId, ip: '198.51.100.7' });
    await app.make.visit(one, { email: cat.email, ip: '198.51.100.9' });
    await resolve();
    clock.advance(3 * 86_400_000);
    await signIn();
    await app.make.visit(one, { email: ann.email, visitorId, ip: '198.51.100.9' });
    await resolve();
    const id = (await leadsOf(one)).at(-1)!;
    const told = await lead('client', id);
    expect(told).toMatchObject({
      confidence: 85,
      alternatives: 2,
      evidence: [{ key: 'email_sha256', source: 'import' }],
      others: [
        {
          confidence: 72,
          keys: [{ key: 'visitor', source: 'visit', people: 1, seen_at: '2026-03-10T15:00:00.000Z' }],
        },
        { confidence: 2, keys: [{ key: 'ip', source: 'visit', people: 1 }] },
      ],
    });
    const words = JSON.stringify(told.others);
    const ids = (await app.admin.query('select id from person where root_id = $1', [root.id])).rows;
    for (const secret of [bob, cat].flatMap((who) => [who.email, who.first_name, who.last_name, who.phone!]))
      expect(words).not.toContain(secret);
    for (const { id: personId } of ids) expect(words).not.toContain(personId);
    expect(words).not.toContain(visitorId);
    expect(words).not.toContain('198.51');
    // A root sees where its data comes from.
    expect((await lead('root', id)).evidence[0]!.source).toBe('import: secret.csv');
  });

  test('of a visit: a handful is kept, the rest counted; a lead of before has none and still shows', async () => {
    const one = await campaign();
    const crowd = Array.from({ length: 9 }, () => app.make.person());
    for (const [i, who] of crowd.entries()) {
      who.email = 'team@crowd.example';
      who.external_id = `crowd${i}`;
    }
    await app.make.people(root, crowd);
    await app.make.visit(one, { email: 'team@crowd.example' });
    await resolve();
    const [id] = await leadsOf(one);
    const told = await lead('client', id!);
    expect([told.alternatives, told.others.length]).toEqual([8, 5]);
    await app.admin.query(`update lead set evidence = evidence - 'others' where id = $1`, [id]);
    expect(await lead('client', id!)).toMatchObject({ alternatives: 8, others: [] });
  });

  test('of signals: who shares the key that told whose they are; merged people are no alternatives of each other', async () => {
    const one = await campaign({ search: { location: 'national', keywords: ['running shoes'] } });
    const [ann, bob, cat, dan] = Array.from({ length: 4 }, () => app.make.person()) as [
      MadePerson,
      MadePerson,
      MadePerson,
      MadePerson,
    ];
    bob.phone = ann.phone!;
    dan.email = cat.email;
    cat.external_id = 'cat';
    dan.external_id = 'dan';
    await app.make.people(root, [ann, bob, cat, dan]);
    const idOf = async (who: MadePerson): Promise<string> =>
      (
        await app.admin.query('select id from person where root_id = $1 and last_name = $2', [
          root.id,
          who.last_name,
        ])
      ).rows[0].id;
    await call('root', 'POST', '/identity/merges', { kept: await idOf(cat), absorbed: await idOf(dan) });
    await signals([
      { phone: ann.phone!, keyword: 'running shoes' },
      { email: cat.email, keyword: 'running shoes' },
    ]);
    await app.features.signals.delivery.run(root.id);
    const told = await Promise.all((await leadsOf(one)).map((id) => lead('client', id)));
    told.sort((a, b) => a.confidence - b.confidence);
    expect(told).toMatchObject([
      { confidence: 50, alternatives: 1, others: [{ confidence: 50, keys: [{ key: 'phone', people: 2 }] }] },
      { confidence: 98, alternatives: 0, others: [] },
    ]);
    expect(JSON.stringify(told[0]!.others)).not.toContain(bob.last_name);
  });
});

describe('[BEY-05] the agency’s billing threshold', () => {
  test('a visit below it is refused with its reason and costs nothing; from then on, and only until it is lowered', async () => {
    const one = await campaign();
    const [ann, bob, cat] = [app.make.person(), app.make.person(), app.make.person()];
    await app.make.people(root, [ann, bob, cat]);
    const visitors = [randomUUID(), randomUUID(), randomUUID()];
    const people = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      tx.selectFrom('person').select(['id', 'email']).where('root_id', '=', root.id).execute(),
    );
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.people.learn(
        tx,
        root.id,
        [ann, bob, cat].map((who, i) => ({
          personId: people.find((row) => row.email === who.email)!.id,
          visitorId: visitors[i]!,
          at: clock.now(),
        })),
      ),
    );
    const visit = async (i: number) => {
      clock.advance(1000);
      await app.make.visit(one, { visitorId: visitors[i]! });
      await resolve();
    };
    await visit(0);
    expect((await setThreshold(86)).status).toBe(200);
    const before = await balance(one);
    await visit(1);
    expect(await leadsOf(one)).toHaveLength(1);
    expect(await refusals(one)).toEqual({ below_threshold: 1 });
    expect([await postings(one), await balance(one)]).toEqual([1, before]);
    // Leads already sold stay sold.
    expect((await lead('client', (await leadsOf(one))[0]!)).confidence).toBe(85);
    await setThreshold(85);
    await visit(2);
    expect(await leadsOf(one)).toHaveLength(2);
    expect(await postings(one)).toBe(2);
  });

  test('signals below it are refused, counted, and seen in the count’s waterfall', async () => {
    const one = await campaign({ search: { location: 'national', keywords: ['running shoes'] } });
    // Fewer than 20 people are not counted.
    const [called, mailed] = [0, 1].map(() => Array.from({ length: 20 }, () => app.make.person()));
    await app.make.people(root, [...called!, ...mailed!]);
    await setThreshold(90);
    await signals([
      ...called!.map(({ phone }) => ({ phone: phone!, keyword: 'running shoes' })),
      ...mailed!.map(({ email }) => ({ email, keyword: 'running shoes' })),
    ]);
    const before = await balance(one);
    const { body } = await call('client', 'POST', '/bigdbm/services/queuecount', {
      target_location: 'National Targeting',
      keyword: 'running shoes',
    });
    const { id } = body.data as unknown as { id: string };
    await app.features.signals.counts.run(root.id, id);
    expect((await call('client', 'GET', `/bigdbm/services/getcountcampaign/${id}`)).body).toMatchObject({
      count: 40,
      waterfall: { placed: 40, contactable: 40, sure_enough: 20, deliverable: 20 },
    });
    await app.features.signals.delivery.run(root.id);
    expect(await leadsOf(one)).toHaveLength(20);
    expect(await refusals(one)).toEqual({ below_threshold: 20 });
    expect(await postings(one)).toBe(20);
    expect(BigInt(before) - BigInt(await balance(one))).toBe(40n * USD);
  });

  test('0 to 99, by the agency alone, written down; its clients see it as their campaigns’ floor', async () => {
    const least = async (who: 'root' | 'agency' | 'client', of?: Company) =>
      (await call(who, 'GET', `/leadspeek/report/least-confidence${of ? `?companyID=${of.id}` : ''}`)).body;
    expect(await least('client')).toEqual({ least_confidence: 0 });
    for (const wrong of [-1, 100, 1.5, '50', null]) {
      const refused = await setThreshold(wrong);
      expect([wrong, refused.status]).toEqual([wrong, 422]);
      expect(Object.keys(refused.body.errors!)).toEqual(['least_confidence']);
    }
    expect((await setThreshold(99)).status).toBe(200);
    expect(await least('client')).toEqual({ least_confidence: 99 });
    expect(await least('agency', client)).toEqual({ least_confidence: 99 });
    expect(await least('root', client)).toEqual({ least_confidence: 99 });
    expect(await least('root')).toEqual({ least_confidence: 0 });
    expect([(await setThreshold(10, 'client')).status, (await setThreshold(10, 'root')).status]).toEqual([
      403, 422,
    ]);
    const { rows } = await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id where l.root_id = $1 and l.action = 'setting.save'`,
      [root.id],
    );
    expect(rows.map((row) => row.description)).toEqual([
      expect.stringMatching(/^Saved the billing threshold for .+: 99%$/),
    ]);
    const other = await app.make.client(await app.make.agency(root));
    expect(
      (await call('client', 'GET', `/leadspeek/report/least-confidence?companyID=${other.id}`)).status,
    ).toBe(404);
  });
});

test('[BEY-05] of ten thousand requests of a real log no bot becomes a lead, and none is billed, known or not', async () => {
  const one = await campaign({ balance: 100_000n * USD, siteUrl: 'http://semicomplete.com/' });
  const LINE = /^(\S+) \S+ \S+ \[[^\]]+\] "(?:\S+ (\S+)[^"]*)?" \d+ \S+ "([^"]*)" "([^"]*)"?$/;
  const log = gunzipSync(
    readFileSync(join(import.meta.dirname, '../../../test/data/traffic-apache-10k.log.gz')),
  ).toString('utf8');
  const lines = log
    .trimEnd()
    .split('\n')
    .map((line) => LINE.exec(line)!)
    .map(([, ip, path = '/', , agent]) => ({ ip: ip!, path, agent: agent === '-' ? '' : (agent ?? '') }));
  // Identifies bots from the log itself, by the names that programs give. Kept separate from how ingest detects them.
  const isKnownBot = (agent: string) =>
    agent === '' ||
    /bot\b|crawl|spider|slurp|feed|curl|wget|python|java\/|ruby|^libwww|monitor|fetch/i.test(agent);
  const agents = [...new Set(lines.map(({ agent }) => agent))];
  const bots = agents.filter(isKnownBot);
  expect(bots.length).toBeGreaterThan(50);
  // One known person for each agent: a visit with that person's hash would be recognized at 98 %.
  const people = new Map(agents.map((agent) => [agent, app.make.person()]));
  await app.make.people(root, [...people.values()]);
  const first = new Set<string>();
  const visit = ({ ip, path, agent }: (typeof lines)[number]) => {
    // Each agent's email address comes with its first request; from then on its browser and IP address are known, too.
    const isFirst = !first.has(agent);
    first.add(agent);
    return app.make.visit(one, {
      ip,
      url: `http://semicomplete.com${path}`,
      userAgent: agent,
      visitorId: visitorOf(agent),
      ...(isFirst ? { email: people.get(agent)!.email } : {}),
    });
  };
  for (let from = 0; from < lines.length; from += 250) {
    await Promise.all(lines.slice(from, from + 250).map(visit));
    // The log covers three days; all of it within a minute would be too much at once.
    app.clock.advance(60_000);
  }
  await resolve();
  const { rows } = await app.admin.query(
    'select x.email from lead l join lead_contact x on x.lead_id = l.id where l.campaign_id = $1',
    [one.id],
  );
  const leads = new Set(rows.map((row) => row.email));
  expect(leads.size).toBe(rows.length);
  expect(leads.size).toBeGreaterThan(100);
  expect(bots.filter((agent) => leads.has(people.get(agent)!.email))).toEqual([]);
  // So nothing was billed except for those leads, and no bot added anything to the graph.
  expect(await postings(one)).toBe(leads.size);
  expect(BigInt(await balance(one))).toBe(100_000n * USD - BigInt(leads.size) * 2n * USD);
  const learned = await app.admin.query(
    `select distinct p.email from identity_key k join person p on p.root_id = k.root_id and p.id = k.person_id
     where k.root_id = $1 and k.source = 'visit'`,
    [root.id],
  );
  const taught = new Set(learned.rows.map((row) => row.email));
  expect(bots.filter((agent) => taught.has(people.get(agent)!.email))).toEqual([]);
  expect((await refusals(one)).bot).toBeGreaterThan(1000);
});

/** A visitor id of an agent, the same each time. */
function visitorOf(agent: string): string {
  let sum = 7;
  for (const letter of agent) sum = (sum * 31 + letter.codePointAt(0)!) % 0xffff_ffff;
  return `0190a000-0000-7000-8000-0000${sum.toString(16).padStart(8, '0')}`;
}
