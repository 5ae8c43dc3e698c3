import { Refusal } from '../../contract/errors.ts';
import { ownMessages } from '../../contract/messages.ts';
import { askThread, serveThread, ThreadLost } from './thread.ts';

/** A document of a thousand lines takes seconds on a busy machine; whatever takes longer than this is ended. */
const BOUNDS = { answerMs: 60_000, memoryMb: 512 };
/** So many documents are drawn at a time, and so many of one company are drawn or wait for their turn. */
const AT_ONCE = 2;
const MOST_WAITING = 5;

let drawing = 0;
const queue: (() => void)[] = [];
const held = new Map<string, number>();

/**
 * Has a document drawn in a thread of its own, whose script calls `servePaper`: however many lines it has, nobody else waits.
 * @param companyId for whom it is
 * @throws Refusal 429 while the company waits for too many, 503 for a document that takes too long
 */
export async function drawApart<Task>(script: URL, task: Task, companyId: string): Promise<Buffer> {
  const mine = held.get(companyId) ?? 0;
  if (mine >= MOST_WAITING) throw new Refusal('too_many', ownMessages.papersWait, { retryAfter: 5 });
  held.set(companyId, mine + 1);
  try {
    if (drawing >= AT_ONCE) await new Promise<void>((turn) => queue.push(turn));
    else drawing++;
    try {
      return await drawn(script, task);
    } finally {
      const next = queue.shift();
      if (next) next();
      else drawing--;
    }
  } finally {
    const left = held.get(companyId)! - 1;
    if (left > 0) held.set(companyId, left);
    else held.delete(companyId);
  }
}

async function drawn(script: URL, task: unknown): Promise<Buffer> {
  try {
    for await (const { buffer, byteOffset, length } of askThread<Uint8Array>(script, task, BOUNDS))
      return Buffer.from(buffer, byteOffset, length);
  } catch (error) {
    if (error instanceof ThreadLost) throw new Refusal('unavailable', ownMessages.paperLost);
    throw error;
  }
  throw new Error(`${script.pathname} drew nothing.`);
}

/** Draws what `drawApart` asks of this thread. */
export function servePaper<Task>(draw: (task: Task) => Promise<Buffer>): void {
  serveThread<Task>(async function* (task) {
    yield await draw(task);
  });
}
