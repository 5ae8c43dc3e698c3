import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { extractText, getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { DiskLow } from '../../../platform/disk.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { auditLedger } from '../../money/ledger/index.ts';
import type { Manifest } from '../company-exports/archive.ts';
import { EXPORTED } from '../company-exports/tables.ts';
import { comparisonHtml, comparisonText } from './index.ts';
import { createCompanyImports } from './service.ts';
import { workAtLength } from './store.ts';
import { INSERTED } from './tables.ts';
import { CHECKED, CHECKED_DOCUMENT, timeRule, VALUES } from './values.ts';

let there: TestApp;
let here: TestApp;
let root: Company;
let acme: Company;
let birch: Company;
let root2: Company;
let receiver: Company;
const folder = mkdtempSync(join(tmpdir(), 'import-'));
const clientFile = join(folder, 'client.tar.gz');
const agencyFile = join(folder, 'agency.tar.gz');

/** Makes a full export, and copies its file. */
async function exported(app: TestApp, companyId: string, ownerOf: Company, to: string): Promise<void> {
  const { rows } = await app.admin.query(
    `insert into company_export (id, root_id, agency_id, company_id, company_kind, state, asked_by, created_at)
     select gen_random_uuid(), root_id, agency_id, id, kind, 'queued', id, $2 from company where id = $1 returning id`,
    [companyId, app.clock.now()],
  );
  await app.features.companyExports.make({ rootId: ownerOf.root_id, exportId: rows[0].id });
  copyFileSync(app.platform.files.pathOf(`exports/${rows[0].id}.tar.gz`), to);
}

/** An invoice of a client that its card paid. */
async function billed(app: TestApp, owner: Company, amount: bigint): Promise<void> {
  const agencyId = owner.agency_id!;
  const ofClient = { root_id: owner.root_id, agency_id: agencyId, company_id: owner.id };
  const ofAgency = { ...ofClient, company_id: agencyId };
  const invoiceId = await inScope(app.platform.db.app, { rootId: owner.root_id }, async (tx) => {
    const [event] = await app.features.ledger.post(
      tx,
      [
        {
          owner: ofClient,
          kind: 'adjustment',
          referenceId: null,
          memo: 'Agreed by phone',
          key: `billed ${owner.id}`,
          entries: [
            { account: { owner: ofClient, kind: 'client_unbilled' }, amount: -amount },
            { account: { owner: ofAgency, kind: 'agency_revenue' }, amount },
          ],
        },
      ],
      app.clock.now(),
    );
    const issued = await app.features.invoices.bill(
      tx,
      {
        ...{
          owner: ofClient,
          side: 'retail',
          kind: 'to_date',
          term: null,
          periodKey: 'first',
          from: null,
          to: null,
        },
        events: { transferIds: [event!] },
      },
      app.clock.now(),
    );
    return issued!.id;
  });
  await app.admin.query(
    `insert into charge (id, root_id, agency_id, company_id, purpose, reference_id, idempotency_key, amount_cents, fee_cents,
       description, provider, account, customer, card, brand, last4, state, decline_message, created_at)
     values (gen_random_uuid(), $1, $2, $3, 'invoice', $4, 'first', $5, 100, 'Invoice', 'sandbox', 'a', 'b', 'c', 'visa',
       '4242', 'declined', 'Not enough funds', $6)`,
    [owner.root_id, owner.agency_id, owner.id, invoiceId, Number(amount / 10_000n), app.clock.now()],
  );
}

async function furnish(app: TestApp): Promise<void> {
  const { make } = app;
  root = await make.root({ host: 'root.test', isMaster: true });
  acme = await make.agency(root, { host: 'acme.test', name: 'Acme' });
  const other = await make.agency(root, { host: 'other.test', name: 'Other' });
  const passwordHash = await app.features.users.hashPassword('correct horse battery');
  await make.user(acme, { email: 'owner@acme.test', passwordHash });
  for (const [name, leads] of [
    ['Birch', 5],
    ['Cedar', 2],
  ] as const) {
    const company = await make.client(acme, { name });
    if (name === 'Birch') birch = company;
    await make.user(company, { name: `${name} owner`, email: `${name.toLowerCase()}@clients.test` });
    const campaign = await make.campaign(company, {
      name: `${name} site`,
      price: 2_000_000n,
      balance: 90_000_000n,
    });
    const people = Array.from({ length: leads }, (_, i) =>
      make.person({ last_name: `${name}Person`, email: `${name.toLowerCase()}${i}@people.test` }),
    );
    await make.people(root, people);
    for (const person of people) await make.visit(campaign, { email: person.email });
    await app.features.leads.resolver.resolveAll();
    await make.media(company, { name: `${name} image` });
    await make.exclusionList(company, 'client', ['nobody@people.test']);
    await make.connection(company, { campaignId: campaign.id });
    await billed(app, company, name === 'Birch' ? 30_000_000n : 20_000_000n);
  }
  for (const [amountMicros, granted] of [
    [40_000_000n, false],
    [5_000_000n, true],
  ] as const)
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.wallet.topUp(
        tx,
        { rootId: root.id, agencyId: acme.id, amountMicros, granted, key: `${amountMicros}` },
        app.clock.now(),
      ),
    );
  await make.client(other, { name: 'Foreign' });
}

beforeAll(async () => {
  there = await testApp();
  await furnish(there);
  here = await testApp();
  root2 = await here.make.root({ host: 'second.test', isMaster: true });
  receiver = await here.make.agency(root2, { host: 'receiver.test', name: 'Receiver' });
  await exported(there, birch.id, acme, clientFile);
  await exported(there, acme.id, acme, agencyFile);
});
afterAll(async () => {
  expect([...there.greedy, ...here.greedy]).toEqual([]);
  await there.close();
  await here.close();
  rmSync(folder, { recursive: true, force: true });
});

