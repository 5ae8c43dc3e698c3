import { expect, test } from 'vitest';
import { Dunning } from '../../../../contract/accounts/settings.ts';
import { daysFault, daysOf } from './dunning.ts';

test.each([
  ['1, 3, 5, 7', null],
  ['2', null],
  ['1 3,14', null],
  ['', 'Enter at least one day'],
  ['1,2,3,4,5,6,7,8,9,10,11', 'Enter up to 10 days'],
  ['0', 'Enter whole numbers of days from 1 to 30'],
  ['1.5', 'Enter whole numbers of days from 1 to 30'],
  ['31', 'Enter whole numbers of days from 1 to 30'],
  ['-1', 'Enter whole numbers of days from 1 to 30'],
  ['3, 3', 'Enter the days in ascending order, each only once'],
  ['5, 3', 'Enter the days in ascending order, each only once'],
])('[PAY-05] the retry days %j: %s, as the call has it', (text, fault) => {
  expect(daysFault(text)).toBe(fault);
  expect(Dunning.safeParse({ retry_days: daysOf(text) }).success).toBe(fault === null);
});
