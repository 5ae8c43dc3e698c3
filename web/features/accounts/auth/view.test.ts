import { expect, test } from 'vitest';
import { reasonFault, timeLeft } from './view.ts';

test('[BEY-12] the time left is read like a clock and never negative', () => {
  expect([1800, 1799, 65, 5, 0, -3].map(timeLeft)).toEqual([
    '30:00',
    '29:59',
    '1:05',
    '0:05',
    '0:00',
    '0:00',
  ]);
});

test('[BEY-12] a reason has 5 to 255 characters, spaces around it not counted', () => {
  for (const good of ['12345', '  12345 ', 'x'.repeat(255)]) expect(reasonFault(good)).toBeNull();
  for (const bad of ['', '1234', '  1234  ', 'x'.repeat(256)]) expect(reasonFault(bad)).not.toBeNull();
});
