import { z } from 'zod';
import { MODULES } from '../../../../contract/choices.ts';
import { prepaidMessages } from '../../../../contract/money/prepaid-messages.ts';
import { usd } from '../../../../contract/primitives.ts';
import { timeWords } from '../../../../contract/text.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { allInTurn } from '../../../platform/in-turn.ts';
import { defineJob } from '../../../platform/jobs.ts';
import { mailName } from '../../../platform/mail-name.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Campaigns } from '../../campaigns/campaigns/index.ts';
import type { Billing } from '../billing/index.ts';
import { type Auto, byHand, onDeclined, onGaveBack, periodOf } from '../data-wallet/index.ts';
import type { Notices } from '../ledger/index.ts';
import type { Charge, Payments, PurposeHandler } from '../payments/index.ts';
import type { Pricing } from '../pricing/index.ts';
import type { SpendingLimits } from '../spending-limits/index.ts';
import type { Book, ClientOwner } from './book.ts';
import { type CampaignRow, cardRefusal, ownerOf, termsOf } from './campaign.ts';
import * as policy from './policy.ts';
import * as store from './store.ts';

const of = z.object({ rootId: z.uuid(), campaignId: z.uuid() });
/** Handles a campaign whose continual top-up is due. */
const renewJob = defineJob('prepaid.renew', of);
/** Emails the client about a renewal that was refused or declined. */
const tellJob = defineJob('prepaid.tell', of.extend({ attemptId: z.uuid() }));
/** Asks the client to buy again, if nothing does so automatically. */
const lowJob = defineJob('prepaid.low', of);
/** Emails the client that its continual top-up stopped after a refund or dispute. */
const stoppedJob = defineJob('prepaid.stopped', of);
const sweepJob = defineJob('prepaid.sweep', z.object({}));

/** How long a process may rely on a floor that it has read; the sweep catches anything missed because of that. */
const WATCH_MS = 5_000;

export const autoOf = (row: store.AutoRow | undefined): Auto => ({
  state: row?.state ?? 'idle',
  declines: row?.declines ?? 0,
  retryAt: row?.retry_at ?? null,
  reason: row?.reason ?? '',
  gaveBack: row?.gave_back ?? false,
});

/** What a charge's details say of what was bought. */
export const boughtOf = ({ details }: Charge) => ({
  leads: Number(details.leads),
  priceMicros: BigInt(details.price!),
  term: details.term as 'One Time' | 'Prepaid',
  attempt: details.attempt,
});
export const detailsOf = (term: string, leads: number, price: bigint) => ({
  term,
  leads: String(leads),
  price: String(price),
});

export interface PrepaidParts {
  tenants: Tenants;
  audit: Audit;
  notices: Notices;
  spendingLimits: SpendingLimits;
  pricing: Pricing;
  billing: Billing;
  payments: Payments;
  campaigns: Campaigns;
}

/**
 * The continual top-up (PAY-09): policy.ts decides what happens next, and this carries it out. Code that changes a
 * campaign's state locks the campaign (if it changes, too), then its balance, then the state's row.
 */
