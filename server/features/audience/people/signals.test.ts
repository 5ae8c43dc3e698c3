import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { md5, sha256 } from '../../../test/factories.ts';
import { readHead } from './file-thread.ts';
import { createImports } from './import.service.ts';

let app: TestApp;
let root: Company;
beforeAll(async () => {
  app = await testApp();
  root = await app.make.root();
});
afterAll(() => app.close());

async function* bytes(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof content === 'string' ? Buffer.from(content) : content;
}

const NOW = Date.parse('2026-03-10T15:00:00Z');
const ago = (hours: number): string => new Date(NOW - hours * 3_600_000).toISOString();

/** Imports a file of signals, and returns the result. */
async function take(
  content: string | Uint8Array,
  given: { root?: Company; name?: string; imports?: ReturnType<typeof createImports> } = {},
) {
  const { id: rootId } = given.root ?? root;
  const imports = given.imports ?? app.features.people.files;
  const { id } = await imports.add(rootId, given.name ?? 'signals.csv', bytes(content), { kind: 'signals' });
  await imports.queue(rootId, id, {});
  const row = (await imports.run(rootId, id))!;
  const counts = {
    state: row.state,
    read: Number(row.rows_read),
    added: Number(row.rows_added),
    same: Number(row.rows_same),
    bad: Number(row.rows_bad),
  };
  const { rows: errors } = await app.admin.query(
    `select line::int, field, reason from import_error where import_id = $1 order by line`,
    [id],
  );
  return { id, counts, errors, error: row.error };
}

const signalsOf = async (rootId: string) =>
  (
    await app.admin.query(
      `select t.words, p.email, s.at, s.state, s.zip, s.city is not null as city, s.strength, s.key_kind, s.url
       from signal s join intent_term t on t.id = s.term_id join person p on p.root_id = s.root_id and p.id = s.person_id
       where s.root_id = $1 order by s.at desc, t.words`,
      [rootId],
    )
  ).rows as Record<string, unknown>[];

