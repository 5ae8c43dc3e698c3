import { Refusal } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { missedMinimum } from '../../../../contract/money/data-wallet.ts';
import { dollarsOf, microsOf, usd } from '../../../../contract/primitives.ts';
import { hashToken } from '../../../platform/crypto.ts';
import { CSV_BOM, csvLine } from '../../../platform/csv.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Agreements } from '../../accounts/agreements/index.ts';
import type { Billing } from '../billing/index.ts';
import type { Wallet } from '../wallet/index.ts';
import { autoOf, columnsOf, createAuto, type DataWalletParts, ownerOf, wishOf } from './auto.service.ts';
import { createGate, NEED_WORDS } from './gate.ts';
import { titleOf } from './history.policy.ts';
import * as policy from './policy.ts';
import * as store from './store.ts';

const MINUTE_MS = 60_000;

/** Number of history lines that a call returns; the download has all of them. */
const HISTORY_LINES = 500;

export type DataWallet = ReturnType<typeof createDataWallet>;

interface Chosen {
  amount: string;
  custom: boolean;
  stop: boolean;
}

/** Returns '250' for whole dollars, otherwise with cents: the format of amounts in messages. */
export const plain = (micros: bigint): string => dollarsOf(micros).replace(/\.00$/, '');

/**
 * The Data Wallet as its agency uses it (spec calls 3 to 9): its contents, topping up from the card on file, and the
 * settings of the automatic top-up. Balances and lots belong to the wallet (features/money/wallet); cards are charged by
 * payments.
 */
