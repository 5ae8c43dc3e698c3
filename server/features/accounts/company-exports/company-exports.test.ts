import { execFileSync } from 'node:child_process';
import { createHash, hash } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { BOUNDS } from '../../../platform/db/bounds.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import type { Manifest } from './archive.ts';

let app: TestApp;
let root: Company;
let acme: Company;
let client: Company;
let sibling: Company;
let other: Company;
const HOST = 'acme.test';
const hour = 3_600_000;

/** A client with a campaign that has leads, an invoice, an image, and an exclusion list. */
async function furnished(agency: Company, name: string, leads: number): Promise<Company> {
  const { make } = app;
  const company = await make.client(agency, { name });
  await make.user(company, { name: `${name} owner`, email: `${name.toLowerCase()}@clients.test` });
  const campaign = await make.campaign(company, {
    name: `${name} site`,
    price: 2_000_000n,
    balance: 90_000_000n,
  });
  const people = Array.from({ length: leads }, (_, i) =>
    make.person({ last_name: `${name}Person`, email: `${name.toLowerCase()}${i}@people.test` }),
  );
  await make.people(agency.root_id === root.id ? root : agency, people);
  for (const person of people) await make.visit(campaign, { email: person.email });
  await app.features.leads.resolver.resolveAll();
  await make.media(company, { name: `${name} image` });
  return company;
}

beforeAll(async () => {
  app = await testApp();
  const { make } = app;
  root = await make.root({ host: 'root.test', isMaster: true });
  acme = await make.agency(root, { host: HOST, name: 'Acme' });
  other = await make.agency(root, { host: 'other.test', name: 'OtherAgency' });
  client = await furnished(acme, 'Birch', 5);
  sibling = await furnished(acme, 'Cedar', 2);
  await furnished(other, 'Foreign', 2);
  const passwordHash = await app.features.users.hashPassword(PASSWORD);
  await make.user(acme, { email: 'owner@acme.test', passwordHash });
  await make.user(acme, { email: 'helper@acme.test', passwordHash, role: 'administrator' });
  await make.user(other, { email: 'owner@other.test', passwordHash });
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  await app.close();
});

const call = async (
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  body?: unknown,
  who: { email: string; host: string } = { email: 'owner@acme.test', host: HOST },
) => app.call(method, url, { host: who.host, token: await app.signIn(who.email, who.host), body });
const start = async (companyId: string) => {
  // Exports are listed newest first.
  app.clock.advance(1000);
  const { status, body } = await call('POST', '/api/company-exports', { company_id: companyId });
  expect([status, body.message]).toEqual([
    200,
    'The export is being made. It is listed here when it is ready.',
  ]);
  return (body.data as { id: string }).id;
};
const make = (exportId: string, more = {}) =>
  app.features.companyExports.make({ rootId: root.id, exportId }, more);
const listed = async (companyId: string) =>
  (await call('GET', `/api/company-exports?company_id=${companyId}`)).body.data as unknown as {
    id: string;
    state: string;
    sha256: string;
    bytes: number;
    tables: { name: string; rows: number }[];
  }[];

