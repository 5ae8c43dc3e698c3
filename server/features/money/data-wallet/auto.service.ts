import { z } from 'zod';
import { ownMessages } from '../../../../contract/messages.ts';
import { usd } from '../../../../contract/primitives.ts';
import { timeWords } from '../../../../contract/text.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { allInTurn } from '../../../platform/in-turn.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Notices } from '../ledger/index.ts';
import type { Charge, Charges, PurposeHandler } from '../payments/index.ts';
import type { Wallet } from '../wallet/index.ts';
import { type Gate, NEED_WORDS } from './gate.ts';
import * as policy from './policy.ts';
import * as store from './store.ts';

const of = z.object({ rootId: z.uuid(), agencyId: z.uuid() });
/** Handles a wallet whose automatic top-up is due. */
export const topUpJob = defineJob('datawallet.topup', of);
/** Emails the agency about an automatic top-up: done, refused or declined. */
const tellJob = defineJob('datawallet.tell', of.extend({ attemptId: z.uuid() }));
/** Emails the agency that its balance is low or almost used up. */
const lowJob = defineJob(
  'datawallet.low',
  of.extend({ told: z.enum(['low', 'empty']), left: z.string().regex(/^\d+$/) }),
);
/** Emails the agency that its automatic top-up stopped after a refund or dispute. */
const stoppedJob = defineJob('datawallet.stopped', of);
const sweepJob = defineJob('datawallet.sweep', z.object({}));

/** How long a process may rely on the threshold it has read; within that time the sweep finds what it missed. */
const WATCH_MS = 5_000;

export const ownerOf = ({ rootId, agencyId }: { rootId: string; agencyId: string }) => ({
  root_id: rootId,
  agency_id: agencyId,
  company_id: agencyId,
});
export const wishOf = (row: store.SettingRow | undefined): policy.Wish => ({
  amount: row?.amount_micros ?? 0n,
  continual: row?.continual ?? false,
});
export const autoOf = (row: store.SettingRow | undefined): policy.Auto => ({
  state: row?.state ?? 'idle',
  declines: row?.declines ?? 0,
  retryAt: row?.retry_at ?? null,
  reason: row?.reason ?? '',
  gaveBack: row?.gave_back ?? false,
});
/** The columns of a state. */
export const columnsOf = ({ state, declines, retryAt, reason, gaveBack }: policy.Auto) => ({
  state,
  declines,
  retry_at: retryAt,
  reason,
  gave_back: gaveBack,
});

export interface DataWalletParts {
  tenants: Tenants;
  audit: Audit;
  notices: Notices;
  wallet: Wallet;
  charges: Charges;
}

/**
 * The automatic top-up (WALL-06, BEY-03): policy.ts decides what happens next, and this file does it. Code that changes
 * a wallet's state locks the wallet's balance first and its settings after that.
 */
