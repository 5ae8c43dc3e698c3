import { access, mkdir, readdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { FileMissing, type Files, FilesAway, pathIn, type S3Settings } from './files.ts';

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Files on the disk of this host, which all hosts share if there are several. */
function onDisk(folder: string): Files {
  const pathOf = (name: string): string => pathIn(folder, name);
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
    async list(below) {
      const entries = await readdir(pathOf(below), { recursive: true, withFileTypes: true }).catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return [];
          throw new FilesAway(error.message, { cause: error });
        },
      );
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
    },
    // What is here is all there is.
    async forget() {},
    async start() {
      await mkdir(folder, { recursive: true });
    },
    stop() {},
  };
}

/** Uploaded files on this host's disk, or in a bucket if one is set. */
export const openFiles = ({ dataDir, s3 }: Pick<Config, 'dataDir' | 's3'>, clock: Clock): Promise<Files> =>
  openFolder(join(dataDir, 'files'), s3, clock);

/** Files in a folder or, if there is a bucket, in that; the folder then has only copies. */
export async function openFolder(folder: string, s3: S3Settings | undefined, clock: Clock): Promise<Files> {
  if (!s3) return onDisk(folder);
  // Loaded only where it is used: it is large.
  const { createS3Files } = await import('./files-s3.ts');
  return createS3Files(s3, folder, clock);
}
