import { expect, test, vi } from 'vitest';
import { CHUNK_TIMEOUT_MS, withinTime } from './chunk.ts';

test('[CNST-01] a chunk may take 120 s and no longer', async () => {
  vi.useFakeTimers();
  try {
    const late = withinTime(() => new Promise<string>((done) => setTimeout(() => done('page'), 119_000)));
    const never = withinTime(() => new Promise<string>(() => {}));
    const refusal = expect(never).rejects.toThrow('is taking too long');
    await vi.advanceTimersByTimeAsync(119_000);
    await expect(late).resolves.toBe('page');
    await vi.advanceTimersByTimeAsync(CHUNK_TIMEOUT_MS);
    await refusal;
    expect(CHUNK_TIMEOUT_MS).toBe(120_000);
  } finally {
    vi.useRealTimers();
  }
});

test('a chunk that cannot be loaded fails at once', async () => {
  await expect(withinTime(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
});
