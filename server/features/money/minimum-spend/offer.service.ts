import type { z } from 'zod';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { MinSpendOffer } from '../../../../contract/money/minimum-spend.ts';
import { dollarsOf, usd } from '../../../../contract/primitives.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Agreements } from '../../accounts/agreements/index.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Notices } from '../ledger/index.ts';
import * as policy from './policy.ts';
import { announceJob } from './queue.ts';
import * as store from './store.ts';

const DAY_MS = 86_400_000;
type Offer = NonNullable<Awaited<ReturnType<typeof store.openOffer>>>;

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/** What a root asks of agencies without their own plan at an instant; null if nothing. */
export type DefaultOf = (
  tx: Tx,
  rootId: string,
  at: Date,
) => Promise<(policy.Amounts & { name: string }) | null>;

/**
 * The minimum spend that a root asks for by default, announced to each agency that it applies to and charged once the
 * agency has accepted it (docs/decisions/0161-minimum-spend-offers.md).
 */
export function createOffers(
  { db, clock, events, jobs, log }: Platform,
  parts: { tenants: Tenants; audit: Audit; agreements: Agreements; notices: Notices; defaultOf: DefaultOf },
) {
  const { tenants, audit, agreements, notices, defaultOf } = parts;

  events.on('minspend.changed', (tx, { rootId }) => jobs.send(tx, announceJob, [{ rootId }]));

  /** The first month that an agency will be charged for if it accepts now, and the amount. */
  async function firstCharged(tx: Tx, agencyId: string, amounts: policy.Amounts, timeZone: string) {
    const now = clock.now();
    const next = policy.monthOf(now, timeZone).add({ months: 1 });
    const began = await agreements.begun(tx, agencyId);
    const life = policy.lifeOf(next, began ?? now, timeZone);
    return { next, micros: policy.askedOf(amounts, Math.max(1, life)) ?? 0n };
  }
  const zoneOf = async (tx: Tx, rootId: string): Promise<string> =>
    (await tenants.company(tx, rootId))?.time_zone ?? 'UTC';

  async function wire(
    tx: Tx,
    row: Offer,
    companyName: string,
    timeZone: string,
  ): Promise<Inside<z.output<typeof MinSpendOffer>>> {
    const { next, micros } = await firstCharged(tx, row.company_id, row, timeZone);
    const accepted = row.accepted_at && policy.monthOf(row.accepted_at, timeZone).add({ months: 1 });
    return {
      id: row.id,
      company_id: row.company_id,
      company_name: companyName,
      plan_name: row.name,
      months: row.months.map(dollarsOf),
      flat: dollarsOf(row.flat),
      amount_micros: Number(micros),
      charged_from: (accepted ?? next).toString(),
      announced_at: row.announced_at.toISOString(),
      reminded_at: row.reminded_at?.toISOString() ?? null,
      accepted_at: row.accepted_at?.toISOString() ?? null,
    };
  }

  /**
   * Emails an agency the offer that waits for its acceptance. In the root's scope; `sender` was looked up before
   * entering it.
   */
  async function tell(
    tx: Tx,
    row: Pick<Offer, 'root_id' | 'agency_id' | 'company_id' | 'months' | 'flat'>,
    sender: Awaited<ReturnType<Notices['sender']>>,
    isReminder: boolean,
  ): Promise<void> {
    const { next, micros } = await firstCharged(tx, row.company_id, row, await zoneOf(tx, row.root_id));
    const month = next.toLocaleString('en-US', { dateStyle: 'long' });
    await notices.tell(tx, 'minspend.offer', sender, row, {
      subject: `${isReminder ? 'Reminder: ' : ''}Review and accept your minimum spend of ${usd(micros)} a month`,
      lines: [
        `A minimum spend applies to your agency once you accept it: ${usd(micros)} for the first month${row.flat === micros ? ' and every month after' : `, then ${usd(row.flat)} a month`}.`,
        `If you accept now, the first month that counts starts on ${month}. You are not charged for any time before that, or until you accept.`,
        'If your leads and fees in a month fall below the minimum, the difference is invoiced at the end of that month.',
      ],
      page: { label: 'Review and accept', path: '/configuration/invoices?side=wholesale' },
    });
  }

  /**
   * Announces a root's current default to the agencies that it asks more of than they agreed to, and withdraws
   * announcements that no longer apply. Safe to run any number of times; returns how many agencies were notified.
   */
  async function announce(rootId: string): Promise<number> {
    const scope = { rootId };
    const at = clock.now();
    const { asked, list } = await inScope(db.app, scope, async (tx) => ({
      asked: await defaultOf(tx, rootId, at),
      list: await store.reached(tx, rootId, at),
    }));
    const isTold = (one: store.Reached): boolean =>
      one.open !== null && asked !== null && policy.isSame(one.open, asked);
    const wants = (one: store.Reached): boolean =>
      one.is_affected && asked !== null && policy.raises(one.agreed, asked);
    let told = 0;
    let failed: unknown;
    for (const one of list) {
      if (wants(one) ? isTold(one) : one.open_id === null) continue;
      try {
        told += await announceTo(one);
      } catch (error) {
        // An agency that can't be notified does not hold up the others.
        log.error({ err: error, agency: one.id }, 'could not announce the minimum spend');
        failed ??= error;
      }
    }
    if (failed) throw failed;
    return told;

    async function announceTo(one: store.Reached): Promise<number> {
      const owner = { root_id: rootId, agency_id: one.id, company_id: one.id };
      const sender = await notices.sender(owner);
      return inScope(db.app, scope, async (tx) => {
        await store.lockAgency(tx, one.id);
        // Another process may have announced it, or the agency accepted it, since the list was read.
        const open = await store.openOffer(tx, one.id);
        const agreed = (await store.acceptedOffer(tx, one.id, new Date(at.getTime() + DAY_MS))) ?? null;
        const isWanted = wants({ ...one, agreed });
        if (open && isWanted && policy.isSame(open, asked!)) return 0;
        if (open) await store.updateOffer(tx, open.id, { withdrawn_at: at });
        // An agency that has not finished its setup is notified when it has.
        if (!isWanted || !(await agreements.begun(tx, one.id))) return 0;
        const { name, months, flat } = asked!;
        const row = { id: newId(at), ...owner, name, months: [...months], flat, announced_at: at };
        await store.insertOffer(tx, row);
        await tell(tx, row, sender, false);
        await audit.recordSystem(tx, at, owner, {
          action: 'minspend.announced',
          objectKind: 'company',
          objectId: one.id,
          description: `Announced the minimum spend ${name}: ${[...months, flat].map((micros) => usd(micros)).join(', ')} a month`,
        });
        return 1;
      });
    }
  }

  const recordAccepted = (
    tx: Tx,
    ctx: Ctx,
    row: policy.Amounts & { company_id: string; name: string },
  ): Promise<void> =>
    audit.record(tx, ctx, {
      action: 'minspend.accept',
      objectKind: 'company',
      objectId: row.company_id,
      description: `Accepted the minimum spend ${row.name}: ${[...row.months, row.flat].map((micros) => usd(micros)).join(', ')} a month`,
    });

  return {
    announce,

    /** The offer waiting for an agency's acceptance, in API form; null if none. In the root's scope. */
    async openOf(tx: Tx, agency: { id: string; name: string }, timeZone: string) {
      const row = await store.openOffer(tx, agency.id);
      return row ? wire(tx, row, agency.name, timeZone) : null;
    },

    /**
     * Accepts what was announced to the user's own agency; accepting again changes nothing.
     * @throws Refusal 404 for another agency's, 409 if it has been replaced by another
     */
    accept: (ctx: Ctx, id: string): Promise<void> =>
      inScope(db.app, { rootId: ctx.actor.rootId }, async (tx) => {
        await store.lockAgency(tx, ctx.actor.companyId);
        const row = await store.lockOffer(tx, id);
        if (row?.company_id !== ctx.actor.companyId) return missing();
        if (row.accepted_at) return;
        if (row.withdrawn_at) throw new Refusal('conflict', ownMessages.minSpendReplaced);
        await store.updateOffer(tx, id, { accepted_at: clock.now(), accepted_by: ctx.actor.userId });
        await recordAccepted(tx, ctx, row);
      }),

    /**
     * Accepts amounts that the agency has just been shown, unless it agreed to as much before; this also settles any
     * waiting offer. In the root's scope.
     */
    async acceptNow(
      tx: Tx,
      ctx: Ctx,
      owner: { root_id: string; agency_id: string; company_id: string },
      asked: policy.Amounts & { name: string },
    ): Promise<void> {
      await store.lockAgency(tx, owner.company_id);
      const at = clock.now();
      const agreed =
        (await store.acceptedOffer(tx, owner.company_id, new Date(at.getTime() + DAY_MS))) ?? null;
      if (!policy.raises(agreed, asked)) return;
      const open = await store.openOffer(tx, owner.company_id);
      const isSame = open && policy.isSame(open, asked);
      if (open && !isSame) await store.updateOffer(tx, open.id, { withdrawn_at: at });
      const id = isSame ? open.id : newId(at);
      const { name, months, flat } = asked;
      if (!isSame)
        await store.insertOffer(tx, { id, ...owner, name, months: [...months], flat, announced_at: at });
      await store.updateOffer(tx, id, { accepted_at: at, accepted_by: ctx.actor.userId });
      await recordAccepted(tx, ctx, { ...owner, name, months, flat });
    },

    /** A page of announcements, for the root. */
    list: (ctx: Ctx, search: string, limit: number, offset: number) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rootId } = ctx.actor;
        const { rows, total } = await store.pageOfOffers(tx, { rootId, search, limit, offset });
        const timeZone = await zoneOf(tx, rootId);
        const shown = [];
        for (const row of rows) shown.push(await wire(tx, row, row.company_name, timeZone));
        return { rows: shown, total };
      }),

    /**
     * Emails an agency again.
     * @throws Refusal 404, 409 if it has accepted, 429 within a day of the last email
     */
    async remind(ctx: Ctx, id: string): Promise<void> {
      const row = await inScope(db.app, ctx.scope, (tx) => store.lockOffer(tx, id));
      if (!row) return missing();
      const sender = await notices.sender(row);
      await inScope(db.app, ctx.scope, async (tx) => {
        const found = (await store.lockOffer(tx, id)) ?? missing();
        if (found.accepted_at || found.withdrawn_at)
          throw new Refusal('conflict', ownMessages.minSpendReplaced);
        const at = clock.now();
        const until = (found.reminded_at ?? found.announced_at).getTime() + DAY_MS;
        if (at.getTime() < until)
          throw new Refusal('too_many', ownMessages.minSpendReminded, {
            retryAfter: Math.ceil((until - at.getTime()) / 1000),
          });
        await store.updateOffer(tx, id, { reminded_at: at });
        await tell(tx, found, sender, true);
        await audit.record(tx, ctx, {
          action: 'minspend.remind',
          objectKind: 'company',
          objectId: found.company_id,
          description: `Reminded an agency about the announced minimum spend ${found.name}`,
          owner: { root_id: found.root_id, agency_id: found.agency_id, company_id: found.company_id },
        });
      });
    },
  };
}
