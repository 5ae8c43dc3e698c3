import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import {
  type AudienceKind,
  MOST_AUDIENCE_BYTES,
  MOST_AUDIENCE_ROWS,
} from '../../../../contract/ads/audience-rules.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { FileFault, takeIn } from '../../../platform/csv-reader.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { awaitsDisk, DISK_FULL, needRoom } from '../../../platform/disk.ts';
import { inReadingTurn } from '../../../platform/file-thread.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { createBuilds } from './build.service.ts';
import { type Batch, readApart } from './file-thread.ts';
import * as store from './store.ts';

const Which = z.object({ rootId: z.uuid(), audienceId: z.uuid() });
export type WhichAudience = z.output<typeof Which>;

const LONG = { retryLimit: 20, retryDelay: 5, retryDelayMax: 300, expireInSeconds: 2 * 60 * 60 };
/** Reads the file of an audience, if it is not read yet, and finds out who is in it. */
export const buildJob = defineJob('audiences.build', Which, LONG);
/** Deletes what is left of a removed audience. */
export const clearJob = defineJob('audiences.clear', Which, LONG);
/** Has the audiences built that are due, of one root or of all. */
export const dueJob = defineJob('audiences.due', z.object({}));

const CLEAR_STEP = 10_000;
/** Refused rows beyond this number are counted but not listed. */
const MOST_ERRORS = 10_000;
const HELD =
  'The server stopped twice while reading this file, so the audience is on hold. Check the file, then try again.';

/** The audience was changed meanwhile (removed, or taken over by another worker), so this run has nothing more to do. */
class Overtaken extends Error {
  override name = 'Overtaken';
}

