import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { access, chown, constants, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';

/** Where a Chromium or Chrome usually is. */
export const CHROMIUM_PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  `${process.env.HOME}/Applications/Google Chrome.app/Contents/MacOS/Google Chrome`,
] as const;

/** Why no browser could be started, or why it ended. */
export class ChromiumError extends Error {
  override name = 'ChromiumError';
  readonly why: 'no_browser' | 'no_sandbox' | 'failed';
  constructor(why: ChromiumError['why'], message: string) {
    super(message);
    this.why = why;
  }
}

/** A message of the DevTools protocol about something that happened. */
export interface ChromiumEvent {
  method: string;
  // biome-ignore lint/suspicious/noExplicitAny: the protocol is typed nowhere among our packages
  params: any;
  /** The target that it is about; none if the browser. */
  sessionId?: string;
}

/** A running browser. */
export interface Chromium {
  /**
   * Gives a command of the DevTools protocol.
   * @throws ChromiumError if the browser refuses it, or ends before it has answered
   */
  // biome-ignore lint/suspicious/noExplicitAny: the protocol is typed nowhere among our packages
  send: (method: string, params?: object, sessionId?: string) => Promise<any>;
  onEvent: (listener: (event: ChromiumEvent) => void) => void;
  /** Where pages are to be opened: what they store is in memory, and counts toward its limit. */
  browserContextId: string;
  /** Rejects when the browser has ended, by itself or not. */
  ended: Promise<never>;
  /** Ends it at once, with all of its processes, and removes its profile. */
  close: () => Promise<void>;
}

export interface ChromiumOptions {
  /** Its executable; if undefined, the first of CHROMIUM_PLACES that is there. */
  path: string | undefined;
  /** Whether it must have its sandbox; without it, anyone who takes over a page is this process's user. */
  isSandboxed: boolean;
  /** The port on 127.0.0.1 of the proxy that all of its requests go through. */
  proxyPort: number;
  userAgent: string;
  /** How long it may run; what asks it for something that it never answers does not wait longer. */
  mostMs: number;
}

const START_MS = 15_000;
/** What it may tell us in all: more is a page that floods us, such as with addresses that contain their data. */
const MOST_TOLD = 64 * 1024 * 1024;
/** How much memory its processes may have, besides what they share. */
const MOST_MEMORY = 1024 * 1024 * 1024;
const MEMORY_EVERY_MS = 500;
const PAGE_SIZE = 4096;

/** Nothing leaves but through the proxy, nothing is stored, shown, or asked, and nothing talks by itself. */
const flagsFor = ({ proxyPort, isSandboxed, userAgent }: ChromiumOptions, profile: string): string[] => [
  '--headless',
  '--remote-debugging-pipe',
  `--user-data-dir=${profile}`,
  `--user-agent=${userAgent}`,
  '--window-size=1366,900',
  `--proxy-server=http://127.0.0.1:${proxyPort}`,
  // Loopback goes through the proxy as well, which refuses it.
  '--proxy-bypass-list=<-loopback>',
  // What would go past the proxy finds no address.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  // The headless shell knows the one, the whole browser the other.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  // MediaRouter looks for devices in the local network; HttpsUpgrades would open another address than was entered.
  '--disable-features=MediaRouter,DialMediaRouteProvider,HttpsUpgrades,Translate,OptimizationHints,AutofillServerCommunication',
  '--block-new-web-contents',
  '--no-startup-window',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-pings',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-sync',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--metrics-recording-only',
  '--mute-audio',
  '--password-store=basic',
  '--use-mock-keychain',
  '--js-flags=--max-old-space-size=256',
  // One process for a page with all of its frames: there is no other page to protect from it, and frames are free.
  '--disable-site-isolation-trials',
  ...(isSandboxed ? [] : ['--no-sandbox']),
];

/** The browser's own user when we are root, as which it refuses its sandbox. @throws ChromiumError */
function userOf(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, 'nobody']).stdout || Number.NaN),
  );
  if (!uid || !gid)
    throw new ChromiumError(
      'no_sandbox',
      'This process is root, and there is no user nobody to run a browser as.',
    );
  return { uid, gid };
}

