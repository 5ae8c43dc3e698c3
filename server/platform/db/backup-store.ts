import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { keyId } from '../crypto.ts';
import type { Files } from '../files.ts';
import { openFolder } from '../open-files.ts';
import { openStream, sealStream } from '../seal-stream.ts';
import { BackupFault, type BackupNote } from './backup.ts';

/**
 * Where backups and the log (WAL) of any number of installations are kept, sealed under APP_KEY. Nothing in it is ever
 * written twice. An installation has its own folder, named after it:
 * - `base/TIME.sealed`, a whole copy, and `base/TIME.json`, which is written last and not sealed
 * - `wal/TIMELINE.FROM.TO.TIME`, a piece of the log, with all that was committed by then
 * - `files/TIME/NAME`, an uploaded file
 */
export interface BackupStore {
  files: Files;
  /** The first seals, and all of them open. */
  appKeys: Buffer[];
}

/** A base backup. Positions in the log are as PostgreSQL counts them, in bytes. */
export interface Base extends BackupNote {
  installation: string;
  /** The name of its files, without the ending. */
  name: string;
  began_at: string;
  timeline: string;
  segment_bytes: number;
  /** What it has of the log: all of `from` to `to`, in hexadecimal digits. */
  from: string;
  to: string;
  /** Name of the application key that it is sealed with. */
  key: string;
}

/** A piece of the log. */
export interface Piece {
  name: string;
  timeline: string;
  from: bigint;
  to: bigint;
  at: Date;
}

/** Opens the place of BACKUP_TO. Nothing is checked yet, because a place that is away must not stop a start. */
export async function openBackups(
  config: Pick<Config, 'backups' | 'appKey' | 'previousAppKeys'>,
): Promise<BackupStore> {
  if (!config.backups) throw new BackupFault('BACKUP_TO: is not set.');
  return {
    files: await openFolder(config.backups.folder, config.backups.s3, systemClock),
    appKeys: [config.appKey, ...config.previousAppKeys],
  };
}

/** 20261129T101500123Z */
export const stampOf = (at: Date): string => at.toISOString().replace(/[-:.]/g, '');
const timeOf = (stamp: string): Date =>
  new Date(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/, '$1-$2-$3T$4:$5:$6.$7Z'));

/** A position in the log as 16 hexadecimal digits. */
export const hexOf = (position: bigint): string => position.toString(16).toUpperCase().padStart(16, '0');
export const positionOf = (hex: string): bigint => BigInt(`0x${hex}`);
/** The beginning of the segment (file of the log) that a position is in. */
export const segmentStart = (position: bigint, bytes: number): bigint =>
  position - (position % BigInt(bytes));

/** The file name of the segment that begins at a position. */
export function segmentName(timeline: string, start: bigint, bytes: number): string {
  const number = start / BigInt(bytes);
  const each = 0x1_0000_0000n / BigInt(bytes);
  const part = (value: bigint): string => value.toString(16).toUpperCase().padStart(8, '0');
  return `${timeline}${part(number / each)}${part(number % each)}`;
}

export const pieceName = (installation: string, { timeline, from, to, at }: Omit<Piece, 'name'>): string =>
  `${installation}/wal/${timeline}.${hexOf(from)}.${hexOf(to)}.${stampOf(at)}`;

/** Writes a sealed file: all of it, flushed, or nothing. */
export async function put(
  { files, appKeys }: BackupStore,
  name: string,
  source: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<void> {
  const path = files.pathOf(name);
  const part = `${path}.${process.pid}.part`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await pipeline(
      source,
      createZstdCompress(),
      (compressed: AsyncIterable<Buffer>) => sealStream(compressed, appKeys[0]!, name),
      createWriteStream(part, { mode: 0o600, flush: true }),
      { signal },
    );
    await publish(files, name, part);
  } finally {
    await rm(part, { force: true });
  }
}

/** Gives a file that is complete its name, and keeps it. */
async function publish(files: Files, name: string, part: string): Promise<void> {
  const path = files.pathOf(name);
  await rename(part, path);
  // The name itself survives a power failure only when the folder is flushed.
  const folder = await open(dirname(path));
  await folder.sync().finally(() => folder.close());
  // What could not be sent to the bucket is made again, and must not pile up here.
  await files.keep(name).finally(() => files.forget(name));
}

/** What `put` wrote. @throws SealError, FilesAway, FileMissing */
export async function* read({ files, appKeys }: BackupStore, name: string): AsyncGenerator<Buffer> {
  const sealed = openStream(createReadStream(await files.get(name)), appKeys, name);
  const plain = createZstdDecompress();
  // An error of the source destroys the stream, which the reader then sees.
  const done = pipeline(sealed, plain).catch(() => {});
  yield* plain as AsyncIterable<Buffer>;
  await done;
  await files.forget(name);
}

