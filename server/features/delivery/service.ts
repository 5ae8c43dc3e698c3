import { Refusal } from '../../../contract/errors.ts';
import { messages, ownMessages } from '../../../contract/messages.ts';
import type { Ctx } from '../../platform/ctx.ts';
import type { Owner } from '../../platform/db/owner.ts';
import { inScope, type Tx } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import { type Outbound, OutboundError } from '../../platform/outbound.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import {
  ANSWER_BYTES,
  judge,
  type LeadData,
  MOST_PER_CAMPAIGN,
  type Outcome,
  readable,
  TEST_EVERY_MS,
  TIMEOUT_MS,
  testLead,
} from './policy.ts';
import { type SendPayload, sendJob } from './queue.ts';
import { newMessageId, newSecret, signedHeaders } from './sign.ts';
import * as store from './store.ts';

/** What delivery needs from the features below it. */
export interface DeliveryDeps {
  audit: Audit;
  outbound: Outbound;
  leads: {
    /** Returns what is sent about each lead; a lead whose contact has been erased is missing. */
    message(tx: Tx, leadIds: string[]): Promise<Map<string, LeadData>>;
    /** Returns the leads whose person was put on an exclusion list after they were sold; in the root's scope. */
    withheldIn(tx: Tx, rootId: string, leadIds: string[]): Promise<Set<string>>;
  };
  campaigns: {
    visible(
      tx: Tx,
      id: string,
    ): Promise<{
      id: string;
      root_id: string;
      agency_id: string;
      company_id: string;
      number: bigint;
      name: string;
      module: string;
      advance_information: number[];
      b2b_information: number[];
    } | null>;
  };
  enrichment: {
    /** Returns made-up values of data fields, limited to those that a company may use. */
    sampleFor(tx: Tx, companyId: string, asked: readonly number[]): Promise<Record<string, string>>;
  };
}

export type { Counted } from './store.ts';
export type Delivery = ReturnType<typeof createDelivery>;

const SECRET = 'integration.secret';
const SECRET_UNREADABLE = 'Not sent: the signing secret cannot be decrypted with the current APP_KEY.';

