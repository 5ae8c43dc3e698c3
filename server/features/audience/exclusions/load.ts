import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Refusal } from '../../../../contract/errors.ts';
import type { CountryCode } from '../../../platform/countries.ts';
import { FileFault, takeIn } from '../../../platform/csv-reader.ts';
import { inScopeWithClient } from '../../../platform/db/client.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { awaitsDisk, DISK_FULL, needRoom } from '../../../platform/disk.ts';
import { inReadingTurn } from '../../../platform/file-thread.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import { type Batch, readApart } from './list-thread.ts';
import { type Accepts, nounOf } from './policy.ts';
import { excess, MOST_CUSTOMERS, TOO_MANY_CUSTOMERS } from './quota.policy.ts';
import * as store from './store.ts';

const Which = z.object({ rootId: z.uuid(), listId: z.uuid() });
export type WhichList = z.output<typeof Which>;

/** Loads one uploaded list. After a crash it resumes where the last committed batch ended. */
export const loadJob = defineJob('exclusions.load', Which, {
  retryLimit: 20,
  retryDelay: 5,
  retryDelayMax: 300,
  expireInSeconds: 12 * 60 * 60,
});
/** Deletes the entries of a list that is no longer in force. */
export const clearJob = defineJob('exclusions.clear', Which, {
  retryLimit: 20,
  retryDelay: 5,
  retryDelayMax: 300,
  expireInSeconds: 12 * 60 * 60,
});

/** Rows per transaction: enough to make its overhead negligible, few enough to update progress every second. */
const SIZE = { rows: 50_000, bytes: 16 * 1024 * 1024 };
/** Bad rows beyond this number are counted but not listed. */
const MOST_ERRORS = 100_000;
const CLEAR_STEP = 50_000;

/** The message of a list that was set aside. */
const HELD =
  'The server stopped twice while reading this file, so the list is on hold and has no effect. Check the file, then try again.';

/** The list was changed meanwhile (removed, or taken over by another worker), so this run has nothing more to do. */
class Overtaken extends Error {
  override name = 'Overtaken';
}

