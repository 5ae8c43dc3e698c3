import { expect, test, vi } from 'vitest';
import { announceResize } from './resize.ts';

test('[CNST-01] the sidebar announces its size every 180 ms for 1 s', () => {
  vi.useFakeTimers();
  try {
    const target = new EventTarget();
    const begin = Date.now();
    const at: number[] = [];
    target.addEventListener('resize', () => at.push(Date.now() - begin));
    announceResize(target);
    vi.advanceTimersByTime(5000);
    expect(at).toEqual([180, 360, 540, 720, 900]);
  } finally {
    vi.useRealTimers();
  }
});
