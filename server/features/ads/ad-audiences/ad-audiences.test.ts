import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { type Company, md5, sha256 } from '../../../test/factories.ts';
import { COUNTED, WHOLE } from './policy.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let sibling: Company;
const tokens: Record<string, string> = {};
const emails: Record<string, [email: string, host: string]> = {};
const HOST = 'audiences.test';
const ROOT = 'audiences-root.test';
const HOUR_MS = 3_600_000;

beforeAll(async () => {
  // The lists here are small, so that a test can say who is counted.
  Object.assign(COUNTED, { least: 0, step: 1, people: 0 });
  app = await testApp();
  root = await app.make.root({ host: ROOT, isMaster: true });
  agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  sibling = await app.make.client(agency);
  for (const [name, company, host] of [
    ['root', root, ROOT],
    ['agency', agency, HOST],
    ['client', client, HOST],
    ['sibling', sibling, HOST],
  ] as const) {
    const { email } = await app.make.user(company, { password: PASSWORD });
    emails[name] = [email, host];
  }
  await signIn();
});
/** Signs everyone in, again after the clock has gone on. */
async function signIn(): Promise<void> {
  for (const [name, who] of Object.entries(emails)) tokens[name] = await app.signIn(...who);
}
afterAll(async () => {
  Object.assign(COUNTED, WHOLE);
  await app.close();
});

