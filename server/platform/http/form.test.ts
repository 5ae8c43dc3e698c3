import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readForm } from './form.ts';

const read = (body: string, type = 'multipart/form-data; boundary=x') =>
  readForm(
    Object.assign(Readable.from([Buffer.from(body)]), {
      headers: { 'content-type': type },
    }) as unknown as IncomingMessage,
    8 * 1024 * 1024,
  );
const part = (name: string, value: string, more = '') =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a multipart form', () => {
  test('has texts and files, whatever its boundary is written like', async () => {
    const body = `${part('a', 'one')}${part('b', 'two\r\n\r\n--three', '; filename="b.csv"')}--x--\r\n`;
    for (const type of [
      'multipart/form-data; boundary=x',
      'multipart/form-data;boundary="x"',
      'Multipart/Form-Data; boundary=x',
    ]) {
      const form = await read(body, type);
      expect([form.texts, form.fileNames, Buffer.from(form.files.b!).toString()]).toEqual([
        { a: 'one' },
        { b: 'b.csv' },
        'two\r\n\r\n--three',
      ]);
    }
    const real = new Response(
      Object.entries({ a: '1', b: '2' }).reduce((form, [name, value]) => {
        form.append(name, value);
        return form;
      }, new FormData()),
    );
    const sent = await read(await real.text(), real.headers.get('content-type')!);
    expect(sent.texts).toEqual({ a: '1', b: '2' });
  });

  test('of many parts, or with much said of one, is refused before anyone goes through it', async () => {
    const parser = vi.spyOn(Response.prototype, 'formData');
    const many = Array.from({ length: 61 }, (_, i) => part(`a${i}`, '')).join('');
    for (const body of [
      `${many}--x--\r\n`,
      `--x\r\n${'a: b\r\n'.repeat(25_000)}${part('a', '').slice(5)}--x--\r\n`,
      `${part('a', '')}${part('n'.repeat(140_000), '')}--x--\r\n`,
      `--x\r\n${'a'.repeat(140_000)}`,
    ])
      await expect(read(body)).rejects.toMatchObject({ code: 'bad_request' });
    const parts = part('a', '', '; filename="b"').repeat(1_000);
    for (const body of [
      `${part('--x--', 'v')}${parts}--x--\r\n`,
      `${part('a', '--x--')}${parts}--x--\r\n`,
      `--x--\r\n${parts}--x--\r\n`,
      `${part('--x--', 'v')}--x\r\n${'a: b\r\n'.repeat(25_000)}${part('a', '').slice(5)}--x--\r\n`,
    ])
      await expect(read(body)).rejects.toMatchObject({ code: 'bad_request' });
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x; boundary=y', 'text/plain'])
      await expect(read('', type)).rejects.toMatchObject({ code: 'bad_request' });
    expect(parser).not.toHaveBeenCalled();
  });

  test('has no more parts for the parser than it may have, whatever its bytes are', async () => {
    const token = fc.constantFrom(
      ...['--x', '--x--', 'x', '--', '\r\n', '\r\n\r\n', 'a', '"', ': ', '; filename="b"'],
      ...['Content-Disposition: form-data; name="a"', 'X: ', part('a', 'v'), part('--x--', 'v')],
    );
    const text = fc.array(token, { maxLength: 4 }).map((tokens) => tokens.join(''));
    const name = fc.oneof(fc.constantFrom('a', '--x--'), text);
    await fc.assert(
      fc.asyncProperty(
        fc.array(name, { maxLength: 3 }),
        text,
        text,
        text,
        async (names, before, unit, end) => {
          const parsed = vi.spyOn(Response.prototype, 'formData');
          const body = `${names.map((one) => part(one, '')).join('')}${before}${part('a', unit).repeat(70)}${end}--x--\r\n`;
          await read(body).catch(() => {});
          for (const result of parsed.mock.results) {
            const form = await (result.value as Promise<FormData>).catch(() => new FormData());
            expect([...form].length).toBeLessThanOrEqual(60);
          }
          parsed.mockRestore();
        },
      ),
      { numRuns: 300 },
    );
  });
});
