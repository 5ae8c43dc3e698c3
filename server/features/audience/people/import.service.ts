import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { refusalOf } from '../../../../contract/errors.ts';
import { type CountryCode, HOME_COUNTRY } from '../../../platform/countries.ts';
import { FileFault, lineNumbers, takeIn, takeRaw } from '../../../platform/csv-reader.ts';
import { boundedBy, checkBound } from '../../../platform/db/bounds.ts';
import { inScopeWithClient } from '../../../platform/db/client.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { awaitsDisk, DISK_FULL, needRoom } from '../../../platform/disk.ts';
import { inReadingTurn } from '../../../platform/file-thread.ts';
import { contentOf } from '../../../platform/files.ts';
import { newId } from '../../../platform/ids.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Keyword } from '../keywords/index.ts';
import {
  addLeftOut,
  type Batch,
  type BatchSize,
  type LeftOut,
  leftOutOf,
  tooManyPlaces,
} from './batch.service.ts';
import { columnNames } from './columns.policy.ts';
import type { Staged } from './copy.ts';
import { readDnc } from './dnc.policy.ts';
import { markPhones } from './dnc.store.ts';
import { openApart, readHead } from './file-thread.ts';
import { mergeStage, ownerOf, stageByCopy, stageByInsert, stageProfiles } from './graph.store.ts';
import * as imports from './import.store.ts';
import { ignoredOf, planFault, planOf, signalDays } from './kinds.policy.ts';
import type { Left, LineFault, PersonField } from './model.ts';
import { type Cells, readPerson, readProfile, TOO_MANY_CONTACTS } from './row.policy.ts';
import * as signals from './signal.store.ts';
import type { SignalBatch } from './signal-batch.service.ts';

/** Imports one uploaded file. After a crash it resumes where the last committed batch ended. */
export const peopleImport = defineJob('identity.import', z.object({ rootId: z.uuid(), importId: z.uuid() }), {
  retryLimit: 20,
  retryDelay: 5,
  retryDelayMax: 300,
  expireInSeconds: 12 * 60 * 60,
});

/** Rows per transaction: enough to make its overhead negligible, few enough to update progress every second. */
const SIZE: BatchSize = { rows: 20_000, bytes: 16 * 1024 * 1024 };
/** Bad rows and left-out values beyond this number are counted but not listed. */
const MOST_ERRORS = 100_000;
export const MOST_BYTES = 2 * 1024 ** 3;
/** How many bytes the files of a root's unfinished imports may take. Tests lower it. */
export const WAITING_BYTES = { most: 8 * 1024 ** 3 };

/** A person in the fields of an import: each field has one text or several. */
export type PersonInput = Partial<Record<Exclude<PersonField, 'ignore'>, string | string[] | undefined>>;

/** The connection of a transaction, for COPY. */
type Connection = Parameters<typeof stageByCopy>[1];

/**
 * The result of a batch; `bad` counts all bad rows, `valuesBad` left-out values, and `errors` lists those of both that
 * are to be listed.
 */
interface Done {
  added: number;
  changed: number;
  keysAdded: number;
  bad: number;
  valuesBad: number;
  phonesMarked: number;
  leftOut: LeftOut[];
  errors: LineFault[];
}

/**
 * The maximum number of keywords whose ids are remembered, and after how many rows of signals the features above are
 * notified.
 */
const MOST_TERMS = 500_000;
const TOLD_EVERY = 1_000_000n;

/**
 * The import was changed meanwhile (cancelled, or taken over by another worker), so this run has nothing more to do.
 */
class Overtaken extends Error {
  override name = 'Overtaken';
}

