import type { TransferKind } from '../../../../contract/money/ledger.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { type Db, inScope, onCommit, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import { ACCOUNTS, type AccountKind, codesOf } from './accounts.ts';
import * as sales from './sales.store.ts';
import * as statements from './statement.store.ts';
import * as store from './store.ts';

const MOST_KNOWN = 100_000;
const DAY_MS = 86_400_000;
const SNAPSHOT_DAYS = 10;
/**
 * Days whose sales are summed by one transaction at most, and how long it may take: whoever posts into the past waits
 * for it, and with enough leads a month would reach the time limit of statements.
 */
const SALE_DAYS = 31;
const SALE_STEP_MS = 10_000;
const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
const dayAfter = (day: string, days: number): string => dayOf(new Date(Date.parse(day) + days * DAY_MS));
const earlier = (one: string, other: string): string => (one < other ? one : other);
/** What a root's result is made of, as the balance of its statement. */
const RESULT_CODES = {
  revenue: codesOf('root_revenue'),
  cost: codesOf('root_cost'),
  fee: codesOf('provider_fee'),
  other: codesOf('expired', 'granted', 'written_off'),
};

/** Identifies an account: its owner, its kind, and its campaign if that matters. It is opened on first use. */
export interface AccountRef {
  owner: Owner;
  kind: AccountKind;
  campaignId?: string | undefined;
}

/**
 * One money event: entries that sum to zero, in micro-dollars; a positive amount increases what the account's owner
 * has.
 */
export interface Posting {
  owner: Owner;
  kind: TransferKind;
  referenceId: string | null;
  campaignId?: string | undefined;
  /** A description for users, without any personal data. */
  memo?: string | undefined;
  /** A key posts only once, no matter how often it is submitted. */
  key: string;
  /** When it takes effect, if that is not the time of posting (an expiry that is booked late). */
  at?: Date;
  /** `lotId`: the wallet lot that the entry changes. */
  entries: { account: AccountRef; amount: bigint; lotId?: string }[];
}

export type Ledger = ReturnType<typeof createLedger>;

const nameOf = (ref: {
  owner: { company_id: string };
  kind: string;
  campaignId?: string | null | undefined;
}): string => `${ref.owner.company_id}/${ref.kind}/${ref.campaignId ?? ''}`;

