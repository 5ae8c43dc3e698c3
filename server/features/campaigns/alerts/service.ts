import type { z } from 'zod';
import { type AlertKind, type AlertRules, tellsOfLeads } from '../../../../contract/campaigns/alert-rules.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { allInTurn } from '../../../platform/in-turn.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import type { Mail } from '../../../platform/mail.ts';
import type { Outbound } from '../../../platform/outbound.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Users } from '../../accounts/users/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import type { Retention } from '../../operations/retention/index.ts';
import type { Campaigns } from '../campaigns/index.ts';
import type { Connections } from '../connections/index.ts';
import { hoursFrom, newSecret, opensAt } from '../delivery/index.ts';
import type { Leads } from '../leads/index.ts';
import { numbersReached, tellNow, wouldBeTold } from './policy.ts';
import { dueJob, judgeJob, messageJob, tellJob } from './queue.ts';
import { createAlertSender, SECRET } from './send.service.ts';
import * as store from './store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long messages and events are kept, which is also the longest cooldown. */
const COUNTED_DAYS = 7;
const EXAMPLES = 5;
/** Events that are judged in one job. */
const AT_ONCE = 2_000;
/** Companies that are judged at once, and as many that are told. */
const COMPANIES_AT_ONCE = 4;

const TESTS: LimitRule = { name: 'alert.test', max: 10, base: 60, cap: 3600, window: 3600 };
const PREVIEWS: LimitRule = { name: 'alert.preview', max: 60, base: 10, cap: 600, window: 600 };

