import { Refusal } from '../../../../contract/errors.ts';
import type { Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { CardGateway } from '../../../providers/payments.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Notices } from '../ledger/index.ts';
import { createAccounts } from './account.service.ts';
import { createCards } from './card.service.ts';
import { createCardTries } from './card-tries.service.ts';
import { createChargeCore, type OnStep } from './charge.service.ts';
import { postpone, toAsk } from './charge.store.ts';
import { createChecks } from './check.service.ts';
import type { Charges } from './model.ts';
import { createNoticeDesk } from './notice.service.ts';
import { createPayouts } from './payout.service.ts';
import { createRefunds } from './refund.service.ts';
import { createSandbox } from './sandbox.service.ts';

export type Payments = ReturnType<typeof createPayments>;

/** How many due items are processed in one batch. */
const AT_ONCE = 100;

/**
 * Cards, connected accounts and charges: everything between us and the card provider (decision 32). This feature does
 * not know what money is for; features above it register that (`charges.onSettled`).
 */
export function createPayments(
  platform: Platform,
  {
    gateway,
    audit,
    notices: mails,
    limits,
    onStep = () => {},
  }: {
    gateway: CardGateway;
    audit: Audit;
    notices: Notices;
    limits: Limits;
    onStep?: OnStep | undefined;
  },
) {
  const accounts = createAccounts(platform, { gateway, audit, notices: mails });
  const tries = createCardTries(platform, { limits, notices: mails, audit });
  const cards = createCards(platform, { gateway, audit, accounts, tries });
  const core = createChargeCore(platform, { gateway, cards, tries, onStep });
  const refunds = createRefunds(platform, { gateway, core, audit });
  const notices = createNoticeDesk(platform, { gateway, core, refunds, cards, accounts });
  const checks = createChecks(platform, { gateway, core, refunds, audit });
  const payouts = createPayouts(platform, { gateway });
  const sandbox = createSandbox(platform, { gateway, cards, accounts });
  const charges: Charges = {
    onSettled: core.onSettled,
    charge: core.charge,
    intend: core.intend,
    byKey: core.byKey,
    byId: core.byId,
    of: core.of,
    mustRest: core.mustRest,
    endConfirmable: core.endConfirmable,
    giveBack: core.giveBack,
    underWay: core.underWay,
    refund: refunds.refund,
    ask: core.ask,
  };
  return {
    gateway,
    accounts,
    cards,
    charges,
    core,
    refunds,
    notices,
    checks,
    payouts,
    sandbox,
    now: () => platform.clock.now(),

    /** Asks about everything that is due. An item that fails does not hold up the others. */
    async askDue(): Promise<void> {
      for (const due of await toAsk(platform.db.app, platform.clock.now(), AT_ONCE)) {
        const asked = due.charge_id
          ? core.ask(due.root_id, due.charge_id)
          : refunds.ask(due.root_id, due.refund_id!);
        await asked.catch(async (error) => {
          platform.log.error({ err: error }, 'could not request a payment');
          // Next time, let the others go first.
          await core.within(due.root_id, (tx) =>
            postpone(tx, due, new Date(platform.clock.now().getTime() + 60_000)),
          );
        });
      }
    },

    /** Refunds what came in for something that is not there anymore. */
    async giveBack(of: { rootId: string; chargeId: string; micros: string; key: string }): Promise<void> {
      const { rootId, chargeId, micros, key } = of;
      try {
        const reason = 'Paid after the removal';
        await refunds.refund({ rootId, chargeId, amountMicros: BigInt(micros), key, reason });
      } catch (error) {
        // The cardholder has reversed it in the meantime, or someone has refunded it.
        if (!(error instanceof Refusal) || error.code !== 'conflict') throw error;
        platform.log.warn({ charge: chargeId }, 'what was paid after a removal had already been refunded');
      }
    },

    /** Delivers what the sandbox has sent, and handles notices that could not be handled before. */
    async attendNotices(): Promise<void> {
      if (gateway.provider === 'sandbox')
        await gateway.sendNotices(async ({ body, headers }) => {
          await notices.take(body, headers);
        });
      await notices.again();
    },
  };
}
