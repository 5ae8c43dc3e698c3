import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { findDelimiter, lineNumbers, type RawRow, readRows, takeIn } from './csv-reader.ts';

const folder = mkdtempSync(join(tmpdir(), 'lead-csv-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'file.csv');

async function* pieces(buffer: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < buffer.length; at += size) yield buffer.subarray(at, at + size);
}
const take = async (buffer: Buffer, size = 3, most = 1e6) => {
  const { bytes } = await takeIn(pieces(buffer, size), path, most);
  expect(readFileSync(path)).toHaveLength(bytes);
  return readFileSync(path, 'utf8');
};
const rows = async (text: string, from = 0, most = 1000) => {
  writeFileSync(path, text);
  const all: RawRow[][] = [];
  for await (const batch of readRows(path, { from, delimiter: ',', most, mostBytes: 1e6 })) all.push(batch);
  return all;
};

describe('taking a file in', () => {
  const text = 'naïve,日本,😀\r\nx,y,z\n';

  test.each([1, 2, 3, 5, 1000])(
    '[IDEN-01] UTF-8 and UTF-16 with and without their marks, in pieces of %i bytes',
    async (size) => {
      const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
      expect(await take(Buffer.from(text), size)).toBe(text);
      expect(await take(Buffer.from(`\ufeff${text}`), size)).toBe(text);
      expect(await take(utf16, size)).toBe(text);
      expect(await take(Buffer.from(utf16).swap16(), size)).toBe(text);
    },
  );

  test.each([1, 4, 1000])(
    '[IDEN-01] another encoding is refused with its line, in pieces of %i bytes',
    async (size) => {
      const latin = Buffer.concat([
        Buffer.from('email\nñ\na@x.example\n'),
        Buffer.from('Jos\xe9,x\nb\n', 'latin1'),
      ]);
      await expect(take(latin, size)).rejects.toThrow(
        'The file is not UTF-8 (line 4). Save it as UTF-8 and try again.',
      );
      await expect(take(Buffer.from('a\n\xc3', 'latin1'), size)).rejects.toThrow('line 2');
      expect(() => readFileSync(path)).toThrow('ENOENT');
    },
  );

  test('[IDEN-01] an empty file and one that is too large are refused, and nothing stays', async () => {
    await expect(take(Buffer.alloc(0))).rejects.toThrow('The file is empty.');
    await expect(take(Buffer.from('\ufeff'))).rejects.toThrow('The file is empty.');
    await expect(take(Buffer.from('a,b,c'), 3, 4)).rejects.toThrow('larger than 4 bytes');
    expect(() => readFileSync(path)).toThrow('ENOENT');
  });
});

/** A row as csv-parse returns it. */
interface Row {
  record: string[];
  info: { bytes: number };
}

describe('reading rows', () => {
  test('[IDEN-01] CRLF, quotes with separators and line breaks, stray quotes, blank lines', async () => {
    const text = 'a,b\r\n"x, ""y""","two\r\nlines"\r\n\r\nin"side,2\n3,4';
    const [batch] = await rows(text);
    expect(batch!.map((row) => row.cells)).toEqual([
      ['a', 'b'],
      ['x, "y"', 'two\r\nlines'],
      ['in"side', '2'],
      ['3', '4'],
    ]);
    for (const row of batch!) expect(text.slice(row.at, row.end)).toContain(row.cells[0]![0]);
    expect(
      await lineNumbers(
        path,
        0,
        1,
        batch!.map((row) => row.at),
      ),
    ).toEqual([1, 2, 5, 6]);
  });

  test.each<[string, string, string[][]]>([
    [
      'a comma within quotes',
      'name,place\nAnn,"Austin, TX"\n',
      [
        ['name', 'place'],
        ['Ann', 'Austin, TX'],
      ],
    ],
    [
      'empty values, bare and quoted',
      'a,b,c\n1,"",\n,,3\n',
      [
        ['a', 'b', 'c'],
        ['1', '', ''],
        ['', '', '3'],
      ],
    ],
    [
      'quotes within quotes',
      'a,b\n1,"she said ""no"""\n',
      [
        ['a', 'b'],
        ['1', 'she said "no"'],
      ],
    ],
    [
      'JSON in a value',
      'id,at\n1,"{""type"": ""Point"", ""at"": [1.5, 2]}"\n',
      [
        ['id', 'at'],
        ['1', '{"type": "Point", "at": [1.5, 2]}'],
      ],
    ],
    [
      'line breaks within quotes, LF',
      'a,b\n"one\ntwo",3\n4,"\n"\n',
      [
        ['a', 'b'],
        ['one\ntwo', '3'],
        ['4', '\n'],
      ],
    ],
    [
      'line breaks within quotes, CRLF',
      'a,b\r\n"one\r\ntwo",3\r\n',
      [
        ['a', 'b'],
        ['one\r\ntwo', '3'],
      ],
    ],
    [
      'quotes and line breaks together',
      'a,b\n1,"ha \n""ha"" \nha"\n',
      [
        ['a', 'b'],
        ['1', 'ha \n"ha" \nha'],
      ],
    ],
    [
      'letters of every script',
      'a,b\n1,ʤ\n2,שלום\n3,👩‍👩‍👧\n4,𝔘𝔫𝔦\n',
      [
        ['a', 'b'],
        ['1', 'ʤ'],
        ['2', 'שלום'],
        ['3', '👩‍👩‍👧'],
        ['4', '𝔘𝔫𝔦'],
      ],
    ],
    [
      'a lone CR is a part of its value',
      'a,b\n1\r2,3\n',
      [
        ['a', 'b'],
        ['1\r2', '3'],
      ],
    ],
    ['rows of other lengths', 'a,b\n1\n1,2,3\n', [['a', 'b'], ['1'], ['1', '2', '3']]],
    [
      'no line break at the end',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'blanks around values stay',
      'a, b \n 1 ,\t2\n',
      [
        ['a', ' b '],
        [' 1 ', '\t2'],
      ],
    ],
  ])('[IDEN-01] %s', async (_, text, expected) => {
    expect((await rows(text)).flat().map((row) => row.cells)).toEqual(expected);
  });
  test('[IDEN-01] the same rows as csv-parse, whatever the text and wherever it is cut', async () => {
    const piece = fc.constantFrom('a', 'é', '😀', '"', '""', '\n', '\r\n', '\r', ',', ',"', '",', '"\n', ' ');
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 20 }),
        async (pieces, chunkBytes) => {
          const text = pieces.join('');
          writeFileSync(path, text);
          let meant: Row[] | undefined;
          try {
            meant = parse(text, {
              info: true,
              relax_quotes: true,
              relax_column_count: true,
              record_delimiter: ['\r\n', '\n'],
            }) as unknown as Row[];
          } catch {
            meant = undefined;
          }
          const found: Row[] = [];
          const read = async () => {
            for await (const batch of readRows(path, { delimiter: ',', most: 3, mostBytes: 1e6, chunkBytes }))
              for (const { cells, end } of batch) found.push({ record: cells, info: { bytes: end } });
          };
          if (!meant) {
            await expect(read()).rejects.toThrow(/a quotation mark opens a value/);
            return;
          }
          await read();
          expect(found).toEqual(
            meant
              .map(({ record, info }) => ({ record, info: { bytes: info.bytes } }))
              .filter(({ record }) => record.length > 1 || record[0] !== ''),
          );
        },
      ),
      { numRuns: 1500 },
    );
  });

  test('a batch can be read again from where the last one ended', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"', '\n', ',', ' ') });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        async (all, most) => {
          const quoted = all
            .map((row) => `${row.map((one) => `"${one.replaceAll('"', '""')}"`).join(',')}\n`)
            .join('');
          const batches = await rows(quoted, 0, most);
          expect(batches.flat().map((row) => row.cells)).toEqual(all);
          for (const [i, batch] of batches.entries()) {
            const again = await rows(quoted, batch.at(-1)!.end, most);
            expect(again).toEqual(batches.slice(i + 1));
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  test('[IDEN-01] a quotation that is never closed is refused with the line where its row begins', async () => {
    await expect(rows('a,b\n1,2\n3,"4\n5,6\n')).rejects.toThrow(
      /^Line 3: a quotation mark opens a value but is never closed/,
    );
    await expect(rows(`a,b\n1,"${'x'.repeat(9 * 1024 * 1024)}\n`)).rejects.toThrow(
      /^Line 2: a quotation mark/,
    );
  });

  test('[IDEN-01] a row without end is refused with its line and its size, not with a quotation that it has not', async () => {
    await expect(rows(`a,b\n1,2\n3,${'x'.repeat(9 * 1024 * 1024)}\n`)).rejects.toThrow(
      /^Line 3: the row is longer than 8 MB\. Check that each row ends with a line break/,
    );
  });

  test('the separator is told by the first line', async () => {
    for (const [text, delimiter] of [
      ['a,b;c,d\n1;2;3;4;5', ','],
      ['a;b;c\n1,2', ';'],
      ['a\tb\n', '\t'],
      ['a|b|c\n', '|'],
      ['"a;b;c",d\n', ','],
      ['email\n', ','],
    ]) {
      writeFileSync(path, text!);
      expect(await findDelimiter(path)).toBe(delimiter);
    }
  });
});
