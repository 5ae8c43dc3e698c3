import { expect, test } from 'vitest';
import { dayTyped } from './DayInput.tsx';

test('[UX-05] a day can be typed the way people write it; what is no day is none', () => {
  for (const text of [
    '2027-01-05',
    ' 1/5/2027 ',
    '01/05/2027',
    'Jan 5, 2027',
    'january 5 2027',
    'Jan. 5, 2027',
  ])
    expect([text, dayTyped(text)]).toEqual([text, '2027-01-05']);
  for (const text of ['', 'soon', '2027-02-30', '13/1/2027', 'Foo 1, 2027', '5.1.2027', '2027'])
    expect([text, dayTyped(text)]).toEqual([text, null]);
});
