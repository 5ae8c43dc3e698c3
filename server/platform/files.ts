import { access, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';

/**
 * Uploaded files, from when they arrive until a job has read them. They are written and read at their path on this
 * host's disk; where other hosts get them from is up to the form.
 */
export interface Files {
  /** Where a file is on this host, to be written. Its folder may be missing. `name` is relative: `imports/x.csv`. */
  pathOf(name: string): string;
  /**
   * Keeps a file that was written at its path for every host. Until then, only this one has it.
   * @throws FilesAway
   */
  keep(name: string): Promise<void>;
  /**
   * Gets a file that was kept to its path, unless it is there, and returns the path.
   * @throws FilesAway; FileMissing
   */
  get(name: string): Promise<string>;
  /** Whether the file is kept. @throws FilesAway */
  has(name: string): Promise<boolean>;
  /** Removes a file, also one that does not exist. @throws FilesAway */
  remove(name: string): Promise<void>;
  /** Checks that files can be kept. @throws Error that names the setting */
  start(): Promise<void>;
  stop(): void;
}

/** The place where files are kept cannot be reached, or refuses. */
export class FilesAway extends Error {
  override name = 'FilesAway';
}

/** A file that was kept is no longer there. */
export class FileMissing extends Error {
  override name = 'FileMissing';
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Files on the disk of this host, which all hosts share if there are several. */
function onDisk(dataDir: string): Files {
  const pathOf = (name: string): string => join(dataDir, 'files', name);
  return {
    pathOf,
    async keep() {},
    async get(name) {
      const path = pathOf(name);
      if (!(await exists(path))) throw new FileMissing(name);
      return path;
    },
    has: (name) => exists(pathOf(name)),
    remove: (name) => rm(pathOf(name), { force: true }),
    async start() {
      await mkdir(dirname(pathOf('x')), { recursive: true });
    },
    stop() {},
  };
}

/** Files on this host's disk, or in a bucket if one is set. */
export async function createFiles(config: Pick<Config, 'dataDir' | 's3'>, clock: Clock): Promise<Files> {
  if (!config.s3) return onDisk(config.dataDir);
  // Loaded only where it is used: it is large.
  const { createS3Files } = await import('./files-s3.ts');
  return createS3Files(config.s3, config.dataDir, clock);
}
