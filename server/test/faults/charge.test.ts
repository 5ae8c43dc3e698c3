import { expect, inject, test } from 'vitest';
import { createTestDatabase } from '../template.ts';
import { killInCharge } from './charge.ts';

test('[PAY-02] kill -9 at every step of a charge: money is taken and booked once, and nothing stays open', async () => {
  const database = await createTestDatabase(inject('adminUrl'));
  try {
    const report = await killInCharge(database.url, { kills: 20, seed: 1 });
    expect(report).toEqual({
      killed: 20,
      open: 16,
      unresolved: 0,
      network: 2000,
      charges: 2000,
      ledger: 2000,
      wrong: [],
    });
  } finally {
    await database.drop();
  }
}, 180_000);
