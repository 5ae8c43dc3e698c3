import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { CardGateway } from '../../../providers/payments.ts';
import type { SandboxGateway } from '../../../providers/sandbox-cards/index.ts';
import { type Account, type Accounts, type AgencyOwner, type Holder, holderOf } from './account.service.ts';
import type { Cards } from './card.service.ts';
import { failed } from './gateway-errors.ts';

/** The test cards that the shortcuts choose from: one that can be charged, and one that declines every charge. */
const QUICK = { works: '4242424242424242', declines: '4000000000000341' } as const;

export type SandboxStep = 'start' | 'submit' | 'approve' | 'reject' | 'disable' | 'reset';

/** What the provider's own pages would do, where the sandbox stands in for one. */
export function createSandbox(
  { clock }: Pick<Platform, 'clock'>,
  { gateway, cards, accounts }: { gateway: CardGateway; cards: Cards; accounts: Accounts },
) {
  /** @throws Refusal 409 where a provider is configured */
  const sandbox = (): SandboxGateway => {
    if (gateway.provider !== 'sandbox') throw new Refusal('conflict', ownMessages.sandboxOnly);
    return gateway;
  };
  /**
   * Returns the sandbox's id of a holder's account.
   * @throws Refusal 409 without one
   */
  async function accountOf(holder: Holder): Promise<string> {
    const reference = await accounts.reference(holder);
    if (!reference) throw new Refusal('conflict', ownMessages.noAccount);
    return reference;
  }

  /** Moves an account one step forward, immediately. `afterMs`: how long the verification of 'submit' takes. */
  async function step(holder: Holder, wanted: SandboxStep, afterMs?: number): Promise<Account> {
    const network = sandbox();
    if (wanted === 'reset') return accounts.letGo(holder);
    const { reference: account } = await accounts.ensure(holder);
    if (wanted === 'submit') await network.submitForm(account, 'approve', afterMs);
    if (wanted === 'approve' || wanted === 'reject') await network.submitForm(account, wanted, 0);
    if (wanted === 'approve') await network.requireMore(account, []);
    if (wanted === 'disable') await network.requireMore(account, ['external_account']);
    return accounts.refresh(holder);
  }

  return {
    /** What the card form sends. */
    enter: (entry: {
      clientSecret: string;
      number: string;
      expMonth: number;
      expYear: number;
      cvc: string;
    }) => {
      const { clientSecret, ...card } = entry;
      return sandbox().enterCard(clientSecret, card).catch(failed);
    },

    /** The cardholder's response to their bank, about a card form or a declined charge. */
    async authenticate(clientSecret: string, passed: boolean) {
      const network = sandbox();
      if (clientSecret.startsWith('seti_'))
        return network.authenticateCard(clientSecret, passed).catch(failed);
      const outcome = await network.authenticateCharge(clientSecret, passed).catch(failed);
      if (outcome.status === 'succeeded') return { status: 'saved' as const };
      return {
        status: 'failed' as const,
        code: outcome.status,
        message: outcome.status === 'declined' ? outcome.message : '',
      };
    },

    /**
     * Opens the form of an account by the token in its link.
     * @throws Refusal 404 for someone else's
     */
    async open(ctx: Ctx, token: string) {
      const form = await sandbox().openForm(token);
      if (!form || form.account !== (await accountOf(holderOf(ctx))))
        throw new Refusal('not_found', ownMessages.notFound);
      const pathOf = (url: string): string => {
        const { pathname, search } = new URL(url);
        return pathname + search;
      };
      return { status: form.status, back: pathOf(form.returnUrl), again: pathOf(form.refreshUrl) };
    },

    /** Submits the form of the user's own account, or their own agency's. */
    async submit(ctx: Ctx, verdict: 'approve' | 'reject'): Promise<Account> {
      const holder = holderOf(ctx);
      await sandbox().submitForm(await accountOf(holder), verdict);
      return accounts.refresh(holder);
    },

    step,

    /** Puts a test card on file for a company, without a form. @throws Refusal 409 where a provider is configured */
    async card(owner: AgencyOwner, outcome: keyof typeof QUICK) {
      const network = sandbox();
      const form = await cards.start(owner);
      const entered = await network.enterCard(form.clientSecret, {
        number: QUICK[outcome],
        expMonth: 12,
        expYear: clock.now().getUTCFullYear() + 3,
        cvc: '123',
      });
      if (entered.status !== 'saved') throw new Error(`The sandbox card was not saved: ${entered.status}`);
      return cards.finish(owner, form.setup);
    },
  };
}
