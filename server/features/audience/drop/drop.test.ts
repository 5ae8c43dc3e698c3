import { createHash } from 'node:crypto';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { simulatedEmail } from '../../../providers/drop/simulated.ts';
import { type DropStub, type StubLists, startDropStub } from '../../../providers/drop/stub.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { duesOf } from '../../../test/dues.ts';
import type { Company, MadePerson } from '../../../test/factories.ts';

const USD = 1_000_000n;
const DAY_MS = 86_400_000;
let app: TestApp;
let stub: DropStub;
let root: Company;
let owner: string;
let dues: ReturnType<typeof duesOf>;
let agency: Awaited<ReturnType<typeof agencyOf>>;

beforeAll(async () => {
  stub = await startDropStub();
  app = await testApp({ settings: { dropApiBase: stub.base } });
  await app.make.root({ host: 'first.test', isMaster: true });
});
afterAll(async () => {
  await app.close();
  await stub.close();
});
// A root for each test, since its lists are in force for all that it has.
let serial = 0;
/** An agency of a root, its owner signed in, as dues makes them for one root. */
async function agencyOf(of: Company) {
  const host = `drop-agency${serial}.test`;
  const company = await app.make.agency(of, { host });
  const owner = { root_id: of.id, agency_id: company.id, company_id: company.id };
  await app.features.billing.accounts.sandboxAccount(owner, 'approve');
  const { email } = await app.make.user(company, { password: PASSWORD });
  return { company, host, email };
}
async function freshRoot() {
  const host = `drop${++serial}.test`;
  root = await app.make.root({ host });
  owner = (await app.make.user(root, { password: PASSWORD })).email;
  dues ??= duesOf(app, root);
  agency = await agencyOf(root);
  await app.make.leadCost(agency.company, 2n * USD);
  return host;
}

