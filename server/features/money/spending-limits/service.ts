import { z } from 'zod';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { dollarsOf, microsOf, usd } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Notices, SpendRow } from '../ledger/index.ts';
import { CapBook, dayIn, firstDay, type Limit, type Spend } from './policy.ts';
import * as store from './store.ts';

/** Whose limits a transaction is about to spend against. */
export interface Spender {
  rootId: string;
  agencyId: string;
  clientId?: string;
  campaignId?: string;
}

const ZONE_MS = 5_000;
const tellJob = defineJob(
  'caps.tell',
  z.object({ rootId: z.uuid(), capId: z.uuid(), level: z.enum(['soft', 'hard']), day: z.iso.date() }),
);

/** What a hard limit leaves of its current period, micro-dollars. */
export interface LeftOfLimit {
  subject: 'campaign' | 'client';
  period: 'day' | 'month';
  micros: bigint;
}

/** A limit as stored in the database. */
export type LockedCap = Omit<Awaited<ReturnType<typeof store.lockCaps>>[number], 'set_by' | 'updated_at'>;

export type SpendingLimits = ReturnType<typeof createSpendingLimits>;

/** Limits on spending (docs/money.md): enforced under the locks of the transaction that spends. */
export function createSpendingLimits(platform: Platform, deps: { audit: Audit; notices: Notices }) {
  const { db, clock, jobs, events } = platform;
  const { audit, notices } = deps;
  const zones = new Map<string, { zone: string; until: number }>();

  /** Time zones of companies; cached for 5 s. Companies that the scope may not see use their root's default. */
  async function zonesOf(tx: Tx, companyIds: string[]): Promise<(id: string) => string> {
    const now = performance.now();
    const missing = companyIds.filter((id) => !((zones.get(id)?.until ?? 0) > now));
    if (missing.length > 0) {
      if (zones.size > 100_000) zones.clear();
      for (const row of await store.timeZones(tx, missing))
        zones.set(row.id, { zone: row.time_zone, until: now + ZONE_MS });
    }
    return (id) => zones.get(id)?.zone ?? 'America/Chicago';
  }

  const spentIn = (
    rows: Awaited<ReturnType<typeof store.spentSince>>,
    subjectId: string,
    since: string,
  ): bigint =>
    rows.reduce(
      (sum, row) => (row.subject_id === subjectId && row.day >= since ? sum + row.micros : sum),
      0n,
    );

  /** Limits with what was spent in their current periods. */
  async function limitsOf(
    tx: Tx,
    rows: readonly LockedCap[],
    zoneOf: (companyId: string) => string,
    at: Date,
  ): Promise<Limit[]> {
    const limits: Limit[] = rows.map((row) => ({
      id: row.id,
      owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
      subject: row.subject,
      subjectId: row.subject_id,
      period: row.period,
      hard: row.hard_micros,
      soft: row.soft_micros,
      since: firstDay(dayIn(at, zoneOf(row.company_id)), row.period),
      spent: 0n,
    }));
    if (limits.length === 0) return limits;
    const oldest = new Map<string, string>();
    for (const { subjectId, since } of limits) {
      const known = oldest.get(subjectId);
      if (!known || since < known) oldest.set(subjectId, since);
    }
    const spent = await store.spentSince(
      tx,
      [...oldest].map(([subjectId, since]) => ({ subjectId, since })),
    );
    for (const limit of limits) limit.spent = spentIn(spent, limit.subjectId, limit.since);
    return limits;
  }

  const wire = async (tx: Tx, of: Parameters<typeof store.listCaps>[1], at: Date) => {
    const rows = (await store.listCaps(tx, of)).map((row) => ({
      ...row,
      since: firstDay(dayIn(at, row.time_zone), row.period),
    }));
    const months = new Map(rows.map((row) => [row.subject_id, firstDay(row.since, 'month')]));
    const spent = rows.length
      ? await store.spentSince(
          tx,
          [...months].map(([subjectId, since]) => ({ subjectId, since })),
        )
      : [];
    return rows.map((row) => ({
      subject: row.subject,
      subject_id: row.subject_id,
      name: row.campaign_name ?? row.company_name,
      period: row.period,
      set_by: row.set_by,
      hard: row.hard_micros === null ? null : dollarsOf(row.hard_micros),
      soft: row.soft_micros === null ? null : dollarsOf(row.soft_micros),
      spent: dollarsOf(spentIn(spent, row.subject_id, row.since)),
    }));
  };

  /** Emails the user who set a limit, once, that it was passed or reached. */
  async function tell(key: {
    rootId: string;
    capId: string;
    level: 'soft' | 'hard';
    day: string;
  }): Promise<void> {
    const scope = { rootId: key.rootId };
    const [cap] = await inScope(db.app, scope, (tx) => store.listCaps(tx, { id: key.capId }));
    if (!cap) return;
    const to = {
      root_id: cap.root_id,
      agency_id: cap.agency_id,
      company_id: cap.set_by === 'agency' ? cap.agency_id : cap.company_id,
    };
    const sender = await notices.sender(to);
    await inScope(db.app, scope, async (tx) => {
      const row = await store.takeEvent(tx, key, clock.now());
      if (!row) return;
      const thing = {
        wallet: 'your Data Wallet',
        client: `the client ${cap.company_name}`,
        campaign: `the campaign ${cap.campaign_name ?? ''}`,
      }[row.subject];
      const span = row.period === 'day' ? 'today' : 'this month';
      const amount = usd((key.level === 'hard' ? row.hard_micros : row.soft_micros) ?? 0n);
      await notices.tell(tx, `cap.${key.level}`, sender, to, {
        subject:
          key.level === 'hard' ? 'A spending limit has been reached' : 'You are close to a spending limit',
        lines:
          key.level === 'hard'
            ? [
                `The limit of ${amount} for ${thing} has been reached ${span}. The campaigns it stops take no more leads and say so.`,
                `They resume automatically when the ${row.period === 'day' ? 'day' : 'month'} is over, or right away when you raise or remove the limit.`,
              ]
            : [
                `Spending for ${thing} has passed ${amount} ${span}. Nothing was stopped. You asked to be notified at this amount.`,
              ],
      });
    });
  }

  return {
    /**
     * Locks the limits of spenders and reads their current state. Call it with the balances locked that will be spent
     * from: setting a limit locks those too. `known`: the limits, if the caller has locked them.
     */
    async open(tx: Tx, spenders: Spender[], at: Date, known?: LockedCap[]) {
      const subjects = new Set(
        spenders.flatMap((s) => [s.agencyId, s.clientId, s.campaignId].filter((id) => id !== undefined)),
      );
      const rows: LockedCap[] = known ?? (subjects.size ? await store.lockCaps(tx, [...subjects]) : []);
      const zoneOf = await zonesOf(tx, [
        ...new Set(spenders.flatMap((s) => [s.agencyId, ...(s.clientId ? [s.clientId] : [])])),
      ]);
      const limits = await limitsOf(tx, rows, zoneOf, at);
      const book = new CapBook(limits);
      const counts = new Map<string, SpendRow>();
      const count = (
        counts: Map<string, SpendRow>,
        subject: 'wallet' | 'client' | 'campaign',
        subject_id: string,
        owner: { root_id: string; agency_id: string; company_id: string },
        micros: bigint,
      ): void => {
        if (micros === 0n) return;
        const row = counts.get(subject_id);
        if (row) row.micros += micros;
        else
          counts.set(subject_id, {
            subject,
            subject_id,
            day: dayIn(at, zoneOf(owner.company_id)),
            ...owner,
            micros,
          });
      };
      const countAll = (into: Map<string, SpendRow>, rootId: string, spend: Spend): void => {
        const { agencyId, clientId, campaignId } = spend;
        const agency = { root_id: rootId, agency_id: agencyId };
        count(into, 'wallet', agencyId, { ...agency, company_id: agencyId }, spend.walletMicros);
        if (clientId) {
          const owner = { ...agency, company_id: clientId };
          count(into, 'client', clientId, owner, spend.priceMicros);
          if (campaignId) count(into, 'campaign', campaignId, owner, spend.priceMicros);
        }
      };
      return {
        refusal: (spend: Spend) => book.refusal(spend),
        take(rootId: string, spend: Spend): void {
          book.take(spend);
          countAll(counts, rootId, spend);
        },
        /** Subtracts from what was posted with `counted` what turned out to have been posted before. */
        async takeBack(rootId: string, spend: Spend): Promise<void> {
          const twice = new Map<string, SpendRow>();
          countAll(twice, rootId, spend);
          for (const row of twice.values()) await store.takeBackSpend(tx, row);
        },
        /** What was counted, for the posting that spends it; always in the same order. */
        counted: (): SpendRow[] =>
          [...counts.values()].sort((a, b) => (a.subject_id < b.subject_id ? -1 : 1)),
        /** Queues pending limit notifications. */
        async tell(): Promise<void> {
          if (book.news.length === 0) return;
          const fresh = await store.addEvents(
            tx,
            book.news.map(({ limit, level }) => ({
              cap_id: limit.id,
              level,
              day: dayIn(at, zoneOf(limit.owner.company_id)),
              ...limit.owner,
              created_at: at,
            })),
          );
          const rootId = limits[0]!.owner.root_id;
          await jobs.send(
            tx,
            tellJob,
            fresh.map(({ cap_id, level, day }) => ({ rootId, capId: cap_id, level, day })),
          );
        },
      };
    },

    /**
     * Limits of the scope, or those of one company in it.
     * @throws Refusal 404 for a company outside it
     */
    list: (ctx: Ctx, companyId: string | undefined) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (companyId && !(await store.seesCompany(tx, companyId)))
          throw new Refusal('not_found', ownMessages.notFound);
        return wire(tx, { companyId }, clock.now());
      }),

    /**
     * Sets a limit; leaving both amounts empty lifts it. Returns the subject's limits.
     * @throws Refusal 403 for a hard limit that is raised or lifted in a session that is not confirmed, 404, 422
     */
    set: async (
      ctx: Ctx,
      given: {
        subject: 'wallet' | 'client' | 'campaign';
        subject_id: string;
        period: 'day' | 'month';
        hard: string | null;
        soft: string | null;
      },
    ) => {
      const { subject, subject_id, period } = given;
      const set_by = ctx.actor.kind === 'client' ? ('client' as const) : ('agency' as const);
      const hard = given.hard === null ? null : microsOf(given.hard);
      // Before the transaction: a request that holds one connection must not wait for another.
      const before = await inScope(db.app, ctx.scope, (tx) =>
        store.hardLimit(tx, { subject_id, period, set_by }),
      );
      if (before !== null && (hard === null || hard > before)) await ctx.mustBeConfirmed();
      return inScope(db.app, ctx.scope, async (tx) => {
        const row = await store.subject(tx, subject, subject_id);
        if (!row) throw new Refusal('not_found', ownMessages.notFound);
        const soft = given.soft === null ? null : microsOf(given.soft);
        if (hard !== null && soft !== null && soft > hard) {
          throw new Refusal('invalid', 'soft: must not be above the hard limit', {
            errors: { soft: ['must not be above the hard limit'] },
          });
        }
        const at = clock.now();
        const owner = { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id };
        await store.holdSpending(tx, subject, row.company_id);
        if (hard === null && soft === null)
          await store.dropCap(tx, { subject_id: subject_id, period, set_by });
        else
          await store.putCap(tx, {
            id: newId(at),
            ...owner,
            subject,
            subject_id: subject_id,
            period,
            set_by,
            hard_micros: hard,
            soft_micros: soft,
            updated_at: at,
          });
        const words = (micros: bigint | null) => (micros === null ? 'none' : usd(micros));
        await audit.record(tx, ctx, {
          action: 'cap.set',
          objectKind: subject === 'campaign' ? 'campaign' : 'company',
          objectId: subject_id,
          description: `Limit for the ${subject} ${row.name} per ${period}: hard ${words(hard)}, soft ${words(soft)}`,
          owner,
        });
        await events.emit(tx, 'caps.changed', { rootId: row.root_id });
        return wire(tx, { subjectId: subject_id }, at);
      });
    },

    /** The hard limits of subjects, micro-dollars, without spending against them. */
    hardLimits: store.hardLimits,

    /** What the hard limits of a campaign and its client leave of their current periods, without spending against them. */
    async left(tx: Tx, of: { clientId: string; campaignId: string }, at: Date): Promise<LeftOfLimit[]> {
      const rows = await store.capsOf(tx, [of.campaignId, of.clientId]);
      if (rows.length === 0) return [];
      return (await limitsOf(tx, rows, await zonesOf(tx, [of.clientId]), at)).flatMap(
        ({ hard, spent, subjectId, period }) =>
          hard === null
            ? []
            : [
                {
                  subject: subjectId === of.campaignId ? ('campaign' as const) : ('client' as const),
                  period,
                  micros: hard > spent ? hard - spent : 0n,
                },
              ],
      );
    },

    tell,
    /** Starts sending notifications. */
    start: () => jobs.work(tellJob, { pollingIntervalSeconds: 5 }, (payload) => tell(payload)),
  };
}