/** The double-entry ledger: the only code that moves money (docs/money.md). */
export function createLedger({ metrics }: Pick<Platform, 'metrics'>) {
  const transfersPosted = metrics.counter(
    'platform_ledger_transfers_total',
    'Transfers posted to the ledger, by kind',
    ['kind'],
  );
  const dollarsPosted = metrics.counter(
    'platform_ledger_dollars_total',
    'Dollars moved by them: the sum of what accounts were debited',
    ['kind'],
  );
  // Accounts are never removed, so their ids can be cached, except ids created by a transaction that may still roll
  // back.
  const known = new Map<string, string>();
  const made = new WeakMap<Tx, Map<string, string>>();
  const locked = new WeakMap<Tx, Set<string>>();

  /** The ids of accounts, opened if they are new; for `existing`, only those that already exist. */
  async function idsOf(
    tx: Tx,
    refs: AccountRef[],
    at: Date,
    existing: AccountRef[] = [],
  ): Promise<Map<string, string>> {
    const own = made.get(tx);
    const ids = new Map<string, string>();
    const wanted = new Map<string, AccountRef>();
    for (const ref of [...refs, ...existing]) {
      const name = nameOf(ref);
      const id = own?.get(name) ?? known.get(name);
      if (id) ids.set(name, id);
      else wanted.set(name, ref);
    }
    const find = async (): Promise<void> => {
      const asked = [...wanted.values()];
      const rows = await store.findAccounts(
        tx,
        [...new Set(asked.map((ref) => ref.owner.company_id))],
        [...new Set(asked.map((ref) => ref.kind))],
        [...new Set(asked.map((ref) => ref.campaignId ?? null))],
      );
      if (known.size > MOST_KNOWN) known.clear();
      for (const row of rows) {
        const name = nameOf({ owner: row, kind: row.kind, campaignId: row.campaign_id });
        if (!wanted.delete(name)) continue;
        ids.set(name, row.id);
        const mine = made.get(tx);
        if (mine) mine.set(name, row.id);
        else known.set(name, row.id);
      }
    };
    if (wanted.size > 0) await find();
    for (const ref of existing) wanted.delete(nameOf(ref));
    if (wanted.size > 0) {
      const missing = [...wanted];
      if (!made.has(tx)) made.set(tx, new Map());
      await store.addAccounts(
        tx,
        missing.map(([, ref]) => ({
          id: newId(at),
          ...ref.owner,
          campaign_id: ref.campaignId ?? null,
          kind: ref.kind,
          created_at: at,
        })),
      );
      await find();
      const refusing = missing.filter(([, ref]) => ACCOUNTS[ref.kind].refuses);
      if (refusing.length > 0) {
        await store.addBalances(
          tx,
          refusing.map(([name, ref]) => ({ account_id: ids.get(name)!, ...ref.owner, balance: 0n })),
        );
      }
    }
    return ids;
  }

  async function lockIds(tx: Tx, ids: string[]): Promise<Map<string, bigint>> {
    const balances = await store.lockBalances(tx, ids);
    hold(tx, ids);
    return balances;
  }

  /** Remembers that the transaction holds these balances. */
  function hold(tx: Tx, ids: Iterable<string>): void {
    const held = locked.get(tx) ?? new Set();
    for (const id of ids) held.add(id);
    locked.set(tx, held);
  }

  return {
    /**
     * The ids of accounts, in the order requested: opened if they are new, null for `existing` ones that do not exist.
     */
    async accounts(
      tx: Tx,
      refs: AccountRef[],
      at: Date,
      existing: AccountRef[] = [],
    ): Promise<(string | null)[]> {
      const ids = await idsOf(tx, refs, at, existing);
      return [...refs, ...existing].map((ref) => ids.get(nameOf(ref)) ?? null);
    },
    hold,

    /**
     * Locks accounts that can refuse and returns their ids and balances (micro-dollars), in the order requested. No one
     * else can post to them until the transaction ends. Opens those that are new; for `existing` ones, null if there is
     * none.
     */
    async lock(
      tx: Tx,
      refs: AccountRef[],
      at: Date,
      existing: AccountRef[] = [],
    ): Promise<({ id: string; balance: bigint } | null)[]> {
      if (refs.length + existing.length === 0) return [];
      const ids = await idsOf(tx, refs, at, existing);
      const balances = ids.size ? await lockIds(tx, [...new Set(ids.values())]) : new Map<string, bigint>();
      return [...refs, ...existing].map((ref) => {
        const id = ids.get(nameOf(ref));
        return id === undefined ? null : { id, balance: balances.get(id) ?? 0n };
      });
    },

    /**
     * Posts events, each only once per key. Returns the transfer id of each, in order; null if the key had been posted
     * before. Throws if entries do not sum to zero, or (23514) if an account that can refuse, or a lot, would fall
     * below zero. `spend` is the part that counts toward limits (caps/index.ts).
     */
    async post(
      tx: Tx,
      postings: Posting[],
      at: Date,
      spend: store.SpendRow[] = [],
    ): Promise<(string | null)[]> {
      if (postings.length === 0) return [];
      for (const posting of postings) {
        if (posting.entries.reduce((sum, entry) => sum + entry.amount, 0n) !== 0n)
          throw new Error(`Entries for ${posting.key} do not sum to zero`);
        if (posting.entries.every((entry) => entry.amount === 0n))
          throw new Error(`${posting.key} moves no money`);
      }
      const refs = postings.flatMap((posting) =>
        posting.entries.filter((entry) => entry.amount !== 0n).map((entry) => entry.account),
      );
      const ids = await idsOf(tx, refs, at);
      const held = locked.get(tx);
      const refusing = new Set<string>();
      for (const ref of refs) {
        const id = ids.get(nameOf(ref))!;
        if (ACCOUNTS[ref.kind].refuses && !held?.has(id)) refusing.add(id);
      }
      if (refusing.size > 0) await lockIds(tx, [...refusing]);
      const transfers = postings.map((posting) => ({
        id: newId(posting.at ?? at),
        ...posting.owner,
        kind: posting.kind,
        reference_id: posting.referenceId,
        campaign_id: posting.campaignId ?? null,
        memo: posting.memo ?? null,
        idempotency_key: posting.key,
        created_at: posting.at ?? at,
      }));
      const entries = postings.flatMap((posting, i) =>
        posting.entries
          .filter((entry) => entry.amount !== 0n)
          .map((entry, line) => ({
            transfer_id: transfers[i]!.id,
            line: line + 1,
            ...entry.account.owner,
            account_id: ids.get(nameOf(entry.account))!,
            account_code: ACCOUNTS[entry.account.kind].code,
            lot_id: entry.lotId ?? null,
            refuses: ACCOUNTS[entry.account.kind].refuses,
            amount: entry.amount,
            created_at: posting.at ?? at,
          })),
      );
      const added = await store.insertTransfers(tx, transfers, entries, spend);
      onCommit(tx, () => {
        for (const [i, { id, kind }] of transfers.entries()) {
          if (!added.has(id)) continue;
          transfersPosted.inc({ kind });
          const moved = postings[i]!.entries.reduce(
            (sum, { amount }) => sum + (amount > 0n ? amount : 0n),
            0n,
          );
          dollarsPosted.inc({ kind }, Number(moved) / 1_000_000);
        }
      });
      return transfers.map((transfer) => (added.has(transfer.id) ? transfer.id : null));
    },

    /**
     * Returns what was posted under a key: its id, kind, time and entries (kind of account, amount, lot); null if
     * nothing.
     */
    posted: store.posted,

    /** The prepaid balance of campaigns, micro-dollars; campaigns without an account are missing. */
    prepaidOf: (tx: Tx, campaignIds: string[]): Promise<Map<string, bigint>> =>
      campaignIds.length ? store.prepaidOf(tx, campaignIds) : Promise.resolve(new Map()),

    /**
     * Returns the balance of a company's accounts of certain kinds, in micro-dollars, over everything that counts
     * before an instant. Zero for a company that the scope can't see.
     */
    balanceAsOf: (tx: Tx, companyId: string, kinds: AccountKind[], instant: Date): Promise<bigint> =>
      store.balanceOf(tx, companyId, codesOf(...kinds), instant),

    /** The same at several instants, in the order given. */
    balancesAsOf: (tx: Tx, companyId: string, kinds: AccountKind[], instants: Date[]): Promise<bigint[]> =>
      statements.balancesAt(tx, companyId, codesOf(...kinds), instants),

    /**
     * Returns what happened to a company's accounts of certain kinds in [from, before), newest first: one line per
     * event, with its change and the balance right after it, as the statement shows them. Micro-dollars. `after`: the
     * line to continue from.
     */
    async lines(
      tx: Tx,
      asked: { companyId: string; kinds: AccountKind[]; from?: Date | undefined; before?: Date | undefined },
      after: statements.Place | null,
      most: number,
    ): Promise<(statements.LineRow & { balance: bigint })[]> {
      const { kinds, ...narrow } = asked;
      const codes = codesOf(...kinds);
      const lines = await statements.nextLines(tx, { ...narrow, codes }, after, most);
      const [newest] = lines;
      if (!newest) return [];
      const known = await statements.balancesAfter(tx, asked.companyId, codes, [newest]);
      let running = known.get(newest.id)!;
      return lines.map((line) => {
        const balance = running;
        running -= line.amount;
        return { ...line, balance };
      });
    },

    /**
     * Records the balance at each midnight (UTC) that ended a day with entries, up to a day before `now`, a few days
     * per transaction. Returns how many were added.
     */
    async snapshot(db: Db, rootId: string, now: Date): Promise<number> {
      const scope = { rootId };
      const end = now.getTime() - DAY_MS;
      const from = await inScope(db, scope, (tx) => store.snapshotsUpto(tx, rootId));
      let added = 0;
      for (let at = from?.getTime() ?? end; at < end; ) {
        at = Math.min(end, at + SNAPSHOT_DAYS * DAY_MS);
        added += await inScope(db, scope, (tx) => store.addSnapshots(tx, rootId, new Date(at)));
      }
      return added;
    },

    /**
     * Sums sales by day, up to a day before `now`, a few days per transaction: whatever interrupts it, the days that
     * are marked are whole. Returns how many days were added.
     */
    async sumSales(db: Db, rootId: string, now: Date): Promise<number> {
      const scope = { rootId };
      const end = dayOf(new Date(now.getTime() - DAY_MS));
      let added = 0;
      for (let [days, step] = [1, 1]; days > 0; added += days) {
        const began = performance.now();
        days = await inScope(db, scope, async (tx) => {
          const from = await sales.firstMissingDay(tx, rootId, end);
          return from ? sales.addSaleDays(tx, rootId, from, earlier(end, dayAfter(from, step))) : 0;
        });
        const isShort = performance.now() - began < SALE_STEP_MS / 2;
        step = isShort ? Math.min(SALE_DAYS, step * 2) : Math.max(1, Math.floor(step / 2));
      }
      return added;
    },

    /** Forgets the sums of sales by day and makes them again. */
    async resumSales(db: Db, rootId: string, now: Date): Promise<number> {
      await inScope(db, { rootId }, (tx) => sales.forgetSaleDays(tx, rootId));
      return this.sumSales(db, rootId, now);
    },

    /** Sums of sales by group, and the names of companies and campaigns for them. */
    salesBy: sales.salesBy,
    salesNames: sales.namesOf,
    /** What a root earned and paid until each of some instants, from the first event on. */
    resultsAt: (tx: Tx, rootId: string, instants: readonly Date[]) =>
      sales.resultsAt(tx, rootId, RESULT_CODES, instants),

    /** Marks events as collected on a side by an invoice or other transfer. Throws (23505) if one already has been. */
    cover: store.addCovers,
  };
}
