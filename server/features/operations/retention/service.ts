import { z } from 'zod';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import {
  RETENTION,
  type RetentionKind,
  type RetentionRule,
} from '../../../../contract/operations/retention.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { type Db, inScope, type Tx } from '../../../platform/db/scope.ts';
import { defineJob, type RunningJob } from '../../../platform/jobs.ts';
import type { Mail } from '../../../platform/mail.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import { type Audit, countDetails, forgetDetails } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import * as store from './store.ts';

const DAY_MS = 86_400_000;
/** How much is counted of what a run would remove, for each root. */
const COUNTED = 10_000;
/** How much one transaction removes. */
const STEP = 1_000;

/** Deletes what is older than it is kept; runs hourly. The first run after a period was shortened can take hours. */
const runJob = defineJob('retention.run', z.object({}), { expireInSeconds: 12 * 60 * 60 });

const rules: Record<RetentionKind, RetentionRule> = RETENTION;
const KINDS = Object.keys(RETENTION) as RetentionKind[];

/** How the feature that owns a kind of data counts and removes what is old. */
export interface Keeper {
  /** 'root': each root's, in its scope. 'platform': all at once, in the master root's scope. */
  of: 'root' | 'platform';
  /** How much is from before an instant, counted up to `most`. */
  count(tx: Tx, rootId: string, before: Date, most: number): Promise<number>;
  /** Removes some of it, about `most`; returns how much, and 0 only if nothing is left. */
  remove(tx: Tx, rootId: string, before: Date, most: number): Promise<number>;
}

export type Retention = ReturnType<typeof createRetention>;

/**
 * How long each kind of data is kept (docs/decisions/0491-retention.md). The features that own the data say how it is
 * counted and removed; this one knows the periods and runs them all.
 */
