import { Refusal } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { JOB_TITLES } from '../../../../contract/operations/jobs.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import * as store from './store.ts';

export type BackgroundJobs = ReturnType<typeof createBackgroundJobs>;

const titleOf = (kind: string): string => JOB_TITLES[kind] ?? kind;

/** Background jobs that were set aside: reported to the root they concern, and retried on request. */
export function createBackgroundJobs(
  { db, clock, jobs }: Platform,
  { audit, tenants }: { audit: Audit; tenants: Pick<Tenants, 'roots'> },
) {
  jobs.onSetAside(async ({ id, kind, ...about }) => {
    // Jobs that do not belong to a single root are reported to the master root, the first one.
    const rootId = about.rootId ?? (await tenants.roots())[0];
    if (!rootId) return;
    await inScope(db.app, { rootId }, (tx) =>
      audit.recordSystem(
        tx,
        clock.now(),
        { root_id: rootId, agency_id: null, company_id: rootId },
        {
          action: 'job.set_aside',
          objectKind: 'job',
          objectId: id,
          description: `Set aside the background job ${titleOf(kind)} (${kind}) because the server stopped twice while it was running`,
        },
      ),
    );
  });

  return {
    /**
     * The jobs that were set aside, newest first; those that do not belong to a single root are listed for the master
     * root.
     */
    list: (ctx: Ctx, input: { page: number; per_page: number }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows, total } = await store.pageOfStopped(
          tx,
          input.per_page,
          (input.page - 1) * input.per_page,
        );
        return page(
          rows.map((row) => ({
            id: row.key,
            kind: row.kind,
            title: titleOf(row.kind),
            about: aboutOf(row.payload),
            starts: row.starts,
            set_aside_at: row.set_aside_at!.toISOString(),
          })),
          total,
          input,
        );
      }),

    /**
     * Retries a job.
     * @throws Refusal 404 if it is not set aside
     */
    tryAgain: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await store.stoppedByKey(tx, id);
        if (!row) throw new Refusal('not_found', ownMessages.notFound);
        await jobs.again(tx, row.kind, row.payload);
        await audit.record(tx, ctx, {
          action: 'job.again',
          objectKind: 'job',
          objectId: row.key,
          description: `Retried the background job ${titleOf(row.kind)} (${row.kind})`,
        });
        return { result: 'success' as const, message: messages.updated };
      }),
  };
}

/** What a payload names in addition to its root: 'importId 0198…'. */
function aboutOf(payload: Record<string, unknown>): string {
  return Object.entries(payload)
    .filter(([name]) => name !== 'rootId')
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}
