import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { dollarsOf, microsOf, usd } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import * as store from './coupon.store.ts';
import { discountOf } from './policy.ts';

/** An agency's onboarding charge, micro-dollars, as the features above know it. */
export interface OnboardingCharge {
  agencyId: string;
  amountMicros: bigint;
  couponsOn: boolean;
}

/** Prevents codes from being found by trial and error. */
const TRIES: LimitRule = { name: 'coupon', max: 20, base: 60, cap: 3600, window: 86_400 };

const worth = (row: store.CouponRow) => ({
  coupon_code: row.code,
  percent: row.percent,
  amount: row.amount_micros === null ? null : dollarsOf(row.amount_micros),
  expires_at: row.expires_at?.toISOString() ?? null,
});
const wire = (row: store.CouponRow) => ({
  ...worth(row),
  id: row.id,
  max_uses: row.max_uses,
  uses: row.uses,
});
const refuseCode = (why: string): Refusal => new Refusal('invalid', why, { errors: { coupon_code: [why] } });

/** A root's coupons for the onboarding charge of its agencies; each agency may use one once. */
export function createCoupons({ db, clock }: Platform, { audit, limits }: { audit: Audit; limits: Limits }) {
  /** The coupon, if this agency could use it now. @throws Refusal 422 */
  async function usable(tx: Tx, code: string, agencyId: string, at: Date): Promise<store.CouponRow> {
    const coupon = await store.couponByCode(tx, code);
    if (
      !coupon ||
      (coupon.expires_at && coupon.expires_at <= at) ||
      (coupon.max_uses !== null && coupon.uses >= coupon.max_uses)
    )
      throw refuseCode(ownMessages.couponUnknown);
    if (await store.hasUsed(tx, coupon.id, agencyId)) throw refuseCode(ownMessages.couponUsed);
    return coupon;
  }

  return {
    list: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) => (await store.coupons(tx, ctx.actor.rootId)).map(wire)),

    /** Adds a coupon. @throws Refusal 422 naming the field */
    create: (
      ctx: Ctx,
      given: {
        coupon_code: string;
        percent?: string | undefined;
        amount?: string | undefined;
        max_uses?: number | undefined;
        expires_at?: string | undefined;
      },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if ((given.percent === undefined) === (given.amount === undefined))
          throw refusalOf('amount', 'must be either a percentage or an amount');
        const at = clock.now();
        const expires_at = given.expires_at ? new Date(given.expires_at) : null;
        if (expires_at && expires_at <= at) throw refusalOf('expires_at', 'must be in the future');
        await boundedBy(tx, 'coupons', ctx.actor.rootId, 'coupon_code');
        const row = {
          id: newId(at),
          code: given.coupon_code,
          percent: given.percent ?? null,
          amount_micros: given.amount === undefined ? null : microsOf(given.amount),
          max_uses: given.max_uses ?? null,
          expires_at,
        };
        const owner = { root_id: ctx.actor.rootId, agency_id: null, company_id: ctx.actor.rootId };
        if (!(await store.insertCoupon(tx, { ...owner, ...row, created_at: at })))
          throw refusalOf('coupon_code', 'is already the code of another coupon');
        await audit.record(tx, ctx, {
          action: 'coupon.create',
          objectKind: 'coupon',
          objectId: row.id,
          description: `Added the coupon ${row.code}: ${row.percent ? `${row.percent}%` : usd(microsOf(given.amount ?? '0'))}`,
        });
        return wire({ ...row, uses: 0 });
      }),

    /**
     * Withdraws a coupon; the record of where it was used is kept.
     * @throws Refusal 404
     */
    remove: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const code = await store.removeCoupon(tx, id, clock.now());
        if (!code) throw new Refusal('not_found', ownMessages.notFound);
        await audit.record(tx, ctx, {
          action: 'coupon.remove',
          objectKind: 'coupon',
          objectId: id,
          description: `Withdrew the coupon ${code}`,
        });
      }),

    /** What a coupon would take off an agency's onboarding charge. Nothing is used up. @throws Refusal 422, 429 */
    async look(ctx: Ctx, code: string, charge: OnboardingCharge) {
      await limits.take(TRIES, ctx.actor.userId);
      if (!charge.couponsOn) throw refuseCode(ownMessages.couponOff);
      const coupon = await inScope(db.app, ctx.scope, (tx) => usable(tx, code, charge.agencyId, clock.now()));
      const discount = discountOf(coupon, charge.amountMicros);
      return {
        ...worth(coupon),
        charge: dollarsOf(charge.amountMicros),
        discount: dollarsOf(discount),
        total: dollarsOf(charge.amountMicros - discount),
      };
    },

    /**
     * Redeems a coupon for an agency, in the transaction of its charge and in the root's scope. Returns what it takes
     * off, micro-dollars.
     * @throws Refusal 422 if it cannot be used (anymore)
     */
    async redeem(tx: Tx, rootId: string, charge: OnboardingCharge, code: string, at: Date): Promise<bigint> {
      if (!charge.couponsOn) throw refuseCode(ownMessages.couponOff);
      const coupon = await usable(tx, code, charge.agencyId, at);
      const owner = { root_id: rootId, agency_id: charge.agencyId, company_id: charge.agencyId };
      if (!(await store.insertUse(tx, { coupon_id: coupon.id, ...owner, used_at: at })))
        throw refuseCode(ownMessages.couponUsed);
      if (!(await store.takeUse(tx, coupon.id, at))) throw refuseCode(ownMessages.couponUnknown);
      return discountOf(coupon, charge.amountMicros);
    },
  };
}

export type Coupons = ReturnType<typeof createCoupons>;
