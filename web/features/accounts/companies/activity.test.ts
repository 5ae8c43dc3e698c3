import { expect, test } from 'vitest';
import { activityParts, stateWords } from './activity.ts';

const now = new Date('2026-11-22T12:00:00Z');
const quiet = { last_lead_at: null, balance_micros: null, failing: '' as const, failing_since: null };
const words = (kind: 'agency' | 'client', given: object) =>
  activityParts({ kind, activity: { ...quiet, ...given } }, now).map((part) => part.words);

test('[AGCY-01] the line says what fails before anything else, then the last lead and the balance', () => {
  const given = {
    last_lead_at: '2026-11-22T10:00:00Z',
    balance_micros: 120_000_000,
    failing: 'payment',
    failing_since: '2026-11-03T12:00:00Z',
  };
  expect(words('agency', given)).toEqual(['Payment failing since Nov 3', 'Last lead', 'Wallet $120.00']);
  const [failing, lead] = activityParts({ kind: 'agency', activity: given as never }, now);
  expect([failing?.tone, lead?.at]).toEqual(['bad', '2026-11-22T10:00:00Z']);
});

test.each([
  ['agency', {}, ['No leads yet']],
  ['client', { balance_micros: 0 }, ['No leads yet', 'Prepaid $0.00']],
  ['agency', { failing: 'topup', failing_since: null }, ['Top-up failing', 'No leads yet']],
  [
    'client',
    { failing: 'payment', failing_since: '2025-12-31T12:00:00Z' },
    ['Payment failing since Dec 31, 2025', 'No leads yet'],
  ],
] as const)('an %s of %j', (kind, given, meant) => expect(words(kind, given)).toEqual(meant));

test('[AGCY-01] what is set for an agency is told beneath its name', () => {
  const row = {
    kind: 'agency',
    activity: { ...quiet, balance_micros: 0 },
    white_labelling: 'F',
    beta_user: 'T',
    plan_name: 'Growth',
    excluded_minimum_spend: 1,
  } as const;
  expect(stateWords(row).map((one) => one.words)).toEqual([
    'Out of balance',
    'No white label',
    'Beta features',
    'Plan: Growth',
    'No minimum spend',
  ]);
  expect(stateWords({ ...row, kind: 'client' })).toEqual([]);
});

test('[ROLE-02] who is not told sees no line, not an empty one', () => {
  expect(activityParts({ kind: 'agency', activity: null }, now)).toEqual([]);
});
