import { walletShown } from '../../../../contract/accounts/setup-rules.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { WALLET_NEEDS } from '../../../../contract/money/data-wallet.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Agreements } from '../../accounts/agreements/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Billing } from '../billing/index.ts';

type Need = (typeof WALLET_NEEDS)[number];

/** The message for each missing requirement. */
export const NEED_WORDS: Record<Need, string> = {
  system: ownMessages.walletNotHere,
  beta: ownMessages.walletNotOffered,
  agreement: ownMessages.walletNotAgreed,
  card: ownMessages.walletNoCard,
};

/** Checks who may top up a Data Wallet (WALL-09). */
export function createGate(parts: { tenants: Tenants; billing: Billing; agreements: Agreements }) {
  const { tenants, billing, agreements } = parts;
  /**
   * Returns the first requirement an agency is missing, and its card. Reads in the scope of the root, which the trial
   * belongs to.
   */
  return async function gate(tx: Tx, agencyId: string) {
    const company = await tenants.card(tx, agencyId);
    const root = company && (await tenants.card(tx, company.root_id));
    const card = (await billing.accounts.card(tx, agencyId)) ?? null;
    const missing = async (): Promise<Need | null> => {
      if (company?.kind !== 'agency' || !root?.is_master) return 'system';
      const { betas, isBetaUser } = await tenants.products.of(tx, company, root.is_master);
      if (!walletShown({ beta_features: betas, beta_user: isBetaUser })) return 'beta';
      if (!(await agreements.accepted(tx, agencyId)).has('data_wallet')) return 'agreement';
      return card ? null : 'card';
    };
    return { missing: await missing(), card, timeZone: company?.time_zone ?? 'America/Chicago' };
  };
}
export type Gate = ReturnType<typeof createGate>;
