import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { CHROMIUM_PLACES } from '../server/platform/chromium.ts';
import { root } from './setup.mjs';

/** A browser to drive: its executable and the environment variables it needs in addition to ours. */
export interface Chromium {
  executablePath: string;
  env: Record<string, string>;
  /** Where it comes from, for messages. */
  from: 'CHROMIUM_PATH' | 'system' | 'npm' | 'apt';
}

/** Nothing that talks to the outside by itself: pages under test should be the only traffic. */
const flags = [
  '--disable-quic',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-pings',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
];

let found: Promise<Chromium> | undefined;

/**
 * Finds a Chromium: CHROMIUM_PATH, otherwise an installed Chromium or Chrome, otherwise, as root on Debian, Debian's
 * package of the headless shell (the same browser without its windows, which needs a sixth less time), otherwise (Linux x64) the one of the npm package @sparticuz/chromium with its own
 * libraries.
 * @throws Error saying what to install when there is none
 */
export function findChromium(): Promise<Chromium> {
  found ??= find();
  return found;
}

async function find(): Promise<Chromium> {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (!runs(named)) throw new Error(`CHROMIUM_PATH: ${named} does not run.`);
    return { executablePath: named, env: {}, from: 'CHROMIUM_PATH' };
  }
  const system = CHROMIUM_PLACES.find((path) => existsSync(path) && runs(path));
  if (system) return { executablePath: system, env: {}, from: 'system' };
  const debian = debianPackage();
  if (debian) return { executablePath: debian, env: {}, from: 'apt' };
  const packaged = process.platform === 'linux' && process.arch === 'x64' ? await unpack() : undefined;
  if (packaged) return packaged;
  throw new Error(
    process.platform === 'darwin'
      ? 'No browser for the browser tests: install Google Chrome, or set CHROMIUM_PATH.'
      : "No browser for the browser tests: install 'chromium' (Debian: sudo apt-get install -y chromium), or set CHROMIUM_PATH.",
  );
}

function runs(path: string, env: Record<string, string> = {}): boolean {
  const tried = spawnSync(path, ['--version'], { env: { ...process.env, ...env }, timeout: 20_000 });
  return tried.status === 0;
}

/** Unpacks the npm package's browser once; its libraries fill in for those missing on the system. */
async function unpack(): Promise<Chromium | undefined> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const packed = join(dirname(entry), '..');
  const { version } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'));
  const folder = join(root, 'node_modules/.cache', `chromium-${version}`);
  if (!existsSync(folder)) {
    const fresh = `${folder}.${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    // The package unpacks to os.tmpdir() and mistakes another process's half-written file for a complete one.
    const before = process.env.TMPDIR;
    process.env.TMPDIR = fresh;
    try {
      const { default: packedChromium, inflate } = await import('@sparticuz/chromium');
      await packedChromium.executablePath();
      await inflate(join(packed, 'bin/al2023.tar.br'));
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
    try {
      renameSync(fresh, folder);
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  const executablePath = join(folder, 'chromium');
  const fonts: Record<string, string> = existsSync('/etc/fonts/fonts.conf')
    ? {}
    : { FONTCONFIG_PATH: join(folder, 'fonts') };
  const libraries = { LD_LIBRARY_PATH: join(folder, 'al2023/lib') };
  for (const env of [fonts, { ...fonts, ...libraries }]) {
    if (runs(executablePath, env)) return { executablePath, env, from: 'npm' };
  }
  return undefined;
}

function debianPackage(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return undefined;
  console.log("Installing Debian's chromium-headless-shell for the browser tests ...");
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
  // Releases before Debian 12 have the whole browser only.
  for (const name of ['chromium-headless-shell', 'chromium']) {
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], {
      stdio: 'inherit',
      env,
    });
    if (runs(`/usr/bin/${name}`)) return `/usr/bin/${name}`;
  }
  return undefined;
}

/**
 * Starts a headless Chromium. It resolves *.localhost to loopback by itself.
 * @param options Playwright's launch options; `args` and `env` are added to ours
 */
export async function launchChromium(options: LaunchOptions = {}): Promise<Browser> {
  const { executablePath, env } = await findChromium();
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return chromium.launch({
    ...options,
    executablePath,
    // Root has no sandbox, and neither has a container without user namespaces; only our own pages are opened.
    chromiumSandbox: false,
    args: [...flags, ...(options.args ?? [])],
    env: { ...Object.fromEntries(own), ...env, ...options.env },
  });
}
