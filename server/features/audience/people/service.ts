import { basename } from 'node:path';
import type { z } from 'zod';
import type { ImportJob } from '../../../../contract/audience/people.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import type { Inside } from '../../../../contract/wire.ts';
import { type CountryCode, countryOf, HOME_COUNTRY } from '../../../platform/countries.ts';
import { CSV_BOM, csvLine } from '../../../platform/csv.ts';
import { FileFault, TooLarge } from '../../../platform/csv-reader.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { contentOf } from '../../../platform/files.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import { columnNames, unknownColumn } from './columns.policy.ts';
import { forgetScrubs, markedPhones } from './dnc.store.ts';
import { countGraph, erasePeople, holdersOf, type Profile, profilesOf } from './graph.store.ts';
import { addPeople, createImports, MOST_BYTES, type PersonInput, peopleImport } from './import.service.ts';
import * as store from './import.store.ts';
import { ignoredOf, planFault, planOf, signalDays } from './kinds.policy.ts';
import { addressKeys, learn, match, ownKey, people, profilesAmong, sharers } from './match.service.ts';
import { createMerges } from './merge.service.ts';
import { mergesAbout } from './merge.store.ts';
import type { PersonField } from './model.ts';
import * as signals from './signal.store.ts';

export type People = ReturnType<typeof createPeople>;