interface Shown {
  id: string;
  state: string;
  size: number;
  matched: number;
  match_rate: number | null;
  excluded: number;
  reachable: number;
  rows_bad: number;
  rows_same: number;
}
const hostOf = (who: string) => (who === 'root' ? ROOT : HOST);
const call = (who: string, method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
  app.call(method, `/api/leadspeek/simplifi/audience${path}`, {
    host: hostOf(who),
    token: tokens[who]!,
    ...(body ? { body } : {}),
  });
let serial = 0;
async function upload(
  text: string,
  given: {
    who?: string;
    name?: string;
    kind?: string;
    origin?: string;
    file?: string;
    consent?: string;
  } = {},
) {
  const who = given.who ?? 'client';
  const query = new URLSearchParams({
    name: given.name ?? `List ${++serial}`,
    kind: given.kind ?? 'email',
    origin: given.origin ?? 'customers',
    consent: given.consent ?? 'T',
    filename: given.file ?? 'list.csv',
    ...(who === 'client' ? {} : { companyID: client.id }),
  });
  const answer = await app.server.inject({
    method: 'POST',
    url: `/api/leadspeek/simplifi/audience/upload?${query}`,
    payload: text,
    headers: {
      host: hostOf(who),
      'user-agent': 'test',
      authorization: `Bearer ${tokens[who]}`,
      'content-type': 'text/csv',
    },
  });
  const body = answer.json() as {
    message: string;
    errors: Record<string, string[]>;
    data: Shown;
  };
  return { status: answer.statusCode, body };
}
/** Uploads a list of the root that excludes one person everywhere, and has it come into force. */
async function optOut(email: string): Promise<void> {
  const answer = await app.server.inject({
    method: 'POST',
    url: '/api/tools/optout/upload?file_name=optout.csv',
    payload: `${email}\n`,
    headers: {
      host: ROOT,
      'user-agent': 'test',
      authorization: `Bearer ${tokens.root}`,
      'content-type': 'text/csv',
    },
  });
  await app.features.exclusions.loads.load({ rootId: root.id, listId: answer.json().data.id });
}
const build = (audienceId: string) => app.features.adAudiences.loads.build({ rootId: root.id, audienceId });
const shown = async (id: string, who = 'client') =>
  (await call(who, 'GET', `/${id}`)).body as unknown as {
    audience: Shown;
    bad: { line: number; reason: string; value: string }[];
    places: { place: string; allowed: boolean; reason: string }[];
  };
/** Uploads a list and makes its audience. */
async function made(text: string, given: Parameters<typeof upload>[1] = {}): Promise<string> {
  const { status, body } = await upload(text, given);
  expect([status, body.errors]).toEqual([200, undefined]);
  await build(body.data.id);
  return body.data.id;
}
const keysOf = async (id: string) =>
  (
    await app.admin.query<{ kind: number; value: Buffer }>(
      'select kind, value from audience_key where audience_id = $1 order by kind, value',
      [id],
    )
  ).rows.map(({ kind, value }) => ({ kind, value: value.toString('hex') }));

describe('[SIMP-03] uploaded lists', () => {
  test('[BEY-30] a client has its audiences matched again a few times an hour, so that the others’ wait for no one', async () => {
    const ids = [];
    for (let at = 0; at < 5; at++) ids.push(await made(`email\nagain${at}@people.test`));
    const again = async (id: string) => (await call('client', 'POST', `/${id}/refresh`, {})).status;
    const first = [];
    for (let at = 0; at < 6; at++) first.push(await again(ids[0]!));
    expect(first).toEqual([200, 200, 200, 200, 200, 429]);
    const rest = [];
    for (const id of ids.slice(1)) for (let at = 0; at < 5; at++) rest.push(await again(id));
    expect(rest.filter((status) => status === 200)).toHaveLength(15);
    app.clock.advance(2 * HOUR_MS);
    await signIn();
    expect(await again(ids[0]!)).toBe(200);
  });

  test('plain and hashed addresses are matched, refused rows are named by line, and nothing is kept twice', async () => {
    const [ann, bob] = [app.make.person(), app.make.person()];
    await app.make.people(root, [ann, bob]);
    const id = await made(
      [
        'email',
        ann.email!.toUpperCase(),
        sha256(bob.email!),
        'nobody',
        ann.email,
        md5('stranger@example.com'),
        '',
        'other@example.com',
      ].join('\n'),
    );
    const { audience, bad } = await shown(id);
    expect(audience).toMatchObject({
      state: 'ready',
      size: 4,
      matched: 2,
      match_rate: 50,
      excluded: 0,
      // Someone known only by an MD5 hash is not told by exchanges.
      reachable: 3,
      rows_bad: 1,
      rows_same: 1,
    });
    expect(bad).toEqual([
      { line: 4, value: 'nobody', reason: 'is not an email address, or the SHA-256 or MD5 hash of one' },
    ]);
    // A second run of the job finds it done, and its file is gone.
    await build(id);
    expect((await shown(id)).audience).toMatchObject({ size: 4, rows_same: 1, rows_bad: 1 });
    const folder = join(app.platform.config.dataDir, 'files', 'audiences');
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
  });

  test('postal addresses find who lives there, device ids and IP addresses who was seen with them', async () => {
    const person = app.make.person({ address: '12 North Oak Street', zip: '73301' });
    await app.make.people(root, [person]);
    const home = await made(
      'address,city,state,zip\n12 N. Oak St.,Austin,TX,73301-2222\n1 Nowhere,Austin,TX,73301\n',
      {
        kind: 'address',
      },
    );
    expect((await shown(home)).audience).toMatchObject({ size: 2, matched: 1, reachable: 1 });
    expect(await keysOf(home)).toEqual([{ kind: 1, value: sha256(person.email!) }]);

    const site = await app.make.campaign(client);
    await app.make.leadCost(agency, 0n);
    await app.make.visit(site, { email: person.email!, ip: '67.20.0.9' });
    await app.features.leads.resolver.resolveAll();
    const ips = await made('67.20.0.9\n67.20.0.10\n192.168.0.1\n', { kind: 'ip' });
    expect((await shown(ips)).audience).toMatchObject({ size: 2, matched: 1, rows_bad: 1, reachable: 2 });
    const devices = await made('device_id\n38400000-8cf0-11bd-b23e-10b96e40000d\n', { kind: 'device' });
    expect((await shown(devices)).audience).toMatchObject({ size: 1, matched: 0, reachable: 1 });
  });

  test('who is on a list of the client, the agency, or the root is excluded, also when the list comes later', async () => {
    const people = Array.from({ length: 4 }, () => app.make.person());
    await app.make.people(root, people);
    await app.make.exclusionList(client, 'client', [people[0]!.email!]);
    await app.make.exclusionList(agency, 'agency', [people[1]!.phone!]);
    const id = await made(people.map(({ email }) => sha256(email!)).join('\n'));
    expect((await shown(id)).audience).toMatchObject({ size: 4, excluded: 2, reachable: 2 });
    const before = (await keysOf(id)).map(({ value }) => value);
    expect(before).not.toContain(sha256(people[0]!.email!));
    expect(before).toContain(sha256(people[2]!.email!));
    // An opt-out of the root, uploaded afterwards: the audience is due an hour after it was built.
    await optOut(people[2]!.email!);
    const due = await app.admin.query('select refresh_at from audience where id = $1', [id]);
    expect(due.rows).toEqual([{ refresh_at: new Date(app.clock.now().getTime() + HOUR_MS) }]);
    await build(id);
    expect((await shown(id)).audience).toMatchObject({ size: 4, excluded: 3, reachable: 1 });
    expect((await keysOf(id)).map(({ value }) => value)).toEqual([sha256(people[3]!.email!)]);
    // The demanded domain of an agency's list holds for addresses that no one knows, too.
    await app.make.exclusionList(agency, 'agency', ['blocked.example']);
    const domain = await made('x@blocked.example\ny@free.example\n');
    expect((await shown(domain)).audience).toMatchObject({ size: 2, excluded: 1 });
  });

  test.each([
    ['no file name of CSV rows', 'a@b.example', { consent: 'F' }, 'consent'],
    ['an unknown kind', 'a@b.example', { kind: 'phone' }, 'kind'],
    ['no origin', 'a@b.example', { origin: '' }, 'origin'],
    ['an empty file', '', {}, 'file'],
    ['addresses without their columns', '12 Main St\n', { kind: 'address' }, 'file'],
    ['text that is not UTF-8', '\u0000', { name: '' }, 'name'],
  ] as const)('bad input names its field: %s', async (_what, text, given, field) => {
    const { status, body } = await upload(text, given);
    expect(status).toBe(422);
    expect(Object.keys(body.errors)).toEqual([field]);
  });

  test('too many rows are refused, and a file without one usable row fails with the reason', async () => {
    const many = await upload(Array.from({ length: 250_001 }, (_, i) => `p${i}@example.com`).join('\n'));
    expect(many.status).toBe(422);
    expect(many.body.errors.file![0]).toContain('more than 250,000 records');
    const { body } = await upload('nobody\nno one\n');
    await build(body.data.id);
    expect((await shown(body.data.id)).audience).toMatchObject({
      state: 'failed',
      error: 'No row in the file can be used.',
    });
    const again = await call('client', 'POST', `/${body.data.id}/refresh`, {});
    expect(again.status).toBe(409);
  });

  test('a load that is cut off goes on where it was, and counts no row twice', async () => {
    const { body } = await upload(Array.from({ length: 12_000 }, (_, i) => `p${i}@many.example`).join('\n'));
    const stop = new AbortController();
    const which = { rootId: root.id, audienceId: body.data.id };
    const cut = app.features.adAudiences.loads.build(which, {
      signal: stop.signal,
      advanced: () => stop.abort(),
    });
    await expect(cut).rejects.toThrow();
    expect((await shown(body.data.id)).audience).toMatchObject({ state: 'loading', rows_read: 5_000 });
    await Promise.all([build(body.data.id), build(body.data.id)]);
    expect((await shown(body.data.id)).audience).toMatchObject({
      state: 'ready',
      rows_read: 12_000,
      rows_same: 0,
      size: 12_000,
    });
  });

  test('the same name is not used twice, so a list that is sent again makes no second audience', async () => {
    expect((await upload('a@b.example', { name: 'Twice' })).status).toBe(200);
    const second = await upload('a@b.example', { name: 'twice' });
    expect([second.status, second.body.errors]).toEqual([409, { name: ['is already used'] }]);
  });
});

describe('[SIMP-03] who sees and deletes audiences', () => {
  test('the client, its agency, and the root see it; to anyone else it does not exist', async () => {
    const id = await made('a@b.example\n', { who: 'agency' });
    for (const who of ['client', 'agency', 'root'])
      expect((await shown(id, who)).audience).toMatchObject({ id, size: 1 });
    expect((await call('sibling', 'GET', `/${id}`)).status).toBe(404);
    expect((await call('sibling', 'DELETE', `/${id}`)).status).toBe(404);
    expect((await call('sibling', 'POST', `/${id}/refresh`, {})).status).toBe(404);
    const list = await call('sibling', 'GET', '?PerPage=100');
    expect(list.body.data).toEqual([]);
    const foreign = await app.call('POST', '/api/leadspeek/simplifi/audience', {
      host: HOST,
      token: tokens.sibling!,
      body: { name: 'Mine', source: 'leads', leadspeekID: (await app.make.campaign(client)).id },
    });
    expect(foreign.status).toBe(404);
  });

  test('it cannot be deleted while a campaign uses it; then its people are gone', async () => {
    const id = await made('a@b.example\nnobody\n');
    const ads = await app.make.adCampaign(client);
    await app.make.aim(ads, [id]);
    const refused = await call('client', 'DELETE', `/${id}`);
    expect(refused.status).toBe(409);
    expect(refused.body.message).toMatch(/^Ad campaigns use this audience: #\d+ Ads/);
    await app.make.aim(ads, []);
    expect((await call('client', 'DELETE', `/${id}`)).status).toBe(200);
    await app.features.adAudiences.loads.clear({ rootId: root.id, audienceId: id });
    const { rows } = await app.admin.query(
      `select (select count(*) from audience_member where audience_id = $1)::int as members,
              (select count(*) from audience_key where audience_id = $1)::int as keys,
              (select count(*) from audience_error where audience_id = $1)::int as errors`,
      [id],
    );
    expect(rows[0]).toEqual({ members: 0, keys: 0, errors: 0 });
    expect((await call('client', 'GET', `/${id}`)).status).toBe(404);
  });
});

describe('[SIMP-03] audiences by a definition', () => {
  test('the leads of a campaign come and go with it', async () => {
    const people = [app.make.person(), app.make.person()];
    await app.make.people(root, people);
    await app.make.leadCost(agency, 0n);
    const campaign = await app.make.campaign(client);
    const visit = async (at: number) => {
      await app.make.visit(campaign, { email: people[at]!.email! });
      await app.features.leads.resolver.resolveAll();
    };
    await visit(0);
    const { body } = await call('agency', 'POST', '', {
      name: 'Leads of the shop',
      source: 'leads',
      leadspeekID: campaign.id,
      days: 30,
    });
    const { id } = body.data as unknown as Shown;
    await build(id);
    expect((await shown(id)).audience).toMatchObject({ state: 'ready', size: 1, matched: 1, reachable: 1 });
    // A new lead is in it once it is due again.
    await visit(1);
    app.clock.advance(7 * HOUR_MS);
    await signIn();
    await app.features.adAudiences.queueDue();
    await build(id);
    expect((await shown(id)).audience.size).toBe(2);
    // After thirty days a lead is no longer in it.
    await app.admin.query(
      `update lead set created_at = created_at - interval '40 days' where person_id in (
      select person_id from identity_key where value = $1)`,
      [Buffer.from(sha256(people[0]!.email!), 'hex')],
    );
    await build(id);
    expect((await shown(id)).audience.size).toBe(1);
    const refused = await call('client', 'POST', '', { name: 'No campaign', source: 'leads' });
    expect([refused.status, refused.body.errors]).toEqual([422, { leadspeekID: ['is required'] }]);
  });

  test('a keyword count becomes everyone who shows that intent now', async () => {
    const people = [app.make.person(), app.make.person()];
    await app.make.people(root, people);
    const signal = async (email: string) => {
      const text = `email,keyword,state,city,zip,url,time\n${email},"trail boots",TX,Austin,73301,https://s.example/,${new Date(app.clock.now().getTime() - HOUR_MS).toISOString()}\n`;
      const imports = app.features.people.files;
      async function* bytes() {
        yield Buffer.from(text);
      }
      const { id } = await imports.add(root.id, 's.csv', bytes(), { kind: 'signals' });
      await imports.queue(root.id, id, {});
      expect((await imports.run(root.id, id))!.state).toBe('done');
    };
    await signal(people[0]!.email!);
    const count = await app.call('POST', '/api/bigdbm/services/queuecount', {
      host: HOST,
      token: tokens.client!,
      body: { keyword: 'trail boots', target_location: 'National Targeting', tell: 'F' },
    });
    const countId = (count.body.data as unknown as { id: string }).id;
    const { body } = await call('client', 'POST', '', {
      name: 'Looking for boots',
      source: 'keywords',
      count_id: countId,
    });
    const { id } = body.data as unknown as Shown;
    await build(id);
    expect((await shown(id)).audience).toMatchObject({ size: 1, matched: 1 });
    await signal(people[1]!.email!);
    await build(id);
    expect((await shown(id)).audience.size).toBe(2);
    const foreign = await app.call('POST', '/api/leadspeek/simplifi/audience', {
      host: HOST,
      token: tokens.sibling!,
      body: { name: 'Theirs', source: 'keywords', count_id: countId },
    });
    expect(foreign.status).toBe(404);
  });
});

describe('[SIMP-03] Google and Meta', () => {
  const file = async (id: string, place: 'google' | 'meta') => {
    const token = await app.call('POST', '/api/general/download-token', {
      host: HOST,
      token: tokens.client!,
      body: { path: `/api/leadspeek/simplifi/audience/${id}/${place}.csv` },
    });
    return app.call('GET', String(token.body.url), { host: HOST });
  };

  test('a list of own customers becomes a file of hashes without whoever is excluded', async () => {
    await app.make.exclusionList(client, 'client', ['out@customers.example']);
    const id = await made('in@customers.example\nout@customers.example\n');
    const google = await file(id, 'google');
    expect(google.text).toBe(`Email\r\n${sha256('in@customers.example')}\r\n`);
    expect((await file(id, 'meta')).text.split('\r\n')[0]).toBe('email');
  });

  test('a bought list, leads, and keyword counts are refused with the rule', async () => {
    const bought = await made('in@bought.example\n', { origin: 'other' });
    const refused = await file(bought, 'google');
    expect([refused.status, refused.body.message]).toEqual([
      422,
      'Google forbids lists that were bought, rented, or collected by others. This list was uploaded as one.',
    ]);
    const leads = await call('client', 'POST', '', {
      name: 'Leads for Meta',
      source: 'leads',
      leadspeekID: (await app.make.campaign(client)).id,
    });
    const { id } = leads.body.data as unknown as Shown;
    await build(id);
    expect((await file(id, 'meta')).body.message).toMatch(
      /^Meta takes only people who gave you their details/,
    );
    const { places } = await shown(id);
    expect(places.map(({ place, allowed }) => [place, allowed])).toEqual([
      ['platform', true],
      ['simplifi', true],
      ['google', false],
      ['meta', false],
    ]);
  });
});

describe('[SIMP-01] [SIMP-03] what a campaign is aimed at', () => {
  test('its own client’s audiences only, none both in and out, and the campaign says so', async () => {
    const [inside, outside] = [await app.make.audience(client), await app.make.audience(client)];
    const foreign = await app.make.audience(sibling);
    const ads = await app.make.adCampaign(client);
    const update = (body: object) =>
      app.call('PUT', `/api/leadspeek/simplifi/${ads.id}`, { host: HOST, token: tokens.client!, body });
    const saved = await update({ audiences: [inside], excluded_audiences: [outside] });
    expect(saved.body.data).toMatchObject({ audiences: [inside], excluded_audiences: [outside] });
    expect((await update({ audiences: [foreign] })).body.errors).toEqual({
      audiences: ['must be audiences of this client'],
    });
    expect((await update({ audiences: [outside] })).body.errors).toEqual({
      excluded_audiences: ['must not name an audience that is also included'],
    });
    expect((await update({ dailyBudget: '50' })).body.data).toMatchObject({ audiences: [inside] });
    expect((await update({ audiences: [] })).body.data).toMatchObject({ audiences: [] });
    const { used_by } = (await call('client', 'GET', `/${outside}`)).body as unknown as {
      used_by: { is_excluded: boolean }[];
    };
    expect(used_by).toMatchObject([{ leadspeekID: ads.id, is_excluded: true }]);
  });
});

describe('[BEY-30] what a list says of a single person', () => {
  test('ads are aimed at no one whom a short list names, and not at what a search finds of a single person', async () => {
    Object.assign(COUNTED, WHOLE);
    try {
      const owner = { root_id: root.id, agency_id: agency.id, company_id: client.id };
      const one = await app.make.audience(client, { ips: ['67.31.0.1'] });
      const places = (await shown(one)).places.filter(({ place }) => place === 'platform');
      const reason = 'Ads need at least 100 entries, so that they say nothing about single people.';
      expect(places).toMatchObject([{ allowed: false, reason }]);
      const ads = await app.make.adCampaign(client, { platform: 'house' });
      await expect(app.make.aim(ads, [one])).rejects.toMatchObject({
        errors: { audiences: [`cannot be used: ${reason}`] },
      });
      // To be shown to everyone else says nothing.
      await app.make.aim(ads, [], [one]);
      // A list that is long enough because 99 of its addresses are made up is aimed at no one either.
      const person = app.make.person();
      await app.make.people(root, [person]);
      const padded = await app.make.audience(client, {
        emails: [person.email!, ...Array.from({ length: 120 }, (_, i) => `made-up${i}@people.test`)],
      });
      await app.make.aim(ads, [padded], [one]);
      const aims = await inScope(app.platform.db.app, { rootId: owner.root_id }, (tx) =>
        app.features.adAudiences.aimsOf(tx, [ads.id]),
      );
      const of = new Map(aims.get(ads.id)!.map((aim) => [aim.id, aim]));
      expect(of.get(one)).toMatchObject({ isExcluded: true, isSmall: true });
      expect(of.get(padded)).toMatchObject({ isExcluded: false, isSmall: true, addresses: 0 });
    } finally {
      Object.assign(COUNTED, { least: 0, step: 1, people: 0 });
    }
  });

  test('a small list is not counted and makes no file, a larger one is counted in tens, and uploads are limited', async () => {
    Object.assign(COUNTED, WHOLE);
    app.clock.advance(25 * HOUR_MS);
    await signIn();
    try {
      const [known, gone] = [app.make.person(), app.make.person()];
      await app.make.people(root, [known, gone]);
      await app.make.exclusionList(agency, 'agency', [gone.email!]);
      for (const email of [known.email!, gone.email!]) {
        const id = await made(email);
        const { audience, places } = await shown(id);
        expect(audience).toMatchObject({
          size: 1,
          matched: null,
          match_rate: null,
          excluded: null,
          reachable: null,
        });
        const reason = 'A file needs a list of at least 100 entries.';
        expect(places.find(({ place }) => place === 'google')).toMatchObject({ allowed: false, reason });
        // Nor does the log say it.
        const { rows } = await app.admin.query(
          `select d.description from user_log l join user_log_detail d on d.log_id = l.id
           where l.object_id = $1 and l.action = 'audience.ready'`,
          [id],
        );
        expect(rows.map((row) => row.description).join()).toMatch(/ is ready: 1 entry$/);
      }
      const many = Array.from({ length: 110 }, (_, i) => `padding${i}@people.test`);
      const id = await made([known.email!, gone.email!, ...many].join('\n'));
      expect((await shown(id)).audience).toMatchObject({
        size: 112,
        matched: 0,
        excluded: 0,
        reachable: 110,
      });
      let last = 200;
      for (let i = 0; i < 40 && last === 200; i++) {
        last = (await upload(`x${i}@people.test`)).status;
        // As if it had been made and deleted, so that no other limit is in the way.
        await app.admin.query(
          `update audience set state = 'removed', removed_at = now() where company_id = $1 and state = 'queued'`,
          [client.id],
        );
      }
      expect(last).toBe(429);
    } finally {
      Object.assign(COUNTED, { least: 0, step: 1, people: 0 });
    }
  });
});

describe('[BEY-30] no client keeps others’ audiences from being built', () => {
  const waiting = async (ids: string[]): Promise<string[]> =>
    (
      await app.admin.query<{ id: string }>(
        `select data ->> 'audienceId' as id from pgboss.job where name = 'audiences.build' and state < 'active'
           and data ->> 'audienceId' = any($1) order by priority desc, created_on, id`,
        [ids],
      )
    ).rows.map(({ id }) => id);
  const queueDue = () => app.features.adAudiences.queueDue();

  test('lists that come into force make an audience due once an hour, it waits once, and behind new ones', async () => {
    await app.admin.query(`delete from pgboss.job where name = 'audiences.build'`);
    const ids: string[] = [];
    for (let at = 0; at < 30; at++)
      ids.push(await app.make.audience(client, { emails: [`due${at}@people.test`] }));
    await optOut('first@listed.test');
    await queueDue();
    expect(await waiting(ids)).toEqual([]);
    app.clock.advance(HOUR_MS);
    await signIn();
    await queueDue();
    expect((await waiting(ids)).sort()).toEqual(ids.toSorted());
    for (const email of ['second@listed.test', 'third@listed.test']) {
      await optOut(email);
      app.clock.advance(60_000);
      await queueDue();
    }
    expect(await waiting(ids)).toHaveLength(30);
    // What someone waits for is built before them.
    const site = await app.make.campaign(sibling);
    const { body } = await app.call('POST', '/api/leadspeek/simplifi/audience', {
      host: HOST,
      token: tokens.sibling!,
      body: { name: 'New', source: 'leads', leadspeekID: site.id },
    });
    const id = (body.data as unknown as Shown).id;
    expect((await waiting([...ids, id]))[0]).toBe(id);
    // Once built, it can wait again: what came into force since it was queued is known to it.
    await build(ids[0]!);
    await queueDue();
    app.clock.advance(2 * HOUR_MS);
    await signIn();
    await optOut('fourth@listed.test');
    await queueDue();
    expect((await waiting(ids)).filter((one) => one === ids[0])).toHaveLength(2);
    // A job that failed for good leaves none behind.
    app.clock.advance(25 * HOUR_MS);
    await signIn();
    await queueDue();
    expect((await waiting(ids)).filter((one) => one === ids[1])).toHaveLength(2);
  });

  test('the graph is read once for all postal addresses, and a build that is cut off goes on where it was', async () => {
    const neighbors = [
      app.make.person({ address: '7 Elm Street', zip: '60601' }),
      app.make.person({ address: '2999 Main St', zip: '60601' }),
    ];
    await app.make.people(root, neighbors);
    const { body } = await upload(
      `address,city,state,zip\n7 Elm St,Chicago,IL,60601\n${Array.from({ length: 2999 }, (_, n) => `${n + 1} Main St,Chicago,IL,60601`).join('\n')}`,
      { kind: 'address' },
    );
    const id = body.data.id;
    // Counts the streets that are compared: those listed, and those of the people with their ZIP codes.
    await app.admin.query(`
      alter function street_form(text) rename to street_form_of;
      create sequence streets;
      grant usage on sequence streets to public;
      create function street_form(street text) returns text language plpgsql as $$
      begin perform nextval('streets'); return street_form_of(street); end $$`);
    try {
      const stop = new AbortController();
      const cut = app.features.adAudiences.loads.build(
        { rootId: root.id, audienceId: id },
        {
          signal: stop.signal,
          advanced: () => void (isStaged() && stop.abort()),
        },
      );
      // The file is read in one batch, which advances it once.
      let advances = 0;
      const isStaged = () => ++advances > 1;
      await expect(cut).rejects.toThrow();
      const { rows } = await app.admin.query(
        `select checked_to, (select id from audience_member where audience_id = $1 order by id offset 999 limit 1) as last
         from audience where id = $1`,
        [id],
      );
      expect(rows[0].checked_to).toBe(rows[0].last);
      // Not compared once more.
      await app.admin.query(
        `update audience_member set is_matched = true where id = (
           select id from audience_member where audience_id = $1 order by id offset 10 limit 1)`,
        [id],
      );
      // What comes into force meanwhile makes it due again.
      await optOut(neighbors[0]!.email!);
      await build(id);
    } finally {
      await app.admin.query(`
        drop function street_form(text); alter function street_form_of(text) rename to street_form`);
    }
    const { rows: streets } = await app.admin.query('select last_value::int as n from streets');
    expect(streets).toEqual([{ n: 3002 }]);
    expect((await shown(id)).audience).toMatchObject({ size: 3000, matched: 3, excluded: 0 });
    await app.admin.query(`delete from pgboss.job where name = 'audiences.build'`);
    await queueDue();
    expect(await waiting([id])).toEqual([id]);
    await build(id);
    expect((await shown(id)).audience).toMatchObject({ size: 3000, matched: 2, excluded: 1 });
  });
});
