import { expect, inject, test } from 'vitest';
import { createTestDatabase } from '../database.ts';
import { killInCharge } from './charge.ts';

test('[PAY-02] kill -9 at every step of a charge, of a top-up and of an invoice: money is taken and booked once, and nothing stays open', async () => {
  const database = await createTestDatabase(inject('adminUrl'));
  try {
    const report = await killInCharge(database.url, { kills: 10, seed: 1 });
    expect(report).toEqual({
      killed: 10,
      open: 8,
      unresolved: 0,
      network: 1_000,
      charges: 1_000,
      ledger: 1_000,
      wrong: [],
      broken: [],
    });
  } finally {
    await database.drop();
  }
});