const holds = async (app: TestApp) =>
  (await auditLedger(app.admin)).checks.flatMap(({ name, violations, examples }) =>
    violations > 0 ? [[name, examples]] : [],
  );

/** An archive with some of its files changed, as someone would who unpacks it, edits it, and packs it again. */
function forged(file: string, change: (folder: string) => void, flags: string[] = []): string {
  const work = mkdtempSync(join(folder, 'forged-'));
  execFileSync('tar', ['-xzf', file, '-C', work]);
  change(work);
  const names = execFileSync('tar', ['-tzf', file]).toString().trim().split('\n');
  const made = `${work}.tar.gz`;
  execFileSync('tar', ['--format=ustar', ...flags, '-czf', made, '-C', work, ...names]);
  return made;
}

type Line = Record<string, unknown>;
/** An archive in which the rows of a table are others, with a manifest that says so. */
const withRows = (file: string, name: string, change: (rows: Line[]) => (Line | string)[]): string =>
  forged(file, (work) => {
    const manifest = JSON.parse(readFileSync(join(work, 'manifest.json'), 'utf8')) as Manifest;
    const table = manifest.tables.find((one) => one.name === name)!;
    const [part] = table.parts;
    const path = join(work, part!.name);
    const rows = readFileSync(path, 'utf8').trimEnd().split('\n');
    const lines = change(rows.map((row) => JSON.parse(row) as Line));
    const content = lines.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('');
    writeFileSync(path, content);
    const said = { rows: lines.length, bytes: Buffer.byteLength(content), sha256: hash('sha256', content) };
    Object.assign(part!, said);
    Object.assign(table, said);
    writeFileSync(join(work, 'manifest.json'), JSON.stringify(manifest));
  });
const withManifest = (change: (manifest: Manifest) => void): string =>
  forged(clientFile, (work) => {
    const manifest = JSON.parse(readFileSync(join(work, 'manifest.json'), 'utf8')) as Manifest;
    change(manifest);
    writeFileSync(join(work, 'manifest.json'), JSON.stringify(manifest));
  });

const counts = async (app: TestApp, companyId: string) =>
  (
    await app.admin.query(
      `select (select count(*) from company where id = $1 or agency_id = $1)::int as companies,
         (select count(*) from lead where company_id = $1 or agency_id = $1)::int as leads,
         (select count(*) from company_import_row)::int as rows`,
      [companyId],
    )
  ).rows[0] as { companies: number; leads: number; rows: number };
const target = () => ({ rootId: root2.id, agencyId: receiver.id });

test('[BEY-13] each value that an import makes has a rule, its own or the database’s', async () => {
  const { rows } = await here.admin.query<{ of: string; name: string; type: string; checked: boolean }>(
    `select c.table_name as of, c.column_name as name, c.udt_name as type, exists (
       select from pg_constraint k where k.conrelid = c.table_name::regclass and k.contype = 'c' and c.ordinal_position = any(k.conkey)) as checked
     from information_schema.columns c
     where c.table_schema = 'public' and c.udt_name not in ('uuid', '_uuid', 'bool', 'inet', 'bytea')`,
  );
  const exported = new Map(EXPORTED.map((one) => [one.name, new Set([...one.columns, ...one.agencyOnly])]));
  const isTime = ({ type }: { type: string }) => type === 'date' || type === 'timestamptz';
  for (const { name: table, own } of INSERTED) {
    const made = rows.filter(
      ({ of, name }) => of === table && exported.get(table)!.has(name) && !own.includes(name),
    );
    const untimed = made.filter((one) => isTime(one) && !timeRule(one.name)).map(({ name }) => name);
    expect([table, untimed]).toEqual([table, []]);
    const others = made.filter((one) => !isTime(one));
    expect([table, Object.keys(VALUES[table] ?? {}).sort()]).toEqual([
      table,
      others.map(({ name }) => name).sort(),
    ]);
    for (const { name, checked } of others)
      if ([CHECKED, CHECKED_DOCUMENT].includes(VALUES[table]![name]!))
        expect(`${table}.${name} ${checked}`).toBe(`${table}.${name} true`);
  }
});

test('[BEY-13] the transaction of an import is not cut off while an archive is read between two statements', async () => {
  const limits = await inScope(here.platform.db.app, { rootId: root2.id }, async (tx) => {
    await workAtLength(tx);
    const { rows } = await sql<
      Record<string, string>
    >`select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle, current_setting('timezone') as zone`.execute(
      tx,
    );
    return rows;
  });
  expect(limits).toEqual([{ statement: '1h', idle: '1h', zone: 'UTC' }]);
});

