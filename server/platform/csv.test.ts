import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine } from './csv.ts';

describe('csvLine', () => {
  it('quotes after RFC 4180', () => {
    expect(csvLine(['a', 'b,c', 'say "hi"', 'two\r\nlines', null, undefined, 5, 7n, true])).toBe(
      'a,"b,c","say ""hi""","two\r\nlines",,,5,7,true\r\n',
    );
    expect(csvLine([new Date('2026-01-02T03:04:05Z')])).toBe('2026-01-02T03:04:05.000Z\r\n');
  });

  it.each([
    '=1+1',
    '+cmd|calc',
    '-2+3',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '\0=1',
    ';=1',
    '\u00a0=1',
    '\u3000+1',
    '；=1',
    '  =1',
    '＝1',
    '＋1',
    '－1',
    '＠a',
    '+1 504 555 0100=HYPERLINK("x")',
  ])('does not let %j be a formula', (text) => {
    const [[cell]] = parse(csvLine([text, 'x'])) as [[string]];
    expect(cell).toBe(`'${text}`);
  });

  it('[BEY-31] quotes what spreadsheets of some countries part cells by', () => {
    expect(csvLine(['a;=1', 'b\t=1', 'c;d', 'plain'])).toBe('"a;=1","b\t=1","c;d",plain\r\n');
  });

  it.each(['+15046218927', '+1 (504) 621-8927', '-5', '-12.50', '70116', "O'Neil", 'a=b'])(
    'leaves %j as it is',
    (text) => {
      const [[cell]] = parse(csvLine([text, 'x'])) as [[string]];
      expect(cell).toBe(text);
    },
  );

  it('is read back whole by a CSV reader, whatever the cells hold', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 2, maxLength: 6 }), (cells) => {
        const [read] = parse(csvLine(cells)) as string[][];
        expect(read).toHaveLength(cells.length);
        for (const [i, cell] of cells.entries()) expect([cell, `'${cell}`]).toContain(read![i]);
      }),
    );
  });
});
