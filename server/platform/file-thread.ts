import { FileFault } from './csv-reader.ts';
import { askThread, type ThreadBounds, ThreadFailed, ThreadLost } from './thread.ts';
import { createTurns } from './turns.ts';

/**
 * Reads of uploaded files that someone waits for: a file's columns, or how many records it has. Jobs, which read whole
 * files, run a few at a time anyway.
 */
export const inReadingTurn = createTurns({
  atOnce: 2,
  waiting: 16,
  waitingEach: 4,
  budgetMs: 2 * 60_000,
  windowMs: 10 * 60_000,
});

/**
 * Yields the results of a thread that reads an uploaded file.
 * @param what the kind of file, such as CSV, for messages about it
 * @throws FileFault for what is wrong with the file, also if reading it takes too long or too much memory
 */
export async function* readFileApart<Answer>(
  script: URL,
  task: unknown,
  { what, ...bounds }: ThreadBounds & { what: string },
  question?: () => unknown,
): AsyncGenerator<Answer> {
  try {
    yield* askThread<Answer>(script, task, bounds, question);
  } catch (error) {
    if (error instanceof ThreadFailed && error.kind === 'FileFault') throw new FileFault(error.message);
    if (error instanceof ThreadLost)
      throw new FileFault(
        error.why === 'time'
          ? `The file takes too long to read as ${what}. It may be damaged.`
          : `The file uses too much memory to read as ${what}. It may be damaged.`,
      );
    throw error;
  }
}
