import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { prepaidMessages } from '../../../../contract/money/prepaid-messages.ts';
import { microsOf, usd } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import { periodOf } from '../data-wallet/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Charge, ChargeResult } from '../payments/index.ts';
import { autoOf, createAuto, detailsOf, type PrepaidParts } from './auto.service.ts';
import { createBook } from './book.ts';
import { type CampaignRow, cardRefusal, ownerOf, type Terms, termsOf } from './campaign.ts';
import * as policy from './policy.ts';
import * as store from './store.ts';

export type Prepaid = ReturnType<typeof createPrepaid>;

/** No campaign holds more than a billion dollars: what is shown must stay exact as a JSON number. */
const MOST_BALANCE = 1_000_000_000_000_000n;
/** How many purchases are considered for a refund, and how many are shown. */
const MOST_CHARGES = 500;
const SHOWN = 20;

const refuse = (code: 'conflict' | 'invalid', field: string, rule: string, text = `${field}: ${rule}`) =>
  new Refusal(code, text, { errors: { [field]: [rule] } });
const isPaidFor = ({ state }: Charge): boolean => state === 'succeeded' || state === 'disputed';

/**
 * Prepaid balances of campaigns, bought by the client's card on its agency's account (PAY-09; spec calls 7, Leads).
 * Whether users may see a campaign is decided in their own scope; all money is moved in the scope of the root.
 */
