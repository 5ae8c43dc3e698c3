import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Picture, PictureRules } from './picture.ts';
import { createTurns } from './turns.ts';

const CHILD = join(import.meta.dirname, 'picture-child.ts');
const TIME_MS = 10_000;
/** Longest output: 4 bytes per pixel of the largest picture requested, plus some. */
const MOST_BYTES = 32 * 1024 * 1024;

/** A usual picture takes less than a second. */
const inTurn = createTurns({
  atOnce: 2,
  waiting: 16,
  waitingEach: 4,
  budgetMs: 60_000,
  windowMs: 10 * 60_000,
});

/**
 * Redraws a picture in its own process: a few lines of drawing can keep the renderer busy forever or use up all
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
  const answer = await inTurn(by, () => ask(file, JSON.stringify(rules)));
  const end = answer.indexOf(10);
  return { ...JSON.parse(answer.toString('utf8', 0, end)), bytes: answer.subarray(end + 1) };
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
