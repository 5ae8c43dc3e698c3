import { statfs } from 'node:fs/promises';

/** Says why work on files is waiting; shown where users look for its result. */
export const DISK_FULL =
  'The server disk is full, so this is waiting. It continues automatically once there is space.';

/** Below this, the next write may fail; PostgreSQL needs the space for an orderly shutdown. */
const LEAST_FREE = 32 * 1024 * 1024;
/** What uploaded files, and what is made of them, leave of the disk for everything else. */
const RESERVE = 512 * 1024 * 1024;
/** How long the disk counts as full after a failed write, even if nothing else shows it (an external database). */
const AFTER_MS = 60_000;

let failedAt = Number.NEGATIVE_INFINITY;

/**
 * Returns whether an error means that a disk is full, PostgreSQL's or that of our files; records it for `diskState`.
 */
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

/** Returns whether the disk is full, based on the free space at the data folder and the writes of the last minute. */
export async function diskState(dataDir: string): Promise<'full' | 'fine'> {
  return performance.now() - failedAt < AFTER_MS || (await isAlmostFull(dataDir)) ? 'full' : 'fine';
}

/** Whether the disk of a folder has so little space that the next write may fail. */
export async function isAlmostFull(folder: string): Promise<boolean> {
  const disk = await statfs(folder).catch(() => undefined);
  return disk !== undefined && disk.bavail * disk.bsize < LEAST_FREE;
}

/** Whether files of this size still leave the rest of the product the space that it needs. */
export async function hasRoom(dataDir: string, bytes: number): Promise<boolean> {
  const disk = await statfs(dataDir).catch(() => undefined);
  return !disk || disk.bavail * disk.bsize - bytes >= RESERVE;
}

/** A job on an uploaded file waits: what it writes would leave too little of the disk. */
export class DiskLow extends Error {
  override name = 'DiskLow';
}

/** @throws DiskLow if this many bytes would leave too little */
export async function needRoom(dataDir: string, bytes = 0): Promise<void> {
  if (!(await hasRoom(dataDir, bytes))) throw new DiskLow('The disk is almost full.');
}

/** Whether work on a file waits for space on the disk. */
export const awaitsDisk = (error: unknown): boolean => error instanceof DiskLow || isDiskFull(error);

const saidAt = new Map<string, number>();

/** Returns whether to write a log line that may repeat: once a minute for each key. */
export function onceAMinute(key: string, now = performance.now()): boolean {
  if (now - (saidAt.get(key) ?? Number.NEGATIVE_INFINITY) < 60_000) return false;
  saidAt.set(key, now);
  return true;
}
