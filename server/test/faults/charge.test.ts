import { expect, inject, test } from 'vitest';
import { createTestDatabase } from '../template.ts';
import { killInCharge } from './charge.ts';

test('[PAY-02] kill -9 at every step of a charge, 20 times each: money is taken and booked once, and nothing stays open', async () => {
  const database = await createTestDatabase(inject('adminUrl'));
  try {
    const report = await killInCharge(database.url, { kills: 100, seed: 1 });
    expect(report).toEqual({
      killed: 100,
      open: 80,
      unresolved: 0,
      network: 10_000,
      charges: 10_000,
      ledger: 10_000,
      wrong: [],
      broken: [],
    });
  } finally {
    await database.drop();
  }
}, 600_000);
