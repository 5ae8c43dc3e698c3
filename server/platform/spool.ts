import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

type File = Awaited<ReturnType<typeof open>>;

/** Before each record: a mark to find the next one by, its length and time, their checksum, and that of the record. */
const MARK = Buffer.from('SPL1', 'latin1');
const HEAD_BYTES = 24;
/** When the next segment is begun; what has been read of one that is full is deleted with it. */
const SEGMENT_BYTES = 16 * 1024 * 1024;
/** A segment that has been read to its end is replaced from this size on. */
const REUSE_BYTES = 1024 * 1024;
/** How much of a segment is in memory at a time. */
const LOAD_BYTES = 2 * 1024 * 1024;
const NAME = /^\d{16}\.spool$/;

/** A place in the spool: everything before it has been done. */
interface Position {
  segment: number;
  offset: number;
}

/** Records to be done together, and the place behind them. */
export interface SpoolBatch {
  payloads: Buffer[];
  end: Position;
  /** When the first of them was appended. */
  at: number;
}

/** What waits in a spool. */
export interface SpoolState {
  records: number;
  bytes: number;
  /** When the oldest was appended, in milliseconds. */
  oldest: number | null;
  /** Places that could not be read, or could not be done, over all runs: kept in the folder `damaged`. */
  damaged: number;
}

export interface SpoolOptions {
  segmentBytes?: number;
  now?: () => number;
  /** Called before each write; throws if the disk should not be filled any further. */
  needRoom?: () => Promise<void>;
  /** Called for each place that had to be skipped, after what was there has been put aside. */
  onDamage?: (what: { file: string; bytes: number; why: string }) => void;
}

/** Frames a record as it is in the file. */
function framed(payload: Buffer, at: number): Buffer {
  const record = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  MARK.copy(record);
  record.writeUInt32LE(payload.length, 4);
  record.writeDoubleLE(at, 8);
  record.writeUInt32LE(crc32(record.subarray(4, 16)), 16);
  record.writeUInt32LE(crc32(payload), 20);
  payload.copy(record, HEAD_BYTES);
  return record;
}

/** Reads the record at a place; 'short' if the file ends in it, 'bad' if there is none. */
function recordAt(
  buffer: Buffer,
  at: number,
): { at: number; payload: Buffer; next: number } | 'short' | 'bad' {
  if (buffer.length - at < HEAD_BYTES) return 'short';
  if (MARK.compare(buffer, at, at + 4) !== 0) return 'bad';
  if (buffer.readUInt32LE(at + 16) !== crc32(buffer.subarray(at + 4, at + 16))) return 'bad';
  const next = at + HEAD_BYTES + buffer.readUInt32LE(at + 4);
  if (next > buffer.length) return 'short';
  const payload = buffer.subarray(at + HEAD_BYTES, next);
  if (buffer.readUInt32LE(at + 20) !== crc32(payload)) return 'bad';
  return { at: buffer.readDoubleLE(at + 8), payload, next };
}

/** Where the next whole record begins after a place that has none; -1 if nowhere. */
function nextRecord(buffer: Buffer, after: number): number {
  for (let at = buffer.indexOf(MARK, after); at >= 0; at = buffer.indexOf(MARK, at + 1))
    if (typeof recordAt(buffer, at) === 'object') return at;
  return -1;
}

const segmentName = (segment: number): string => `${String(segment).padStart(16, '0')}.spool`;

/**
 * Records on disk, in the order they were appended, until they are done. Appending returns when they are on the disk for
 * good (fdatasync); what is appended meanwhile shares the next one. Each record has a checksum: after a crash or damage,
 * everything else is still read. Not shared: one process has the folder.
 */
