import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../server/test/app.ts';
import { runCommand } from '../server/test/command.ts';
import type { Company } from '../server/test/factories.ts';

let app: TestApp;
let agency: Company;
let client: Company;
const folder = mkdtempSync(join(tmpdir(), 'lead-import-'));
const file = join(folder, 'birch.tar.gz');

beforeAll(async () => {
  app = await testApp();
  const root = await app.make.root({ host: 'cli.test', isMaster: true });
  const from = await app.make.agency(root, { host: 'from.cli.test' });
  agency = await app.make.agency(root, { host: 'agency.cli.test' });
  client = await app.make.client(from, { name: 'Birch' });
  await app.make.user(client, { email: 'birch@clients.test' });
  await app.make.campaign(client, { name: 'Birch site', balance: 5_000_000n });
  const { rows } = await app.admin.query(
    `insert into company_export (id, root_id, agency_id, company_id, company_kind, state, asked_by, created_at)
     select gen_random_uuid(), root_id, agency_id, id, kind, 'queued', id, now() from company where id = $1 returning id`,
    [client.id],
  );
  await app.features.companyExports.make({ rootId: root.id, exportId: rows[0].id });
  copyFileSync(app.platform.files.pathOf(`exports/${rows[0].id}.tar.gz`), file);
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: string[], until?: RegExp) => runCommand('import-company.ts', args, { app, folder, until });

test('[BEY-13] the command says what is wrong with its arguments, and fails', async () => {
  const wrong = join(folder, 'wrong.tar.gz');
  writeFileSync(wrong, 'nothing');
  for (const [args, words] of [
    [[], 'FILE is missing.'],
    [[join(folder, 'none'), '--root', 'master'], 'does not exist.'],
    [[file], 'Give either --agency'],
    [[file, '--agency', 'x'], '--agency: "x" is not an ID.'],
    [[file, '--agency', client.id], 'Birch is not an agency.'],
    [[file, '--root', 'nowhere.test'], '--root: no company is served at the host nowhere.test.'],
    [[file, '--root', 'master'], 'Say which agency receives it.'],
    [[wrong, '--agency', agency.id], 'The archive cannot be imported: it is damaged, or not a tar.gz file.'],
    [[file, '--agency', agency.id, '--balances', 'some'], '--balances: must be open or none, not "some".'],
    [[file, '--agency', agency.id, '--compare'], 'This archive has not been imported here.'],
  ] as const) {
    const { code, said } = await run([...args]);
    expect(said).toContain(words);
    expect(said).not.toContain('    at ');
    expect(code).toBe(1);
  }
});

test('[BEY-13] the command tries, is killed, goes on, imports, and compares', async () => {
  const args = [file, '--agency', agency.id];
  const tried = await run(args);
  expect([tried.code, tried.said]).toEqual([0, expect.stringContaining('Would import the client Birch')]);
  expect(tried.said).toContain('Nothing was imported yet. Add --yes to import it.');
  expect(tried.said).toContain('birch@clients.test');
  const unsaid = await run([...args, '--yes']);
  expect([unsaid.code, unsaid.said]).toEqual([1, expect.stringContaining('The archive has balances.')]);
  const killed = await run([...args, '--yes', '--balances', 'open'], /Importing/);
  expect(killed.code).toBeNull();
  const there = `select count(*)::int as n from company where name = 'Birch'`;
  expect((await app.admin.query(there)).rows[0].n).toBe(1);
  const done = await run([...args, '--yes', '--balances', 'open']);
  expect(done.said).toMatch(/Went on after \d+ files\./);
  expect(done.said).toContain('Opened here: client_prepaid $5.00.');
  expect(done.said).toContain('The archive and what is here are equal.');
  expect(done.code).toBe(0);
  expect((await app.admin.query(there)).rows[0].n).toBe(2);
  expect(readFileSync(`${file}.comparison.html`, 'utf8')).toContain(
    'The archive and what is here are equal.',
  );
  expect(existsSync(`${file}.comparison.json`)).toBe(true);
  await app.admin.query(`update campaign set name = 'Renamed' where agency_id = $1`, [agency.id]);
  const compared = await run([...args, '--compare']);
  expect([compared.code, compared.said]).toEqual([2, expect.stringContaining('Differences in campaign:')]);
});
