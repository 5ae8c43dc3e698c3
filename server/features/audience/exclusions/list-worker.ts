import { FileFault, findDelimiter, lineNumbers, readRows } from '../../../platform/csv-reader.ts';
import { serveThread } from '../../../platform/thread.ts';
import type { Batch, ListTask } from './list-thread.ts';
import { type Accepts, entryColumns, readRow } from './policy.ts';

// Reads the files of lists in a separate thread (list-thread.ts).

const AFTERMATH = 'Nothing from the file was imported.';

const rowsOf = (path: string, delimiter: string, from = 0, most = 1000) =>
  readRows(path, { from, delimiter, most, mostBytes: 1024 * 1024, aftermath: AFTERMATH });

/** Returns how many records a file has. Throws FileFault when there are none, or more than allowed. */
async function count(path: string, mostRows: number, accepts: Accepts): Promise<number> {
  let rows = 0;
  for await (const group of rowsOf(path, await findDelimiter(path))) {
    if (rows === 0 && group[0] && entryColumns(group[0].cells, accepts)) rows--;
    rows += group.length;
    if (rows > mostRows)
      throw new FileFault(`The file has more than ${mostRows.toLocaleString('en-US')} records. ${AFTERMATH}`);
  }
  if (rows <= 0) throw new FileFault('The file has no records.');
  return rows;
}

/** Returns the columns that a file's first line names, and where the data after it begins. */
async function head(path: string, delimiter: string, accepts: Accepts) {
  for await (const [first] of readRows(path, { delimiter, most: 1, mostBytes: 1, aftermath: AFTERMATH })) {
    const columns = entryColumns(first!.cells, accepts);
    return { columns, from: columns ? first!.end : 0 };
  }
  throw new FileFault('The file has no records.');
}

async function* batches({
  path,
  accepts,
  ignoreAliases,
  country,
  at: resumedAt,
  line: resumedLine,
  size,
}: Extract<ListTask, { read: 'batches' }>): AsyncGenerator<Batch> {
  const delimiter = await findDelimiter(path);
  const { columns, from } = await head(path, delimiter, accepts);
  const resumed = resumedAt > 0;
  const start = resumed ? resumedAt : from;
  let line = resumed ? resumedLine : (await lineNumbers(path, 0, 1, [start]))[0]!;
  let batch = newBatch(resumed ? start : 0);
  let at = start;
  for await (const group of rowsOf(path, delimiter, start, Math.min(1000, size.rows))) {
    const lines: string[] = [];
    for (const { cells, at: begins, end } of group) {
      batch.end = end;
      batch.rows++;
      const { entries, fault } = readRow(cells, columns, accepts, ignoreAliases, country);
      if (fault) batch.faults.push({ ...fault, at: begins });
      for (const entry of entries) {
        batch.entries++;
        const [main, ...others] = entry.values;
        const key = `${main!.kind}\t\\\\x${main!.value}`;
        if (batch.seen.has(key)) continue;
        batch.seen.add(key);
        // A label has no tab or line break (labelOf); COPY reads backslashes as escapes.
        const label = entry.label?.replaceAll('\\', '\\\\') ?? '\\N';
        lines.push(`${key}\tt\t${label}\n`);
        for (const { kind, value } of others) {
          const other = `${kind}\t\\\\x${value}`;
          // Several spellings of one mailbox lead to the same key; md5 always comes with its sha256 anyway.
          if (others.length > 1 && (batch.seen.has(other) || batch.also.has(other))) continue;
          if (others.length > 1) batch.also.add(other);
          lines.push(`${other}\tf\t${label}\n`);
        }
        if (entry.only) batch.counts[`${entry.only}_only`]++;
        if (main!.kind === 6) batch.counts.phones++;
        else if (main!.kind === 8) batch.counts.domains++;
        else batch.counts.emails++;
      }
    }
    batch.parts.push(lines.join(''));
    if (batch.rows >= size.rows || batch.end - at >= size.bytes) {
      const full = await close(path, batch, at, line);
      yield full;
      at = full.end;
      line = full.line;
      batch = newBatch(at);
    }
  }
  if (batch.rows > 0) yield close(path, batch, at, line);
}

const newBatch = (before: number) => ({
  before,
  end: before,
  rows: 0,
  entries: 0,
  counts: { emails: 0, phones: 0, domains: 0, md5_only: 0, sha256_only: 0 },
  seen: new Set<string>(),
  /** Keys other than those that are counted, for entries that have more than their two hashes. */
  also: new Set<string>(),
  parts: [] as string[],
  faults: [] as { at: number; reason: string; value: string }[],
});

async function close(
  path: string,
  { seen, also: _, parts, faults, ...batch }: ReturnType<typeof newBatch>,
  at: number,
  line: number,
): Promise<Batch> {
  const lines = await lineNumbers(path, at, line, [...faults.map((fault) => fault.at), batch.end]);
  return {
    ...batch,
    unique: seen.size,
    line: lines.at(-1)!,
    data: Buffer.from(parts.join('')),
    errors: faults.map(({ reason, value }, i) => ({ line: lines[i]!, reason, value })),
  };
}

async function* answers(task: ListTask): AsyncGenerator<unknown> {
  if (task.read === 'count') yield await count(task.path, task.mostRows, task.accepts);
  else yield* batches(task);
}

serveThread(answers);
