import { expect, inject, test } from 'vitest';
import { createTestDatabase } from '../database.ts';
import { killWorker } from './worker.ts';

test('kill -9 of the worker while it makes and delivers leads: none twice, none lost, each with its debit and its deliveries', {
  timeout: 600_000,
}, async () => {
  const kills = 1;
  const database = await createTestDatabase(inject('adminUrl'));
  try {
    const report = await killWorker(database.url, { kills, seed: 2 });
    expect(report.broken).toEqual({});
    expect(report.leads).toBe(report.expected);
    expect(report.leads).toBeGreaterThan(100);
    expect(report).toMatchObject({ forged: 0, mistold: 0, messages: report.deliveries });
    // A kill between sending and recording shows on the wire: at most one duplicate message for each of the four
    // webhooks.
    expect(report.wire - report.messages).toBeLessThanOrEqual(kills * 4);
  } finally {
    await database.drop();
  }
});