export function createAuto(platform: Platform, parts: DataWalletParts, gate: Gate) {
  const { db, clock, jobs, events } = platform;
  const { tenants, audit, notices, wallet, charges } = parts;
  const watched = new Map<string, { threshold: bigint | null; until: number }>();

  const save = (tx: Tx, row: store.SettingRow, next: policy.Auto, at: Date) =>
    store.putSetting(
      tx,
      { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
      { ...columnsOf(next), updated_at: at },
    );

  /** Runs inside every transaction that draws from a wallet, which holds a lock on its balance. */
  events.on('wallet.drawn', async (tx, { rootId, wallets }) => {
    for (const { agencyId, available } of wallets) {
      const now = performance.now();
      const known = watched.get(agencyId);
      if (known && known.until > now && (known.threshold === null || available > known.threshold)) continue;
      const row = await store.setting(tx, agencyId);
      const wish = wishOf(row);
      if (watched.size > 100_000) watched.clear();
      const threshold = wish.amount > 0n ? policy.thresholdOf(wish) : null;
      watched.set(agencyId, { threshold, until: now + WATCH_MS });
      if (!row) continue;
      const told = policy.newsOf(row.told, wish, available);
      if (told) {
        await store.putSetting(tx, ownerOf({ rootId, agencyId }), { told, updated_at: clock.now() });
        await jobs.send(tx, lowJob, [{ rootId, agencyId, told, left: available.toString() }]);
      }
      if (!policy.onDrawn(autoOf(row), wish, available)) continue;
      // Settings change only under the balance's lock, so what was read above still holds.
      const next = policy.onDrawn(autoOf(row), wish, available)!;
      await save(tx, row, next, clock.now());
      await jobs.send(tx, topUpJob, [{ rootId, agencyId }]);
    }
  });

  /**
   * Tries or refuses the top-up that is due for one wallet; does nothing when none is. Safe to run any number of times.
   */
  async function run(key: { rootId: string; agencyId: string }): Promise<void> {
    const at = clock.now();
    const owner = ownerOf(key);
    await inScope(db.app, { rootId: key.rootId }, async (tx) => {
      const available = await wallet.expire(tx, key, at);
      const row = await store.lockSetting(tx, key.agencyId);
      if (!row) return;
      // The card of an agency that was removed is not charged anymore.
      const isOver = !(await tenants.company(tx, key.agencyId));
      const wish = isOver ? wishOf(undefined) : wishOf(row);
      const before = policy.onDrawn(autoOf(row), wish, available) ?? autoOf(row);
      const { missing, timeZone } = await gate(tx, key.agencyId);
      const period = async (name: 'day' | 'month', ceiling: bigint | null) => {
        const { from, ends } = policy.periodOf(at, timeZone, name);
        return { ceiling, ends, spent: await store.spentSince(tx, key.agencyId, from) };
      };
      const plan = policy.decide(before, wish, {
        available,
        now: at,
        refusal: missing && NEED_WORDS[missing],
        day: await period('day', row.day_ceiling),
        month: await period('month', row.month_ceiling),
      });
      if (plan.act === 'nothing') {
        if (plan.next !== before || before.state !== row.state) await save(tx, row, plan.next, at);
        return;
      }
      const id = newId(at);
      const attempt = { id, ...owner, amount_micros: wish.amount, created_at: at };
      if (plan.act === 'refuse') {
        await store.insertAttempt(tx, { ...attempt, state: 'refused', reason: plan.words, ended_at: at });
        await save(tx, row, plan.next, at);
        await jobs.send(tx, tellJob, [{ ...key, attemptId: id }]);
      } else {
        const charge = await charges.intend(tx, {
          owner,
          purpose: 'wallet_top_up',
          referenceId: key.agencyId,
          amountMicros: wish.amount,
          key: id,
          description: 'Data Wallet top-up',
          details: { attempt: id },
        });
        if (charge === null) {
          // A manual top-up is in progress; check again when it is over.
          const retryAt = new Date(at.getTime() + policy.BUSY_MS);
          await save(
            tx,
            row,
            { ...before, state: 'waiting', retryAt, reason: 'Another top-up is in progress.' },
            at,
          );
          return;
        }
        await store.insertAttempt(tx, { ...attempt, state: 'charging' });
        await save(tx, row, plan.next, at);
      }
      await audit.recordSystem(tx, at, owner, {
        action: plan.act === 'charge' ? 'wallet.auto_topup' : 'wallet.auto_topup_refused',
        objectKind: 'company',
        objectId: key.agencyId,
        description:
          plan.act === 'charge'
            ? `Requested an automatic top-up of the Data Wallet: ${usd(wish.amount)}`
            : `Blocked an automatic top-up of the Data Wallet for ${usd(wish.amount)}: ${plan.words}`,
      });
    });
  }

  async function tell(key: { rootId: string; agencyId: string; attemptId: string }): Promise<void> {
    const owner = ownerOf(key);
    const sender = await notices.sender(owner);
    await inScope(db.app, { rootId: key.rootId }, async (tx) => {
      const attempt = (await store.attempts(tx, key.agencyId, 50)).find((one) => one.id === key.attemptId);
      const row = await store.setting(tx, key.agencyId);
      if (!attempt || !row) return;
      if (attempt.state === 'succeeded') {
        const balance = await wallet.balance(tx, key.agencyId, clock.now());
        await notices.tell(tx, 'wallet.auto_topup', sender, owner, {
          subject: `Your Data Wallet was topped up with ${usd(attempt.amount_micros)}`,
          lines: [
            `We charged ${usd(attempt.amount_micros)} to your card for your automatic top-up. Your balance is ${usd(balance)}.`,
            'To change or stop automatic top-ups, open the Data Wallet from your profile menu.',
          ],
          page: { label: 'View statement', path: '/configuration/statement?view=wallet' },
        });
        return;
      }
      const zone = (await tenants.company(tx, key.agencyId))?.time_zone ?? 'America/Chicago';
      const when = row.retry_at && timeWords(row.retry_at, zone);
      await events.emit(tx, 'wallet.top_up_failed', { owner });
      await notices.tell(tx, 'wallet.auto_topup', sender, owner, {
        subject: 'The automatic top-up of your Data Wallet failed',
        lines: [
          `The top-up of ${usd(attempt.amount_micros)} was ${attempt.state}: ${attempt.reason}`,
          row.state === 'waiting' && when
            ? `We will try again on ${when}. You can also top up now in the Data Wallet.`
            : 'We will not try again automatically. Open the Data Wallet to top up or change your settings.',
        ],
      });
    });
  }

  /** Emails that the automatic top-up stopped after a refund or dispute. */
  async function tellStopped(key: { rootId: string; agencyId: string }): Promise<void> {
    const owner = ownerOf(key);
    const sender = await notices.sender(owner);
    await inScope(db.app, { rootId: key.rootId }, async (tx) => {
      const row = await store.setting(tx, key.agencyId);
      if (!row?.gave_back || !(await tenants.company(tx, key.agencyId))) return;
      await notices.tell(tx, 'wallet.auto_topup_stopped', sender, owner, {
        subject: 'The automatic top-up of your Data Wallet has stopped',
        lines: [
          row.reason,
          'Your campaigns keep running. Anything the wallet does not cover is invoiced and charged to your card.',
        ],
        page: { label: 'View statement', path: '/configuration/statement?view=wallet' },
      });
    });
  }

  /** Emails what `newsOf` found. */
  async function tellLow(of: {
    rootId: string;
    agencyId: string;
    told: 'low' | 'empty';
    left: string;
  }): Promise<void> {
    const owner = ownerOf(of);
    const sender = await notices.sender(owner);
    await inScope(db.app, { rootId: of.rootId }, async (tx) => {
      await events.emit(tx, 'wallet.low', { owner });
      await notices.tell(tx, `wallet.${of.told}`, sender, owner, {
        subject: of.told === 'low' ? 'Your Data Wallet is running low' : 'Your Data Wallet is almost empty',
        lines: [
          `You have ${usd(BigInt(of.left))} left in your Data Wallet.`,
          'Your campaigns keep running. Anything the wallet does not cover is invoiced and charged to your card. Open the Data Wallet from your profile menu to top up or turn on automatic top-up.',
        ],
        page: { label: 'View statement', path: '/configuration/statement?view=wallet' },
      });
    });
  }

  /** Returns the lot of a charge's top-up; posting again under the same key returns the same one. */
  const post = (tx: Tx, charge: Charge, at: Date) =>
    wallet.topUp(
      tx,
      {
        rootId: charge.owner.root_id,
        agencyId: charge.owner.agency_id,
        amountMicros: charge.amountMicros,
        key: `charge:${charge.id}`,
        referenceId: charge.id,
      },
      at,
    );
  const keyOf = ({ owner }: Charge) => ({ rootId: owner.root_id, agencyId: owner.agency_id });

  /** Stops the automatic top-up after a payment was refunded or disputed. The caller holds the balance. */
  async function stop(tx: Tx, charge: Charge, at: Date): Promise<void> {
    const key = keyOf(charge);
    const row = await store.lockSetting(tx, key.agencyId);
    if (!row?.continual || row.gave_back) return;
    await save(tx, row, policy.onGaveBack(ownMessages.walletGaveBack), at);
    await jobs.send(tx, stoppedJob, [key]);
    await audit.recordSystem(tx, at, ownerOf(key), {
      action: 'wallet.auto_topup_stopped',
      objectKind: 'company',
      objectId: key.agencyId,
      description: `Stopped the automatic top-up of the Data Wallet: ${ownMessages.walletGaveBack}`,
    });
  }

  const handler: PurposeHandler = {
    async succeeded(tx, charge, at) {
      await post(tx, charge, at);
      const key = keyOf(charge);
      const { attempt, custom, stop } = charge.details;
      // An agency that was removed can use none of it. It is booked first: the card provider has it.
      if (!(await tenants.company(tx, key.agencyId))) {
        if (attempt) await store.endAttempt(tx, attempt, { state: 'succeeded', reason: '', ended_at: at });
        await charges.giveBack(tx, { charge, amountMicros: charge.amountMicros, key: `gone:${charge.id}` });
        return;
      }
      const available = await wallet.expire(tx, key, at);
      const row = await store.lockSetting(tx, key.agencyId);
      if (attempt) {
        await store.endAttempt(tx, attempt, { state: 'succeeded', reason: '', ended_at: at });
        if (row) await save(tx, row, policy.onSucceeded(autoOf(row), wishOf(row), available), at);
        await jobs.send(tx, tellJob, [{ ...key, attemptId: attempt }]);
        return;
      }
      // The settings chosen together with the top-up take effect from now on.
      const wish = { amount: charge.amountMicros, continual: stop !== 'T' };
      await store.putSetting(tx, ownerOf(key), {
        amount_micros: wish.amount,
        custom: custom === 'T',
        continual: wish.continual,
        told: '',
        ...columnsOf(policy.rearm(policy.byHand(autoOf(row)), wish, available)),
        updated_at: at,
      });
    },
    async declined(tx, charge, at) {
      const { attempt } = charge.details;
      if (!attempt) return;
      const key = keyOf(charge);
      await wallet.expire(tx, key, at);
      const row = await store.lockSetting(tx, key.agencyId);
      const reason = charge.declineMessage ?? 'The card was declined.';
      await store.endAttempt(tx, attempt, { state: 'declined', reason, ended_at: at });
      if (row) await save(tx, row, policy.onDeclined(autoOf(row), at, reason), at);
      await jobs.send(tx, tellJob, [{ ...key, attemptId: attempt }]);
    },
    async refunded(tx, charge, refund, at) {
      const { lotId } = await post(tx, charge, at);
      const given = { ...keyOf(charge), lotId, amountMicros: refund.amountMicros, referenceId: refund.id };
      // What the provider has already refunded is booked, whether spent or not; the rest is owed.
      if (refund.isOutside) await wallet.dispute(tx, { ...given, key: `refund:${refund.id}` }, at);
      else await wallet.refund(tx, { ...given, key: refund.id }, at);
      await stop(tx, charge, at);
    },
    async refundFailed(tx, charge, refund, at) {
      const { lotId } = await post(tx, charge, at);
      const given = { ...keyOf(charge), lotId };
      if (refund.isOutside) await wallet.reverseDispute(tx, { ...given, key: `refund:${refund.id}` }, at);
      else await wallet.reverseRefund(tx, { ...given, key: refund.id }, at);
    },
    async disputed(tx, charge, dispute, at) {
      const { lotId } = await post(tx, charge, at);
      const given = { ...keyOf(charge), lotId, amountMicros: dispute.amountMicros, referenceId: charge.id };
      await wallet.dispute(tx, { ...given, key: dispute.id }, at);
      await stop(tx, charge, at);
    },
    async disputeWon(tx, charge, dispute, at) {
      const { lotId } = await post(tx, charge, at);
      await wallet.reverseDispute(tx, { ...keyOf(charge), lotId, key: dispute.id }, at);
    },
  };
  charges.onSettled('wallet_top_up', handler);

  /**
   * Checks for top-ups that are due, whose pause is over, or whose balance has fallen without a draw; one that fails does
   * not hold up the others.
   */
  async function sweep(rootId: string): Promise<number> {
    const agencies = await inScope(db.app, { rootId }, (tx) => store.wanting(tx, rootId, clock.now()));
    await allInTurn(agencies, (agencyId) => run({ rootId, agencyId }));
    return agencies.length;
  }

  return {
    /**
     * Adds credit that the root grants, inside the caller's transaction; a refilled wallet is watched as after a top-up
     * by card. Returns its transfer; null when the same key was already used for it. @throws Refusal 409 when the key
     * was already used for another amount
     */
    async grant(
      tx: Tx,
      given: { rootId: string; agencyId: string; amountMicros: bigint; memo: string; key: string },
      at: Date,
    ): Promise<string | null> {
      const { transferId, posted } = await wallet.topUp(
        tx,
        { ...given, key: `grant:${given.key}`, granted: true },
        at,
      );
      if (!posted) return null;
      const available = await wallet.expire(tx, given, at);
      const row = await store.lockSetting(tx, given.agencyId);
      const wish = wishOf(row);
      // Credit that leaves the balance low does not count as a new fall.
      if (row && available > policy.thresholdOf(wish))
        await store.putSetting(tx, ownerOf(given), {
          told: '',
          ...columnsOf(policy.rearm(autoOf(row), wish, available)),
          updated_at: at,
        });
      watched.delete(given.agencyId);
      return transferId;
    },
    run,
    sweep,
    tell,
    tellLow,
    tellStopped,
    /** Discards what this process has cached of an agency's threshold. */
    forget: (agencyId: string) => watched.delete(agencyId),
    async start(): Promise<void> {
      await jobs.work(topUpJob, { pollingIntervalSeconds: 2 }, run);
      await jobs.work(tellJob, { pollingIntervalSeconds: 5 }, tell);
      await jobs.work(lowJob, { pollingIntervalSeconds: 5 }, tellLow);
      await jobs.work(stoppedJob, { pollingIntervalSeconds: 5 }, tellStopped);
      await jobs.work(sweepJob, { pollingIntervalSeconds: 30 }, () => tenants.eachRoot(sweep));
      await jobs.schedule(sweepJob, '* * * * *', {});
    },
  };
}
