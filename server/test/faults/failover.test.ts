import { expect, test } from 'vitest';
import { killPrimary } from './failover.ts';

test('[SCAL-01] kill -9 of the primary database under load: what was acknowledged is on the other host, once', {
  timeout: 600_000,
}, async () => {
  const report = await killPrimary({ kills: 1, seed: 1 });
  expect(report.visits).toBeGreaterThan(20);
  expect(report.postings).toBeGreaterThan(20);
  expect(report).toMatchObject({
    lostVisits: [],
    twice: 0,
    lostPostings: [],
    extraPostings: 0,
    unhelpful: 0,
    broken: [],
  });
  expect(Object.keys(report.answers).filter((status) => !['0', '204', '503'].includes(status))).toEqual([]);
});
