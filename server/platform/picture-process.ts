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

let running = 0;
const queue: (() => void)[] = [];

/**
 * Redraws a picture in a process of its own: a few lines of drawing can keep the renderer busy forever or use up all
 * memory; in this process it could not be stopped and would hold a thread that logins need. The process gets 10 s and
 * 512 MB, and nothing of our environment.
 * @returns the new picture, or why the file is not accepted
 * @throws Error if the file cannot be read within those limits, Refusal 429 if too many are already waiting
 */
export async function redrawApart(file: Buffer, rules: PictureRules): Promise<Picture | { fault: string }> {
  if (running >= AT_ONCE) {
    if (queue.length >= WAITING)
      throw new Refusal('too_many', ownMessages.tooManyTries(10), { retryAfter: 10 });
    await new Promise<void>((turn) => queue.push(turn));
  } else running++;
  try {
    const answer = await ask(file, JSON.stringify(rules));
    const end = answer.indexOf(10);
    return { ...JSON.parse(answer.toString('utf8', 0, end)), bytes: answer.subarray(end + 1) };
  } finally {
    // The slot goes straight to the next in the queue.
    const next = queue.shift();
    if (next) next();
    else running--;
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
