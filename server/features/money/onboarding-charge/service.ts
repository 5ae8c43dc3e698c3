import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { usd } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Settings } from '../../accounts/settings/index.ts';
import type { Billing } from '../billing/index.ts';
import { dueOf, type Invoices } from '../invoices/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { ChargeResult, Payments } from '../payments/index.ts';
import type { Coupons } from '../pricing/index.ts';
import * as store from './store.ts';

/** The state of an agency's onboarding charge, micro-dollars. */
export interface OnboardingState {
  /** Whether the agency pays, or has paid, an onboarding charge. */
  isOn: boolean;
  amountMicros: bigint;
  couponsOn: boolean;
  /** Whether nothing (or nothing more) of it has to be paid, after it was charged. */
  isCharged: boolean;
  /** Whether the setup waits for it. */
  isWaiting: boolean;
  /** Its invoice, once it has been requested, and what is still due on it. */
  invoiceId: string | null;
  dueMicros: bigint;
}

/** The outcome of the charge; `authenticate`: the cardholder can complete it in the browser. */
export type OnboardingOutcome =
  | { status: 'paid'; invoiceId: string }
  | { status: 'nothing'; invoiceId: null }
  | { status: 'failed' | 'unknown'; message: string; invoiceId: string }
  | { status: 'authenticate'; message: string; chargeId: string; invoiceId: string };

export type OnboardingCharges = ReturnType<typeof createOnboardingCharge>;

/**
 * The one-time charge that an agency pays at setup (PAY-08, decision 0056): its own invoice, which the collection
 * feature charges to the card on file when it is issued, and retries like any other.
 */