/** Builds the people graph, and the signals of its people, from files. */
export function createImports({ config, db, clock, log, events, files }: Platform, size = SIZE) {
  /** @throws FileFault; Refusal 429 if too many of the root's files are already waiting to be read */
  const headInTurn = (rootId: string, path: string) => inReadingTurn(rootId, () => readHead(path));

  /** The head of a kept file. @throws as headInTurn, FilesAway */
  const head = async (rootId: string, name: string) => headInTurn(rootId, await files.get(name));

  /**
   * Stores a file and adds an import of it in the state 'mapping'. Signals may come as Parquet (*.parquet).
   * @throws TooLarge, FileFault
   */
  async function add(
    rootId: string,
    fileName: string,
    source: AsyncIterable<Uint8Array>,
    more: {
      kind?: imports.ImportRow['kind'];
      mostBytes?: number;
      createdBy?: string;
      /** Called when the file is complete, before anything of it is kept. */
      check?: () => Promise<void>;
      also?: (tx: Tx, row: { id: string }) => Promise<void>;
    } = {},
  ): Promise<imports.ImportRow> {
    // Files already on this machine are not blocked by uploads that users have left waiting.
    const isUpload = more.createdBy !== undefined;
    const mayWait = async (tx: Tx, bytes: number) => {
      if ((await imports.waitingBytes(tx, rootId)) + bytes > WAITING_BYTES.most)
        throw refusalOf(
          'file',
          'would exceed the limit of 8 GiB of unfinished imports. End or cancel some first',
        );
    };
    if (isUpload)
      await inScope(db.app, { rootId }, async (tx) => {
        await checkBound(tx, 'waitingImports', rootId, 'file_name');
        await mayWait(tx, 1);
      });
    const now = clock.now();
    const id = newId(now);
    const kind = more.kind ?? 'people';
    const isParquet = kind === 'signals' && /\.(parquet|pq)$/i.test(fileName);
    const row = { file_path: join('imports', `${id}.${isParquet ? 'parquet' : 'csv'}`) };
    const take = isParquet ? takeRaw : takeIn;
    const { bytes, sha256 } = await take(source, files.pathOf(row.file_path), more.mostBytes ?? MOST_BYTES);
    try {
      await headInTurn(rootId, files.pathOf(row.file_path));
      await more.check?.();
      await files.keep(row.file_path);
      return await inScope(db.app, { rootId }, async (tx) => {
        if (isUpload) {
          await boundedBy(tx, 'waitingImports', rootId, 'file_name');
          await mayWait(tx, bytes);
        }
        await imports.insertImport(tx, {
          id,
          ...ownerOf(rootId),
          kind,
          file_name: fileName,
          ...row,
          file_bytes: BigInt(bytes),
          file_sha256: sha256,
          mapping: '{}',
          state: 'mapping',
          created_by: more.createdBy ?? null,
          created_at: now,
        });
        await more.also?.(tx, { id });
        return (await imports.importById(tx, id))!;
      });
    } catch (error) {
      await files.remove(row.file_path).catch(() => {});
      throw error;
    }
  }

  /** Prepares an import that no user started from the UI to be run. `also` runs in the same transaction. */
  async function queue(
    rootId: string,
    importId: string,
    mapping: Record<string, PersonField>,
    also?: (tx: Tx) => Promise<void>,
    country: CountryCode = HOME_COUNTRY,
  ): Promise<void> {
    await inScope(db.app, { rootId }, async (tx) => {
      const asked = { mapping: JSON.stringify(mapping), country };
      await imports.updateImport(tx, importId, { state: 'queued', ...asked });
      await also?.(tx);
    });
  }

  /**
   * Returns the import of this very file, with this mapping and country, that was started and has not ended, if there
   * is one; `path` is where the file is now, in case the earlier copy is gone.
   */
  async function unfinished(
    rootId: string,
    path: string,
    mapping: Record<string, PersonField>,
    kind: imports.ImportRow['kind'] = 'people',
    country: CountryCode = HOME_COUNTRY,
  ): Promise<imports.ImportRow | undefined> {
    const sha256 = createHash('sha256');
    for await (const chunk of createReadStream(path)) sha256.update(chunk);
    const row = await inScope(db.app, { rootId }, (tx) =>
      imports.unfinishedImport(tx, kind, sha256.digest()),
    );
    if (!row || row.country !== country || !isDeepStrictEqual(row.mapping, mapping)) return undefined;
    if (!(await files.has(row.file_path))) {
      const take = row.file_path.endsWith('.parquet') ? takeRaw : takeIn;
      await take(contentOf(path), files.pathOf(row.file_path), MOST_BYTES);
      await files.keep(row.file_path);
    }
    return row;
  }

  /**
   * Runs an import to its end, or resumes where an earlier run was cut off; does nothing when it has already ended.
   * `progress` is called after each committed batch. A file that cannot be imported ends the import as 'failed'; other
   * errors are thrown, and the import can be run again.
   */
  async function run(
    rootId: string,
    importId: string,
    more: { signal?: AbortSignal; progress?: (row: imports.ImportRow) => void } = {},
  ): Promise<imports.ImportRow | undefined> {
    const scope = { rootId };
    const begun = await inScope(db.app, scope, async (tx) => {
      const row = await imports.importById(tx, importId, true);
      if (row?.state !== 'queued' && row?.state !== 'running') return undefined;
      await imports.updateImport(tx, importId, {
        state: 'running',
        error: null,
        started_at: row.started_at ?? clock.now(),
      });
      return row;
    });
    const ended = (state: 'done' | 'failed', error: string | null) =>
      inScope(db.app, scope, async (tx) => {
        const row = await imports.importById(tx, importId, true);
        if (row?.state === 'running') {
          await imports.updateImport(tx, importId, { state, error, finished_at: clock.now() });
        }
        if (row?.kind === 'signals') await events.emit(tx, 'signals.added', { rootId });
      });
    if (begun) {
      try {
        await work(begun, more).finally(() => careful.delete(importId));
        await ended('done', null);
      } catch (error) {
        if (error instanceof FileFault) await ended('failed', error.message);
        else if (awaitsDisk(error)) {
          // Writes a message although the disk is nearly full: this may fail as well, and the next attempt writes it
          // again.
          await inScope(db.app, scope, (tx) =>
            imports.updateImport(tx, importId, { error: DISK_FULL }),
          ).catch(() => {});
          throw error;
        } else if (!(error instanceof Overtaken)) throw error;
        else log.info({ importId }, 'import ended or taken over elsewhere');
      }
    }
    const row = await inScope(db.app, scope, (tx) => imports.importById(tx, importId));
    // The file contains personal data, so it is kept only while it is needed.
    if (row?.finished_at) await files.remove(row.file_path);
    return row;
  }

  async function work(
    job: imports.ImportRow,
    { signal, progress }: { signal?: AbortSignal; progress?: (row: imports.ImportRow) => void },
  ) {
    const file = await openApart(
      {
        kind: job.kind,
        path: await files.get(job.file_path),
        fileBytes: Number(job.file_bytes),
        at: Number(job.byte_offset),
        line: Number(job.line),
        size,
      },
      () => clock.now(),
    );
    try {
      const { header } = file.head;
      const plan = planOf(job.kind, header, job.mapping as Record<string, PersonField>);
      const fault = planFault(job.kind, plan);
      if (fault)
        throw new FileFault(
          `The file ${fault}. Its columns are ${columnNames(header).join(', ').slice(0, 500)}.`,
        );
      if (job.kind === 'signals') await signals.ensurePartitions(db.app, ...signalDays(clock.now()));
      await inScope(db.app, { rootId: job.root_id }, (tx) =>
        imports.updateImport(tx, job.id, { ignored: JSON.stringify(ignoredOf(job.kind, header, plan)) }),
      );
      await applyAll(job, file.batches(plan, job.country as CountryCode), { signal, progress });
    } finally {
      await file.close();
    }
  }

  async function applyAll(
    job: imports.ImportRow,
    batches: AsyncIterable<Batch | SignalBatch>,
    {
      signal,
      progress,
    }: { signal: AbortSignal | undefined; progress: ((row: imports.ImportRow) => void) | undefined },
  ) {
    let before = { at: Number(job.byte_offset), line: Number(job.line) };
    // While the database merges one batch, the next is prepared, and the one after that is read: each keeps a processor
    // busy.
    const works: Promise<void>[] = [];
    try {
      for await (const batch of batches) {
        await works.at(-2);
        signal?.throwIfAborted();
        const work = apply(job, batch, before, works.at(-1), progress);
        // It is awaited below, possibly only after another has failed.
        work.catch(() => {});
        works.splice(0, works.length - 1);
        works.push(work);
        before = { at: batch.end, line: batch.line };
      }
      await works.at(-1);
    } catch (error) {
      const [first] = (await Promise.allSettled(works)).filter((one) => one.status === 'rejected');
      throw first ? first.reason : error;
    }
  }

  /**
   * Commits a batch: its rows, bad rows and the progress in one transaction, if the import is still at `before`. Work
   * that can be done before the preceding batch, `previous`, has been committed is done early.
   */
  async function apply(
    job: imports.ImportRow,
    batch: Batch | SignalBatch,
    before: { at: number; line: number },
    previous?: Promise<void>,
    progress?: (row: imports.ImportRow) => void,
  ): Promise<void> {
    await needRoom(config.dataDir);
    // In its own transaction: additions to the dictionary stay, whatever happens to the batch.
    const terms = 'keywords' in batch ? await termsOf(job.root_id, batch.keywords) : [];
    if (!('keywords' in batch)) await previous;
    const row = await inScopeWithClient(db, { rootId: job.root_id }, async (tx, client) => {
      const isStaged = 'keywords' in batch && batch.signals > 0;
      const allKnown = isStaged ? await signals.stageSignals(tx, client, job.root_id, batch) : true;
      await previous;
      const now = clock.now();
      const current = await imports.importById(tx, job.id, true);
      if (
        current?.state !== 'running' ||
        Number(current.byte_offset) !== before.at ||
        Number(current.line) !== before.line
      )
        throw new Overtaken();
      const room = MOST_ERRORS - Number(current.rows_bad) - Number(current.values_bad);
      const sum =
        'keywords' in batch
          ? await mergeSignals(tx, job, batch, { terms, allKnown }, room)
          : await mergePeople(tx, client, current, batch, { before, room, now });
      const { errors } = sum;
      if (errors.length > 0 && room > 0)
        await imports.insertErrors(tx, job.root_id, job.id, errors.slice(0, room));
      await imports.updateImport(tx, job.id, {
        byte_offset: BigInt(batch.end),
        line: BigInt(batch.line),
        rows_read: current.rows_read + BigInt(batch.rows),
        rows_added: current.rows_added + BigInt(sum.added),
        rows_changed: current.rows_changed + BigInt(sum.changed),
        rows_same: current.rows_same + BigInt(batch.rows - sum.bad - sum.added - sum.changed),
        rows_bad: current.rows_bad + BigInt(sum.bad),
        keys_added: current.keys_added + BigInt(sum.keysAdded),
        values_bad: current.values_bad + BigInt(sum.valuesBad),
        phones_marked: current.phones_marked + BigInt(sum.phonesMarked),
        left_out: JSON.stringify(addLeftOut(current.left_out, sum.leftOut)),
      });
      // A long import's signals are matched while it is still running.
      const stretch = (rows: bigint) => rows / TOLD_EVERY;
      if (
        'keywords' in batch &&
        stretch(current.rows_read) !== stretch(current.rows_read + BigInt(batch.rows))
      )
        await events.emit(tx, 'signals.added', { rootId: job.root_id });
      return progress && imports.importById(tx, job.id);
    });
    if (row) progress?.(row);
  }

  async function mergePeople(
    tx: Tx,
    client: Connection,
    job: imports.ImportRow,
    batch: Batch,
    { before, room, now }: { before: { at: number; line: number }; room: number; now: Date },
  ): Promise<Done> {
    const file = job.file_sha256?.subarray(0, 8) ?? null;
    const { bad, valuesBad, leftOut, errors } = batch;
    const phonesMarked = batch.dnc.yes.length;
    const sum = { added: 0, changed: 0, keysAdded: 0, bad, valuesBad, phonesMarked, leftOut, errors };
    const source = `import: ${job.file_name}`;
    const faults: (Left & { at: number; place: number })[] = [];
    for (const { people, data, combined, profiles } of batch.copies) {
      await stageByCopy(tx, client, data);
      if (profiles) await stageProfiles(tx, client, profiles);
      const merged = await mergeStage(tx, job.root_id, source, file, people, now, profiles !== null);
      sum.added += merged.added;
      sum.changed += merged.changed;
      sum.keysAdded += merged.keysAdded;
      for (const at of merged.refused)
        faults.push({ ...TOO_MANY_CONTACTS, at, place: 0, count: combined.get(at) ?? 1 });
      for (const { at, count } of merged.cut) faults.push({ ...tooManyPlaces(count), at });
    }
    if (faults.length > 0) {
      for (const { place, count } of faults) sum[place === 0 ? 'bad' : 'valuesBad'] += count;
      sum.leftOut = addLeftOut(leftOut, leftOutOf(faults));
      const listed = faults.sort((a, b) => a.at - b.at).slice(0, Math.max(0, room - errors.length));
      const places = listed.map((fault) => fault.at);
      const lines = await lineNumbers(files.pathOf(job.file_path), before.at, before.line, places);
      sum.errors = [...errors, ...listed.map((fault, i) => ({ ...fault, line: lines[i]! }))];
    }
    await markPhones(tx, job.root_id, batch.dnc, { source, file, now });
    return sum;
  }

  async function mergeSignals(
    tx: Tx,
    job: imports.ImportRow,
    batch: SignalBatch,
    staged: { terms: number[]; allKnown: boolean },
    room: number,
  ): Promise<Done> {
    const given = {
      rootId: job.root_id,
      importId: job.id,
      now: clock.now(),
      careful: careful.has(job.id),
      ...staged,
    };
    const { added, unknown, again } =
      batch.signals > 0 ? await signals.mergeSignals(tx, given) : { added: 0, unknown: [], again: false };
    // A file that contains existing signals will likely contain more.
    if (again) careful.add(job.id);
    const lines =
      room > 0 && unknown.length > 0
        ? await linesOf(batch, files.pathOf(job.file_path), unknown.slice(0, room))
        : [];
    const stranger = { field: null, reason: 'does not match anyone in the people data', value: null };
    const strangers = lines.map((line) => ({ ...stranger, line, place: 0 }));
    const faults = batch.errors.map((fault) => ({ ...fault, place: 0 }));
    const bad = faults.length + unknown.length;
    const leftOut = leftOutOf([
      ...faults,
      ...(unknown.length > 0 ? [{ ...stranger, place: 0, count: unknown.length }] : []),
    ]);
    return {
      added,
      changed: 0,
      keysAdded: 0,
      bad,
      valuesBad: 0,
      phonesMarked: 0,
      leftOut,
      errors: [...faults, ...strangers],
    };
  }

  /** Returns the line or row numbers of some positions in a batch, ascending. */
  const linesOf = async ({ begin }: SignalBatch, path: string, places: number[]): Promise<number[]> =>
    begin ? lineNumbers(path, begin.at, begin.line, places) : places;

  /**
   * Returns the ids of keywords in a root's dictionary, in the same order. The keywords a root's imports used last are
   * cached.
   */
  async function termsOf(rootId: string, keywords: readonly Keyword[]): Promise<number[]> {
    if (known.rootId !== rootId || known.ids.size > MOST_TERMS) known = { rootId, ids: new Map() };
    const { ids } = known;
    const missing = keywords.filter((one) => !ids.has(one.words));
    if (missing.length > 0) {
      const found = await inScope(db.app, { rootId }, (tx) => signals.ensureTerms(tx, rootId, missing));
      for (const [words, id] of found) ids.set(words, id);
    }
    return keywords.map((one) => ids.get(one.words)!);
  }
  /** Imports of signals some of which already existed. */
  const careful = new Set<string>();
  let known: { rootId: string; ids: Map<string, number> } = { rootId: '', ids: new Map() };

  return { add, head, queue, unfinished, run };
}