export class Spool {
  readonly #folder: string;
  readonly #options: SpoolOptions;
  readonly #segmentBytes: number;
  readonly #now: () => number;
  /** The segments that are there, oldest first; the last may be the one that is written. */
  #segments: number[] = [];
  #next = 1;
  /** What is written now, and how much of it is on the disk for good. */
  #writing: { segment: number; file: File; size: number } | undefined;
  /** The file that tells where to go on after a restart. */
  #place: File | undefined;
  #position: Position = { segment: 0, offset: 0 };
  /** How far segments can be read whose ends could not be cut off after a failed write. */
  readonly #ends = new Map<number, number>();
  #loaded: { segment: number; from: number; buffer: Buffer } | undefined;
  #queue: { records: Buffer[]; at: number; done: () => void; fail: (error: unknown) => void }[] = [];
  #isBusy = false;
  #records = 0;
  #bytes = 0;
  #oldest: number | null = null;
  #damaged = 0;

  private constructor(folder: string, options: SpoolOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    this.#now = options.now ?? Date.now;
  }

  /** Opens a spool in a folder, which is made if necessary, with what is waiting there. */
  static async open(folder: string, options: SpoolOptions = {}): Promise<Spool> {
    const spool = new Spool(folder, options);
    await mkdir(join(folder, 'damaged'), { recursive: true });
    spool.#damaged = (await readdir(join(folder, 'damaged'))).length;
    await spool.#resume();
    return spool;
  }

