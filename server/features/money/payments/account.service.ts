import { usd } from '../../../../contract/dollars.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { type Ctx, isSales } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { AccountState, PaymentGateway, Notice as ProviderNotice } from '../../../platform/payments.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Notices } from '../ledger/index.ts';
import type { Holder } from './account.store.ts';
import * as store from './account.store.ts';
import { failed } from './gateway-errors.ts';
import { accountJob } from './queue.ts';

export type { AgencyOwner, Holder } from './account.store.ts';
/** The state of an account, as its row says. */
export type Account = Omit<AccountState, 'account_requirements'> & { requirements: string[] };

/** How long a request by anyone other than an owner waits, so that an owner can stop it. */
const WAIT_MS = 72 * 3_600_000;

const NONE: Account = { status: '', charges_enabled: false, payouts_enabled: false, requirements: [] };

export type Accounts = ReturnType<typeof createAccounts>;
type Row = Awaited<ReturnType<typeof store.accountOf>>;
type Note = (tx: Tx, reference: string) => Promise<void>;
type Sender = Awaited<ReturnType<Notices['sender']>>;

/** Whether the caller has their own account, separate from their company's. */
export const holdsOwn = ({ actor }: Ctx): boolean => isSales(actor);

/**
 * Returns whose account the caller may open, change and disconnect: salespeople their own, others their agency's.
 * @throws Refusal 403 for everyone else
 */
export function holderOf(ctx: Ctx): Holder {
  const { rootId, agencyId, companyId, kind, userId } = ctx.actor;
  if (holdsOwn(ctx)) return { root_id: rootId, agency_id: agencyId, company_id: companyId, user_id: userId };
  if (kind !== 'agency' || !agencyId) throw new Refusal('forbidden', ownMessages.forbidden);
  return { root_id: rootId, agency_id: agencyId, company_id: companyId };
}

/** The user log's subject for a change of an account. */
const subjectOf = (holder: Holder) =>
  'user_id' in holder
    ? { objectKind: 'user' as const, objectId: holder.user_id, whose: 'their own account' }
    : { objectKind: 'company' as const, objectId: holder.company_id, whose: 'an account' };

/**
 * Connected accounts at the card provider: an agency's, on which it charges its clients (PAY-01), and a salesperson's
 * own, to which their commissions are paid (ROUT-14).
 */
