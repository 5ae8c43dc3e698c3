import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { microsOf, usd } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { SaleRefusal } from '../../money/billing/index.ts';
import { type Deps, missing, ownerOf } from './base.ts';
import { stillAsked } from './fields.policy.ts';
import { resumeJob } from './queue.ts';
import * as store from './store.ts';
import { dropTarget } from './target.store.ts';

/** Why a campaign may not run: it cannot pay for a lead, or whoever pays for it has an unpaid debt. */
type Stop = SaleRefusal | store.Bar;
/** Reasons that go away on their own, or with a top-up. */
const PASSING = ['balance_empty', 'below_cost', 'cap_campaign', 'cap_client', 'cap_wallet', 'payment_failed'];
/** The messages for campaigns that cannot run. */
const STOPPED: Record<Stop, string> = {
  payment_failed: ownMessages.heldUnpaid,
  cancelled: ownMessages.heldCancelled,
  company_removed: ownMessages.heldRemoved,
  below_cost: ownMessages.belowCost,
  balance_empty: ownMessages.balanceEmpty,
  cap_campaign: ownMessages.capCampaign,
  cap_client: ownMessages.capClient,
  cap_wallet: ownMessages.capWallet,
};
/** A campaign's balance is capped at one billion dollars, because displayed amounts must stay exact as JSON numbers. */
const MOST_BALANCE = 1_000_000_000_000_000n;

export type States = ReturnType<typeof createStates>;