/** Downloads an export as a browser does, and unpacks it with the system's tar. */
async function unpacked(id: string) {
  const token = await app.signIn('owner@acme.test', HOST);
  const path = `/api/company-exports/${id}/file`;
  const { body } = await app.call('POST', '/api/general/download-token', {
    host: HOST,
    token,
    body: { path },
  });
  const answer = await app.server.inject({ method: 'GET', url: String(body.url), headers: { host: HOST } });
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/gzip']);
  const folder = mkdtempSync(join(tmpdir(), 'export-'));
  try {
    const file = join(folder, 'it.tar.gz');
    writeFileSync(file, answer.rawPayload);
    execFileSync('tar', ['-xzf', file, '-C', folder]);
    const read = (name: string) => readFileSync(join(folder, name));
    const manifest = JSON.parse(read('manifest.json').toString()) as Manifest;
    const tables = new Map<string, Record<string, string>[]>();
    let text = '';
    for (const table of manifest.tables) {
      const whole = createHash('sha256');
      const rows: Record<string, string>[] = [];
      for (const part of table.parts) {
        const content = read(part.name);
        expect([content.length, hash('sha256', content)]).toEqual([part.bytes, part.sha256]);
        whole.update(content);
        text += content;
        for (const line of content.toString().trimEnd().split('\n')) rows.push(JSON.parse(line));
      }
      expect([rows.length, whole.digest('hex')]).toEqual([table.rows, table.sha256]);
      for (const part of table.files) expect(hash('sha256', read(part.name))).toBe(part.sha256);
      tables.set(table.name, rows);
    }
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return { manifest, tables, text, names, answer };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
const count = async (table: string, where: string, value: string) =>
  Number((await app.admin.query(`select count(*) from ${table} where ${where} = $1`, [value])).rows[0].count);

describe('[BEY-13] a full export', () => {
  test('of a client has everything of it, and nothing of anyone else’s or of what its agency pays', async () => {
    const id = await start(client.id);
    await make(id);
    const [row] = await listed(client.id);
    expect(row).toMatchObject({ id, state: 'ready' });
    // Whoever started it gets an email that leads to the list, not to the file.
    const { rows: mails } = await app.admin.query(
      `select to_address, body_sealed from mail where kind = 'company.export_ready'`,
    );
    expect(mails.map((one) => one.to_address)).toEqual(['owner@acme.test']);
    const body = app.platform.vault.open(mails[0].body_sealed, 'mail.body');
    expect(body).toContain(`https://${HOST}/configuration/client-management`);
    expect(body).not.toContain(id);
    const { manifest, tables, text, names, answer } = await unpacked(id);
    expect(hash('sha256', answer.rawPayload)).toBe(row!.sha256);
    expect(answer.rawPayload.length).toBe(row!.bytes);
    expect(answer.headers['content-disposition']).toBe(
      'attachment; filename="birch-export-2026-03-10.tar.gz"',
    );
    expect(manifest).toMatchObject({
      format: 'company-export',
      version: 1,
      subject: { kind: 'client', companyId: client.id, name: 'Birch' },
    });
    expect(row!.tables).toEqual(manifest.tables.map(({ name, rows }) => ({ name, rows })));
    const rows = (name: string) => tables.get(name)!;
    expect(rows('company').map((one) => one.name)).toEqual(['Birch']);
    expect(rows('user_account').map((one) => one.email)).toEqual(['birch@clients.test']);
    for (const table of ['campaign', 'lead', 'lead_contact', 'visit', 'transfer', 'creative'])
      expect([table, rows(table).length]).toEqual([table, await count(table, 'company_id', client.id)]);
    expect(rows('lead')).toHaveLength(5);
    expect(
      rows('lead_contact')
        .map((one) => one.email)
        .toSorted(),
    ).toEqual([0, 1, 2, 3, 4].map((i) => `birch${i}@people.test`));
    expect(names.filter((name) => name.startsWith('files/creative/'))).toHaveLength(1);
    // Money: what the client paid, to the micro-dollar, on its own accounts only.
    const own = new Set(rows('account').map((one) => one.id));
    expect(rows('entry').every((one) => own.has(one.account_id!))).toBe(true);
    expect(
      rows('account')
        .map((one) => one.kind!)
        .filter((kind) => !kind.startsWith('client_')),
    ).toEqual([]);
    const balance = rows('account_balance').reduce((sum, one) => sum + Number(one.balance), 0);
    expect(balance).toBe(80_000_000);
    expect(rows('entry').reduce((sum, one) => sum + Number(one.amount), 0)).toBe(balance);
    for (const word of [
      'Cedar',
      'Foreign',
      'Acme',
      'cost_micros',
      'wholesale',
      'password',
      sibling.id,
      other.id,
    ])
      expect([word, text.includes(word)]).toEqual([word, false]);
  });

  test('of an agency has its clients and its costs, but no other agency', async () => {
    const id = await start(acme.id);
    await make(id);
    const { manifest, tables, text } = await unpacked(id);
    expect(manifest.subject).toMatchObject({ kind: 'agency', name: 'Acme' });
    const names = tables.get('company')!.map((one) => one.name!);
    expect(names.toSorted()).toEqual(['Acme', 'Birch', 'Cedar']);
    expect(tables.get('lead')).toHaveLength(7);
    expect(tables.get('lead')!.every((one) => 'cost_micros' in one)).toBe(true);
    expect(text).not.toContain('Foreign');
    expect(text).not.toContain(other.id);
  });

  test('leaves out people who have been put on an exclusion list since, and says how many', async () => {
    await app.make.exclusionList(client, 'client', ['birch3@people.test']);
    const id = await start(client.id);
    await make(id);
    const { manifest, tables, text } = await unpacked(id);
    expect(tables.get('lead')).toHaveLength(5);
    expect(tables.get('lead_contact')).toHaveLength(4);
    expect(manifest.tables.find(({ name }) => name === 'lead_contact')!.withheld).toBe(1);
    expect(text).not.toContain('birch3@people.test');
  });

  test('[BEY-30] tells nothing that the screens keep back: proofs of returns, answers to the agency, files of suppliers, who of a short list is known', async () => {
    const sql = (text: string, ...values: unknown[]) => app.admin.query(text, values);
    const campaign = await app.make.campaign(client, { name: 'Birch quiet' });
    const { id: connectionId, destinationId } = await app.make.connection(client, {
      campaignId: campaign.id,
    });
    await sql('update connection set company_id = agency_id where id = $1', connectionId);
    const lead = (await sql('select id from lead where company_id = $1 order by id limit 1', client.id))
      .rows[0].id;
    const delivery = (
      await sql(
        `insert into delivery (id, root_id, agency_id, company_id, campaign_id, integration_id, lead_id, message_id, state, attempts, cause, created_at)
         select gen_random_uuid(), root_id, agency_id, company_id, campaign_id, $2, id, 'msg_1', 'failed', 1, 'Quota of agency-account-77', now()
         from lead where id = $1 returning id`,
        ...[lead, destinationId],
      )
    ).rows[0].id;
    await sql(
      `insert into delivery_attempt (delivery_id, number, root_id, agency_id, company_id, started_at, duration_ms, status, error)
       select id, 1, root_id, agency_id, company_id, now(), 5, 429, 'Quota of agency-account-77' from delivery where id = $1`,
      delivery,
    );
    const proofs = [{ kind: 'on_list', proves: null, words: 'On a list of the root', lead_id: null }];
    await sql(
      `insert into return_request (id, root_id, agency_id, company_id, campaign_id, lead_id, reason, note, state, proofs, is_proven, opened_by, created_at)
       select gen_random_uuid(), root_id, agency_id, company_id, campaign_id, id, 'other', 'x', 'open', $2, true, id, now() from lead where id = $1`,
      ...[lead, JSON.stringify(proofs)],
    );
    const key = { key: 'email_sha256', source: 'import: supplier-list.csv', confidence: 90 };
    await sql(`update lead set evidence = $2 where id = $1`, lead, {
      keys: [key],
      others: [{ confidence: 10, keys: [key] }],
      alternatives: 1,
    });
    for (const [size, email] of [
      [1, 'single@people.test'],
      [100, 'many@people.test'],
    ])
      await sql(
        `with a as (insert into audience (id, root_id, agency_id, company_id, name, source, kind, origin, state, size, matched, reachable, created_at, updated_at)
           select gen_random_uuid(), root_id, agency_id, id, 'List ' || $2::text, 'upload', 'email', 'customers', 'ready', $2::bigint, 1, 1, now(), now() from company where id = $1
           returning *)
         insert into audience_member (root_id, agency_id, company_id, audience_id, kind, value, email, is_excluded)
         select root_id, agency_id, company_id, id, 1, sha256(convert_to($3::text, 'UTF8')), $3, false from a`,
        ...[client.id, size, email],
      );
    const id = await start(client.id);
    await make(id);
    const { tables, text } = await unpacked(id);
    for (const word of [
      'agency-account-77',
      'On a list of the root',
      'is_proven',
      'supplier-list',
      'single@people.test',
      'reachable',
    ])
      expect([word, text.includes(word)]).toEqual([word, false]);
    expect(tables.get('audience')!.map((one) => 'matched' in one)).toEqual([false, false]);
    expect(tables.get('audience_member')).toMatchObject([{ email: 'many@people.test' }]);
    expect(tables.get('delivery')!.find((one) => one.id === delivery)).toMatchObject({
      state: 'failed',
      cause: null,
    });
    expect(tables.get('lead')!.find((one) => one.id === lead)!.evidence).toEqual({
      keys: [{ ...key, source: 'import' }],
      others: [{ confidence: 10, keys: [{ ...key, source: 'import' }] }],
      alternatives: 1,
    });
    // The agency sees what it sees on its screens.
    const whole = await start(acme.id);
    await make(whole);
    const theirs = await unpacked(whole);
    expect(theirs.text).toContain('agency-account-77');
    expect(theirs.text).toContain('On a list of the root');
    expect(theirs.text).not.toContain('supplier-list');
    await sql('delete from return_request where lead_id = $1', lead);
  });

  test('that is cut off in the middle leaves no file, and is whole when it is made again', async () => {
    const id = await start(client.id);
    const path = app.platform.files.pathOf(`exports/${id}.tar.gz`);
    const cut = new AbortController();
    const signal = {
      get aborted() {
        return cut.signal.aborted;
      },
      pieces: 0,
      throwIfAborted() {
        if (++this.pieces === 40) cut.abort();
        cut.signal.throwIfAborted();
      },
    };
    await expect(make(id, { signal })).rejects.toThrow('abort');
    expect((await listed(client.id))[0]).toMatchObject({ id, state: 'making' });
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(join(path, '..')).filter((name) => name.includes(id))).toEqual([]);
    await make(id);
    expect((await listed(client.id))[0]).toMatchObject({ id, state: 'ready' });
    expect((await unpacked(id)).tables.get('lead')).toHaveLength(5);
    // A job that is run once more changes nothing.
    const before = readFileSync(path);
    await make(id);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('is for owners who have just confirmed who they are, and for their own companies', async () => {
    const body = { company_id: client.id };
    const helper = { email: 'helper@acme.test', host: HOST };
    expect((await call('POST', '/api/company-exports', body, helper)).status).toBe(403);
    const foreign = { email: 'owner@other.test', host: 'other.test' };
    expect((await call('POST', '/api/company-exports', body, foreign)).status).toBe(404);
    expect(
      (await call('GET', `/api/company-exports?company_id=${client.id}`, undefined, foreign)).status,
    ).toBe(404);
    const [one] = await listed(client.id);
    expect((await call('DELETE', `/api/company-exports/${one!.id}`, undefined, foreign)).status).toBe(404);
    const token = await app.oldSession('owner@acme.test', HOST);
    expect((await app.call('POST', '/api/company-exports', { host: HOST, token, body })).status).toBe(403);
    const path = `/api/company-exports/${one!.id}/file`;
    const download = await app.call('POST', '/api/general/download-token', {
      host: HOST,
      token,
      body: { path },
    });
    expect(download.status).toBe(403);
  });

  test('is made once at a time, can be stopped, and its file is deleted after three days', async () => {
    const first = await start(sibling.id);
    expect((await call('POST', '/api/company-exports', { company_id: sibling.id })).status).toBe(409);
    expect((await call('DELETE', `/api/company-exports/${first}`)).status).toBe(200);
    await make(first);
    expect(await listed(sibling.id)).toEqual([]);
    const second = await start(sibling.id);
    await make(second);
    const path = app.platform.files.pathOf(`exports/${second}.tar.gz`);
    expect(existsSync(path)).toBe(true);
    app.clock.advance(73 * hour);
    await app.features.companyExports.endAll();
    expect(existsSync(path)).toBe(false);
    expect(await listed(sibling.id)).toEqual([]);
  });

  test('[BEY-31] whose reader hangs up before the first byte holds no file open, and its deletion ends nothing', async () => {
    const id = await start(sibling.id);
    await make(id);
    const file = app.platform.files.pathOf(`exports/${id}.tar.gz`);
    if (!app.server.server.listening) await app.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.server.address() as AddressInfo;
    /** Asks for the file, and hangs up while it is looked up; `meanwhile` happens before it is found. */
    async function hangUp(meanwhile: () => void): Promise<void> {
      const token = await app.signIn('owner@acme.test', HOST);
      const body = { path: `/api/company-exports/${id}/file` };
      const { url } = (await app.call('POST', '/api/general/download-token', { host: HOST, token, body }))
        .body;
      const asked = Promise.withResolvers<void>();
      const gone = Promise.withResolvers<void>();
      const closed = Promise.withResolvers<void>();
      app.server.server.once('connection', (socket) => socket.once('close', () => closed.resolve()));
      const get = vi.spyOn(app.platform.files, 'get').mockImplementationOnce(async () => {
        asked.resolve();
        await gone.promise;
        return file;
      });
      try {
        const socket = connect(port, '127.0.0.1');
        socket.write(`GET ${url} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
        await asked.promise;
        socket.destroy();
        await closed.promise;
        meanwhile();
        gone.resolve();
        await sleep(100);
      } finally {
        get.mockRestore();
      }
    }
    await hangUp(() => {});
    // Where the system tells.
    const open = (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd') : []).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)];
      } catch {
        return [];
      }
    });
    expect(open.filter((one) => one.startsWith(file))).toEqual([]);
    // An error that nothing listens for would fail this test.
    await hangUp(() => rmSync(file));
    const token = await app.signIn('owner@acme.test', HOST);
    const body = { path: `/api/company-exports/${id}/file` };
    const { url } = (await app.call('POST', '/api/general/download-token', { host: HOST, token, body })).body;
    expect((await app.call('GET', String(url), { host: HOST })).status).toBe(404);
  });

  test('[BEY-31] a company keeps a few, and an agency has a few made at a time', async () => {
    const clients = await app.make.clients(acme, 4, 'Bounded');
    const refusal = async (companyId: string) => {
      const { status, body } = await call('POST', '/api/company-exports', { company_id: companyId });
      return [status, body.message];
    };
    const before = { kept: BOUNDS.fullExports.most, waiting: BOUNDS.waitingExports.most };
    Object.assign(BOUNDS.fullExports, { most: 1 });
    Object.assign(BOUNDS.waitingExports, { most: 2 });
    try {
      await make(await start(clients[0]!.id));
      expect(await refusal(clients[0]!.id)).toEqual([
        422,
        'company_id: would exceed the limit of 1 full exports kept per company. Delete one first',
      ]);
      const answers = await Promise.all(clients.slice(1).map((one) => refusal(one.id)));
      expect(answers.map(([status]) => status).sort()).toEqual([200, 200, 422]);
      // Those of other agencies do not count.
      const foreign = { email: 'owner@other.test', host: 'other.test' };
      const { status } = await call('POST', '/api/company-exports', { company_id: other.id }, foreign);
      expect(status).toBe(200);
    } finally {
      Object.assign(BOUNDS.fullExports, { most: before.kept });
      Object.assign(BOUNDS.waitingExports, { most: before.waiting });
    }
  });
});
