import { expect, inject, test } from 'vitest';
import { createTestDatabase } from '../database.ts';
import { killInImports } from './import.ts';

test('[IDEN-03] [KEYW-01] kill -9 in imports of people and signals and in a count: the next worker ends each as one run would have', {
  timeout: 600_000,
}, async () => {
  const database = await createTestDatabase(inject('adminUrl'));
  try {
    const report = await killInImports(database.url, {
      kills: 1,
      seed: 1,
      rows: 50_000,
      kinds: ['people', 'csv', 'parquet', 'count'],
    });
    expect(report).toEqual({ cut: { people: 1, csv: 1, parquet: 1, count: 1 }, broken: [] });
  } finally {
    await database.drop();
  }
});
