import type { ApiScope } from '../../../../contract/developer/developer-rules.ts';
import {
  ALL_EVENTS,
  HOOK_EVENTS,
  HOOK_OVERLAP_HOURS,
  type HookEvent,
  MOST_HOOKS,
} from '../../../../contract/developer/hook-events.ts';
import { LEAD_VERSION, type Version } from '../../../../contract/developer/versions.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Outbound } from '../../../platform/outbound.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { newMessageId, newSecret, TEST_EVERY_MS } from '../../campaigns/delivery/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import type { Place } from './cursor.policy.ts';
import { type DataOf, eventOf, wants } from './hook.policy.ts';
import { type FanPayload, fanJob, laneOf, type MessagePayload, messageJob } from './hook.queue.ts';
import { createHookSender, SECRET } from './hook.send.ts';
import * as store from './hook.store.ts';

const DAY_MS = 86_400_000;
/** How many messages a list counts, and over how many days an endpoint's are. */
const MOST_COUNTED = 10_000;
const COUNTED_DAYS = 7;
/** Leads of one batch whose events are sent in one job. */
const AT_ONCE = 500;
/** Concurrent attempts in this process; only one for each endpoint. */
const SENT_AT_ONCE = 64;

type Agency = Owner & { agency_id: string };
/** What is given of an endpoint. */
export interface HookGiven {
  url?: string | undefined;
  description?: string | undefined;
  types?: string[] | undefined;
  client_ids?: string[] | null | undefined;
  disabled?: boolean | undefined;
  /** The version of the API in which it receives events; a new one's is the newest. */
  version?: Version | undefined;
}
export type Hooks = ReturnType<typeof createHooks>;

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/** Tells agencies' programs of events: endpoints, messages, attempts (docs/decisions/0253-webhook-endpoints.md). */
export function createHooks(
  platform: Platform,
  parts: { audit: Audit; notices: Notices; outbound: Outbound; tenants: Tenants },
  dataOf: DataOf,
) {
  const { db, clock, vault, jobs, events } = platform;
  const { audit, outbound } = parts;

  /** Sends an event to the endpoints of agencies, if there are any. */
  async function emit(
    tx: Tx,
    type: HookEvent,
    happened: { owner: Owner; objectId: string; key?: string }[],
  ): Promise<void> {
    const agencies = [...new Set(happened.flatMap(({ owner }) => owner.agency_id ?? []))];
    if (agencies.length === 0) return;
    const wanted = await store.wanted(tx, agencies, type);
    const at = clock.now().toISOString();
    for (const agencyId of wanted) {
      const of = happened.filter(({ owner }) => owner.agency_id === agencyId);
      const payloads: FanPayload[] = [];
      for (let from = 0; from < of.length; from += AT_ONCE)
        payloads.push({
          rootId: of[0]!.owner.root_id,
          agencyId,
          type,
          at,
          events: of.slice(from, from + AT_ONCE).map(({ owner, objectId, key }) => ({
            objectId,
            clientId: owner.company_id === agencyId ? null : owner.company_id,
            key: `${type} ${key ?? objectId}`,
          })),
        });
      await jobs.send(tx, fanJob, payloads);
    }
  }

  events.on('log.written', async (tx, { action, objectId, owner }) => {
    const type = eventOf(action);
    // The same change can happen to a thing many times.
    if (type) await emit(tx, type, [{ owner, objectId, key: newId(clock.now()) }]);
  });
  events.on('leads.accepted', (tx, event) =>
    event.isTest
      ? Promise.resolve()
      : emit(
          tx,
          'lead.accepted',
          event.leads.map(({ id, owner }) => ({ owner, objectId: id })),
        ),
  );
  events.on('leads.seen', (tx, event) =>
    emit(
      tx,
      'lead.returned',
      event.leads
        .filter(({ hasReturned }) => hasReturned)
        .map(({ id, owner, at }) => ({ owner, objectId: id, key: `${id} ${at.toISOString()}` })),
    ),
  );
  events.on('count.finished', (tx, { countId, owner }) =>
    emit(tx, 'keyword_count.finished', [{ owner, objectId: countId, key: newId(clock.now()) }]),
  );
  for (const type of ['wallet.low', 'wallet.top_up_failed'] as const)
    events.on(type, (tx, { owner }) =>
      emit(tx, type, [{ owner, objectId: owner.agency_id, key: newId(clock.now()) }]),
    );

  const enqueue = (tx: Tx, payloads: MessagePayload[], startAfter?: Date) =>
    jobs.send(tx, messageJob, payloads, { group: laneOf, ...(startAfter ? { startAfter } : {}) });
  const jobOf = (row: store.MessageRow): MessagePayload => ({
    rootId: row.root_id,
    agencyId: row.agency_id,
    hookId: row.hook_id,
    id: row.id,
    attempt: row.attempts,
  });

  /** Makes the messages of events, each once for each endpoint. */
  async function fan({ rootId, agencyId, type, at, events: all }: FanPayload): Promise<void> {
    await inScope(db.app, { rootId }, async (tx) => {
      for (const hook of await store.told(tx, agencyId, type)) {
        const rows = all
          .filter(({ clientId }) => wants(hook, type, clientId))
          .map(({ objectId, key }) => ({
            id: newId(clock.now()),
            ...ownerOf(hook),
            hook_id: hook.id,
            type,
            object_id: objectId,
            message_id: newMessageId(),
            state: 'pending' as const,
            next_at: clock.now(),
            event_key: key,
            created_at: new Date(at),
          }));
        if (rows.length > 0) await enqueue(tx, (await store.insertMessages(tx, rows)).map(jobOf));
      }
    });
  }

  const sender = createHookSender(platform, { ...parts, dataOf, enqueue, jobOf });

  const own = (ctx: Ctx): Agency => {
    const { rootId, companyId, kind } = ctx.actor;
    if (kind !== 'agency') throw new Refusal('forbidden', ownMessages.developerForAgencies);
    return { root_id: rootId, agency_id: companyId, company_id: companyId };
  };

  /** @throws Refusal 422 for an address that cannot be reached, or clients that are not the agency's */
  async function check(tx: Tx, { url, client_ids }: HookGiven): Promise<void> {
    const objection = url === undefined ? undefined : outbound.objection(url);
    if (objection) throw refusalOf('url', objection);
    for (const id of client_ids ?? [])
      if ((await parts.tenants.company(tx, id))?.kind !== 'client')
        throw refusalOf('client_ids', 'has an id that is not one of your clients');
  }

  const changed = <T>(ctx: Ctx, id: string, work: (tx: Tx, row: store.HookRow) => Promise<T>): Promise<T> =>
    inScope(db.app, ctx.scope, async (tx) =>
      work(tx, (await store.one(tx, own(ctx).company_id, id, true)) ?? missing()),
    );

  /** One of the agency's messages and its endpoint, also a removed one. @throws Refusal 404 */
  async function messageOf(tx: Tx, ctx: Ctx, id: string, lock = false) {
    const row = await store.message(tx, id, lock);
    return row?.company_id === own(ctx).company_id ? row : missing();
  }

  async function withCounts(tx: Tx, rows: store.HookRow[]) {
    const since = new Date(clock.now().getTime() - COUNTED_DAYS * DAY_MS);
    const counts = await store.counts(
      tx,
      rows.map(({ id }) => id),
      since,
    );
    return rows.map((row) => ({ ...row, ...(counts.get(row.id) ?? { total: 0, failed: 0 }) }));
  }
  const shown = async (tx: Tx, companyId: string, id: string) =>
    (await withCounts(tx, [(await store.one(tx, companyId, id)) ?? missing()]))[0]!;

  return {
    fan,
    attempt: sender.attempt,

    /** The agency's endpoints, with how many messages they were sent in the last week and how many of them failed. */
    list: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) => withCounts(tx, await store.list(tx, own(ctx).company_id))),

    /** @throws Refusal 404 */
    one: (ctx: Ctx, id: string) => inScope(db.app, ctx.scope, (tx) => shown(tx, own(ctx).company_id, id)),

    /** The signing secret of an endpoint, for the answer to the request that made it. @throws Refusal 404 */
    secret: (ctx: Ctx, id: string): Promise<string> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = (await store.one(tx, own(ctx).company_id, id)) ?? missing();
        return vault.open(row.secret_sealed, SECRET);
      }),

    /**
     * Adds an endpoint. The secret is shown only this once.
     * @throws Refusal 409 with too many endpoints, 422 naming the field
     */
    create: (ctx: Ctx, given: HookGiven & { url: string; types: string[] }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const secret = newSecret();
        const owner = own(ctx);
        await sender.lock(tx, owner.company_id);
        await check(tx, given);
        if ((await store.list(tx, owner.company_id)).length >= MOST_HOOKS)
          throw new Refusal('conflict', ownMessages.hooksTooMany(MOST_HOOKS));
        const at = clock.now();
        const id = newId(at);
        await store.insert(tx, {
          id,
          ...owner,
          url: given.url,
          description: given.description ?? '',
          types: given.types,
          version: given.version ?? LEAD_VERSION,
          client_ids: given.client_ids ?? null,
          state: given.disabled ? 'disabled' : 'enabled',
          state_reason: given.disabled ? 'person' : null,
          secret_sealed: vault.seal(secret, SECRET),
          created_at: at,
          updated_at: at,
        });
        await audit.record(tx, ctx, {
          action: 'hook.create',
          objectKind: 'hook',
          objectId: id,
          description: `Added the webhook endpoint ${given.url} for ${given.types.join(', ')}`,
        });
        return { row: await shown(tx, owner.company_id, id), secret };
      }),

    /** Changes an endpoint; what is left out stays. @throws Refusal 404, 422 naming the field */
    update: (ctx: Ctx, id: string, given: HookGiven) =>
      changed(ctx, id, async (tx, row) => {
        await check(tx, given);
        const { disabled, ...fields } = given;
        const state = disabled === undefined ? row.state : disabled ? 'disabled' : 'enabled';
        await store.update(tx, id, {
          ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
          ...(state === row.state
            ? {}
            : { state, state_reason: disabled ? ('person' as const) : null, alerted: 0 }),
          updated_at: clock.now(),
        });
        await audit.record(tx, ctx, {
          action: 'hook.update',
          objectKind: 'hook',
          objectId: id,
          description: `Changed the webhook endpoint ${row.url}: ${
            [
              ...(given.url === undefined || given.url === row.url ? [] : [`URL to ${given.url}`]),
              ...(given.types ? [`events to ${given.types.join(', ')}`] : []),
              ...(given.client_ids === undefined ? [] : ['clients']),
              ...(given.description === undefined ? [] : ['description']),
              ...(state === row.state ? [] : [`${row.state} to ${state}`]),
            ].join(', ') || 'nothing'
          }`,
        });
        return shown(tx, row.company_id, id);
      }),

    /** Removes an endpoint; what waits for it is not sent. @throws Refusal 404 */
    remove: (ctx: Ctx, id: string): Promise<void> =>
      changed(ctx, id, async (tx, row) => {
        await store.update(tx, id, {
          state: 'removed',
          state_reason: 'person',
          previous_sealed: null,
          previous_until: null,
          updated_at: clock.now(),
        });
        await audit.record(tx, ctx, {
          action: 'hook.remove',
          objectKind: 'hook',
          objectId: id,
          description: `Removed the webhook endpoint ${row.url}`,
        });
      }),

    /** Gives an endpoint a new secret, shown only this once; for 24 hours both sign. @throws Refusal 404 */
    rotate: (ctx: Ctx, id: string) =>
      changed(ctx, id, async (tx, row) => {
        const secret = newSecret();
        const until = new Date(clock.now().getTime() + HOOK_OVERLAP_HOURS * 3_600_000);
        await store.update(tx, id, {
          secret_sealed: vault.seal(secret, SECRET),
          previous_sealed: row.secret_sealed,
          previous_until: until,
          updated_at: clock.now(),
        });
        await audit.record(tx, ctx, {
          action: 'hook.rotate',
          objectKind: 'hook',
          objectId: id,
          description: `Gave the webhook endpoint ${row.url} a new secret; the one before signs until ${until.toISOString()}`,
        });
        return { row: await shown(tx, row.company_id, id), secret };
      }),

    /**
     * Sends an example of an event now, even to a disabled endpoint, at most once a minute. Returns the message's id.
     * @throws Refusal 404, 429
     */
    async test(ctx: Ctx, id: string, type: HookEvent): Promise<string> {
      const message = await changed(ctx, id, async (tx, row) => {
        const now = clock.now();
        const last = await store.lastTest(tx, id, new Date(now.getTime() - TEST_EVERY_MS));
        if (last)
          throw new Refusal('too_many', messages.testOncePerMinute, {
            retryAfter: Math.max(1, Math.ceil((last.getTime() + TEST_EVERY_MS - now.getTime()) / 1000)),
          });
        const messageId = newId(now);
        const [made] = await store.insertMessages(tx, [
          {
            id: messageId,
            ...ownerOf(row),
            hook_id: id,
            type,
            message_id: newMessageId(),
            // It counts as failed until the response arrives: no job would ever finish it.
            state: 'failed',
            is_test: true,
            event_key: `test ${messageId}`,
            created_at: now,
          },
        ]);
        await audit.record(tx, ctx, {
          action: 'hook.test',
          objectKind: 'hook_message',
          objectId: messageId,
          description: `Sent a test event to ${row.url}`,
        });
        return made!;
      });
      await sender.test(message);
      return message.id;
    },

    /** The next messages of an endpoint after a position, the newest first. @throws Refusal 404 */
    after: (ctx: Ctx, filter: store.MessageFilter, after: Place | null, limit: number) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await store.one(tx, own(ctx).company_id, filter.hookId))) return missing();
        const found = await store.nextMessages(tx, filter, after, limit + 1);
        const rows = found.slice(0, limit);
        const last = rows.at(-1);
        return { rows, end: found.length > limit && last ? { at: last.created_at, id: last.id } : null };
      }),

    /** A page of the messages of an endpoint, the newest first. @throws Refusal 404 */
    page: (ctx: Ctx, filter: store.MessageFilter, asked: { page: number; per_page: number }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await store.one(tx, own(ctx).company_id, filter.hookId))) return missing();
        const { page, per_page } = asked;
        return store.pageOfMessages(tx, filter, {
          limit: per_page,
          offset: (page - 1) * per_page,
          most: MOST_COUNTED,
        });
      }),

    /** A message with its attempts, the newest first. @throws Refusal 404 */
    message: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await messageOf(tx, ctx, id);
        return { ...row, tries: await store.attempts(tx, id) };
      }),

    /** What a message says now; null if what it is about is gone. @throws Refusal 404 */
    async body(ctx: Ctx, id: string): Promise<string | null> {
      const { row, version } = await inScope(db.app, ctx.scope, async (tx) => {
        const row = await messageOf(tx, ctx, id);
        return { row, version: ((await store.byId(tx, row.hook_id)) ?? missing()).version };
      });
      return sender.body(row, version).catch((error: unknown) => {
        if (error instanceof Refusal && error.code === 'not_found') return null;
        throw error;
      });
    },

    /** Sends a message again, also one that arrived. @throws Refusal 404, 409 */
    resend: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await messageOf(tx, ctx, id, true);
        const hook = (await store.one(tx, row.company_id, row.hook_id)) ?? missing();
        if (hook.state !== 'enabled') throw new Refusal('conflict', ownMessages.hookDisabled);
        if (row.is_test) throw new Refusal('conflict', ownMessages.hookTestResend);
        if (row.state === 'pending') throw new Refusal('conflict', ownMessages.hookInProgress);
        await enqueue(tx, (await store.reopen(tx, { id }, clock.now())).map(jobOf));
        await audit.record(tx, ctx, {
          action: 'hook.resend',
          objectKind: 'hook_message',
          objectId: id,
          description: `Sent the event ${row.type} to ${hook.url} again`,
        });
        return (await store.message(tx, id))!;
      }),

    /** Sends again what failed since an instant, up to 10,000 messages. Returns how many. @throws Refusal 404, 409 */
    recover: (ctx: Ctx, id: string, since: Date): Promise<number> =>
      changed(ctx, id, async (tx, row) => {
        if (row.state !== 'enabled') throw new Refusal('conflict', ownMessages.hookDisabled);
        const reopened = await store.reopen(tx, { hookId: id, since }, clock.now());
        await enqueue(tx, reopened.map(jobOf));
        await audit.record(tx, ctx, {
          action: 'hook.recover',
          objectKind: 'hook',
          objectId: id,
          description: `Sent ${reopened.length} failed events to ${row.url} again`,
        });
        return reopened.length;
      }),

    /** The scopes that a key needs to read what an endpoint with these events receives. */
    scopesOf: (types: readonly string[]): ApiScope[] => [
      ...new Set(
        Object.entries(HOOK_EVENTS)
          .filter(([type]) => types.includes(ALL_EVENTS) || types.includes(type))
          .map(([, { scope }]) => scope),
      ),
    ],

    /** Deletes some messages from before an instant; returns how many. */
    forget: store.forget,

    /** Runs the feature's jobs in this process. */
    async start(): Promise<void> {
      await jobs.work(fanJob, { localConcurrency: 2, pollingIntervalSeconds: 2 }, fan);
      await jobs.workTogether(messageJob, { atOnce: SENT_AT_ONCE }, (payload) => sender.attempt(payload));
    },
  };
}

const ownerOf = ({ root_id, agency_id, company_id }: Agency): Agency => ({ root_id, agency_id, company_id });
