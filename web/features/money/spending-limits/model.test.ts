import { describe, expect, test } from 'vitest';
import { amountOf, limitFaults, nameOf, spentOf } from './model.ts';

const good = { subject: 'client', subject_id: 'x', period: 'day', hard: '50', soft: '40' } as const;

describe('[BEY-03] the limits page', () => {
  test.each([
    [{}, {}],
    [{ soft: '' }, {}],
    [{ hard: '' }, {}],
    [{ hard: '', soft: '' }, { hard: 'Enter an amount here or a notification amount' }],
    [{ soft: '50.01' }, { soft: 'Enter an amount up to the one at which spending stops' }],
    [{ hard: '0', soft: '' }, {}],
    [{ hard: '50.0000001' }, { hard: 'Use up to 6 decimal places' }],
    [{ subject_id: '' }, { subject_id: 'Choose a client' }],
  ])('%o: %o', (change, faults) => expect(limitFaults({ ...good, ...change })).toEqual(faults));

  test.each([
    [{ hard: '50', soft: '40', spent: '12.50' }, 0.25, 'below', '$12.50 of $50.00'],
    [{ hard: '50', soft: '40', spent: '40' }, 0.8, 'told', '$40.00 of $50.00'],
    [{ hard: '50', soft: null, spent: '50' }, 1, 'reached', '$50.00 of $50.00'],
    [{ hard: null, soft: '10', spent: '25' }, 1, 'told', '$25.00 of $10.00'],
    [{ hard: '0', soft: null, spent: '0.00' }, 1, 'reached', '$0.00 of $0.00'],
  ])('%o is used to %d (%s, %s)', (limit, share, state, words) =>
    expect(spentOf(limit)).toEqual({ share, state, words }),
  );

  test('names and amounts', () => {
    expect(nameOf({ subject: 'client', name: 'Acme' })).toBe('All campaigns of Acme');
    expect(nameOf({ subject: 'wallet', name: 'Acme' })).toBe('Data Wallet');
    expect([amountOf(''), amountOf('.5'), amountOf('50')]).toEqual([null, '0.5', '50']);
  });
});
