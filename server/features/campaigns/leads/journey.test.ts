import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { addressOf, cameBy } from './journey.policy.ts';

const HOST = 'acme.test';
const USD = 1_000_000n;
let app: TestApp;
let root: Company;
let client: Company;
let campaign: MadeCampaign;
let token: string;
let leadId: string;
const browser = '0198f000-0000-7000-8000-00000000000a';

const journey = async (page = 1, perPage = 50, as = token) => {
  const { status, body } = await app.call(
    'GET',
    `/api/leadspeek/report/lead/${leadId}/journey?Page=${page}&PerPage=${perPage}`,
    { host: HOST, token: as },
  );
  return { status, body: body as unknown as { total: number; data: Record<string, unknown>[] } };
};
/** A visit that was worked off: of a person, or of no one known. */
async function visited(
  minutesAgo: number,
  given: {
    of?: MadeCampaign;
    person?: string | null;
    url?: string;
    title?: string;
    referrer?: string;
    event?: string;
    visitor?: string | null;
  },
): Promise<void> {
  const of = given.of ?? campaign;
  const at = new Date(app.clock.now().getTime() - minutesAgo * 60_000);
  await app.admin.query('call ensure_visit_partitions($1::date, $1::date)', [at]);
  await app.admin.query(
    `insert into visit (day, event_id, root_id, agency_id, company_id, campaign_id, received_at, visitor_id, url, title, referrer, event, person_id, resolved_at, outcome)
     select $1::timestamptz::date, $2, root_id, agency_id, company_id, id, $1, $3, $4, $5, $6, $7, $8, $1, 'duplicate' from campaign where id = $9`,
    [
      at,
      newId(at),
      given.visitor === undefined ? browser : given.visitor,
      given.url ?? 'https://shop.example.com/',
      given.title ?? null,
      given.referrer ?? null,
      given.event ?? 'view',
      given.person ?? null,
      of.id,
    ],
  );
}

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  const agency = await app.make.agency(root, { host: HOST });
  await app.make.leadCost(agency, 900_000n);
  client = await app.make.client(agency);
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
  await app.make.user(root, { email: 'root@x.test', password: PASSWORD });
  const other = await app.make.client(agency);
  await app.make.user(other, { email: 'other@x.test', password: PASSWORD });
  campaign = await app.make.campaign(client, { price: 2n * USD, balance: 100n * USD });
  const person = app.make.person();
  await app.make.people(root, [person]);
  await app.make.visit(campaign, { email: person.email });
  await app.features.leads.resolver.resolveAll();
  const { rows } = await app.admin.query('select id, person_id from lead where campaign_id = $1', [
    campaign.id,
  ]);
  leadId = rows[0].id;
  const of = rows[0].person_id as string;
  app.clock.advance(86_400_000);
  await visited(300, {
    person: of,
    title: '<img src=x onerror=alert(1)>',
    url: 'https://shop.example.com/tents?utm_source=news&utm_campaign=Spring%00%20sale&gclid=abc123',
    referrer: 'javascript:alert(1)',
  });
  await visited(298, { person: of, url: 'https://shop.example.com/checkout', event: 'view' });
  await visited(200, { url: 'javascript:alert(document.cookie)', title: 'Before they were known' });
  await visited(100, { person: of, event: 'thanks' });
  // Not theirs: another browser's, another campaign's, and another person's.
  await visited(90, { visitor: '0198f000-0000-7000-8000-00000000000b' });
  await visited(80, { of: await app.make.campaign(client), person: of });
  await visited(70, { person: newId(app.clock.now()), visitor: null });
  token = await app.signIn('client@x.test', HOST);
});
afterAll(() => app.close());

