import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { Clock } from './clock.ts';
import { FileMissing, type Files, FilesAway, isInside, pathIn, type S3Settings } from './files.ts';

/** How long a copy on this host's disk is kept after it was last used. */
const KEPT_MS = 24 * 3_600_000;
const SWEEP_MS = 3_600_000;
const PART_BYTES = 16 * 1024 ** 2;

const isMissing = (error: unknown): boolean =>
  (error as { $metadata?: { httpStatusCode?: number } })?.$metadata?.httpStatusCode === 404;

/** Files in a bucket. What is on the disk of a host is a copy, which it gets when it needs it and removes a day later. */
export function createS3Files(settings: S3Settings, folder: string, clock: Clock): Files {
  const { bucket: Bucket, region, endpoint, prefix, credentials } = settings;
  const client = new S3Client({
    region,
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    ...(credentials ? { credentials } : {}),
    // Services other than AWS do not know the newer checksums. TLS and the length protect what is sent.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
  });
  const pathOf = (name: string): string => pathIn(folder, name);
  const keyOf = (name: string): string => `${prefix}${name.replaceAll('\\', '/')}`;
  const getting = new Map<string, Promise<string>>();
  let timer: NodeJS.Timeout | undefined;

  const asked = async <T>(name: string, answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (isMissing(error)) throw new FileMissing(name, { cause: error });
      throw new FilesAway(`The bucket ${Bucket} cannot be used: ${(error as Error).message}`, {
        cause: error,
      });
    }
  };

  async function fetchCopy(name: string): Promise<string> {
    const path = pathOf(name);
    const isHere = await access(path).then(
      () => true,
      () => false,
    );
    if (isHere) {
      await utimes(path, clock.now(), clock.now());
      return path;
    }
    await mkdir(dirname(path), { recursive: true });
    const part = `${path}.${process.pid}.part`;
    try {
      const { Body, ContentLength } = await asked(
        name,
        client.send(new GetObjectCommand({ Bucket, Key: keyOf(name) })),
      );
      await pipeline(Body as Readable, createWriteStream(part, { mode: 0o600 }));
      const { size } = await stat(part);
      if (size !== ContentLength)
        throw new FilesAway(`The bucket sent ${size} of ${ContentLength} bytes of ${name}`);
      await rename(part, path);
    } catch (error) {
      await rm(part, { force: true });
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE')
        throw new FilesAway(`The bucket stopped sending ${name}`, { cause: error });
      throw error;
    }
    return path;
  }

  /** Removes copies that were not used for a day, and what is left of downloads that were cut off. */
  async function sweep(): Promise<void> {
    const old = clock.now().getTime() - KEPT_MS;
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      const found = entry.isFile() ? await stat(path).catch(() => undefined) : undefined;
      if (found && found.mtimeMs < old) await rm(path, { force: true });
    }
  }

  return {
    pathOf,
    async keep(name) {
      const upload = new Upload({
        client,
        params: { Bucket, Key: keyOf(name), Body: createReadStream(pathOf(name)) },
        partSize: PART_BYTES,
        queueSize: 2,
      });
      await asked(name, upload.done());
    },
    get(name) {
      const known =
        getting.get(name) ??
        fetchCopy(name).finally(() => {
          getting.delete(name);
        });
      getting.set(name, known);
      return known;
    },
    async has(name) {
      try {
        await asked(name, client.send(new HeadObjectCommand({ Bucket, Key: keyOf(name) })));
        return true;
      } catch (error) {
        if (error instanceof FileMissing) return false;
        throw error;
      }
    },
    async remove(name) {
      await rm(pathOf(name), { force: true });
      await asked(name, client.send(new DeleteObjectCommand({ Bucket, Key: keyOf(name) })));
    },
    async list(below) {
      const names: string[] = [];
      for (let from: string | undefined, more = true; more; ) {
        const page = await asked(
          below,
          client.send(
            new ListObjectsV2Command({
              Bucket,
              Prefix: below ? `${keyOf(below)}/` : prefix,
              ContinuationToken: from,
            }),
          ),
        );
        names.push(...(page.Contents ?? []).map(({ Key }) => Key!.slice(prefix.length)));
        from = page.NextContinuationToken;
        more = from !== undefined;
      }
      return names.filter(isInside);
    },
    forget: (name) => rm(pathOf(name), { force: true }),
    async start() {
      await client.send(new HeadBucketCommand({ Bucket })).catch((error: Error) => {
        throw new Error(`S3_BUCKET: the bucket ${Bucket} cannot be used (${error.name}: ${error.message})`, {
          cause: error,
        });
      });
      await sweep();
      timer = setInterval(() => void sweep(), SWEEP_MS).unref();
    },
    stop() {
      clearInterval(timer);
      client.destroy();
    },
  };
}
