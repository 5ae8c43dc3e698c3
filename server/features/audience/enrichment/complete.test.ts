import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../platform/clock.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { startPdlServer } from '../../../test/pdl-server.ts';
import type { SendPayload } from '../../campaigns/delivery/queue.ts';
import { WAIT_MS } from './complete.service.ts';

const HOST = 'complete.test';
const [GENDER, VETERAN, JOB_TITLE, SENIORITY] = [2, 10, 101, 103] as const;
let server: Awaited<ReturnType<typeof startPdlServer>>;
let app: TestApp;
let clock: ManualClock;
let root: Company;
let client: Company;
let token: string;

beforeAll(async () => {
  server = await startPdlServer('right');
  clock = new ManualClock(new Date('2026-03-10T15:00:00Z'));
  app = await testApp({ clock, settings: { pdlApiBase: server.base } });
  root = await app.make.root({ host: HOST });
  client = await app.make.client(await app.make.agency(root));
  await app.make.user(root, { email: 'root@complete.test', password: PASSWORD });
  token = await app.signIn('root@complete.test', HOST);
});
afterAll(async () => {
  await app?.close();
  await server?.close();
});
beforeEach(() => {
  server.asked.length = 0;
  server.faults.length = 0;
});

const call = (method: 'GET' | 'PUT', path: string, body?: object) =>
  app.call(method, `/api/configuration/data-enrichment${path}`, {
    host: HOST,
    token,
    ...(body ? { body } : {}),
  });
const setKey = (key: string) => call('PUT', '/sources', { provider: 'pdl', key });
const source = async () =>
  ((await call('GET', '/sources')).body.data as unknown as Record<string, unknown>[])[0]!;
const chooseVendor = async () => {
  const { data } = (await call('GET', '')).body as unknown as { data: { fields: { id: number }[] } };
  return call('PUT', '', {
    companyID: root.id,
    information: data.fields.map((field) => field.id),
    providers: ['embedded', 'pdl'],
  });
};

/** Creates a lead of a person of whom only the job title is known, with a webhook. */
async function newLead(asked: number[], email?: string) {
  const campaign = await app.make.campaign(client);
  await app.admin.query('update campaign set advance_information = $2 where id = $1', [campaign.id, asked]);
  await app.admin.query(
    `insert into integration (id, root_id, agency_id, company_id, campaign_id, kind, url, secret_sealed, state, created_at, updated_at)
     select gen_random_uuid(), root_id, agency_id, company_id, id, 'webhook', 'https://crm.example/hook', 'x', 'enabled', now(), now()
     from campaign where id = $1`,
    [campaign.id],
  );
  const person = app.make.person({ job_title: 'Baker', ...(email ? { email } : {}) });
  await app.make.people(root, [person]);
  await app.make.visit(campaign, { email: person.email });
  await app.features.leads.resolver.resolveAll();
  const { rows } = await app.admin.query('select id from lead where campaign_id = $1', [campaign.id]);
  return { leadId: rows[0].id as string, person };
}
const run = (leadId: string) => app.features.enrichment.completion.run({ rootId: root.id, leadId });
const data = async (leadId: string) =>
  (await app.admin.query('select fields, waits_until from lead_data where lead_id = $1', [leadId]))
    .rows[0] as {
    fields: Record<string, string | null>;
    waits_until: Date | null;
  };
const dueAt = async (leadId: string) =>
  (await app.admin.query('select next_at from delivery where lead_id = $1', [leadId])).rows[0]
    .next_at as Date;
/** Returns the payloads of the jobs for a lead's webhook. */
const sendings = async (leadId: string) =>
  (
    await app.admin.query(
      `select j.data from pgboss.job j join delivery d on d.id = (j.data->>'deliveryId')::uuid
       where j.name = 'delivery.send' and d.lead_id = $1`,
      [leadId],
    )
  ).rows.map((row) => row.data as SendPayload);
const attempts = async (leadId: string) =>
  (
    await app.admin.query(
      `select 1 from delivery_attempt a join delivery d on d.id = a.delivery_id where d.lead_id = $1`,
      [leadId],
    )
  ).rows.length;
/** Returns when the jobs for a lead's webhook may start. */
const sends = async (leadId: string) =>
  (
    await app.admin.query(
      `select j.start_after from pgboss.job j join delivery d on d.id = (j.data->>'deliveryId')::uuid
       where j.name = 'delivery.send' and d.lead_id = $1 order by j.start_after`,
      [leadId],
    )
  ).rows.length;
const tries = async (leadId: string) =>
  (
    await app.admin.query(
      `select 1 from pgboss.job where name = 'enrichment.complete' and data->>'leadId' = $1`,
      [leadId],
    )
  ).rows.length;

