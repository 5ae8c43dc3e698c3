import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { microsOf, usd } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { newId } from '../../../platform/ids.ts';
import { allInTurn } from '../../../platform/in-turn.ts';
import type { ListedCharge, PaymentGateway } from '../../../platform/payments.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import { accountsOf } from './card.store.ts';
import type { ChargeCore } from './charge.service.ts';
import { chargeById, noteMismatch, placeOf, refundsOf } from './charge.store.ts';
import * as store from './check.store.ts';
import * as policy from './policy.ts';
import type { createRefunds } from './refund.service.ts';

/** How far back the daily comparison looks. */
const COMPARED_MS = 3 * 86_400_000;
type Ours = Awaited<ReturnType<typeof store.chargesSince>>[number];

/** What a root reviews and fixes: the page "Payments to check", and the daily comparison that fills it. */
export function createChecks(
  { db, clock, log }: Pick<Platform, 'db' | 'clock' | 'log'>,
  parts: {
    gateway: PaymentGateway;
    core: ChargeCore;
    refunds: ReturnType<typeof createRefunds>;
    audit: Audit;
  },
) {
  const { gateway, core, refunds, audit } = parts;
  const { within } = core;
  /** Reads a charge's refunds at the provider; what could not be booked yet stays a difference. */
  const hearRefunds = (rootId: string, chargeId: string): Promise<void> =>
    refunds
      .hear(rootId, chargeId)
      .catch((error) =>
        log.warn({ err: error, charge: chargeId }, 'could not book the refunds of a charge yet'),
      );

  const mayOf = (row: store.ProblemRow): ('ask' | 'settle' | 'refund' | 'resolve')[] => {
    const left = row.amount_cents > row.refunded_cents;
    switch (row.kind) {
      case 'unknown':
        return row.state === 'intended' ? ['ask'] : ['ask', 'settle'];
      case 'declined':
        return ['ask', 'settle'];
      case 'refund':
        return row.state === 'failed' && left ? ['ask', 'refund'] : ['ask'];
      case 'dispute':
        return ['ask'];
      case 'mismatch':
        return row.purpose ? (left ? ['ask', 'refund', 'resolve'] : ['ask', 'resolve']) : ['resolve'];
    }
  };

  /**
   * Returns the charge, if the caller can see it.
   * @throws Refusal 404
   */
  async function charge(ctx: Ctx, id: string) {
    const row = await within(ctx.actor.rootId, (tx) => chargeById(tx, id));
    if (!row) throw new Refusal('not_found', ownMessages.notFound);
    return row;
  }
  const ownerOf = (row: { root_id: string; agency_id: string; company_id: string }) => ({
    root_id: row.root_id,
    agency_id: row.agency_id,
    company_id: row.company_id,
  });

  /** The differences between the provider's records and ours for one charge. */
  function difference(ours: Ours, theirs: ListedCharge) {
    const cents = (n: number) => usd(BigInt(n) * 10_000n);
    if (theirs.amountCents !== ours.amount_cents)
      return { kind: 'amount' as const, ours: cents(ours.amount_cents), theirs: cents(theirs.amountCents) };
    const here = policy.isPaid(ours.state);
    const there = theirs.status === 'succeeded';
    if (!policy.isUnderWay(ours.state) && theirs.status !== 'unknown' && here !== there)
      return { kind: 'state' as const, ours: ours.state, theirs: theirs.status };
    if (here && theirs.refundedCents !== ours.refunded_cents)
      return {
        kind: 'refund' as const,
        ours: `${cents(ours.refunded_cents)} refunded`,
        theirs: `${cents(theirs.refundedCents)} refunded`,
      };
    return null;
  }

  /** Compares one place (an account) of a root. */
  async function comparePlace(
    rootId: string,
    account: string,
  ): Promise<{ compared: number; differences: number }> {
    const begun = clock.now();
    const since = new Date(begun.getTime() - COMPARED_MS);
    const listed = await gateway.listCharges({ since, ...(account ? { account } : {}) });
    const ours = await within(rootId, (tx) => store.chargesSince(tx, account, gateway.provider, since));
    const byId = new Map(ours.map((row) => [row.id, row]));
    const byReference = new Map(ours.map((row) => [row.provider_reference, row]));
    let differences = 0;
    const note = async (
      owner: { root_id: string; agency_id: string; company_id: string },
      chargeId: string | null,
      reference: string,
      found: { kind: 'not_here' | 'not_there' | 'amount' | 'state' | 'refund'; ours: string; theirs: string },
    ): Promise<void> => {
      differences++;
      await within(rootId, (tx) =>
        noteMismatch(tx, {
          id: newId(begun),
          ...ownerOf(owner),
          charge_id: chargeId,
          provider_reference: reference,
          ...found,
          found_at: begun,
          seen_at: begun,
        }),
      );
    };
    const met = new Set<string>();
    const agreed: string[] = [];
    for (const theirs of listed) {
      const mine = byId.get(theirs.chargeKey ?? '') ?? byReference.get(theirs.charge);
      if (mine) {
        met.add(mine.id);
        let found = difference(mine, theirs);
        // A notice may have been lost: ask, and settle what can be.
        for (const [kind, settle] of [
          ['state', core.ask],
          ['refund', hearRefunds],
        ] as const) {
          if (found?.kind !== kind) continue;
          await settle(rootId, mine.id);
          const now = await within(rootId, (tx) => chargeById(tx, mine.id));
          found = now ? difference({ ...mine, ...now }, theirs) : found;
        }
        if (found) await note(mine, mine.id, theirs.charge, found);
        else agreed.push(theirs.charge);
        continue;
      }
      if (theirs.status !== 'succeeded') continue;
      // Created elsewhere (or older than the charges we read on our side): whose is it?
      const place = await placeOf(db.app, {
        chargeKey: theirs.chargeKey,
        charge: theirs.charge,
        account: account || undefined,
        customer: theirs.customer,
      });
      if (!place || place.root_id !== rootId || place.charge_id) continue;
      const amount = usd(BigInt(theirs.amountCents) * 10_000n);
      await note(place, null, theirs.charge, {
        kind: 'not_here',
        ours: 'nothing',
        theirs: `charge for ${amount}`,
      });
    }
    // A charge missing from a list may be newer than it; an hour later it must be there.
    const settled = new Date(begun.getTime() - policy.FINAL_AFTER_MS);
    for (const mine of ours) {
      const here = policy.isPaid(mine.state);
      if (!here || met.has(mine.id) || (mine.sent_at ?? mine.created_at) > settled) continue;
      await note(mine, mine.id, mine.provider_reference ?? mine.id, {
        kind: 'not_there',
        ours: mine.state,
        theirs: 'charge not found',
      });
    }
    await within(rootId, (tx) => store.resolveGone(tx, agreed, begun, begun));
    return { compared: listed.length, differences };
  }

  /**
   * Compares all accounts of a root with our data for the last three days; one that can't be read, such as one that was
   * disconnected, does not hold up the others.
   */
  async function compare(rootId: string): Promise<{ compared: number; differences: number }> {
    const places = await within(rootId, (tx) => accountsOf(tx, gateway.provider));
    const sum = { compared: 0, differences: 0 };
    await allInTurn(places, async (account) => {
      const one = await comparePlace(rootId, account);
      sum.compared += one.compared;
      sum.differences += one.differences;
    });
    return sum;
  }

  return {
    compare,

    async page(ctx: Ctx, asked: { page: number; per_page: number; kind?: string | undefined }) {
      const now = clock.now();
      return within(ctx.actor.rootId, async (tx) => {
        const rows = await store.pageOfProblems(
          tx,
          now,
          asked.kind,
          asked.per_page,
          (asked.page - 1) * asked.per_page,
        );
        const counts = { unknown: 0, mismatch: 0, refund: 0, dispute: 0, declined: 0 };
        for (const { kind, n } of await store.countProblems(tx, now)) counts[kind] = Number(n);
        const all = Object.values(counts).reduce((sum, n) => sum + n, 0);
        const total = asked.kind ? counts[asked.kind as keyof typeof counts] : all;
        return { rows: rows.map((row) => ({ ...row, may: mayOf(row) })), counts, total };
      });
    },

    /** Asks the provider again, about the charge and its refunds. */
    async ask(ctx: Ctx, id: string): Promise<string> {
      const row = await charge(ctx, id);
      const { charge: now } = await core.ask(row.root_id, id);
      for (const one of await within(row.root_id, (tx) => refundsOf(tx, id)))
        if (policy.refundIsOpen(one.state)) await refunds.ask(row.root_id, one.id);
      // Someone may have refunded it at the provider.
      if (policy.isPaid(now.state)) await hearRefunds(row.root_id, id);
      await within(row.root_id, (tx) =>
        audit.record(tx, ctx, {
          action: 'payment.asked',
          objectKind: 'charge',
          objectId: id,
          owner: ownerOf(row),
          description: `Checked a charge with the card provider: ${now.state}`,
        }),
      );
      return now.state;
    },

    /**
     * Settles a charge manually; the postings are the same as if the provider had reported it.
     * @throws Refusal 409 unless its outcome is unknown, or it failed and is said to have succeeded
     */
    async settle(ctx: Ctx, id: string, state: 'succeeded' | 'declined', reason: string): Promise<string> {
      const row = await charge(ctx, id);
      const failed = row.state === 'declined' || row.state === 'canceled';
      if (!(row.state === 'sent' || row.state === 'unknown' || (failed && state === 'succeeded')))
        throw new Refusal('conflict', ownMessages.chargeNotOpen);
      const now = await core.settle(
        row.root_id,
        id,
        state === 'succeeded'
          ? {
              status: 'succeeded',
              charge: '',
              amountCents: row.amount_cents,
              applicationFeeCents: row.fee_cents,
            }
          : { status: 'refused', code: 'settled_by_hand', message: 'The payment did not go through.' },
        {
          reason,
          note: (tx) =>
            audit.record(tx, ctx, {
              action: 'payment.settled',
              objectKind: 'charge',
              objectId: id,
              owner: ownerOf(row),
              description: `Settled a charge manually as ${state}: ${reason}`,
            }),
        },
      );
      return now.state;
    },

    /** Refunds a charge. */
    async refund(ctx: Ctx, id: string, given: { amount?: string | undefined; reason: string; key: string }) {
      const row = await charge(ctx, id);
      const done = await refunds.refund({
        rootId: row.root_id,
        chargeId: id,
        key: given.key,
        reason: given.reason,
        ...(given.amount === undefined ? {} : { amountMicros: microsOf(given.amount) }),
        note: (tx) =>
          audit.record(tx, ctx, {
            action: 'payment.refunded',
            objectKind: 'charge',
            objectId: id,
            owner: ownerOf(row),
            description: `Refunded a charge${given.amount ? ` (${usd(microsOf(given.amount))})` : ''}: ${given.reason}`,
          }),
      });
      return done.status;
    },

    /**
     * Marks a difference as resolved.
     * @throws Refusal 404
     */
    async resolve(ctx: Ctx, id: string, reason: string): Promise<void> {
      await within(ctx.actor.rootId, async (tx) => {
        const done = await store.resolveMismatch(tx, id, reason, clock.now());
        if (!done) throw new Refusal('not_found', ownMessages.notFound);
        await audit.record(tx, ctx, {
          action: 'payment.resolved',
          objectKind: 'payment_mismatch',
          objectId: id,
          owner: ownerOf(done),
          description: `Marked a difference with the card provider as resolved: ${reason}`,
        });
      });
    },

    /** Runs the comparison now, at a user's request. */
    async compareNow(ctx: Ctx) {
      const done = await compare(ctx.actor.rootId);
      await within(ctx.actor.rootId, (tx) =>
        audit.record(tx, ctx, {
          action: 'payment.compared',
          objectKind: 'company',
          objectId: ctx.actor.companyId,
          description: `Compared payments with the card provider: ${done.differences} differences`,
        }),
      );
      return done;
    },
  };
}
