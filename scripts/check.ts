import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOMY } from './roomy.mjs';
import { root } from './setup.mjs';

const modules = join(root, 'node_modules');
// Results are cached, so that the next check looks only at what has changed since.
const tsc = (folder: string) => [
  join(modules, 'typescript/bin/tsc'),
  ...[
    '--noEmit',
    '--incremental',
    '--tsBuildInfoFile',
    join(root, `reports/types-${folder === '.' ? 'server' : folder.replace('/', '-')}.tsbuildinfo`),
  ],
  ...['-p', folder],
];
const sources = ['contract', 'server', 'web', 'pixel', 'demo', 'e2e', 'bench', 'scripts'].filter((folder) =>
  existsSync(join(root, folder)),
);

/** What is checked: name and the Node script with arguments that checks it. */
const checks: [string, string[]][] = [
  [
    'format and lint',
    [join(modules, '@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '--max-diagnostics=100', '.'],
  ],
  // With the browser tests, which start the server: a check of their own would judge it once more.
  ['types: server', tsc('.')],
  ['types: web', tsc('web')],
  ['types: pixel', tsc('pixel')],
  ['types: service worker', tsc('web/worker')],
  [
    'arrows',
    [
      join(modules, 'dependency-cruiser/bin/dependency-cruiser.mjs'),
      '--config',
      '.dependency-cruiser.mjs',
      ...sources,
    ],
  ],
  ['patterns', [join(root, 'scripts/patterns.ts')]],
  ['dead code', [join(modules, 'knip/bin/knip.js'), '--no-progress']],
];

/** Runs one check to completion; its output is buffered, because two run at once. */
function run(args: string[]): Promise<{ code: number | null; said: string }> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [...ROOMY, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    child.on('close', (code) => done({ code, said }));
  });
}

const only = process.argv.slice(2);
const failed: string[] = [];
const waiting = checks.filter(([name]) => only.length === 0 || only.some((word) => name.includes(word)));
const work = async () => {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [name, args] = next;
    const { code, said } = await run(args);
    if (code === 0) {
      console.log(`ok      ${name}`);
    } else {
      failed.push(name);
      console.log(`FAILED  ${name}\n${said.trimEnd()}\n`);
    }
  }
};
await Promise.all([work(), work()]);
console.log(failed.length ? `\ncheck: failed: ${failed.join(', ')}` : '\ncheck: all well');
process.exit(failed.length ? 1 : 0);