export function createRetention(
  { db, clock, config, jobs, log }: Pick<Platform, 'db' | 'clock' | 'config' | 'jobs' | 'log'>,
  { audit, tenants, mail }: { audit: Audit; tenants: Pick<Tenants, 'roots' | 'company'>; mail: Mail },
) {
  const keepers = new Map<RetentionKind, Keeper>();
  const defaultOf = (kind: RetentionKind): number | null =>
    kind === 'visits' ? config.visitRetentionDays : rules[kind].days;
  const since = (days: number): Date => new Date(clock.now().getTime() - days * DAY_MS);
  const keeperOf = (kind: RetentionKind): Keeper => {
    const keeper = keepers.get(kind);
    if (!keeper) throw new Error(`No feature removes ${kind}`);
    return keeper;
  };
  const scopesOf = (kind: RetentionKind, roots: readonly string[]) =>
    keeperOf(kind).of === 'root' ? roots : roots.slice(0, 1);

  /** @throws Refusal 404 for anyone except the master root */
  async function masterOnly(ctx: Ctx): Promise<void> {
    const own = await inScope(db.app, ctx.scope, (tx) => tenants.company(tx, ctx.actor.companyId));
    if (own?.kind !== 'root' || !own.is_master) throw new Refusal('not_found', ownMessages.notFound);
  }

  async function dueOf(kind: RetentionKind, days: number | null, roots: readonly string[]) {
    let due = 0;
    if (days !== null)
      for (const rootId of scopesOf(kind, roots))
        due += await inScope(db.app, { rootId }, (tx) =>
          keeperOf(kind).count(tx, rootId, since(days), COUNTED + 1),
        );
    return { due: Math.min(due, COUNTED), is_due_more: due > COUNTED };
  }

  /** Removes what is old of one kind, a step at a time, each in a transaction of its own. */
  async function purge(kind: RetentionKind, days: number, roots: readonly string[], job?: RunningJob) {
    const before = since(days);
    const master = { rootId: roots[0]! };
    await inScope(db.app, master, (tx) => store.beginRun(tx, kind, clock.now()));
    let total = 0;
    for (const rootId of scopesOf(kind, roots))
      for (;;) {
        // What is left is removed by the next run, which goes on with this one.
        if (job?.signal.aborted) return;
        const removed = await inScope(db.app, { rootId }, async (tx) => {
          const n = await keeperOf(kind).remove(tx, rootId, before, STEP);
          if (n > 0) await store.countRemoved(tx, kind, n);
          return n;
        });
        if (removed === 0) break;
        total += removed;
        job?.advanced();
      }
    await inScope(db.app, master, (tx) => store.endRun(tx, kind, clock.now()));
    if (total > 0) log.info({ kind, removed: total }, 'removed data past retention');
  }

  /** The days of every kind now. */
  async function allDays(at: Db = db.app): Promise<Map<RetentionKind, number | null>> {
    const changed = await store.changedDays(at);
    return new Map(KINDS.map((kind) => [kind, changed.get(kind) ?? defaultOf(kind)]));
  }

  const retention = {
    /** Says how a kind of data is counted and removed. Called once by the feature that owns it. */
    keep(kind: RetentionKind, keeper: Keeper): void {
      if (keepers.has(kind)) throw new Error(`Two features remove ${kind}`);
      keepers.set(kind, keeper);
    },

    /** How long each kind is kept, what the next run removes, and what the last one did. @throws Refusal 404 */
    async list(ctx: Ctx, input: { page: number; per_page: number }) {
      await masterOnly(ctx);
      const days = await allDays();
      const roots = await tenants.roots();
      const runs = new Map(
        (await inScope(db.app, ctx.scope, (tx) => store.runs(tx))).map((row) => [row.kind, row]),
      );
      const shown = KINDS.slice((input.page - 1) * input.per_page, input.page * input.per_page);
      const rows = [];
      for (const kind of shown) {
        const run = runs.get(kind);
        rows.push({
          kind,
          title: rules[kind].title,
          days: days.get(kind)!,
          default_days: defaultOf(kind),
          is_changed: (run?.days ?? null) !== null,
          ...(await dueOf(kind, days.get(kind)!, roots)),
          started_at: run?.started_at?.toISOString() ?? null,
          finished_at: run?.finished_at?.toISOString() ?? null,
          removed: Number(run?.removed ?? 0n),
        });
      }
      return page(rows, KINDS.length, input);
    },

    /** What would be removed if a kind was kept for so many days. @throws Refusal 404 */
    async preview(ctx: Ctx, { kind, days }: { kind: RetentionKind; days: number }) {
      await masterOnly(ctx);
      return dueOf(kind, days, await tenants.roots());
    },

    /** Changes how long a kind is kept, from the next run on. @throws Refusal 404, 422 */
    async change(ctx: Ctx, { kind, days }: { kind: RetentionKind; days: number | null }) {
      await masterOnly(ctx);
      const { min, max, title } = rules[kind];
      if (days !== null && (days < min || days > max))
        throw refusalOf('days', `must be from ${min} to ${max}`);
      const words = (value: number | null) =>
        value === null ? 'as long as the account exists' : `${value} days`;
      return inScope(db.app, ctx.scope, async (tx) => {
        const before = (await allDays(tx)).get(kind)!;
        await store.setDays(tx, kind, days);
        await audit.record(tx, ctx, {
          action: 'retention.change',
          objectKind: 'company',
          objectId: ctx.actor.companyId,
          description: `${title} are kept for ${words(days ?? defaultOf(kind))} instead of ${words(before)}`,
        });
        return { result: 'success' as const, message: messages.updated };
      });
    },

    /** How long each kind is kept, for everyone to read. */
    async horizons() {
      const days = await allDays();
      return { data: KINDS.map((kind) => ({ kind, title: rules[kind].title, days: days.get(kind)! })) };
    },

    /** Removes what is older than it is kept, of one kind or of all. One that fails does not keep the others from it. */
    async run(only?: RetentionKind, job?: RunningJob): Promise<void> {
      const roots = await tenants.roots();
      if (roots.length === 0) return;
      const failures: unknown[] = [];
      for (const [kind, days] of await allDays()) {
        if (days === null || (only && kind !== only)) continue;
        if (job?.signal.aborted) break;
        await purge(kind, days, roots, job).catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },

    async start(): Promise<void> {
      await jobs.work(runJob, { pollingIntervalSeconds: 60 }, (_, job) => this.run(undefined, job));
      await jobs.schedule(runJob, '23 * * * *', {});
    },
  };

  // Those of features below, which do not know this one.
  retention.keep('user_log', { of: 'root', count: countDetails, remove: forgetDetails });
  retention.keep('emails', {
    of: 'root',
    count: (tx, _, before, most) => mail.countOld(tx, before, most),
    remove: (tx, _, before, most) => mail.forget(tx, before, most),
  });
  return retention;
}