export function createAuto(platform: Platform, parts: PrepaidParts, book: Book) {
  const { db, clock, jobs, events } = platform;
  const { tenants, audit, notices, spendingLimits, pricing, billing, payments, campaigns } = parts;
  const { charges } = payments;
  const watched = new Map<string, { floor: bigint | null; until: number }>();

  /** Saves a state. `fails`: whether it makes the client's payment count as failed; undefined leaves that as before. */
  async function save(
    tx: Tx,
    row: CampaignRow,
    known: store.AutoRow | undefined,
    next: Auto,
    at: Date,
    fails?: boolean,
  ): Promise<void> {
    const owner = ownerOf(row);
    const before = known?.is_failing ?? false;
    const after = fails ?? (next.state === 'idle' || next.state === 'armed' ? false : before);
    await store.putAuto(tx, {
      campaign_id: row.id,
      ...owner,
      state: next.state,
      declines: next.declines,
      retry_at: next.retryAt,
      reason: next.reason,
      gave_back: next.gaveBack,
      is_failing: after,
      updated_at: at,
    });
    if (after === before) return;
    if (after)
      await billing.accounts.setTerms(tx, owner, {
        payment_status: 'failed',
        access_module: 'paymentfailed',
        updated_at: at,
      });
    else if (!(await store.failsElsewhere(tx, owner.company_id, row.id)))
      await billing.accounts.setTerms(tx, owner, { payment_status: '', access_module: '', updated_at: at });
  }

  /** Runs inside every transaction that sells leads, which holds the balances. */
  events.on('prepaid.drawn', async (tx, { rootId, campaigns: drawn }) => {
    const now = performance.now();
    const unsure = drawn.filter(({ campaignId, left }) => {
      const known = watched.get(campaignId);
      return !known || known.until <= now || (known.floor !== null && left < known.floor);
    });
    if (unsure.length === 0) return;
    if (watched.size > 100_000) watched.clear();
    const ids = unsure.map((one) => one.campaignId);
    const at = clock.now();
    const terms = await termsOf(pricing, tx, ids, at);
    for (const id of ids)
      watched.set(id, {
        floor: policy.noticedFloor(terms(id), terms(id).term),
        until: now + WATCH_MS,
      });
    const fallen = unsure.filter(({ campaignId, left }) => left < (watched.get(campaignId)?.floor ?? 0n));
    const rows = new Map(
      (
        await store.autos(
          tx,
          fallen.map((one) => one.campaignId),
        )
      ).map((row) => [row.campaign_id, row]),
    );
    for (const { campaignId, before, left } of fallen) {
      if (policy.asksAnew(terms(campaignId), before, left))
        await jobs.send(tx, lowJob, [{ rootId, campaignId }]);
      const known = rows.get(campaignId);
      const next = policy.onDrawn(autoOf(known), terms(campaignId), before, left);
      const row = next?.state === 'due' && (await campaigns.visible(tx, campaignId));
      if (!next || !row) continue;
      await save(tx, row, known, next, at);
      await jobs.send(tx, renewJob, [{ rootId, campaignId }]);
    }
  });

  /** Limits that renewals of a campaign must stay within, and what was renewed in their periods. */
  async function limitsOf(tx: Tx, row: CampaignRow, at: Date): Promise<policy.Facts['limits']> {
    const zone = (await tenants.company(tx, row.company_id))?.time_zone ?? 'America/Chicago';
    const limits: policy.Facts['limits'] = [];
    for (const limit of await spendingLimits.hardLimits(tx, [row.id, row.company_id])) {
      const { from, ends } = periodOf(at, zone, limit.period);
      const campaignId = limit.subject === 'campaign' ? row.id : undefined;
      const spent = await store.renewedSince(tx, { companyId: row.company_id, campaignId }, from);
      limits.push({ of: limit.subject, period: limit.period, spent, most: limit.hard_micros, ends });
    }
    // The one that lasts longest is reported first.
    return limits.sort((a, b) => b.ends.getTime() - a.ends.getTime());
  }

  /** Attempts or refuses what is due for one campaign; does nothing if nothing is. Safe to run any number of times. */
  async function run(key: { rootId: string; campaignId: string }): Promise<void> {
    const at = clock.now();
    await inScope(db.app, { rootId: key.rootId }, async (tx) => {
      const [row] = await campaigns.lock(tx, [key.campaignId]);
      if (!row) return;
      const owner = ownerOf(row);
      const available = await book.hold(tx, owner, row.id, at);
      const known = await store.lockAuto(tx, row.id);
      const before = autoOf(known);
      const asked = (await termsOf(pricing, tx, [row.id], at))(row.id);
      const isOver =
        row.state === 'archived' || row.state === 'removed' || !(await tenants.company(tx, row.company_id));
      const terms = { ...asked, continual: asked.continual && !isOver };
      const plan = policy.decide(before, terms, {
        available,
        now: at,
        runs: row.state === 'active' || (row.state === 'paused' && row.state_reason === 'balance_empty'),
        refusal: await cardRefusal(parts, tx, owner),
        limits: await limitsOf(tx, row, at),
      });
      if (plan.act === 'nothing' || (plan.act === 'refuse' && plan.isRepeat)) {
        if (plan.next !== before) await save(tx, row, known, plan.next, at);
        return;
      }
      const id = newId(at);
      const amount = policy.amountOf(terms.leads, terms.price);
      const attempt = {
        id,
        ...owner,
        campaign_id: row.id,
        leads: terms.leads,
        amount_micros: amount,
        created_at: at,
      };
      if (plan.act === 'refuse') {
        await store.insertAttempt(tx, { ...attempt, state: 'refused', reason: plan.words, ended_at: at });
        await save(tx, row, known, plan.next, at, plan.isFailure || undefined);
        // Something already reported is not reported again every hour.
        if (before.reason !== plan.words)
          await jobs.send(tx, tellJob, [{ rootId: key.rootId, campaignId: row.id, attemptId: id }]);
      } else {
        const charge = await charges.intend(tx, {
          owner,
          purpose: 'prepaid_top_up',
          referenceId: row.id,
          amountMicros: amount,
          key: id,
          description: `Campaign #${row.number}: ${terms.leads} leads`,
          details: { ...detailsOf(terms.term, terms.leads, terms.price), attempt: id },
        });
        if (charge === null) {
          // It is being topped up right now: check again when that is over.
          await save(tx, row, known, policy.afterBusy(before, at), at);
          return;
        }
        await store.insertAttempt(tx, { ...attempt, state: 'charging' });
        await save(tx, row, known, plan.next, at);
      }
      await audit.recordSystem(tx, at, owner, {
        action: plan.act === 'charge' ? 'campaign.renewal' : 'campaign.renewal_refused',
        objectKind: 'campaign',
        objectId: row.id,
        description:
          plan.act === 'charge'
            ? `Requested an automatic top-up of campaign #${row.number}: ${usd(amount)}`
            : `Blocked an automatic top-up of campaign #${row.number} for ${usd(amount)}: ${plan.words}`,
      });
    });
  }

  /** The page of a campaign's balance, on its client's host. */
  async function balancePage(row: CampaignRow): Promise<string> {
    const slugs = await tenants.slugsOf(row.agency_id);
    const slug = slugs[MODULES.findIndex(({ module }) => module === row.module)];
    return `/${slug}/campaign-management?campaign=${row.id}&tab=balance`;
  }

  /** Asks a client to buy again. Does nothing if someone already has, or the campaign is over. */
  async function tellLow(key: { rootId: string; campaignId: string }): Promise<void> {
    const read = <T>(work: (tx: Tx) => Promise<T>) => inScope(db.app, { rootId: key.rootId }, work);
    const row = await read((tx) => campaigns.visible(tx, key.campaignId));
    if (!row || row.state === 'archived' || row.state === 'removed') return;
    const owner = ownerOf(row);
    const sender = await notices.sender(owner);
    const path = await balancePage(row);
    await read(async (tx) => {
      const terms = (await termsOf(pricing, tx, [row.id], clock.now()))(row.id);
      const floor = policy.noticedFloor(terms, terms.term);
      const left = (await billing.prepaidOf(tx, [row.id])).get(row.id) ?? 0n;
      if (terms.continual || floor === null || left >= floor) return;
      const leads = left / terms.price;
      await notices.tell(tx, 'prepaid.low', sender, owner, {
        subject: `Time to renew: ${mailName(row.name)} is running low`,
        lines: [
          `${row.name} has ${usd(left)} left. ${leads === 0n ? 'That does not cover another lead, so the campaign pauses.' : `That covers ${leads} more ${leads === 1n ? 'lead' : 'leads'}.`}`,
          'To keep it running, buy more leads or turn on automatic top-up.',
        ],
        page: { label: 'Renew now', path },
      });
    });
  }

  /** Emails a client that the continual top-up stopped after a refund or dispute, unless someone has bought again. */
  async function tellStopped(key: { rootId: string; campaignId: string }): Promise<void> {
    const read = <T>(work: (tx: Tx) => Promise<T>) => inScope(db.app, { rootId: key.rootId }, work);
    const row = await read((tx) => campaigns.visible(tx, key.campaignId));
    if (!row) return;
    const owner = ownerOf(row);
    const sender = await notices.sender(owner);
    const path = await balancePage(row);
    await read(async (tx) => {
      const [known] = await store.autos(tx, [row.id]);
      if (!known?.gave_back || (await isGone(tx, row))) return;
      await notices.tell(tx, 'prepaid.stopped', sender, owner, {
        subject: `The automatic top-up of your campaign ${mailName(row.name)} has stopped`,
        lines: [
          known.reason,
          'The campaign runs until its balance is used up. To resume automatic top-up, buy leads under Balance in the campaign.',
        ],
        page: { label: 'Open balance', path },
      });
    });
  }

  async function tell(key: { rootId: string; campaignId: string; attemptId: string }): Promise<void> {
    const read = <T>(work: (tx: Tx) => Promise<T>) => inScope(db.app, { rootId: key.rootId }, work);
    const row = await read((tx) => campaigns.visible(tx, key.campaignId));
    if (!row) return;
    const owner = ownerOf(row);
    const sender = await notices.sender(owner);
    const path = await balancePage(row);
    await read(async (tx) => {
      const attempt = await store.attemptById(tx, key.attemptId);
      const [known] = await store.autos(tx, [row.id]);
      if (!attempt || !known || attempt.state === 'succeeded') return;
      const zone = (await tenants.company(tx, row.company_id))?.time_zone ?? 'America/Chicago';
      const when = known.retry_at && timeWords(known.retry_at, zone);
      await notices.tell(tx, 'prepaid.renewal', sender, owner, {
        subject: `The automatic top-up of your campaign ${mailName(row.name)} failed`,
        lines: [
          `Your purchase of ${attempt.leads} leads for ${usd(attempt.amount_micros)} was ${attempt.state}: ${attempt.reason}`,
          known.state === 'waiting' && when
            ? `We will try again on ${when}. The campaign keeps running as long as its balance covers leads.`
            : 'We will not try again automatically. Check your card, then buy leads under Balance in the campaign.',
        ],
        page: { label: 'Open balance', path },
      });
      // The payee is notified immediately: their client's leads end with the balance.
      const client = (await tenants.company(tx, row.company_id))?.name ?? 'Your client';
      await notices.tell(
        tx,
        'prepaid.renewal_of_client',
        sender,
        { ...owner, company_id: row.agency_id },
        {
          subject: `${mailName(client)}: the renewal of ${mailName(row.name)} failed`,
          lines: [
            `Your purchase of ${attempt.leads} leads for ${usd(attempt.amount_micros)} was ${attempt.state}: ${attempt.reason}`,
            `${client} has been notified. The campaign runs until its balance is used up.`,
          ],
          page: { label: 'Open balance', path },
        },
      );
    });
  }

  /** What a charge relates to: its campaign and balance, locked, and the state of its continual top-up. */
  async function open(tx: Tx, charge: Charge, at: Date) {
    const [row] = await campaigns.lock(tx, [charge.referenceId]);
    const left = await book.hold(tx, charge.owner, charge.referenceId, at);
    return { row: row!, left, known: await store.lockAuto(tx, charge.referenceId) };
  }
  const wishOf = async (tx: Tx, id: string, at: Date) => (await termsOf(pricing, tx, [id], at))(id);
  /** Whether a campaign or its client was removed. */
  const isGone = async (tx: Tx, row: Pick<CampaignRow, 'id' | 'company_id'>): Promise<boolean> =>
    !(await tenants.company(tx, row.company_id)) || !(await campaigns.visible(tx, row.id));

  /**
   * What a card brings in for a campaign that is not there anymore goes back to it, since no one could use it. It is
   * booked first: the card provider has it, whatever becomes of the refund.
   */
  async function giveBackIfGone(tx: Tx, row: CampaignRow, charge: Charge, key: string, at: Date) {
    if (!(await isGone(tx, row))) return;
    const left = await book.hold(tx, charge.owner, row.id, at);
    const unused = policy.least(left, charge.amountMicros - charge.refundedMicros);
    const amountMicros = unused - (unused % 10_000n);
    if (amountMicros <= 0n) return;
    await charges.giveBack(tx, { charge, amountMicros, key: `gone:${key}` });
    await audit.recordSystem(tx, at, charge.owner, {
      action: 'campaign.refund',
      objectKind: 'campaign',
      objectId: row.id,
      description: `Refunded ${usd(amountMicros)} that came in for campaign #${row.number} after its removal`,
    });
  }

  /** Stops the continual top-up after a purchase was refunded or disputed. The caller holds the balance. */
  async function stop(tx: Tx, charge: Charge, at: Date): Promise<void> {
    const row = await campaigns.visible(tx, charge.referenceId);
    const known = await store.lockAuto(tx, charge.referenceId);
    if (!row || known?.gave_back || !(await wishOf(tx, row.id, at)).continual) return;
    await save(tx, row, known, onGaveBack(prepaidMessages.gaveBack), at);
    await jobs.send(tx, stoppedJob, [{ rootId: row.root_id, campaignId: row.id }]);
    await audit.recordSystem(tx, at, charge.owner, {
      action: 'campaign.renewal_stopped',
      objectKind: 'campaign',
      objectId: row.id,
      description: `Stopped the automatic top-up of campaign #${row.number}: ${prepaidMessages.gaveBack}`,
    });
  }

  const handler: PurposeHandler = {
    async succeeded(tx, charge, at) {
      const { row, left, known } = await open(tx, charge, at);
      const transferId = await book.buy(tx, charge, at);
      const { attempt, ...bought } = boughtOf(charge);
      if (attempt) await store.endAttempt(tx, attempt, { state: 'succeeded', reason: '', ended_at: at });
      const wish = await wishOf(tx, row.id, at);
      const now = autoOf(known);
      // If it is charging something else, that stays; this charge is over. What a refund stopped, a person starts again.
      const before = attempt ? (now.gaveBack ? now : policy.IDLE) : byHand(now);
      await save(tx, row, known, policy.rearm(before, wish, left + charge.amountMicros), at);
      await campaigns.goOn(tx, row, at);
      await events.emit(tx, 'prepaid.topped_up', {
        owner: charge.owner,
        campaignId: row.id,
        amountMicros: charge.amountMicros,
        chargeId: charge.id,
        transferId,
        ...bought,
      });
      await giveBackIfGone(tx, row, charge, charge.id, at);
    },
    async declined(tx, charge, at) {
      const { attempt } = charge.details;
      if (!attempt) return;
      const { row, left, known } = await open(tx, charge, at);
      const reason = charge.declineMessage ?? 'The card was declined.';
      await store.endAttempt(tx, attempt, { state: 'declined', reason, ended_at: at });
      await save(tx, row, known, onDeclined(autoOf(known), at, reason), at, true);
      const { price } = await wishOf(tx, row.id, at);
      if (row.state === 'active' && left < price) await campaigns.stop(tx, row, 'balance_empty', at);
      await jobs.send(tx, tellJob, [
        { rootId: charge.owner.root_id, campaignId: row.id, attemptId: attempt },
      ]);
    },
    async refunded(tx, charge, refund, at) {
      const topUpId = await book.buy(tx, charge, at);
      // A refund that the provider has already made is booked, whether the balance was spent or not: the rest is owed.
      const out = await book.refund(tx, charge, refund.id, refund.amountMicros, refund.isOutside, at);
      if (out) await tellRefund(tx, charge, 'refund', out.micros, out.id, topUpId);
      await stop(tx, charge, at);
    },
    async refundFailed(tx, charge, refund, at) {
      const back = await book.refundFailed(tx, charge, refund.id, at);
      if (back) await tellRefund(tx, charge, 'refund', -back.micros, back.id, await book.buy(tx, charge, at));
    },
    async disputed(tx, charge, dispute, at) {
      const topUpId = await book.buy(tx, charge, at);
      const out = await book.dispute(tx, charge, dispute.id, dispute.amountMicros, at);
      if (out) await tellRefund(tx, charge, 'dispute', out.micros, out.id, topUpId);
      await stop(tx, charge, at);
    },
    async disputeWon(tx, charge, dispute, at) {
      const back = await book.disputeWon(tx, charge, dispute.id, at);
      if (back)
        await tellRefund(tx, charge, 'dispute', -back.micros, back.id, await book.buy(tx, charge, at));
      const [row] = await campaigns.lock(tx, [charge.referenceId]);
      await giveBackIfGone(tx, row!, charge, dispute.id, at);
    },
  };
  const tellRefund = async (
    tx: Tx,
    charge: Charge,
    cause: 'refund' | 'dispute',
    amountMicros: bigint,
    transferId: string,
    topUpId: string,
  ): Promise<void> => {
    // All of it had been spent: its receipt holds.
    if (amountMicros === 0n) return;
    await events.emit(tx, 'prepaid.refunded', {
      owner: charge.owner,
      campaignId: charge.referenceId,
      term: boughtOf(charge).term,
      cause,
      amountMicros,
      transferId,
      topUpId,
      chargeId: charge.id,
    });
  };
  charges.onSettled('prepaid_top_up', handler);

  /**
   * Processes campaigns that are due, whose pause is over, or whose balance has fallen or been armed without a draw; one
   * that fails does not hold up the others.
   */
  async function sweep(rootId: string): Promise<number> {
    const ids = await inScope(db.app, { rootId }, (tx) => store.wanting(tx, rootId, clock.now()));
    await allInTurn(ids, (campaignId) => run({ rootId, campaignId }));
    return ids.length;
  }

  return {
    run,
    sweep,
    tell,
    tellLow,
    tellStopped,
    isGone,
    /** Sets the current state after someone has turned it on or off. Locks the balance. */
    async turned(tx: Tx, row: CampaignRow & { agency_id: string }): Promise<void> {
      // Not the instant at which the caller began: the changes it has made since count.
      const at = clock.now();
      const owner: ClientOwner = ownerOf(row);
      const left = await book.hold(tx, owner, row.id, at);
      const known = await store.lockAuto(tx, row.id);
      await save(tx, row, known, policy.rearm(byHand(autoOf(known)), await wishOf(tx, row.id, at), left), at);
      watched.delete(row.id);
    },
    async start(): Promise<void> {
      await jobs.work(renewJob, { pollingIntervalSeconds: 2 }, run);
      await jobs.work(tellJob, { pollingIntervalSeconds: 5 }, tell);
      await jobs.work(lowJob, { pollingIntervalSeconds: 5 }, tellLow);
      await jobs.work(stoppedJob, { pollingIntervalSeconds: 5 }, tellStopped);
      await jobs.work(sweepJob, { pollingIntervalSeconds: 30 }, () => tenants.eachRoot(sweep));
      await jobs.schedule(sweepJob, '* * * * *', {});
    },
  };
}
