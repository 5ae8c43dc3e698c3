import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../platform/db/schema.ts';
import type { Tx } from '../../platform/db/scope.ts';
import type { LockedCap } from '../caps/index.ts';
import type { OpenLot } from '../wallet/index.ts';

export async function insertSupplierCost(tx: Tx, row: Insertable<Schema['supplier_cost']>): Promise<void> {
  await tx
    .insertInto('supplier_cost')
    .values({ ...row })
    .execute();
}

/** What a lead costs a root at an instant; zero when it has said nothing. */
export async function supplierCost(tx: Tx, rootId: string, module: string, at: Date): Promise<bigint> {
  const row = await tx
    .selectFrom('supplier_cost')
    .select('cost_micros')
    .where('root_id', '=', rootId)
    .where('module', '=', module)
    .where('valid_from', '<=', at)
    .orderBy('valid_from', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.cost_micros ?? 0n;
}

/**
 * Locks balances and limits and reads them and the open lots of wallets, in one round trip (migration 0031, open_till).
 * Balances by account.
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
  }>`select open_till(${accounts}, ${wallets}, ${subjects}) as till`.execute(tx);
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