  /** Appends records; returns when they are on the disk for good. If it throws, none of them needs to be there. */
  append(payloads: Buffer[]): Promise<void> {
    if (payloads.length === 0) return Promise.resolve();
    const at = this.#now();
    return new Promise((done, fail) => {
      this.#queue.push({ records: payloads.map((one) => framed(one, at)), at, done, fail });
      if (!this.#isBusy) void this.#write();
    });
  }

  /** The oldest records that are not done, about `mostBytes` of them; null if there are none. */
  async next(mostBytes: number): Promise<SpoolBatch | null> {
    for (;;) {
      const limit = await this.#limit(this.#position.segment);
      if (limit === undefined || this.#position.offset >= limit) {
        if (await this.#advance()) continue;
        this.#settle();
        return null;
      }
      const batch = await this.#read(this.#position, limit, mostBytes);
      if (!batch) continue;
      this.#oldest = batch.at;
      return batch;
    }
  }

  /** Records that everything before a place is done, and forgets it. */
  async done({ end, payloads }: Pick<SpoolBatch, 'end' | 'payloads'>): Promise<void> {
    this.#forget(payloads);
    await this.#moveTo(end);
  }

  /** Puts a record aside that cannot be done. */
  async putAside(payload: Buffer, why: string): Promise<void> {
    await this.#keepDamaged(payload, why);
  }

  state(): SpoolState {
    return { records: this.#records, bytes: this.#bytes, oldest: this.#oldest, damaged: this.#damaged };
  }

  /** Closes it. What waits stays for the next time. */
  async close(): Promise<void> {
    await this.#writing?.file.close();
    await this.#place?.close();
    this.#writing = undefined;
    this.#place = undefined;
  }

  async #resume(): Promise<void> {
    const text = await readFile(join(this.#folder, 'position'), 'utf8').catch(() => '');
    const [, segment, offset, sum] = /^(\d+) (\d+) (\d+)\n/.exec(text) ?? [];
    const is = segment && Number(sum) === crc32(`${segment} ${offset}`);
    if (is) this.#position = { segment: Number(segment), offset: Number(offset) };
    const names = (await readdir(this.#folder)).filter((name) => NAME.test(name)).sort();
    this.#segments = names.map((name) => Number.parseInt(name, 10));
    this.#next = Math.max(this.#position.segment, ...this.#segments, 0) + 1;
    // Those before were done; the process ended before it had deleted them.
    while (this.#segments.length > 0 && this.#segments[0]! < this.#position.segment) await this.#drop();
    this.#place = await open(join(this.#folder, 'position'), 'w');
    const first = this.#segments[0] ?? this.#next;
    await this.#moveTo(first === this.#position.segment ? this.#position : { segment: first, offset: 0 });
    // Counts what waits, without doing anything about damage yet.
    for (const one of this.#segments) {
      const buffer = await readFile(join(this.#folder, segmentName(one)));
      let at = one === this.#position.segment ? this.#position.offset : 0;
      while (at >= 0 && at < buffer.length) {
        const record = recordAt(buffer, at);
        if (typeof record === 'object') {
          this.#remember(record.next - at, record.at);
          at = record.next;
        } else at = nextRecord(buffer, at + 1);
      }
    }
  }

  /** Nothing is left, whatever was counted: what cannot be read is not counted the same way as what can. */
  #settle(): void {
    const { segment, offset } = this.#position;
    const isAtEnd = !this.#writing || (this.#writing.segment === segment && this.#writing.size <= offset);
    if (this.#isBusy || !isAtEnd || this.#segments.some((one) => one > segment)) return;
    this.#records = 0;
    this.#bytes = 0;
    this.#oldest = null;
  }

  #remember(bytes: number, at: number): void {
    this.#records++;
    this.#bytes += bytes;
    this.#oldest ??= at;
  }

  #forget(payloads: Buffer[]): void {
    this.#records = Math.max(0, this.#records - payloads.length);
    this.#bytes -= payloads.reduce((sum, one) => sum + HEAD_BYTES + one.length, 0);
    if (this.#records > 0) return;
    this.#bytes = 0;
    this.#oldest = null;
  }

  /** How far a segment can be read; undefined if it is not there. */
  async #limit(segment: number): Promise<number | undefined> {
    if (this.#writing?.segment === segment) return this.#writing.size;
    const end = this.#ends.get(segment);
    if (end !== undefined) return end;
    if (!this.#segments.includes(segment)) return undefined;
    const file = await open(join(this.#folder, segmentName(segment)));
    try {
      const { size } = await file.stat();
      this.#ends.set(segment, size);
      return size;
    } finally {
      await file.close();
    }
  }

  /** Goes on to the next segment, once one has been read to its end; false if it is the last. */
  async #advance(): Promise<boolean> {
    const { segment, offset } = this.#position;
    if (this.#writing?.segment === segment) {
      // What is only written to its end once in a while would grow forever.
      if (offset < REUSE_BYTES || this.#isBusy) return false;
      await this.#endSegment();
    }
    const next = this.#segments.find((one) => one > segment);
    if (next === undefined) return false;
    await this.#moveTo({ segment: next, offset: 0 });
    while (this.#segments[0]! < next) await this.#drop();
    return true;
  }

  async #drop(): Promise<void> {
    const segment = this.#segments.shift()!;
    this.#ends.delete(segment);
    await rm(join(this.#folder, segmentName(segment)), { force: true });
  }

  async #moveTo(position: Position): Promise<void> {
    this.#position = position;
    // Not flushed: after a power failure, a little is done again.
    const text = `${position.segment} ${position.offset}`;
    await this.#place?.write(`${text} ${crc32(text)}\n`, 0);
  }

  /** Reads records from a place on; null if there was only damage, which has been put aside. */
  async #read(from: Position, limit: number, mostBytes: number): Promise<SpoolBatch | null> {
    const { segment } = from;
    let { buffer, from: start } = await this.#load(segment, from.offset, limit, LOAD_BYTES);
    let isWhole = start + buffer.length >= limit;
    let at = from.offset - start;
    const payloads: Buffer[] = [];
    let bytes = 0;
    let first = 0;
    while (bytes < mostBytes && start + at < limit) {
      const record = recordAt(buffer, at);
      if (typeof record === 'object') {
        if (payloads.length === 0) first = record.at;
        payloads.push(record.payload);
        bytes += record.payload.length;
        at = record.next;
        continue;
      }
      // What has been read is done first.
      if (payloads.length > 0) break;
      if (!isWhole) {
        ({ buffer, from: start } = await this.#load(segment, from.offset, limit, limit));
        isWhole = true;
        at = from.offset - start;
        continue;
      }
      await this.#skip(segment, buffer, at, start, record, limit);
      return null;
    }
    return { payloads, end: { segment, offset: start + at }, at: first };
  }

  /** Goes on behind a place that cannot be read. */
  async #skip(
    segment: number,
    buffer: Buffer,
    at: number,
    start: number,
    found: 'short' | 'bad',
    limit: number,
  ): Promise<void> {
    const next = nextRecord(buffer, at + 1);
    // The process was killed while it wrote this: no one was told that it is kept.
    const isTorn = next < 0 && found === 'short' && this.#writing?.segment !== segment;
    if (!isTorn)
      await this.#keepDamaged(
        buffer.subarray(at, next < 0 ? buffer.length : next),
        `the checksum of a record is wrong in ${segmentName(segment)} at ${start + at}`,
      );
    await this.#moveTo({ segment, offset: next < 0 ? limit : start + next });
  }

  async #keepDamaged(bytes: Buffer, why: string): Promise<void> {
    const file = join(this.#folder, 'damaged', `${this.#now()}-${this.#damaged}.bin`);
    await writeFile(file, bytes);
    this.#damaged++;
    this.#options.onDamage?.({ file, bytes: bytes.length, why });
  }

  /** Has a part of a segment in memory that contains a place. */
  async #load(
    segment: number,
    offset: number,
    limit: number,
    most: number,
  ): Promise<{ from: number; buffer: Buffer }> {
    const known = this.#loaded;
    if (known?.segment === segment && offset >= known.from) {
      const rest = known.buffer.length - (offset - known.from);
      // Enough for a record, unless there is more to be had.
      if (
        rest > 0 &&
        (known.from + known.buffer.length >= limit || (rest > LOAD_BYTES / 2 && most <= LOAD_BYTES))
      )
        return known;
    }
    const file = await open(join(this.#folder, segmentName(segment)));
    try {
      const length = Math.min(limit - offset, most);
      const buffer = Buffer.allocUnsafe(length);
      const { bytesRead } = await file.read(buffer, 0, length, offset);
      this.#loaded = { segment, from: offset, buffer: buffer.subarray(0, bytesRead) };
      return this.#loaded;
    } finally {
      await file.close();
    }
  }

  /** Writes what is in the queue until it is empty: everything that waits shares one write and one flush. */
  async #write(): Promise<void> {
    this.#isBusy = true;
    while (this.#queue.length > 0) {
      const group = this.#queue;
      this.#queue = [];
      try {
        await this.#options.needRoom?.();
        const bytes = Buffer.concat(group.flatMap(({ records }) => records));
        this.#writing ??= await this.#beginSegment();
        const to = this.#writing;
        await writeWhole(to.file, bytes, to.size);
        await to.file.datasync();
        to.size += bytes.length;
        for (const { records, at, done } of group) {
          for (const record of records) this.#remember(record.length, at);
          done();
        }
        if (to.size >= this.#segmentBytes) await this.#endSegment();
      } catch (error) {
        // After a failed flush, what the disk has of the file is unknown: nothing is appended to it any more.
        await this.#endSegment().catch(() => {});
        for (const { fail } of group) fail(error);
      }
    }
    this.#isBusy = false;
  }

  async #beginSegment(): Promise<{ segment: number; file: File; size: number }> {
    const segment = this.#next++;
    const path = join(this.#folder, segmentName(segment));
    const file = await open(path, 'wx', 0o600);
    try {
      // The file's name has to be on the disk as well.
      const folder = await open(this.#folder);
      await folder.sync().finally(() => folder.close());
    } catch (error) {
      await file.close();
      await rm(path, { force: true });
      throw error;
    }
    this.#segments.push(segment);
    if (!this.#segments.includes(this.#position.segment)) await this.#moveTo({ segment, offset: 0 });
    return { segment, file, size: 0 };
  }

  /** Ends the segment that is written, without what a failed write may have left behind its end. */
  async #endSegment(): Promise<void> {
    const ended = this.#writing;
    if (!ended) return;
    this.#ends.set(ended.segment, ended.size);
    this.#writing = undefined;
    await ended.file.truncate(ended.size).catch(() => {});
    await ended.file.close();
  }
}

async function writeWhole(file: File, bytes: Buffer, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, at + written);
    written += bytesWritten;
  }
}

/** Replaces a file as a whole: whoever reads it sees the old or the new one. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, text, { mode: 0o600 });
  await rename(fresh, file);
}