export type Alerts = ReturnType<typeof createAlerts>;

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/** Tells people at once of leads and customers that they wait for (decisions 0278, 0350). */
export function createAlerts(
  platform: Platform,
  deps: {
    audit: Audit;
    tenants: Tenants;
    users: Users;
    notices: Notices;
    mail: Mail;
    outbound: Outbound;
    limits: Limits;
    campaigns: Campaigns;
    connections: Connections;
    leads: Leads;
    retention: Retention;
  },
) {
  const { db, clock, jobs, events, vault } = platform;
  const { audit, tenants, outbound, limits, campaigns, connections } = deps;
  const sender = createAlertSender(platform, deps);
  deps.retention.keep('alerts', { of: 'root', count: store.countBefore, remove: store.forgetBefore });

  /**
   * Has what happened judged after the transaction, if anyone waits for it: for each company by jobs of its own and in
   * turn, so that one with many visits makes mostly itself wait.
   */
  async function judge<T extends { owner: { root_id: string; company_id: string } }>(
    tx: Tx,
    all: readonly T[],
    told: (some: T[]) => Partial<Pick<z.output<typeof judgeJob.payload>, 'happened' | 'customers'>>,
    hasNew = false,
  ): Promise<void> {
    const byCompany = Map.groupBy(all, ({ owner }) => owner.company_id);
    for (const companyId of await store.withAlerts(tx, [...byCompany.keys()])) {
      const of = byCompany.get(companyId)!;
      const parts = [];
      for (let from = 0; from < of.length; from += AT_ONCE)
        parts.push({
          rootId: of[0]!.owner.root_id,
          happened: [],
          customers: [],
          ...told(of.slice(from, from + AT_ONCE)),
          companies: hasNew && from === 0 ? [companyId] : [],
        });
      await jobs.send(tx, judgeJob, parts, { turn: companyId });
    }
  }
  events.on('leads.accepted', async (tx, event) => {
    if (event.isTest) return;
    const at = clock.now().toISOString();
    await judge(
      tx,
      event.leads,
      (leads) => ({ happened: leads.map(({ id }) => ({ leadId: id, kind: 'new' as const, at })) }),
      true,
    );
  });
  events.on('leads.seen', (tx, event) =>
    judge(tx, event.leads, (leads) => ({
      happened: leads.map(({ id, at, hasReturned }) => ({
        leadId: id,
        kind: hasReturned ? ('returned' as const) : ('seen' as const),
        at: at.toISOString(),
      })),
    })),
  );
  events.on('customers.seen', (tx, event) =>
    judge(tx, event.visits, (visits) => ({
      customers: visits.map(({ id, at }) => ({ visitId: id, at: at.toISOString() })),
    })),
  );

  /** The client whose alerts are meant. @throws Refusal 404, also for a company that has no leads of its own */
  async function clientOf(tx: Tx, ctx: Ctx, companyId: string | undefined) {
    const company = (await tenants.company(tx, companyId ?? ctx.actor.companyId)) ?? missing();
    if (company.kind !== 'client') return companyId ? missing() : null;
    return { ...company, agency_id: company.agency_id! };
  }
  const need = async (tx: Tx, ctx: Ctx, companyId: string | undefined) => {
    const client = await clientOf(tx, ctx, companyId);
    if (!client) throw refusalOf('company_id', 'must be one of your clients');
    return client;
  };

  /**
   * Returns rules as they are stored. Users and connections must be the client's or the actor's own; those that the
   * alert had may stay.
   * @throws Refusal 422 naming the field
   */
  async function checked(
    tx: Tx,
    ctx: Ctx,
    client: { id: string },
    given: Omit<AlertRules, 'name'>,
    before?: store.AlertRow,
  ) {
    const errors: Record<string, string[]> = {};
    const hours = hoursFrom(given.hours, 'hours', errors);
    const isNumber = given.trigger === 'number';
    if (isNumber && given.per_hour === null) errors.per_hour = ['is required'];
    if (given.campaign_id !== null) {
      const campaign = await campaigns.visible(tx, given.campaign_id);
      if (campaign?.company_id !== client.id) errors.campaign_id = ['is not a campaign of this client'];
    }
    const users = await store.usersFor(tx, [client.id, ctx.actor.companyId]);
    const known = new Set([...users.map(({ id }) => id), ...(before?.user_ids ?? [])]);
    if (given.user_ids.some((id) => !known.has(id)))
      errors.user_ids = ['has someone who is not a user of this client'];
    for (const id of given.connection_ids) {
      if (before?.connection_ids.includes(id)) continue;
      const connection = await connections.byId(tx, id);
      const isChat = connection && connections.vendor(connection.vendor).announce;
      if (connection?.company_id !== client.id || connection.state === 'removed' || !isChat)
        errors.connection_ids = ['has a connection that is not a chat of this client'];
    }
    const url = given.webhook_url || null;
    const objection = url === null ? undefined : outbound.objection(url);
    if (objection) errors.webhook_url = [objection];
    if (given.user_ids.length + given.connection_ids.length === 0 && url === null)
      errors.user_ids = ['must have someone, unless there is a chat or a webhook'];
    const [first] = Object.entries(errors);
    if (first) throw new Refusal('invalid', `${first[0]}: ${first[1][0]}`, { errors });
    const { campaign_id, trigger, cooldown_hours, most_per_hour, state } = given;
    const isOfLeads = tellsOfLeads(trigger);
    return {
      campaign_id,
      trigger,
      min_score: isOfLeads ? given.min_score : 0,
      fit: isOfLeads ? given.fit : ('any' as const),
      cooldown_hours,
      most_per_hour,
      state,
      pages: [...new Set(given.pages)],
      per_hour: isNumber ? given.per_hour : null,
      user_ids: [...new Set(given.user_ids)],
      connection_ids: [...new Set(given.connection_ids)],
      webhook_url: url,
      hours: hours === null ? null : JSON.stringify(hours),
    };
  }

  const present = async (tx: Tx, id: string, lock = false) =>
    (await store.alertById(tx, id, lock)) ?? missing();
  const ownerOf = ({ root_id, agency_id, company_id }: store.AlertRow) => ({
    root_id,
    agency_id,
    company_id,
  });

  /** Has what companies have waiting told, unless it is about to be. */
  const enqueueTelling = (tx: Tx, rootId: string, companies: readonly string[]): Promise<void> =>
    jobs.send(
      tx,
      tellJob,
      [...new Set(companies)].map((companyId) => ({ rootId, companyId })),
      { turn: ({ companyId }) => companyId, unlessWaiting: true },
    );

  /** Tells what an alert has waiting, as far as its hours and the number of messages let it. */
  async function tellOf(rootId: string, id: string): Promise<void> {
    await inScope(db.app, { rootId }, async (tx) => {
      const alert = await store.takeAlert(tx, id);
      if (!alert) return;
      if (alert.state !== 'on') return void (await store.dropWaiting(tx, alert));
      const now = clock.now();
      if (opensAt(alert.hours, alert.time_zone, now)) return;
      const waiting = await store.waitingEvents(tx, alert);
      const sent = await store.batchesSince(tx, id, new Date(now.getTime() - HOUR_MS));
      const { batches } = tellNow(waiting, {
        mostPerHour: alert.most_per_hour,
        sentInHour: sent.single,
        hasGathered: sent.hasGathered,
        now,
      });
      if (batches.length === 0) return;
      const made = batches.map((of) => ({ id: newId(now), events: of }));
      await store.setBatches(tx, made);
      for (const batch of made)
        await sender.send(tx, alert, { id: batch.id, events: batch.events.length, is_test: false });
    });
  }

  /** The same for an alert of customers. @throws Refusal 404, 422 */
  const previewCustomers = (
    ctx: Ctx,
    companyId: string | undefined,
    given: Omit<AlertRules, 'name'>,
    now: Date,
  ) =>
    inScope(db.app, ctx.scope, async (tx) => {
      const client = await need(tx, ctx, companyId);
      const found = await store.wouldTellCustomers(
        tx,
        { ...given, company_id: client.id },
        new Date(now.getTime() - DAY_MS),
        now,
      );
      const { cooldown_hours: cooldownHours, most_per_hour: mostPerHour } = given;
      const { told, messages } = wouldBeTold(found, { cooldownHours, mostPerHour });
      return {
        events: told.length,
        messages,
        examples: told
          .slice(-EXAMPLES)
          .reverse()
          .map(({ visit_id, label, at }) => ({
            id: visit_id,
            name: label,
            kind: 'customer' as AlertKind,
            score: null as number | null,
            at: at.toISOString(),
          })),
      };
    });

  return {
    attempt: sender.attempt,

    list: (ctx: Ctx, companyId: string | undefined) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const client = await clientOf(tx, ctx, companyId);
        if (!client) return [];
        const since = new Date(clock.now().getTime() - COUNTED_DAYS * DAY_MS);
        const rows = await store.alertsOf(tx, client.id, since);
        return rows.map((row) => ({ ...row, time_zone: client.time_zone }));
      }),

    choices: (ctx: Ctx, companyId: string | undefined) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const client = await need(tx, ctx, companyId);
        const all = await connections.ofCompany(tx, client.id);
        const users = await store.usersFor(tx, [client.id, ctx.actor.companyId]);
        // Whoever only looks, such as a salesperson in a view, needs the names, and no one's address.
        const maySet = ctx.may('integration.write');
        return {
          users: maySet ? users : users.map((user) => ({ ...user, email: '' })),
          connections: all.filter(({ vendor }) => connections.vendor(vendor).announce),
          time_zone: client.time_zone,
        };
      }),

    /** @throws Refusal 404, 422 naming the field */
    create: (ctx: Ctx, { company_id, name, ...given }: AlertRules & { company_id?: string | undefined }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const client = await need(tx, ctx, company_id);
        await boundedBy(tx, 'alerts', client.id, 'name');
        const rules = await checked(tx, ctx, client, given);
        const now = clock.now();
        const id = newId(now);
        const secret = rules.webhook_url === null ? null : newSecret();
        const owner = { root_id: client.root_id, agency_id: client.agency_id, company_id: client.id };
        await store.insertAlert(tx, {
          id,
          ...owner,
          name,
          ...rules,
          webhook_sealed: secret && vault.seal(secret, SECRET),
          created_at: now,
          updated_at: now,
        });
        await audit.record(tx, ctx, {
          action: 'alert.create',
          objectKind: 'alert',
          objectId: id,
          description: `Added the alert ${name}`,
          owner,
        });
        return { id, secret };
      }),

    /** @throws Refusal 404, 422 naming the field */
    update: (ctx: Ctx, { id, name, ...given }: AlertRules & { id: string }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await present(tx, id, true);
        const rules = await checked(tx, ctx, { id: row.company_id }, given, row);
        const isNew = rules.webhook_url !== null && rules.webhook_url !== row.webhook_url;
        const secret = isNew ? newSecret() : null;
        await store.updateAlert(tx, id, {
          name,
          ...rules,
          webhook_sealed: secret ? vault.seal(secret, SECRET) : rules.webhook_url ? row.webhook_sealed : null,
          updated_at: clock.now(),
        });
        if (rules.state === 'off') await store.dropWaiting(tx, row);
        await audit.record(tx, ctx, {
          action: 'alert.update',
          objectKind: 'alert',
          objectId: id,
          description: `Changed the alert ${name}${rules.state === row.state ? '' : `: turned ${rules.state}`}`,
          owner: ownerOf(row),
        });
        return { secret };
      }),

    /** @throws Refusal 404 */
    remove: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await present(tx, id, true);
        await store.updateAlert(tx, id, {
          state: 'removed',
          webhook_url: null,
          webhook_sealed: null,
          updated_at: clock.now(),
        });
        await store.dropWaiting(tx, row);
        await audit.record(tx, ctx, {
          action: 'alert.remove',
          objectKind: 'alert',
          objectId: id,
          description: `Removed the alert ${row.name}`,
          owner: ownerOf(row),
        });
      }),

    /** What an alert would have sent in the last 24 hours. @throws Refusal 404, 422, 429 */
    async preview(
      ctx: Ctx,
      { company_id, ...given }: Omit<AlertRules, 'name'> & { company_id?: string | undefined },
    ) {
      await limits.take(PREVIEWS, ctx.actor.userId);
      const now = clock.now();
      if (!tellsOfLeads(given.trigger)) return previewCustomers(ctx, company_id, given, now);
      const { hits, names } = await inScope(db.app, ctx.scope, async (tx) => {
        const client = await need(tx, ctx, company_id);
        const rules = { ...given, company_id: client.id };
        const found = await store.wouldTell(tx, rules, new Date(now.getTime() - DAY_MS), now);
        const { cooldown_hours: cooldownHours, most_per_hour: mostPerHour, per_hour: perHour } = given;
        const reached =
          given.trigger === 'number'
            ? numbersReached(found, { perHour: perHour ?? 1, cooldownHours })
            : found;
        const told =
          given.trigger === 'number'
            ? { told: reached, messages: reached.length }
            : wouldBeTold(found, { cooldownHours, mostPerHour });
        const shown = told.told.slice(-EXAMPLES).reverse();
        return {
          hits: { ...told, shown },
          names: await deps.leads.message(
            tx,
            shown.map(({ lead_id }) => lead_id),
          ),
        };
      });
      const withheld = await deps.leads.withheld(
        ctx.actor.rootId,
        hits.shown.map(({ lead_id }) => lead_id),
      );
      return {
        events: hits.told.length,
        messages: hits.messages,
        examples: hits.shown.flatMap(({ lead_id, kind, score, at }) => {
          const person = withheld.has(lead_id) ? undefined : names.get(lead_id)?.person;
          return person
            ? [
                {
                  id: lead_id,
                  name:
                    [person.first_name, person.last_name].filter(Boolean).join(' ') ||
                    (person.email ?? person.company_name ?? 'Unnamed person'),
                  kind: kind as AlertKind,
                  score: score < 0 ? null : score,
                  at: at.toISOString(),
                },
              ]
            : [];
        }),
      };
    },

    /** Sends a made-up event to all recipients of an alert. @throws Refusal 404, 429 */
    async test(ctx: Ctx, id: string): Promise<void> {
      await limits.take(TESTS, ctx.actor.userId);
      await inScope(db.app, ctx.scope, async (tx) => {
        const row = await present(tx, id);
        await sender.send(tx, row, { id: newId(clock.now()), events: 1, is_test: true });
        await audit.record(tx, ctx, {
          action: 'alert.test',
          objectKind: 'alert',
          objectId: id,
          description: `Sent a test of the alert ${row.name}`,
          owner: ownerOf(row),
        });
      });
    },

    /** @throws Refusal 404 */
    messages: (ctx: Ctx, id: string, page: { offset: number; limit: number }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        await present(tx, id);
        return store.messagesOf(tx, id, page);
      }),

    /** Decides which alerts report what happened, and has it told. Safe to run twice. */
    async decide(
      rootId: string,
      happened: readonly store.Happened[],
      companies: readonly string[],
      customers: readonly store.CustomerSeen[] = [],
    ): Promise<void> {
      await inScope(db.app, { rootId }, async (tx) => {
        const now = clock.now();
        const told = [
          ...(await store.decide(tx, happened, now)),
          ...(await store.decideCustomers(tx, customers, now)),
          ...(await store.decideNumbers(tx, companies, now)),
        ];
        await enqueueTelling(tx, rootId, told);
      });
    },

    /** Has what is waiting in a root told: of each company by a job of its own. */
    async enqueueDue(rootId: string): Promise<void> {
      await inScope(db.app, { rootId }, async (tx) => {
        const now = clock.now();
        const waiting = await store.waitingAlerts(tx, rootId);
        const due = waiting.filter(({ hours, time_zone }) => !opensAt(hours, time_zone, now));
        await enqueueTelling(
          tx,
          rootId,
          due.map((alert) => alert.company_id),
        );
      });
    },

    /** Tells what a company has waiting. @throws the first failure, once each of its alerts had its turn */
    async tell({ rootId, companyId }: { rootId: string; companyId: string }): Promise<void> {
      const waiting = await inScope(db.app, { rootId }, (tx) => store.waitingAlertsOf(tx, companyId));
      await allInTurn(waiting, (id) => tellOf(rootId, id));
    },

    /** Starts judging, telling and sending. */
    async start(): Promise<void> {
      await jobs.workTogether(
        judgeJob,
        { atOnce: COMPANIES_AT_ONCE },
        ({ rootId, happened, companies, customers }) =>
          this.decide(
            rootId,
            happened.map(({ at, ...one }) => ({ ...one, at: new Date(at) })),
            companies,
            customers.map(({ at, ...one }) => ({ ...one, at: new Date(at) })),
          ),
      );
      await jobs.workTogether(tellJob, { atOnce: COMPANIES_AT_ONCE }, (payload) => this.tell(payload));
      await jobs.work(dueJob, { pollingIntervalSeconds: 2 }, ({ rootId }) =>
        tenants.eachRoot((id) => this.enqueueDue(id), rootId),
      );
      await jobs.schedule(dueJob, '* * * * *', {});
      await jobs.workTogether(messageJob, { atOnce: 16 }, (payload) => sender.attempt(payload));
    },
  };
}
