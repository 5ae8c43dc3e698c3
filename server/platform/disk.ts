import { statfs } from 'node:fs/promises';

/** Says why work on files waits; told where people look for its outcome. */
export const DISK_FULL =
  'The server disk is full, so this is waiting. It continues automatically once there is space.';

/** With less than this the next write may fail, and PostgreSQL needs it to end in order. */
const LEAST_FREE = 32 * 1024 * 1024;
/** For so long after a write that failed the disk counts as full, though nothing else tells (an external database). */
const AFTER_MS = 60_000;

let failedAt = Number.NEGATIVE_INFINITY;

/** Whether an error means that a disk is full, PostgreSQL's or that of our files; notes it for `diskState`. */
export function isDiskFull(error: unknown): boolean {
  const { code, message, cause } = (error ?? {}) as { code?: string; message?: string; cause?: unknown };
  const is =
    code === '53100' ||
    code === 'ENOSPC' ||
    code === 'EDQUOT' ||
    /No space left on device/.test(message ?? '') ||
    (cause !== undefined && cause !== error && isDiskFull(cause));
  if (is) failedAt = performance.now();
  return is;
}

/** Whether the disk is full, by what is free at the data folder and by the writes of the last minute. */
export async function diskState(dataDir: string): Promise<'full' | 'fine'> {
  if (performance.now() - failedAt < AFTER_MS) return 'full';
  const { bavail, bsize } = await statfs(dataDir).catch(() => ({
    bavail: Number.MAX_SAFE_INTEGER,
    bsize: 1,
  }));
  return bavail * bsize < LEAST_FREE ? 'full' : 'fine';
}

const saidAt = new Map<string, number>();

/** Whether a line that may repeat itself is to be written now: once a minute for each key. */
export function onceAMinute(key: string, now = performance.now()): boolean {
  if (now - (saidAt.get(key) ?? Number.NEGATIVE_INFINITY) < 60_000) return false;
  saidAt.set(key, now);
  return true;
}
