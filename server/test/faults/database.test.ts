import { expect, test } from 'vitest';
import { restartDatabase } from './database.ts';

test('database crash and restart under load: only 204, or 503 with Retry-After; the server lives, is ready again, nothing acknowledged is lost', {
  timeout: 600_000,
}, async () => {
  const report = await restartDatabase({ kills: 1, seed: 3 });
  expect(report).toMatchObject({
    lost: [],
    unhelpful: 0,
    unexpected: [],
    alive: true,
    readyAgain: true,
    rows: report.acknowledged,
  });
  expect(report.turnedAway, 'the load never met the restart').toBeGreaterThan(0);
  expect(report.ready).toEqual([200, 503, 200]);
});
