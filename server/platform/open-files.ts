import { access, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { FileMissing, type Files } from './files.ts';

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
export async function openFiles(config: Pick<Config, 'dataDir' | 's3'>, clock: Clock): Promise<Files> {
  if (!config.s3) return onDisk(config.dataDir);
  // Loaded only where it is used: it is large.
  const { createS3Files } = await import('./files-s3.ts');
  return createS3Files(config.s3, config.dataDir, clock);
}
