import type { AudienceKind } from '../../../../contract/ads/audience-rules.ts';
import { FileFault, findDelimiter, lineNumbers, readRows } from '../../../platform/csv-reader.ts';
import { serveThread } from '../../../platform/thread.ts';
import type { Batch, FileTask } from './file-thread.ts';
import { type Columns, columnsOf, readRow } from './row.policy.ts';

// Reads uploaded lists in a separate thread (file-thread.ts).

const AFTERMATH = 'Nothing from the file was used.';
const STEP = 5_000;

const rowsOf = (path: string, delimiter: string, from: number, most: number) =>
  readRows(path, { from, delimiter, most, mostBytes: 1024 * 1024, aftermath: AFTERMATH });

/** The columns that a file's first line names, and where the data after it begins. */
async function head(
  path: string,
  delimiter: string,
  kind: AudienceKind,
): Promise<{ columns: Columns | null; from: number }> {
  for await (const [first] of rowsOf(path, delimiter, 0, 1)) {
    try {
      const columns = columnsOf(first!.cells, kind);
      return { columns, from: columns ? first!.end : 0 };
    } catch (error) {
      throw new FileFault((error as Error).message);
    }
  }
  throw new FileFault('The file has no records.');
}

/** How many records a file has. Throws FileFault when there are none, or more than allowed. */
async function count(path: string, kind: AudienceKind, mostRows: number): Promise<number> {
  const delimiter = await findDelimiter(path);
  const { from } = await head(path, delimiter, kind);
  let rows = 0;
  for await (const group of rowsOf(path, delimiter, from, 1000)) {
    rows += group.length;
    if (rows > mostRows)
      throw new FileFault(`The file has more than ${mostRows.toLocaleString('en-US')} records. ${AFTERMATH}`);
  }
  if (rows === 0) throw new FileFault('The file has no records.');
  return rows;
}

async function* batches(task: Extract<FileTask, { read: 'batches' }>): AsyncGenerator<Batch> {
  const { path, kind } = task;
  const delimiter = await findDelimiter(path);
  const { columns, from } = await head(path, delimiter, kind);
  const start = task.at > 0 ? task.at : from;
  let line = task.at > 0 ? task.line : (await lineNumbers(path, 0, 1, [start]))[0]!;
  let before = task.at;
  let at = start;
  for await (const group of rowsOf(path, delimiter, start, STEP)) {
    const members: Batch['members'] = [];
    const faults: { at: number; reason: string; value: string }[] = [];
    for (const row of group) {
      const read = readRow(row.cells, columns, kind);
      members.push(...read.members);
      if (read.fault) faults.push({ ...read.fault, at: row.at });
    }
    const { end } = group.at(-1)!;
    const lines = await lineNumbers(path, at, line, [...faults.map((fault) => fault.at), end]);
    line = lines.at(-1)!;
    yield {
      before,
      end,
      line,
      rows: group.length,
      members,
      errors: faults.map(({ reason, value }, i) => ({ line: lines[i]!, reason, value })),
    };
    before = end;
    at = end;
  }
}

async function* answers(task: FileTask): AsyncGenerator<unknown> {
  if (task.read === 'count') yield await count(task.path, task.kind, task.mostRows);
  else yield* batches(task);
}

serveThread(answers);
