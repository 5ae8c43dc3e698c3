import { expect, inject, test } from 'vitest';
import { createTestDatabase } from '../database.ts';
import { killSpool } from './spool.ts';

test('[BEY-29] [SCAL-02] the database is away and the ingest is killed (-9), and starts again without it: visits are accepted all the time, and each is there once in the end', {
  timeout: 600_000,
}, async () => {
  const database = await createTestDatabase(inject('adminUrl'));
  try {
    const report = await killSpool(database.url, { kills: 1, seed: 5 });
    expect(report).toMatchObject({ lost: [], rows: report.acknowledged, readyAway: new Set([200]) });
    expect(report.acknowledgedAway).toBeGreaterThan(100);
    expect(Object.keys(report.answers).filter((status) => !['0', '204'].includes(status))).toEqual([]);
  } finally {
    await database.drop();
  }
});
