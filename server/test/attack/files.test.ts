import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, describe, expect, test } from 'vitest';
import { type Batch, readApart } from '../../features/audience/exclusions/list-thread.ts';
import { openApart, readHead } from '../../features/audience/people/file-thread.ts';

const folder = mkdtempSync(join(tmpdir(), 'lead-attack-'));
const path = join(folder, 'file.csv');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const million = (text: string) => text.repeat(1_000_000);
const size = { rows: 50_000, bytes: 16 * 1024 * 1024 };

/** What a list with this text results in: a row that blocks its thread for a minute ends it with a fault. */
async function list(text: string): Promise<Pick<Batch, 'rows' | 'entries' | 'errors'>[]> {
  writeFileSync(path, text);
  const found: Batch[] = [];
  const task = {
    read: 'batches',
    path,
    accepts: 'all',
    ignoreAliases: true,
    country: 'US',
    at: 0,
    line: 0,
    size,
  } as const;
  for await (const batch of readApart<Batch>(task)) found.push(batch);
  return found.map(({ rows, entries, errors }) => ({ rows, entries, errors }));
}

describe('[BEY-31] files that were made to hold up whoever reads them', () => {
  test('a cell of a quotation mark and a million brackets', async () => {
    const [batch] = await list(`email\nann@x.example\nx${million('>')}x\n"""${million('>')}x"\n`);
    expect(batch).toMatchObject({ rows: 3, entries: 1 });
    expect(batch!.errors[0]).toMatchObject({ line: 3, reason: 'is longer than 320 characters' });
  });

  test('a row of a million cells after a quoted one, and a million rows without a separator', async () => {
    const [row] = await list(`email,name\n"ann@x.example"${million(',b')}\n`);
    expect(row).toMatchObject({ rows: 1, entries: 1, errors: [] });
    const rows = await list(`email,name\n${million('"a@x.example"\n')}`);
    expect(rows.reduce((sum, batch) => sum + batch.rows, 0)).toBe(1_000_000);
  });

  test('a row of eight megabytes of line breaks within quotation marks, and one that no mark ends', async () => {
    const [row] = await list(`email,name\nann@x.example,"${'a\n'.repeat(3_900_000)}"\n`);
    expect(row).toMatchObject({ rows: 1, entries: 1 });
    await expect(list(`email,name\nann@x.example,"${million('a\n').repeat(5)}`)).rejects.toMatchObject({
      name: 'FileFault',
      message: expect.stringContaining('Line 2: a quotation mark opens a value but is never closed'),
    });
  });

  test('the same in a file of people', async () => {
    writeFileSync(path, `email,name\n"${million('>')}",x\nann@x.example,"${million('>')}x"\n`);
    const task = { kind: 'people', path, fileBytes: 0, at: 0, line: 0, size } as const;
    const { head, batches } = await openApart(task, () => new Date());
    expect(head.header).toEqual(['email', 'name']);
    const errors: string[] = [];
    for await (const batch of batches(['email', 'full_name'], 'US'))
      errors.push(...batch.errors.map((one) => one.reason));
    expect(errors).toEqual(['is longer than 1 MB', 'is longer than 1 MB']);
  });

  test('columns by the million are refused, and rows by the million cells are sampled in the thread', async () => {
    const head = async (text: string | Uint8Array, at = path) => {
      writeFileSync(at, text);
      return readHead(at);
    };
    await expect(head(`email${million(',b')}\nann@x.example\n`)).rejects.toMatchObject({
      name: 'FileFault',
      message: 'Line 1: the file has 1,000,001 columns, and the limit is 1,000.',
    });
    await expect(head(`email${`,${'b'.repeat(490)}`.repeat(200)}\nann@x.example\n`)).rejects.toThrow(
      'Line 1: the first line is too long to be column names.',
    );
    const columnData = Array.from({ length: 1001 }, (_, i) => ({ name: `c${i}`, data: ['x'] }));
    const file = new Uint8Array(parquetWriteBuffer({ columnData }));
    await expect(head(file, join(folder, 'x.parquet'))).rejects.toThrow(
      'The file has 1,001 columns, and the limit is 1,000.',
    );
    const { rows } = await head(`email,name\n${'a'.repeat(1000)}${million(',b')}\nann@x.example\n`);
    expect(rows).toEqual([['a'.repeat(100), 'b']]);
  });
});
