import type { Owner } from '../../platform/db/owner.ts';
import type { Tx } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import * as store from './store.ts';

/** Accounts that can refuse: they keep a balance that never falls below zero. */
const REFUSING = new Set(['client_prepaid', 'agency_wallet']);

export type AccountKind =
  | 'client_prepaid'
  | 'client_receivable'
  | 'agency_wallet'
  | 'agency_payable'
  | 'agency_revenue'
  | 'root_revenue'
  | 'card_clearing'
  | 'expired';

/** Names an account: whose, of what kind, and for which campaign where that matters. It is opened on first use. */
export interface AccountRef {
  owner: Owner;
  kind: AccountKind;
  campaignId?: string;
}

/** One event of money: entries that sum to zero, in micro-dollars; above zero raises what the account's owner has. */
export interface Posting {
  owner: Owner;
  kind: 'lead' | 'top_up';
  referenceId: string;
  /** The same key posts once, however often it is asked. */
  key: string;
  entries: { account: AccountRef; amount: bigint }[];
}

export type Ledger = ReturnType<typeof createLedger>;

const nameOf = (ref: {
  owner: { company_id: string };
  kind: string;
  campaignId?: string | null | undefined;
}): string => `${ref.owner.company_id}/${ref.kind}/${ref.campaignId ?? ''}`;

/** The double-entry ledger: the only code that moves money. */
export function createLedger() {
  /** The ids of accounts, opened where they are new. */
  async function open(tx: Tx, refs: AccountRef[], at: Date): Promise<Map<string, string>> {
    const wanted = new Map(refs.map((ref) => [nameOf(ref), ref]));
    const find = async (): Promise<Map<string, string>> => {
      const rows = await store.findAccounts(
        tx,
        [...new Set(refs.map((ref) => ref.owner.company_id))],
        [...new Set(refs.map((ref) => ref.kind))],
      );
      return new Map(
        rows.map((row) => [nameOf({ owner: row, kind: row.kind, campaignId: row.campaign_id }), row.id]),
      );
    };
    let known = await find();
    const missing = [...wanted].filter(([name]) => !known.has(name));
    if (missing.length > 0) {
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
      known = await find();
      const refusing = missing.filter(([, ref]) => REFUSING.has(ref.kind));
      if (refusing.length > 0) {
        await store.addBalances(
          tx,
          refusing.map(([name, ref]) => ({ account_id: known.get(name)!, ...ref.owner, balance: 0n })),
        );
      }
    }
    return known;
  }

  return {
    /**
     * Opens and locks accounts that can refuse and returns their balances (micro-dollars), in the order asked. Nobody
     * else can post to them until the transaction ends.
     */
    async lock(tx: Tx, refs: AccountRef[], at: Date): Promise<bigint[]> {
      if (refs.length === 0) return [];
      const ids = await open(tx, refs, at);
      const balances = await store.lockBalances(
        tx,
        refs.map((ref) => ids.get(nameOf(ref))!),
      );
      return refs.map((ref) => balances.get(ids.get(nameOf(ref))!) ?? 0n);
    },

    /**
     * Posts events, each once per key. Returns the transfer id of each, in order; null where the key had been posted
     * before. Throws when entries do not sum to zero, or (23514) when an account that can refuse would fall below zero.
     */
    async post(tx: Tx, postings: Posting[], at: Date): Promise<(string | null)[]> {
      if (postings.length === 0) return [];
      for (const posting of postings) {
        if (posting.entries.reduce((sum, entry) => sum + entry.amount, 0n) !== 0n)
          throw new Error(`Entries of ${posting.key} do not sum to zero`);
      }
      const ids = await open(
        tx,
        postings.flatMap((posting) => posting.entries.map((entry) => entry.account)),
        at,
      );
      const transfers = postings.map((posting) => ({
        id: newId(at),
        ...posting.owner,
        kind: posting.kind,
        reference_id: posting.referenceId,
        idempotency_key: posting.key,
        created_at: at,
      }));
      const added = await store.insertTransfers(tx, transfers);
      const entries = postings.flatMap((posting, i) =>
        added.has(transfers[i]!.id)
          ? posting.entries
              .filter((entry) => entry.amount !== 0n)
              .map((entry, line) => ({
                transfer_id: transfers[i]!.id,
                line: line + 1,
                ...entry.account.owner,
                account_id: ids.get(nameOf(entry.account))!,
                refuses: REFUSING.has(entry.account.kind),
                amount: entry.amount,
                created_at: at,
              }))
          : [],
      );
      const changes = new Map<string, bigint>();
      for (const entry of entries) {
        if (entry.refuses)
          changes.set(entry.account_id, (changes.get(entry.account_id) ?? 0n) + entry.amount);
      }
      if (changes.size > 0) {
        await store.lockBalances(tx, [...changes.keys()]);
        await store.changeBalances(
          tx,
          [...changes].map(([id, by]) => ({ id, by })),
        );
      }
      if (entries.length > 0) await store.insertEntries(tx, entries);
      return transfers.map((transfer) => (added.has(transfer.id) ? transfer.id : null));
    },

    /** What was posted under a key: its greatest amount, micro-dollars. */
    amountOf: store.amountOf,

    /** The prepaid balance of campaigns, micro-dollars; campaigns without an account are missing. */
    prepaidOf: (tx: Tx, campaignIds: string[]): Promise<Map<string, bigint>> =>
      campaignIds.length ? store.prepaidOf(tx, campaignIds) : Promise.resolve(new Map()),
  };
}