/** Adds a base backup to those that count. */
export async function putBase({ files, appKeys }: BackupStore, base: Omit<Base, 'key'>): Promise<Base> {
  const note: Base = { ...base, key: keyId(appKeys[0]!) };
  const name = `${base.installation}/base/${base.name}.json`;
  const part = `${files.pathOf(name)}.${process.pid}.part`;
  const file = await open(part, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(note, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await publish(files, name, part);
  return note;
}

/** What a store has of one installation. */
export interface Kept {
  /** Oldest first. */
  bases: Base[];
  /** By position, then by time. */
  pieces: Piece[];
  files: { name: string; path: string; at: Date }[];
  /** Copies without a note: of a backup that is being made, or was cut off. */
  unfinished: { name: string; at: Date }[];
}

const BASE = /^([0-9a-f]{8})\/base\/(\d{8}T\d{9}Z)\.(sealed|json)$/;
const PIECE = /^[0-9a-f]{8}\/wal\/([0-9A-F]{8})\.([0-9A-F]{16})\.([0-9A-F]{16})\.(\d{8}T\d{9}Z)$/;
const FILE = /^[0-9a-f]{8}\/files\/(\d{8}T\d{9}Z)\/([^\0]{1,300})$/;

const Hex = z.string().regex(/^[0-9A-F]{16}$/);
/** What a note says besides its own name. It is not sealed, so anyone who can write to the store can change it. */
const Note = z.object({
  made_at: z.iso.datetime(),
  postgresql: z.int(),
  platform: z.string(),
  began_at: z.iso.datetime(),
  timeline: z.string().regex(/^[0-9A-F]{8}$/),
  segment_bytes: z
    .int()
    .min(2 ** 20)
    .max(2 ** 30)
    .refine((bytes) => Number.isInteger(Math.log2(bytes))),
  from: Hex,
  to: Hex,
  key: z.string(),
});
const MOST_NOTE = 64 * 1024;

/** Reads the note of a base backup; null if it is none of ours. It is what its file is called, whatever it says. */
async function readNote(
  { files }: BackupStore,
  file: string,
  of: Pick<Base, 'installation' | 'name'>,
): Promise<Base | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(await files.get(file), { end: MOST_NOTE })) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
  }
  await files.forget(file);
  if (size > MOST_NOTE) return null;
  try {
    return { ...Note.parse(JSON.parse(Buffer.concat(chunks).toString())), ...of };
  } catch {
    return null;
  }
}

/** Lists what there is of one installation. @throws FilesAway */
export async function listKept(store: BackupStore, installation: string): Promise<Kept> {
  const kept: Kept = { bases: [], pieces: [], files: [], unfinished: [] };
  const names = (await store.files.list(installation)).sort();
  const noted = new Set<string>();
  for (const name of names) {
    const [, , base, ending] = BASE.exec(name) ?? [];
    const [, timeline, from, to, at] = PIECE.exec(name) ?? [];
    const [, stamp, path] = FILE.exec(name) ?? [];
    if (base && ending === 'json') {
      const note = await readNote(store, name, { installation, name: base });
      if (note) kept.bases.push(note);
      noted.add(base);
    } else if (base) kept.unfinished.push({ name, at: timeOf(base) });
    else if (timeline)
      kept.pieces.push({ name, timeline, from: positionOf(from!), to: positionOf(to!), at: timeOf(at!) });
    else if (path && !path.endsWith('.part')) kept.files.push({ name, path, at: timeOf(stamp!) });
  }
  kept.unfinished = kept.unfinished.filter(({ name }) => !noted.has(BASE.exec(name)![2]!));
  kept.bases.sort((one, other) => (one.made_at < other.made_at ? -1 : 1));
  return kept;
}

/** The installations that a store has something of. */
export async function listInstallations(store: BackupStore): Promise<string[]> {
  const names = await store.files.list('');
  return [...new Set(names.flatMap((name) => /^([0-9a-f]{8})\//.exec(name)?.[1] ?? []))].sort();
}

/** The pieces of the log that follow a base backup without a gap; empty if they do not reach its end. */
function chainOf(base: Base, pieces: Piece[]): Piece[] {
  const chain: Piece[] = [];
  let end = segmentStart(positionOf(base.to), base.segment_bytes);
  for (const piece of pieces) {
    if (piece.timeline !== base.timeline || piece.to <= end) continue;
    if (piece.from > end) break;
    chain.push(piece);
    end = piece.to;
  }
  return end >= positionOf(base.to) ? chain : [];
}

/** Times to which a database can be restored, both included. */
export interface Range {
  installation: string;
  from: Date;
  to: Date;
}

/** All times that an installation can be restored to, oldest first, without overlaps. */
export function rangesOf({ bases, pieces }: Kept): Range[] {
  const ranges: Range[] = [];
  for (const base of bases) {
    const from = new Date(base.made_at);
    const end = chainOf(base, pieces).at(-1)?.at;
    const to = end && end > from ? end : from;
    const last = ranges.at(-1);
    if (!last || last.to < from) ranges.push({ installation: base.installation, from, to });
    else if (to > last.to) last.to = to;
  }
  return ranges;
}

/**
 * Chooses the base backup and the pieces of the log from which the state at a time can be made; without one, the last
 * state there is. Undefined if there is none.
 */
export function planRestore({ bases, pieces }: Kept, to?: Date): { base: Base; pieces: Piece[] } | undefined {
  for (const base of bases.toReversed()) {
    const made = new Date(base.made_at);
    if (to && made > to) continue;
    const chain = chainOf(base, pieces);
    if (!to) return { base, pieces: chain };
    // What was committed by then is in the pieces up to the first that is not older.
    const enough = chain.findIndex(({ at }) => at >= to);
    if (enough >= 0) return { base, pieces: chain.slice(0, enough + 1) };
    if (made.getTime() === to.getTime()) return { base, pieces: chain };
  }
  return undefined;
}
