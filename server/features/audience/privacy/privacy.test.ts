import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PrivacyKind } from '../../../../contract/audience/privacy-rules.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { duesOf } from '../../../test/dues.ts';
import type { Company, MadePerson } from '../../../test/factories.ts';
import { solveCaptcha } from '../../../test/ways-in.ts';
import { verifyLog } from '../../accounts/audit/index.ts';
import { MOST } from '../../campaigns/visits/signup.store.ts';
import { auditLedger } from '../../money/ledger/index.ts';

const USD = 1_000_000n;
const HOST = 'root.test';
const DAY_MS = 86_400_000;
let app: TestApp;
let root: Company;
let owner: string;
let dues: ReturnType<typeof duesOf>;
let agency: Awaited<ReturnType<typeof dues.agency>>;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: HOST, isMaster: true });
  owner = (await app.make.user(root, { password: PASSWORD })).email;
  dues = duesOf(app, root);
  agency = await dues.agency();
  await app.make.leadCost(agency.company, 2n * USD);
});
afterAll(() => app.close());

interface Told {
  status: number;
  body: {
    id: string;
    message: string;
    errors: Record<string, string[]>;
    due_at: string;
    data: never;
    counts: Record<string, number>;
    timeline: { kind: string; words: string; by: string | null }[];
    may_decide: boolean;
  };
}
interface Shown {
  id: string;
  state: string;
  urgency: string;
  due_at: string;
  duplicate_of: string | null;
  result: Record<string, number> | null;
  email: string;
  name: string;
  company_name: string;
}
interface Asked {
  host?: string;
  token?: string;
  body?: object;
}
let network = 0;
/** A call of someone, each from a network of their own. */
async function call(method: 'GET' | 'POST', path: string, asked: Asked = {}): Promise<Told> {
  // Each at its own time, so that emails have an order.
  app.clock.advance(10);
  const response = await app.server.inject({
    method,
    url: `/api${path}`,
    remoteAddress: `67.${++network >> 8}.${network & 255}.9`,
    headers: {
      host: asked.host ?? HOST,
      ...(asked.token ? { authorization: `Bearer ${asked.token}` } : {}),
      ...(asked.body ? { 'content-type': 'application/json' } : {}),
    },
    ...(asked.body ? { payload: JSON.stringify(asked.body) } : {}),
  });
  return { status: response.statusCode, body: response.json() };
}
/** The root's owner, who has just signed in: the clock moves on by more than a token's life. */
const asRoot = async (method: 'GET' | 'POST', path: string, body?: object) =>
  call(method, path, { token: await app.signIn(owner, HOST), ...(body ? { body } : {}) });

async function ask(given: object, host = HOST): Promise<Told> {
  app.clock.advance(1000);
  return call('POST', '/general/privacy-request', {
    host,
    body: { gtoken: await solveCaptcha(app, host), ...given },
  });
}
async function mails(email: string) {
  const all = await app.features.mail.outbox({ rootId: root.id }, 500);
  return all.filter((mail) => mail.to_address === email && mail.kind === 'privacy');
}
/** Makes a request and proves its address. Returns its id. */
async function asked(
  kind: PrivacyKind,
  person: { name: string; email: string },
  more: object = {},
  host = HOST,
) {
  const { status, body } = await ask({ kind, ...person, ...more }, host);
  expect([status, body.errors]).toEqual([200, undefined]);
  const code = /^\d{6}$/m.exec((await mails(person.email))[0]?.body?.text ?? '')?.[0];
  const proven = await call('POST', '/general/privacy-request/confirm', {
    host,
    body: { id: body.id, code },
  });
  expect(proven.status).toBe(200);
  return body.id;
}
const one = async (id: string) => {
  const { body } = await asRoot('GET', `/privacy-requests/${id}`);
  return { ...body, data: body.data as Shown };
};
async function decide(id: string, body: object = { outcome: 'completed' }): Promise<Told> {
  app.clock.advance(1000);
  return asRoot('POST', `/privacy-requests/${id}/decide`, body);
}

