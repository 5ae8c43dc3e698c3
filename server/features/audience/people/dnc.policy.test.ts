import { describe, expect, test } from 'vitest';
import { fieldOf } from './columns.policy.ts';
import { dncColumns, readDnc } from './dnc.policy.ts';

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
    const marks = { yes: new Set<string>(), no: new Set<string>() };
    readDnc([phones, mark], [{ at: 1, phones: [0] }], 'US', marks, () => expect.unreachable());
    const ends = (numbers: Set<string>) => [...numbers].map((number) => number.slice(-4));
    expect([ends(marks.yes), ends(marks.no)]).toEqual([yes, no]);
  });

  test('what is neither yes nor no is told, and counts as yes', () => {
    const marks = { yes: new Set<string>(), no: new Set<string>() };
    const unclear: string[] = [];
    readDnc(['504-621-8927', 'perhaps'], [{ at: 1, phones: [0] }], 'US', marks, (text) => unclear.push(text));
    expect([[...marks.yes], unclear]).toEqual([['+15046218927'], ['perhaps']]);
  });
});
