import { describe, expect, test } from 'vitest';
import { fieldOf } from './columns.policy.ts';
import { dncColumns, readDnc } from './dnc.policy.ts';
import { scrubDate } from './scrub.policy.ts';

const noMarks = () => ({
  yes: new Set<string>(),
  no: new Set<string>(),
  dates: new Map<string, number | null>(),
});
const plan = (header: string[]) => header.map(fieldOf);
const named = (header: string[]) =>
  Object.fromEntries(
    dncColumns(header, plan(header)).map(({ at, phones }) => [header[at], phones.map((i) => header[i])]),
  );

describe('[BEY-27] do-not-call columns', () => {
  test('each speaks of the numbers that it is named after, or of all', () => {
    expect(
      named([
        'Mobile Phone',
        'Mobile Phone DNC',
        'DIRECT_NUMBER',
        'DIRECT_NUMBER_DNC',
        'SKIPTRACE_WIRELESS_NUMBERS',
        'Skiptrace DNC',
        'COMPANY_PHONE',
        'COMPANY_PHONE_DNC',
        'DNC',
      ]),
    ).toEqual({
      'Mobile Phone DNC': ['Mobile Phone'],
      DIRECT_NUMBER_DNC: ['DIRECT_NUMBER'],
      'Skiptrace DNC': ['SKIPTRACE_WIRELESS_NUMBERS'],
      COMPANY_PHONE_DNC: ['COMPANY_PHONE'],
      DNC: ['Mobile Phone', 'DIRECT_NUMBER', 'SKIPTRACE_WIRELESS_NUMBERS'],
    });
    expect(named(['Mobile_Phone_1', 'Mobile_Phone_2', 'Mobile_Phone_2_DNC', 'Mobile Phone DNC'])).toEqual({
      Mobile_Phone_2_DNC: ['Mobile_Phone_2'],
      'Mobile Phone DNC': ['Mobile_Phone_1', 'Mobile_Phone_2'],
    });
    expect(named(['phone', 'Skiptrace DNC'])).toEqual({ 'Skiptrace DNC': ['phone'] });
    // The number that it refers to is not used.
    expect(dncColumns(['phone', 'Cell', 'Cell DNC'], ['phone', 'ignore', 'phone_dnc'])).toEqual([
      { at: 2, phones: [] },
    ]);
  });

  test.each([
    ['Y', '504-621-8927, 504-845-1427', ['8927', '1427'], []],
    ['N,Y', '504-621-8927, 504-845-1427', ['1427'], ['8927']],
    ['N,Y,N', '504-621-8927, 504-845-1427', ['8927', '1427'], []],
    ['0', '504-621-8927', [], ['8927']],
    ['On DNC list', '504-621-8927', ['8927'], []],
    ['', '504-621-8927', [], []],
    ['Y', 'none', [], []],
  ])('%j of %j', (mark, phones, yes, no) => {
    const marks = noMarks();
    readDnc([phones, mark], [{ at: 1, phones: [0] }], 'US', marks, () => expect.unreachable());
    const ends = (numbers: Set<string>) => [...numbers].map((number) => number.slice(-4));
    expect([ends(marks.yes), ends(marks.no)]).toEqual([yes, no]);
  });

  test('what is neither yes nor no is told, and counts as yes', () => {
    const marks = noMarks();
    const unclear: string[] = [];
    readDnc(['504-621-8927', 'perhaps'], [{ at: 1, phones: [0] }], 'US', marks, (text) => unclear.push(text));
    expect([[...marks.yes], unclear]).toEqual([['+15046218927'], ['perhaps']]);
  });

  test('when numbers were compared: the earliest date of a row, and of several rows; nothing if it is unclear', () => {
    const now = Date.parse('2026-03-10T12:00:00Z');
    const unclear: string[] = [];
    const date = (...cells: string[]) =>
      scrubDate(
        cells,
        cells.map((_, at) => at),
        now,
        (text) => unclear.push(text),
      );
    expect([date(), date(''), date('2026-03-01', ''), date('3/2/2026', '2026-03-01')]).toEqual([
      undefined,
      undefined,
      Date.parse('2026-03-01'),
      Date.parse('2026-03-01'),
    ]);
    expect([date('soon', '2026-03-01'), date('2027-01-01')]).toEqual([null, null]);
    expect(unclear).toEqual(['soon', '2027-01-01']);

    const marks = noMarks();
    const read = (mark: string, at: number | null | undefined) =>
      readDnc([mark, '504-621-8927'], [{ at: 0, phones: [1] }], 'US', marks, () => expect.unreachable(), at);
    read('N', undefined);
    expect(marks.dates.size).toBe(0);
    read('N', 2000);
    read('Y', 1000);
    expect([...marks.dates.values()]).toEqual([1000]);
    read('N', null);
    read('N', 500);
    expect([...marks.dates.values()]).toEqual([null]);
  });
});
