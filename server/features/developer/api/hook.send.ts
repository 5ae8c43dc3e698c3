import { HOOK_EVENTS, type HookEvent } from '../../../../contract/developer/hook-events.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { createRedactor } from '../../../integrations/index.ts';
import { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { type Outbound, OutboundError } from '../../../platform/outbound.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import {
  ANSWER_BYTES,
  alertOf,
  createSlowness,
  judge,
  type Outcome,
  signedHeaders,
  TIMEOUT_MS,
} from '../../campaigns/delivery/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import { HOOK_EXAMPLES } from './hook.examples.ts';
import { bodyOf, type DataOf } from './hook.policy.ts';
import { type MessagePayload, messageJob } from './hook.queue.ts';
import * as store from './hook.store.ts';
import { lockCompany } from './store.ts';
import { eventData } from './v1.versions.ts';

export const SECRET = 'developer.hook';
const SECRET_UNREADABLE = 'Not sent: the signing secret cannot be decrypted with the current APP_KEY.';
const PAGE = { label: 'Open webhooks', path: '/developer?tab=webhooks' };
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** What came of an attempt, with the beginning of the response. */
interface Attempt extends Outcome {
  answer: string | null;
}

/** Names of what a message says that is about no person. */
const IMPERSONAL = /(^|_)(id|type|status|state|product|at|version|count)$/;
/** The texts of a message's data that could be about a person, by where they stand in it. */
function textsOf(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return IMPERSONAL.test(path) ? [] : [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => textsOf(one, path ? `${path}.${key}` : key));
}

