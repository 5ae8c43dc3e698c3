import { expect, inject, test } from 'vitest';
import { createTestDatabase } from '../template.ts';
import { killInCharge } from './charge.ts';

test('[PAY-02] kill -9 at every step of a charge, 8 times each: money is taken and booked once, and nothing stays open', async () => {
  const database = await createTestDatabase(inject('adminUrl'));
  try {
    const report = await killInCharge(database.url, { kills: 40, seed: 1 });
    expect(report).toEqual({
      killed: 40,
      open: 32,
      unresolved: 0,
      network: 4_000,
      charges: 4_000,
      ledger: 4_000,
      wrong: [],
      broken: [],
    });
  } finally {
    await database.drop();
  }
});
