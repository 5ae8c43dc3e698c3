import { Refusal } from '../../../contract/errors.ts';
import { ownMessages } from '../../../contract/messages.ts';
import type { Ctx } from '../../platform/ctx.ts';
import type { Owner } from '../../platform/db/owner.ts';
import { inScope, type Tx } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import type { AccountState, PaymentGateway } from '../../platform/payments.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import * as store from './card.store.ts';
import { failed } from './gateway-errors.ts';

export type AgencyOwner = Owner & { agency_id: string };
/** Where an account stands, as its row says. */
export type Account = Omit<AccountState, 'account_requirements'> & { requirements: string[] };

const NONE: Account = { status: '', charges_enabled: false, payouts_enabled: false, requirements: [] };

export type Accounts = ReturnType<typeof createAccounts>;

/** The own agency of whoever asks, as the owner of an account. */
export const agencyOf = (ctx: Ctx): AgencyOwner => {
  const { rootId, agencyId, companyId, kind } = ctx.actor;
  if (kind !== 'agency' || !agencyId) throw new Refusal('forbidden', ownMessages.forbidden);
  return { root_id: rootId, agency_id: agencyId, company_id: companyId };
};

/** Connected accounts: an agency's own account at the card provider, on which it charges its clients (PAY-01). */
export function createAccounts(
  { db, clock, events }: Pick<Platform, 'db' | 'clock' | 'events'>,
  { gateway, audit }: { gateway: PaymentGateway; audit: Audit },
) {
  /** Keeps what the provider says. */
  async function save(tx: Tx, owner: AgencyOwner, reference: string, state: AccountState): Promise<Account> {
    const { account_requirements: requirements, ...rest } = state;
    await store.saveConnectedAccount(tx, {
      ...owner,
      provider: gateway.provider,
      reference,
      ...rest,
      requirements: JSON.stringify(requirements),
      updated_at: clock.now(),
    });
    await events.emit(tx, 'account.changed', {
      owner,
      status: state.status,
      chargesEnabled: state.charges_enabled,
    });
    return { ...rest, requirements };
  }
  const rowOf = (owner: AgencyOwner) =>
    inScope(db.app, { rootId: owner.root_id }, (tx) => store.connectedAccount(tx, owner.company_id));
  /** The provider's id of an agency's account here; '' when it has none. */
  const referenceOf = (row: Awaited<ReturnType<typeof rowOf>>): string =>
    row?.provider === gateway.provider ? row.reference : '';

  /** Makes the account unless it is there. Returns its id at the provider. */
  async function ensure(owner: AgencyOwner, note?: (tx: Tx) => Promise<void>): Promise<string> {
    const row = await rowOf(owner);
    const known = referenceOf(row);
    if (known) return known;
    const made = await gateway
      .createAccount({
        // After a reset it is another one.
        idempotencyKey: `account:${owner.company_id}:${row?.updated_at.getTime() ?? 0}`,
        reference: owner.company_id,
      })
      .catch(failed);
    const state = await gateway.getAccount(made).catch(failed);
    return inScope(db.app, { rootId: owner.root_id }, async (tx) => {
      await save(tx, owner, made, state);
      await note?.(tx);
      return made;
    });
  }

  /** Asks the provider how an account stands and keeps the answer. */
  async function refresh(owner: AgencyOwner): Promise<Account> {
    const row = await rowOf(owner);
    const reference = referenceOf(row);
    if (!reference) return row ? { ...row } : NONE;
    const state = await gateway.getAccount(reference).catch(failed);
    return inScope(db.app, { rootId: owner.root_id }, (tx) => save(tx, owner, reference, state));
  }

  /** Forgets an agency's account; the provider keeps it. */
  const letGo = (owner: AgencyOwner, note?: (tx: Tx) => Promise<void>): Promise<Account> =>
    inScope(db.app, { rootId: owner.root_id }, async (tx) => {
      if (!(await store.connectedAccount(tx, owner.company_id))) return NONE;
      await note?.(tx);
      const none = { status: '' as const, charges_enabled: false, payouts_enabled: false };
      return save(tx, owner, '', { ...none, account_requirements: [] });
    });

  return {
    ensure,
    refresh,
    referenceOf: async (
      tx: Tx,
      agencyId: string,
    ): Promise<{ reference: string; chargesEnabled: boolean }> => {
      const row = await store.connectedAccount(tx, agencyId);
      return { reference: referenceOf(row), chargesEnabled: row?.charges_enabled ?? false };
    },
    /** Where an agency's account stands, as we last heard. */
    of: async (tx: Tx, agencyId: string): Promise<Account> =>
      (await store.connectedAccount(tx, agencyId)) ?? NONE,

    /** Makes the own agency's account. Safe to ask again. */
    async create(ctx: Ctx): Promise<Account> {
      const owner = agencyOf(ctx);
      await ensure(owner, (tx) =>
        audit.record(tx, ctx, {
          action: 'account.created',
          objectKind: 'company',
          objectId: owner.company_id,
          description: 'Opened an account with the card provider',
        }),
      );
      return refresh(owner);
    },

    /** A page of the provider for the account's owner; used once. @throws Refusal 409 without an account */
    async link(
      ctx: Ctx,
      paths: { refresh: string; back: string },
    ): Promise<{ url: string; expiresAt: Date }> {
      const owner = agencyOf(ctx);
      const account = referenceOf(await rowOf(owner));
      if (!account) throw new Refusal('conflict', ownMessages.noAccount);
      return gateway
        .accountLink({
          account,
          idempotencyKey: newId(clock.now()),
          refreshUrl: ctx.origin + paths.refresh,
          returnUrl: ctx.origin + paths.back,
        })
        .catch(failed);
    },

    /** How the own agency's account stands now. */
    check: (ctx: Ctx): Promise<Account> => refresh(agencyOf(ctx)),

    letGo,

    /**
     * Lets go of the own agency's account, so that another can be made. Its clients' cards are on that account, so they
     * must be entered anew.
     */
    reset(ctx: Ctx): Promise<Account> {
      const owner = agencyOf(ctx);
      return letGo(owner, (tx) =>
        audit.record(tx, ctx, {
          action: 'account.reset',
          objectKind: 'company',
          objectId: owner.company_id,
          description: 'Let go of the account with the card provider',
        }),
      );
    },
  };
}
