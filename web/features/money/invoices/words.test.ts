import { describe, expect, test } from 'vitest';
import { cardWords, kindWords, periodWords, standing } from './words.ts';

describe('invoices in words', () => {
  test('a period ends with its last day, in its own zone', () => {
    const week = ['2026-11-02T06:00:00.000Z', '2026-11-09T06:00:00.000Z'] as const;
    expect(periodWords(...week, 'America/Chicago')).toBe('Nov 2 – 8, 2026');
    expect(periodWords('2026-11-01T05:00:00.000Z', '2026-12-01T06:00:00.000Z', 'America/Chicago')).toBe(
      'Nov 1 – 30, 2026',
    );
    expect(periodWords('2026-11-02T06:00:00.000Z', '2026-11-03T06:00:00.000Z', 'America/Chicago')).toBe(
      'Nov 2, 2026',
    );
    expect(periodWords(null, week[1], 'America/Chicago')).toBe('through Nov 8, 2026');
    expect(periodWords(null, null, 'UTC')).toBe('');
  });
  test('an open invoice whose charge was declined is failing', () => {
    expect(standing({ status: 'open', is_failing: true }).word).toBe('Failing');
    expect(standing({ status: 'open', is_failing: false }).word).toBe('Open');
    expect(standing({ status: 'uncollectible', is_failing: false }).word).toBe('Uncollectible');
  });
  test('kinds and cards', () => {
    expect(kindWords({ kind: 'period', term: 'Weekly' })).toBe('Weekly invoice');
    expect(kindWords({ kind: 'receipt', term: 'Prepaid' })).toBe('Top-up receipt');
    expect(cardWords('visa 4242')).toBe('Visa ending in 4242');
    expect(cardWords('')).toBe('No card');
  });
});