async function find(path: string | undefined): Promise<string> {
  for (const one of path === undefined ? CHROMIUM_PLACES : [path]) {
    if (
      await access(one, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return one;
  }
  throw new ChromiumError('no_browser', 'Chromium was not found.');
}

/**
 * Starts a headless Chromium on a new profile for a page that is not trusted. It gets nothing of our environment, a
 * user of its own when we are root, and limits of memory and of what it tells us. It ends with this process.
 * @throws ChromiumError
 */
export async function startChromium(options: ChromiumOptions): Promise<Chromium> {
  const path = await find(options.path);
  const user = userOf();
  const profile = await mkdtemp(join(tmpdir(), 'lead-browser-'));
  if (user) await chown(profile, user.uid, user.gid);
  const child = spawn(path, flagsFor(options, profile), {
    ...user,
    cwd: '/',
    env: { PATH: process.env.PATH, HOME: profile, TMPDIR: profile, LANG: 'en_US.UTF-8' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // Its own group, so that all of its processes can be ended at once.
    detached: true,
  });
  const kill = (): void => killGroup(child);
  process.once('exit', kill);
  let said = '';
  child.stderr!.on('data', (part: Buffer) => {
    said = `${said}${part}`.slice(-4_000);
  });
  const gone = new Promise<void>((done) => {
    child.once('error', () => done());
    child.once('close', () => done());
    // A process of its that we could not end may hold its output open.
    child.once('exit', () => setTimeout(done, 1_000).unref());
  });
  let fault: ChromiumError | undefined;
  const end = (message: string): void => {
    fault ??= new ChromiumError('failed', message);
    kill();
  };
  const pipe = openPipe(child, end);
  const ended = gone.then((): never => {
    const error =
      fault ??
      new ChromiumError(
        options.isSandboxed && /sandbox|namespace/i.test(said) ? 'no_sandbox' : 'failed',
        said.trim() || 'The browser ended.',
      );
    pipe.fail(error);
    throw error;
  });
  ended.catch(() => {});
  const memory = watchMemory(child, end);
  const chromium = {
    ...pipe,
    ended,
    close: async () => {
      clearInterval(memory);
      clearTimeout(late);
      fault ??= new ChromiumError('failed', 'The browser was closed.');
      kill();
      await gone;
      process.off('exit', kill);
      // Its last processes may still be writing.
      await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(() => {});
    },
  };
  let late = setTimeout(() => end('The browser did not start in time.'), START_MS);
  try {
    await pipe.send('Browser.getVersion');
    // As a private window: a page that may use the profile fills the disk.
    const { browserContextId } = (await pipe.send('Target.createBrowserContext')) as {
      browserContextId: string;
    };
    await pipe.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId });
    clearTimeout(late);
    late = setTimeout(() => end('The browser took too long.'), options.mostMs);
    return { ...chromium, browserContextId };
  } catch (error) {
    // Why it ended says more than that a command of ours was not answered.
    await chromium.close();
    await ended.catch((why) => {
      throw why;
    });
    throw error;
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** The DevTools protocol over the pipes that `--remote-debugging-pipe` names: JSON, each message ended by a zero byte. */
function openPipe(child: ChildProcess, end: (message: string) => void) {
  const to = child.stdio[3] as Writable;
  const from = child.stdio[4]!;
  const waiting = new Map<number, { done: (result: unknown) => void; failed: (error: Error) => void }>();
  const listeners: ((event: ChromiumEvent) => void)[] = [];
  let last = 0;
  let told = 0;
  let parts: Buffer[] = [];
  let over: Error | undefined;

  function take(text: string): void {
    const { id, result, error, ...event } = JSON.parse(text);
    const asked = waiting.get(id);
    if (id === undefined) for (const listener of listeners) listener(event);
    waiting.delete(id);
    if (error) asked?.failed(new ChromiumError('failed', error.message));
    else asked?.done(result);
  }

  // Its end is told by the process itself.
  to.on('error', () => {});
  from.on('error', () => {});
  from.on('data', (chunk: Buffer) => {
    told += chunk.length;
    if (told > MOST_TOLD) return end('The page sent too much data.');
    for (let at = 0; at < chunk.length; ) {
      const stop = chunk.indexOf(0, at);
      parts.push(chunk.subarray(at, stop < 0 ? undefined : stop));
      if (stop < 0) return;
      const text = Buffer.concat(parts).toString('utf8');
      parts = [];
      at = stop + 1;
      take(text);
    }
  });
  return {
    send: (method: string, params: object = {}, sessionId?: string) =>
      new Promise<unknown>((done, failed) => {
        if (over) return failed(over);
        const id = ++last;
        waiting.set(id, { done, failed });
        to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      }),
    onEvent: (listener: (event: ChromiumEvent) => void) => void listeners.push(listener),
    fail: (error: Error) => {
      over = error;
      for (const { failed } of waiting.values()) failed(error);
      waiting.clear();
    },
  };
}

/**
 * Ends a browser whose processes take too much memory; where the system tells (Linux). The browser itself is not asked
 * for them: a page can keep it from answering.
 */
function watchMemory({ pid }: ChildProcess, end: (message: string) => void): NodeJS.Timeout {
  const read = (id: string, file: string) => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '');
  const own = async (id: string): Promise<number> => {
    // The process group follows the name, in parentheses, its state, and its parent.
    const stat = await read(id, 'stat');
    if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) !== pid) return 0;
    const [, resident, shared] = (await read(id, 'statm')).split(' ');
    return (Number(resident ?? 0) - Number(shared ?? 0)) * PAGE_SIZE;
  };
  const look = async (): Promise<void> => {
    const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
    const sizes = await Promise.all(ids.map(own));
    if (sizes.reduce((sum, size) => sum + size, 0) > MOST_MEMORY) end('The page uses too much memory.');
  };
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, MEMORY_EVERY_MS);
  timer.unref();
  return timer;
}
