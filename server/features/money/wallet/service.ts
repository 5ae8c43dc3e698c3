import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { TransferKind } from '../../../../contract/money/ledger.ts';
import { usd } from '../../../../contract/primitives.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { inTurn } from '../../../platform/in-turn.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { AccountRef, Ledger, Notices } from '../ledger/index.ts';
import type { SpendingLimits } from '../spending-limits/index.ts';
import { daysUpTo, expiryOf, lastDay, monthOf, noticeDue, type OpenLot, WalletBook } from './policy.ts';
import * as store from './store.ts';

const DAY_MS = 86_400_000;

/** The owner of the wallet: an agency. */
export interface WalletOwner {
  rootId: string;
  agencyId: string;
}

/** The result of a top-up. `posted` is false if the same key had already created it. */
export interface ToppedUp {
  transferId: string;
  lotId: string;
  expiresAt: Date;
  posted: boolean;
}

export type Wallet = ReturnType<typeof createWallet>;

/**
 * The Data Wallet of agencies (BEY-02): lots that are drawn in order of expiration and end after twelve months.
 * Everything here runs inside the caller's transaction and locks the wallet's balance row first; no card is charged
 * here.
 */
export function createWallet(
  { db, clock, events }: Platform,
  deps: { ledger: Ledger; spendingLimits: SpendingLimits; tenants: Tenants; notices: Notices },
) {
  const { ledger, spendingLimits, tenants, notices } = deps;
  const owner = ({ rootId, agencyId }: WalletOwner) => ({
    root_id: rootId,
    agency_id: agencyId,
    company_id: agencyId,
  });
  const rootOf = ({ rootId }: WalletOwner): Owner => ({
    root_id: rootId,
    agency_id: null,
    company_id: rootId,
  });
  const account = (of: WalletOwner): AccountRef => ({ owner: owner(of), kind: 'agency_wallet' });
  const refuse = (field: string, rule: string): never => {
    throw refusalOf(field, rule, 'conflict');
  };
  const positive = (amountMicros: bigint): void => {
    if (amountMicros <= 0n)
      throw new Refusal('invalid', 'amount: must be greater than 0', {
        errors: { amount: ['must be above 0'] },
      });
  };

  /**
   * Returns the lots of wallets that the caller has locked (ledger.lock). Expired amounts are booked to the root first:
   * as of the exact moment the lot ended or, for amounts just returned to an expired lot, as of now. `known`: the open
   * lots, if the caller has already read them.
   */
  async function books(
    tx: Tx,
    wallets: { of: WalletOwner; accountId: string }[],
    at: Date,
    cameBack = false,
    known?: (OpenLot & { account_id: string })[],
  ): Promise<Map<string, WalletBook>> {
    if (wallets.length === 0) return new Map();
    const lots =
      known ??
      (await store.openLots(
        tx,
        wallets.map((w) => w.accountId),
      ));
    const over = lots.filter((lot) => lot.expires_at <= at);
    if (over.length > 0) {
      const times = await store.expiriesOf(
        tx,
        over.map((lot) => lot.id),
      );
      await ledger.post(
        tx,
        over.map((lot) => {
          const { of } = wallets.find((w) => w.accountId === lot.account_id)!;
          const before = times.get(lot.id) ?? 0;
          return {
            owner: owner(of),
            kind: 'wallet_expiry',
            referenceId: lot.id,
            key: `wallet_expiry:${lot.id}:${before}`,
            at: cameBack ? at : lot.expires_at,
            entries: [
              { account: account(of), amount: -lot.remaining, lotId: lot.id },
              { account: { owner: rootOf(of), kind: 'expired' }, amount: lot.remaining },
            ],
          };
        }),
        at,
      );
    }
    return new Map(
      wallets.map(({ of, accountId }) => [
        of.agencyId,
        new WalletBook(lots.filter((lot) => lot.account_id === accountId && lot.expires_at > at)),
      ]),
    );
  }

  /** Locks a wallet and reads its lots; creates it if it is new. */
  async function open(
    tx: Tx,
    of: WalletOwner,
    at: Date,
    cameBack = false,
  ): Promise<{ accountId: string; book: WalletBook }> {
    const [held] = await ledger.lock(tx, [account(of)], at);
    const opened = await books(tx, [{ of, accountId: held!.id }], at, cameBack);
    return { accountId: held!.id, book: opened.get(of.agencyId)! };
  }

  async function lotOf(tx: Tx, of: WalletOwner, lotId: string) {
    const lot = await store.lotById(tx, lotId);
    if (lot?.company_id !== of.agencyId) throw new Refusal('not_found', ownMessages.notFound);
    return lot;
  }

  /**
   * Returns the agency and the start and end of the month whose history is requested; expired lots are booked first, so
   * that they are included.
   */
  async function askedOf(tx: Tx, agencyId: string, month: string | null) {
    const company = await tenants.company(tx, agencyId);
    if (!company) throw new Refusal('not_found', ownMessages.notFound);
    const at = clock.now();
    if ((await store.sums(tx, agencyId, at)).over > 0n)
      await open(tx, { rootId: company.root_id, agencyId }, at);
    const { from, ends } = monthOf(month, company.time_zone);
    return { company, from, before: ends };
  }

  /** Books that something did not happen after all, with all its entries reversed. */
  async function reverse(
    tx: Tx,
    given: WalletOwner & { lotId: string; key: string },
    what: 'dispute' | 'wallet_refund',
    kind: 'dispute_reversal' | 'adjustment',
    at: Date,
  ): Promise<string | null> {
    await open(tx, given, at);
    const original = await ledger.posted(tx, given.rootId, `${what}:${given.lotId}:${given.key}`);
    if (!original) return null;
    const [id] = await ledger.post(
      tx,
      [
        {
          owner: owner(given),
          kind,
          referenceId: original.id,
          ...(kind === 'adjustment' ? { memo: 'The refund did not go through' } : {}),
          key: `${what}_reversal:${given.lotId}:${given.key}`,
          entries: original.entries.map((entry) => ({
            account: {
              owner: entry.companyId === given.agencyId ? owner(given) : rootOf(given),
              kind: entry.kind,
            },
            amount: -entry.amount,
            ...(entry.lotId ? { lotId: entry.lotId } : {}),
          })),
        },
      ],
      at,
    );
    await open(tx, given, at, true); // The lot may have expired by now.
    return id ?? null;
  }

  /** Announces that wallets were drawn from, inside the transaction that did it. */
  const drawn = (tx: Tx, rootId: string, wallets: { agencyId: string; available: bigint }[]) =>
    wallets.length > 0 ? events.emit(tx, 'wallet.drawn', { rootId, wallets }) : Promise.resolve();

  return {
    books,
    account,
    drawn,

    /**
     * Adds a lot, after its money has come in (`granted`: given by the root without payment). Safe to repeat with the
     * same key. It ends twelve calendar months later, at the end of that day in the agency's time zone.
     * @throws Refusal 409 if the key was used for another amount
     */
    async topUp(
      tx: Tx,
      given: WalletOwner & {
        amountMicros: bigint;
        key: string;
        granted?: boolean;
        referenceId?: string;
        memo?: string;
      },
      at: Date,
    ): Promise<ToppedUp> {
      positive(given.amountMicros);
      const { accountId } = await open(tx, given, at);
      const key = `wallet_top_up:${given.agencyId}:${given.key}`;
      const before = await ledger.posted(tx, given.rootId, key);
      if (before) {
        const lot = (await store.lotOfTopUp(tx, before.id))!;
        if (lot.amount !== given.amountMicros)
          refuse('idempotency_key', 'has already been used for a different amount');
        return { transferId: before.id, lotId: lot.id, expiresAt: lot.expires_at, posted: false };
      }
      // Money that has come in is booked, also for an agency that was removed meanwhile.
      const company = await tenants.pastCard(tx, given.agencyId);
      if (company?.kind !== 'agency') throw new Refusal('not_found', ownMessages.notFound);
      const lotId = newId(at);
      const expiresAt = expiryOf(at, company.time_zone);
      await store.insertLot(tx, {
        id: lotId,
        root_id: given.rootId,
        agency_id: given.agencyId,
        company_id: given.agencyId,
        account_id: accountId,
        is_granted: given.granted ?? false,
        amount: given.amountMicros,
        expires_at: expiresAt,
        created_at: at,
      });
      const [transferId] = await ledger.post(
        tx,
        [
          {
            owner: owner(given),
            kind: given.granted ? 'wallet_grant' : 'wallet_top_up',
            referenceId: given.referenceId ?? lotId,
            memo: given.memo,
            key,
            entries: [
              { account: account(given), amount: given.amountMicros, lotId },
              {
                account: { owner: rootOf(given), kind: given.granted ? 'granted' : 'card_clearing' },
                amount: -given.amountMicros,
              },
            ],
          },
        ],
        at,
      );
      return { transferId: transferId!, lotId, expiresAt, posted: true };
    },

    /**
     * Opens a wallet with what is left of a lot in another installation (docs/decisions/0472-company-imports.md). It ends
     * when it would have ended there.
     */
    async carryOver(
      tx: Tx,
      given: WalletOwner & {
        amountMicros: bigint;
        granted: boolean;
        expiresAt: Date;
        key: string;
        memo: string;
      },
      at: Date,
    ): Promise<void> {
      positive(given.amountMicros);
      const { accountId } = await open(tx, given, at);
      const lotId = newId(at);
      await store.insertLot(tx, {
        id: lotId,
        root_id: given.rootId,
        agency_id: given.agencyId,
        company_id: given.agencyId,
        account_id: accountId,
        is_granted: given.granted,
        amount: given.amountMicros,
        expires_at: given.expiresAt,
        created_at: at,
      });
      await ledger.post(
        tx,
        [
          {
            owner: owner(given),
            kind: 'adjustment',
            referenceId: lotId,
            memo: given.memo,
            key: `wallet_carry_over:${given.agencyId}:${given.key}`,
            entries: [
              { account: account(given), amount: given.amountMicros, lotId },
              {
                account: { owner: rootOf(given), kind: given.granted ? 'granted' : 'card_clearing' },
                amount: -given.amountMicros,
              },
            ],
          },
        ],
        at,
      );
    },

    /**
     * Pays something to the root out of the wallet (leads are paid by billing.sellLeads). Returns null if the same key
     * was used before.
     * @throws Refusal 409 if the wallet's balance is too low, or a hard limit of the wallet would be exceeded
     */
    async debit(
      tx: Tx,
      given: WalletOwner & {
        amountMicros: bigint;
        key: string;
        kind?: TransferKind &
          ('wallet_charge' | 'platform_fee' | 'monthly_fee' | 'minimum_spend' | 'onboarding');
        referenceId?: string;
        campaignId?: string;
        memo?: string;
      },
      at: Date,
    ): Promise<string | null> {
      positive(given.amountMicros);
      const { book } = await open(tx, given, at);
      const kind = given.kind ?? 'wallet_charge';
      const key = `${kind}:${given.agencyId}:${given.key}`;
      if (await ledger.posted(tx, given.rootId, key)) return null;
      const limits = await spendingLimits.open(tx, [{ rootId: given.rootId, agencyId: given.agencyId }], at);
      const spend = { agencyId: given.agencyId, priceMicros: 0n, walletMicros: given.amountMicros };
      if (limits.refusal(spend)) refuse('amount', ownMessages.capWallet);
      const parts = book.draw(given.amountMicros);
      if (!parts)
        throw new Refusal('conflict', ownMessages.walletEmpty, {
          errors: { amount: ['is not covered by the balance'] },
        });
      limits.take(given.rootId, spend);
      const [id] = await ledger.post(
        tx,
        [
          {
            owner: owner(given),
            kind,
            referenceId: given.referenceId ?? null,
            campaignId: given.campaignId,
            memo: given.memo,
            key,
            entries: [
              ...parts.map((part) => ({ account: account(given), amount: -part.amount, lotId: part.lotId })),
              { account: { owner: rootOf(given), kind: 'root_revenue' }, amount: given.amountMicros },
            ],
          },
        ],
        at,
        limits.counted(),
      );
      await limits.tell();
      await drawn(tx, given.rootId, [{ agencyId: given.agencyId, available: book.available }]);
      return id!;
    },

    /**
     * Refunds money from a paid lot to the card, up to what is left of that lot. Returns null if the same key was used
     * before.
     * @throws Refusal 404 for another company's lot, 409 if less is left or it was granted
     */
    async refund(
      tx: Tx,
      given: WalletOwner & { lotId: string; amountMicros: bigint; key: string; referenceId?: string },
      at: Date,
    ): Promise<string | null> {
      positive(given.amountMicros);
      await open(tx, given, at);
      const key = `wallet_refund:${given.lotId}:${given.key}`;
      if (await ledger.posted(tx, given.rootId, key)) return null;
      const lot = await lotOf(tx, given, given.lotId);
      if (lot.is_granted) refuse('lot', 'was granted, not paid for');
      if (lot.remaining < given.amountMicros)
        refuse('amount', 'is more than the remaining amount of the lot');
      const [id] = await ledger.post(
        tx,
        [
          {
            owner: owner(given),
            kind: 'wallet_refund',
            referenceId: given.referenceId ?? lot.id,
            key,
            entries: [
              { account: account(given), amount: -given.amountMicros, lotId: lot.id },
              { account: { owner: rootOf(given), kind: 'card_clearing' }, amount: given.amountMicros },
            ],
          },
        ],
        at,
      );
      return id!;
    },

    /**
     * Books that the cardholder charged back a top-up: takes what is left of its lot; whatever has been spent or has
     * expired is owed to the root from then on. Returns null if the same key was used before.
     * @throws Refusal 409 if it is more than the lot was
     */
    async dispute(
      tx: Tx,
      given: WalletOwner & { lotId: string; amountMicros: bigint; key: string; referenceId?: string },
      at: Date,
    ): Promise<string | null> {
      positive(given.amountMicros);
      await open(tx, given, at);
      const key = `dispute:${given.lotId}:${given.key}`;
      if (await ledger.posted(tx, given.rootId, key)) return null;
      const lot = await lotOf(tx, given, given.lotId);
      if (lot.amount < given.amountMicros) refuse('amount', 'is more than the original amount of the lot');
      // biome-ignore lint/complexity/useMathMinMax: Math.min takes no bigint
      const left = lot.remaining < given.amountMicros ? lot.remaining : given.amountMicros;
      const [id] = await ledger.post(
        tx,
        [
          {
            owner: owner(given),
            kind: 'dispute',
            referenceId: given.referenceId ?? lot.id,
            key,
            entries: [
              { account: account(given), amount: -left, lotId: lot.id },
              { account: { owner: owner(given), kind: 'agency_payable' }, amount: left - given.amountMicros },
              { account: { owner: rootOf(given), kind: 'card_clearing' }, amount: given.amountMicros },
            ],
          },
        ],
        at,
      );
      return id!;
    },

    /**
     * Books that a dispute was decided in our favor: everything goes back to where it came from, into the original lot
     * with its original end. Returns null if that was done before, or there was no such dispute.
     */
    reverseDispute: (tx: Tx, given: WalletOwner & { lotId: string; key: string }, at: Date) =>
      reverse(tx, given, 'dispute', 'dispute_reversal', at),

    /** Does the same for a refund that did not happen after all. */
    reverseRefund: (tx: Tx, given: WalletOwner & { lotId: string; key: string }, at: Date) =>
      reverse(tx, given, 'wallet_refund', 'adjustment', at),

    /**
     * Books what is left of expired lots; `cameBack`: something has just been returned. Returns what can still be
     * drawn.
     */
    expire: async (tx: Tx, of: WalletOwner, at: Date, cameBack = false): Promise<bigint> =>
      (await open(tx, of, at, cameBack)).book.available,

    /** Returns the amount that can be drawn at an instant, in micro-dollars. */
    balance: async (tx: Tx, agencyId: string, at: Date): Promise<bigint> =>
      (await store.sums(tx, agencyId, at)).usable,

    /** Returns the balance from everything that counts before a past instant, in micro-dollars. */
    async balanceAsOf(tx: Tx, agencyId: string, instant: Date): Promise<bigint> {
      const { over } = await store.sums(tx, agencyId, instant);
      return (await ledger.balanceAsOf(tx, agencyId, ['agency_wallet'], instant)) - over;
    },

    /** The lots of a wallet, newest first, 500 at most. */
    lots: store.lotsOf,

    /**
     * Returns what happened in a month ('YYYY-MM', in the agency's time zone; null: all time), newest first, in the
     * words of the spec (product 3, Data wallet): one line per event, with the ledger's balance after it. `after`: the
     * line to continue from.
     */
    async history(
      tx: Tx,
      agencyId: string,
      month: string | null,
      after: { at: Date; id: string } | null = null,
      most = 500,
    ) {
      const { company, from, before } = await askedOf(tx, agencyId, month);
      const lines = await ledger.lines(
        tx,
        { companyId: agencyId, kinds: ['agency_wallet'], from, before },
        after,
        most,
      );
      const known = await store.about(
        tx,
        lines.map((line) => line.id),
      );
      return lines.map((line) => {
        const { kind, campaign, expires_at } = known.get(line.id)!;
        const type: 'topup' | 'charge' | 'other' =
          kind === 'wallet_top_up' || kind === 'wallet_grant'
            ? 'topup'
            : line.amount < 0n && kind !== 'wallet_expiry'
              ? 'charge'
              : 'other';
        return {
          id: line.id,
          kind: kind as TransferKind,
          campaign,
          created_at: line.at,
          expired_at: expires_at && lastDay(expires_at, company.time_zone),
          amountMicros: line.amount,
          balanceMicros: line.balance,
          transaction_type: type,
        };
      });
    },

    /**
     * Returns the balance at the end of each day of a month up to today, and what was added that day; micro-dollars.
     */
    async days(tx: Tx, agencyId: string, month: string) {
      const { company, from, before } = await askedOf(tx, agencyId, month);
      const days = daysUpTo(month, company.time_zone, clock.now());
      const topUps = await store.putInByDay(tx, agencyId, from, before, company.time_zone);
      const balances = await ledger.balancesAsOf(
        tx,
        agencyId,
        ['agency_wallet'],
        days.map((one) => one.ends),
      );
      return days.map(({ day }, i) => ({
        day,
        balanceMicros: balances[i]!,
        topUpMicros: topUps.get(day) ?? 0n,
      }));
    },

    /**
     * Books the expired lots of a root's wallets, and sends notices about those that will end soon; a wallet that fails
     * does not hold up the others. Returns the number of each.
     */
    async sweep(rootId: string): Promise<{ expired: number; noticed: number }> {
      const at = clock.now();
      const scope = { rootId };
      const ending = await inScope(db.app, scope, (tx) =>
        store.endingLots(tx, rootId, new Date(at.getTime() + 32 * DAY_MS)),
      );
      const over = ending.filter((lot) => lot.expires_at <= at);
      const failures = await inTurn(new Set(over.map((lot) => lot.company_id)), (agencyId) =>
        inScope(db.app, scope, (tx) => open(tx, { rootId, agencyId }, at)),
      );
      let noticed = 0;
      const notice = async (lot: (typeof ending)[number]): Promise<void> => {
        const days = noticeDue(lot, at, lot.time_zone);
        if (days === null) return;
        const to = { root_id: lot.root_id, agency_id: lot.agency_id, company_id: lot.company_id };
        const sender = await notices.sender(to);
        await inScope(db.app, scope, async (tx) => {
          if (!(await store.markNoticed(tx, lot.id, days))) return;
          noticed++;
          const left = usd(((await store.lotById(tx, lot.id))?.remaining ?? 0n) as bigint);
          await notices.tell(tx, 'wallet.expiry', sender, to, {
            subject:
              days === 1 ? 'Data Wallet balance expires today' : 'Data Wallet balance will expire soon',
            lines: [
              `You can use ${left} of your Data Wallet until the end of ${lastDay(lot.expires_at, lot.time_zone)}.`,
              'Any unused amount expires after that. Leads use the balance that expires first, so you do not need to do anything.',
            ],
          });
        });
      };
      failures.push(...(await inTurn(ending, notice)));
      if (failures.length > 0) throw failures[0];
      return { expired: over.length, noticed };
    },
  };
}