describe('[CONF-04] a vendor completes what the own people data does not say', () => {
  test('only with a key, and only where it is chosen; the key is sealed and never told', async () => {
    expect(await source()).toMatchObject({ connected: false, asked: 0 });
    await chooseVendor();
    expect((await data((await newLead([GENDER])).leadId)).waits_until).toBeNull(); // no key
    expect((await setKey('with a space')).status).toBe(422);
    const set = await setKey('right');
    expect([set.status, set.text.includes('right')]).toEqual([200, false]);
    const { rows } = await app.admin.query('select key_sealed from data_provider');
    expect(rows[0].key_sealed).not.toContain('right');
    expect((await call('GET', '')).text).not.toContain('right');
    expect((await data((await newLead([JOB_TITLE])).leadId)).waits_until).toBeNull(); // known already
    expect((await data((await newLead([VETERAN])).leadId)).waits_until).toBeNull(); // the vendor never knows that
    expect(server.asked).toEqual([]);
  });

  test('what is found fills what is missing and nothing else, and the lead goes out at once', async () => {
    const { leadId, person } = await newLead([GENDER, JOB_TITLE, SENIORITY]);
    const until = new Date(clock.now().getTime() + WAIT_MS);
    expect(await data(leadId)).toEqual({
      fields: { gender: null, job_title: 'Baker', seniority: null },
      waits_until: until,
    });
    expect([await dueAt(leadId), await sends(leadId)]).toEqual([until, 1]);
    server.people.set(person.email, {
      sex: 'male',
      job_title: 'king',
      job_title_role: 'sales',
      birth_year: 1980,
    });
    clock.advance(1000);
    await run(leadId);
    await run(leadId);
    expect(await data(leadId)).toEqual({
      fields: { gender: 'M', job_title: 'Baker', seniority: null },
      waits_until: null,
    });
    expect([await dueAt(leadId), await sends(leadId)]).toEqual([clock.now(), 2]);
    expect(server.asked).toHaveLength(1);
    expect(server.asked[0]!.body.required).toBe('sex OR job_title_levels');
    expect(await source()).toMatchObject({
      connected: true,
      asked: 1,
      found: 1,
      failed: 0,
      last_error: null,
    });
  });

  test('nobody found: the lead goes out with what is there', async () => {
    const { leadId } = await newLead([GENDER]);
    await run(leadId);
    expect(await data(leadId)).toEqual({ fields: { gender: null }, waits_until: null });
    expect(await sends(leadId)).toBe(2);
    expect(await source()).toMatchObject({ asked: 2, found: 1, failed: 0 });
  });

  test('a busy vendor is asked again while the lead waits, and not beyond', async () => {
    const { leadId, person } = await newLead([GENDER]);
    server.people.set(person.email, { sex: 'female' });
    server.faults.push((reply) => reply.writeHead(429, { 'retry-after': '5' }).end());
    await run(leadId);
    expect((await data(leadId)).waits_until).not.toBeNull();
    expect([await sends(leadId), await tries(leadId)]).toEqual([1, 2]);
    server.faults.push((reply) => reply.writeHead(429, { 'retry-after': '3600' }).end());
    await run(leadId);
    expect(await data(leadId)).toEqual({ fields: { gender: null }, waits_until: null });
    expect([await sends(leadId), await tries(leadId)]).toEqual([2, 2]);
    expect(await source()).toMatchObject({ failed: 1, last_error: 'It received too many requests (429).' });
  });

  test('one of two jobs sends: the one that waits for the last moment leaves a lead that was completed to the other', async () => {
    const { leadId } = await newLead([GENDER]);
    clock.advance(1000);
    await run(leadId);
    const jobs = await sendings(leadId);
    const late = jobs.find((job) => job.dueAt);
    const now = jobs.find((job) => !job.dueAt);
    // The first may take so long that the other starts while it is in progress and nothing is recorded yet.
    await app.features.delivery.attempt(late!);
    expect(await attempts(leadId)).toBe(0);
    await app.features.delivery.attempt(now!);
    expect(await attempts(leadId)).toBe(1);
  });

  test('who is completed after the last moment is on its way already, and is not sent again', async () => {
    const { leadId } = await newLead([GENDER]);
    const [waiting] = await sendings(leadId);
    server.faults.push((reply) => {
      clock.advance(WAIT_MS);
      reply.writeHead(404).end();
    });
    await run(leadId);
    expect((await data(leadId)).waits_until).toBeNull();
    expect(await sends(leadId)).toBe(1);
    await app.features.delivery.attempt(waiting!);
    expect(await attempts(leadId)).toBe(1);
  });

  test('who came onto an exclusion list meanwhile is not named to the vendor', async () => {
    const { leadId, person } = await newLead([GENDER]);
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
        clock.now(),
      ),
    );
    await run(leadId);
    expect(server.asked).toEqual([]);
    expect((await data(leadId)).waits_until).toBeNull();
  });

  test('a job that comes too late asks no one; a refused key is said and holds nothing up', async () => {
    const late = await newLead([GENDER]);
    clock.advance(WAIT_MS + 1);
    await run(late.leadId);
    expect(server.asked).toEqual([]);
    expect((await data(late.leadId)).waits_until).toBeNull();
    await setKey('wrong');
    const { leadId } = await newLead([GENDER]);
    await run(leadId);
    expect((await data(leadId)).waits_until).toBeNull();
    expect(await source()).toMatchObject({
      asked: 1,
      failed: 1,
      last_error: 'It did not accept the key (401).',
    });
    await setKey('');
    expect(await source()).toMatchObject({ connected: false, asked: 0, last_error: null });
  });
});
