import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Locks a data folder for this process. The lock is the operating system's own, held through an SQLite file because
 * Node has no flock: it is released when the process ends, however that happens, so there are no stale locks.
 * @param folder existing folder
 * @returns a function that releases the folder
 * @throws Error naming DATA_DIR and the holder if another process, or this one, has it
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, '.lock');
  const note = join(folder, '.lock.pid');
  const db = new DatabaseSync(file);
  try {
    db.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (!/locked/.test(String(error))) throw error;
    throw new Error(
      `DATA_DIR: ${folder} is in use by another server${holder(note)}. Stop that server, or set another DATA_DIR and PORT.`,
    );
  }
  writeFileSync(note, String(process.pid));
  return () => {
    rmSync(note, { force: true });
    db.close();
  };
}

function holder(note: string): string {
  try {
    return ` (process ${readFileSync(note, 'utf8')})`;
  } catch {
    return '';
  }
}