const campaignOf = async () => {
  const client = await dues.client(agency);
  return {
    client,
    campaign: await app.make.campaign(client.company, { price: 3n * USD, balance: 90n * USD }),
  };
};
/** Sells someone to a new client. */
async function sold(person: MadePerson = app.make.person(), of?: Awaited<ReturnType<typeof campaignOf>>) {
  const { client, campaign } = of ?? (await campaignOf());
  app.clock.advance(1000);
  await app.make.people(root, [person]);
  await app.make.visit(campaign, {
    email: person.email!,
    visitorId: crypto.randomUUID(),
    url: 'https://shop.example.com/a',
  });
  await app.features.leads.resolver.resolveAll();
  const { rows } = await app.admin.query(
    'select id, person_id from lead where campaign_id = $1 order by created_at desc limit 1',
    [campaign.id],
  );
  return { client, campaign, person, leadId: rows[0]?.id as string, personId: rows[0]?.person_id as string };
}
const who = (person: MadePerson) => ({
  name: `${person.first_name} ${person.last_name}`,
  email: person.email!,
});
/** Every column of the database that contains a text, as table.column. */
async function holders(text: string): Promise<string[]> {
  const { rows: columns } = await app.admin.query(
    `select c.table_name, c.column_name from information_schema.columns c
     join information_schema.tables t on t.table_name = c.table_name and t.table_schema = 'public' and t.table_type = 'BASE TABLE'
     where c.table_schema = 'public' and c.data_type in ('text', 'jsonb', 'ARRAY', 'bytea') and c.table_name !~ '_\\d{8}$'`,
  );
  const found: string[] = [];
  for (const { table_name: table, column_name: column } of columns) {
    const { rows } = await app.admin.query(
      `select from "${table}" where position($1 in lower("${column}"::text)) > 0
         or position($2 in "${column}"::text) > 0 limit 1`,
      [text.toLowerCase(), Buffer.from(text.toLowerCase()).toString('hex')],
    );
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  return found.sort();
}

describe('[BEY-07] making a privacy request', () => {
  test('the answer is the same whether or not anything is known, and the code proves the address', async () => {
    const { person } = await sold();
    const known = await ask({ kind: 'access', ...who(person) });
    const unknown = await ask({ kind: 'access', name: 'No One', email: 'no.one@nowhere.example' });
    const without = ({ body: { id: _, ...rest }, status }: Told) => ({ status, rest });
    expect(without(known)).toEqual(without(unknown));
    const [mail] = await mails(person.email!);
    expect(mail).toMatchObject({ subject: 'Confirm your privacy request' });
    const code = /^\d{6}$/m.exec(mail!.body!.text)![0];
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
    const { id } = known.body;
    const confirm = (body: object) => call('POST', '/general/privacy-request/confirm', { body });
    expect((await confirm({ id, code: wrong })).body.errors).toEqual({ code: ['is not correct'] });
    expect((await confirm({ id: unknown.body.id, code })).status).toBe(422);
    expect((await asRoot('GET', `/privacy-requests/${id}`)).status).toBe(404);
    const { status, body } = await confirm({ id, code });
    expect(status).toBe(200);
    expect((await confirm({ id, code })).status).toBe(410);
    const { data, timeline } = await one(id);
    expect(data).toMatchObject({ state: 'open', urgency: 'fine', due_at: body.due_at });
    expect(timeline.map(({ kind }) => kind)).toEqual(['received', 'proven', 'acknowledged']);
    expect((await mails(person.email!))[0]).toMatchObject({ subject: 'We received your privacy request' });
  });

  test('a code ends after half an hour, and after five wrong tries', async () => {
    const first = await ask({ kind: 'opt_out', name: 'Ann', email: 'late@nowhere.example' });
    const codeOf = async (email: string) => /^\d{6}$/m.exec((await mails(email))[0]!.body!.text)![0];
    const confirm = (id: string, code: string) =>
      call('POST', '/general/privacy-request/confirm', { body: { id, code } });
    app.clock.advance(30 * 60_000);
    expect((await confirm(first.body.id, await codeOf('late@nowhere.example'))).status).toBe(410);
    const { body } = await ask({ kind: 'opt_out', name: 'Ann', email: 'guess@nowhere.example' });
    const code = await codeOf('guess@nowhere.example');
    const wrong = code === '000000' ? '000001' : '000000';
    for (let i = 0; i < 5; i++) expect((await confirm(body.id, wrong)).status).toBe(422);
    expect((await confirm(body.id, code)).status).toBe(429);
  });

  test('refuses bad input by field and rule, a missing captcha, and an address that asks too often', async () => {
    const at = async (given: object) =>
      (await ask({ kind: 'delete', name: 'Ann', email: 'a@b.example', ...given })).body.errors;
    expect(await at({ kind: 'sue' })).toEqual({ kind: ['must be opt_out, access, delete or correct'] });
    expect(await at({ email: 'nobody' })).toEqual({ email: ['must be a valid email address'] });
    expect(await at({ phone: '12' })).toHaveProperty('phone');
    expect(await at({ state_code: 'California' })).toEqual({
      state_code: ['must be a two-letter state code such as CA'],
    });
    expect(await at({ asked_by: 'agent' })).toEqual({ agent_name: ['is required for an agent'] });
    expect(await at({ kind: 'correct' })).toEqual({ details: ['must say what to correct'] });
    expect(await at({ gtoken: undefined })).toEqual({ gtoken: ['is required'] });
    const often = { kind: 'opt_out', name: 'Ann', email: 'often@nowhere.example' };
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push((await ask(often)).status);
    expect(answers).toEqual([200, 200, 200, 429]);
  });

  test('an agent’s request sends the code to the person, and names the agent', async () => {
    const email = 'represented@nowhere.example';
    await ask({ kind: 'delete', name: 'Ann', email, asked_by: 'agent', agent_name: 'Privacy Helpers' });
    expect((await mails(email))[0]!.body!.text).toContain('Privacy Helpers made a privacy request for you');
  });
});

describe('[BEY-07] the queue', () => {
  test('an agency sees what was asked at its own host and decides nothing; another root sees nothing', async () => {
    const id = await asked(
      'delete',
      { name: 'Ann', email: 'ann.at.agency@nowhere.example' },
      {},
      agency.host,
    );
    const other = await asked('delete', { name: 'Bob', email: 'bob.at.root@nowhere.example' });
    const token = await app.signIn(agency.email, agency.host);
    const asAgency = (method: 'GET' | 'POST', path: string, body?: object) =>
      call(method, path, { host: agency.host, token, ...(body ? { body } : {}) });
    const { body } = await asAgency('GET', '/privacy-requests?PerPage=100');
    const seen = (body.data as Shown[]).map((row) => row.id);
    expect(seen).toContain(id);
    expect(seen).not.toContain(other);
    expect((await asAgency('GET', `/privacy-requests/${id}`)).body.may_decide).toBe(false);
    expect((await asAgency('GET', `/privacy-requests/${other}`)).status).toBe(404);
    expect((await asAgency('POST', `/privacy-requests/${id}/decide`, { outcome: 'completed' })).status).toBe(
      403,
    );
    expect((await one(id)).data.company_name).toBe(
      (await app.admin.query('select name from company where id = $1', [agency.company.id])).rows[0].name,
    );
    const second = await app.make.root({ host: 'second.test' });
    const { email } = await app.make.user(second, { password: PASSWORD });
    const foreign = { host: 'second.test', token: await app.signIn(email, 'second.test') };
    expect((await call('GET', `/privacy-requests/${id}`, foreign)).status).toBe(404);
    expect((await call('GET', '/privacy-requests', foreign)).body.data).toEqual([]);
  });

  test('lists what is due first, links duplicates, and decides them together', async () => {
    const person = { name: 'Twice', email: 'twice@nowhere.example' };
    const later = await asked('delete', person);
    const again = await asked('delete', person);
    const sooner = await asked('opt_out', person);
    const { body } = await asRoot('GET', '/privacy-requests?state=open&searchQuery=twice@nowhere');
    expect((body.data as Shown[]).map((row) => row.id)).toEqual([sooner, later, again]);
    expect((await one(again)).data.duplicate_of).toBe(later);
    expect((await one(sooner)).data.duplicate_of).toBeNull();
    const before = (await mails(person.email)).length;
    expect((await decide(later)).status).toBe(200);
    expect((await one(again)).data.state).toBe('completed');
    expect((await one(sooner)).data.state).toBe('open');
    expect((await mails(person.email)).length).toBe(before + 1);
    expect((await decide(later)).status).toBe(409);
  });

  test('[BEY-30] a request that is confirmed while the one before it is being decided is not left waiting for it', async () => {
    const person = { name: 'Racer', email: 'racer@nowhere.example' };
    const first = await asked('delete', person);
    const { id } = (await ask({ kind: 'delete', ...person })).body;
    const code = /^\d{6}$/m.exec((await mails(person.email))[0]!.body!.text)![0];
    await app.admin.query('begin');
    await app.admin.query(
      `update privacy_request set state = 'refused', decided_at = now(), refusal = 'other', answer = 'No' where id = $1`,
      [first],
    );
    let isDone = false;
    const confirmed = call('POST', '/general/privacy-request/confirm', { body: { id, code } }).then(
      (told) => {
        isDone = true;
        return told.status;
      },
    );
    const isWaiting = async () =>
      (
        await app.admin.query('select from pg_locks where not granted and locktype = any($1)', [
          ['transactionid', 'tuple'],
        ])
      ).rowCount! > 0;
    while (!isDone && !(await isWaiting())) await sleep(20);
    await app.admin.query('commit');
    expect(await confirmed).toBe(200);
    expect((await one(id)).data).toMatchObject({ state: 'open', duplicate_of: null });
  });

  test('extends once by 45 days with a reason, never an opt-out, and tells the person', async () => {
    const person = { name: 'Slow', email: 'slow@nowhere.example' };
    const id = await asked('access', person);
    const due = (await one(id)).data.due_at;
    const extend = (which: string, reason = 'Many records') =>
      asRoot('POST', `/privacy-requests/${which}/extend`, { reason });
    expect((await extend(id, ' ')).body.errors).toEqual({ reason: ['is required'] });
    expect((await extend(id)).status).toBe(200);
    expect(Date.parse((await one(id)).data.due_at) - Date.parse(due)).toBe(45 * DAY_MS);
    expect((await extend(id)).status).toBe(409);
    expect((await mails(person.email))[0]!.body!.text).toContain('Many records');
    expect((await extend(await asked('opt_out', person))).status).toBe(409);
  });

  test('emails about a request at an agency’s host go by the root’s mail server: the code, the receipt, the extension, the file', async () => {
    const person = { name: 'Hosted', email: 'hosted@nowhere.example' };
    const id = await asked('access', person, {}, agency.host);
    await asRoot('POST', `/privacy-requests/${id}/extend`, { reason: 'Many records' });
    await decide(id);
    const { rows } = await app.admin.query(
      `select count(*)::int as all, array_agg(distinct sender_host) as servers from mail where to_address = $1`,
      [person.email],
    );
    expect(rows).toEqual([{ all: 4, servers: [HOST] }]);
  });

  test('a refusal needs a reason and an answer, does nothing, and tells the person', async () => {
    const { person, leadId } = await sold();
    const id = await asked('delete', who(person));
    expect((await decide(id, { outcome: 'refused' })).body.errors).toHaveProperty('refusal');
    expect((await decide(id, { outcome: 'refused', refusal: 'exempt' })).body.errors).toEqual({
      answer: ['is required to refuse'],
    });
    const refused = await decide(id, {
      outcome: 'refused',
      refusal: 'exempt',
      answer: 'Required by a court.',
    });
    expect(refused.status).toBe(200);
    expect((await one(id)).data).toMatchObject({
      state: 'refused',
      refusal: 'exempt',
      urgency: 'done',
      result: null,
    });
    expect((await mails(person.email!))[0]!.body!.text).toContain('Required by a court.');
    const { rows } = await app.admin.query('select email from lead_contact where lead_id = $1', [leadId]);
    expect(rows).toEqual([{ email: person.email }]);
  });
});

describe('[BEY-07] fulfillment', () => {
  test('an opt-out stops the person from becoming a lead anywhere, and stays', async () => {
    const { person } = await sold();
    const id = await asked('opt_out', who(person));
    expect((await decide(id)).status).toBe(200);
    expect((await one(id)).data.result).toMatchObject({ people: 1, leads: 1, excluded: 2 });
    // At another client, and with only the phone number known.
    expect((await sold(person)).leadId).toBeUndefined();
    const byPhone = app.make.person({ phone: person.phone! });
    expect((await sold(byPhone)).leadId).toBeUndefined();
    expect((await sold()).leadId).toBeDefined();
    const { rows } = await app.admin.query(
      'select id, state from exclusion_list where is_standing and owner_id = $1',
      [root.id],
    );
    expect(rows).toHaveLength(1);
    expect((await asRoot('POST', `/exclusions/lists/${rows[0].id}/undo`, {})).status).toBe(409);
    const { rows: kept } = await app.admin.query('select state from exclusion_list where id = $1', [
      rows[0].id,
    ]);
    expect(kept).toEqual([{ state: 'active' }]);
  });

  test('a deletion erases the person everywhere, and ledger and log still verify', async () => {
    const person = app.make.person({ last_name: 'Vanishing' });
    const of = await campaignOf();
    const { leadId, personId } = await sold(person, of);
    const elsewhere = await sold(person);
    expect([leadId, elsewhere.leadId].every(Boolean)).toBe(true);
    const bystander = await sold();
    const audience = await app.make.audience(of.client.company, {
      emails: [person.email!, bystander.person.email!],
    });
    expect(await holders('vanishing')).toEqual([
      'lead_contact.last_name',
      'lead_contact.search',
      'person.last_name',
    ]);
    const id = await asked('delete', { name: person.first_name!, email: person.email! });
    expect((await decide(id)).status).toBe(200);
    expect((await one(id)).data.result).toMatchObject({
      people: 1,
      leads: 2,
      visits: 2,
      audience_members: 1,
      vendor_records: 0,
    });
    expect(await holders('vanishing')).toEqual([]);
    const { rows: members } = await app.admin.query(
      'select email from audience_member where audience_id = $1',
      [audience],
    );
    expect(members).toEqual([{ email: bystander.person.email }]);
    expect(await holders(person.phone!.slice(1))).toEqual(['exclusion.value']);
    // The request itself must be kept, and the emails about it are.
    expect(await holders(person.email!)).toEqual(['mail.to_address', 'privacy_request.email']);
    const { rows: keys } = await app.admin.query('select from identity_key where person_id = $1', [personId]);
    expect(keys).toEqual([]);
    const { rows: seen } = await app.admin.query(
      `select v.visitor_id, v.hash, v.ip, v.url, v.person_id from visit v join lead l on l.visit_event_id = v.event_id
       where l.id = any($1)`,
      [[leadId, elsewhere.leadId]],
    );
    expect(seen).toEqual(
      Array(2).fill({ visitor_id: null, hash: null, ip: null, url: null, person_id: null }),
    );
    // The sale stays; who it was is gone for its client.
    const { rows: sale } = await app.admin.query(
      'select price_micros::int as price from lead where id = $1',
      [leadId],
    );
    expect(sale).toEqual([{ price: 3_000_000 }]);
    const { rows: other } = await app.admin.query('select email from lead_contact where lead_id = $1', [
      bystander.leadId,
    ]);
    expect(other).toEqual([{ email: bystander.person.email }]);
    expect((await auditLedger(app.admin)).checks.filter((check) => check.violations > 0)).toEqual([]);
    await app.features.logChain.seal();
    for (const verdict of await verifyLog(app.databaseUrl, [app.platform.config.appKey], app.clock))
      expect(verdict.breaks).toEqual([]);
    // A delivery of then wrote it after the deletion.
    const late = await sold();
    await app.admin.query(`update lead_contact set last_name = 'Vanishing', email = $2 where lead_id = $1`, [
      late.leadId,
      person.email,
    ]);
    await app.admin.query('update lead set person_id = null where id = $1', [late.leadId]);
    const again = await app.admin.query(
      `select data from pgboss.job where name = 'privacy.again' and data->>'requestId' = $1`,
      [id],
    );
    expect(again.rows).toHaveLength(1);
    await app.features.privacy.eraseAgain(again.rows[0].data);
    await app.features.privacy.eraseAgain(again.rows[0].data);
    expect(await holders('vanishing')).toEqual([]);
    expect((await one(id)).timeline.map(({ words }) => words).join('\n')).toMatch(
      /Deleted what came meanwhile\. 1 lead/,
    );
    // A new import brings them back to the graph, but never to a client.
    expect((await sold(person)).leadId).toBeUndefined();
  });

  test('[BEY-30] a deletion erases sign-ups that are held, with their address and what the browser viewed', async () => {
    const person = app.make.person();
    const of = await campaignOf();
    await app.make.people(root, [person]);
    const sha256 = createHash('sha256').update(person.email!).digest('hex');
    const md5 = createHash('md5').update(person.email!).digest('hex');
    // One without a view is held. The others are held with everyone who signs up in the same browser.
    const v = crypto.randomUUID();
    const stranger = app.make.person();
    await app.make.visit(of.campaign, { visitorId: v, ip: '203.0.113.77' });
    for (const hash of [{ h: sha256 }, { m: md5 }] as Record<string, string>[])
      await app.make.visit(of.campaign, { hash, visitorId: v, ip: '203.0.113.77', event: 'identify' });
    const unseen = { visitorId: crypto.randomUUID(), ip: '203.0.113.78', event: 'thanks' as const };
    await app.make.visit(of.campaign, { hash: { h: sha256 }, ...unseen });
    for (const email of [stranger.email!, 'b@nowhere.example', 'c@nowhere.example'])
      await app.make.visit(of.campaign, { email, visitorId: v, ip: '203.0.113.79', event: 'identify' });
    await app.features.leads.resolver.resolveAll();
    const refusals = async () =>
      (
        await app.admin.query(
          `select reason, sum(count)::int as n from campaign_refusal where campaign_id = $1 and reason in ('held', 'discarded')
           group by 1 order by 1`,
          [of.campaign.id],
        )
      ).rows;
    expect(await refusals()).toEqual([{ reason: 'held', n: 6 }]);
    expect(await holders(md5)).toEqual(
      expect.arrayContaining(['held_visit.hash', 'signup.hash', 'visit.hash']),
    );
    const id = await asked('delete', who(person));
    const most = { ...MOST };
    Object.assign(MOST, { erased: 2 });
    try {
      expect((await decide(id)).status).toBe(200);
    } finally {
      Object.assign(MOST, most);
    }
    // The three sign-ups, and the page that the browser viewed before.
    expect((await one(id)).data.result).toMatchObject({ people: 1, visits: 4 });
    for (const text of [sha256, md5])
      expect((await holders(text)).filter((at) => !at.startsWith('exclusion.'))).toEqual([]);
    const held = async () =>
      (
        await app.admin.query(
          `select state, source, count(*)::int as n from held_visit where campaign_id = $1 group by 1, 2 order by 1`,
          [of.campaign.id],
        )
      ).rows;
    expect(await held()).toEqual([
      { state: 'discarded', source: '', n: 3 },
      { state: 'held', source: '203.0.113.79', n: 3 },
    ]);
    const { rows: seen } = await app.admin.query(
      `select outcome, visitor_id, url, count(*)::int as n from visit where campaign_id = $1 and ip is null group by 1, 2, 3 order by 1`,
      [of.campaign.id],
    );
    expect(seen).toEqual([
      { outcome: 'discarded', visitor_id: null, url: null, n: 3 },
      { outcome: 'unmatched', visitor_id: null, url: null, n: 1 },
    ]);
    expect(await refusals()).toEqual([
      { reason: 'discarded', n: 3 },
      { reason: 'held', n: 3 },
    ]);
    // Was on its way while the request was decided.
    await app.make.visit(of.campaign, { hash: { h: sha256 }, ...unseen });
    await app.features.leads.resolver.resolveAll();
    await app.features.privacy.eraseAgain({ rootId: root.id, requestId: id });
    await app.features.privacy.eraseAgain({ rootId: root.id, requestId: id });
    expect((await holders(sha256)).filter((at) => !at.startsWith('exclusion.'))).toEqual([]);
    const words = (await one(id)).timeline.map((entry) => entry.words);
    expect(words.filter((text) => text.startsWith('Deleted what came meanwhile. 1 visit'))).toHaveLength(1);
  });

  test('an access request emails what is known to the proven address, and only about that person', async () => {
    const { person } = await sold();
    const other = await sold();
    const id = await asked('access', who(person));
    expect((await decide(id)).status).toBe(200);
    const { rows } = await app.admin.query(
      `select body_sealed from mail where to_address = $1 order by created_at desc, id desc limit 1`,
      [person.email],
    );
    const { file } = JSON.parse(app.platform.vault.open(rows[0].body_sealed, 'mail.body'));
    expect(file.type).toBe('application/json');
    const known = JSON.parse(file.text);
    expect(known.records).toMatchObject([
      { last_name: person.last_name, phones: [person.phone], address: person.address },
    ]);
    expect(known.given_to_businesses).toMatchObject([{ email: person.email, zip: person.zip }]);
    expect(file.text).not.toContain(other.person.email);
    expect(file.text).not.toContain(root.id);
    // Nothing was erased or excluded.
    expect((await sold(person)).leadId).toBeDefined();
  });

  test('other people of a household are left alone, and a household’s own request is refused', async () => {
    const email = 'the.joneses@nowhere.example';
    const phone = '+15045559001';
    const ann = app.make.person({ external_id: 'a', first_name: 'Ann', last_name: 'Joneses', email, phone });
    const bob = app.make.person({ external_id: 'b', first_name: 'Bob', last_name: 'Joneses', email, phone });
    await app.make.people(root, [ann, bob]);
    const household = await asked('delete', { name: 'The Joneses', email });
    const refused = await decide(household);
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('household')]);
    const id = await asked('delete', { name: 'Bob Joneses', email }, { details: 'Only me' });
    await decide(household, { outcome: 'refused', refusal: 'household', answer: 'Each of you asks alone.' });
    expect((await decide(id)).status).toBe(200);
    expect((await one(id)).data.result).toMatchObject({ people: 1, other_people: 1, shared_phones: 1 });
    const { rows } = await app.admin.query(`select first_name from person where last_name = 'Joneses'`);
    expect(rows).toEqual([{ first_name: 'Ann' }]);
    // The number is Ann's as well, so that only the address is excluded.
    const { rows: listed } = await app.admin.query('select from exclusion where value = $1', [
      Buffer.from(phone),
    ]);
    expect(listed).toEqual([]);
  });

  test('a decided request has a signed certificate; an open one has none', async () => {
    const person = { name: 'Certified Person', email: 'certified@nowhere.example' };
    const id = await asked('delete', person, {}, agency.host);
    const download = async (host: string, token: string) => {
      const path = `/api/privacy-requests/${id}/certificate`;
      const { body } = await call('POST', '/general/download-token', { host, token, body: { path } });
      const { url } = body as unknown as { url: string };
      return app.server.inject({ method: 'GET', url, headers: { host } });
    };
    const ofRoot = async () => download(HOST, await app.signIn(owner, HOST));
    expect((await ofRoot()).statusCode).toBe(409);
    await decide(id, { outcome: 'completed', answer: 'Nothing was known.' });
    const file = await ofRoot();
    expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'application/pdf']);
    const signed = await app.server.inject({
      method: 'POST',
      url: '/api/general/verify',
      headers: { host: agency.host, 'content-type': 'application/pdf' },
      payload: file.rawPayload,
    });
    expect(signed.json()).toMatchObject({ status: 'known', signature: 'valid', version: '', name: '' });
    // Made once, and known only where it was signed.
    expect((await ofRoot()).rawPayload.equals(file.rawPayload)).toBe(true);
    const { sha256 } = signed.json();
    expect((await call('GET', `/general/verify/${sha256}`)).body).toMatchObject({ status: 'unknown' });
    expect((await download(agency.host, await app.signIn(agency.email, agency.host))).statusCode).toBe(200);
  });

  test('every host says that it honors Global Privacy Control', async () => {
    for (const host of [HOST, agency.host]) {
      const answer = await app.server.inject({
        method: 'GET',
        url: '/.well-known/gpc.json',
        headers: { host },
      });
      expect(answer.json()).toEqual({ gpc: true, lastUpdate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
    }
  });

  describe('entered by hand', () => {
    const enter = (given: object) =>
      asRoot('POST', '/privacy-requests', {
        ...{
          kind: 'delete',
          name: 'Lena Letter',
          email: '',
          phone: '',
          came_by: 'mail',
          proof: 'A signed letter',
        },
        received_on: app.clock.now().toISOString().slice(0, 10),
        ...given,
      });
    /** The day some days ago. */
    const ago = (days: number) =>
      new Date(app.clock.now().getTime() - days * DAY_MS).toISOString().slice(0, 10);

    test('with how it came, when, and what proof there is; the same clocks run from the day of receipt', async () => {
      const email = 'lena.letter@nowhere.example';
      const entered = await enter({ email, received_on: ago(10) });
      expect([entered.status, entered.body.message]).toEqual([200, 'The request was entered.']);
      const { data, timeline } = (await asRoot('GET', `/privacy-requests/${entered.body.id}`)).body;
      const shown = data as unknown as Record<string, string>;
      expect(shown).toMatchObject({
        ...{ state: 'open', came_by: 'mail', proof: 'A signed letter', waits_for: 'answer' },
        entered_by_name: expect.any(String),
      });
      expect(shown.received_at!.slice(0, 10)).toBe(ago(10));
      expect(Date.parse(shown.due_at!) - Date.parse(shown.received_at!)).toBe(45 * DAY_MS);
      expect(timeline.map(({ kind }) => kind)).toEqual(['received', 'proven', 'acknowledged']);
      const [mail] = await mails(email);
      expect(mail!.subject).toBe('We received your privacy request');
      expect(mail!.body!.text).toContain('We compare it with our records');
      // One that comes later is found as its duplicate, and it is decided like any other.
      const twin = (await enter({ email })).body.id;
      expect((await one(twin)).data.duplicate_of).toBe(entered.body.id);
      expect((await decide(entered.body.id, { outcome: 'completed' })).status).toBe(200);
      expect((await one(twin)).data.state).toBe('completed');
    });

    test('[BEY-30] refused, takes no one’s own request with it: a letter that names an address does not prove it', async () => {
      const vera = { name: 'Vera Vance', email: 'vera.vance@nowhere.example' };
      const letter = (await enter(vera)).body.id;
      const own = await asked('delete', vera);
      const refusal = {
        outcome: 'refused',
        refusal: 'not_verified',
        answer: 'We could not tell who you are.',
      };
      expect((await decide(letter, refusal)).status).toBe(200);
      expect((await one(own)).data).toMatchObject({ state: 'open', duplicate_of: null });
      // Nor is it completed with that of someone else who has the address.
      const sam = await asked('delete', { ...vera, name: 'Sam Vance' });
      expect((await decide(sam)).status).toBe(200);
      expect((await one(own)).data.state).toBe('open');
      const again = await asked('delete', { ...vera, name: 'VERA VANCE' });
      expect((await one(again)).data.duplicate_of).toBe(own);
    });

    test('without an email address, by the phone number alone, and receipt is confirmed some other way', async () => {
      const person = { ...app.make.person(), first_name: 'Paul', phone: '+15045550188' };
      await app.make.people(root, [person]);
      const entered = await enter({
        name: 'Paul Phone',
        phone: '(504) 555-0188',
        came_by: 'phone',
        kind: 'opt_out',
      });
      const { id } = entered.body;
      const shown = async () =>
        (await asRoot('GET', `/privacy-requests/${id}`)).body.data as unknown as Record<string, unknown>;
      expect(await shown()).toMatchObject({
        phone: '+15045550188',
        waits_for: 'acknowledge',
        urgency: 'fine',
      });
      expect((await asRoot('POST', `/privacy-requests/${id}/acknowledge`)).status).toBe(200);
      expect((await asRoot('POST', `/privacy-requests/${id}/acknowledge`)).status).toBe(409);
      expect(await shown()).toMatchObject({ waits_for: 'answer' });
      expect((await decide(id, { outcome: 'completed' })).status).toBe(200);
      expect((await one(id)).data.result).toMatchObject({ people: 1 });
      const list = await app.admin.query(
        `select e.kind from exclusion e join exclusion_list l on l.id = e.list_id where l.is_standing and l.root_id = $1`,
        [root.id],
      );
      expect(list.rows.length).toBeGreaterThan(0);
      const sent = await app.admin.query(`select from mail where kind = 'privacy' and to_address = ''`);
      expect(sent.rowCount).toBe(0);
    });

    test('refuses what cannot be, by field and rule; nobody else enters any', async () => {
      const refused = async (given: object) => (await enter(given)).body.errors;
      expect(await refused({})).toEqual({ email: ['is required if there is no phone number'] });
      expect(await refused({ phone: '5045550188', kind: 'access' })).toEqual({
        email: ['is required, since the data is emailed'],
      });
      const email = 'x@nowhere.example';
      expect(await refused({ email, proof: ' ' })).toEqual({ proof: ['must say what proves who asked'] });
      expect(await refused({ email, came_by: 'web' })).toEqual({
        came_by: ['must be mail, phone, email or in_person'],
      });
      expect(await refused({ email, received_on: ago(-2) })).toEqual({ received_on: ['is in the future'] });
      expect(await refused({ email, received_on: ago(400) })).toEqual({
        received_on: ['is more than a year ago'],
      });
      expect(await refused({ email, phone: '12' })).toEqual({ phone: [expect.any(String)] });
      expect(await refused({ email, kind: 'correct' })).toEqual({ details: ['must say what to correct'] });
    });
  });

  test('[BEY-30] any number of requests that nobody decides hides none that is due after them', async () => {
    const own = await app.make.root({ host: 'flooded.test' });
    await app.make.user(own, { password: PASSWORD });
    const add = (many: number, days: number) =>
      app.admin.query(
        `insert into privacy_request (id, root_id, company_id, kind, asked_by, name, email, state, code_mac, received_at,
           proven_at, due_at, acknowledged_at)
         select gen_random_uuid(), $1, $1, 'delete', 'self', 'Name', 'flood' || $2::int || n || '@nowhere.example', 'open', '\\x00', $3, $3, $4, $3
         from generate_series(1, $2::int) n`,
        [own.id, many, app.clock.now(), new Date(app.clock.now().getTime() + days * DAY_MS)],
      );
    const warned = async () => {
      await app.features.privacy.warn(own.id);
      const found = await app.features.mail.outbox({ rootId: own.id }, 100);
      return found.filter((mail) => mail.kind === 'privacy.warning').map(({ subject }) => subject);
    };
    await add(1000, 3);
    await add(1, 4);
    expect(await warned()).toEqual(['1000 privacy requests are due soon']);
    app.clock.advance(1000);
    expect(await warned()).toEqual(['A privacy request is due soon', '1000 privacy requests are due soon']);
  });

  test('those who decide are warned once before each deadline and once after it, and no one else', async () => {
    const own = await app.make.root({ host: 'warned.test' });
    const administrator = (await app.make.user(own, { password: PASSWORD, name: 'Olga Owner' })).email;
    await app.make.user(await app.make.agency(own), { email: 'agency@warned.test' });
    app.clock.advance(1000);
    const start = app.clock.now().getTime();
    const insert = async (kind: string, days: number, acknowledged: boolean) => {
      const { rows } = await app.admin.query(
        `insert into privacy_request (id, root_id, company_id, kind, asked_by, name, email, state, code_mac, received_at,
           proven_at, due_at, acknowledged_at, came_by, proof, entered_by)
         values (gen_random_uuid(), $1, $1, $2, 'self', 'Secret Name', $3, 'open', '\\x00', $4, $4, $5, $6, 'mail', 'x', $1)
         returning id`,
        [
          ...[own.id, kind, `s${days}${kind}@nowhere.example`, new Date(start)],
          ...[new Date(start + days * DAY_MS), acknowledged ? new Date(start) : null],
        ],
      );
      return String(rows[0].id);
    };
    const first = await insert('delete', 45, true);
    await insert('access', 45, false);
    const sent = async () => {
      const found = await app.features.mail.outbox({ rootId: own.id }, 100);
      return found.filter((mail) => mail.kind === 'privacy.warning');
    };
    const warned = async (day: number) => {
      app.clock.advance(start + day * DAY_MS - app.clock.now().getTime());
      const before = (await sent()).length;
      await app.features.privacy.warn(own.id);
      await app.features.privacy.warn(own.id);
      return (await sent()).slice(0, (await sent()).length - before);
    };
    expect(await warned(5)).toEqual([]);
    const [soon, ...more] = await warned(13);
    expect([soon!.subject, soon!.to_address, more]).toEqual([
      'A privacy request is due soon',
      administrator,
      [],
    ]);
    expect(soon!.body!.text).toContain('See the data: receipt must be confirmed by');
    expect(soon!.body!.text).not.toContain('Secret');
    expect((await warned(16))[0]!.subject).toBe('A privacy request is overdue');
    expect(await warned(30)).toEqual([]);
    expect((await warned(41))[0]!.subject).toBe('2 privacy requests are due soon');
    expect(await warned(42)).toEqual([]);
    // An extension is a new deadline.
    await app.admin.query(
      `update privacy_request set due_at = $2, extended_at = $3, extension_reason = 'Many' where id = $1`,
      [first, new Date(start + 90 * DAY_MS), app.clock.now()],
    );
    const [late] = await warned(46);
    expect(late!.subject).toBe('A privacy request is overdue');
    expect(late!.body!.text).toContain('See the data: had to be answered by');
    expect((await warned(86))[0]!.body!.text).toContain('Delete the data: must be answered by');
    expect(await warned(89)).toEqual([]);
  });

  test('counts by month, forgets unproven requests after a day, and names after two years', async () => {
    const fresh = await ask({ kind: 'opt_out', name: 'Gone', email: 'gone.tomorrow@nowhere.example' });
    const id = await asked(
      'correct',
      { name: 'Old', email: 'old@nowhere.example' },
      { details: 'My name is Ode' },
    );
    expect((await decide(id)).body.errors).toEqual({ answer: ['must say what was corrected'] });
    await decide(id, { outcome: 'completed', answer: 'The first name.' });
    const months = (await asRoot('GET', '/privacy-requests/months')).body.data as {
      kind: string;
      received: number;
      completed: number;
      median_days: number;
    }[];
    expect(months.find((row) => row.kind === 'correct')).toMatchObject({
      received: 1,
      completed: 1,
      refused: 0,
      open: 0,
    });
    await app.features.privacy.sweep(root.id);
    const count = async (which: string) =>
      (await app.admin.query('select from privacy_request where id = $1', [which])).rows.length;
    expect(await count(fresh.body.id)).toBe(1);
    app.clock.advance(DAY_MS + 1000);
    await app.features.privacy.sweep(root.id);
    expect(await count(fresh.body.id)).toBe(0);
    const named = () =>
      inScope(app.platform.db.app, { rootId: root.id }, async () => {
        const { rows } = await app.admin.query(
          'select name, email, details, state from privacy_request where id = $1',
          [id],
        );
        return rows[0];
      });
    expect(await named()).toMatchObject({ name: 'Old', email: 'old@nowhere.example' });
    app.clock.advance(732 * DAY_MS);
    await app.features.retention.run('privacy_requests');
    expect(await named()).toEqual({ name: '', email: '', details: '', state: 'completed' });
  });
});
