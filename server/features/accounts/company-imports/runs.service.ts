import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import {
  IMPORT_BYTES,
  IMPORT_KEPT_DAYS,
  type IMPORT_STATES,
  type IMPORT_STEPS,
  INVITED_AT_ONCE,
} from '../../../../contract/accounts/company-imports.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { awaitsDisk, DISK_FULL, needRoom } from '../../../platform/disk.ts';
import { newId } from '../../../platform/ids.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Auth } from '../auth/index.ts';
import type { Tenants } from '../tenants/index.ts';
import * as runs from './runs.store.ts';
import type { CompanyImports, ImportResult, Options, Progress } from './service.ts';
import { agencyById } from './store.ts';

const Which = z.object({ rootId: z.uuid(), runId: z.uuid() });
type WhichRun = z.output<typeof Which>;

/** Tries an import, or makes it. */
const runJob = defineJob('company_imports.run', Which, {
  retryLimit: 20,
  retryDelay: 5,
  retryDelayMax: 300,
  expireInSeconds: 6 * 60 * 60,
});
/** Deletes the archives of imports that have been kept for long enough. */
const endJob = defineJob('company_imports.end', z.object({}));

const LISTED = 50;
const STEP = 100;
const DAY_MS = 86_400_000;
/** How many sums of a comparison are kept for the page: those that differ come first. */
const SUMS = 300;
const MOVED_MS = 1000;
const LIMIT = `${IMPORT_BYTES / 1024 ** 3} GiB`;
const HELD = 'The server stopped twice during this import, so it is on hold. Nothing of it is visible.';
const GONE = 'The archive is no longer on this server. Upload it again.';
const UNEQUAL =
  'Nothing was imported, because the result would not be what the archive has. The differences are listed below.';
const GZIP = [0x1f, 0x8b];

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/** What the page shows of a result. */
const kept = ({ name, kind, newIds, conflicts, todo, balances, tables, comparison }: ImportResult) => ({
  name,
  kind,
  is_equal: comparison.isEqual,
  new_ids: newIds,
  conflicts,
  todo,
  held: balances.archive,
  opened: balances.choice === 'open' ? balances.opened : {},
  tables: comparison.tables
    .filter(({ rows }) => rows.archive > 0 || rows.here > 0)
    .map((one) => ({
      name: one.name,
      archive: one.rows.archive,
      here: one.rows.here,
      documents: one.documents,
      adapted: one.adapted,
      withheld: tables.find((table) => table.name === one.name)?.withheld ?? 0,
      is_equal: one.isEqual,
      differences: one.differences.map(
        ({ key, what, columns }) => `${key} ${what}${columns.length > 0 ? `: ${columns.join(', ')}` : ''}`,
      ),
    })),
  sums: comparison.sums
    .toSorted((a, b) => Number(a.isEqual) - Number(b.isEqual))
    .slice(0, SUMS)
    .map(({ kind: of, name: what, unit, archive, here, isEqual }) => ({
      ...{ kind: of, name: what, unit, archive, here },
      is_equal: isEqual,
    })),
});
type KeptResult = ReturnType<typeof kept>;

const shown = (row: runs.ShownRun) => ({
  id: row.id,
  file_name: row.file_name,
  bytes: Number(row.bytes),
  receiver_name: row.receiver_name ?? '',
  phase: row.phase,
  state: row.state as (typeof IMPORT_STATES)[number],
  step: row.step as (typeof IMPORT_STEPS)[number] | null,
  step_done: row.step_done,
  step_of: row.step_of,
  error: row.error,
  name: row.name ?? '',
  kind: row.kind,
  asked_by: row.asked_by_name ?? '',
  created_at: row.created_at.toISOString(),
  finished_at: row.finished_at?.toISOString() ?? null,
});

interface Running {
  signal?: AbortSignal;
  advanced?: () => void;
}

export type ImportRuns = ReturnType<typeof createImportRuns>;

