import { Refusal } from '../../../contract/errors.ts';
import { ownMessages } from '../../../contract/messages.ts';
import type { Owner } from '../../platform/db/owner.ts';
import type { Tx } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import {
  type AccountState,
  FIRST_PACKAGE,
  SANDBOX_ACCOUNT,
  SANDBOX_CARD,
  type SandboxStep,
} from './account.policy.ts';
import * as store from './account.store.ts';
import { salesAccount, saveSalesAccount } from './sales.store.ts';

type AgencyOwner = Owner & { agency_id: string };

const NO_ACCOUNT: AccountState = {
  status: '',
  charges_enabled: false,
  payouts_enabled: false,
  requirements: [],
};
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
  white_labelling: false,
};

/** Who takes cards. Without a configured provider it is the sandbox, which charges nobody. */
export type Gateway = 'stripe' | 'sandbox' | 'none';

/** Cards, connected accounts and what a company is billed by. A provider's own forms fill the same tables. */
export function createAccounts(gateway: Gateway) {
  const sandboxOnly = (): void => {
    if (gateway !== 'sandbox') throw new Refusal('conflict', ownMessages.sandboxOnly);
  };
  return {
    /** Who takes cards here. */
    gateway: (): Gateway => gateway,
    card: store.cardOf,
    /** An agency's account at the provider. */
    connected: async (tx: Tx, agencyId: string): Promise<AccountState> =>
      (await store.connectedAccount(tx, agencyId)) ?? NO_ACCOUNT,
    /** A sales person's own account, which commissions are paid to. */
    ofSales: async (tx: Tx, userId: string): Promise<AccountState> => {
      const { status } = (await salesAccount(tx, userId)) ?? NO_ACCOUNT;
      const isDone = status === 'completed';
      return { status, charges_enabled: isDone, payouts_enabled: isDone, requirements: [] };
    },
    /** How a company is billed. */
    terms: async (tx: Tx, companyId: string) => (await store.billingOf(tx, companyId)) ?? NOTHING_SET,
    setTerms: store.saveBilling,

    /** @throws Refusal 409 where a provider is configured */
    async sandboxCard(tx: Tx, owner: Owner, outcome: keyof typeof SANDBOX_CARD, at: Date) {
      sandboxOnly();
      const card = {
        id: newId(at),
        provider: 'sandbox' as const,
        brand: 'visa',
        last4: SANDBOX_CARD[outcome],
        exp_month: 12,
        exp_year: at.getUTCFullYear() + 3,
      };
      await store.replaceCard(tx, { ...card, ...owner, reference: `sandbox_${outcome}`, created_at: at });
      return card;
    },

    /**
     * Takes an agency's account a step on. With an approved account the agency gets the first package, while it has none.
     * @throws Refusal 409 where a provider is configured
     */
    async sandboxAccount(tx: Tx, owner: AgencyOwner, step: SandboxStep, at: Date): Promise<AccountState> {
      sandboxOnly();
      const { requirements, ...state } = SANDBOX_ACCOUNT[step];
      await store.saveConnectedAccount(tx, {
        ...owner,
        provider: 'sandbox',
        ...state,
        requirements: JSON.stringify(requirements),
        updated_at: at,
      });
      const terms = await store.billingOf(tx, owner.company_id);
      if (step === 'approve' && !terms?.package_id)
        await store.saveBilling(tx, owner, { package_id: FIRST_PACKAGE, updated_at: at });
      return SANDBOX_ACCOUNT[step];
    },

    /** Takes a sales person's sandbox account a step on. @throws Refusal 409 where a provider is configured */
    async sandboxSales(tx: Tx, owner: Owner, userId: string, step: SandboxStep, at: Date) {
      sandboxOnly();
      const { status } = SANDBOX_ACCOUNT[step];
      await saveSalesAccount(tx, { user_id: userId, ...owner, provider: 'sandbox', status, updated_at: at });
      return status;
    },
  };
}
