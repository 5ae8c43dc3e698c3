import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import type { LockedCap } from '../spending-limits/index.ts';
import type { OpenLot } from '../wallet/index.ts';

/**
 * Locks and reads balances, limits and the open lots of wallets in one round trip (open_till in the database).
 * Balances are by account.
 */
export async function lockTill(
  tx: Tx,
  accounts: string[],
  wallets: string[],
  subjects: string[],
): Promise<{ balances: Map<string, bigint>; lots: (OpenLot & { account_id: string })[]; caps: LockedCap[] }> {
  type Text<T> = {
    [K in keyof T]: T[K] extends bigint | Date ? string : T[K] extends bigint | null ? string | null : T[K];
  };
  const { rows } = await sql<{
    till: {
      balances: Record<string, string>;
      lots: Text<OpenLot & { account_id: string }>[];
      caps: Text<LockedCap>[];
    };
  }>`/* kept: open_till */ select open_till(${accounts}, ${wallets}, ${subjects}) as till`.execute(tx);
  const { balances, lots, caps } = rows[0]!.till;
  const micros = (text: string | null) => (text === null ? null : BigInt(text));
  return {
    balances: new Map(Object.entries(balances).map(([id, balance]) => [id, BigInt(balance)])),
    lots: lots.map((lot) => ({
      ...lot,
      remaining: BigInt(lot.remaining),
      expires_at: new Date(lot.expires_at),
      created_at: new Date(lot.created_at),
    })),
    caps: caps.map((cap) => ({
      ...cap,
      hard_micros: micros(cap.hard_micros),
      soft_micros: micros(cap.soft_micros),
    })),
  };
}