/** Sends accepted leads to the webhooks of their campaign: signed, retried, logged. */
export function createDelivery(platform: Platform, deps: DeliveryDeps) {
  const { db, clock, vault, jobs } = platform;
  const { audit, outbound, leads, campaigns, enrichment } = deps;

  const missing = (): never => {
    throw new Refusal('not_found', ownMessages.notFound);
  };
  const ownerOf = ({ root_id, agency_id, company_id }: Owner): Owner => ({ root_id, agency_id, company_id });

  const firstOf = (row: store.NewDelivery): SendPayload => ({
    rootId: row.root_id,
    deliveryId: row.id,
    integrationId: row.integration_id,
    attempt: 0,
  });
  platform.events.on('leads.accepted', async (tx, event) => {
    const rows = await store.insertForLeads(tx, event.leads, event.isTest, clock.now());
    const until = new Map(
      event.leads.flatMap(({ id, waitsUntil }) => (waitsUntil ? [[id, waitsUntil]] : [])),
    );
    const atOnce = rows.filter((row) => !until.has(row.lead_id));
    await enqueue(tx, atOnce.map(firstOf));
    for (const row of rows) {
      const at = until.get(row.lead_id);
      if (at) await enqueue(tx, [{ ...firstOf(row), dueAt: at.toISOString() }], at);
    }
  });
  // The waiting job then finds a different time and does nothing, though its attempt may still be in progress.
  platform.events.on('leads.completed', async (tx, { leadIds }) => {
    await enqueue(tx, (await store.dueNow(tx, leadIds, clock.now())).map(firstOf));
  });

  /** Jobs of one webhook form a group, so that a hanging webhook does not hold up the others. */
  const enqueue = (tx: Tx, payloads: SendPayload[], startAfter?: Date) =>
    jobs.send(tx, sendJob, payloads, {
      group: (payload) => payload.integrationId,
      ...(startAfter ? { startAfter } : {}),
    });

  async function present(tx: Tx, id: string, lock = false): Promise<store.IntegrationRow> {
    const row = await store.integrationById(tx, id, lock);
    return row && row.state !== 'removed' ? row : missing();
  }

  async function counted(tx: Tx, id: string): Promise<store.Counted> {
    return (await store.integrations(tx, { id }))[0] ?? missing();
  }

  function checkUrl(url: string): void {
    const objection = outbound.objection(url);
    if (objection) throw new Refusal('invalid', `url: ${objection}`, { errors: { url: [objection] } });
  }

  /** Sends one message once. Never throws because of what the endpoint does. */
  async function post(url: string, sealed: string, messageId: string, data: LeadData): Promise<Outcome> {
    const startedAt = clock.now();
    const began = performance.now();
    const done = (rest: Pick<Outcome, 'status' | 'answer' | 'error'> & Partial<Outcome>): Outcome => ({
      startedAt,
      durationMs: Math.round(performance.now() - began),
      ...rest,
    });
    let secret: string;
    try {
      secret = vault.open(sealed, SECRET);
    } catch {
      return done({ status: null, answer: null, error: SECRET_UNREADABLE, final: true });
    }
    const body = JSON.stringify({ type: 'lead.created', timestamp: data.created_at, data });
    try {
      const answer = await outbound.fetch(url, {
        method: 'POST',
        headers: signedHeaders(secret, messageId, startedAt, body),
        body,
        timeoutMs: TIMEOUT_MS,
        maxBytes: ANSWER_BYTES,
      });
      const { status } = answer;
      const error =
        status >= 200 && status < 300
          ? null
          : status >= 300 && status < 400
            ? 'The endpoint redirects to another address. Redirects are not followed.'
            : `The endpoint returned ${status}.`;
      return done({
        status,
        answer: readable(answer.body),
        error,
        retryAfter: answer.headers['retry-after'],
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return done({ status: null, answer: null, error: `${error.message}.` });
    }
  }

  /** The message of a delivery about to be sent, or why there is none. */
  async function prepare(
    tx: Tx,
    row: NonNullable<Awaited<ReturnType<typeof store.deliveryToSend>>>,
  ): Promise<LeadData | string> {
    if (row.integration_state !== 'enabled') return `Not sent: the webhook is ${row.integration_state}.`;
    if (row.lead_id && (await leads.withheldIn(tx, row.root_id, [row.lead_id])).has(row.lead_id))
      return 'Not sent: the person is on an exclusion list.';
    const data = row.lead_id && (await leads.message(tx, [row.lead_id])).get(row.lead_id);
    return data || 'Not sent: this lead’s personal data was erased.';
  }

  jobs.hook(sendJob, {
    setAside: ({ rootId, deliveryId, attempt }) =>
      inScope(db.app, { rootId }, async (tx) => {
        const row = await store.deliveryToSend(tx, deliveryId);
        if (row?.state !== 'pending' || row.attempts !== attempt) return;
        const error = 'Not sent: the server stopped twice while sending this lead.';
        await store.settle(
          tx,
          row,
          { state: 'failed', next_at: null, delivered_at: null },
          attemptRow({
            startedAt: clock.now(),
            durationMs: 0,
            status: null,
            answer: null,
            error,
            final: true,
          }),
        );
      }),
  });

  const service = {
    jobs,

    /**
     * Makes one attempt: reads, sends outside any transaction, then records the attempt and enqueues the next in one
     * transaction. Safe to run twice: a late or second run records nothing; if killed between sending and recording, it
     * sends the same message id once more.
     */
    async attempt(payload: SendPayload): Promise<void> {
      const scope = { rootId: payload.rootId };
      const ready = await inScope(db.app, scope, async (tx) => {
        const row = await store.deliveryToSend(tx, payload.deliveryId);
        if (row?.state !== 'pending' || row.attempts !== payload.attempt) return null;
        if (payload.dueAt && row.next_at?.toISOString() !== payload.dueAt) return null;
        return { row, data: await prepare(tx, row) };
      });
      if (!ready) return;
      const { row, data } = ready;
      const outcome: Outcome =
        typeof data === 'string'
          ? { startedAt: clock.now(), durationMs: 0, status: null, answer: null, error: data, final: true }
          : await post(row.url, row.secret_sealed, row.message_id, data);

      await inScope(db.app, scope, async (tx) => {
        const now = clock.now();
        const verdict = judge(outcome, row.attempts + 1, now, Math.random());
        const nextAt = verdict.state === 'pending' ? verdict.nextAt : null;
        const settled = await store.settle(
          tx,
          row,
          { state: verdict.state, next_at: nextAt, delivered_at: verdict.state === 'delivered' ? now : null },
          attemptRow(outcome),
        );
        if (!settled) return;
        const { dueAt: _, ...next } = payload;
        if (nextAt) await enqueue(tx, [{ ...next, attempt: row.attempts + 1 }], nextAt);
        if (verdict.gone) await disableGone(tx, row.integration_id, now);
      });
    },

    list: (ctx: Ctx, campaignId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await campaigns.visible(tx, campaignId))) return missing();
        return store.integrations(tx, { campaignId });
      }),

    /** Adds a webhook to a campaign; the secret is shown only this once. */
    create: (ctx: Ctx, given: { leadspeekID: string; url: string }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const campaign = (await campaigns.visible(tx, given.leadspeekID)) ?? missing();
        checkUrl(given.url);
        if ((await store.countLocked(tx, campaign.id)) >= MOST_PER_CAMPAIGN) {
          throw new Refusal(
            'conflict',
            `A campaign can have up to ${MOST_PER_CAMPAIGN} webhooks. Remove one first.`,
          );
        }
        const now = clock.now();
        const id = newId(now);
        const secret = newSecret();
        await store.insertIntegration(tx, {
          id,
          ...ownerOf(campaign),
          agency_id: campaign.agency_id,
          campaign_id: campaign.id,
          kind: 'webhook',
          url: given.url,
          secret_sealed: vault.seal(secret, SECRET),
          state: 'enabled',
          created_at: now,
          updated_at: now,
        });
        await audit.record(tx, ctx, {
          action: 'integration.create',
          objectKind: 'integration',
          objectId: id,
          description: `Added the webhook ${given.url} to campaign #${campaign.number} ${campaign.name}`,
          owner: ownerOf(campaign),
        });
        return { row: await counted(tx, id), secret };
      }),

    /** Changes the URL or the state of a webhook. */
    update: (
      ctx: Ctx,
      id: string,
      given: { url?: string | undefined; state?: 'enabled' | 'disabled' | undefined },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await present(tx, id, true);
        if (given.url !== undefined) checkUrl(given.url);
        const url = given.url ?? row.url;
        const state = given.state ?? row.state;
        const changes = [
          ...(url === row.url ? [] : [`URL from ${row.url} to ${url}`]),
          ...(state === row.state ? [] : [`${row.state} to ${state}`]),
        ];
        if (changes.length) {
          const reason = state === row.state ? row.state_reason : state === 'disabled' ? 'person' : null;
          await store.updateIntegration(tx, id, {
            url,
            state,
            state_reason: reason,
            updated_at: clock.now(),
          });
          await audit.record(tx, ctx, {
            action: 'integration.update',
            objectKind: 'integration',
            objectId: id,
            description: `Changed the webhook ${row.url}: ${changes.join(', ')}`,
            owner: ownerOf(row),
          });
        }
        return counted(tx, id);
      }),

    remove: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await present(tx, id, true);
        await store.updateIntegration(tx, id, {
          state: 'removed',
          state_reason: 'person',
          updated_at: clock.now(),
        });
        await audit.record(tx, ctx, {
          action: 'integration.remove',
          objectKind: 'integration',
          objectId: id,
          description: `Removed the webhook ${row.url}`,
          owner: ownerOf(row),
        });
      }),

    /** Sends a made-up lead now, even to a disabled webhook, at most once a minute. */
    async test(ctx: Ctx, id: string): Promise<Outcome> {
      const now = clock.now();
      const deliveryId = newId(now);
      const messageId = newMessageId();
      const { row, data } = await inScope(db.app, ctx.scope, async (tx) => {
        const row = await present(tx, id, true);
        const campaign = (await campaigns.visible(tx, row.campaign_id)) ?? missing();
        const last = await store.lastTestAt(tx, row, new Date(now.getTime() - TEST_EVERY_MS));
        if (last) {
          const left = last.getTime() + TEST_EVERY_MS - now.getTime();
          throw new Refusal('too_many', messages.testOncePerMinute, {
            retryAfter: Math.max(1, Math.ceil(left / 1000)),
          });
        }
        // It counts as failed until the response arrives, because no job would ever finish a test whose process died.
        await store.insertDelivery(tx, {
          id: deliveryId,
          ...ownerOf(row),
          agency_id: row.agency_id,
          campaign_id: row.campaign_id,
          integration_id: id,
          message_id: messageId,
          state: 'failed',
          is_test: true,
          created_at: now,
        });
        await audit.record(tx, ctx, {
          action: 'integration.test',
          objectKind: 'integration',
          objectId: id,
          description: `Sent a test lead to ${row.url}`,
          owner: ownerOf(row),
        });
        return {
          row,
          data: testLead(
            deliveryId,
            {
              number: Number(campaign.number),
              name: campaign.name,
              type: campaign.module as LeadData['campaign']['type'],
            },
            now,
            await enrichment.sampleFor(tx, campaign.company_id, [
              ...campaign.advance_information,
              ...campaign.b2b_information,
            ]),
          ),
        };
      });
      const outcome = await post(row.url, row.secret_sealed, messageId, data);
      const ok = outcome.error === null;
      await inScope(db.app, ctx.scope, (tx) =>
        store.settle(
          tx,
          { id: deliveryId, attempts: 0 },
          { state: ok ? 'delivered' : 'failed', next_at: null, delivered_at: ok ? clock.now() : null },
          attemptRow(outcome),
        ),
      );
      return outcome;
    },

    /** Returns a page of a webhook's log; the log of a removed webhook is kept. */
    log: (ctx: Ctx, id: string, asked: Parameters<typeof store.deliveries>[2]) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = (await store.integrationById(tx, id)) ?? missing();
        return store.deliveries(tx, row, asked);
      }),

    /**
     * For programs: the next deliveries of a campaign after a position, the newest first, and the position of the last
     * one if there are more.
     * @throws Refusal 404
     */
    after: (
      ctx: Ctx,
      asked: Parameters<typeof store.nextDeliveries>[1],
      after: { at: Date; id: string } | null,
      limit: number,
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await campaigns.visible(tx, asked.campaignId))) return missing();
        const found = await store.nextDeliveries(tx, asked, after, limit + 1);
        const shown = found.slice(0, limit);
        const last = shown.at(-1);
        return {
          rows: shown,
          end: found.length > limit && last ? { at: last.created_at, id: last.id } : null,
        };
      }),

    /** Sends one delivery again (even one that arrived), or all that failed. Returns how many. */
    replay: (ctx: Ctx, id: string, deliveryId?: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await present(tx, id, true);
        if (row.state !== 'enabled')
          throw new Refusal('conflict', 'The webhook is disabled. Enable it first.');
        if (deliveryId) {
          const one = (await store.deliveryById(tx, id, deliveryId)) ?? missing();
          if (one.is_test) throw new Refusal('conflict', 'Test leads cannot be resent. Use the test button.');
          if (one.state === 'pending') throw new Refusal('conflict', 'This delivery is still in progress.');
        }
        const reopened = await store.reopen(tx, id, clock.now(), deliveryId);
        if (reopened.length === 0) return 0;
        await enqueue(
          tx,
          reopened.map((d) => ({
            rootId: d.root_id,
            deliveryId: d.id,
            integrationId: id,
            attempt: d.attempts,
          })),
        );
        await audit.record(tx, ctx, {
          action: 'integration.replay',
          objectKind: 'integration',
          objectId: id,
          description: `Resent ${reopened.length} deliveries to ${row.url}`,
          owner: ownerOf(row),
        });
        return reopened.length;
      }),
  };

  /** 410 Gone: the endpoint wants no more. */
  async function disableGone(tx: Tx, id: string, now: Date): Promise<void> {
    const row = await store.integrationById(tx, id, true);
    if (row?.state !== 'enabled') return;
    await store.updateIntegration(tx, id, { state: 'disabled', state_reason: 'gone', updated_at: now });
    await audit.recordSystem(tx, now, ownerOf(row), {
      action: 'integration.disabled',
      objectKind: 'integration',
      objectId: id,
      description: `The webhook ${row.url} returned 410 Gone and was disabled`,
    });
  }

  return service;
}

const attemptRow = (outcome: Outcome) => ({
  started_at: outcome.startedAt,
  duration_ms: outcome.durationMs,
  status: outcome.status,
  answer: outcome.answer,
  error: outcome.error,
});
