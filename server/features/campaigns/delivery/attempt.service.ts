import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import { together } from '../../../platform/together.ts';
import type { ConnectionRow } from '../connections/index.ts';
import { createAlerts } from './alert.service.ts';
import type { DeliveryDeps } from './deps.ts';
import { alertOf, attemptRow, isOpen, judge, type LeadData, type Outcome, type Verdict } from './policy.ts';
import { enqueueSends, type SendPayload, sendJob } from './queue.ts';
import { HANDED_ON, opensAt } from './rules.policy.ts';
import type { deliveryRules } from './rules.service.ts';
import { type Sender, type Target, webhookOf } from './send.service.ts';
import { createSlowness } from './slow.ts';
import * as store from './store.ts';

/** How long a delivery waits for a token that another process renews. */
const RENEWAL_WAIT_MS = 5_000;
/** What comes within this time is read together, and what ends within this time is recorded together. */
const GATHER_TO_READ_MS = 1;
const GATHER_TO_RECORD_MS = 15;

type Row = store.DeliveryToSend;
type VendorTarget = Target & { kind: 'vendor' };

/** A job whose delivery is to be read. */
interface Asked {
  payload: SendPayload;
  /** The token of its connection was renewed a moment ago. */
  isRenewed: boolean;
}

/** What a job has to do; null: nothing more. `stale`: renew the token of this vendor first. */
type Ready =
  | { row: Row; batch: { row: Row; data: LeadData }[]; target: Target }
  | { row: Row; why: string }
  | { stale: string }
  | null;

/** What came of the attempts of one job, to be recorded. */
interface Made {
  payload: SendPayload;
  now: Date;
  all: { row: Row; outcome: Outcome; verdict: Verdict }[];
  target: Target | undefined;
}

type Deps = Pick<DeliveryDeps, 'audit' | 'connections' | 'leads' | 'notices' | 'tenants' | 'campaigns'> & {
  rules: Pick<ReturnType<typeof deliveryRules>, 'leftOut' | 'passedOn'>;
  sender: Sender;
};

/**
 * Returns what makes attempts. Those of a root that are due together are read in one transaction, sent outside any, and
 * recorded in one transaction with the jobs for the next ones.
 */