describe('[BEY-13] an archive that no export made is refused, and nothing of it stays', () => {
  const refused = async (file: string, words: string | RegExp) => {
    await expect(here.features.companyImports.import(file, target(), { balances: 'open' })).rejects.toThrow(
      words,
    );
    expect(await counts(here, birch.id)).toEqual({ companies: 0, leads: 0, rows: 0 });
    expect((await here.admin.query('select count(*)::int as n from company_import')).rows[0].n).toBe(0);
  };

  test('if it is cut off, damaged, or something else', async () => {
    const whole = readFileSync(clientFile);
    const cut = join(folder, 'cut.tar.gz');
    writeFileSync(cut, whole.subarray(0, Math.floor(whole.length * 0.7)));
    await refused(cut, /cut off|damaged/);
    writeFileSync(cut, gzipSync(gunzipSync(whole).subarray(0, 512 * 40)));
    await refused(cut, 'it is cut off');
    writeFileSync(cut, 'not an archive at all');
    await refused(cut, 'it is damaged, or not a tar.gz file');
  });

  test('if it unpacks to more than the disk has room for, which it waits for without anything of it', async () => {
    let room = 0;
    const { import: run } = createCompanyImports(
      here.platform,
      here.features,
      async (_dataDir, bytes = 0) => {
        if (bytes > room) throw new DiskLow('The disk is almost full.');
      },
    );
    await expect(run(clientFile, target(), { balances: 'open' })).rejects.toThrow(DiskLow);
    room = gunzipSync(readFileSync(clientFile)).length;
    expect(await counts(here, birch.id)).toEqual({ companies: 0, leads: 0, rows: 0 });
    expect(await run(clientFile, target(), { dryRun: true })).toMatchObject({ resumedAt: 0 });
    await here.admin.query('delete from company_import');
  });

  test('if it unpacks to far more than an export can', async () => {
    const bomb = join(folder, 'bomb.tar.gz');
    const header = gunzipSync(readFileSync(clientFile)).subarray(0, 512);
    writeFileSync(bomb, gzipSync(Buffer.concat([header, Buffer.alloc(130 * 1024 * 1024)])));
    await refused(bomb, 'it unpacks to far more than an export can');
    const long = Buffer.alloc(512);
    header.copy(long);
    long.write('77777777777\0', 124, 'latin1');
    long.write('        ', 148, 'latin1');
    const sum = long.reduce((all, byte) => all + byte, 0);
    long.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    writeFileSync(bomb, gzipSync(long));
    await refused(bomb, 'is too large');
  });

  test('if its paths lead elsewhere', async () => {
    const work = mkdtempSync(join(folder, 'paths-'));
    writeFileSync(join(work, 'x'), 'x');
    const file = `${work}.tar.gz`;
    execFileSync('tar', [
      '--format=ustar',
      '-P',
      '--transform=s,^x,../../etc/passwd,',
      '-czf',
      file,
      '-C',
      work,
      'x',
    ]);
    await refused(file, 'an entry that no export has');
    symlinkSync('/etc/passwd', join(work, 'README.txt'));
    execFileSync('tar', ['--format=ustar', '-czf', file, '-C', work, 'README.txt']);
    await refused(file, 'an entry that no export has');
  });

  test('if its manifest is wrong, or says something else than its files', async () => {
    await refused(
      withManifest((m) => Object.assign(m, { format: 'other' })),
      'is not that of a full export',
    );
    await refused(
      withManifest((m) => Object.assign(m, { version: 2 })),
      'has the version 2',
    );
    await refused(
      withManifest((m) => Object.assign(m.tables[0]!, { name: 'pg_authid' })),
      'the table pg_authid',
    );
    await refused(
      withManifest((m) => m.tables[0]!.columns.push('is_master')),
      'the column is_master',
    );
    await refused(
      withManifest((m) => Object.assign(m, { tables: 5 })),
      'is wrong at tables',
    );
    await refused(
      withManifest((m) => m.tables.splice(0, 1)),
      /says|where/,
    );
    const changed = forged(clientFile, (work) => {
      const path = join(work, 'tables/lead/000001.ndjson');
      writeFileSync(path, readFileSync(path, 'utf8').replace('"confidence":', '"confidencf":'));
    });
    await refused(changed, 'is not what manifest.json says');
  });

  test('if reading it would hold the process: its manifest or a row is too deep, too wide, or endless', async () => {
    const list = (value: string, count: number) =>
      `[${Array.from({ length: count }, () => value).join(',')}]`;
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const raw = (change: (text: string) => string) =>
      forged(clientFile, (work) => {
        const path = join(work, 'manifest.json');
        writeFileSync(path, change(JSON.stringify(JSON.parse(readFileSync(path, 'utf8')))));
      });
    const parts = (value: string) => raw((text) => text.replace(/"parts":\[\]/, `"parts":${value}`));
    await refused(parts(list('1', 300_000)), /parts: is not a list of files/);
    await refused(parts(deep), 'or not that of a full export');
    await refused(
      raw((text) => text.replace('"version":1', `"version":"${'9'.repeat(1_000_000)}"`)),
      /has the version unknown[^9]*$/,
    );
    const row = (value: string) =>
      withRows(clientFile, 'lead', (rows) => [JSON.stringify(rows[0]).replace('{', `{"score":${value},`)]);
    await refused(row(deep), 'is not a JSON object');
    const wide = Array.from({ length: 2_000 }, (_, at) => `"k${at}":1`).join(',');
    await refused(row(`{${wide}}`), 'is not a JSON object');
  });

  test('if a value is not one that a form would have taken, with its row, column, and rule', async () => {
    const one = (table: string, change: Line) =>
      withRows(clientFile, table, (rows) => [...rows.slice(0, -1), { ...rows.at(-1), ...change }]);
    await refused(
      one('campaign', { site_url: 'javascript:alert(1)' }),
      /row \d+ of the table campaign does not fit: site_url: must be a URL that starts with http/,
    );
    await refused(one('company', { name: 'Birch \u0000' }), 'must not have a NUL character');
    await refused(
      one('lead_contact', { page_url: 'x'.repeat(5_001) }),
      'page_url: must be text of up to 5,000',
    );
    await refused(one('campaign_hour', { visits: 1e12 }), 'visits: must be a number from 0 to 1,000,000,000');
  });

  test('if what its sums and balances are made of is no amount, or of someone else’s campaign, in the trial as well', async () => {
    const fails = async (table: string, change: (row: Line) => Line, words: string | RegExp) => {
      const file = withRows(clientFile, table, (rows) => rows.map((row) => ({ ...row, ...change(row) })));
      await refused(file, words);
      const trial = here.features.companyImports.import(file, target(), { dryRun: true });
      await expect(trial).rejects.toMatchObject({
        name: 'BadArchive',
        message: expect.stringMatching(words),
      });
    };
    await fails('account_balance', () => ({ balance: 'NaN' }), /balance: must be a number/);
    await fails('entry', () => ({ amount: '9'.repeat(1_000_000) }), /amount: must be a number/);
    await fails('invoice', () => ({ total_micros: [['x']] }), /total_micros: must be a number/);
    await fails('charge', () => ({ description: 'a\u0000' }), /must not have a NUL character/);
    await fails('lead', () => ({ price_micros: 'free' }), /price_micros: must be a number/);
    const strange = await here.make.campaign(await here.make.client(receiver, { name: 'Rich' }));
    const ofCampaign = (id: string) => (row: Line) =>
      row.kind === 'client_prepaid' ? { campaign_id: id } : {};
    await fails('account', ofCampaign(strange.id), /a campaign that is not its company’s/);
    await fails('account', ofCampaign('x'), /its rows do not fit/);
    const named = withManifest((one) => (one.subject.name = 'Birch\u0000'));
    await refused(named, 'its manifest.json is not that of a full export');
  });

  test('if its rows are of others, have unknown columns, or are no rows', async () => {
    const lead = (change: (rows: Line[]) => (Line | string)[]) => withRows(clientFile, 'lead', change);
    await refused(
      lead((rows) => [{ ...rows[0], company_id: root2.id }]),
      'that the archive is not about',
    );
    await refused(
      lead((rows) => [{ ...rows[0], root_id: root2.id }]),
      'has the column "root_id"',
    );
    await refused(
      lead((rows) => [rows[0]!, rows[0]!]),
      'is there twice',
    );
    await refused(
      lead(() => ['[1, 2]']),
      'is not a JSON object',
    );
    await refused(
      lead((rows) => [{ ...rows[0], confidence: 'many' }]),
      'table lead does not fit',
    );
    await refused(
      lead((rows) => [{ ...rows[0], id: 'x' }]),
      'table lead does not fit',
    );
    const strange = await here.make.campaign(await here.make.client(receiver, { name: 'Own' }));
    await refused(
      lead((rows) => [{ ...rows[0], campaign_id: strange.id }]),
      'a campaign that is not in the archive',
    );
    await refused(
      withRows(clientFile, 'exclusion_list', (rows) => [{ ...rows[0], owner_id: receiver.id }]),
      'is about someone else',
    );
    await refused(
      withRows(clientFile, 'company', (rows) => [{ ...rows[0], kind: 'root' }]),
      'is not one of Birch',
    );
    await refused(
      withRows(clientFile, 'company', (rows) => [{ ...rows[0], id: receiver.id }]),
      'is not',
    );
    const creative = forged(clientFile, (work) => {
      const manifest = JSON.parse(readFileSync(join(work, 'manifest.json'), 'utf8')) as Manifest;
      const [file] = manifest.tables.find(({ name }) => name === 'creative')!.files;
      const content = '<svg onload="alert(1)"/>';
      writeFileSync(join(work, file!.name), content);
      Object.assign(file!, { bytes: content.length, sha256: hash('sha256', content) });
      writeFileSync(join(work, 'manifest.json'), JSON.stringify(manifest));
    });
    await refused(creative, 'is not a picture of its kind');
  });

  test('if a row is too long', async () => {
    const long = withRows(clientFile, 'lead', (rows) => [
      { ...rows[0], evidence: 'x'.repeat(9 * 1024 * 1024) },
    ]);
    await refused(long, 'is too long');
  });

  test('if its balances are not the sums of their entries', async () => {
    const rich = withRows(clientFile, 'account_balance', (rows) =>
      rows.map((row) => ({ ...row, balance: 900_000_000_000 })),
    );
    await refused(rich, 'is not the sum of its entries');
  });

  test('and one of another root’s agency is not found', async () => {
    const foreign = await here.make.root({ host: 'third.test' });
    const { import: run } = here.features.companyImports;
    await expect(run(clientFile, { rootId: foreign.id, agencyId: receiver.id })).rejects.toThrow(
      'no such agency',
    );
    await expect(run(clientFile, { rootId: root2.id })).rejects.toThrow('Say which agency receives it');
    await expect(run(agencyFile, target())).rejects.toThrow('not under an agency');
  });
});

