import { Refusal } from '../../../contract/errors.ts';
import { ownMessages } from '../../../contract/messages.ts';
import type { Ctx } from '../../platform/ctx.ts';
import { inScope, type Tx } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import type { AccountState, PaymentGateway } from '../../platform/payments.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Holder } from './account.store.ts';
import * as store from './account.store.ts';
import { failed } from './gateway-errors.ts';

export type { AgencyOwner, Holder } from './account.store.ts';
/** Where an account stands, as its row says. */
export type Account = Omit<AccountState, 'account_requirements'> & { requirements: string[] };

const NONE: Account = { status: '', charges_enabled: false, payouts_enabled: false, requirements: [] };

export type Accounts = ReturnType<typeof createAccounts>;
type Row = Awaited<ReturnType<typeof store.accountOf>>;
type Note = (tx: Tx) => Promise<void>;

/** Whether whoever asks has an account of their own, not their company's. */
export const holdsOwn = ({ actor }: Ctx): boolean =>
  actor.grade === 'root.sales' || actor.grade === 'agency.sales';

/**
 * Whose account whoever asks may open, change and let go: sales people their own, others their agency's.
 * @throws Refusal 403 for everybody else
 */
export function holderOf(ctx: Ctx): Holder {
  const { rootId, agencyId, companyId, kind, userId } = ctx.actor;
  if (holdsOwn(ctx)) return { root_id: rootId, agency_id: agencyId, company_id: companyId, user_id: userId };
  if (kind !== 'agency' || !agencyId) throw new Refusal('forbidden', ownMessages.forbidden);
  return { root_id: rootId, agency_id: agencyId, company_id: companyId };
}

/** What of the user log a change of an account is about. */
const subjectOf = (holder: Holder) =>
  'user_id' in holder
    ? { objectKind: 'user' as const, objectId: holder.user_id, whose: 'their own account' }
    : { objectKind: 'company' as const, objectId: holder.company_id, whose: 'an account' };

/**
 * Connected accounts at the card provider: an agency's, on which it charges its clients (PAY-01), and a sales person's own,
 * which their commissions are paid to (ROUT-14).
 */
