import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { PAYOUT_DAYS } from '../../../../contract/money/payments.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import type { PaymentGateway } from '../../../platform/payments.ts';
import type { Platform } from '../../../platform/platform.ts';
import { agencyAccount, holdsPlatform } from './account.store.ts';
import { payersOf } from './charge.store.ts';
import { failed } from './gateway-errors.ts';
import { microsOfCents } from './policy.ts';

const DAY_MS = 86_400_000;

/**
 * The provider's payouts to the bank accounts of connected accounts. Only the provider knows them, so it is asked each
 * time.
 */
export function createPayouts(
  { db, clock }: Pick<Platform, 'db' | 'clock'>,
  { gateway }: { gateway: PaymentGateway },
) {
  /**
   * Which account: an agency's connected one; for the root that owns the installation, the one that we use for requests
   * (''). Null if there is none. Other roots are paid on that account as well, but can see nothing of it.
   */
  async function accountOf(ctx: Ctx): Promise<string | null> {
    if (ctx.actor.kind === 'root') {
      const isHolder = await inScope(db.app, ctx.scope, (tx) => holdsPlatform(tx, ctx.actor.rootId));
      return isHolder ? '' : null;
    }
    if (ctx.actor.kind !== 'agency') throw new Refusal('not_found', ownMessages.notFound);
    const row = await inScope(db.app, ctx.scope, (tx) => agencyAccount(tx, ctx.actor.companyId));
    return row && row.provider === gateway.provider ? row.reference || null : null;
  }
  const on = (account: string) => (account ? { account } : {});

  return {
    /**
     * The payouts of the user's own account, newest first.
     * @throws Refusal 503 if the provider is unavailable
     */
    async list(ctx: Ctx) {
      const account = await accountOf(ctx);
      if (account === null) return [];
      const since = new Date(clock.now().getTime() - PAYOUT_DAYS * DAY_MS);
      const found = await gateway.listPayouts({ since, ...on(account) }).catch(failed);
      return found.map((one) => ({
        id: one.payout,
        amount_micros: Number(microsOfCents(one.amountCents)),
        status: one.status,
        created_at: one.createdAt.toISOString(),
        arrives_at: one.arrivesAt.toISOString(),
      }));
    },

    /**
     * The items that make up one of them.
     * @throws Refusal 404 for one of another account, 503
     */
    async parts(ctx: Ctx, id: string) {
      const account = await accountOf(ctx);
      if (account === null) throw new Refusal('not_found', ownMessages.notFound);
      const parts = await gateway.payoutParts({ payout: id, ...on(account) }).catch(failed);
      const charges = [...new Set(parts.flatMap((part) => part.charge ?? []))];
      const payers = await inScope(db.app, ctx.scope, (tx) => payersOf(tx, charges));
      return parts.map((part) => {
        const payer = part.charge && payers.get(part.charge);
        return {
          kind: part.kind,
          company_name: payer || '',
          // For another root's charge on the same account, only the amount is shown.
          description: part.charge && !payer ? '' : part.description,
          amount_micros: Number(microsOfCents(part.amountCents)),
          fee_micros: Number(microsOfCents(part.feeCents)),
          net_micros: Number(microsOfCents(part.amountCents - part.feeCents)),
          created_at: part.at.toISOString(),
        };
      });
    },
  };
}
