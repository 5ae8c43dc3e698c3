import { vi } from 'vitest';

const real = performance.now.bind(performance);
let passed = 0;

/** Lets as much time pass as any cache may keep what has changed in another process, or in the database itself. */
export function outliveCaches(): void {
  passed += 5_000;
  vi.spyOn(performance, 'now').mockImplementation(() => real() + passed);
}