export function createAccounts(
  { db, clock, events }: Pick<Platform, 'db' | 'clock' | 'events'>,
  { gateway, audit }: { gateway: PaymentGateway; audit: Audit },
) {
  /** Keeps what the provider says. */
  async function save(tx: Tx, holder: Holder, reference: string, state: AccountState): Promise<Account> {
    const { account_requirements: requirements, ...rest } = state;
    await store.saveAccount(tx, holder, {
      provider: gateway.provider,
      reference,
      ...rest,
      requirements: JSON.stringify(requirements),
      updated_at: clock.now(),
    });
    if (!('user_id' in holder))
      await events.emit(tx, 'account.changed', {
        owner: holder,
        status: state.status,
        chargesEnabled: state.charges_enabled,
      });
    return { ...rest, requirements };
  }
  const rowOf = (holder: Holder) =>
    inScope(db.app, { rootId: holder.root_id }, (tx) => store.accountOf(tx, holder));
  /** The provider's id of an account here; '' when there is none, or only one at another provider. */
  const idOf = (row: Row): string => (row?.provider === gateway.provider ? row.reference : '');
  /** The same, '' also when the provider knows it no more: another one may be made. */
  const liveIdOf = (row: Row): string => (row?.status ? idOf(row) : '');
  const standing = (row: Row): Account => {
    if (!row || row.provider !== gateway.provider) return NONE;
    const { status, charges_enabled, payouts_enabled, requirements } = row;
    return { status, charges_enabled, payouts_enabled, requirements };
  };

  /** Makes the account unless it is there. Answers its id at the provider, and how it stands if it was made now. */
  async function ensure(holder: Holder, note?: Note): Promise<{ reference: string; made?: Account }> {
    const row = await rowOf(holder);
    const known = liveIdOf(row);
    if (known) return { reference: known };
    const id = 'user_id' in holder ? holder.user_id : holder.company_id;
    const reference = await gateway
      .createAccount({
        // After a reset it is another one.
        idempotencyKey: `account:${id}:${row?.updated_at.getTime() ?? 0}`,
        reference: id,
      })
      .catch(failed);
    const state = await gateway.getAccount(reference).catch(failed);
    return inScope(db.app, { rootId: holder.root_id }, async (tx) => {
      // Asked for twice at once, it is one account and one row of the log.
      const meanwhile = liveIdOf(await store.accountToChange(tx, holder));
      if (meanwhile) return { reference: meanwhile };
      const made = await save(tx, holder, reference, state);
      await note?.(tx);
      return { reference, made };
    });
  }

  /** Asks the provider how an account stands and keeps the answer. */
  async function refresh(holder: Holder): Promise<Account> {
    const row = await rowOf(holder);
    const reference = idOf(row);
    if (!reference) return standing(row);
    const state = await gateway.getAccount(reference).catch(failed);
    return inScope(db.app, { rootId: holder.root_id }, async (tx) => {
      const now = await store.accountToChange(tx, holder);
      // It was let go while we asked: the answer is about an account that is theirs no more.
      return idOf(now) === reference ? save(tx, holder, reference, state) : standing(now);
    });
  }

  /** Forgets an account; the provider keeps it. */
  const letGo = (holder: Holder, note?: Note): Promise<Account> =>
    inScope(db.app, { rootId: holder.root_id }, async (tx) => {
      if (!(await store.accountToChange(tx, holder))) return NONE;
      await note?.(tx);
      const none = { status: '' as const, charges_enabled: false, payouts_enabled: false };
      return save(tx, holder, '', { ...none, account_requirements: [] });
    });

  return {
    ensure,
    refresh,
    letGo,
    /** The provider's id of somebody's account; '' when they have none. */
    reference: async (holder: Holder): Promise<string> => idOf(await rowOf(holder)),
    referenceOf: async (
      tx: Tx,
      agencyId: string,
    ): Promise<{ reference: string; chargesEnabled: boolean }> => {
      const row = await store.agencyAccount(tx, agencyId);
      return { reference: idOf(row), chargesEnabled: row?.charges_enabled ?? false };
    },
    /** Where an agency's account stands, as we last heard. */
    of: async (tx: Tx, agencyId: string): Promise<Account> =>
      standing(await store.agencyAccount(tx, agencyId)),
    /** Where a sales person's own account stands, as we last heard. */
    ofSales: async (tx: Tx, userId: string): Promise<Account> =>
      standing(await store.salesAccount(tx, userId)),

    /** The provider has something to tell of an account. Answers how it stands now; undefined: it is nobody's here. */
    async heard(reference: string): Promise<Account | undefined> {
      const holder = await store.holderOfAccount(db.app, reference);
      return holder && refresh(holder);
    },

    /** Makes the own account, or the own agency's. Safe to ask again. */
    async create(ctx: Ctx): Promise<Account> {
      const holder = holderOf(ctx);
      const { objectKind, objectId, whose } = subjectOf(holder);
      const { made } = await ensure(holder, (tx) =>
        audit.record(tx, ctx, {
          action: 'account.created',
          objectKind,
          objectId,
          description: `Opened ${whose} with the card provider`,
        }),
      );
      return made ?? refresh(holder);
    },

    /** A page of the provider for the account's owner; used once. @throws Refusal 409 without an account */
    async link(
      ctx: Ctx,
      paths: { refresh: string; back: string },
    ): Promise<{ url: string; expiresAt: Date }> {
      const account = idOf(await rowOf(holderOf(ctx)));
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

    /** How the own account, or the own agency's, stands now. */
    check: (ctx: Ctx): Promise<Account> => refresh(holderOf(ctx)),

    /**
     * Lets go of the own account, or the own agency's, so that another can be made. The cards of an agency's clients are on
     * its account, so they must be entered anew.
     */
    reset(ctx: Ctx): Promise<Account> {
      const holder = holderOf(ctx);
      const { objectKind, objectId, whose } = subjectOf(holder);
      return letGo(holder, (tx) =>
        audit.record(tx, ctx, {
          action: 'account.reset',
          objectKind,
          objectId,
          description: `Let go of ${whose === 'an account' ? 'the account' : whose} with the card provider`,
        }),
      );
    },
  };
}
