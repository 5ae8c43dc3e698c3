import { expect, inject, test } from 'vitest';
import { createTestDatabase } from '../template.ts';
import { killInCharge } from './charge.ts';

test('[PAY-02] kill -9 at every step of a charge, 3 times each: money is taken and booked once, and nothing stays open', async () => {
  const database = await createTestDatabase(inject('adminUrl'));
  try {
    const report = await killInCharge(database.url, { kills: 15, seed: 1 });
    expect(report).toEqual({
      killed: 15,
      open: 12,
      unresolved: 0,
      network: 1_500,
      charges: 1_500,
      ledger: 1_500,
      wrong: [],
      broken: [],
    });
  } finally {
    await database.drop();
  }
});