/** The people graph of each root: its imports, and the recognition of visitors. */
export function createPeople(platform: Platform, { audit }: { audit: Audit }) {
  const { db, clock, jobs } = platform;
  const imports = createImports(platform);

  async function one(tx: Tx, id: string, lock = false): Promise<store.ImportRow> {
    const row = await store.importById(tx, id, lock);
    if (!row) throw new Refusal('not_found', ownMessages.notFound);
    return row;
  }

  async function headOf(row: store.ImportRow) {
    if (row.state !== 'mapping') throw new Refusal('conflict', 'This import has already started.');
    try {
      return await imports.head(row.root_id, row.file_path);
    } catch (error) {
      throw asRefusal(error);
    }
  }

  jobs.hook(peopleImport, {
    setAside: ({ rootId, importId }) =>
      inScope(db.app, { rootId }, async (tx) => {
        const row = await store.importById(tx, importId, true);
        if (row?.state !== 'queued' && row?.state !== 'running') return;
        await store.updateImport(tx, importId, { state: 'held', error: HELD });
        const { root_id, agency_id, company_id } = row;
        await audit.recordSystem(
          tx,
          clock.now(),
          { root_id, agency_id, company_id },
          {
            action: `${row.kind}.import_hold`,
            objectKind: 'import',
            objectId: importId,
            description: `The import of ${row.file_name} was put on hold because the server stopped twice while reading it`,
          },
        );
      }),
    again: async (tx, { importId }) => {
      if ((await one(tx, importId, true)).state !== 'held')
        throw new Refusal('conflict', 'You can only retry an import that is on hold.');
      await store.updateImport(tx, importId, { state: 'queued', error: null });
    },
  });

  return {
    match,
    learn,
    people,
    /** Returns what is known about people beyond how to reach them, by id; in the root's scope. */
    profiles: async (tx: Tx, rootId: string, ids: readonly string[]) =>
      ids.length === 0 ? new Map<string, Profile>() : profilesOf(tx, rootId, ids),
    profilesAmong,
    /** Returns the first and last day for which a root has signals, in the root's scope. */
    signalDays: (tx: Tx, rootId: string) => signals.daysOfSignals(tx, rootId, ...signalDays(clock.now())),
    /** Marks batches of signals as compared with every campaign, in the root's scope. */
    markBatches: signals.markBatches,
    sharers,
    addressKeys,
    ownKey,
    /** Everyone who has one of these keys, by the keys' positions, however many they are; in the root's scope. */
    holders: holdersOf,
    /**
     * Deletes people from the graph, as everyone they were known as, and what imports left out with one of these values
     * (lowercase). In the root's scope; returns how many rows there were.
     */
    async erase(tx: Tx, rootId: string, ids: readonly string[], named: readonly string[]): Promise<number> {
      await forgetScrubs(
        tx,
        rootId,
        named.filter((one) => one.startsWith('+')),
      );
      return erasePeople(tx, rootId, ids, named);
    },
    /** Returns who is the same person as someone, and how that came about, in the root's scope. */
    mergesAbout: (tx: Tx, rootId: string, personId: string) => mergesAbout(tx, rootId, personId),
    /**
     * Returns which of these numbers (E.164) a source of the root's people marked as on a do-not-call list; in the
     * root's scope.
     */
    markedPhones: (tx: Tx, rootId: string, phones: readonly string[]) => markedPhones(tx, rootId, phones),
    /** Adds people outside an import (demo data, tests) by an import's rules; returns what changed. */
    addPeople: (tx: Tx, rootId: string, rows: readonly PersonInput[], source: string) =>
      addPeople(tx, rootId, rows, source, clock.now()),
    /** Runs imports one by one, for the worker, benchmarks and tests. */
    files: imports,
    /** Merges people of the graph, and undoes merges. */
    merges: createMerges(platform, { audit }),
    jobs,

    /**
     * Imports a file on this machine to its end, without a user in the UI; an interrupted import of the same file with
     * the same mapping resumes where it was.
     * @throws FileFault, TooLarge; whatever `more.signal` aborts with
     */
    async importFile(
      rootId: string,
      path: string,
      mapping: Record<string, PersonField>,
      more: {
        kind?: store.ImportRow['kind'];
        country?: CountryCode;
        signal?: AbortSignal;
        begun?: (job: { id: string; resumedAt: number }) => void;
        progress?: (job: JobView) => void;
      } = {},
    ): Promise<JobView> {
      const kind = more.kind ?? 'people';
      const country = more.country ?? HOME_COUNTRY;
      let row = await imports.unfinished(rootId, path, mapping, kind, country);
      if (!row) {
        const name = basename(path);
        row = await imports.add(rootId, name, contentOf(path), { kind });
        const { id, root_id, agency_id, company_id } = row;
        const record = (tx: Tx) =>
          audit.recordSystem(
            tx,
            clock.now(),
            { root_id, agency_id, company_id },
            {
              action: `${kind}.import`,
              objectKind: 'import',
              objectId: id,
              description: `Started importing ${kind} from ${name} on the command line`,
            },
          );
        await imports.queue(rootId, id, mapping, record, country);
      }
      more.begun?.({ id: row.id, resumedAt: Number(row.rows_read) });
      const { progress, signal } = more;
      const end = await imports.run(rootId, row.id, {
        ...(signal ? { signal } : {}),
        ...(progress ? { progress: (at) => progress(view(at)) } : {}),
      });
      return view(end ?? row);
    },

    /** Stores an uploaded file; returns its import, to be mapped and started. */
    async upload(
      ctx: Ctx,
      fileName: string,
      body: AsyncIterable<Uint8Array>,
      kind: store.ImportRow['kind'] = 'people',
      mostBytes = MOST_BYTES,
    ): Promise<JobView> {
      const { rootId } = ctx.scope;
      try {
        const row = await imports.add(rootId, fileName, body, {
          kind,
          mostBytes,
          createdBy: ctx.actor.userId,
          check: () => ctx.mustStill(),
          also: (tx, { id }) =>
            audit.record(tx, ctx, {
              action: `${kind}.upload`,
              objectKind: 'import',
              objectId: id,
              description: `Uploaded ${fileName} to import ${kind}`,
            }),
        });
        return view(row);
      } catch (error) {
        throw asRefusal(error);
      }
    },

    list: (
      ctx: Ctx,
      input: {
        kind: store.ImportRow['kind'];
        page: number;
        per_page: number;
        search?: string | undefined;
      },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows, total } = await store.pageOfImports(
          tx,
          input.kind,
          input.search ?? '',
          input.per_page,
          (input.page - 1) * input.per_page,
        );
        return page(rows.map(view), total, input);
      }),

    get: (ctx: Ctx, { id }: { id: string }) =>
      inScope(db.app, ctx.scope, async (tx) => view(await one(tx, id))),

    /** Returns the columns of an uploaded file, what their names suggest, and a few of their values. */
    async preview(ctx: Ctx, { id }: { id: string }) {
      const row = await inScope(db.app, ctx.scope, (tx) => one(tx, id));
      const { header, rows } = await headOf(row);
      const plan = planOf(row.kind, header, {});
      const ignored = new Map(ignoredOf(row.kind, header, plan).map((one) => [one.column, one.reason]));
      return {
        columns: columnNames(header).map((name, i) => ({
          name,
          field: plan[i]!,
          ignored: ignored.get(name) ?? null,
          samples: rows.map((cells) => cells[i] ?? ''),
        })),
      };
    },

    /** Starts an uploaded import. Columns that `mapping` does not name are interpreted by their names. */
    async start(ctx: Ctx, given: { id: string; mapping: Record<string, PersonField>; country: string }) {
      const { id, mapping } = given;
      const country = countryOf(given.country);
      if (!country) throw refusalOf('country', 'is not a country with phone numbers');
      const uploaded = await inScope(db.app, ctx.scope, (tx) => one(tx, id));
      const { header } = await headOf(uploaded);
      const refuse = (rule: string) =>
        new Refusal('invalid', `mapping: ${rule}`, { errors: { mapping: [rule] } });
      const unknown = unknownColumn(header, mapping);
      if (unknown !== null) throw refuse(`names a column “${unknown}” that is not in the file`);
      const fault = planFault(uploaded.kind, planOf(uploaded.kind, header, mapping));
      if (fault) throw refuse(fault);
      return inScope(db.app, ctx.scope, async (tx) => {
        const row = await one(tx, id, true);
        if (row.state !== 'mapping') throw new Refusal('conflict', 'This import has already started.');
        await store.updateImport(tx, id, { state: 'queued', mapping: JSON.stringify(mapping), country });
        await jobs.send(tx, peopleImport, [{ rootId: row.root_id, importId: id }], { turn: row.root_id });
        await audit.record(tx, ctx, {
          action: `${row.kind}.import`,
          objectKind: 'import',
          objectId: id,
          description: `Started importing ${row.kind} from ${row.file_name}`,
        });
        return { result: 'success' as const, message: messages.added, data: view(await one(tx, id)) };
      });
    },

    /** Resumes an import that was set aside, from where it stopped. */
    tryAgain: (ctx: Ctx, { id }: { id: string }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { root_id, kind, file_name } = await one(tx, id, true);
        await jobs.again(tx, peopleImport.name, { rootId: root_id, importId: id });
        await audit.record(tx, ctx, {
          action: `${kind}.import_again`,
          objectKind: 'import',
          objectId: id,
          description: `Retried the import of ${file_name}`,
        });
        return { result: 'success' as const, message: messages.updated, data: view(await one(tx, id)) };
      }),

    /** Stops an import after the batch in progress. What has been imported stays. */
    async cancel(ctx: Ctx, { id }: { id: string }) {
      const row = await inScope(db.app, ctx.scope, async (tx) => {
        const found = await one(tx, id, true);
        if (found.finished_at) throw new Refusal('conflict', 'This import has already ended.');
        await store.updateImport(tx, id, { state: 'cancelled', finished_at: clock.now() });
        await audit.record(tx, ctx, {
          action: `${found.kind}.import_cancel`,
          objectKind: 'import',
          objectId: id,
          description: `Stopped the import of ${found.file_name}`,
        });
        return found;
      });
      await platform.files.remove(row.file_path);
      return { result: 'success' as const, message: messages.updated };
    },

    totals: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) => ({
        ...(await countGraph(tx)),
        ...(await signals.countSignals(tx, new Date(clock.now().getTime() - 7 * DAY_MS))),
      })),

    /** Maintains the days of the signal log: creates upcoming ones and drops those that have been kept long enough. */
    async keepSignals(): Promise<void> {
      const [first, last] = signalDays(clock.now());
      await signals.ensurePartitions(db.app, first, last);
      await signals.dropBefore(db.app, first);
    },

    /**
     * Returns what was left out of an import, as the lines of a CSV file: line, column, reason, value, and whether the
     * whole row was skipped or only this value.
     */
    async errorLines(ctx: Ctx, { id }: { id: string }): Promise<AsyncGenerator<string>> {
      await inScope(db.app, ctx.scope, (tx) => one(tx, id));
      return (async function* () {
        yield CSV_BOM + csvLine(['line', 'column', 'reason', 'value', 'skipped']);
        for (let after = { line: 0n, place: 0 }; ; ) {
          const rows = await inScope(db.app, ctx.scope, (tx) => store.errorsAfter(tx, id, after, 5000));
          if (rows.length === 0) return;
          yield rows
            .map(({ line, place, field, reason, value }) =>
              csvLine([line, field, reason, value, place === 0 ? 'row' : 'value']),
            )
            .join('');
          after = rows.at(-1)!;
        }
      })();
    },
  };
}