/** Imports that a root starts from its page: tried first, then made (docs/decisions/0473-import-page.md). */
export function createImportRuns(
  { config, db, clock, jobs, files, log }: Platform,
  deps: { audit: Audit; auth: Auth; imports: CompanyImports; tenants: Tenants },
  most = IMPORT_BYTES,
) {
  const { audit, auth, imports, tenants } = deps;

  /** Keeps an archive as it arrives; returns its length. */
  async function take(body: AsyncIterable<Uint8Array>, file: string): Promise<number> {
    const path = files.pathOf(file);
    await mkdir(dirname(path), { recursive: true });
    await needRoom(config.dataDir);
    let bytes = 0;
    async function* limited() {
      for await (const piece of body) {
        if (bytes === 0 && piece.length > 0 && piece[0] !== GZIP[0])
          throw refusalOf('file', 'must be the archive of a full export (.tar.gz)');
        bytes += piece.length;
        if (bytes > most)
          throw new Refusal('too_large', `The archive must not be larger than ${LIMIT}.`, {
            errors: { file: [`must not be larger than ${LIMIT}`] },
          });
        yield piece;
      }
    }
    try {
      await pipeline(Readable.from(limited()), createWriteStream(path, { mode: 0o600 }));
      if (bytes === 0) throw refusalOf('file', 'is empty');
      await files.keep(file);
      return bytes;
    } catch (error) {
      await rm(path, { force: true }).catch(() => {});
      throw error;
    }
  }

  async function mayTake(tx: Tx, ctx: Ctx, receiverId: string | undefined): Promise<void> {
    await boundedBy(tx, 'importRuns', ctx.scope.rootId, 'file');
    if (receiverId && !(await agencyById(tx, receiverId))) throw refusalOf('receiver_id', 'is not an agency');
  }

  /** Adds a run, which is tried right away. */
  async function add(
    tx: Tx,
    ctx: Ctx,
    given: {
      id: string;
      receiverId: string | undefined;
      fileName: string;
      file: string;
      isExport: boolean;
      bytes: bigint;
    },
  ): Promise<void> {
    const { rootId } = ctx.scope;
    await runs.insertRun(tx, {
      id: given.id,
      root_id: rootId,
      company_id: rootId,
      receiver_id: given.receiverId ?? null,
      file_name: given.fileName,
      file_path: given.file,
      is_export: given.isExport,
      bytes: given.bytes,
      phase: 'try',
      state: 'queued',
      asked_by: ctx.actor.userId,
      created_at: clock.now(),
    });
    await queue(tx, ctx, given.id);
    await audit.record(tx, ctx, {
      action: 'company.import_try',
      objectKind: 'company_import',
      objectId: given.id,
      description: `Tried the import of the archive ${given.fileName}`,
    });
  }

  const queue = (tx: Tx, ctx: Ctx, runId: string): Promise<void> =>
    jobs.send(tx, runJob, [{ rootId: ctx.scope.rootId, runId }], { turn: ctx.scope.rootId });

  /** A run that is not under way, locked. @throws Refusal 404, 409 */
  async function idle(tx: Tx, id: string) {
    const row = (await runs.runById(tx, id, true)) ?? missing();
    if (row.state === 'queued' || row.state === 'running')
      throw new Refusal('conflict', 'This is still under way. Wait until it is done.');
    return row;
  }

  /**
   * Records how far an import is, once a second. From a timer, not from where the progress is reported: that is inside
   * the import's transaction, which must not wait for a second connection.
   */
  function teller(rootId: string, runId: string, advanced: (() => void) | undefined) {
    let latest: Progress | undefined;
    let writing: Promise<void> = Promise.resolve();
    const write = (): void => {
      if (!latest) return;
      const { step, done, of } = latest;
      latest = undefined;
      advanced?.();
      writing = writing.then(() =>
        inScope(db.app, { rootId }, (tx) =>
          runs.moveRun(tx, runId, { step, step_done: done, step_of: of }),
        ).catch((error: unknown) => log.warn({ err: error, runId }, 'progress was not recorded')),
      );
    };
    const timer = setInterval(write, MOVED_MS);
    return {
      progress: (step: Progress): void => {
        latest = step;
      },
      /** Records the last of it. */
      async told(): Promise<void> {
        clearInterval(timer);
        write();
        await writing;
      },
    };
  }

  /** Tries an import or makes it, from where an earlier run was cut off. */
  async function run({ rootId, runId }: WhichRun, more: Running = {}): Promise<void> {
    const found = await inScope(db.app, { rootId }, async (tx) => {
      const row = await runs.runById(tx, runId, true);
      if (row?.state !== 'queued' && row?.state !== 'running') return undefined;
      await runs.updateRun(tx, runId, { state: 'running', error: null });
      return row;
    });
    if (!found) return log.info({ runId }, 'import ended, or removed');
    const isTrial = found.phase === 'try';
    const end = (set: Parameters<typeof runs.updateRun>[2]) =>
      inScope(db.app, { rootId }, async (tx) => {
        // It may have been made by another process, or removed.
        if ((await runs.runById(tx, runId, true))?.state !== 'running') return;
        await runs.updateRun(tx, runId, { ...set, step: null, finished_at: clock.now() });
      });
    const steps = teller(rootId, runId, more.advanced);
    const options: Options = {
      balances: found.balances ?? undefined,
      newIds: found.new_ids,
      dryRun: isTrial,
      signal: more.signal,
      progress: steps.progress,
      // What was imported, and that it was, are one transaction.
      settled: (tx, result) =>
        runs.updateRun(tx, runId, {
          state: 'ready',
          step: null,
          error: null,
          result: JSON.stringify(kept(result)),
          made_id: result.companyId,
          finished_at: clock.now(),
        }),
    };
    try {
      if (!found.file_path || !(await files.has(found.file_path))) throw new Refusal('not_found', GONE);
      const target = { rootId, agencyId: found.receiver_id ?? undefined };
      const result = await imports.import(await files.get(found.file_path), target, options);
      await steps.told();
      if (result.isDone) {
        tenants.forgetHosts();
        return;
      }
      await end({
        result: JSON.stringify(kept(result)),
        ...(result.comparison.isEqual ? { state: 'ready' } : { state: 'refused', error: UNEQUAL }),
      });
    } catch (error) {
      await steps.told();
      if (error instanceof Refusal) return end({ state: 'refused', error: error.message });
      if (awaitsDisk(error))
        await inScope(db.app, { rootId }, (tx) => runs.updateRun(tx, runId, { error: DISK_FULL })).catch(
          () => {},
        );
      throw error;
    }
  }

  /** Deletes the archives of a root's imports that have been kept for long enough. */
  async function endOf(rootId: string): Promise<void> {
    const before = new Date(clock.now().getTime() - IMPORT_KEPT_DAYS * DAY_MS);
    for (;;) {
      const ended = await inScope(db.app, { rootId }, (tx) => runs.endedRuns(tx, rootId, before, STEP));
      for (const row of ended) {
        if (!row.is_export) await files.remove(row.file_path!);
        await inScope(db.app, { rootId }, (tx) => runs.updateRun(tx, row.id, { file_path: null }));
      }
      if (ended.length < STEP) return;
    }
  }

  jobs.hook(runJob, {
    setAside: ({ rootId, runId }) =>
      inScope(db.app, { rootId }, async (tx) => {
        const row = await runs.runById(tx, runId, true);
        if (row?.state === 'queued' || row?.state === 'running')
          await runs.updateRun(tx, runId, { state: 'held', error: HELD });
      }),
    again: async (tx, { runId }) => {
      if ((await runs.runById(tx, runId, true))?.state !== 'held')
        throw new Refusal('conflict', 'You can only retry an import that is on hold.');
      await runs.updateRun(tx, runId, { state: 'queued', error: null });
    },
  });

  return {
    list: (ctx: Ctx, search: string | undefined, limit: number, offset: number) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows, total } = await runs.pageOf(tx, search, limit, offset);
        return { rows: rows.map(shown), total };
      }),

    /** Full exports of this server that the root can import. */
    sources: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) =>
        (await runs.readyExports(tx, clock.now(), LISTED)).map(({ id, name, kind, created_at }) => ({
          ...{ id, name, kind },
          created_at: created_at.toISOString(),
        })),
      ),

    /** A run with its result. @throws Refusal 404 */
    one: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = (await runs.shownRun(tx, id)) ?? missing();
        const result = (await runs.resultOf(tx, id))?.result as KeptResult | null | undefined;
        return {
          ...shown(row),
          has_file: row.file_path !== null,
          new_ids: row.new_ids,
          made_id: row.made_id,
          to_invite: row.made_id ? await runs.uninvitedCount(tx, row.made_id) : 0,
          result: result ?? null,
        };
      }),

    /** Keeps an archive and tries it; returns the id. @throws Refusal 413, 422 */
    async submit(
      ctx: Ctx,
      given: { fileName: string; receiverId: string | undefined },
      body: AsyncIterable<Uint8Array>,
    ): Promise<string> {
      await inScope(db.app, ctx.scope, (tx) => mayTake(tx, ctx, given.receiverId));
      const id = newId(clock.now());
      const file = `company-imports/${id}.tar.gz`;
      const bytes = await take(body, file);
      try {
        await ctx.mustStill();
        await inScope(db.app, ctx.scope, async (tx) => {
          await mayTake(tx, ctx, given.receiverId);
          await add(tx, ctx, { ...given, id, file, isExport: false, bytes: BigInt(bytes) });
        });
      } catch (error) {
        await files.remove(file).catch(() => {});
        throw error;
      }
      return id;
    },

    /** Tries a full export of this server; returns the id. @throws Refusal 404, 422 */
    fromExport: (ctx: Ctx, exportId: string, receiverId: string | undefined): Promise<string> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const [found] = await runs.readyExports(tx, clock.now(), 1, exportId);
        if (!found) return missing();
        await mayTake(tx, ctx, receiverId);
        const id = newId(clock.now());
        const fileName = `${found.name.slice(0, 200)} (${found.created_at.toISOString().slice(0, 10)})`;
        const bytes = found.bytes!;
        await add(tx, ctx, { id, receiverId, fileName, file: found.file_path!, isExport: true, bytes });
        return id;
      }),

    /** Tries once more. @throws Refusal 404, 409 */
    again: (ctx: Ctx, id: string, newIds: boolean): Promise<void> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await idle(tx, id);
        if (row.made_id) throw new Refusal('conflict', 'This was imported. Upload the archive again.');
        if (!row.file_path) throw new Refusal('conflict', GONE);
        await runs.updateRun(tx, id, {
          ...{ phase: 'try', state: 'queued', new_ids: newIds, balances: null },
          ...{ result: null, error: null, finished_at: null, step: null },
        });
        await queue(tx, ctx, id);
        await audit.record(tx, ctx, {
          action: 'company.import_try',
          objectKind: 'company_import',
          objectId: id,
          description: `Tried the import of the archive ${row.file_name} again`,
        });
      }),

    /** Starts an import that was tried. @throws Refusal 404, 409, 422 */
    start: (ctx: Ctx, id: string, balances: 'open' | 'none' | undefined): Promise<void> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await idle(tx, id);
        if (row.phase !== 'try' || row.state !== 'ready')
          throw new Refusal('conflict', 'You can only import what was tried and can be imported.');
        if (!row.file_path) throw new Refusal('conflict', GONE);
        const result = row.result as unknown as KeptResult;
        if (Object.keys(result.held).length > 0 && !balances)
          throw refusalOf('balances', 'must be chosen, because the archive has balances');
        await runs.updateRun(tx, id, {
          ...{ phase: 'import', state: 'queued', balances: balances ?? null, finished_at: null },
        });
        await queue(tx, ctx, id);
        await audit.record(tx, ctx, {
          action: 'company.import_start',
          objectKind: 'company_import',
          objectId: id,
          description: `Started the import of the ${result.kind} ${result.name} from the archive ${row.file_name}`,
        });
      }),

    /**
     * Invites imported users who have no password, some at a time; returns how many, and how many are left.
     * @throws Refusal 404, 409 if there is no one to invite, or no host where they would sign in
     */
    async invite(ctx: Ctx, id: string): Promise<{ invited: number; left: number }> {
      const made = await inScope(db.app, ctx.scope, async (tx) => {
        const row = (await runs.runById(tx, id)) ?? missing();
        if (!row.made_id) throw new Refusal('conflict', 'Import the company first.');
        return { companyId: row.made_id, agencyId: row.receiver_id ?? row.made_id };
      });
      const host = await tenants.primaryHost(made.agencyId);
      if (!host)
        throw new Refusal(
          'conflict',
          'The agency has no subdomain yet, so its users could not sign in. Set it in the list of agencies first.',
        );
      // Each is invited by the company above, and clients never see who is above their agency.
      const senders = {
        agency: await auth.invites.sender(ctx, ctx.scope.rootId),
        client: { ...(await auth.invites.sender(ctx, made.agencyId)), host },
      };
      return inScope(db.app, ctx.scope, async (tx) => {
        const users = await runs.uninvited(tx, made.companyId, INVITED_AT_ONCE);
        if (users.length === 0) throw new Refusal('conflict', 'Everyone has been invited.');
        for (const { company_kind, agency_id, ...user } of users)
          await auth.invites.invite(
            tx,
            ctx,
            senders[company_kind as 'agency' | 'client'],
            { ...user, agency_id: agency_id! },
            host,
          );
        await audit.record(tx, ctx, {
          action: 'company.import_invite',
          objectKind: 'company_import',
          objectId: id,
          description: `Invited ${users.length} users of an imported company`,
        });
        return { invited: users.length, left: await runs.uninvitedCount(tx, made.companyId) };
      });
    },

    /** Deletes a run with its archive. What it imported stays. @throws Refusal 404, 409 */
    async remove(ctx: Ctx, id: string): Promise<void> {
      const row = await inScope(db.app, ctx.scope, async (tx) => {
        const found = await idle(tx, id);
        await runs.updateRun(tx, id, { state: 'removed', file_path: null });
        await audit.record(tx, ctx, {
          action: 'company.import_remove',
          objectKind: 'company_import',
          objectId: id,
          description: `Deleted the archive ${found.file_name} from the list of imports`,
        });
        return found;
      });
      if (row.file_path && !row.is_export) await files.remove(row.file_path);
    },

    run,
    endAll: (): Promise<void> => tenants.eachRoot(endOf),

    /** Runs the jobs in this process. */
    async work(): Promise<void> {
      await jobs.work(runJob, { pollingIntervalSeconds: 2 }, run);
      await jobs.work(endJob, { pollingIntervalSeconds: 30 }, () => tenants.eachRoot(endOf));
      await jobs.schedule(endJob, '25 * * * *', {});
    },
  };
}