export type Imports = ReturnType<typeof createImports>;

/**
 * Adds people to a root's graph by the same rules as an import, inside the caller's transaction.
 * @throws Error naming the first person who cannot be used
 */
export async function addPeople(
  tx: Tx,
  rootId: string,
  rows: readonly PersonInput[],
  source: string,
  now: Date,
) {
  const staged = new Map<string, Staged>();
  const marks = { yes: new Set<string>(), no: new Set<string>(), dates: new Map<string, number | null>() };
  for (const [at, row] of rows.entries()) {
    const cells: Cells = {};
    for (const [field, value] of Object.entries(row)) if (value) cells[field as PersonField] = [value].flat();
    const read = readPerson(cells);
    if (!('ref' in read)) throw new Error(`Person ${at + 1}: ${read.field ?? 'it'} ${read.reason}`);
    const { phone_dnc: dnc, phone, phone2 } = cells;
    if (dnc) {
      const numbers = [...(phone ?? []), ...(phone2 ?? [])].join(',');
      readDnc([dnc.join(','), numbers], [{ at: 0, phones: [1] }], HOME_COUNTRY, marks, () => {});
    }
    staged.set(read.ref, { ...read, id: newId(now), at, profile: readProfile(cells) });
  }
  const profiled = await stageByInsert(tx, [...staged.values()]);
  const merged = await mergeStage(tx, rootId, source, null, staged.size, now, profiled);
  const [full] = merged.refused;
  if (full !== undefined) throw new Error(`Person ${full + 1}: it ${TOO_MANY_CONTACTS.reason}`);
  await markPhones(
    tx,
    rootId,
    { yes: [...marks.yes], no: [...marks.no], dates: marks.dates },
    { source, file: null, now },
  );
  return merged;
}
