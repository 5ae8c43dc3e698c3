import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Refusal } from '../../contract/errors.ts';
import { ownMessages } from '../../contract/messages.ts';
import type { Picture, PictureRules } from './picture.ts';

const CHILD = join(import.meta.dirname, 'picture-child.ts');
const TIME_MS = 10_000;
/** Longest output: 4 bytes per pixel of the largest picture requested, plus some. */
const MOST_BYTES = 32 * 1024 * 1024;
const AT_ONCE = 2;
const WAITING = 16;

/** Of the pictures that wait, those of one company. */
const WAITING_EACH = 4;
/** How long the pictures of one company may be drawn within a window: a usual one takes less than a second. */
const BUDGET_MS = 60_000;
const WINDOW_MS = 10 * 60_000;

interface Waiting {
  by: string;
  begin: () => void;
}
const running = new Set<string>();
const queue: Waiting[] = [];
const spent = new Map<string, { ms: number; until: number }>();

const busy = (seconds: number): never => {
  throw new Refusal('too_many', ownMessages.tooManyTries(seconds), { retryAfter: seconds });
};

/** Waits for a slot; a company has one at a time. */
async function slot(by: string): Promise<void> {
  const own = spent.get(by);
  const left = own ? own.until - performance.now() : 0;
  if (own && left > 0 && own.ms >= BUDGET_MS) busy(Math.ceil(left / 1000));
  if (running.size < AT_ONCE && !running.has(by)) running.add(by);
  else {
    if (queue.length >= WAITING || queue.filter((one) => one.by === by).length >= WAITING_EACH) busy(10);
    await new Promise<void>((begin) => queue.push({ by, begin }));
  }
}

/** Gives the slot to the first that waits and has none. */
function release(by: string, ms: number): void {
  const now = performance.now();
  for (const [key, { until }] of spent) if (until <= now) spent.delete(key);
  const own = spent.get(by) ?? { ms: 0, until: now + WINDOW_MS };
  spent.set(by, { ...own, ms: own.ms + ms });
  running.delete(by);
  const next = queue.findIndex((one) => !running.has(one.by));
  const [one] = next < 0 ? [] : queue.splice(next, 1);
  if (!one) return;
  running.add(one.by);
  one.begin();
}

/**
 * Redraws a picture in a process of its own: a few lines of drawing can keep the renderer busy forever or use up all
 * memory; in this process it could not be stopped and would hold a thread that logins need. The process gets 10 s and
 * 512 MB, and nothing of our environment. Two run at once, one for each company, and a company's pictures may be drawn
 * for a minute in ten.
 * @param by whose picture it is
 * @returns the new picture, or why the file is not accepted
 * @throws Error if the file cannot be read within those limits, Refusal 429 if too many are already waiting
 */
export async function redrawApart(
  file: Buffer,
  rules: PictureRules,
  by: string,
): Promise<Picture | { fault: string }> {
  await slot(by);
  const started = performance.now();
  try {
    const answer = await ask(file, JSON.stringify(rules));
    const end = answer.indexOf(10);
    return { ...JSON.parse(answer.toString('utf8', 0, end)), bytes: answer.subarray(end + 1) };
  } finally {
    release(by, performance.now() - started);
  }
}

function ask(file: Buffer, rules: string): Promise<Buffer> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [CHILD, rules], {
      env: process.env.SystemRoot ? { SystemRoot: process.env.SystemRoot } : {},
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: TIME_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    const parts: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (part: Buffer) => {
      size += part.length;
      if (size > MOST_BYTES) child.kill('SIGKILL');
      else parts.push(part);
    });
    child.on('error', failed);
    child.on('close', (code) =>
      code === 0 ? done(Buffer.concat(parts)) : failed(new Error('The image could not be read.')),
    );
    // If the process exits before reading everything, its exit reports the problem.
    child.stdin.on('error', () => {});
    child.stdin.end(file);
  });
}