/** Loads files into lists, and clears lists from the database. */
export function createLoads(platform: Platform, { audit }: { audit: Audit }, size = SIZE) {
  const { config, db, clock, log, jobs, files } = platform;

  /**
   * Keeps a file as UTF-8; returns how many rows it has, by its line breaks, or, where only a `few` are allowed, by
   * reading it, when it is the turn of the company `by`.
   * @throws TooLarge; FileFault for a file that is not text or has more rows than allowed; Refusal 429 if too many are
   * already waiting to be read
   */
  async function take(
    source: AsyncIterable<Uint8Array>,
    file: string,
    given: { mostBytes: number; few?: { mostRows: number; by: string; accepts: Accepts } },
  ): Promise<{ rows: number }> {
    const path = files.pathOf(file);
    await mkdir(join(path, '..'), { recursive: true });
    let breaks = 1;
    async function* counted() {
      for await (const chunk of source) {
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) breaks++;
        yield chunk;
      }
    }
    await takeIn(counted(), path, given.mostBytes);
    try {
      await files.keep(file);
      if (!given.few) return { rows: breaks };
      const { mostRows, by, accepts } = given.few;
      return await inReadingTurn(by, async () => {
        for await (const rows of readApart<number>({ read: 'count', path, accepts, mostRows }))
          return { rows };
        throw new FileFault('The file has no records.');
      });
    } catch (error) {
      await files.remove(file).catch(() => {});
      throw error;
    }
  }

  /**
   * Loads a list to its end, or resumes where an earlier run was cut off; does nothing when it has already ended. It
   * comes into force with its last transaction, as a whole or not at all.
   */
  async function load(
    { rootId, listId }: WhichList,
    more: { signal?: AbortSignal; progress?: (row: store.ListRow) => void } = {},
  ): Promise<store.ListRow | undefined> {
    const scope = { rootId };
    const begun = await inScope(db.app, scope, async (tx) => {
      const row = await store.listById(tx, listId, true);
      if (row?.state !== 'queued' && row?.state !== 'loading') return undefined;
      await store.updateList(tx, listId, {
        state: 'loading',
        error: null,
        started_at: row.started_at ?? clock.now(),
      });
      return row;
    });
    const isLoading = async (): Promise<boolean> =>
      (await inScope(db.app, scope, (tx) => store.listById(tx, listId)))?.state === 'loading';
    if (begun) {
      try {
        await work(begun, more);
        await end(begun, null);
      } catch (error) {
        if (error instanceof FileFault) await end(begun, error.message);
        else if (awaitsDisk(error)) {
          await inScope(db.app, scope, (tx) => store.updateList(tx, listId, { error: DISK_FULL })).catch(
            () => {},
          );
          throw error;
        } else if (!(error instanceof Overtaken) && (await isLoading())) throw error;
        // Another worker has made it, and deleted its file.
        else log.info({ listId }, 'list removed or claimed by another worker');
      }
    }
    const row = await inScope(db.app, scope, (tx) => store.listById(tx, listId));
    // The file contains personal data, so it is kept only while it is needed.
    if (row?.file_path && row.state !== 'loading') await files.remove(row.file_path);
    return row;
  }

  /** While the database stores one batch, the next one is read: each keeps one processor busy. */
  async function work(
    list: store.ListRow,
    { signal, progress }: { signal?: AbortSignal; progress?: (row: store.ListRow) => void },
  ): Promise<void> {
    let applying: Promise<void> = Promise.resolve();
    let failed: unknown;
    const settled = async () => {
      await applying;
      if (failed) throw failed;
    };
    try {
      for await (const batch of batchesOf(list, await files.get(list.file_path!))) {
        await settled();
        signal?.throwIfAborted();
        applying = apply(list, batch)
          .then(progress)
          .catch((error: unknown) => {
            failed = error;
          });
      }
    } catch (error) {
      await applying;
      throw failed ?? error;
    }
    await settled();
  }

  const batchesOf = (list: store.ListRow, path: string): AsyncGenerator<Batch> =>
    readApart<Batch>({
      read: 'batches',
      path,
      accepts: list.use === 'customers' ? 'customers' : list.accepts,
      ignoreAliases: list.ignore_aliases,
      country: list.country as CountryCode,
      at: Number(list.byte_offset),
      line: Number(list.line),
      size,
    });

  /**
   * Commits a batch: entries, bad rows and the progress in one transaction, if the list is still at the position before
   * it.
   */
  async function apply(list: store.ListRow, batch: Batch): Promise<store.ListRow> {
    await needRoom(config.dataDir);
    return inScopeWithClient(db, { rootId: list.root_id }, async (tx, client) => {
      const now = await store.listById(tx, list.id, true);
      if (now?.state !== 'loading' || Number(now.byte_offset) !== batch.before) throw new Overtaken();
      const added = batch.data.length
        ? await store.copyEntries(tx, client, list, batch.data, batch.unique)
        : 0;
      const room = MOST_ERRORS - Number(now.rows_bad);
      if (batch.errors.length > 0 && room > 0)
        await store.insertErrors(tx, list, batch.errors.slice(0, room));
      await store.updateList(tx, list.id, {
        byte_offset: BigInt(batch.end),
        line: BigInt(batch.line),
        rows_read: now.rows_read + BigInt(batch.rows),
        rows_added: now.rows_added + BigInt(added),
        rows_same: now.rows_same + BigInt(batch.entries - added),
        rows_bad: now.rows_bad + BigInt(batch.errors.length),
        emails: now.emails + BigInt(batch.counts.emails),
        phones: now.phones + BigInt(batch.counts.phones),
        domains: now.domains + BigInt(batch.counts.domains),
        md5_only: now.md5_only + BigInt(batch.counts.md5_only),
        sha256_only: now.sha256_only + BigInt(batch.counts.sha256_only),
      });
      // A row can have more than one entry, so a list can become longer than its file.
      if (list.most_entries !== null) {
        const fault = excess(list.level, Number(list.most_entries), await store.entriesOf(tx, list));
        if (fault) throw new FileFault(`The list ${fault}.`);
      }
      if (list.use === 'customers' && (await store.customerEntries(tx, list.company_id)) > MOST_CUSTOMERS)
        throw new FileFault(`The list ${TOO_MANY_CUSTOMERS}.`);
      return (await store.listById(tx, list.id))!;
    });
  }

  /**
   * Ends the loading of a list: in force, or failed when its file could not be read to the end or contained no entry.
   */
  async function end(list: store.ListRow, fault: string | null): Promise<void> {
    await inScope(db.app, { rootId: list.root_id }, async (tx) => {
      const row = await store.listById(tx, list.id, true);
      if (row?.state !== 'loading') return;
      const error = fault ?? (row.rows_added === 0n ? 'No row in the file has an entry.' : null);
      await store.updateList(tx, list.id, {
        state: error ? 'failed' : 'active',
        error,
        finished_at: clock.now(),
        total_rows: error ? row.total_rows : row.rows_read,
      });
      if (error) await jobs.send(tx, clearJob, [{ rootId: row.root_id, listId: row.id }]);
      const { root_id, agency_id, company_id } = row;
      await audit.recordSystem(
        tx,
        clock.now(),
        { root_id, agency_id, company_id },
        {
          action: error ? 'exclusion.fail' : 'exclusion.active',
          objectKind: 'exclusion_list',
          objectId: row.id,
          description: error
            ? `The ${nounOf(row.use)} ${row.name} could not be loaded`
            : `The ${nounOf(row.use)} ${row.name} is active: ${row.rows_added} entries, ${row.rows_bad} invalid rows`,
        },
      );
    });
  }

  /** Deletes what is left of a list that failed or was removed: entries, file, and the bad rows of a removed list. */
  async function clear({ rootId, listId }: WhichList, signal?: AbortSignal): Promise<void> {
    const scope = { rootId };
    const list = await inScope(db.app, scope, (tx) => store.listById(tx, listId));
    if (list?.state !== 'failed' && list?.state !== 'removed') return;
    let after: store.Cursor | null = null;
    do {
      signal?.throwIfAborted();
      const from: store.Cursor | null = after;
      after = await inScope(db.app, scope, (tx: Tx) => store.deleteStep(tx, list, from, CLEAR_STEP));
    } while (after);
    if (list.state === 'removed') await inScope(db.app, scope, (tx) => store.deleteErrors(tx, listId));
    if (list.file_path) await files.remove(list.file_path);
  }

  jobs.hook(loadJob, {
    setAside: ({ rootId, listId }) =>
      inScope(db.app, { rootId }, async (tx) => {
        const row = await store.listById(tx, listId, true);
        if (row?.state !== 'queued' && row?.state !== 'loading') return;
        await store.updateList(tx, listId, { state: 'held', error: HELD });
        const { root_id, agency_id, company_id } = row;
        await audit.recordSystem(
          tx,
          clock.now(),
          { root_id, agency_id, company_id },
          {
            action: 'exclusion.hold',
            objectKind: 'exclusion_list',
            objectId: listId,
            description: `The ${nounOf(row.use)} ${row.name} was put on hold because the server stopped twice while reading it`,
          },
        );
      }),
    again: async (tx, { listId }) => {
      if ((await store.listById(tx, listId, true))?.state !== 'held')
        throw new Refusal('conflict', 'You can only retry a list that is on hold.');
      await store.updateList(tx, listId, { state: 'queued', error: null });
    },
  });

  return { take, load, clear };
}

export type Loads = ReturnType<typeof createLoads>;