describe('[BEY-16] the journey of a lead', () => {
  test('has their visits with pages and where they came from, the lead, and no one else’s', async () => {
    const { status, body } = await journey();
    expect([status, body.total]).toEqual([200, 6]);
    expect(body.data.map(({ kind }) => kind)).toEqual(['thanks', 'view', 'view', 'view', 'lead', 'view']);
    expect(body.data[1]).toMatchObject({
      title: 'Before they were known',
      is_recognized: false,
      page_url: null,
    });
    expect(body.data[3]).toMatchObject({
      title: '<img src=x onerror=alert(1)>',
      page_url: expect.stringMatching(/^https:\/\/shop\.example\.com\/tents\?/),
      referrer: null,
      seconds: 120,
      is_recognized: true,
      came_by: { source: 'news', medium: null, campaign: 'Spring sale', click_id: 'gclid abc123' },
    });
    // The page before the next one of an hour later was not read for an hour.
    expect(body.data[2]).toMatchObject({ page_url: 'https://shop.example.com/checkout', seconds: null });
    const pages = await Promise.all([1, 2, 3].map((page) => journey(page, 2)));
    expect(pages.flatMap(({ body }) => body.data)).toEqual(body.data);
  });

  test('says when its person was merged, why, and when that was undone, but not with whom', async () => {
    const own = { external_id: 'own', last_name: 'Own', email: 'own@merge.example', phone: '+15045550101' };
    const other = {
      external_id: 'other',
      last_name: 'Other',
      email: 'other@merge.example',
      phone: own.phone,
    };
    const merged = await app.make.campaign(client, { price: 2n * USD, balance: 100n * USD });
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.people.addPeople(tx, root.id, [own, other], 'import: a.csv'),
    );
    const person = async (name: string): Promise<string> =>
      (await app.admin.query('select id from person where last_name = $1', [name])).rows[0].id;
    const [kept, absorbed] = [await person('Other'), await person('Own')];
    await app.make.visit(merged, { email: own.email });
    await app.features.leads.resolver.resolveAll();
    const lead = await app.admin.query('select id from lead where campaign_id = $1', [merged.id]);
    const steps = async () => {
      const { body } = await app.call('GET', `/api/leadspeek/report/lead/${lead.rows[0].id}/journey`, {
        host: HOST,
        token: await app.signIn('client@x.test', HOST),
      });
      return body.data as unknown as Record<string, unknown>[];
    };
    expect((await steps()).map(({ kind }) => kind)).toEqual(['lead', 'view']);
    expect((await steps())[0]).toMatchObject({
      match_type: 'email_sha256',
      confidence: expect.any(Number),
      price_micros: 2_000_000,
    });
    const asRoot = async (url: string, body: object) => {
      const as = await app.signIn('root@x.test', 'root.test');
      const answer = await app.call('POST', `/api/identity/merges${url}`, {
        host: 'root.test',
        token: as,
        body,
      });
      expect(answer.status).toBe(200);
      return answer.body.data as unknown as { id: string };
    };
    app.clock.advance(60_000);
    const { id } = await asRoot('', { kept, absorbed });
    app.clock.advance(60_000);
    // The other one's visit is now this person's.
    await app.make.visit(merged, { email: other.email });
    await app.features.leads.resolver.resolveAll();
    const during = await steps();
    expect(during.map(({ kind }) => kind)).toEqual(['view', 'merge', 'lead', 'view']);
    expect(during[1]).toMatchObject({ id, shared: ['phone'] });
    expect(JSON.stringify(during)).not.toMatch(/Other|other@merge/);
    expect(JSON.stringify(during)).not.toContain(kept);
    app.clock.advance(60_000);
    await asRoot(`/${id}/undo`, {});
    const after = await steps();
    expect(after.map(({ kind }) => kind)).toEqual(['unmerge', 'merge', 'lead', 'view']);
    expect(after[0]).toMatchObject({ id, at: app.clock.now().toISOString() });
  });

  test('has the signals that a Search ID lead was found by', async () => {
    await app.admin.query(
      `update lead set evidence = jsonb_build_object('signals', $2::jsonb) where id = $1`,
      [
        leadId,
        JSON.stringify([
          { keyword: '<b>tents</b>', url: 'javascript:alert(1)', at: '2020-01-01T00:00:00.000Z' },
        ]),
      ],
    );
    const signal = (await journey()).body.data.at(-1);
    expect(signal).toMatchObject({ kind: 'signal', keyword: '<b>tents</b>', page_url: null });
  });

  test('is its client’s and its agency’s alone', async () => {
    expect((await journey(1, 10, await app.signIn('other@x.test', HOST))).status).toBe(404);
  });

  test('what strangers write into addresses is text, or nothing', () => {
    for (const text of ['javascript:alert(1)', 'data:text/html,x', 'https://a:b@x.test/', '//x', '', null])
      expect([text, addressOf(text), cameBy(text)]).toEqual([text, null, null]);
    const long = `https://x.test/?utm_source=${'a'.repeat(500)}`;
    expect(cameBy(long)?.source).toHaveLength(120);
    expect(cameBy('https://x.test/?utm_source=a%00%1bb')?.source).toBe('ab');
    expect(cameBy('https://x.test/?q=1')).toBeNull();
    expect(addressOf(`https://x.test/${'a'.repeat(2_000)}`)).toBeNull();
  });
});
