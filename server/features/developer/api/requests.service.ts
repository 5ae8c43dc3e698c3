import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { ApiCaller } from './auth.service.ts';
import { KEPT_MS } from './once.store.ts';
import {
  type Described,
  isWhole,
  redacted,
  safeAgent,
  safeKey,
  safePath,
  safeProblem,
} from './requests.policy.ts';
import * as store from './requests.store.ts';

/** How long a request waits to be written with others, and how many wait at most. */
const WAIT_MS = 500;
const AT_ONCE = 500;
const MOST_WAITING = 10_000;
/** How many requests a list counts. */
const MOST_COUNTED = 10_000;
const STEP = 5_000;

/** A request that was answered. */
export interface Answered {
  id: string;
  caller: ApiCaller;
  method: string;
  route: string;
  url: string;
  status: number;
  durationMs: number;
  idempotencyKey: string | undefined;
  body: unknown;
  /** The reason given for the refusal. */
  problem: object | undefined;
}

export type Requests = ReturnType<typeof createRequests>;

/**
 * The log of requests with keys. They are written together, after their answers: none waits for the log, and those of
 * the last half second are lost if the process dies.
 * @param describedOf what a request may have, by its method and route
 */
export function createRequests(
  { db, clock, log }: Platform,
  describedOf: (method: string, route: string) => Described,
) {
  let waiting: { row: store.RequestRow; place: Owner & { agency_id: string } }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();

  async function write(batch: typeof waiting): Promise<void> {
    const byRoot = Map.groupBy(batch, ({ row }) => row.root_id);
    for (const [rootId, rows] of byRoot)
      await inScope(db.app, { rootId }, (tx) =>
        store.insert(
          tx,
          rows.map(({ row }) => row),
        ),
      );
    const counts = new Map<string, Parameters<typeof store.count>[1][number]>();
    for (const { row, place } of batch) {
      const day = row.at.toISOString().slice(0, 10);
      const key = `${place.company_id} ${day}`;
      const so = counts.get(key) ?? { ...place, day, requests: 0n, refused: 0n };
      counts.set(key, {
        ...so,
        requests: so.requests + 1n,
        refused: so.refused + (row.status >= 400 ? 1n : 0n),
      });
    }
    // In one order, so that two processes that count at once wait for each other instead of blocking.
    const sorted = [...counts.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    for (const [rootId, rows] of Map.groupBy(sorted, (row) => row.root_id))
      await inScope(db.app, { rootId }, (tx) => store.count(tx, rows));
  }

  /** Writes what waits. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    flushing = flushing.then(async () => {
      while (waiting.length > 0) {
        const batch = waiting.slice(0, AT_ONCE);
        try {
          await write(batch);
        } catch (error) {
          // Without a database there are few requests, and none of them is worth its own error.
          log.warn({ err: error, lost: batch.length }, 'requests of API keys were not logged');
        }
        waiting = waiting.slice(batch.length);
      }
    });
    return flushing;
  }

  const wire = (row: Awaited<ReturnType<typeof store.page>>['rows'][number]) => ({
    id: row.id,
    at: row.at.toISOString(),
    key_id: row.key_id,
    key_name: row.key_name,
    client_id: row.client_id,
    mode: row.mode,
    method: row.method,
    route: row.route,
    path: row.path,
    status: row.status,
    duration_ms: row.duration_ms,
    ip: row.ip,
  });

  return {
    flush,

    /** Notes a request; it is written shortly after. */
    add({
      id,
      caller,
      method,
      route,
      url,
      status,
      durationMs,
      idempotencyKey,
      body,
      problem,
    }: Answered): void {
      if (waiting.length >= MOST_WAITING) return;
      const { ctx, key, home } = caller;
      const { rootId, companyId } = ctx.actor;
      const described = describedOf(method, route);
      waiting.push({
        place: { root_id: rootId, agency_id: companyId, company_id: companyId },
        row: {
          id,
          ...home,
          key_id: key.id,
          mode: key.mode,
          method,
          route,
          path: safePath(url, described),
          status,
          duration_ms: Math.round(durationMs),
          ip: ctx.ip,
          user_agent: safeAgent(ctx.userAgent),
          idempotency_key: idempotencyKey === undefined ? null : safeKey(idempotencyKey),
          body: redacted(body, described),
          problem: problem ? safeProblem(problem, { url, body }, described) : null,
          at: clock.now(),
        },
      });
      if (waiting.length >= AT_ONCE) void flush();
      else timer ??= setTimeout(() => void flush(), WAIT_MS).unref();
    },

    /** A page of the requests with the keys of the user's own agency, the newest first. */
    page: (ctx: Ctx, asked: store.Wanted & { page: number; per_page: number }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { page: Page, per_page, ...filter } = asked;
        const { rows, total } = await store.page(tx, ctx.actor.companyId, filter, {
          limit: per_page,
          offset: (Page - 1) * per_page,
          most: MOST_COUNTED,
        });
        return { rows: rows.map(wire), total };
      }),

    /** One request with what was sent. @throws Refusal 404 */
    one: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows } = await store.page(tx, ctx.actor.companyId, { id }, { limit: 1, offset: 0, most: 1 });
        const [row] = rows;
        if (!row) throw new Refusal('not_found', ownMessages.notFound);
        return {
          ...wire(row),
          user_agent: row.user_agent ?? '',
          idempotency_key: row.idempotency_key,
          body: row.body,
          problem: row.problem,
          can_replay: row.method === 'GET' && isWhole(row.path),
        };
      }),

    /** What the keys of a company did, by day: of its own keys, or of the test keys if it is a sandbox. */
    usage: (ctx: Ctx, from: string, to: string) =>
      inScope(db.app, ctx.scope, (tx) => store.usage(tx, ctx.actor.companyId, from, to)),

    countOld: store.countOld,
    /** Deletes some requests from before an instant; returns how many. */
    forget: (tx: Tx, before: Date, most: number) =>
      store.forget(tx, { requests: before, writes: new Date(0) }, most),
    /** Deletes answers to writes that are not repeated any more. */
    async forgetAnswers(): Promise<void> {
      const writes = new Date(clock.now().getTime() - KEPT_MS);
      while ((await store.forget(db.app, { requests: new Date(0), writes }, STEP)) > 0);
    },
  };
}