describe('[BEY-13] an import', () => {
  test('of a client that is cut off again and again goes on, shows nothing half done, and compares equal', async () => {
    const { import: run } = here.features.companyImports;
    const tried = await run(clientFile, target(), { dryRun: true });
    expect(tried.comparison.tables.filter(({ isEqual }) => !isEqual)).toEqual([]);
    expect(tried).toMatchObject({
      isDone: false,
      newIds: false,
      balances: { archive: { client_prepaid: '80000000' } },
    });
    expect(await counts(here, birch.id)).toMatchObject({ companies: 0, leads: 0 });
    // What was only tried leaves nothing behind.
    expect((await counts(here, birch.id)).rows).toBe(0);
    let [runs, resumed] = [0, 0];
    for (let result: Awaited<ReturnType<typeof run>> | undefined; !result; ) {
      let steps = 0;
      const cut = new AbortController();
      // Each run gets a little further than the last: between two tables, while they become visible, or while comparing.
      const most = 3 + runs * 10;
      result = await run(clientFile, target(), {
        balances: 'open',
        signal: cut.signal,
        progress: ({ step }) => {
          if (step !== 'checking' && ++steps === most) cut.abort();
        },
      }).catch((error: Error) => {
        if (error.name !== 'AbortError') throw error;
        return undefined;
      });
      runs++;
      if (result) {
        resumed = result.resumedAt;
        expect(result).toMatchObject({ isDone: true, balances: { opened: { client_prepaid: '80000000' } } });
        expect(result.todo.map(({ what }) => what.split(' ')[0])).toEqual(
          expect.arrayContaining(['user', 'connection', 'destination', 'campaign']),
        );
      } else expect(await counts(here, birch.id)).toMatchObject({ companies: 0, leads: 0 });
    }
    expect(runs).toBeGreaterThan(5);
    expect(resumed).toBeGreaterThan(0);
    expect(await counts(here, birch.id)).toMatchObject({ companies: 1, leads: 5 });
    expect(await holds(here)).toEqual([]);
    const { rows } = await here.admin.query(
      `select c.state, c.site_key = $2 as same_key, u.password_hash, n.state as connection, i.state as destination, l.price_micros
       from campaign c, user_account u, connection n, integration i, lead l
       where c.company_id = $1 and u.company_id = $1 and n.company_id = $1 and i.company_id = $1 and l.company_id = $1 limit 1`,
      [
        birch.id,
        (await there.admin.query('select site_key from campaign where company_id = $1', [birch.id])).rows[0]
          .site_key,
      ],
    );
    expect(rows).toEqual([
      {
        state: 'paused',
        same_key: true,
        password_hash: null,
        connection: 'broken',
        destination: 'disabled',
        price_micros: 0n,
      },
    ]);
    await expect(run(clientFile, target(), { balances: 'open' })).rejects.toThrow('was imported on');
    // Its pages open for the agency that received it.
    const passwordHash = await here.features.users.hashPassword(PASSWORD);
    await here.make.user(receiver, { email: 'owner@receiver.test', passwordHash });
    const token = await here.signIn('owner@receiver.test', 'receiver.test');
    const get = (path: string) => here.call('GET', `/api/${path}`, { host: 'receiver.test', token });
    const clients = await get(`configuration/user/${receiver.id}/all/all/client/all/all/all/all`);
    expect([clients.status, clients.text]).toEqual([200, expect.stringContaining('Birch')]);
    const { rows: campaigns } = await here.admin.query('select id from campaign where company_id = $1', [
      birch.id,
    ]);
    const leads = await get(`leadspeek/report/lead?leadspeekID=${campaigns[0].id}`);
    expect([leads.status, (leads.body.data as unknown[]).length]).toEqual([200, 5]);
    expect(leads.text).toContain('birch3@people.test');
  });

  test('names each row that differs from its archive afterward', async () => {
    await here.admin.query(
      `update lead_contact set last_name = 'Altered' where company_id = $1 and email = 'birch1@people.test'`,
      [birch.id],
    );
    await here.admin.query(`delete from campaign_data where company_id = $1`, [birch.id]);
    const { comparison } = await here.features.companyImports.compare(clientFile, target());
    expect(comparison.isEqual).toBe(false);
    const lead = comparison.tables.find(({ name }) => name === 'lead_contact')!;
    expect(lead.differences).toEqual([{ key: expect.any(String), what: 'changed', columns: ['last_name'] }]);
    expect(comparison.tables.filter(({ isEqual }) => !isEqual).length).toBeLessThanOrEqual(2);
    expect(comparisonText(comparison).join('\n')).toContain('Differences in lead_contact:');
    expect(comparisonHtml('A <b>', comparison)).not.toContain('A <b>');
  });

  test('of an agency has its clients, and its balances are opened', async () => {
    const { import: run } = here.features.companyImports;
    // Birch is here already, so that everything gets new ids.
    const done = await run(agencyFile, { rootId: root2.id }, { balances: 'open' });
    expect(done.comparison.tables.filter(({ isEqual }) => !isEqual)).toEqual([]);
    expect(done).toMatchObject({
      isDone: true,
      newIds: true,
      balances: { archive: { agency_wallet: '45000000' }, opened: { agency_wallet: '45000000' } },
    });
    expect(done.balances.opened).toEqual(done.balances.archive);
    expect(await counts(here, done.companyId)).toMatchObject({ companies: 3, leads: 7 });
    expect(done.conflicts.flatMap(({ examples }) => examples)).toContain('birch@clients.test');
    expect(await holds(here)).toEqual([]);
    const again = await here.features.companyImports.compare(agencyFile, { rootId: root2.id });
    expect(again.comparison.isEqual).toBe(true);
  });

  test('of an agency has its embed code as a document only: it would run for whoever signs in there', async () => {
    await there.admin.query(
      `insert into setting (company_id, root_id, agency_id, name, value, version, updated_at)
       values ($1, $2, $1, 'embed_code', '{"place": "head", "code": "<script>steal()</script>"}', 1, $3)`,
      [acme.id, root.id, there.clock.now()],
    );
    const file = join(folder, 'embed.tar.gz');
    await exported(there, acme.id, acme, file);
    const done = await here.features.companyImports.import(
      file,
      { rootId: root2.id },
      { balances: 'none', newIds: true },
    );
    expect(done).toMatchObject({ isDone: true, comparison: { isEqual: true } });
    expect(done.todo).toContainEqual({
      what: expect.stringMatching(/^agency has embed code, which is not in use here/),
      count: 1,
      examples: ['Acme'],
    });
    const { rows } = await here.admin.query(
      `select name from setting where company_id = $1 and name = 'embed_code'`,
      [done.companyId],
    );
    expect(rows).toEqual([]);
  });

  test('under another agency of the same installation gets ids of its own', async () => {
    const { import: run } = there.features.companyImports;
    const { rows } = await there.admin.query(`select id from company where name = 'Other'`);
    const done = await run(clientFile, { rootId: root.id, agencyId: rows[0].id }, { balances: 'none' });
    expect(done).toMatchObject({ isDone: true, newIds: true, balances: { opened: {} } });
    expect(done.companyId).not.toBe(birch.id);
    expect(await counts(there, done.companyId)).toMatchObject({ companies: 1, leads: 5 });
    expect(await holds(there)).toEqual([]);
  });
});

