import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPoll } from './poll.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('[EXCL-02] progress', () => {
  test('is asked 2 s after the upload, then every 2 s until nothing is under way', async () => {
    const left = [true, true, false];
    const ask = vi.fn(async () => left.shift()!);
    const poll = createPoll(ask);
    poll.start();
    await vi.advanceTimersByTimeAsync(1999);
    expect(ask).toHaveBeenCalledTimes(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(ask).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(4000);
    expect(ask).toHaveBeenCalledTimes(3);
    expect(poll.isOn).toBe(false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ask).toHaveBeenCalledTimes(3);
  });

  test('an answer that takes its time is not asked for twice, and a failure is asked again', async () => {
    let answer: (underWay: boolean) => void = () => {};
    const ask = vi
      .fn<() => Promise<boolean>>()
      .mockImplementationOnce(() => new Promise((done) => (answer = done)))
      .mockRejectedValueOnce(new Error('away'))
      .mockResolvedValueOnce(false);
    const poll = createPoll(ask);
    poll.start();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(ask).toHaveBeenCalledTimes(1);
    answer(true);
    await vi.advanceTimersByTimeAsync(4000);
    expect(ask).toHaveBeenCalledTimes(3);
  });

  test('[EXCL-06] closing ends it, also while an answer is awaited', async () => {
    let answer: (underWay: boolean) => void = () => {};
    const ask = vi.fn(() => new Promise<boolean>((done) => (answer = done)));
    const poll = createPoll(ask);
    poll.start();
    await vi.advanceTimersByTimeAsync(2000);
    poll.stop();
    answer(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
