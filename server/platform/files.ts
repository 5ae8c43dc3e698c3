import { createReadStream } from 'node:fs';
import { join } from 'node:path';

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
  /** The names of all kept files below a folder, or of all if it is empty, in no order. @throws FilesAway */
  list(folder: string): Promise<string[]>;
  /** Removes what this host has of a file that all hosts can get from elsewhere. */
  forget(name: string): Promise<void>;
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

/**
 * Whether a name stays in its folder. Whoever can write to a bucket chooses the names in it, and each becomes a path on
 * this host.
 */
export const isInside = (name: string): boolean => !name.split(/[\\/]/).includes('..');

/** Where a file is below a folder. @throws Error for a name that leads out of it */
export function pathIn(folder: string, name: string): string {
  if (!isInside(name)) throw new Error(`not a name of a file: ${name}`);
  return join(folder, name);
}

/** A bucket at S3, or at a service that speaks its protocol. */
export interface S3Settings {
  bucket: string;
  region: string;
  /** Origin of a service other than AWS. */
  endpoint: string | undefined;
  /** Beginning of all keys, empty or ending in a slash. */
  prefix: string;
  /** Without them, the credentials of the environment or the machine are used, as by every AWS tool. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

/**
 * The bytes of a file, which is opened when the first are asked for. A stream opens it at once, and if it is gone by
 * then, fails before anyone listens, which ends the process.
 */
export async function* contentOf(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path) as AsyncIterable<Buffer>;
}