/** Takes the files of audiences in, and turns them into members. */
export function createLoads(
  { config, db, clock, log, jobs, files }: Platform,
  { audit, builds }: { audit: Audit; builds: ReturnType<typeof createBuilds> },
) {
  const ownerOf = ({ root_id, agency_id, company_id }: store.AudienceRow) => ({
    root_id,
    agency_id,
    company_id,
  });

  /**
   * Stores a file as UTF-8; returns how many rows it has, when it is the turn of the company `by`.
   * @throws TooLarge; FileFault if it is not such a list, or has too many rows; Refusal 429 if too many wait
   */
  async function take(
    source: AsyncIterable<Uint8Array>,
    file: string,
    given: { kind: AudienceKind; by: string },
  ): Promise<number> {
    const path = files.pathOf(file);
    await mkdir(dirname(path), { recursive: true });
    await needRoom(config.dataDir);
    await takeIn(source, path, MOST_AUDIENCE_BYTES);
    try {
      return await inReadingTurn(given.by, async () => {
        const task = { read: 'count', path, kind: given.kind, mostRows: MOST_AUDIENCE_ROWS } as const;
        for await (const rows of readApart<number>(task)) {
          await files.keep(file);
          return rows;
        }
        throw new FileFault('The file has no records.');
      });
    } catch (error) {
      await files.remove(file).catch(() => {});
      throw error;
    }
  }

  /** Commits a batch: its members, its refused rows, and how far it goes, if the file was read up to it. */
  const apply = (audience: store.AudienceRow, batch: Batch): Promise<void> =>
    inScope(db.app, { rootId: audience.root_id }, async (tx) => {
      const now = await store.audienceById(tx, audience.id, true);
      if (now?.state !== 'loading' || Number(now.byte_offset) !== batch.before) throw new Overtaken();
      const added = batch.members.length > 0 ? await store.addMembers(tx, now, batch.members) : 0;
      // A row can have more than one value, so a list can become longer than its file.
      if (Number(now.rows_added) + added > MOST_AUDIENCE_ROWS)
        throw new FileFault(`The file has more than ${MOST_AUDIENCE_ROWS.toLocaleString('en-US')} entries.`);
      const room = MOST_ERRORS - Number(now.rows_bad);
      if (batch.errors.length > 0 && room > 0) await store.insertErrors(tx, now, batch.errors.slice(0, room));
      await store.updateAudience(tx, now.id, {
        byte_offset: BigInt(batch.end),
        line: BigInt(batch.line),
        rows_read: now.rows_read + BigInt(batch.rows),
        rows_added: now.rows_added + BigInt(added),
        rows_same: now.rows_same + BigInt(batch.members.length - added),
        rows_bad: now.rows_bad + BigInt(batch.errors.length),
      });
    });

  /** Ends an audience that cannot be made, with the reason. */
  const fail = (audience: store.AudienceRow, error: string): Promise<void> =>
    inScope(db.app, { rootId: audience.root_id }, async (tx) => {
      const row = await store.audienceById(tx, audience.id, true);
      if (row?.state !== 'loading') return;
      await store.updateAudience(tx, row.id, { state: 'failed', error, begun_at: null });
      await jobs.send(tx, clearJob, [{ rootId: row.root_id, audienceId: row.id }]);
      await audit.recordSystem(tx, clock.now(), ownerOf(row), {
        action: 'audience.fail',
        objectKind: 'audience',
        objectId: row.id,
        description: `The audience ${row.name} could not be made`,
      });
    });

  /**
   * Makes an audience: reads its file to the end, or resumes where an earlier run was cut off, and finds out who is in it.
   * Does nothing for one that has failed or was removed.
   */
  async function build(
    { rootId, audienceId }: WhichAudience,
    more: { signal?: AbortSignal; advanced?: () => void } = {},
  ): Promise<void> {
    const scope = { rootId };
    const begun = await inScope(db.app, scope, async (tx) => {
      const row = await store.audienceById(tx, audienceId, true);
      if (row?.state === 'queued')
        await store.updateAudience(tx, audienceId, { state: 'loading', error: null });
      return row && { ...row, state: row.state === 'queued' ? ('loading' as const) : row.state };
    });
    if (begun?.state === 'loading' && begun.file_path) {
      try {
        const path = await files.get(begun.file_path);
        const [at, line] = [Number(begun.byte_offset), Number(begun.line)];
        for await (const batch of readApart<Batch>({ read: 'batches', path, kind: begun.kind!, at, line })) {
          more.signal?.throwIfAborted();
          await needRoom(config.dataDir);
          await apply(begun, batch);
          more.advanced?.();
        }
      } catch (error) {
        if (error instanceof Overtaken)
          return log.info({ audienceId }, 'audience removed or claimed elsewhere');
        if (awaitsDisk(error))
          await inScope(db.app, scope, (tx) =>
            store.updateAudience(tx, audienceId, { error: DISK_FULL }),
          ).catch(() => {});
        if (!(error instanceof FileFault)) throw error;
        await fail(begun, error.message);
      }
    }
    const row = await inScope(db.app, scope, (tx) => store.audienceById(tx, audienceId));
    if (row?.state === 'loading' && row.source === 'upload' && row.rows_added === 0n)
      await fail(row, 'No row in the file can be used.');
    const isFirst = row?.state === 'loading';
    const built = await builds.build(rootId, audienceId, more);
    // The file contains personal data, so it is kept only while it is needed.
    if (row?.file_path && row.state !== 'held') {
      await files.remove(row.file_path);
      await inScope(db.app, scope, (tx) => store.updateAudience(tx, audienceId, { file_path: null }));
    }
    if (built && isFirst)
      await inScope(db.app, scope, (tx) =>
        audit.recordSystem(tx, clock.now(), ownerOf(built), {
          action: 'audience.ready',
          objectKind: 'audience',
          objectId: audienceId,
          description: `The audience ${built.name} is ready: ${built.size === 1n ? '1 entry' : built.source === 'keywords' && built.size === 0n ? 'fewer than 20 people' : `${built.size} entries`}`,
        }),
      );
  }

  /** Deletes the members of an audience that failed or was removed; of a removed one its refused rows and its file, too. */
  async function clear({ rootId, audienceId }: WhichAudience, signal?: AbortSignal): Promise<void> {
    const scope = { rootId };
    const row = await inScope(db.app, scope, (tx) => store.audienceById(tx, audienceId));
    if (row?.state !== 'removed' && row?.state !== 'failed') return;
    for (let gone = CLEAR_STEP; gone === CLEAR_STEP; ) {
      signal?.throwIfAborted();
      gone = await inScope(db.app, scope, (tx) => store.deleteMembers(tx, audienceId, CLEAR_STEP));
    }
    if (row.state === 'failed') return;
    await inScope(db.app, scope, (tx) => store.deleteErrors(tx, audienceId));
    if (row.file_path) await files.remove(row.file_path);
  }

  jobs.hook(buildJob, {
    setAside: ({ rootId, audienceId }) =>
      inScope(db.app, { rootId }, async (tx) => {
        const row = await store.audienceById(tx, audienceId, true);
        // It is what it was, and due again after the usual time.
        if (row?.state === 'ready') await store.updateAudience(tx, audienceId, { queued_at: null });
        if (row?.state !== 'queued' && row?.state !== 'loading') return;
        await store.updateAudience(tx, audienceId, { state: 'held', error: HELD });
        await audit.recordSystem(tx, clock.now(), ownerOf(row), {
          action: 'audience.hold',
          objectKind: 'audience',
          objectId: audienceId,
          description: `The audience ${row.name} was put on hold because the server stopped twice while reading it`,
        });
      }),
    again: async (tx, { audienceId }) => {
      if ((await store.audienceById(tx, audienceId, true))?.state !== 'held')
        throw new Refusal('conflict', 'You can only retry an audience that is on hold.');
      // What was compared before may be on a list by now.
      await store.updateAudience(tx, audienceId, { state: 'queued', error: null, begun_at: null });
    },
  });

  return { take, build, clear };
}