describe('[IDEN-03] intent signals are imported', () => {
  test('a CSV file: who by plain or hashed email, phone or id; keyword, page, place and time', async () => {
    const own = await app.make.root();
    await app.make.people(own, [
      app.make.person({ email: 'ann@x.example', external_id: 'A-1' }),
      app.make.person({ email: 'bob@x.example', phone: '+15042000001' }),
    ]);
    const { counts, errors } = await take(
      `Email,Keyword,URL,State,City,Zip,Timestamp\n` +
        `ann@x.example,Running Shoes,https://a.example/x,Texas,Austin,78701,${ago(1)}\n` +
        `${sha256('bob@x.example')},“Café” tables!,not a url,,,,${Math.floor((NOW - 7_200_000) / 1000)}\n` +
        `${md5('ann@x.example')},running shoe,,tx,,2116,${ago(3)}\n`,
      { root: own },
    );
    expect(errors).toEqual([]);
    expect(counts).toEqual({ state: 'done', read: 3, added: 3, same: 0, bad: 0 });
    expect(await signalsOf(own.id)).toEqual([
      {
        words: 'run shoe',
        email: 'ann@x.example',
        at: new Date(ago(1)),
        state: 518,
        zip: 78701,
        city: true,
        strength: 98,
        key_kind: 1,
        url: 'https://a.example/x',
      },
      {
        words: 'cafe tabl',
        email: 'bob@x.example',
        at: new Date(ago(2)),
        state: null,
        zip: null,
        city: false,
        strength: 98,
        key_kind: 1,
        url: null,
      },
      {
        words: 'run shoe',
        email: 'ann@x.example',
        at: new Date(ago(3)),
        state: 518,
        zip: 2116,
        city: false,
        strength: 98,
        key_kind: 3,
        url: null,
      },
    ]);
    const more = await take(
      `phone,uuid,search_term,date\n504-200-0001,,Hats,${ago(4)}\n,A-1,hat,${ago(5)}\n`,
      { root: own },
    );
    expect(more.counts).toMatchObject({ added: 2, bad: 0 });
  });

  test('each bad row is told with its line and reason, and the others are taken', async () => {
    const own = await app.make.root();
    await app.make.people(own, [app.make.person({ email: 'ann@x.example' })]);
    const good = (hours: number) => `ann@x.example,shoes,${ago(hours)}\n`;
    const { counts, errors } = await take(
      `email,keyword,time\n${good(1)}nobody@x.example,shoes,${ago(1)}\nno address,shoes,${ago(1)}\nann@x.example,,${ago(1)}\n` +
        `ann@x.example,"!,\n?",${ago(1)}\nann@x.example,shoes,2026-02-31\nann@x.example,shoes,2019-01-01\nann@x.example,shoes,2027-01-01T00:00Z\n` +
        `,shoes,${ago(1)}\nann@x.example,shoes\n${good(2)}`,
      { root: own },
    );
    expect(counts).toEqual({ state: 'done', read: 11, added: 2, same: 0, bad: 9 });
    expect(errors).toEqual([
      { line: 3, field: null, reason: 'does not match anyone in the people data' },
      { line: 4, field: 'email', reason: 'is not a valid email address' },
      { line: 5, field: 'keyword', reason: 'is missing' },
      { line: 6, field: 'keyword', reason: 'must contain a letter or digit' },
      { line: 8, field: 'seen_at', reason: 'is not a date and time (ISO 8601) or a Unix timestamp' },
      { line: 9, field: 'seen_at', reason: 'is more than 35 days ago' },
      { line: 10, field: 'seen_at', reason: 'is in the future' },
      {
        line: 11,
        field: null,
        reason: 'has nothing that identifies the person: no email, hash, phone number, device ID, or ID',
      },
      { line: 12, field: null, reason: 'has 2 values but the first line has 3 column names' },
    ]);
  });

  test('a file that was imported before changes nothing', async () => {
    const own = await app.make.root();
    const people = Array.from({ length: 20 }, () => app.make.person());
    await app.make.people(own, people);
    const file = `email,keyword,time\n${people.map((p, i) => `${p.email},keyword ${i % 5},${ago(i + 1)}`).join('\n')}\n`;
    expect((await take(file, { root: own })).counts).toMatchObject({ added: 20, same: 0 });
    expect((await take(file, { root: own })).counts).toMatchObject({ added: 0, same: 20 });
  });

  test('wherever it is cut off, it goes on there and ends as if it had not been', async () => {
    const own = await app.make.root();
    const people = Array.from({ length: 30 }, () => app.make.person());
    await app.make.people(own, people);
    const line = (i: number) =>
      i % 7 === 3
        ? `nobody${i}@x.example,shoes,${ago(1)}`
        : `${people[i % 30]!.email},"key ""word"" ${i % 9}",${ago(i % 300)}`;
    const csv = `email,keyword,time\n${Array.from({ length: 100 }, (_, i) => line(i)).join('\r\n')}\n`;
    const rows = csv
      .split(/\r?\n/)
      .slice(1, 101)
      .map((text) => /^(.*?),(".*"|.*?),(.*)$/.exec(text)!);
    const parquet = Buffer.from(
      parquetWriteBuffer({
        rowGroupSize: 17,
        columnData: [
          { name: 'email', data: rows.map((cells) => cells[1]!), type: 'STRING' },
          {
            name: 'keyword',
            data: rows.map((cells) => cells[2]!.replace(/^"|"$/g, '').replaceAll('""', '"')),
            type: 'STRING',
          },
          { name: 'time', data: rows.map((cells) => new Date(cells[3]!)), type: 'TIMESTAMP' },
        ],
      }),
    );
    const whole = await take(csv, { root: own });
    expect(whole.counts).toMatchObject({ state: 'done', read: 100, bad: 14 });
    const expected = await signalsOf(own.id);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.boolean(),
        fc.integer({ min: 0, max: 9 }),
        async (size, isParquet, cutAt) => {
          const other = await app.make.root();
          await app.make.people(other, people);
          const imports = createImports(app.platform, { rows: size, bytes: 1e9 });
          const name = isParquet ? 's.parquet' : 's.csv';
          const { id } = await imports.add(other.id, name, bytes(isParquet ? parquet : csv), {
            kind: 'signals',
          });
          await imports.queue(other.id, id, {});
          const stop = new AbortController();
          let batches = 0;
          const cut = imports.run(other.id, id, {
            signal: stop.signal,
            progress: () => ++batches > cutAt && stop.abort(),
          });
          await cut.catch((error: Error) => expect(error.name).toBe('AbortError'));
          const row = await imports.run(other.id, id);
          expect([row!.state, row!.rows_read, row!.rows_bad, row!.rows_added]).toEqual([
            'done',
            100n,
            14n,
            BigInt(expected.length),
          ]);
          expect(await signalsOf(other.id)).toEqual(expected);
          const { rows: bad } = await app.admin.query(
            'select line::int from import_error where import_id = $1 order by 1',
            [id],
          );
          expect(bad.map((one) => one.line)).toEqual(
            whole.errors.map((one) => one.line - (isParquet ? 1 : 0)),
          );
        },
      ),
      { numRuns: 4 },
    );
  });

  test('a damaged Parquet file fails with the reason, and any cut of one does no harm', async () => {
    const good = Buffer.from(
      parquetWriteBuffer({
        columnData: [
          { name: 'email', data: ['ann@x.example', 'bob@x.example'], type: 'STRING' },
          { name: 'keyword', data: ['a', 'b'], type: 'STRING' },
          { name: 'time', data: [ago(1), ago(2)], type: 'STRING' },
        ],
      }),
    );
    const add = (content: Uint8Array) =>
      app.features.people.files.add(root.id, 'x.parquet', bytes(content), { kind: 'signals' });
    await expect(add(Buffer.from('email,keyword\n'))).rejects.toThrow(/cannot be read as Parquet/);
    // For each byte of the file: reading it finishes in time, with rows or a fault.
    const path = join(app.platform.config.dataDir, 'broken.parquet');
    const outcomes = new Set<string>();
    for (let at = 0; at < good.length; at += 23) {
      const broken = Buffer.from(good);
      broken[at] = broken[at]! ^ 0xff;
      await writeFile(path, broken);
      outcomes.add(
        await readHead(path, 10_000).then(
          () => 'rows',
          (error: Error) => error.name,
        ),
      );
    }
    expect([...outcomes].sort()).toEqual(['FileFault', 'rows']);
  });

  test('columns that cannot make signals are refused, with what is missing', async () => {
    const { counts, error } = await take('email,words\na@x.example,shoes\n');
    expect([counts.state, error]).toEqual([
      'failed',
      'The file needs a keyword column. Its columns are email, words.',
    ]);
  });

  test('days that have been kept long enough go, with their signals', async () => {
    const own = await app.make.root();
    const person = app.make.person();
    await app.make.people(own, [person]);
    await take(`email,keyword,time\n${person.email},old,${ago(34 * 24)}\n${person.email},new,${ago(1)}\n`, {
      root: own,
    });
    app.clock.advance(3 * 86_400_000);
    await app.features.people.keepSignals();
    expect((await signalsOf(own.id)).map((one) => one.words)).toEqual(['new']);
    app.clock.advance(-3 * 86_400_000);
  });

  test("a root's signals are no other's", async () => {
    const [one, two] = [await app.make.root(), await app.make.root()];
    const person = app.make.person();
    await app.make.people(one, [person]);
    const file = `email,keyword,time\n${person.email},shoes,${ago(1)}\n`;
    expect((await take(file, { root: two })).counts).toMatchObject({ added: 0, bad: 1 });
    expect((await take(file, { root: one })).counts).toMatchObject({ added: 1 });
    expect(await signalsOf(two.id)).toEqual([]);
  });
});