export function createPrepaid(platform: Platform, parts: PrepaidParts & { ledger: Ledger }) {
  const { db, clock } = platform;
  const { tenants, audit, pricing, billing, payments, campaigns, ledger } = parts;
  const { charges } = payments;
  const book = createBook(ledger);
  const auto = createAuto(platform, parts, book);

  const root = <T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, { rootId: ctx.actor.rootId }, work);
  /**
   * Returns a campaign that the caller can see.
   * @throws Refusal 404
   */
  const visible = (ctx: Ctx, id: string): Promise<CampaignRow> =>
    inScope(db.app, ctx.scope, async (tx) => {
      const row = await campaigns.visible(tx, id);
      if (!row) throw new Refusal('not_found', ownMessages.notFound);
      return row;
    });
  const balanceOf = async (tx: Tx, id: string): Promise<bigint> =>
    (await ledger.prepaidOf(tx, [id])).get(id) ?? 0n;
  const chargesOf = (tx: Tx, row: Pick<CampaignRow, 'id' | 'company_id'>, limit: number): Promise<Charge[]> =>
    charges.of(tx, row.company_id, 'prepaid_top_up', row.id, limit);

  /** @throws Refusal 404 for a campaign, or of a client, that was removed: no one could use what is bought for it */
  async function mustBeThere(tx: Tx, row: Pick<CampaignRow, 'id' | 'company_id'>): Promise<void> {
    if (await auto.isGone(tx, row)) throw new Refusal('not_found', ownMessages.notFound);
  }

  /** Why leads for a campaign can't be bought at present; null if they can, as far as the card is concerned. */
  async function unbuyable(tx: Tx, row: CampaignRow, terms: Terms): Promise<string | null> {
    if (terms.term !== 'Prepaid' && terms.term !== 'One Time') return prepaidMessages.term;
    if ((await billing.accounts.terms(tx, row.agency_id)).manual_bill) return prepaidMessages.manual;
    if (row.state === 'archived') return prepaidMessages.archived;
    if (terms.price === 0n) return prepaidMessages.free;
    if (terms.term === 'One Time' && (await chargesOf(tx, row, MOST_CHARGES)).some(isPaidFor))
      return prepaidMessages.once;
    return null;
  }

  /**
   * Returns what a number of leads costs now.
   * @throws Refusal 422 naming leads_buy
   */
  function priced(terms: Terms, asked: number | undefined): { leads: number; amount: bigint } {
    const leads = asked ?? terms.leads;
    if (leads === 0) throw refuse('invalid', 'leads_buy', 'is required', prepaidMessages.count);
    if (terms.price > 0n) {
      const fault = policy.leadsFault(leads, terms.price);
      if (fault) throw refuse('invalid', 'leads_buy', fault);
    }
    return { leads, amount: policy.amountOf(leads, terms.price) };
  }

  /** Fees that fall due in addition to the purchase, on the client's next invoice. */
  async function feesDue(tx: Tx, row: CampaignRow, terms: Terms) {
    const zone = (await tenants.company(tx, row.root_id))?.time_zone ?? 'UTC';
    const month = periodOf(clock.now(), zone, 'month').from;
    const paid = await store.feesSince(tx, { companyId: row.company_id, campaignId: row.id }, month);
    return [
      { kind: 'platform_fee' as const, amount: paid.platform ? 0n : terms.setup },
      { kind: 'monthly_fee' as const, amount: paid.month ? 0n : terms.month },
    ].filter(({ amount }) => amount > 0n);
  }

  /**
   * Returns the order for a click, created once, along with its audit row.
   * @throws Refusal 409, 422
   */
  const order = (
    ctx: Ctx,
    row: CampaignRow,
    given: { leads?: number | undefined; amount: bigint; key: string; what?: string | undefined },
  ): Promise<store.OrderRow> =>
    root(ctx, async (tx) => {
      await mustBeThere(tx, row);
      await store.holdOrders(tx, row.id);
      const before = await store.orderByKey(tx, row.id, given.key);
      if (before) {
        if (before.amount_micros !== given.amount)
          throw refuse('conflict', 'idempotency_key', 'was already used for another purchase');
        return before;
      }
      const at = clock.now();
      const terms = (await termsOf(pricing, tx, [row.id], at))(row.id);
      const blocked = await unbuyable(tx, row, terms);
      if (blocked) throw new Refusal('conflict', blocked);
      const { leads, amount } = priced(terms, given.leads);
      if (amount !== given.amount)
        throw refuse('conflict', 'amount', 'is not the current one', prepaidMessages.price(usd(amount)));
      if ((await balanceOf(tx, row.id)) + amount > MOST_BALANCE)
        throw refuse('invalid', 'leads_buy', prepaidMessages.tooMuch);
      const owner = ownerOf(row);
      const card = await cardRefusal(parts, tx, owner);
      if (card) throw new Refusal('conflict', card.words, { errors: { card: [card.words] } });
      // Everyone who orders the single purchase of a One Time campaign orders the same charge, until it has failed.
      const failed = (await chargesOf(tx, row, MOST_CHARGES)).filter(({ state }) =>
        ['declined', 'canceled', 'refunded'].includes(state),
      );
      const made = {
        id: newId(at),
        ...owner,
        campaign_id: row.id,
        idempotency_key: given.key,
        ...(terms.term === 'One Time'
          ? { charge_key: `once:${row.id}:${failed.length}`, term: terms.term }
          : { charge_key: given.key, term: 'Prepaid' as const }),
        leads,
        price_micros: terms.price,
        amount_micros: amount,
        created_at: at,
      };
      await store.insertOrder(tx, made);
      await audit.record(tx, ctx, {
        action: 'campaign.buy',
        objectKind: 'campaign',
        objectId: row.id,
        description: `Requested to buy ${leads} ${given.what ?? 'leads'} for campaign #${row.number} by card, ${usd(amount)}`,
        owner,
      });
      return made;
    });

  /** The outcome of a charge that someone waited for, as shown to them. */
  async function answerOf(ctx: Ctx, row: CampaignRow, result: ChargeResult) {
    const { amountMicros } = result.charge;
    const answer = {
      client_secret: '',
      publishable_key: '',
      stripe_account: '',
      gateway: payments.gateway.provider,
      balance_micros: Number(await root(ctx, (tx) => balanceOf(tx, row.id))),
    };
    if (result.status === 'succeeded')
      return { ...answer, result: 'success' as const, message: prepaidMessages.bought(usd(amountMicros)) };
    if (result.status === 'unknown')
      return { ...answer, result: 'unknown' as const, message: prepaidMessages.unknown };
    if (!result.needsAuthentication) return { ...answer, result: 'failed' as const, message: result.message };
    // The bank asks the cardholder, and that is never the agency.
    if (ctx.actor.companyId !== row.company_id)
      return { ...answer, result: 'failed' as const, message: prepaidMessages.authenticateClient };
    const needed = await payments.core.authentication(row.root_id, result.charge.id);
    if (!needed) return { ...answer, result: 'failed' as const, message: result.message };
    return {
      ...answer,
      result: 'authenticate' as const,
      message: prepaidMessages.authenticate,
      client_secret: needed.clientSecret,
      publishable_key: payments.gateway.publishableKey,
      stripe_account: needed.account,
    };
  }

  const keepers: ((tx: Tx, campaignId: string) => Promise<bigint>)[] = [];

  /**
   * The part of a balance that can be refunded: unused, and bought by card. `kept`: the part that cannot yet, since it may
   * turn out to be spent. Charges newest first.
   */
  async function refundable(tx: Tx, row: Pick<CampaignRow, 'id' | 'company_id'>, balance: bigint) {
    const open = (await chargesOf(tx, row, MOST_CHARGES))
      .filter(({ state }) => state === 'succeeded')
      .map((charge) => ({ id: charge.id, left: charge.amountMicros - charge.refundedMicros }));
    const bought = open.reduce((sum, { left }) => sum + left, 0n);
    let due = 0n;
    for (const keptOf of keepers) due += await keptOf(tx, row.id);
    const inCents = (micros: bigint) => micros - (micros % 10_000n);
    const all = inCents(policy.least(balance, bought));
    const most = inCents(policy.least(balance > due ? balance - due : 0n, bought));
    return { open, most, kept: all - most };
  }

  // No one could refund it any more: users can't see a campaign that was removed.
  platform.events.on('campaign.removing', async (tx, { campaignId, owner }) => {
    const row = { id: campaignId, company_id: owner.company_id };
    const { most, kept } = await refundable(tx, row, await balanceOf(tx, campaignId));
    if (most + kept > 0n) throw new Refusal('conflict', prepaidMessages.removal(usd(most + kept)));
    await charges.mustRest(
      tx,
      { companyId: row.company_id, purpose: 'prepaid_top_up', referenceId: campaignId },
      'this campaign',
    );
  });

  return {
    auto,

    /** Adds what says how much of a campaign's balance may be spent already, in micro-dollars, though it is not booked. */
    keepBack(keptOf: (tx: Tx, campaignId: string) => Promise<bigint>): void {
      keepers.push(keptOf);
    },

    /**
     * Returns what buying leads would cost; stores nothing.
     * @throws Refusal 404, 422 naming leads_buy
     */
    async estimate(ctx: Ctx, id: string, asked: number | undefined) {
      const row = await visible(ctx, id);
      return root(ctx, async (tx) => {
        const terms = (await termsOf(pricing, tx, [id], clock.now()))(id);
        const { leads, amount } = priced(terms, asked);
        const balance = await balanceOf(tx, id);
        const fees = await feesDue(tx, row, terms);
        const card = await billing.accounts.card(tx, row.company_id);
        const blocked =
          (await unbuyable(tx, row, terms)) ?? (await cardRefusal(parts, tx, ownerOf(row)))?.words ?? '';
        return {
          leads_buy: leads,
          price_micros: Number(terms.price),
          amount_micros: Number(amount),
          fees: fees.map((fee) => ({ kind: fee.kind, amount_micros: Number(fee.amount) })),
          fees_micros: Number(fees.reduce((sum, fee) => sum + fee.amount, 0n)),
          balance_micros: Number(balance),
          balance_after_micros: Number(balance + amount),
          leads_after: terms.price > 0n ? Number((balance + amount) / terms.price) : 0,
          minimum_micros: Number(policy.MINIMUM),
          term: terms.term as 'Prepaid',
          card: card ? `${card.brand} ${card.last4}` : '',
          blocked,
        };
      });
    },

    /**
     * Buys leads with the client's card. The same key buys only once, no matter how often it is submitted.
     * @throws Refusal 404; 422 naming leads_buy or amount; 409 if it can't be bought, the amount is not the current one,
     * or another payment for the campaign is in progress
     */
    async topUp(
      ctx: Ctx,
      id: string,
      /** `what`: what is bought instead of leads. */
      given: { leads?: number | undefined; amount: string; key: string; what?: string },
    ) {
      const row = await visible(ctx, id);
      const made = await order(ctx, row, { ...given, amount: microsOf(given.amount) });
      const result = await charges.charge({
        owner: ownerOf(row),
        purpose: 'prepaid_top_up',
        referenceId: row.id,
        amountMicros: made.amount_micros,
        key: made.charge_key,
        description: `Campaign #${row.number}: ${made.leads} ${given.what ?? 'leads'}`,
        details: detailsOf(made.term, made.leads, made.price_micros),
        userId: ctx.actor.userId,
        ip: ctx.ip,
        check: (tx) => mustBeThere(tx, row),
      });
      return answerOf(ctx, row, result);
    },

    /** Whether a key has already ordered something for a campaign. @throws Refusal 404 */
    async hasOrdered(ctx: Ctx, id: string, key: string): Promise<boolean> {
      const row = await visible(ctx, id);
      return root(ctx, async (tx) => (await store.orderByKey(tx, row.id, key)) !== undefined);
    },

    /**
     * Returns how the balance is bought, and the last purchases.
     * @throws Refusal 404
     */
    async current(ctx: Ctx, id: string) {
      const row = await visible(ctx, id);
      return root(ctx, async (tx) => {
        const terms = (await termsOf(pricing, tx, [id], clock.now()))(id);
        const [known] = await store.autos(tx, [id]);
        const standing = autoOf(known);
        const bought = (await chargesOf(tx, row, SHOWN)).map((charge) => ({
          id: charge.id,
          at: charge.createdAt,
          leads: Number(charge.details.leads),
          amount_micros: Number(charge.amountMicros),
          refunded_micros: Number(charge.refundedMicros),
          automatic: charge.details.attempt !== undefined,
          status: statusOf(charge.state),
          reason: charge.declineMessage ?? '',
          card: `${charge.brand} ${charge.last4}`,
        }));
        const refused = (await store.refusedAttempts(tx, id, SHOWN)).map((attempt) => ({
          id: attempt.id,
          at: attempt.created_at,
          leads: attempt.leads,
          amount_micros: Number(attempt.amount_micros),
          refunded_micros: 0,
          automatic: true,
          status: 'refused' as const,
          reason: attempt.reason,
          card: '',
        }));
        const floor = policy.watchedFloor(terms);
        return {
          topup: terms.topup,
          leads_buy: terms.leads || null,
          amount_micros: terms.leads ? Number(policy.amountOf(terms.leads, terms.price)) : null,
          renews_below_micros: floor === null ? null : Number(floor),
          status: standing.state,
          next_try: standing.retryAt?.toISOString() ?? null,
          declines: standing.declines,
          reason: standing.reason,
          data: [...bought, ...refused]
            .sort((a, b) => b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1))
            .slice(0, SHOWN)
            .map(({ at, ...purchase }) => ({ ...purchase, created_at: at.toISOString() })),
        };
      });
    },

    /**
     * Returns what is left, and what became of the rest.
     * @throws Refusal 404
     */
    async remaining(ctx: Ctx, id: string) {
      const row = await visible(ctx, id);
      return root(ctx, async (tx) => {
        const { price } = (await termsOf(pricing, tx, [id], clock.now()))(id);
        const moved = await store.movements(tx, row.company_id, id);
        const balance = await balanceOf(tx, id);
        const sum = (...kinds: string[]) => kinds.reduce((all, kind) => all + (moved.get(kind) ?? 0n), 0n);
        const spent = [...moved.values()].reduce((all, one) => all + one, 0n) - balance;
        const { most, kept } = await refundable(tx, row, balance);
        return {
          balance_micros: Number(balance),
          price_micros: Number(price),
          leads_left: price > 0n ? Number(balance / price) : null,
          bought_micros: Number(sum('prepaid_top_up')),
          outside_micros: Number(sum('top_up')),
          granted_micros: Number(sum('client_grant')),
          spent_micros: Number(spent),
          refunded_micros: Number(-sum('prepaid_refund')),
          disputed_micros: Number(-sum('dispute', 'dispute_reversal')),
          refundable_micros: Number(most),
          kept_micros: Number(kept),
        };
      });
    },

    /**
     * Turns the continual top-up off or on, from now on; returns its current state.
     * @throws Refusal 403 to turn it on in a session that is not confirmed, 404, 409, 422
     */
    async setContinual(ctx: Ctx, id: string, stop: boolean): Promise<'onetime' | 'continual'> {
      const row = await visible(ctx, id);
      if (!stop) await ctx.mustBeConfirmed();
      return root(ctx, async (tx) => {
        if (!stop) {
          const terms = (await termsOf(pricing, tx, [id], clock.now()))(id);
          const blocked =
            (await unbuyable(tx, row, terms)) ?? (await cardRefusal(parts, tx, ownerOf(row)))?.words;
          if (blocked) throw new Refusal('conflict', blocked);
          if (terms.leads > 0) priced(terms, undefined);
        }
        const topup = stop ? 'onetime' : 'continual';
        await campaigns.lock(tx, [id]);
        await pricing.setTopUp(tx, row, topup);
        await auto.turned(tx, row);
        await audit.record(tx, ctx, {
          action: 'campaign.continual',
          objectKind: 'campaign',
          objectId: id,
          description: `${stop ? 'Stopped' : 'Started'} automatic top-up of campaign #${row.number}`,
          owner: ownerOf(row),
        });
        return topup;
      });
    },

    /**
     * Refunds unused balance to the cards that bought it, newest purchases first. The same key refunds only once.
     * @throws Refusal 404, 409 if the request exceeds what is unused and was bought by card
     */
    async refund(ctx: Ctx, id: string, given: { amount?: string | undefined; key: string }) {
      const row = await visible(ctx, id);
      const owner = ownerOf(row);
      const plan = await root(ctx, async (tx) => {
        await store.holdOrders(tx, id);
        const before = await store.refundByKey(tx, id, given.key);
        if (before) {
          if (given.amount !== undefined && microsOf(given.amount) !== before.amount_micros)
            throw refuse('conflict', 'idempotency_key', 'was already used for another refund');
          return before;
        }
        const at = clock.now();
        const { open, most, kept } = await refundable(tx, row, await book.hold(tx, owner, id, at));
        if (most === 0n)
          throw new Refusal(
            'conflict',
            kept > 0n ? prepaidMessages.kept(usd(kept)) : prepaidMessages.nothing,
          );
        const amount = given.amount === undefined ? most : microsOf(given.amount);
        if (amount > most)
          throw refuse(
            'conflict',
            'amount',
            amount <= most + kept ? prepaidMessages.kept(usd(kept)) : prepaidMessages.refundable(usd(most)),
          );
        const made = {
          id: newId(at),
          ...owner,
          campaign_id: id,
          idempotency_key: given.key,
          amount_micros: amount,
          parts: policy.refundParts(open, amount),
          created_at: at,
        };
        await store.insertRefund(tx, { ...made, parts: JSON.stringify(made.parts) });
        await audit.record(tx, ctx, {
          action: 'campaign.refund',
          objectKind: 'campaign',
          objectId: id,
          description: `Refunded ${usd(amount)} of the unused balance of campaign #${row.number} to the card`,
          owner,
        });
        return made;
      });
      let asked = 0n;
      let failure: string | null = null;
      let isSure = true;
      for (const part of plan.parts) {
        const amountMicros = BigInt(part.cents) * 10_000n;
        try {
          const { status } = await charges.refund({
            rootId: row.root_id,
            chargeId: part.charge,
            amountMicros,
            key: plan.id,
            reason: 'Unused balance refunded',
          });
          if (status === 'failed') failure = ownMessages.notRefundable;
          else asked += amountMicros;
          isSure &&= status === 'succeeded';
        } catch (error) {
          // Leads have used some of the balance since, or the charge was disputed: what is left stays in the balance.
          if (!(error instanceof Refusal)) throw error;
          failure = error.message;
        }
      }
      const balance = await root(ctx, (tx) => balanceOf(tx, id));
      const answer = { refunded_micros: Number(asked), balance_micros: Number(balance) };
      if (failure !== null)
        return {
          ...answer,
          result: 'failed' as const,
          message: asked > 0n ? prepaidMessages.refundPart(usd(asked)) : failure,
        };
      return isSure
        ? { ...answer, result: 'success' as const, message: prepaidMessages.refunded(usd(asked)) }
        : { ...answer, result: 'pending' as const, message: prepaidMessages.refundPending(usd(asked)) };
    },
  };
}

const statusOf = (state: Charge['state']) =>
  state === 'intended' || state === 'sent' || state === 'unknown'
    ? ('charging' as const)
    : state === 'canceled'
      ? ('declined' as const)
      : state;
