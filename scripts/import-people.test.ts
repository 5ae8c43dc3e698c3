import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../server/test/app.ts';
import { runCommand } from '../server/test/command.ts';

let app: TestApp;
let rootId: string;
const folder = mkdtempSync(join(tmpdir(), 'lead-cli-'));

beforeAll(async () => {
  app = await testApp();
  const root = await app.make.root({ host: 'cli.test', isMaster: true });
  rootId = root.id;
  await app.make.agency(root, { host: 'agency.cli.test' });
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: string[], until?: RegExp) => runCommand('import-people.ts', args, { app, folder, until });

test('[IDEN-01] says what is wrong with its arguments, and fails', async () => {
  const file = join(folder, 'few.csv');
  writeFileSync(file, 'email\na@x.example\n');
  const latin = join(folder, 'latin.csv');
  writeFileSync(latin, Buffer.from('email\nJos\xe9\n', 'latin1'));
  const answers = await Promise.all(
    [
      [[], 'FILE is missing.'],
      [[file], '--root is missing.'],
      [[join(folder, 'none.csv'), '--root', 'master'], 'does not exist.'],
      [[file, '--root', 'master', '--map', 'email=nonsense'], '--map: unknown field "nonsense"'],
      [[file, '--root', 'master', '--country', 'Narnia'], '--country: "Narnia" is not a country code.'],
      [[file, '--root', 'nowhere.test'], '--root: no company is served at the host nowhere.test.'],
      [[file, '--root', 'agency.cli.test'], 'is the host of the agency'],
      [[latin, '--root', 'master'], 'The file is not UTF-8 (line 2).'],
    ].map(async ([args, words]) => ({ ...(await run(args as string[])), words: words as string })),
  );
  for (const { code, said, words } of answers) {
    expect(said).toContain(words);
    expect(said).not.toContain('    at ');
    expect(code).toBe(1);
  }
});

test('[IDEN-01] an import that was killed goes on where it was, and ends as if it had not been', async () => {
  const file = join(folder, 'many.csv');
  const lines = Array.from({ length: 60_000 }, (_, i) =>
    i % 1000 === 999 ? `bad${i}` : `p${i}@cli.example,P${i}`,
  );
  writeFileSync(
    file,
    `Mail;Called\n${lines.join('\n').replaceAll(',', ';')}\n`.replaceAll(/^(bad\d+)$/gm, '$1;'),
  );
  const args = [file, '--root', 'cli.test', '--map', 'Called=first_name'];
  const killed = await run(args, /%.*rows/);
  expect(killed.code).toBeNull();
  const { code, said } = await run(args);
  expect(said).toMatch(/is resuming after (20|40),000 rows/);
  expect(said).toContain(
    'Done: 60,000 rows; 59,940 people added, 0 changed, 0 unchanged, 60 invalid; 179,820 keys added.',
  );
  expect(said).toContain('Skipped: 60 rows (email is not a valid email address).');
  expect(code).toBe(0);
  const { rows } = await app.admin.query(
    'select count(*)::int as people, count(distinct first_name)::int as names from person where root_id = $1',
    [rootId],
  );
  expect(rows).toEqual([{ people: 59_940, names: 59_940 }]);
  const again = await run([file, '--root', 'master', '--map', 'Called=first_name']);
  expect(again.said).toContain('0 people added, 0 changed, 59,940 unchanged, 60 invalid; 0 keys added.');
});