export function createOnboardingCharge(
  { db, clock }: Platform,
  parts: {
    audit: Audit;
    settings: Settings;
    coupons: Coupons;
    ledger: Ledger;
    billing: Billing;
    invoices: Invoices;
    payments: Payments;
  },
) {
  const { audit, settings, coupons, ledger, billing, invoices, payments } = parts;

  /** The state of an agency's onboarding charge, in the root's scope. */
  async function stateOf(tx: Tx, agencyId: string): Promise<OnboardingState> {
    const { amountMicros, couponsOn } = await settings.onboardingIn(tx, agencyId);
    const terms = await billing.accounts.terms(tx, agencyId);
    const invoice = await store.invoiceOf(tx, agencyId);
    const dueMicros = invoice ? dueOf(invoice) : 0n;
    const isCharged = terms.onboarding_charged !== null || (invoice !== undefined && dueMicros === 0n);
    const isAsked = amountMicros > 0n && !terms.excluded_onboarding;
    return {
      isOn: isAsked || isCharged || invoice !== undefined,
      amountMicros,
      couponsOn,
      isCharged,
      isWaiting: !isCharged && (isAsked || invoice !== undefined),
      invoiceId: invoice?.id ?? null,
      dueMicros: invoice ? dueMicros : isAsked && !isCharged ? amountMicros : 0n,
    };
  }

  /** Records that an agency has paid, unless that is already recorded. In the root's scope. */
  async function note(tx: Tx, owner: Owner & { agency_id: string }, at: Date): Promise<void> {
    const terms = await billing.accounts.terms(tx, owner.company_id);
    if (terms.onboarding_charged) return;
    if ((await stateOf(tx, owner.company_id)).isCharged)
      await billing.accounts.setTerms(tx, owner, { onboarding_charged: at, updated_at: at });
  }

  /**
   * Invoices the charge less its coupon. All in one transaction: a refusal does not use up a coupon. Returns null if
   * there is nothing to pay because the coupon covers all of it.
   */
  async function issue(
    tx: Tx,
    ctx: Ctx,
    owner: Owner & { agency_id: string },
    state: OnboardingState,
    code: string | undefined,
  ): Promise<string | null> {
    const at = clock.now();
    const { amountMicros, couponsOn } = state;
    const charge = { agencyId: owner.agency_id, amountMicros, couponsOn };
    const discount = code ? await coupons.redeem(tx, owner.root_id, charge, code, at) : 0n;
    const total = amountMicros - discount;
    if (total > 0n) await payments.cards.chargeable(tx, owner);
    const root: Owner = { root_id: owner.root_id, agency_id: null, company_id: owner.root_id };
    const event = (kind: 'onboarding' | 'coupon', amount: bigint, memo: string) => ({
      owner,
      kind,
      referenceId: null,
      memo,
      key: `${kind}:onboarding:${owner.agency_id}`,
      entries: [
        { account: { owner, kind: 'agency_payable' as const }, amount: -amount },
        { account: { owner: root, kind: 'root_revenue' as const }, amount },
      ],
    });
    const ids = await ledger.post(
      tx,
      [
        event('onboarding', amountMicros, 'Onboarding charge'),
        ...(discount > 0n ? [event('coupon', -discount, `Coupon ${code}`)] : []),
      ],
      at,
    );
    const bill = await invoices.bill(
      tx,
      {
        owner,
        side: 'wholesale',
        kind: 'onboarding',
        term: null,
        periodKey: store.PERIOD_KEY,
        from: null,
        to: null,
        events: { transferIds: ids.filter((id) => id !== null) },
      },
      at,
    );
    // Nothing to charge, or too little for a card: what is left is on the agency's next invoice.
    if (!bill) await billing.accounts.setTerms(tx, owner, { onboarding_charged: at, updated_at: at });
    await audit.record(tx, ctx, {
      action: 'onboarding.charge',
      objectKind: 'company',
      objectId: owner.company_id,
      description: `Requested to pay the onboarding charge of ${usd(amountMicros)}${code ? `, with the coupon ${code} ${usd(total)}` : ''}`,
    });
    return bill?.id ?? null;
  }

  const outcomeOf = (invoiceId: string, result: ChargeResult): OnboardingOutcome => {
    if (result.status === 'succeeded') return { status: 'paid', invoiceId };
    if (result.status === 'unknown')
      return { status: 'unknown', message: ownMessages.onboardUnknown, invoiceId };
    const { message, charge } = result;
    return result.needsAuthentication
      ? { status: 'authenticate', message, chargeId: charge.id, invoiceId }
      : { status: 'failed', message, invoiceId };
  };

  return {
    stateOf,
    note,

    /**
     * Charges the user's own agency its onboarding charge, less a coupon, and waits for the outcome. There is only one
     * charge, no matter how often it is requested: later calls, even with another coupon, return its outcome. To try
     * again after a decline, its invoice is paid.
     * @throws Refusal 404 for a company that is not an agency, 409 if there is no charge or no card on file, 422 for a
     * coupon that can't be used, 429 after too many of them
     */
    async begin(ctx: Ctx, code: string | undefined): Promise<OnboardingOutcome> {
      const { rootId, companyId, kind } = ctx.actor;
      if (kind !== 'agency') throw new Refusal('not_found', ownMessages.notFound);
      const owner = { root_id: rootId, agency_id: companyId, company_id: companyId };
      const within = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => inScope(db.app, { rootId }, work);
      const before = await within((tx) => stateOf(tx, companyId));
      // Counts the attempts, so that no one can find a code by guessing.
      if (code && before.isWaiting && !before.invoiceId)
        await coupons.look(ctx, code, { agencyId: companyId, ...before });
      const invoiceId = await within(async (tx) => {
        await store.lockAgency(tx, companyId);
        const state = await stateOf(tx, companyId);
        if (state.invoiceId || state.isCharged) return state.invoiceId;
        if (!state.isWaiting) throw new Refusal('conflict', ownMessages.onboardNone);
        return issue(tx, ctx, owner, state, code);
      });
      if (!invoiceId) return { status: 'nothing', invoiceId: null };
      const [newest] = await within((tx) => payments.charges.of(tx, companyId, 'onboarding', invoiceId, 1));
      const result = newest && (await payments.charges.ask(rootId, newest.id));
      await within((tx) => note(tx, owner, clock.now()));
      const after = await within((tx) => stateOf(tx, companyId));
      if (after.isCharged) return { status: 'paid', invoiceId };
      return result
        ? outcomeOf(invoiceId, result)
        : { status: 'failed', message: ownMessages.onboardOpen, invoiceId };
    },
  };
}