export function createDataWallet(
  platform: Platform,
  parts: DataWalletParts & { billing: Billing; agreements: Agreements },
) {
  const { db, clock } = platform;
  const { wallet, charges, audit } = parts;
  const gate = createGate(parts);
  const auto = createAuto(platform, parts, gate);

  /** Returns the user's own agency. @throws Refusal 404 for any other company */
  function own(ctx: Ctx, companyId: string): { rootId: string; agencyId: string } {
    const { rootId, companyId: agencyId, kind } = ctx.actor;
    if (kind !== 'agency' || companyId !== agencyId) throw new Refusal('not_found', ownMessages.notFound);
    return { rootId, agencyId };
  }
  const root = <T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, { rootId: ctx.actor.rootId }, work);

  /** @throws Refusal 422 naming the minimum that the amount does not reach */
  function amountOf({ amount, custom }: Chosen): bigint {
    const micros = microsOf(amount);
    const minimum = missedMinimum(micros, custom);
    if (minimum !== null) {
      const text = messages.walletMinimum(plain(BigInt(minimum * 1_000_000)));
      throw new Refusal('invalid', text, { errors: { amount: [text] } });
    }
    return micros;
  }
  /** @throws Refusal 409 naming the first missing requirement */
  async function pass(ctx: Ctx, agencyId: string): Promise<void> {
    const { missing } = await root(ctx, (tx) => gate(tx, agencyId));
    if (missing)
      throw new Refusal('conflict', NEED_WORDS[missing], { errors: { [missing]: [NEED_WORDS[missing]] } });
  }

  /** Returns 'YYYY-MM', or null for all months; undefined means the current month. */
  const monthOf = (date: string | undefined, timeZone: string): string | null =>
    date === undefined
      ? Temporal.Instant.fromEpochMilliseconds(clock.now().getTime())
          .toZonedDateTimeISO(timeZone)
          .toPlainDate()
          .toPlainYearMonth()
          .toString()
      : date || null;

  type HistoryRow = Awaited<ReturnType<Wallet['history']>>[number];
  const shown = (row: HistoryRow) => ({
    id: row.id,
    title: titleOf(row),
    created_at: row.created_at.toISOString(),
    expired_at: row.expired_at ?? '',
    amount: dollarsOf(row.amountMicros),
    balance: dollarsOf(row.balanceMicros),
    transaction_type: row.transaction_type,
  });

  async function history(tx: Tx, agencyId: string, month: string | null) {
    const rows = await wallet.history(tx, agencyId, month, null, HISTORY_LINES + 1);
    const days = month ? await wallet.days(tx, agencyId, month) : [];
    return {
      transaction_history: rows.slice(0, HISTORY_LINES).map(shown),
      history_more: rows.length > HISTORY_LINES,
      days: days.map(({ day, balanceMicros, topUpMicros }) => ({
        day,
        balance: dollarsOf(balanceMicros),
        topup: dollarsOf(topUpMicros),
      })),
    };
  }

  /**
   * Derives the key of a click that names none: the same request by the same person counts as the same click for a
   * minute, even across a clock-minute boundary. Another card makes it another request.
   */
  async function derivedKey(tx: Tx, ctx: Ctx, agencyId: string, amount: bigint, chosen: Chosen) {
    const now = clock.now().getTime();
    const { card } = await gate(tx, agencyId);
    const request = [agencyId, ctx.actor.userId, amount, chosen.custom, chosen.stop, card?.id].join(' ');
    const keyAt = (minute: number) => `derived:${hashToken(`${request} ${minute}`).toString('hex')}`;
    const minute = Math.floor(now / MINUTE_MS);
    const before = await charges.byKey(tx, agencyId, 'wallet_top_up', keyAt(minute - 1));
    const isSame = before !== null && now - before.createdAt.getTime() < MINUTE_MS;
    return keyAt(isSame ? minute - 1 : minute);
  }

  /** Turns the automatic top-up on or off. */
  async function setContinual(
    tx: Tx,
    key: { rootId: string; agencyId: string },
    continual: boolean,
    at: Date,
  ): Promise<void> {
    const available = await wallet.expire(tx, key, at);
    const row = await store.lockSetting(tx, key.agencyId);
    if (!row && !continual) return;
    // There is no amount to repeat (spec product 7: above 0 only).
    if (continual && !row?.amount_micros)
      throw new Refusal('invalid', ownMessages.walletContinualNothing, {
        errors: { stop_continual: [ownMessages.walletContinualNothing] },
      });
    const wish = { ...wishOf(row), continual };
    await store.putSetting(tx, ownerOf(key), {
      continual,
      ...columnsOf(policy.rearm(policy.byHand(autoOf(row)), wish, available)),
      updated_at: at,
    });
    auto.forget(key.agencyId);
  }

  return {
    auto,
    setContinual,

    /** Returns everything the modal shows. @throws Refusal 404 for another company */
    async about(ctx: Ctx, companyId: string, date: string | undefined) {
      const { agencyId } = own(ctx, companyId);
      return root(ctx, async (tx) => {
        const now = clock.now();
        const { missing, card, timeZone } = await gate(tx, agencyId);
        const row = await store.setting(tx, agencyId);
        const wish = wishOf(row);
        const [newest] = await wallet.history(tx, agencyId, null, null, 1);
        const spent = (period: 'day' | 'month') =>
          store.spentSince(tx, agencyId, policy.periodOf(now, timeZone, period).from);
        const byHand = (await charges.of(tx, agencyId, 'wallet_top_up', agencyId, 40))
          .filter((charge) => !charge.details.attempt)
          .map((charge) => ({
            id: charge.id,
            at: charge.createdAt,
            amount: dollarsOf(charge.amountMicros),
            automatic: false,
            status: statusOf(charge.state),
            reason: charge.declineMessage ?? '',
          }));
        const automatic = (await store.attempts(tx, agencyId, 20)).map((attempt) => ({
          id: attempt.id,
          at: attempt.created_at,
          amount: dollarsOf(attempt.amount_micros),
          automatic: true,
          status: attempt.state,
          reason: attempt.reason,
        }));
        const flag = (yes: boolean) => (yes ? ('T' as const) : ('F' as const));
        const ceiling = (micros: bigint | null | undefined) => (micros ? dollarsOf(micros) : null);
        return {
          custom_amount: flag(row?.custom ?? false),
          amount: dollarsOf(wish.amount),
          balance_amount: dollarsOf(await wallet.balance(tx, agencyId, now)),
          total_amount: dollarsOf(await store.totalOf(tx, agencyId)),
          last_balance_amount: dollarsOf(newest ? newest.balanceMicros - newest.amountMicros : 0n),
          stop_continual: flag(!wish.continual),
          ...(await history(tx, agencyId, monthOf(date, timeZone))),
          topup_enabled: flag(missing === null),
          missing,
          card: card && `${card.brand} ${card.last4}`,
          time_zone: timeZone,
          auto_topup: {
            status: row?.state ?? ('idle' as const),
            threshold_amount: dollarsOf(policy.thresholdOf(wish)),
            next_try: row?.retry_at?.toISOString() ?? null,
            reason: row?.reason ?? '',
            ceiling_day: ceiling(row?.day_ceiling),
            ceiling_month: ceiling(row?.month_ceiling),
            spent_day: dollarsOf(await spent('day')),
            spent_month: dollarsOf(await spent('month')),
            attempts: [...byHand, ...automatic]
              .sort((a, b) => b.at.getTime() - a.at.getTime())
              .slice(0, 20)
              .map(({ at, ...attempt }) => ({ ...attempt, created_at: at.toISOString() })),
          },
        };
      });
    },

    /** For programs: the balance of the actor's own agency, and its automatic top-up. */
    brief: (ctx: Ctx) => {
      const { agencyId } = own(ctx, ctx.actor.companyId);
      return root(ctx, async (tx) => {
        const row = await store.setting(tx, agencyId);
        const wish = wishOf(row);
        return {
          balanceMicros: await wallet.balance(tx, agencyId, clock.now()),
          totalMicros: await store.totalOf(tx, agencyId),
          automatic: {
            isOn: wish.continual,
            state: row?.state ?? ('idle' as const),
            amountMicros: wish.amount,
            thresholdMicros: policy.thresholdOf(wish),
          },
        };
      });
    },

    /** What happened in a month. @throws Refusal 404 for another company */
    async history(ctx: Ctx, companyId: string, date: string | undefined) {
      const { agencyId } = own(ctx, companyId);
      return root(ctx, async (tx) => {
        const { time_zone } = (await parts.tenants.company(tx, agencyId))!;
        return history(tx, agencyId, monthOf(date, time_zone));
      });
    },

    /**
     * Returns the whole history as a file, read in steps: its name and lines. @throws Refusal 404 for another company
     */
    file(ctx: Ctx, companyId: string, date: string): { name: string; lines: AsyncGenerator<string> } {
      const { agencyId } = own(ctx, companyId);
      async function* lines(): AsyncGenerator<string> {
        yield CSV_BOM + csvLine(['Date', 'Title', 'Type', 'Amount', 'Balance', 'Expires']);
        for (let after: { at: Date; id: string } | null = null; ; ) {
          const from: typeof after = after;
          const rows: HistoryRow[] = await root(ctx, (tx) =>
            wallet.history(tx, agencyId, date || null, from, HISTORY_LINES),
          );
          for (const row of rows.map(shown))
            yield csvLine([
              row.created_at,
              row.title,
              row.transaction_type,
              row.amount,
              row.balance,
              row.expired_at,
            ]);
          const last = rows.at(-1);
          if (!last || rows.length < HISTORY_LINES) return;
          after = { at: last.created_at, id: last.id };
        }
      }
      return { name: `data-wallet-${date || 'all'}.csv`, lines: lines() };
    },

    /** Turns the automatic top-up off or on; returns its state. @throws Refusal 422 where no amount is saved */
    async stop(ctx: Ctx, companyId: string, stop: boolean): Promise<boolean> {
      const key = own(ctx, companyId);
      if (!stop) await pass(ctx, key.agencyId);
      return root(ctx, async (tx) => {
        await setContinual(tx, key, !stop, clock.now());
        await audit.record(tx, ctx, {
          action: 'wallet.continual',
          objectKind: 'company',
          objectId: key.agencyId,
          description: stop ? 'Turned off automatic top-up' : 'Turned on automatic top-up',
          owner: ownerOf(key),
        });
        return stop;
      });
    },

    /**
     * Saves settings without charging; an amount of 0 turns the continual top-up off.
     * @throws Refusal 422 for an amount below its minimum or a ceiling below the amount, 409 naming what is missing
     */
    async save(
      ctx: Ctx,
      companyId: string,
      chosen: Chosen & { ceilingDay?: string | null | undefined; ceilingMonth?: string | null | undefined },
    ): Promise<void> {
      const key = own(ctx, companyId);
      const amount = amountOf(chosen);
      await pass(ctx, key.agencyId);
      await root(ctx, async (tx) => {
        const at = clock.now();
        const available = await wallet.expire(tx, key, at);
        const row = await store.lockSetting(tx, key.agencyId);
        const wish = { amount, continual: !chosen.stop && amount > 0n };
        // Saving another amount or limit does not start again what a refund stopped; turning it on does.
        const isTurned = wish.continual !== wishOf(row).continual;
        const before = isTurned ? policy.byHand(autoOf(row)) : autoOf(row);
        const ceiling = (field: string, text: string | null | undefined, last: bigint | null | undefined) => {
          if (text === undefined) return last ?? null;
          const micros = text === null ? null : microsOf(text);
          if (micros !== null && (micros === 0n || micros < amount)) {
            throw new Refusal('invalid', `${field}: ${ownMessages.walletCeilingLow}`, {
              errors: { [field]: [ownMessages.walletCeilingLow] },
            });
          }
          return micros;
        };
        await store.putSetting(tx, ownerOf(key), {
          amount_micros: amount,
          custom: chosen.custom,
          continual: wish.continual,
          day_ceiling: ceiling('ceiling_day', chosen.ceilingDay, row?.day_ceiling),
          month_ceiling: ceiling('ceiling_month', chosen.ceilingMonth, row?.month_ceiling),
          ...columnsOf(policy.rearm(before, wish, available)),
          updated_at: at,
        });
        auto.forget(key.agencyId);
        await audit.record(tx, ctx, {
          action: 'wallet.settings',
          objectKind: 'company',
          objectId: key.agencyId,
          description: `Saved the Data Wallet settings: ${usd(amount)}, automatic top-up ${wish.continual ? 'on' : 'off'}`,
          owner: ownerOf(key),
        });
      });
    },

    /**
     * Tops up from the card on file. The settings take effect once the money has come in.
     * @throws Refusal 422 for an amount below its minimum or 0, 409 naming what is missing or that another one is in
     * progress
     */
    async charge(ctx: Ctx, companyId: string, chosen: Chosen & { key?: string | undefined }) {
      const key = own(ctx, companyId);
      const amount = amountOf(chosen);
      if (amount === 0n)
        throw new Refusal('invalid', ownMessages.walletNothing, { errors: { amount: ['must be above 0'] } });
      await pass(ctx, key.agencyId);
      const owner = ownerOf(key);
      const clickKey = await root(ctx, async (tx) => {
        const { key: named = await derivedKey(tx, ctx, key.agencyId, amount, chosen) } = chosen;
        // The second click of a double-click counts as the first.
        if (await charges.byKey(tx, key.agencyId, 'wallet_top_up', named)) return named;
        await audit.record(tx, ctx, {
          action: 'wallet.topup',
          objectKind: 'company',
          objectId: key.agencyId,
          description: `Requested a Data Wallet top-up of ${usd(amount)}`,
          owner,
        });
        return named;
      });
      const outcome = await charges.charge({
        owner,
        purpose: 'wallet_top_up',
        referenceId: key.agencyId,
        amountMicros: amount,
        key: clickKey,
        description: 'Data Wallet top-up',
        details: { custom: chosen.custom ? 'T' : 'F', stop: chosen.stop ? 'T' : 'F' },
        userId: ctx.actor.userId,
        ip: ctx.ip,
      });
      auto.forget(key.agencyId);
      if (outcome.status === 'succeeded')
        return { result: 'success' as const, message: ownMessages.walletToppedUp(plain(amount)) };
      if (outcome.status === 'declined' && outcome.needsAuthentication)
        return {
          result: 'authenticate' as const,
          message: outcome.message,
          charge_id: outcome.charge.id,
        };
      if (outcome.status === 'declined') return { result: 'failed' as const, message: outcome.message };
      return { result: 'error' as const, message: ownMessages.walletUnknown };
    },
  };
}

const statusOf = (state: string): 'charging' | 'succeeded' | 'declined' =>
  state === 'intended' || state === 'sent' || state === 'unknown'
    ? 'charging'
    : state === 'declined' || state === 'canceled'
      ? 'declined'
      : 'succeeded';