/** Starts and stops campaigns. */
export function createStates(platform: Platform, { audit, billing, pricing, information }: Deps) {
  const { db, clock } = platform;
  platform.events.on('caps.changed', (tx, { rootId }) => platform.jobs.send(tx, resumeJob, [{ rootId }]));

  /** Why a campaign may not run, regardless of its balance and limits; null if nothing prevents it. */
  async function barOf(
    tx: Tx,
    row: { id: string; agency_id: string; company_id: string },
    at: Date,
  ): Promise<store.Bar | 'below_cost' | null> {
    const bar = await store.barOf(tx, row.agency_id, row.company_id);
    return bar ?? ((await pricing.excessOf(tx, [row.id], at)).has(row.id) ? 'below_cost' : null);
  }

  /** Why a campaign, which the transaction has locked, could not sell its next lead; null: it could. */
  async function cannotSell(
    tx: Tx,
    row: { id: string; root_id: string; agency_id: string; company_id: string; module: string },
    at: Date,
  ): Promise<Stop | null> {
    const bar = await barOf(tx, row, at);
    if (bar) return bar;
    const of = { rootId: row.root_id, agencyId: row.agency_id, clientId: row.company_id };
    const till = await billing.openTill(tx, [{ id: row.id, ...of }], at);
    return till.refusal({ ...of, campaignId: row.id, ...(await billing.selling(tx, [row], at))(row.id) });
  }

  const started = (tx: Tx, row: { id: string; root_id: string }): Promise<void> =>
    platform.events.emit(tx, 'campaign.started', { rootId: row.root_id, campaignId: row.id });

  /** Changes the state of a campaign, after checking what the change requires. */
  async function setState(
    tx: Tx,
    ctx: Ctx,
    id: string,
    to: 'active' | 'paused' | 'archived' | 'removed',
    action: string,
  ): Promise<void> {
    const row = (await store.campaignById(tx, id, true)) ?? missing();
    const from = row.state;
    const allowed = {
      active: ['paused', 'active'],
      paused: ['active', 'paused', 'archived'],
      archived: ['active', 'paused', 'archived'],
      removed: ['active', 'paused', 'archived'],
    }[to];
    if (!allowed.includes(from)) {
      throw new Refusal('conflict', `The campaign is ${from}. Restore it first.`, {
        errors: { status: [`cannot go from ${from} to ${to}`] },
      });
    }
    if (to === 'active') {
      const why = await cannotSell(tx, row, clock.now());
      if (why) {
        const rule = {
          balance_empty: 'needs a balance',
          below_cost: 'needs a new price',
          payment_failed: 'needs the balance due to be paid',
          cancelled: 'needs a package',
          company_removed: 'needs its company',
          limit: 'is stopped by a limit',
        }[why.startsWith('cap_') ? 'limit' : (why as Exclude<Stop, `cap_${string}`>)];
        // A client does not learn what its agency owes.
        const isAgencys =
          why === 'payment_failed' &&
          ctx.actor.kind === 'client' &&
          (await store.barOf(tx, null, row.company_id)) !== 'payment_failed';
        throw isAgencys
          ? new Refusal('conflict', ownMessages.heldByAgency, {
              errors: { status: ['is paused by your agency'] },
            })
          : new Refusal('conflict', STOPPED[why], { errors: { status: [rule] } });
      }
    }
    if (to === 'removed') {
      await platform.events.emit(tx, 'campaign.removing', { campaignId: id, owner: ownerOf(row) });
      await dropTarget(tx, id);
    }
    // An archived campaign reserves no data fields: those that were withdrawn meanwhile are no longer requested or paid
    // for.
    const asked =
      from === 'archived' && to === 'paused'
        ? stillAsked(row, await information.fieldsToAsk(tx, row.root_id, row.company_id))
        : {};
    await store.updateCampaign(tx, id, {
      state: to,
      state_reason: to === 'paused' ? 'person' : null,
      ...asked,
      updated_at: clock.now(),
    });
    if (to === 'active' && from !== 'active') await started(tx, row);
    await audit.record(tx, ctx, {
      action,
      objectKind: 'campaign',
      objectId: id,
      description: `Campaign #${row.number} ${row.name}: ${from} to ${to}`,
      owner: ownerOf(row),
    });
  }

  /** Resumes campaigns of a root that a limit had stopped and that no limit stops anymore. Returns how many. */
  const resumeCapped = (rootId: string): Promise<number> =>
    inScope(db.app, { rootId }, async (tx) => {
      const waiting = await store.cappedCampaigns(tx, rootId);
      if (waiting.length === 0) return 0;
      const at = clock.now();
      const rows = (await store.lockCampaigns(tx, waiting)).filter(
        (row) => row.state === 'paused' && row.state_reason?.startsWith('cap_'),
      );
      let resumed = 0;
      for (const row of rows) {
        const why = await cannotSell(tx, row, at);
        if (why === row.state_reason) continue;
        await store.updateCampaign(tx, row.id, {
          state: why ? 'paused' : 'active',
          state_reason: why,
          updated_at: at,
        });
        if (why) continue;
        resumed++;
        await started(tx, row);
        await audit.recordSystem(tx, at, ownerOf(row), {
          action: 'campaign.resumed',
          objectKind: 'campaign',
          objectId: row.id,
          description: `Campaign #${row.number} resumed because no limit stops it anymore`,
        });
      }
      return resumed;
    });

  /**
   * Resumes a campaign, locked by the transaction, that was held below cost and no longer is. Returns whether it did.
   */
  async function recover(
    tx: Tx,
    row: Awaited<ReturnType<typeof store.lockCampaigns>>[number],
    at: Date,
  ): Promise<boolean> {
    if (row.state !== 'paused' || row.state_reason !== 'below_cost') return false;
    const why = await cannotSell(tx, row, at);
    if (why === 'below_cost') return false;
    await store.updateCampaign(tx, row.id, {
      state: why ? 'paused' : 'active',
      state_reason: why,
      updated_at: at,
    });
    if (why) return false;
    await started(tx, row);
    await audit.recordSystem(tx, at, ownerOf(row), {
      action: 'campaign.resumed',
      objectKind: 'campaign',
      objectId: row.id,
      description: `Campaign #${row.number} resumed because its price covers the cost again`,
    });
    return true;
  }

  return {
    started,
    setState,
    resumeCapped,
    barOf,
    recover,

    /**
     * Locks the campaigns of a root, or of one of its agencies, that run or are held below cost. Runs in the root's
     * scope or the agency's.
     */
    lockForMargins: async (tx: Tx, of: { rootId: string; agencyId: string | null }) => {
      const ids = await store.marginCampaigns(tx, of);
      return ids.length > 0 ? store.lockCampaigns(tx, ids) : [];
    },

    /** Records prepaid balance; a campaign that was stopped for lack of it resumes. */
    topUp: (ctx: Ctx, id: string, amount: string, key: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const amountMicros = microsOf(amount);
        if (amountMicros <= 0n)
          throw new Refusal('invalid', 'amount: must be greater than 0', {
            errors: { amount: ['must be above 0'] },
          });
        if (amountMicros % 10_000n !== 0n)
          throw new Refusal('invalid', 'amount: must be in whole cents', {
            errors: { amount: ['must be in whole cents'] },
          });
        // Locked before the balance, as everywhere, and before its state is read, because it may be about to be paused.
        const row = (await store.campaignById(tx, id, true)) ?? missing();
        const of = { rootId: row.root_id, agencyId: row.agency_id, clientId: row.company_id, campaignId: id };
        const posted = await billing.topUp(tx, { ...of, amountMicros, key }, clock.now());
        const balance = (await billing.prepaidOf(tx, [id])).get(id) ?? 0n;
        if (balance > MOST_BALANCE) {
          throw new Refusal('invalid', 'amount: must not raise the balance above $1,000,000,000', {
            errors: { amount: ['must not raise the balance above $1,000,000,000'] },
          });
        }
        if (posted) {
          if (
            row.state === 'paused' &&
            row.state_reason === 'balance_empty' &&
            balance >= (await billing.leadCosts(tx, [row], clock.now()))(id).priceMicros &&
            !(await barOf(tx, row, clock.now()))
          ) {
            await store.updateCampaign(tx, id, {
              state: 'active',
              state_reason: null,
              updated_at: clock.now(),
            });
            await started(tx, row);
          }
          await audit.record(tx, ctx, {
            action: 'campaign.topup',
            objectKind: 'campaign',
            objectId: id,
            description: `Recorded prepaid balance of ${usd(amountMicros)} for campaign #${row.number}`,
            owner: ownerOf(row),
          });
        }
        return balance;
      }),

    /** Pauses a campaign that cannot pay for another lead (its balance, a limit), and says why. */
    stop: async (
      tx: Tx,
      row: { id: string; number: bigint; root_id: string; agency_id: string; company_id: string },
      why: SaleRefusal,
      at: Date,
    ) => {
      await store.updateCampaign(tx, row.id, { state: 'paused', state_reason: why, updated_at: at });
      await audit.recordSystem(tx, at, ownerOf(row), {
        action: 'campaign.paused',
        objectKind: 'campaign',
        objectId: row.id,
        description: `Campaign #${row.number} was paused: ${STOPPED[why]}`,
      });
    },

    /** Resumes a campaign of `lock` that was stopped for lack of balance, once the balance covers a lead again. */
    goOn: async (tx: Tx, row: Awaited<ReturnType<typeof store.lockCampaigns>>[number], at: Date) => {
      if (row.state !== 'paused' || row.state_reason !== 'balance_empty') return;
      const balance = (await billing.prepaidOf(tx, [row.id])).get(row.id) ?? 0n;
      if (balance < (await billing.leadCosts(tx, [row], at))(row.id).priceMicros) return;
      const bar = await barOf(tx, row, at);
      if (bar) {
        // It waits for what blocks it now: `release` looks for that reason.
        await store.updateCampaign(tx, row.id, { state_reason: bar, updated_at: at });
        return;
      }
      await store.updateCampaign(tx, row.id, { state: 'active', state_reason: null, updated_at: at });
      await started(tx, row);
      await audit.recordSystem(tx, at, ownerOf(row), {
        action: 'campaign.resumed',
        objectKind: 'campaign',
        objectId: row.id,
        description: `Campaign #${row.number} resumed because its balance covers leads again`,
      });
    },

    /**
     * Stops all campaigns of an agency, or of one of its clients, and records why. For 'payment_failed', those that are
     * running; for the others, also those that would resume on their own. Returns those that were stopped; the caller
     * records it.
     */
    async hold(
      tx: Tx,
      of: { agencyId: string; clientId?: string | undefined },
      reason: 'payment_failed' | 'cancelled' | 'billing_changed',
      at: Date,
    ) {
      // Paused ones are locked, too: one that is about to be activated is waited for, and stopped.
      const ids = await store.campaignsOf(tx, of);
      const held = ids.length ? await store.lockCampaigns(tx, ids) : [];
      const rows = held.filter(
        (row) =>
          row.state === 'active' ||
          (reason !== 'payment_failed' && row.state === 'paused' && PASSING.includes(row.state_reason ?? '')),
      );
      for (const row of rows)
        await store.updateCampaign(tx, row.id, { state: 'paused', state_reason: reason, updated_at: at });
      return rows;
    },

    /**
     * Resumes campaigns that were stopped for lack of a payment, unless something else stops them. Returns those that
     * resume.
     */
    async release(tx: Tx, of: { agencyId: string; clientId?: string | undefined }, at: Date) {
      const ids = await store.campaignsOf(tx, of, 'payment_failed');
      const rows = (ids.length ? await store.lockCampaigns(tx, ids) : []).filter(
        (row) => row.state === 'paused' && row.state_reason === 'payment_failed',
      );
      const going: typeof rows = [];
      for (const row of rows) {
        const why = await cannotSell(tx, row, at);
        if (why === 'payment_failed') continue;
        await store.updateCampaign(tx, row.id, {
          state: why ? 'paused' : 'active',
          state_reason: why,
          updated_at: at,
        });
        if (why) continue;
        await started(tx, row);
        going.push(row);
      }
      return going;
    },
  };
}