interface State {
  mode: string | null;
  has_key: boolean;
  due_at: string | null;
  urgency: string | null;
  last_error: string | null;
  standing: { list: string; entries: number }[];
  batches: {
    name: string;
    state: string;
    entries: number;
    removed: number;
    deleted: number;
    opted_out: number;
    not_found: number;
    amended: number;
  }[];
  events: { is_fault: boolean; words: string }[];
}
async function call(host: string, method: 'GET' | 'PUT' | 'POST', path: string, body?: object) {
  const response = await app.server.inject({
    method,
    url: `/api${path}`,
    headers: {
      host,
      authorization: `Bearer ${await app.signIn(owner, host)}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  });
  return { status: response.statusCode, body: response.json() };
}
const stateOf = async (host: string): Promise<State> => (await call(host, 'GET', '/privacy-drop')).body;
const setUp = (host: string, body: object) => call(host, 'PUT', '/privacy-drop', body);
/** The run of a day, with the pause that the service asks for. */
async function cycle() {
  app.clock.advance(DAY_MS);
  await app.features.drop.run(root.id);
  app.clock.advance(61_000);
  await app.features.drop.run(root.id);
}

// By the rules of the service's documentation, apart from the product's own code.
const sha = (text: string): string => createHash('sha256').update(text, 'utf8').digest('base64');
const emailEntry = (email: string) => ({ id: idOf(), hash: sha(email.replace(/\s/g, '').toLowerCase()) });
const phoneEntry = (phone: string) => ({ id: idOf(), hash: sha(phone.replace(/\D/g, '').slice(-10)) });
let ids = 0;
const idOf = (): string => `Id${String(++ids).padStart(10, '0')}`;

/** Whether someone who is imported and visits a site becomes a lead. */
async function sells(person: MadePerson): Promise<boolean> {
  const client = await dues.client(agency);
  const campaign = await app.make.campaign(client.company, { price: 3n * USD, balance: 90n * USD });
  app.clock.advance(1000);
  await app.features.visits.keepPartitions();
  await app.make.people(root, [person]);
  await app.make.visit(campaign, {
    email: person.email!,
    visitorId: crypto.randomUUID(),
    url: 'https://shop.example.com/a',
  });
  await app.features.leads.resolver.resolveAll();
  const { rows } = await app.admin.query('select id from lead where campaign_id = $1', [campaign.id]);
  return rows.length > 0;
}
const inGraph = async (email: string): Promise<boolean> =>
  (await app.admin.query('select from person where root_id = $1 and email = $2', [root.id, email])).rows
    .length > 0;
const give = (lists: StubLists) => void stub.coming.push(lists);

test('[BEY-07] a download is matched, deletes people, is answered row by row, and suppresses whoever was not found', async () => {
  const host = await freshRoot();
  const known = app.make.person();
  const byPhone = app.make.person({ phone: '+12135550117' });
  const [one, other] = [
    app.make.person({ phone: '+12135550118' }),
    app.make.person({ phone: '+12135550118' }),
  ];
  const later = app.make.person();
  const laterByPhone = app.make.person({ phone: '+12135550119' });
  const innocent = app.make.person();
  expect(await sells(known)).toBe(true);
  await app.make.people(root, [byPhone, one, other, innocent]);
  const entries = {
    known: emailEntry(known.email!),
    later: emailEntry(later.email!),
    phone: phoneEntry('(213) 555-0117'),
    shared: phoneEntry('213.555.0118'),
    laterPhone: phoneEntry('213-555-0119'),
    birth: { id: idOf(), hash: sha('someone by name, birth, and ZIP') },
  };
  give({
    lists: {
      Email: [entries.known, entries.later],
      Phone: [entries.phone, entries.shared, entries.laterPhone],
      NDZ: [entries.birth],
    },
  });
  expect((await setUp(host, { mode: 'live' })).body.errors).toEqual({ key: ['is required'] });
  expect((await setUp(host, { mode: 'live', key: stub.key })).status).toBe(200);
  await cycle();

  const state = await stateOf(host);
  expect(state.last_error).toBeNull();
  expect(state.batches).toMatchObject([
    { state: 'complete', entries: 6, deleted: 2, opted_out: 1, not_found: 3 },
  ]);
  expect(stub.isOpen()).toBe(false);
  const answered = (list: string, entry: { id: string }) => stub.answers.get(`${list} ${entry.id}`);
  expect([
    answered('Email', entries.known),
    answered('Email', entries.later),
    answered('Phone', entries.phone),
    answered('Phone', entries.shared),
    answered('Phone', entries.laterPhone),
    answered('NDZ', entries.birth),
  ]).toEqual([3, 5, 3, 4, 5, 5]);
  // What is in force is counted with each load, not with each look at the page.
  const inForce = async () =>
    Object.fromEntries((await stateOf(host)).standing.map(({ list, entries: many }) => [list, many]));
  expect(await inForce()).toMatchObject({ Email: 2, Phone: 3, NDZ: 1, MAID: 0 });
  await app.admin.query('update drop_entry set removed_at = now() where root_id = $1', [root.id]);
  expect(await inForce()).toMatchObject({ Email: 2, Phone: 3, NDZ: 1 });
  await app.admin.query('update drop_entry set removed_at = null where root_id = $1', [root.id]);
  expect([await inGraph(known.email!), await inGraph(byPhone.email!)]).toEqual([false, false]);
  expect([await inGraph(one.email!), await inGraph(innocent.email!)]).toEqual([true, true]);

  // What a delivery that was under way wrote meanwhile is erased two hours later.
  const { rows: gone } = await app.admin.query(
    `select data from pgboss.job where name = 'privacy.gone' and data->>'rootId' = $1`,
    [root.id],
  );
  expect(gone).toHaveLength(2);
  const written = () =>
    app.admin.query('select from lead_contact where root_id = $1 and email = $2', [root.id, known.email]);
  await app.admin.query(
    `insert into lead_contact (lead_id, root_id, agency_id, company_id, campaign_id, created_at, email)
     select id, root_id, agency_id, company_id, campaign_id, created_at, $2 from lead where root_id = $1
     order by created_at limit 1`,
    [root.id, known.email],
  );
  expect((await written()).rowCount).toBe(1);
  for (const { data } of gone) await app.features.privacy.eraseGone(data);
  expect((await written()).rowCount).toBe(0);

  // Nobody on the lists is sold any more: neither who was unknown so far, nor those who share a number.
  expect(await sells(later)).toBe(false);
  expect(await sells(laterByPhone)).toBe(false);
  expect(await sells(one)).toBe(false);
  expect(await sells(innocent)).toBe(true);

  // They are deleted with the next run, and California is told so.
  await cycle();
  expect([await inGraph(later.email!), await inGraph(laterByPhone.email!)]).toEqual([false, false]);
  expect([answered('Email', entries.later), answered('Phone', entries.laterPhone)]).toEqual([3, 3]);
  expect((await stateOf(host)).batches[0]).toMatchObject({ amended: 2 });
});

test('[BEY-07] a withdrawn entry no longer suppresses, unless another one has the same hash', async () => {
  const host = await freshRoot();
  const [back, still] = [app.make.person(), app.make.person()];
  const entry = emailEntry(back.email!);
  const [first, second] = [emailEntry(still.email!), emailEntry(still.email!)];
  give({ lists: { Email: [entry, first, second] } });
  give({ lists: { Email: [] }, removed: [entry, first].map((each) => ({ ...each, list: 'Email' })) });
  await setUp(host, { mode: 'live', key: stub.key });
  await cycle();
  expect((await stateOf(host)).standing.find((row) => row.list === 'Email')?.entries).toBe(3);
  await cycle();
  const state = await stateOf(host);
  expect(state.standing.find((row) => row.list === 'Email')?.entries).toBe(1);
  expect(state.batches.map((batch) => [batch.state, batch.removed])).toEqual([
    ['complete', 2],
    ['complete', 0],
  ]);
  expect(await sells(back)).toBe(true);
  expect(await sells(still)).toBe(false);
});

test('[BEY-07] an answer that got lost is not sent twice, and a wrong key is said and mended', async () => {
  const host = await freshRoot();
  give({ lists: { Email: [emailEntry('nobody@nowhere.example')] } });
  await setUp(host, { mode: 'live', key: 'wrong' });
  await cycle();
  expect((await stateOf(host)).last_error).toContain('The API key is missing or invalid');
  await setUp(host, { mode: 'live', key: stub.key });
  stub.faults.loseAnswer = true;
  await cycle();
  expect(await stateOf(host)).toMatchObject({
    last_error: 'The service cannot be reached.',
    batches: [{ state: 'answering' }],
  });
  stub.faults.status = 500;
  await cycle();
  expect((await stateOf(host)).last_error).toBe('The service answered with status 500.');
  stub.faults.status = 0;
  give({ lists: { Email: [emailEntry('nobody.else@nowhere.example')] } });
  app.clock.advance(DAY_MS);
  await app.features.drop.run(root.id);
  const state = await stateOf(host);
  expect(state.events.map((one) => one.words).filter((words) => words.startsWith('Answered'))).toHaveLength(
    1,
  );
  expect(state.batches.map((batch) => batch.state)).toContain('complete');
  stub.coming.length = 0;
});

test('[BEY-07] owners are warned by email once a day when the 45 days are nearly over', async () => {
  const host = await freshRoot();
  await setUp(host, { mode: 'live', key: stub.key });
  await app.features.drop.run(root.id);
  const warnings = async () =>
    (await app.features.mail.outbox({ rootId: root.id }, 100)).filter((mail) => mail.kind === 'drop.warning');
  app.clock.advance(34 * DAY_MS);
  await app.features.drop.warn(root.id);
  expect(await warnings()).toHaveLength(0);
  app.clock.advance(2 * DAY_MS);
  await app.features.drop.warn(root.id);
  await app.features.drop.warn(root.id);
  expect((await warnings()).map((mail) => [mail.to_address, mail.subject])).toEqual([
    [owner, 'California’s deletion lists are due soon'],
  ]);
  expect((await stateOf(host)).urgency).toBe('soon');
  app.clock.advance(10 * DAY_MS);
  await app.features.drop.warn(root.id);
  expect((await warnings())[0]!.subject).toBe('California’s deletion lists are overdue');
  expect((await stateOf(host)).urgency).toBe('late');
});

test('[BEY-07] the simulated lists show two cycles and are gone when California is connected, which cannot be undone', async () => {
  const host = await freshRoot();
  const person = app.make.person({ email: simulatedEmail(1) });
  await app.make.people(root, [person]);
  expect((await call(host, 'POST', '/privacy-drop/run', {})).status).toBe(409);
  expect((await setUp(host, { mode: 'simulated' })).status).toBe(200);
  await app.features.drop.run(root.id);
  app.clock.advance(2 * DAY_MS);
  await app.features.drop.run(root.id);
  expect((await stateOf(host)).batches).toMatchObject([
    { state: 'complete', entries: 2, removed: 1 },
    { state: 'complete', entries: 20, deleted: 1, not_found: 19 },
  ]);
  expect(await sells(person)).toBe(false);
  expect((await setUp(host, { mode: 'live', key: stub.key })).body.data).toMatchObject({
    batches: [],
    mode: 'live',
  });
  const { rows } = await app.admin.query(
    `select l.emails, l.phone_hashes, (select count(*)::int from exclusion e where e.list_id = l.id) as n
     from exclusion_list l where owner_id = $1 and standing_for = 'drop'`,
    [root.id],
  );
  expect(rows).toEqual([{ emails: 0n, phone_hashes: 0n, n: 0 }]);
  expect((await setUp(host, { mode: 'simulated' })).status).toBe(409);
});

test('[BEY-07] an agency can neither see nor change California’s lists, and the key is not told', async () => {
  const host = await freshRoot();
  await setUp(host, { mode: 'live', key: stub.key });
  expect(JSON.stringify(await stateOf(host))).not.toContain(stub.key);
  const token = await app.signIn(agency.email, agency.host);
  const { statusCode } = await app.server.inject({
    method: 'GET',
    url: '/api/privacy-drop',
    headers: { host: agency.host, authorization: `Bearer ${token}` },
  });
  expect(statusCode).toBe(403);
});

test('[BEY-30] what a test service gives while California is connected does not become one of California’s lists', async () => {
  const host = await freshRoot();
  const person = app.make.person();
  await app.make.people(root, [person]);
  expect((await setUp(host, { mode: 'sandbox', key: 'test-key' })).status).toBe(200);
  const entry = emailEntry(person.email!);
  const base = '20260399_4821';
  const archive = zipSync({ [`${base}_Email.csv`]: strToU8(`ID,Hash\r\n${entry.id},${entry.hash}\r\n`) });
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementationOnce(async () => {
    expect((await setUp(host, { mode: 'live', key: stub.key })).status).toBe(200);
    return new Response(new Uint8Array(archive), {
      headers: {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${base}_DROP.zip"`,
      },
    });
  });
  await app.features.drop.run(root.id);
  fetched.mockRestore();
  expect(await stateOf(host)).toMatchObject({ mode: 'live', batches: [] });
  expect(await inGraph(person.email!)).toBe(true);
  expect(await app.platform.files.list('drop')).toEqual([]);
});
