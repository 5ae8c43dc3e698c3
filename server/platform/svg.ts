import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Refusal } from '../../contract/errors.ts';
import { ownMessages } from '../../contract/messages.ts';

const CHILD = join(import.meta.dirname, 'svg-child.ts');
const TIME_MS = 10_000;
/** Longest answer: 4 bytes a pixel of the largest picture that is asked for, and some. */
const MOST_BYTES = 32 * 1024 * 1024;
const AT_ONCE = 2;
const WAITING = 16;

let running = 0;
const queue: (() => void)[] = [];

/**
 * Draws an SVG as a PNG whose width or height is `side`, in a process of its own: a drawing of a few lines can keep the
 * renderer busy for ever or take all memory, and in this process it could not be stopped and would hold a thread that
 * logins need. The process has 10 s and 512 MB, and nothing of our environment.
 * @throws Error for what cannot be drawn within that, Refusal 429 when too many wait already
 */
export async function drawSvg(svg: Buffer, mode: 'width' | 'height', side: number): Promise<Buffer> {
  if (running >= AT_ONCE) {
    if (queue.length >= WAITING) throw new Refusal('too_many', ownMessages.tooManyTries, { retryAfter: 10 });
    await new Promise<void>((turn) => queue.push(turn));
  } else running++;
  try {
    return await draw(svg, [mode, String(side)]);
  } finally {
    // The place goes straight to who waits next.
    const next = queue.shift();
    if (next) next();
    else running--;
  }
}

function draw(svg: Buffer, args: string[]): Promise<Buffer> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [CHILD, ...args], {
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
      code === 0 ? done(Buffer.concat(parts)) : failed(new Error('The drawing could not be drawn.')),
    );
    // A process that is gone before it has read everything says so by its end.
    child.stdin.on('error', () => {});
    child.stdin.end(svg);
  });
}