export function createAccounts(
  { db, clock, events, jobs }: Pick<Platform, 'db' | 'clock' | 'events' | 'jobs'>,
  { gateway, audit, notices }: { gateway: PaymentGateway; audit: Audit; notices: Notices },
) {
  /** Saves what the provider says. */
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
  /** The provider's id of an account here; '' if there is none, or only one at another provider. */
  const idOf = (row: Row): string => (row?.provider === gateway.provider ? row.reference : '');
  /** The same, but also '' if the provider no longer knows it: another one may be created. */
  const liveIdOf = (row: Row): string => (row?.status ? idOf(row) : '');
  const standing = (row: Row): Account => {
    if (!row || row.provider !== gateway.provider) return NONE;
    const { status, charges_enabled, payouts_enabled, requirements } = row;
    return { status, charges_enabled, payouts_enabled, requirements };
  };

  /** Creates the account if it does not exist. Returns its id at the provider, and its state if it was just created. */
  async function ensure(holder: Holder, note?: Note): Promise<{ reference: string; made?: Account }> {
    const row = await rowOf(holder);
    const known = liveIdOf(row);
    if (known) return { reference: known };
    const id = 'user_id' in holder ? holder.user_id : holder.company_id;
    const reference = await gateway
      .createAccount({
        // After a reset, it is a different account.
        idempotencyKey: `account:${id}:${row?.updated_at.getTime() ?? 0}`,
        reference: id,
      })
      .catch(failed);
    const state = await gateway.getAccount(reference).catch(failed);
    return inScope(db.app, { rootId: holder.root_id }, async (tx) => {
      // Two concurrent requests result in one account and one log row.
      const meanwhile = liveIdOf(await store.accountToChange(tx, holder));
      if (meanwhile) return { reference: meanwhile };
      const made = await save(tx, holder, reference, state);
      await note?.(tx, reference);
      return { reference, made };
    });
  }

  /** Asks the provider for the state of an account and saves the answer. */
  async function refresh(holder: Holder): Promise<Account> {
    const row = await rowOf(holder);
    const reference = idOf(row);
    if (!reference) return standing(row);
    const state = await gateway.getAccount(reference).catch(failed);
    return inScope(db.app, { rootId: holder.root_id }, async (tx) => {
      const now = await store.accountToChange(tx, holder);
      // It was disconnected while we asked: the answer is about an account that is no longer theirs.
      return idOf(now) === reference ? save(tx, holder, reference, state) : standing(now);
    });
  }

  /** Forgets an account; it still exists at the provider. */
  const forget = async (tx: Tx, holder: Holder): Promise<Account> => {
    const none = { status: '' as const, charges_enabled: false, payouts_enabled: false };
    return save(tx, holder, '', { ...none, account_requirements: [] });
  };

  /** Notifies the account's holder and those in charge of their company. */
  const tell = (
    tx: Tx,
    holder: Holder,
    sender: Sender,
    subject: string,
    lines: string[],
    kind = 'account.change',
  ) => {
    const isOwn = 'user_id' in holder;
    return notices.tell(
      tx,
      kind,
      sender,
      holder,
      {
        subject,
        lines,
        page: isOwn
          ? { label: 'View payment accounts', path: '/configuration/sales-connect-account' }
          : { label: 'View the payment account', path: '/configuration/general-setting?tab=payment' },
      },
      isOwn ? holder.user_id : undefined,
    );
  };
  /** The account's holder, as worded in an email. */
  const ofWhom = (holder: Holder, name: string): string => ('user_id' in holder ? ` of ${name}` : '');

  /**
   * Disconnects an account now: ends any pending change, keeps it as the former account, and notifies everyone
   * concerned.
   */
  async function disconnect(
    tx: Tx,
    holder: Holder,
    sender: Sender,
    by: { id: string; name: string; row: { id: string; reference: string } | undefined },
  ): Promise<Account> {
    const now = clock.now();
    const reference = idOf(await store.accountOf(tx, holder));
    if (by.row) await store.endAccountChange(tx, holder, 'done', now);
    else if (reference)
      await store.insertAccountChange(tx, holder, {
        id: newId(now),
        reference,
        asked_by: by.id,
        created_at: now,
        effective_at: now,
        ended_at: now,
        outcome: 'done',
      });
    if (reference)
      await tell(tx, holder, sender, `The payment account${ofWhom(holder, by.name)} was disconnected`, [
        `${by.name} disconnected the payment account ${reference}. It no longer receives payouts. You can connect another account.`,
        'If you did not expect this, sign this person out of all devices and connect the account again.',
      ]);
    return forget(tx, holder);
  }

  return {
    ensure,
    refresh,
    /** Disconnects an account without notifying anyone: only the sandbox does this. */
    letGo: (holder: Holder): Promise<Account> =>
      inScope(db.app, { rootId: holder.root_id }, async (tx) =>
        (await store.accountToChange(tx, holder)) ? forget(tx, holder) : NONE,
      ),
    /** The provider's id of a holder's account; '' if they have none. */
    reference: async (holder: Holder): Promise<string> => idOf(await rowOf(holder)),
    referenceOf: async (
      tx: Tx,
      agencyId: string,
    ): Promise<{ reference: string; chargesEnabled: boolean }> => {
      const row = await store.agencyAccount(tx, agencyId);
      return { reference: idOf(row), chargesEnabled: row?.charges_enabled ?? false };
    },
    /** The last known state of an agency's account. */
    of: async (tx: Tx, agencyId: string): Promise<Account> =>
      standing(await store.agencyAccount(tx, agencyId)),
    /** The last known state of a salesperson's own account. */
    ofSales: async (tx: Tx, userId: string): Promise<Account> =>
      standing(await store.salesAccount(tx, userId)),

    /**
     * Handles news from the provider about an account, or about a failed payout from it, of which its holder is
     * notified.
     * @returns the account's current state; undefined if it belongs to no one here
     */
    async heard(reference: string, failedPayout?: ProviderNotice['payout']): Promise<Account | undefined> {
      const holder = await store.holderOfAccount(db.app, reference);
      if (!holder) return undefined;
      const state = await refresh(holder);
      if (!failedPayout) return state;
      const { amountCents, reason } = failedPayout;
      const amount = usd(BigInt(amountCents) * 10_000n);
      const sender = await notices.sender(holder);
      await inScope(db.app, { rootId: holder.root_id }, (tx) =>
        tell(
          tx,
          holder,
          sender,
          `A payout of ${amount} failed`,
          [
            `The bank didn’t accept a payout of ${amount}. The money is back in the payment account.`,
            ...(reason ? [`The reason given: ${reason}`] : []),
            'Check the bank details of the payment account. The payout is tried again after they are updated.',
          ],
          'payout.failed',
        ),
      );
      return state;
    },

    /** Creates the user's own account, or their own agency's. Safe to call again. */
    async create(ctx: Ctx): Promise<Account> {
      const holder = holderOf(ctx);
      const { objectKind, objectId, whose } = subjectOf(holder);
      const sender = await notices.sender(holder);
      const { made } = await ensure(holder, async (tx, reference) => {
        await audit.record(tx, ctx, {
          action: 'account.created',
          objectKind,
          objectId,
          description: `Opened ${whose} with the card provider`,
        });
        const former = await store.formerAccount(tx, holder);
        const name = await store.personName(tx, ctx.actor.userId);
        await tell(tx, holder, sender, `A payment account${ofWhom(holder, name)} was connected`, [
          `${name} connected the payment account ${reference}. Payouts go to it once the provider verifies it.`,
          ...(former ? [`Payouts previously went to ${former}.`] : []),
          'If you did not expect this, disconnect the account and sign this person out of all devices.',
        ]);
      });
      return made ?? refresh(holder);
    },

    /**
     * Returns a page at the provider for the account's owner; can be used once.
     * @throws Refusal 409 without an account
     */
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

    /** The current state of the user's own account, or their own agency's. */
    check: (ctx: Ctx): Promise<Account> => refresh(holderOf(ctx)),

    /** The pending change of the user's own account, or their own agency's. */
    change: (ctx: Ctx) =>
      inScope(db.app, { rootId: ctx.actor.rootId }, (tx) => store.openAccountChange(tx, holderOf(ctx))),

    /**
     * Disconnects the user's own account, or their own agency's, so that another can be created. The cards of an
     * agency's clients are on its account, so they must be entered again. If the request does not come from an owner,
     * an agency account that is in use stays connected for another 72 hours: an owner can disconnect it right away, or
     * keep it.
     * @throws Refusal 409 if a change is already pending
     */
    async reset(ctx: Ctx): Promise<{ account: Account; waitsUntil: Date | null }> {
      const holder = holderOf(ctx);
      const { objectKind, objectId, whose } = subjectOf(holder);
      const said = whose === 'an account' ? 'the account' : whose;
      const sender = await notices.sender(holder);
      return inScope(db.app, { rootId: holder.root_id }, async (tx) => {
        const row = await store.accountToChange(tx, holder);
        if (!row) return { account: NONE, waitsUntil: null };
        const waiting = await store.openAccountChange(tx, holder);
        const record = (action: string, description: string) =>
          audit.record(tx, ctx, { action, objectKind, objectId, description });
        const name = await store.personName(tx, ctx.actor.userId);
        const isUsed = Boolean(idOf(row)) && (row.charges_enabled || row.payouts_enabled);
        if (!isUsed || ctx.actor.grade !== 'agency.administrator') {
          await record('account.reset', `Disconnected ${said} from the card provider`);
          const by = { id: ctx.actor.userId, name, row: waiting };
          return { account: await disconnect(tx, holder, sender, by), waitsUntil: null };
        }
        if (waiting) throw new Refusal('conflict', ownMessages.accountChangeWaits);
        const now = clock.now();
        const waitsUntil = new Date(now.getTime() + WAIT_MS);
        const id = newId(now);
        await store.insertAccountChange(tx, holder, {
          id,
          reference: idOf(row),
          asked_by: ctx.actor.userId,
          created_at: now,
          effective_at: waitsUntil,
        });
        await jobs.send(tx, accountJob, [{ rootId: holder.root_id, id }], { startAfter: waitsUntil });
        await record(
          'account.reset_asked',
          `Requested to disconnect ${said} from the card provider in 72 hours`,
        );
        await tell(tx, holder, sender, 'Someone asked to disconnect the payment account', [
          `${name} asked to disconnect the payment account ${idOf(row)} from ${ctx.ip}. It stays connected for 72 hours unless an owner disconnects it sooner.`,
          'If you did not expect this, keep the account on the page below and sign this person out of all devices.',
        ]);
        return { account: standing(row), waitsUntil };
      });
    },

    /**
     * Stops the pending change of the user's own account, or their own agency's.
     * @throws Refusal 409 if no change is pending
     */
    async keep(ctx: Ctx): Promise<void> {
      const holder = holderOf(ctx);
      const { objectKind, objectId } = subjectOf(holder);
      await inScope(db.app, { rootId: holder.root_id }, async (tx) => {
        await store.accountToChange(tx, holder);
        if (!(await store.endAccountChange(tx, holder, 'stopped', clock.now())))
          throw new Refusal('conflict', ownMessages.noAccountChange);
        await audit.record(tx, ctx, {
          action: 'account.kept',
          objectKind,
          objectId,
          description: 'Kept the account with the card provider and canceled the request to disconnect it',
        });
      });
    },

    /** Disconnects an account whose change was not stopped in time. Safe to run twice. */
    async takeDue({ rootId, id }: { rootId: string; id: string }): Promise<void> {
      const found = await inScope(db.app, { rootId }, (tx) => store.accountChangeById(tx, id));
      if (!found) return;
      const owner = { root_id: rootId, company_id: found.company_id };
      const holder: Holder = found.user_id
        ? { ...owner, agency_id: found.agency_id, user_id: found.user_id }
        : { ...owner, agency_id: found.agency_id! };
      const sender = await notices.sender(holder);
      await inScope(db.app, { rootId }, async (tx) => {
        const row = await store.accountToChange(tx, holder);
        const waiting = await store.openAccountChange(tx, holder);
        if (waiting?.id !== id || waiting.effective_at > clock.now()) return;
        // Another account has replaced it in the meantime: the request was not for that one.
        if (idOf(row) !== waiting.reference) {
          await store.endAccountChange(tx, holder, 'stopped', clock.now());
          return;
        }
        const by = { id: found.asked_by, name: waiting.asked_by ?? 'Somebody', row: waiting };
        await disconnect(tx, holder, sender, by);
        await audit.recordSystem(tx, clock.now(), holder, {
          action: 'account.reset',
          objectKind: 'company',
          objectId: holder.company_id,
          description: `Disconnected the account from the card provider 72 hours after ${by.name} requested it`,
        });
      });
    },
  };
}