type JobView = Inside<z.input<typeof ImportJob>>;

/** The message of an import that was set aside. */
const HELD =
  'The server stopped twice while reading this file, so the import is on hold. Check the file, then try again.';

const DAY_MS = 86_400_000;

/** An import as the contract shows it. */
function view(row: store.ImportRow): JobView {
  const part = row.file_bytes > 0n ? Number(row.byte_offset) / Number(row.file_bytes) : 0;
  return {
    id: row.id,
    kind: row.kind,
    file_name: row.file_name,
    file_bytes: Number(row.file_bytes),
    state: row.state,
    error: row.error,
    country: row.country,
    percentage: row.state === 'done' ? 100 : Math.min(100, Math.floor(part * 1000) / 10),
    rows_read: Number(row.rows_read),
    rows_added: Number(row.rows_added),
    rows_changed: Number(row.rows_changed),
    rows_same: Number(row.rows_same),
    rows_bad: Number(row.rows_bad),
    keys_added: Number(row.keys_added),
    values_bad: Number(row.values_bad),
    phones_marked: Number(row.phones_marked),
    left_out: row.left_out,
    ignored: row.ignored,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

function asRefusal(error: unknown): unknown {
  if (error instanceof TooLarge)
    return new Refusal('too_large', 'The file is too large.', {
      errors: { file: ['must not exceed 2 GiB'] },
    });
  if (error instanceof FileFault)
    return new Refusal('invalid', `file: ${error.message}`, { errors: { file: [error.message] } });
  return error;
}
