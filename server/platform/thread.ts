import { parentPort, Worker, workerData } from 'node:worker_threads';

/** How long a thread may take per answer, and how much memory it may use in total, in and outside of its heap. */
export interface ThreadBounds {
  answerMs: number;
  memoryMb: number;
}

/** Why a thread was ended before it was done. */
export class ThreadLost extends Error {
  override name = 'ThreadLost';
  readonly why: 'time' | 'memory' | 'ended';
  constructor(why: 'time' | 'memory' | 'ended') {
    super(`The thread ended unexpectedly (${why}).`);
    this.why = why;
  }
}

/** An error that a thread's work ended with. `kind` is its name, since classes do not cross threads. */
export class ThreadFailed extends Error {
  override name = 'ThreadFailed';
  readonly kind: string;
  constructor(kind: string, message: string, stack: string | undefined) {
    super(message);
    this.kind = kind;
    if (stack) this.stack = stack;
  }
}

/** How often a thread's memory is looked at. */
const LOOK_MS = 100;

type Reply =
  | { value: unknown }
  | { done: true }
  | { failed: { kind: string; message: string; stack?: string } };

/** The thread's next reply. Under `node --watch` a thread also reports the files that it loads, which is not one. */
const replyOf = (worker: Worker): Promise<Reply> =>
  new Promise((done) => {
    worker.on('message', function take(message: Reply) {
      if (!('value' in message || 'done' in message || 'failed' in message)) return;
      worker.off('message', take);
      done(message);
    });
  });

/**
 * Runs a task in its own thread, whose script calls `serveThread`, and yields its answers, each produced on
 * request. Untrusted input is read there: the thread can be ended at any point without affecting anything else.
 * @param question what the work is given each time it is asked for an answer
 * @throws ThreadLost if an answer takes too long or memory runs out; ThreadFailed with what the work threw
 */
export async function* askThread<Answer>(
  script: URL,
  task: unknown,
  { answerMs, memoryMb }: ThreadBounds,
  question: () => unknown = () => null,
): AsyncGenerator<Answer> {
  const worker = new Worker(script, {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    stderr: true,
  });
  let tooLarge: (lost: ThreadLost) => void = () => {};
  const ended = new Promise<Error>((done) => {
    tooLarge = done;
    worker.once('error', (error: Error & { code?: string }) =>
      done(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadLost('memory') : error),
    );
    worker.once('exit', () => done(new ThreadLost('ended')));
  });
  // The limit above is that of the heap, and buffers lie outside of it. A thread that is busy answers this, too.
  let looking = false;
  const looks = setInterval(async () => {
    if (looking) return;
    looking = true;
    const { used_heap_size, external_memory } = await worker
      .getHeapStatistics()
      .catch(() => ({ used_heap_size: 0, external_memory: 0 }));
    looking = false;
    if (used_heap_size + external_memory > memoryMb * 1024 ** 2) tooLarge(new ThreadLost('memory'));
  }, LOOK_MS);
  try {
    for (;;) {
      const came = replyOf(worker);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<Error>((done) => {
        timer = setTimeout(() => done(new ThreadLost('time')), answerMs);
      });
      worker.postMessage(question());
      const reply = await Promise.race([came, ended, late]);
      clearTimeout(timer);
      if (reply instanceof Error) throw reply;
      if ('failed' in reply)
        throw new ThreadFailed(reply.failed.kind, reply.failed.message, reply.failed.stack);
      if ('done' in reply) return;
      yield reply.value as Answer;
    }
  } finally {
    clearInterval(looks);
    await worker.terminate();
  }
}

/**
 * Serves `askThread` in this thread: yields the answers of `work`, one per request; `work` can read the latest
 * question.
 */
export function serveThread<Task, Question = unknown>(
  work: (task: Task, asked: () => Question) => AsyncIterable<unknown>,
): void {
  let question: Question;
  const answers = work(workerData as Task, () => question)[Symbol.asyncIterator]();
  parentPort!.on('message', async (asked: Question) => {
    question = asked;
    let reply: Reply;
    try {
      const { value, done } = await answers.next();
      reply = done ? { done } : { value };
    } catch (error) {
      const { name, message, stack } = error as Error;
      reply = { failed: { kind: name, message, ...(stack ? { stack } : {}) } };
    }
    parentPort!.postMessage(reply);
  });
}
