import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter, parquetWriteBuffer, schemaFromColumnData } from 'hyparquet-writer';
import { afterAll, describe, expect, test } from 'vitest';
import { parquetHead, readParquet } from './parquet-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'lead-parquet-'));
const path = join(folder, 'x.parquet');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Given = Parameters<typeof parquetWriteBuffer>[0];
const write = (given: Given): Buffer => {
  const file = Buffer.from(parquetWriteBuffer(given));
  writeFileSync(path, file);
  return file;
};
/** Returns all rows of the file, `most` at a time, starting at a row. */
async function rows(most = 7, from = 0): Promise<string[][]> {
  const head = await parquetHead(path, 1);
  const found: string[][] = [];
  const wanted = head.names.map((_, at) => at);
  for await (const part of readParquet(path, { from, most, wanted })) found.push(...part.rows);
  return found;
}
const emails = Array.from({ length: 60 }, (_, i) => `p${i}@x.example`);
const words = Array.from({ length: 60 }, (_, i) => `word ${i % 3}`);
const columnData: Given['columnData'] = [
  { name: 'email', data: emails, type: 'STRING' },
  { name: 'keyword', data: words, type: 'STRING' },
];
const expected = emails.map((email, i) => [email, words[i]!]);
const compressors = {
  GZIP: (bytes: Uint8Array) => gzipSync(bytes),
  ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes),
  BROTLI: (bytes: Uint8Array) => brotliCompressSync(bytes),
  LZ4_RAW: (bytes: Uint8Array) => bytes,
};

describe('[IDEN-03] Parquet files', () => {
  test.each(['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'ZSTD', 'BROTLI'] as const)(
    'compressed with %s, in dictionaries and several row groups, from any row on',
    async (codec) => {
      write({ columnData, codec, compressors, rowGroupSize: 17 });
      expect(await rows()).toEqual(expected);
      expect(await rows(7, 20)).toEqual(expected.slice(20));
    },
  );

  test('another compression is named, and what to use instead', async () => {
    write({ columnData, codec: 'LZ4_RAW', compressors });
    await expect(parquetHead(path, 1)).rejects.toThrow(
      'Column email uses LZ4_RAW compression, which is not supported. Save the file with Snappy, gzip, zstd, Brotli, or no compression.',
    );
  });

  test.each([
    ['nothing', () => Buffer.alloc(0)],
    ['a text', () => Buffer.from('email,keyword\na@x.example,shoes\n')],
    ['another end', (good: Buffer) => Buffer.concat([good.subarray(0, -4), Buffer.from('PARE')])],
    ['its foot cut off', (good: Buffer) => good.subarray(0, good.length - 40)],
    ['its middle cut out', (good: Buffer) => Buffer.concat([good.subarray(0, 100), good.subarray(-60)])],
    [
      'a foot longer than the file',
      (good: Buffer) => {
        const bad = Buffer.from(good);
        bad.writeUInt32LE(0x7fffffff, bad.length - 8);
        return bad;
      },
    ],
  ])('%s is refused as no Parquet', async (_, break_) => {
    const good = write({ columnData });
    writeFileSync(path, break_(good));
    await expect(parquetHead(path, 1)).rejects.toThrow(/^The file (cannot be read as Parquet: |is empty)/);
  });

  test('no rows are an empty file', async () => {
    write({ columnData: columnData.map((column) => ({ ...column, data: [] })) as Given['columnData'] });
    await expect(parquetHead(path, 1)).rejects.toThrow('The file is empty.');
  });

  test('a page that a few bytes unpack to more than any may be is refused', async () => {
    const bomb = { name: 'email', data: ['a'.repeat(140_000_000)], type: 'STRING' as const };
    expect(write({ columnData: [bomb], codec: 'GZIP', compressors }).length).toBeLessThan(1_000_000);
    await expect(parquetHead(path, 1)).rejects.toThrow(/^A page of 140,000,\d{3} bytes is too large/);
  });

  test('a row group is measured by what it unpacks to, not by what the file says it does', async () => {
    const cell = Buffer.alloc(40_000_000, 97);
    const columns = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
      name,
      data: [cell, cell, cell],
      type: 'BYTE_ARRAY' as const,
      encoding: 'PLAIN' as const,
    }));
    const bytes = new ByteWriter();
    const writer = new ParquetWriter({
      writer: bytes,
      schema: schemaFromColumnData({ columnData: columns }),
      codec: 'ZSTD',
      compressors,
      statistics: false,
    });
    writer.write({ columnData: columns, rowGroupSize: 3, pageSize: 1e9 });
    for (const group of writer.row_groups)
      for (const { meta_data } of group.columns) meta_data!.total_uncompressed_size = 10n;
    writer.finish();
    const file = Buffer.from(bytes.getBuffer());
    expect(file.length).toBeLessThan(200_000);
    writeFileSync(path, file);
    await expect(parquetHead(path, 1)).rejects.toThrow('A row group of 3 rows is too large.');
  });

  test('a row group of more rows than fit in memory is refused, and says what to do', async () => {
    write({
      columnData: [{ name: 'a', data: new Int32Array(4_000_001), type: 'INT32' }],
      rowGroupSize: 5_000_000,
    });
    await expect(parquetHead(path, 1)).rejects.toThrow(
      'A row group of 4,000,001 rows is too large. Save the file with up to 1,000,000 rows per group.',
    );
  });

  test('lists, structures, numbers, flags and times are texts as a CSV file would have them', async () => {
    write({
      columnData: [
        { name: 'list', data: [['a', 'b'], []], type: 'JSON' },
        { name: 'number', data: [7n, 8n], type: 'INT64' },
        { name: 'flag', data: [true, false], type: 'BOOLEAN' },
        { name: 'at', data: [new Date('2026-03-10T15:00:00Z'), null], type: 'TIMESTAMP', nullable: true },
        { name: 'bytes', data: [new Uint8Array([1, 255]), new Uint8Array()], type: 'BYTE_ARRAY' },
        { name: 'untyped', data: [Buffer.from('é'), Buffer.from('é')], type: 'BYTE_ARRAY' },
      ] as Given['columnData'],
    });
    expect(await rows()).toEqual([
      ['a,b', '7', 'true', '2026-03-10T15:00:00.000Z', '01ff', 'é'],
      ['', '8', 'false', '', '', 'é'],
    ]);
  });
});
