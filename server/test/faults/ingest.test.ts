import { expect, inject, test } from 'vitest';
import { createTestDatabase } from '../database.ts';
import { killDuringIngest } from './ingest.ts';

test('kill -9 of the server during ingest: every acknowledged visit is there exactly once', {
  timeout: 600_000,
}, async () => {
  const database = await createTestDatabase(inject('adminUrl'));
  try {
    const report = await killDuringIngest(database.url, { kills: 1, seed: 1 });
    expect(report.cut, 'no request was under way when the server was killed').toBeGreaterThan(0);
    expect(report.acknowledged).toBeGreaterThan(20);
    expect(report).toMatchObject({ lost: [], unknown: 0, rows: report.acknowledged });
    expect(Object.keys(report.answers).filter((status) => !['0', '204', '503'].includes(status))).toEqual([]);
  } finally {
    await database.drop();
  }
});
