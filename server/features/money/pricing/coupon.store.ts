import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** What a coupon is worth, and its status. */
export interface CouponRow {
  id: string;
  code: string;
  percent: string | null;
  amount_micros: bigint | null;
  max_uses: number | null;
  uses: number;
  expires_at: Date | null;
}

export async function coupons(tx: Tx, rootId: string): Promise<CouponRow[]> {
  return tx
    .selectFrom('coupon')
    .select(['id', 'code', 'percent', 'amount_micros', 'max_uses', 'uses', 'expires_at'])
    .where('company_id', '=', rootId)
    .where('removed_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Adds a coupon; false if this code already exists. */
export async function insertCoupon(tx: Tx, row: Insertable<Schema['coupon']>): Promise<boolean> {
  const done = await tx
    .insertInto('coupon')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Withdraws a coupon and returns its code; undefined if it does not exist. */
export async function removeCoupon(tx: Tx, id: string, at: Date): Promise<string | undefined> {
  const row = await tx
    .updateTable('coupon')
    .set({ removed_at: at })
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .returning('code')
    .executeTakeFirst();
  return row?.code;
}

/** The coupon of the scope's root with this code. */
export async function couponByCode(tx: Tx, code: string): Promise<CouponRow | undefined> {
  return (await sql<CouponRow>`select * from coupon_by_code(${code})`.execute(tx)).rows[0];
}

export async function hasUsed(tx: Tx, couponId: string, agencyId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('coupon_use')
    .select('coupon_id')
    .where('coupon_id', '=', couponId)
    .where('agency_id', '=', agencyId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Counts a use; false if no uses are left, or if it has ended or been withdrawn. Run in the root's scope. */
export async function takeUse(tx: Tx, couponId: string, at: Date): Promise<boolean> {
  const done = await tx
    .updateTable('coupon')
    .set({ uses: sql<number>`uses + 1` })
    .where('id', '=', couponId)
    .where('removed_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]))
    .where((eb) => eb.or([eb('max_uses', 'is', null), eb('uses', '<', eb.ref('max_uses'))]))
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

/** Records that an agency has used a coupon; false if it already had. */
export async function insertUse(tx: Tx, row: Insertable<Schema['coupon_use']>): Promise<boolean> {
  const done = await tx
    .insertInto('coupon_use')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
}
