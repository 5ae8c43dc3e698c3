import { randomBytes } from 'node:crypto';
import { type AccountState, GatewayError, noAccount, type PaymentGateway } from '../../platform/payments.ts';
import { delays, type Network } from './network.ts';
import type { SandboxObjects } from './store.ts';

type Account = SandboxObjects['account'];
type Accounts = Pick<PaymentGateway, 'createAccount' | 'accountLink' | 'getAccount'>;

const formFields = ['business_profile.url', 'external_account', 'tos_acceptance.date', 'tos_acceptance.ip'];

/** An account's state at a given time. */
export function accountState(account: Account, now: string): AccountState {
  if (!account.submittedAt) return { ...noAccount, status: 'pending', account_requirements: formFields };
  if (now < account.verifiedAt) return { ...noAccount, status: 'inverification' };
  if (account.verdict === 'reject') return { ...noAccount, status: 'failed' };
  const payouts = account.missing.length === 0;
  return {
    status: payouts ? 'completed' : 'pending',
    charges_enabled: true,
    payouts_enabled: payouts,
    account_requirements: account.missing,
  };
}

/** Connected accounts and their owners' form. */
export function createAccounts(network: Network): Accounts & {
  /** Opens the form for an accountLink token, once. `expired`: send the visitor to the refresh address. */
  openForm(
    token: string,
  ): Promise<
    { status: 'open' | 'expired'; account: string; refreshUrl: string; returnUrl: string } | undefined
  >;
  /** Submits the owner's form; the network takes 30 s, or `afterMs`, to reach this verdict. */
  submitForm(account: string, verdict: Account['verdict'], afterMs?: number): Promise<void>;
  /** The network asks a verified account for more: payouts stop until an empty list is set. */
  requireMore(account: string, missing: string[]): Promise<void>;
} {
  const { store, clock } = network;
  const now = () => clock.now().toISOString();

  /** Changes an account; its owner's platform is notified at each of these times. */
  const change = (id: string, edit: (account: Account) => Account, tellAfterMs: number[]) =>
    store.transaction(async (tx) => {
      const account = await tx.get('account', id);
      if (!account) throw new GatewayError('not_found', `No such account: ${id}`, 'account');
      await tx.put('account', edit(account), { owner: '' });
      for (const delay of tellAfterMs)
        await network.notify(tx, 'account.updated', { account: id }, { at: new Date(network.after(delay)) });
    });

  return {
    createAccount: (input) =>
      store.transaction(async (tx) => {
        const made = await network.once(tx, 'account', input, async () => {
          const account: Account = {
            id: network.id('acct'),
            reference: input.reference,
            submittedAt: '',
            verifiedAt: '',
            verdict: 'approve',
            missing: [],
          };
          await tx.put('account', account, { owner: '' });
          return account;
        });
        return made.id;
      }),

    accountLink: (input) =>
      store.transaction(async (tx) => {
        if (!(await tx.get('account', input.account)))
          throw new GatewayError('not_found', `No such account: ${input.account}`, 'account');
        const made = await network.once(tx, 'link', input, async () => {
          const link = {
            id: randomBytes(24).toString('base64url'),
            account: input.account,
            refreshUrl: input.refreshUrl,
            returnUrl: input.returnUrl,
            expiresAt: network.after(delays.linkMs),
            used: false,
          };
          await tx.put('link', link, { owner: input.account });
          return link;
        });
        return { url: network.onboardingUrl(made.id), expiresAt: new Date(made.expiresAt) };
      }),

    getAccount: (id) =>
      store.transaction(async (tx) => {
        const account = id ? await tx.get('account', id) : undefined;
        return account ? accountState(account, now()) : noAccount;
      }),

    openForm: (token) =>
      store.transaction(async (tx) => {
        const link = await tx.get('link', token);
        if (!link) return undefined;
        const { account, refreshUrl, returnUrl } = link;
        if (link.used || link.expiresAt <= now())
          return { status: 'expired', account, refreshUrl, returnUrl };
        await tx.put('link', { ...link, used: true }, { owner: account });
        return { status: 'open', account, refreshUrl, returnUrl };
      }),

    submitForm: (account, verdict, afterMs = delays.verificationMs) =>
      change(
        account,
        (row) => ({ ...row, submittedAt: now(), verifiedAt: network.after(afterMs), verdict }),
        afterMs > 0 ? [0, afterMs] : [0],
      ),

    requireMore: (account, missing) => change(account, (row) => ({ ...row, missing }), [0]),
  };
}
