import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalEmail } from '../../../platform/contacts.ts';
import { phoneHash } from '../exclusions/policy.ts';
import * as policy from './policy.ts';

test.each([
  // Published with the service's technical specifications.
  ['+1(415)555-9317', 'vGM7y5n+hBXRSEAklhHDPCbysyNgYTmXdMcagGUOY8E='],
  ['+84(90)123 4567', 'ptzVkgbv9DonwvPCHmXmJ2SEOaolSh37z3ZzY/Gmm+U='],
  ['+354(123)4567', 'Btrzydf5K6ALAKKXJGFHSx7u5bDzHC9WlVYtpq1n2rY='],
  ['5551273811', 'jr/RAWYVN+ODBf2vRxwBASPwiO4x27OGI1y3IDhcwLo='],
])('[BEY-07] a number is hashed as California does: %s', (phone, hash) => {
  expect(phoneHash(phone).toString('base64')).toBe(hash);
});

test.each([
  ['Anna.Smith@Domain.com', 'KA18MT/ph6IHYjzT9zwETySDQyvSh87YuoSBpOQtkhE='],
  ['danielle.johnson12@example.com', 'mKDnDvwF2inxrKcK1hJN2TRkxPfL6kzNNTtU12eH8Bw='],
])('[BEY-07] an address is hashed in the graph as California does: %s', (email, hash) => {
  expect(createHash('sha256').update(normalEmail(email)!).digest('base64')).toBe(hash);
});

test('[BEY-07] rows of lists are read exactly, others are none', () => {
  const hash = 'KA18MT/ph6IHYjzT9zwETySDQyvSh87YuoSBpOQtkhE=';
  expect(policy.readRow(`A7kP2xQ9Lm4R,${hash}`, false)).toEqual({
    id: 'A7kP2xQ9Lm4R',
    hash: Buffer.from(hash, 'base64'),
  });
  expect(policy.readRow(`A7kP2xQ9Lm4R,${hash},Email`, true)?.list).toBe('Email');
  for (const [line, removed] of [
    [`A7kP2xQ9Lm4,${hash}`, false],
    [`A7kP2xQ9Lm4R,${hash.slice(1)}`, false],
    [`A7kP2xQ9Lm4R,${hash},Email`, false],
    [`A7kP2xQ9Lm4R,${hash}`, true],
    [`A7kP2xQ9Lm4R,${hash},Removed`, true],
    ['', false],
  ] as const)
    expect([line, policy.readRow(line, removed)]).toEqual([line, null]);
});

test('[BEY-07] names of files say what they hold', () => {
  expect(policy.fileOf('20260312_4821_Email.csv')).toEqual({ base: '20260312_4821', holds: 'Email' });
  expect(policy.fileOf('20260312_4821_Removed.csv')?.holds).toBe('Removed');
  for (const name of ['Email.csv', '20260312_4821_Other.csv', '../20260312_4821_Email.csv'])
    expect(policy.fileOf(name)).toBeNull();
  expect(policy.baseOf('20260312_4821_DROP.zip')).toBe('20260312_4821');
  expect(policy.answerName('20260312_4821', 'Email', 2, true)).toBe('20260312_4821_Email_fix002.csv');
});

test('[BEY-07] warnings come once a day, from ten days before the deadline on', () => {
  const DAY = 86_400_000;
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 60 * DAY }),
      fc.option(fc.integer({ min: 0, max: 3 * DAY })),
      (passed, ago) => {
        const from = new Date('2026-08-01T00:00:00Z');
        const now = new Date(from.getTime() + passed);
        const due = policy.dueAfter(from);
        const warns = policy.warns(due, ago === null ? null : new Date(now.getTime() - ago), now);
        expect(warns).toBe(passed >= 35 * DAY && (ago === null || ago >= DAY));
      },
    ),
  );
});

test('[BEY-07] one person is deleted, several who share an identifier are opted out', () => {
  expect([0, 1, 2, 9].map(policy.statusOf)).toEqual([5, 3, 4, 4]);
});
