import { FIRST_PACKAGE } from '../../../../contract/accounts/package-rules.ts';
import { Refusal } from '../../../../contract/errors.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { EventHub } from '../../../platform/events.ts';
import type { Payments } from '../payments/index.ts';
import * as store from './account.store.ts';

type AgencyOwner = Owner & { agency_id: string };

const NOTHING_SET = {
  package_id: '',
  manual_bill: false,
  payment_status: '' as '' | 'failed',
  access_module: '' as '' | 'paymentfailed',
  campaigns_closed: false,
  onboarding_on: false,
  onboarding_micros: 0n,
  onboarding_coupon: false,
  onboarding_charged: null as Date | null,
  api_mode: false,
  api_mode_since: null as Date | null,
  white_labelling: true,
  excluded_minimum_spend: false,
  excluded_onboarding: false,
  package_since: null as Date | null,
  cancelled_at: null as Date | null,
};

/** The card provider. Without a configured provider it is the sandbox, which moves no money. */
export type Gateway = 'stripe' | 'sandbox' | 'none';

/** The terms a company is billed on, and the card and account used for it (stored by payments). */
export function createAccounts(payments: Payments, events: EventHub) {
  // Once its account can charge, an agency gets the first package, unless it already has one or has ended its own.
  events.on('account.changed', async (tx, { owner, status, chargesEnabled }) => {
    if (status !== 'completed' || !chargesEnabled) return;
    const terms = await store.billingOf(tx, owner.company_id);
    const at = payments.now();
    if (!terms?.package_id && !terms?.cancelled_at)
      await store.saveBilling(tx, owner, { package_id: FIRST_PACKAGE, package_since: at, updated_at: at });
  });
  return {
    /** The card provider in use. */
    gateway: (): Gateway => payments.gateway.provider,
    card: payments.cards.of,
    /** Requires a confirmation where a card is on file. @throws Refusal 403 */
    confirmReplacing: payments.cards.confirmReplacing,
    /** Whether a company's card can be charged now, as far as is known here. */
    chargeable: (tx: Tx, owner: Owner): Promise<boolean> =>
      payments.cards.chargeable(tx, owner).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Refusal) return false;
          throw error;
        },
      ),
    /** An agency's account at the provider. */
    connected: payments.accounts.of,
    /** The provider's id of the account on which an agency charges its clients; '' while it cannot. */
    async seller(tx: Tx, agencyId: string): Promise<string> {
      const { reference, chargesEnabled } = await payments.accounts.referenceOf(tx, agencyId);
      return chargesEnabled ? reference : '';
    },
    /** A sales person's own account, which commissions are paid to. */
    ofSales: payments.accounts.ofSales,
    /** How a company is billed. */
    terms: async (tx: Tx, companyId: string) => (await store.billingOf(tx, companyId)) ?? NOTHING_SET,
    setTerms: store.saveBilling,
    /** Whether an agency bills its clients outside the system (manual_bill). */
    billsManually: store.billsManually,
    /** Excludes an agency from the minimum spend, or includes it again; returns whether it is now excluded. */
    toggleMinimumSpend: store.toggleMinimumSpend,
    /** Puts a test card on file. @throws Refusal 409 where a provider is configured */
    sandboxCard: (owner: AgencyOwner, outcome: 'works' | 'declines') => payments.sandbox.card(owner, outcome),
    /**
     * Advances an agency's or a sales person's sandbox account by one step, immediately.
     * @throws Refusal 409 if a provider is configured
     */
    sandboxAccount: payments.sandbox.step,
  };
}
