import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { outcomeOf } from '../../../integrations/index.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Scope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { AuditEntry } from '../../accounts/audit/index.ts';
import { createAttempts } from './attempt.service.ts';
import type { DeliveryDeps } from './deps.ts';
import { deliveryDesk } from './desk.service.ts';
import { countExchanges, forgetExchanges } from './desk.store.ts';
import { destinationChanges } from './destination.service.ts';
import { documentCalls } from './document.service.ts';
import { createExamples } from './examples.ts';
import { FLAT, payloadChanges } from './payload.service.ts';
import { attemptRow, isOpen, MOST_PER_CAMPAIGN, type Outcome, TEST_EVERY_MS } from './policy.ts';
import { enqueueSends, resumeJob, type SendPayload } from './queue.ts';
import { deliveryRules } from './rules.service.ts';
import { createSender, SECRET, type Target, webhookOf } from './send.service.ts';
import { newMessageId, newSecret } from './sign.ts';
import * as store from './store.ts';

export type { DeskRow } from './desk.store.ts';
export type { Attempt, Counted } from './store.ts';
export type { DeliveryDeps };
export type Delivery = ReturnType<typeof createDelivery>;

/** Sends accepted leads to the webhooks and connections of their campaign: retried, logged, replayed. */
export function createDelivery(platform: Platform, deps: DeliveryDeps) {
  const { db, clock, vault, jobs } = platform;
  const { audit, tenants, connections, outbound, leads, campaigns, enrichment } = deps;
  deps.retention.keep('deliveries', { of: 'root', count: countExchanges, remove: forgetExchanges });
  const sender = createSender({ clock, vault, outbound });
  const examples = createExamples(platform, deps);

  const missing = (): never => {
    throw new Refusal('not_found', ownMessages.notFound);
  };
  const ownerOf = ({ root_id, agency_id, company_id }: Owner): Owner => ({ root_id, agency_id, company_id });

  const firstOf = (row: store.NewDelivery): SendPayload => ({
    rootId: row.root_id,
    deliveryId: row.id,
    integrationId: row.integration_id,
    companyId: row.lane_company_id,
    lane: row.lane,
    ...(row.connection_id ? { connectionId: row.connection_id } : {}),
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

  platform.events.on('connection.restored', (tx, { rootId, connectionId }) =>
    jobs.send(tx, resumeJob, [{ rootId, connectionId }]),
  );
  platform.events.on('connection.removed', async (tx, { connectionId }) => {
    await leads.changed(tx, await store.removeOfConnection(tx, connectionId, clock.now()));
  });

  const enqueue = (tx: Tx, payloads: SendPayload[], startAfter?: Date) =>
    enqueueSends(jobs, tx, payloads, startAfter);

  /** Sends what is open again. */
  async function goOn(tx: Tx, rows: store.Reopened[]): Promise<void> {
    await enqueue(tx, rows.map(nextOf));
    await leads.changed(
      tx,
      rows.map((row) => row.lead_id),
    );
  }

  async function present(tx: Tx, id: string, lock = false): Promise<store.IntegrationRow> {
    const row = await store.integrationById(tx, id, lock);
    return row && row.state !== 'removed' ? row : missing();
  }

  /**
   * A destination to change or to send something to, locked. What an agency's connection writes, and whether it writes,
   * is not for its client to decide.
   * @throws Refusal 403, 404
   */
  async function held(tx: Tx, id: string): Promise<store.IntegrationRow> {
    const row = await present(tx, id, true);
    if (row.connection_id && !(await connections.byId(tx, row.connection_id)))
      throw new Refusal('forbidden', ownMessages.agencyDestination);
    return row;
  }

  async function counted(tx: Tx, id: string): Promise<store.Counted> {
    return (await store.integrations(tx, { id }))[0] ?? missing();
  }

  const destinations = destinationChanges(platform, {
    audit,
    tenants,
    connections,
    campaigns,
    leads,
    enrichment,
    held,
    counted,
  });
  const rules = deliveryRules(platform, {
    audit,
    leads,
    campaigns,
    present,
    held,
    counted,
    goOn,
  });

  function checkUrl(url: string): void {
    const objection = outbound.objection(url);
    if (objection) throw new Refusal('invalid', `url: ${objection}`, { errors: { url: [objection] } });
  }

  const attempt = createAttempts(platform, { ...deps, rules, sender });

  return {
    jobs,
    attempt: (payload: SendPayload): Promise<void> => attempt(payload),

    /** Lets what waited for a connection go on, a thousand at a time. */
    async resume(payload: { rootId: string; connectionId: string }): Promise<void> {
      await inScope(db.app, { rootId: payload.rootId }, async (tx) => {
        const connection = await connections.byId(tx, payload.connectionId);
        if (connection?.state !== 'connected') return;
        const resumed = await store.resume(tx, connection.id, clock.now());
        await enqueue(tx, resumed.map(nextOf));
        if (resumed.length === store.RESUMED_AT_ONCE) await jobs.send(tx, resumeJob, [payload]);
      });
    },

    list: (ctx: Ctx, campaignId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await campaigns.visible(tx, campaignId))) return missing();
        return store.integrations(tx, { campaignId });
      }),

    /** Adds a webhook to a campaign; the secret is shown only this once. */
    create: (ctx: Ctx, given: { campaign_id: string; url: string; format?: 'standard' | 'flat' }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const campaign = (await campaigns.visible(tx, given.campaign_id)) ?? missing();
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
          name: given.url,
          url: given.url,
          secret_sealed: vault.seal(secret, SECRET),
          ...(given.format === 'flat' ? { payload: JSON.stringify(FLAT) } : {}),
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

    /** Changes the URL of a webhook, or the state of a destination. */
    update: (
      ctx: Ctx,
      id: string,
      given: { url?: string | undefined; state?: 'enabled' | 'disabled' | undefined },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await held(tx, id);
        if (given.url !== undefined) {
          if (row.kind !== 'webhook') throw refusalOf('url', 'can only be set for a webhook');
          checkUrl(given.url);
          // Values that no one is shown go to no other server than the one that they were entered for.
          if (row.header_names.length > 0 && row.url && new URL(given.url).origin !== new URL(row.url).origin)
            throw refusalOf(
              'url',
              `is on a different server than the headers are for (${row.header_names.join(', ')}). Remove the headers first, then enter them again`,
            );
        }
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
            ...(url ? { name: url } : {}),
            state,
            state_reason: reason,
            updated_at: clock.now(),
          });
          await audit.record(tx, ctx, {
            action: 'integration.update',
            objectKind: 'integration',
            objectId: id,
            description: `Changed the ${nounOf(row)} ${row.name}: ${changes.join(', ')}`,
            owner: ownerOf(row),
          });
        }
        return counted(tx, id);
      }),

    remove: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await held(tx, id);
        await store.updateIntegration(tx, id, {
          state: 'removed',
          state_reason: 'person',
          header_names: [],
          headers_sealed: null,
          updated_at: clock.now(),
        });
        await audit.record(tx, ctx, {
          action: 'integration.remove',
          objectKind: 'integration',
          objectId: id,
          description: `Removed the ${nounOf(row)} ${row.name}`,
          owner: ownerOf(row),
        });
      }),

    /** Sends a made-up lead now, even to a disabled destination, at most once a minute. */
    async test(ctx: Ctx, id: string): Promise<Outcome> {
      const now = clock.now();
      const deliveryId = newId(now);
      const messageId = newMessageId();
      const seen = await inScope(db.app, ctx.scope, (tx) => held(tx, id));
      const target = await testTarget(seen, messageId);
      const { row, data } = await inScope(db.app, ctx.scope, async (tx) => {
        const row = await held(tx, id);
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
          description: `Sent a test lead to ${row.name}`,
          owner: ownerOf(row),
        });
        return { row, data: await examples.made(tx, campaign, deliveryId, now) };
      });
      const outcome = await inTurn(row, target, () =>
        sender.send(target, { data, remoteId: null, isInDoubt: false }),
      );
      if (outcome.broken !== undefined)
        await connections.broken(row.root_id, row.connection_id!, outcome.broken);
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
        const found = await store.deliveries(tx, row, asked);
        const isHidden = row.connection_id !== null && !(await connections.byId(tx, row.connection_id));
        return isHidden ? { ...found, tries: found.tries.map(store.withoutAnswer) } : found;
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
    replay: (
      ctx: Ctx,
      id: string,
      which: { deliveryId?: string | undefined; cause?: string | undefined } = {},
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { deliveryId } = which;
        const row = await held(tx, id);
        if (row.state !== 'enabled')
          throw new Refusal('conflict', `The ${nounOf(row)} is disabled. Enable it first.`);
        if (deliveryId) {
          const one = (await store.deliveryById(tx, id, deliveryId)) ?? missing();
          if (one.is_test) throw new Refusal('conflict', 'Test leads cannot be resent. Use the test button.');
          if (isOpen(one)) throw new Refusal('conflict', 'This delivery is still in progress.');
        }
        const reopened = await store.reopen(tx, id, clock.now(), which);
        if (reopened.length === 0) return 0;
        await goOn(tx, reopened);
        await audit.record(tx, ctx, {
          action: 'integration.replay',
          objectKind: 'integration',
          objectId: id,
          description: `Resent ${reopened.length} deliveries to ${row.name}`,
          owner: ownerOf(row),
        });
        return reopened.length;
      }),

    /**
     * Deletes the record that a delivery made at its service. The delivery is skipped then; sent again, it makes another.
     * @throws Refusal 404; 403 for a client at its agency's connection; 409 if there is no such record or the service
     * refuses; 429 while leads are being sent there
     */
    async erase(ctx: Ctx, id: string): Promise<void> {
      const found = await inScope(db.app, ctx.scope, async (tx) => {
        const one = (await store.remoteOf(tx, id)) ?? missing();
        return { one, row: await held(tx, one.integration_id) };
      });
      if (!(await eraseRecord(ctx.scope, found, (tx, entry) => audit.record(tx, ctx, entry))))
        throw new Refusal('conflict', 'This delivery has no record that can be deleted from here.');
    },

    /**
     * The records that deliveries of these leads made at services, and what was kept of their requests: the requests are
     * deleted, the deliveries with a record are returned. In the root's scope.
     */
    async forgetRequests(tx: Tx, leadIds: readonly string[]): Promise<string[]> {
      await store.deleteExchanges(tx, leadIds);
      return store.withRecords(tx, leadIds);
    },

    /**
     * Deletes the record of one delivery, for a person who asked for it; false if the service offers no way to do that, or
     * the destination is gone. Throws a Refusal while it cannot be done.
     */
    async eraseForPerson(rootId: string, id: string): Promise<boolean> {
      const scope = { rootId };
      const found = await inScope(db.app, scope, async (tx) => {
        const one = await store.remoteOf(tx, id);
        return one && { one, row: await present(tx, one.integration_id, true) };
      });
      if (!found?.one.remote_id) return false;
      return eraseRecord(scope, found, (tx, entry) =>
        audit.recordSystem(tx, clock.now(), ownerOf(found.row), entry),
      );
    },

    ...destinations,
    ...documentCalls(platform, { ...deps, attach: destinations.attach }),
    ...rules.calls,
    ...deliveryDesk(platform, {
      audit,
      tenants,
      connections,
      goOn,
    }),
    ...payloadChanges(platform, { audit, campaigns, leads, enrichment, present, held, counted }),
  };

  /** Deletes a record at its service; false if it has none that can be deleted. @throws Refusal 409, 429 */
  async function eraseRecord(
    scope: Scope,
    { one, row }: { one: NonNullable<Awaited<ReturnType<typeof store.remoteOf>>>; row: store.IntegrationRow },
    record: (tx: Tx, entry: AuditEntry) => Promise<void>,
  ): Promise<boolean> {
    const { remote_id } = one;
    const target = remote_id === null ? undefined : await testTarget(row, one.message_id);
    if (remote_id === null || target?.kind !== 'vendor' || !target.vendor.erase) return false;
    const { vendor, way } = target;
    const startedAt = clock.now();
    await inTurn(row, target, async () => {
      try {
        await vendor.erase!(way, remote_id);
      } catch (error) {
        const result = outcomeOf(error);
        const why = result.kind === 'delivered' ? '' : ` ${result.why}`;
        throw new Refusal('conflict', `${vendor.name} has not deleted it.${why}`);
      }
    });
    await inScope(db.app, scope, async (tx) => {
      const isSettled = await store.settle(
        tx,
        one,
        { state: 'skipped', next_at: null, delivered_at: null, remote_id: null },
        {
          started_at: startedAt,
          duration_ms: clock.now().getTime() - startedAt.getTime(),
          status: null,
          error: `Deleted at ${vendor.name}`,
          exchanges: [],
        },
      );
      if (!isSettled) throw new Refusal('conflict', 'This delivery is still in progress.');
      await leads.changed(tx, [one.lead_id]);
      await record(tx, {
        action: 'integration.erase',
        objectKind: 'integration',
        objectId: row.id,
        description: `Deleted a lead at ${row.name}`,
        owner: ownerOf(row),
      });
    });
    return true;
  }

  /** Where a test goes. @throws Refusal 409 while the connection cannot send */
  async function testTarget(row: store.IntegrationRow, messageId: string): Promise<Target> {
    if (row.kind === 'webhook') return webhookOf(row, messageId);
    const scope = { rootId: row.root_id };
    const found = await inScope(db.app, scope, (tx) => connections.byId(tx, row.connection_id!));
    const vendor = connections.vendor(row.kind);
    const connection = await connections.signIns.current(vendor, found ?? missing());
    const way = connections.wayOf(vendor, connection);
    if (connection.state !== 'connected' || !way)
      throw new Refusal('conflict', `The connection to ${vendor.name} does not work. Reconnect it first.`);
    const { settings, mapping } = row;
    return { kind: 'vendor', vendor, way, settings, mapping, ...(vendor.queue ? { turn: connection } : {}) };
  }

  /** Asks an account for something in its turn. @throws Refusal 429 while leads are being sent there */
  async function inTurn<T>(row: Owner, target: Target, send: () => Promise<T>): Promise<T> {
    if (target.kind !== 'vendor' || !target.turn || !target.vendor.queue) return send();
    const { turn, vendor } = target;
    const queue = target.vendor.queue;
    const scope = { rootId: row.root_id };
    if (await inScope(db.app, scope, (tx) => connections.queues.take(tx, turn, queue)))
      throw new Refusal('too_many', `Leads are being sent to ${vendor.name}. Try again in a few seconds.`, {
        retryAfter: 5,
      });
    try {
      return await send();
    } finally {
      await inScope(db.app, scope, (tx) => connections.queues.give(tx, turn, queue, target.calls ?? 0));
    }
  }
}

const nounOf = ({ kind }: { kind: string }): string => (kind === 'webhook' ? 'webhook' : 'destination');

/** The job for the next attempt of a delivery that waits no more. */
const nextOf = (row: {
  id: string;
  root_id: string;
  integration_id: string;
  connection_id: string | null;
  lane_company_id: string;
  lane: number;
  attempts: number;
}): SendPayload => ({
  rootId: row.root_id,
  deliveryId: row.id,
  integrationId: row.integration_id,
  companyId: row.lane_company_id,
  lane: row.lane,
  ...(row.connection_id ? { connectionId: row.connection_id } : {}),
  attempt: row.attempts,
});