/** Sends messages to endpoints: one attempt at a time, outside any transaction, each recorded. */
export function createHookSender(
  { db, clock, vault, jobs }: Platform,
  {
    audit,
    notices,
    outbound,
    dataOf,
    enqueue,
    jobOf,
  }: {
    audit: Audit;
    notices: Notices;
    outbound: Outbound;
    dataOf: DataOf;
    enqueue: (tx: Tx, payloads: MessagePayload[], startAfter?: Date) => Promise<void>;
    jobOf: (row: store.MessageRow) => MessagePayload;
  },
) {
  const slowness = createSlowness(clock);

  /** The agency itself, which reads what its endpoints receive. */
  function ctxOf({ root_id: rootId, agency_id: agencyId }: store.MessageRow): Ctx {
    const place = { rootId, agencyId, companyId: agencyId, kind: 'agency' as const };
    return new Ctx({
      tenant: { ...place, host: '', companyName: '', timeZone: 'UTC' },
      actor: {
        ...place,
        userId: NOBODY,
        sessionId: '',
        grade: 'agency.owner',
        isAccountExecutive: false,
        modules: null,
        trueActor: null,
      },
      requestId: newId(clock.now()),
      clock,
      ip: '127.0.0.1',
      userAgent: '',
      origin: '',
      unconfirmed: async () => [],
    });
  }

  /** What a message says in a version of the API; throws a 404 Refusal if what it is about is gone. */
  async function body(row: store.MessageRow, version: string): Promise<string> {
    const type = row.type as HookEvent;
    const { data: kind } = HOOK_EVENTS[type];
    const data = row.is_test ? HOOK_EXAMPLES[kind] : await dataOf(ctxOf(row), type, row.object_id!);
    return bodyOf(row, eventData(version, kind, data));
  }

  const notSent = (error: string): Attempt => ({
    startedAt: clock.now(),
    durationMs: 0,
    status: null,
    exchanges: [],
    answer: null,
    error,
    final: true,
  });

  /** Makes one attempt; none throws because of what the endpoint does. */
  async function send(hook: store.HookRow, row: store.MessageRow): Promise<Attempt> {
    let text: string;
    try {
      text = await body(row, hook.version);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
      return notSent('Not sent: its subject no longer exists.');
    }
    const isOld = hook.previous_until !== null && hook.previous_until > clock.now();
    let secrets: [string, string | undefined];
    try {
      secrets = [
        vault.open(hook.secret_sealed, SECRET),
        isOld && hook.previous_sealed ? vault.open(hook.previous_sealed, SECRET) : undefined,
      ];
    } catch {
      return notSent(SECRET_UNREADABLE);
    }
    const startedAt = clock.now();
    const began = performance.now();
    const done = (rest: Omit<Attempt, 'startedAt' | 'durationMs' | 'exchanges'>): Attempt => ({
      startedAt,
      exchanges: [],
      durationMs: Math.round(performance.now() - began),
      ...rest,
    });
    try {
      const { status, ...answer } = await outbound.fetch(hook.url, {
        method: 'POST',
        headers: signedHeaders(secrets[0], row.message_id, startedAt, text, 'application/json', secrets[1]),
        body: text,
        timeoutMs: TIMEOUT_MS,
        maxBytes: ANSWER_BYTES,
      });
      const error =
        status >= 200 && status < 300
          ? null
          : status >= 300 && status < 400
            ? 'The endpoint redirects to another address. Redirects are not followed.'
            : `The endpoint returned ${status}.`;
      return done({
        status,
        // Like the answers of deliveries (docs/decisions/0240-delivery-desk.md): an endpoint may repeat what it received.
        answer: createRedactor(
          [Object.fromEntries(textsOf((JSON.parse(text) as { data: unknown }).data))],
          secrets.flatMap((secret) => secret ?? []),
        ).answer(answer.body.toString('utf8'), status),
        error,
        gone: status === 410,
        retryAfter: answer.headers['retry-after'],
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return done({ status: null, answer: null, error: `${error.message}.` });
    }
  }

  const rowOf = ({ startedAt, durationMs, status, answer, error }: Attempt) => ({
    started_at: startedAt,
    duration_ms: durationMs,
    status,
    answer,
    error,
  });

  /** Stops an endpoint that cannot be reached any more, or wants no more. */
  async function disable(tx: Tx, hook: store.HookRow, reason: 'gone' | 'failing'): Promise<void> {
    if (!(await store.stop(tx, hook.id, reason, clock.now()))) return;
    await audit.recordSystem(
      tx,
      clock.now(),
      { root_id: hook.root_id, agency_id: hook.agency_id, company_id: hook.company_id },
      {
        action: 'hook.disabled',
        objectKind: 'hook',
        objectId: hook.id,
        description:
          reason === 'gone'
            ? `The webhook endpoint ${hook.url} returned 410 Gone and was disabled`
            : `The webhook endpoint ${hook.url} was disabled because an event could not be sent in ten attempts`,
      },
    );
  }

  /** Tells the agency that an endpoint fails, halfway and when it is disabled. */
  async function alert(hook: store.HookRow, reached: 50 | 100, error: string | null): Promise<void> {
    const owner = { root_id: hook.root_id, agency_id: hook.agency_id, company_id: hook.company_id };
    const sender = await notices.sender(owner);
    await inScope(db.app, { rootId: hook.root_id }, async (tx) => {
      const now = await store.byId(tx, hook.id);
      if (!now || now.alerted >= reached) return;
      await store.update(tx, hook.id, { alerted: reached });
      if (reached === 100) await disable(tx, now, 'failing');
      await notices.tell(tx, 'developer.hook', sender, owner, {
        subject: reached === 100 ? 'A webhook endpoint was disabled' : 'A webhook endpoint is failing',
        lines: [
          `Events could not be sent to ${hook.url}. ${error ?? ''}`.trim(),
          reached === 100
            ? 'It is disabled. Fix it, enable it again, and resend the failed events.'
            : 'We keep trying for three days. If no attempt succeeds, the endpoint is disabled.',
        ],
        page: PAGE,
      });
    });
  }

  jobs.hook(messageJob, {
    setAside: ({ rootId, id, attempt }) =>
      inScope(db.app, { rootId }, async (tx) => {
        const row = await store.message(tx, id);
        if (row?.state !== 'pending' || row.attempts !== attempt) return;
        const outcome = notSent('Not sent: the server stopped twice while sending this event.');
        await store.settle(tx, row, { state: 'failed', next_at: null, delivered_at: null }, rowOf(outcome));
      }),
  });

  return {
    lock: lockCompany,
    body,

    /**
     * Makes one attempt: reads, sends outside any transaction, then records the attempt and enqueues the next. Safe to
     * run twice: a late or second run records nothing.
     */
    async attempt(payload: MessagePayload): Promise<void> {
      const scope = { rootId: payload.rootId };
      // It must not hold up others: those that were slow share a lane of their agency.
      if (!payload.isSlow && slowness.isSlow(payload.hookId))
        return inScope(db.app, scope, (tx) => enqueue(tx, [{ ...payload, isSlow: true }]));
      const found = await inScope(db.app, scope, async (tx) => {
        const row = await store.message(tx, payload.id);
        const hook = row && (await store.byId(tx, row.hook_id));
        return row?.state === 'pending' && row.attempts === payload.attempt && hook ? { row, hook } : null;
      });
      if (!found) return;
      const { row, hook } = found;
      const isOff = hook.state !== 'enabled';
      const outcome = isOff ? notSent(`Not sent: the endpoint is ${hook.state}.`) : await send(hook, row);
      slowness.note(hook.id, outcome);
      const now = clock.now();
      const attempts = row.attempts + 1;
      const verdict = judge(outcome, attempts, now, Math.random());
      const nextAt = 'nextAt' in verdict ? verdict.nextAt : null;
      const state = verdict.state === 'unknown' ? 'pending' : verdict.state;
      const settled = await inScope(db.app, scope, async (tx) => {
        const to = { state, next_at: nextAt, delivered_at: state === 'delivered' ? now : null };
        if (!(await store.settle(tx, row, to, rowOf(outcome)))) return false;
        if (nextAt) await enqueue(tx, [{ ...jobOf(row), attempt: attempts }], nextAt);
        if (outcome.gone) await disable(tx, hook, 'gone');
        if (state === 'delivered' && hook.alerted > 0) await store.update(tx, hook.id, { alerted: 0 });
        return true;
      });
      if (!settled || isOff || outcome.final) return;
      const reached = alertOf(verdict, attempts);
      if (reached !== 0 && reached > hook.alerted)
        await alert(hook, reached === 100 ? 100 : 50, outcome.error);
    },

    /** Sends a test once. */
    async test(row: store.MessageRow): Promise<void> {
      const scope = { rootId: row.root_id };
      const hook = await inScope(db.app, scope, (tx) => store.byId(tx, row.hook_id));
      const outcome = await send(hook!, row);
      const isGood = outcome.error === null;
      const to = {
        state: isGood ? ('delivered' as const) : ('failed' as const),
        next_at: null,
        delivered_at: isGood ? clock.now() : null,
      };
      await inScope(db.app, scope, (tx) => store.settle(tx, row, to, rowOf(outcome)));
    },
  };
}
