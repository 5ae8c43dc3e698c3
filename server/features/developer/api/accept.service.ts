import { DEVELOPER_FEE } from '../../../../contract/accounts/agreements.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Agreements, Told } from '../../accounts/agreements/index.ts';
import type { Billing } from '../../money/billing/index.ts';
import type { Invoices } from '../../money/invoices/index.ts';
import type { Ledger } from '../../money/ledger/index.ts';
import type { MinimumSpend } from '../../money/minimum-spend/index.ts';
import type { Payments } from '../../money/payments/index.ts';
import * as store from './store.ts';

/**
 * Accepts the developer's agreement: in one transaction the acceptance, its fee with its own invoice, which the
 * collection charges to the card on file, and the minimum spend that was shown. Accepting again, even concurrently,
 * changes nothing: the fee is posted once for each time the developer mode was enabled. Only its posting counts as
 * payment: an acceptance without it owes the fee.
 */
export function createAcceptance(
  { db, clock }: Pick<Platform, 'db' | 'clock'>,
  parts: {
    agreements: Agreements;
    billing: Billing;
    invoices: Invoices;
    ledger: Ledger;
    minimumSpend: MinimumSpend;
    payments: Payments;
  },
) {
  const { agreements, billing, invoices, ledger, minimumSpend, payments } = parts;
  /**
   * Returns the version that was accepted.
   * @throws Refusal 403 for users who may not have keys or without the developer mode, 409 without a card that can be
   * charged
   */
  return async (ctx: Ctx, told: Told): Promise<string> => {
    const offer = await agreements.textFor(ctx, 'developer');
    ctx.need('developer.keys');
    await ctx.mustBeConfirmed();
    const { rootId, companyId } = ctx.actor;
    const owner = { root_id: rootId, agency_id: companyId, company_id: companyId };
    const root = { root_id: rootId, agency_id: null, company_id: rootId };
    return inScope(db.app, { rootId }, async (tx) => {
      const at = clock.now();
      await store.lockCompany(tx, companyId);
      const terms = await billing.accounts.terms(tx, companyId);
      if (!terms.api_mode) throw new Refusal('forbidden', ownMessages.developerOff);
      const version = agreements.versionOf('developer');
      const isNew = await agreements.agreeIn(tx, ctx, 'developer', offer, told);
      const since = terms.api_mode_since?.toISOString() ?? 'first';
      const key = `developer_fee:${companyId}:${since}`;
      if (!isNew && (await ledger.posted(tx, rootId, key))) return version;
      await payments.cards.chargeable(tx, owner);
      const amount = BigInt(DEVELOPER_FEE) * 1_000_000n;
      const [feeId] = await ledger.post(
        tx,
        [
          {
            owner,
            kind: 'developer_fee',
            referenceId: null,
            memo: 'One-time developer API fee',
            key,
            entries: [
              { account: { owner, kind: 'agency_payable' }, amount: -amount },
              { account: { owner: root, kind: 'root_revenue' }, amount },
            ],
          },
        ],
        at,
      );
      // A new version of the text has to be accepted again, and costs nothing.
      if (feeId)
        await invoices.bill(
          tx,
          {
            owner,
            side: 'wholesale',
            kind: 'developer',
            term: null,
            periodKey: `developer:${since}`,
            from: null,
            to: null,
            events: { transferIds: [feeId] },
          },
          at,
        );
      await minimumSpend.acceptDefault(tx, ctx, owner);
      return version;
    });
  };
}