export function createAttempts(platform: Platform, deps: Deps) {
  const { db, clock, jobs, metrics } = platform;
  const attempts = metrics.counter(
    'platform_delivery_attempts_total',
    'Attempts to deliver a lead, by kind of destination and what came of them',
    ['destination', 'outcome'],
  );
  const durations = metrics.histogram(
    'platform_delivery_attempt_seconds',
    'How long destinations took to answer',
    ['destination'],
  );
  const { audit, connections, leads, rules, sender } = deps;
  const alerts = createAlerts(platform, deps);
  const slowness = createSlowness(clock);

  /** The connections through which deliveries go, kept as they are until the transaction ends. */
  async function connectionsOf(tx: Tx, rows: Iterable<Row>): Promise<Map<string, ConnectionRow>> {
    const ids = new Set(Array.from(rows, (row) => row.connection_id).filter((id) => id !== null));
    return new Map((await connections.shared(tx, [...ids])).map((row) => [row.id, row]));
  }

  /**
   * Where a delivery goes now. `wait`: not now, because its connection is broken or paused (null) or because the vendor
   * asked to wait, or its account's turn has not come. `stale`: its connection's token has to be renewed first.
   */
  async function targetOf(
    tx: Tx,
    row: Row,
    connection: ConnectionRow | undefined,
  ): Promise<Target | { wait: Date | null } | { stale: string } | string> {
    if (row.kind === 'webhook') return webhookOf(row, row.message_id);
    if (!connection) return 'Not sent: the connection was removed.';
    if (connection.state !== 'connected') return { wait: null };
    if (connection.held_until && connection.held_until > clock.now()) return { wait: connection.held_until };
    const vendor = connections.vendor(connection.vendor);
    if (connections.signIns.isStale(connection)) return { stale: vendor.id };
    const way = connections.wayOf(vendor, connection);
    if (!way) return 'Not sent: the address of the connection is not valid.';
    const turn = vendor.queue ? connection : undefined;
    const free = turn && (await connections.queues.take(tx, turn, vendor.queue!));
    if (free) return { wait: free };
    return {
      kind: 'vendor',
      vendor,
      way,
      settings: row.settings,
      mapping: row.mapping,
      ...(turn ? { turn } : {}),
    };
  }

  /** When the hours of its destination open for a delivery; null: they are open. Tests go out at any time. */
  const opensFor = (row: Row, at: Date): Date | null =>
    row.is_test ? null : opensAt(row.rules?.hours, row.time_zone, at);

  /** Ends a delivery that the rules leave out. */
  async function skip(tx: Tx, row: Row, why: string): Promise<null> {
    await store.settle(
      tx,
      row,
      { state: 'skipped', next_at: null, delivered_at: null },
      attemptRow(notSent(clock.now(), `Not sent: ${why}`)),
    );
    await leads.changed(tx, [row.lead_id]);
    return null;
  }

  /** Other deliveries of the same destination that are due and can go out with one that is about to be sent. */
  async function dueWith(tx: Tx, row: Row, most: number): Promise<{ row: Row; data: LeadData }[]> {
    const rows = await store.dueWith(tx, row, clock.now(), most - 1);
    const dataOf = await messagesOf(tx, row.root_id, rows);
    const batch: { row: Row; data: LeadData }[] = [];
    for (const one of rows) {
      const data = dataOf(one);
      // What cannot be sent is reported by its own job.
      if (typeof data === 'string') continue;
      const leftOut = await rules.leftOut(tx, one, data);
      if (leftOut) await skip(tx, one, leftOut);
      else batch.push({ row: one, data });
    }
    return batch;
  }

  /** The messages of deliveries about to be sent, or why there is none. */
  async function messagesOf(
    tx: Tx,
    rootId: string,
    rows: Iterable<Row>,
  ): Promise<(row: Row) => LeadData | string> {
    const ids = [...new Set(Array.from(rows, (row) => row.lead_id).filter((id) => id !== null))];
    const withheld = ids.length > 0 ? await leads.withheldIn(tx, rootId, ids) : new Set<string>();
    const messages = ids.length > 0 ? await leads.message(tx, ids) : new Map<string, LeadData>();
    return ({ integration_state, kind, lead_id }) => {
      if (integration_state !== 'enabled')
        return `Not sent: the ${kind === 'webhook' ? 'webhook' : 'destination'} is ${integration_state}.`;
      if (lead_id && withheld.has(lead_id)) return 'Not sent: the person is on an exclusion list.';
      return (lead_id && messages.get(lead_id)) || 'Not sent: this lead’s personal data was erased.';
    };
  }

  /** Reads what the jobs of a root have to do, in one transaction. */
  const read = together(
    GATHER_TO_READ_MS,
    ({ payload }: Asked) => payload.rootId,
    (all) =>
      inScope(db.app, { rootId: all[0]!.payload.rootId }, async (tx): Promise<Ready[]> => {
        const found = await store.deliveriesToSend(
          tx,
          all.map(({ payload }) => payload.deliveryId),
        );
        const rows = new Map(found.map((row) => [row.id, row]));
        const due = all.flatMap((asked) => {
          const row = rows.get(asked.payload.deliveryId);
          return row && isDue(asked.payload, row) ? [{ asked, row }] : [];
        });
        // Leads are locked in one order, whichever processes judge them.
        due.sort((a, b) => ((a.row.lead_id ?? '') < (b.row.lead_id ?? '') ? -1 : 1));
        const dueRows = due.map(({ row }) => row);
        const known = await connectionsOf(tx, dueRows);
        const dataOf = await messagesOf(tx, all[0]!.payload.rootId, dueRows);
        const ready = new Map<Asked, Ready>();
        for (const { asked, row } of due)
          ready.set(asked, await readOne(tx, asked, row, dataOf(row), known.get(row.connection_id ?? '')));
        const marked = [...ready.values()].flatMap((one) =>
          one && 'target' in one && one.target.kind === 'vendor' && one.target.vendor.find
            ? unknownOf(one.batch.map(({ row }) => row))
            : [],
        );
        await store.markInDoubt(tx, marked);
        return all.map((asked) => ready.get(asked) ?? null);
      }),
  );

  async function readOne(
    tx: Tx,
    { payload, isRenewed }: Asked,
    row: Row,
    data: LeadData | string,
    connection: ConnectionRow | undefined,
  ): Promise<Ready> {
    if (row.integration_state !== 'enabled' && (await rules.passedOn(tx, row)))
      return skip(tx, row, HANDED_ON);
    if (typeof data === 'string') return { row, why: data };
    const leftOut = await rules.leftOut(tx, row, data);
    if (leftOut) return skip(tx, row, leftOut);
    const opens = opensFor(row, clock.now());
    const target = opens ? { wait: opens } : await targetOf(tx, row, connection);
    if (typeof target === 'string') return { row, why: target };
    if ('stale' in target && !isRenewed) return target;
    if ('stale' in target || 'wait' in target) {
      const at = 'wait' in target ? target.wait : new Date(clock.now().getTime() + RENEWAL_WAIT_MS);
      await store.postpone(tx, row.id, at, opens !== null);
      if (at) await enqueueSends(jobs, tx, [{ ...payload, dueAt: at.toISOString() }], at);
      return null;
    }
    const batch = [{ row, data }];
    if (target.kind === 'vendor' && target.vendor.deliverMany && !row.is_test)
      batch.push(...(await dueWith(tx, row, target.vendor.queue?.most ?? 1)));
    return { row, batch, target };
  }

  /** Records what came of the attempts of a root's jobs and enqueues the next ones, in one transaction. */
  const record = together(
    GATHER_TO_RECORD_MS,
    ({ payload }: Made) => payload.rootId,
    (made) =>
      inScope(db.app, { rootId: made[0]!.payload.rootId }, async (tx) => {
        const all = made.flatMap((one) => one.all.map((rest) => ({ ...rest, made: one })));
        const nextAt = new Map<string, Date>();
        const settled = await store.settleAll(
          tx,
          all.map(({ row, outcome, verdict, made: { now } }) => {
            const retryAt = 'nextAt' in verdict ? verdict.nextAt : null;
            const opens = retryAt && opensFor(row, retryAt);
            const at = opens ?? retryAt;
            if (at) nextAt.set(row.id, at);
            return {
              delivery: row,
              set: {
                state: verdict.state,
                next_at: at,
                waits_for_hours: Boolean(opens),
                delivered_at: verdict.state === 'delivered' ? now : null,
                ...(outcome.remoteId === undefined ? {} : { remote_id: outcome.remoteId }),
                refuses_email: outcome.refusesEmail ?? false,
              },
              attempt: attemptRow(outcome),
            };
          }),
        );
        const next = all.flatMap(({ row, made: { payload } }) => {
          if (!settled.has(row.id) || !nextAt.has(row.id)) return [];
          const { dueAt: _, isSlow: __, ...rest } = payload;
          return [{ ...rest, deliveryId: row.id, attempt: row.attempts + 1 }];
        });
        await enqueueSends(jobs, tx, next, ({ deliveryId }) => nextAt.get(deliveryId));
        for (const one of made) await afterwards(tx, one);
        // What is tried again is as pending as before.
        await leads.changed(
          tx,
          all.map(({ row, verdict }) => (verdict.state === 'pending' ? null : settled.get(row.id))),
        );
        return made.map(() => undefined);
      }),
  );

  /** What an attempt means for its connection, its account's turn, and its destination. */
  async function afterwards(tx: Tx, { now, all, target }: Made): Promise<void> {
    const [{ row }] = all as [Made['all'][number]];
    const waits = all.flatMap(({ outcome }) => outcome.afterMs ?? []);
    if (waits.length > 0 && row.connection_id)
      await connections.hold(tx, row.connection_id, new Date(now.getTime() + Math.max(...waits)));
    if (all.some(({ outcome }) => outcome.gone)) await disableGone(tx, row.integration_id, now);
    if (target?.kind === 'vendor' && target.turn)
      await connections.queues.give(tx, target.turn, target.vendor.queue!, target.calls ?? 0);
  }

  /** 410 Gone: the endpoint wants no more. */
  async function disableGone(tx: Tx, id: string, now: Date): Promise<void> {
    const row = await store.integrationById(tx, id, true);
    if (row?.state !== 'enabled') return;
    await store.updateIntegration(tx, id, { state: 'disabled', state_reason: 'gone', updated_at: now });
    const { root_id, agency_id, company_id } = row;
    await audit.recordSystem(
      tx,
      now,
      { root_id, agency_id, company_id },
      {
        action: 'integration.disabled',
        objectKind: 'integration',
        objectId: id,
        description: `The webhook ${row.url} returned 410 Gone and was disabled`,
      },
    );
  }

  /** Judges the results of attempts, has them recorded, and notifies the company if they are news. */
  async function settle(
    payload: SendPayload,
    attempted: { row: Row; outcome: Outcome }[],
    target?: Target,
  ): Promise<void> {
    const now = clock.now();
    const all = attempted.map((one) => ({
      ...one,
      verdict: judge(one.outcome, one.row.attempts + 1, now, Math.random()),
    }));
    await record({ payload, now, all, target });
    for (const { outcome, verdict } of target ? all : []) {
      const destination = target!.kind === 'vendor' ? target!.vendor.id : target!.kind;
      attempts.inc({ destination, outcome: verdict.state === 'pending' ? 'retried' : verdict.state });
      durations.observe({ destination }, outcome.durationMs / 1000);
    }
    const [{ row: first }] = all as [(typeof all)[number]];
    // What was never sent says nothing about its destination.
    if (!target || first.is_test) return;
    const reached = all
      .map((one) => ({ of: alertOf(one.verdict, one.row.attempts + 1), error: one.outcome.error }))
      .reduce((worst, one) => (one.of > worst.of ? one : worst));
    const isThere = all.some(({ verdict }) => verdict.state === 'delivered');
    if (reached.of === 0 ? isThere && first.alerted > 0 : reached.of > first.alerted)
      await alerts.note(first, reached.of, reached.error);
  }

  jobs.hook(sendJob, {
    setAside: ({ rootId, deliveryId, attempt }) =>
      inScope(db.app, { rootId }, async (tx) => {
        const [row] = await store.deliveriesToSend(tx, [deliveryId]);
        if (!row || !isOpen(row) || row.attempts !== attempt) return;
        const error = 'Not sent: the server stopped twice while sending this lead.';
        await store.settle(
          tx,
          row,
          { state: 'failed', next_at: null, delivered_at: null },
          attemptRow(notSent(clock.now(), error)),
        );
        await leads.changed(tx, [row.lead_id]);
      }),
  });

  /** Sends what is ready, outside any transaction. Returns the outcomes in the order of the batch. */
  async function send(target: Target, batch: { row: Row; data: LeadData }[]): Promise<Outcome[]> {
    const sendings = batch.map(({ row, data }) => ({
      data,
      remoteId: row.remote_id,
      isInDoubt: row.state === 'unknown',
    }));
    return target.kind === 'vendor'
      ? sender.sendMany(target as VendorTarget, sendings)
      : [await sender.send(target, sendings[0]!)];
  }

  /**
   * Makes one attempt. Safe to run twice: a late or second run records nothing; if killed between sending and recording,
   * it sends the same message id once more.
   */
  async function attempt(payload: SendPayload, isRenewed = false): Promise<void> {
    const place = payload.connectionId ?? payload.integrationId;
    // It must not hold up the other destinations on its lane, one lead after the other.
    if (!payload.isSlow && payload.companyId && slowness.isSlow(place))
      return inScope(db.app, { rootId: payload.rootId }, (tx) =>
        enqueueSends(jobs, tx, [{ ...payload, isSlow: true }]),
      );
    const ready = await read({ payload, isRenewed });
    if (!ready) return;
    if ('stale' in ready) {
      await connections.signIns.renew(connections.vendor(ready.stale), payload.rootId, payload.connectionId!);
      return attempt(payload, true);
    }
    if ('why' in ready)
      return settle(payload, [{ row: ready.row, outcome: notSent(clock.now(), ready.why) }]);
    const { row, batch, target } = ready;
    const outcomes = await send(target, batch);
    slowness.note(place, outcomes[0]!);
    // Before the deliveries are settled: a process that dies in between then finds a connection that is broken already.
    const broken = outcomes.find((outcome) => outcome.broken !== undefined)?.broken;
    if (broken !== undefined && !(await connections.broken(row.root_id, row.connection_id!, broken)))
      // Its token was renewed: the next attempt is an ordinary one.
      for (const outcome of outcomes) delete outcome.broken;
    await settle(
      payload,
      batch.map((one, at) => ({ row: one.row, outcome: outcomes[at]! })),
      target,
    );
  }

  return attempt;
}

const notSent = (startedAt: Date, error: string): Outcome => ({
  startedAt,
  durationMs: 0,
  status: null,
  exchanges: [],
  error,
  final: true,
});

/** Whether a job is still the one that makes the next attempt of its delivery. */
const isDue = ({ attempt, dueAt }: SendPayload, row: Row): boolean =>
  isOpen(row) && row.attempts === attempt && (!dueAt || row.next_at?.toISOString() === dueAt);

/** Those that a vendor that cannot detect a repeated record must be asked about, if their outcome is lost. */
const unknownOf = (rows: readonly { id: string; remote_id: string | null; state: string }[]): string[] =>
  rows.flatMap(({ id, remote_id, state }) => (!remote_id && state !== 'unknown' ? [id] : []));