describe('[BEY-13] the import page', () => {
  const URL = '/api/company-imports';
  let token: string;
  const get = (path = '') => here.call('GET', `${URL}${path}`, { host: 'second.test', token });
  const post = (path: string, body?: unknown) =>
    here.call('POST', `${URL}${path}`, { host: 'second.test', token, body });
  const upload = async (content: Buffer, receiverId?: string) => {
    here.clock.advance(1000);
    const answer = await here.server.inject({
      method: 'POST',
      url: `${URL}/upload?file_name=birch.tar.gz${receiverId ? `&receiver_id=${receiverId}` : ''}`,
      headers: {
        host: 'second.test',
        authorization: `Bearer ${token}`,
        'content-type': 'application/gzip',
      },
      payload: content,
    });
    return { status: answer.statusCode, body: answer.json() };
  };
  const run = (runId: string, more = {}) => here.features.importRuns.run({ rootId: root2.id, runId }, more);
  const one = async (id: string) => (await get(`/${id}`)).body.data as Record<string, unknown>;
  const invitations = async () =>
    (
      await here.admin.query(
        `select count(*)::int as n from mail where kind = 'account.invitation' and root_id = $1`,
        [root2.id],
      )
    ).rows[0].n;
  let keptId: string;

  beforeAll(async () => {
    const passwordHash = await here.features.users.hashPassword(PASSWORD);
    await here.make.user(root2, { email: 'root@second.test', passwordHash });
    await here.make.user(root2, { email: 'helper@second.test', passwordHash, role: 'administrator' });
    token = await here.signIn('root@second.test', 'second.test');
  });

  test('tries an archive, imports it with one confirmation, goes on after a stop, and invites its users', async () => {
    const before = (await here.admin.query('select count(*)::int as n from company')).rows[0].n;
    const { status, body } = await upload(readFileSync(clientFile), receiver.id);
    expect([status, body.message]).toEqual([200, 'The archive is being checked. Nothing is imported yet.']);
    const { id } = body.data;
    keptId = id;
    expect(await one(id)).toMatchObject({
      phase: 'try',
      state: 'queued',
      receiver_name: 'Receiver',
      name: '',
    });
    expect((await here.call('DELETE', `${URL}/${id}`, { host: 'second.test', token })).status).toBe(409);
    await run(id);
    expect(await one(id)).toMatchObject({
      state: 'refused',
      error: expect.stringContaining('was imported on'),
    });
    expect((await post(`/${id}/start`, {})).status).toBe(409);
    expect((await post(`/${id}/try`, { new_ids: true })).status).toBe(200);
    await run(id);
    expect(await one(id)).toMatchObject({
      ...{ state: 'ready', name: 'Birch', kind: 'client', to_invite: 0 },
      result: { is_equal: true, new_ids: true, held: { client_prepaid: '80000000' } },
    });
    expect((await here.admin.query('select count(*)::int as n from company')).rows[0].n).toBe(before);
    const unsaid = await post(`/${id}/start`, {});
    expect([unsaid.status, unsaid.body.errors]).toEqual([
      422,
      { balances: ['must be chosen, because the archive has balances'] },
    ]);
    expect((await post(`/${id}/invite`)).status).toBe(409);
    expect((await post(`/${id}/start`, { balances: 'none' })).status).toBe(200);
    // The process stops: the job runs again.
    await expect(run(id, { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(await one(id)).toMatchObject({ phase: 'import', state: 'running' });
    await run(id);
    expect(await one(id)).toMatchObject({ phase: 'import', state: 'ready', step: null, error: null });
    expect((await here.admin.query('select count(*)::int as n from company')).rows[0].n).toBe(before + 1);
    // The job may be delivered once more.
    await run(id);
    expect((await here.admin.query('select count(*)::int as n from company')).rows[0].n).toBe(before + 1);
    expect((await post(`/${id}/try`, { new_ids: true })).status).toBe(409);
    // The email of its owner is taken, so another one is given before inviting.
    await here.admin.query(
      `update user_account u set disabled_at = null, email = 'new@clients.test'
       from company_import_run r where r.id = $1 and u.company_id = r.made_id`,
      [id],
    );
    expect(await one(id)).toMatchObject({ to_invite: 1 });
    const sent = await invitations();
    const invited = await post(`/${id}/invite`);
    expect([invited.status, invited.body.message]).toEqual([200, 'Invited 1 user.']);
    expect((await invitations()) - sent).toBe(1);
    const { rows } = await here.admin.query(
      `select sender_host from mail where kind = 'account.invitation' order by created_at desc limit 1`,
    );
    expect(rows).toEqual([{ sender_host: 'receiver.test' }]);
    expect((await post(`/${id}/invite`)).body.message).toBe('Everyone has been invited.');
    expect(await holds(here)).toEqual([]);
  });

  test('says what is wrong with a file, and keeps nothing of a hostile archive', async () => {
    const plain = await upload(Buffer.from('email\na@b.test\n'));
    expect([plain.status, plain.body.errors]).toEqual([
      422,
      { file: ['must be the archive of a full export (.tar.gz)'] },
    ]);
    expect((await upload(Buffer.alloc(0))).body.errors).toEqual({ file: ['is empty'] });
    expect((await upload(readFileSync(clientFile), birch.id)).body.errors).toEqual({
      receiver_id: ['is not an agency'],
    });
    const rows = async () =>
      (await here.admin.query('select count(*)::int as n from company_import')).rows[0].n;
    const before = await rows();
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
    const escaping = forged(clientFile, () => {}, ['--transform=s,README.txt,../README.txt,']);
    for (const [content, words] of [
      [bomb, 'The archive cannot be imported:'],
      [readFileSync(escaping), 'it has an entry that no export has'],
      [readFileSync(clientFile).subarray(0, 2000), 'it is cut off'],
      [readFileSync(withManifest((one) => (one.subject.name = 'Other'))), ''],
    ] as const) {
      const { body } = await upload(content, receiver.id);
      await run(body.data.id);
      const found = await one(body.data.id);
      if (words) expect(found).toMatchObject({ state: 'refused', error: expect.stringContaining(words) });
      expect(await rows()).toBe(before);
      expect(
        (await here.call('DELETE', `${URL}/${body.data.id}`, { host: 'second.test', token })).status,
      ).toBe(200);
      expect((await get(`/${body.data.id}`)).status).toBe(404);
    }
  });

  test('is for a root’s owner alone, lists what was tried, and deletes archives after a week', async () => {
    const helper = await here.signIn('helper@second.test', 'second.test');
    const agency = await here.signIn('owner@receiver.test', 'receiver.test');
    for (const [host, other] of [
      ['second.test', helper],
      ['receiver.test', agency],
    ] as const)
      expect((await here.call('GET', URL, { host, token: other })).status).toBe(403);
    const { body } = await get('?searchQuery=BIRCH');
    expect(body).toMatchObject({ total: 1, data: [{ id: keptId, name: 'Birch' }] });
    expect((await get('/sources')).body.data).toEqual([]);
    const path = here.platform.files.pathOf(`company-imports/${keptId}.tar.gz`);
    expect(existsSync(path)).toBe(true);
    here.clock.advance(8 * 86_400_000);
    await here.features.importRuns.endAll();
    expect(existsSync(path)).toBe(false);
    token = await here.signIn('root@second.test', 'second.test');
    expect(await one(keptId)).toMatchObject({ has_file: false, state: 'ready' });
  });

  test('takes a full export that this server made', async () => {
    const passwordHash = await there.features.users.hashPassword(PASSWORD);
    await there.make.user(root, { email: 'root@root.test', passwordHash });
    const rootToken = await there.signIn('root@root.test', 'root.test');
    const ask = (method: 'GET' | 'POST', path: string, body?: unknown) =>
      there.call(method, `${URL}${path}`, { host: 'root.test', token: rootToken, body });
    const { data } = (await ask('GET', '/sources')).body as unknown as {
      data: { id: string; kind: string }[];
    };
    const source = data.find(({ kind }) => kind === 'agency')!;
    const { body } = await ask('POST', '', { export_id: source.id });
    const { id } = body.data as { id: string };
    await there.features.importRuns.run({ rootId: root.id, runId: id });
    const tried = await ask('GET', `/${id}`);
    expect(tried.body.data).toMatchObject({
      ...{ kind: 'agency', name: 'Acme', phase: 'try', state: 'ready' },
      result: { is_equal: true, new_ids: true },
    });
  });
});

describe('[BEY-13] money from before an import', () => {
  const URL = '/api/billing/past';
  interface PastRow {
    id: string;
    company_name: string;
    number: string;
    amount_micros: number;
    kind: string;
  }
  const readAs = async (app: TestApp, email: string, host: string, company: Company) => {
    await app.make.user(company, { email, passwordHash: await app.features.users.hashPassword(PASSWORD) });
    const token = await app.signIn(email, host);
    return (path: string) => app.call('GET', path, { host, token });
  };
  const rowsOf = async (get: Awaited<ReturnType<typeof readAs>>, type: string, more = '') => {
    const { status, body } = await get(`${URL}?type=${type}&PerPage=100${more}`);
    expect(status).toBe(200);
    return body.data as unknown as PastRow[];
  };
  /** Companies of this root that imports made: the client under its new agency, and an agency with its clients. */
  let client: Company;
  let agency: Company;

  beforeAll(async () => {
    client = (await here.admin.query('select * from company where id = $1', [birch.id])).rows[0];
    agency = (
      await here.admin.query(
        `select c.* from company c join company_import i on i.company_id = c.id where i.company_kind = 'agency'`,
      )
    ).rows[0];
  });

  test('is shown as the other installation shows it, opened to its parts, and as a file', async () => {
    const were = await readAs(there, 'reader@before.test', 'acme.test', birch);
    const now = await readAs(here, 'reader@now.test', 'receiver.test', client);
    const issued = (await were('/api/billing/invoices')).body.data as unknown as { id: string }[];
    expect(issued.length).toBeGreaterThan(0);
    const found = await rowsOf(now, 'invoice');
    expect(found.map(({ id }) => id).toSorted()).toEqual(issued.map(({ id }) => id).toSorted());
    for (const { id } of issued) {
      const { may: _may, ...was } = (await were(`/api/billing/invoices/${id}`)).body as Record<
        string,
        unknown
      >;
      const { may, ...is } = (await now(`${URL}/invoices/${id}`)).body as Record<string, unknown>;
      // Its events and its fee stay where it was issued; the days are those of the company.
      const lines = (was.lines as Record<string, unknown>[]).map((line) => ({ ...line, event_count: 0 }));
      expect(is).toEqual({ ...was, lines, next_attempt_at: null, time_zone: is.time_zone });
      expect(may).toEqual([]);
    }
    const invoice = issued.find(({ id }) =>
      found.some((one) => one.id === id && one.amount_micros === 30_000_000),
    )!;
    expect((await now(`${URL}/invoices/${invoice.id}`)).body).toMatchObject({
      attempts: [{ state: 'declined', card: 'visa 4242', message: 'Not enough funds' }],
      lines: [{ amount_micros: 30_000_000 }],
    });
    const [charge] = await rowsOf(now, 'charge');
    expect((await now(`${URL}/charges/${charge!.id}`)).body.data).toMatchObject({
      ...{ kind: 'invoice', status: 'declined', card: 'visa 4242', amount_micros: 30_000_000 },
    });
    // The ledger's lines have the sums of the archive.
    const lines = await rowsOf(now, 'entry');
    const { rows } = await there.admin.query(
      `select count(*)::int as count, sum(e.amount)::text as sum from entry e where company_id = $1`,
      [birch.id],
    );
    expect([lines.length, String(lines.reduce((all, one) => all + one.amount_micros, 0))]).toEqual([
      rows[0].count,
      rows[0].sum,
    ]);
    const agreed = lines.find(({ kind }) => kind === 'adjustment')!;
    expect((await now(`${URL}/transfers/${agreed.id.split('.')[0]}`)).body.data).toMatchObject({
      ...{ kind: 'adjustment', memo: 'Agreed by phone' },
      parts: [{ label: 'client_unbilled', amount_micros: -30_000_000 }],
    });
    const token = await here.signIn('reader@now.test', 'receiver.test');
    const pass = await here.call('POST', '/api/general/download-token', {
      host: 'receiver.test',
      token,
      body: { path: `/api/billing/past/invoices/${invoice.id}/pdf` },
    });
    const file = await here.server.inject({
      url: pass.body.url as string,
      headers: { host: 'receiver.test' },
    });
    expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'application/pdf']);
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(file.rawPayload)), {
      mergePages: true,
    });
    expect(text).toContain('$30.00');
  });

  test('keeps its parts together if everything got new ids', async () => {
    const get = await readAs(here, 'reader@agency.test', 'receiver.test', receiver);
    const all = await rowsOf(get, 'invoice');
    const copy = all.find(({ id, amount_micros }) => id !== birch.id && amount_micros === 30_000_000)!;
    expect((await get(`${URL}/invoices/${copy.id}`)).body).toMatchObject({
      attempts: [{ state: 'declined' }],
      lines: [{ amount_micros: 30_000_000 }],
    });
    // A name that would be drawn for minutes is cut, and a document that no export has is not shown.
    const named = (length: number) =>
      here.admin.query(
        `update company_import_row set content = jsonb_set(content::jsonb, '{issuer,name}', to_jsonb(repeat('x', $2)))::text
         where table_name = 'invoice' and key = $1`,
        [copy.id, length],
      );
    await named(50_000);
    const { body } = await get(`${URL}/invoices/${copy.id}`);
    expect((body as unknown as { issuer: { name: string } }).issuer.name).toBe('x'.repeat(500));
    await named(200_000);
    expect((await get(`${URL}/invoices/${copy.id}`)).status).toBe(404);
    await named(3);
  });

  test('is seen by the company, its agency, and the root, and is not found for anyone else', async () => {
    const sibling = await here.make.client(receiver, { name: 'Sibling' });
    const stranger = await here.make.agency(root2, { host: 'stranger.test', name: 'Stranger' });
    const other = await here.make.root({ host: 'elsewhere.test' });
    const readers = {
      client: await readAs(here, 'one@past.test', 'receiver.test', client),
      agency: await readAs(here, 'two@past.test', 'receiver.test', receiver),
      root: await readAs(here, 'three@past.test', 'second.test', root2),
      sibling: await readAs(here, 'four@past.test', 'receiver.test', sibling),
      stranger: await readAs(here, 'five@past.test', 'stranger.test', stranger),
      elsewhere: await readAs(here, 'six@past.test', 'elsewhere.test', other),
    };
    const [invoice] = await rowsOf(readers.client, 'invoice');
    const [charge] = await rowsOf(readers.client, 'charge');
    const [line] = await rowsOf(readers.client, 'entry');
    const paths = [
      `${URL}/invoices/${invoice!.id}`,
      `${URL}/charges/${charge!.id}`,
      `${URL}/transfers/${line!.id.split('.')[0]}`,
      `${URL}?companyID=${client.id}`,
    ];
    for (const [name, get] of Object.entries(readers)) {
      const isTheirs = name === 'client' || name === 'agency' || name === 'root';
      for (const path of paths)
        expect([name, path, (await get(path)).status]).toEqual([name, path, isTheirs ? 200 : 404]);
      if (!isTheirs)
        for (const type of ['invoice', 'charge', 'entry']) expect(await rowsOf(get, type)).toEqual([]);
    }
    // A client of an imported agency sees its own alone; what else the import brought is nobody's to see.
    const cedar = (
      await here.admin.query(`select * from company where agency_id = $1 and name = 'Cedar'`, [agency.id])
    ).rows[0] as Company;
    const seen = await inScope(
      here.platform.db.app,
      { rootId: root2.id, agencyId: agency.id, companyId: cedar.id },
      async (tx) =>
        tx.selectFrom('company_import_row').select(['table_name', 'company_id']).distinct().execute(),
    );
    expect(new Set(seen.map(({ company_id }) => company_id))).toEqual(new Set([cedar.id]));
    expect(seen.map(({ table_name }) => table_name).toSorted()).toEqual(
      expect.arrayContaining(['charge', 'entry', 'invoice', 'invoice_line']),
    );
    expect(seen.map(({ table_name }) => table_name)).not.toContain('visit');
    for (const text of ['update company_import_row set number = 0', 'delete from company_import_row'])
      await inScope(
        here.platform.db.app,
        { rootId: root2.id, agencyId: agency.id, companyId: cedar.id },
        async (tx) => {
          const { numAffectedRows } = await sql.raw(text).execute(tx);
          expect(numAffectedRows).toBe(0n);
        },
      );
  });

  test('is not shown while an import is under way', async () => {
    const cut = new AbortController();
    const target = { rootId: root2.id, agencyId: receiver.id };
    const get = await readAs(here, 'seven@past.test', 'receiver.test', receiver);
    const before = await rowsOf(get, 'invoice');
    await expect(
      here.features.companyImports.import(clientFile, target, {
        ...{ balances: 'none', newIds: true, signal: cut.signal },
        progress: ({ step }) => step === 'importing' && cut.abort(),
      }),
    ).rejects.toThrow();
    const staged = await here.admin.query(
      `select count(*)::int as n from company_import_row r join company_import i on i.id = r.import_id
       where i.state = 'read' and r.table_name = 'invoice'`,
    );
    expect(staged.rows[0].n).toBeGreaterThan(0);
    expect(await rowsOf(get, 'invoice')).toEqual(before);
  });
});
