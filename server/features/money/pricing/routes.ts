import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Coupons, OnboardingCharge } from './coupon.service.ts';
import type { createPlans } from './plan.service.ts';
import type { Pricing } from './service.ts';

/** The calls of the feature. `chargeOf` returns an agency's onboarding charge, which is a setting. */
export function pricingRoutes(
  { pricing, plans, coupons }: { pricing: Pricing; plans: ReturnType<typeof createPlans>; coupons: Coupons },
  chargeOf: (ctx: Ctx, companyId: string | undefined) => Promise<OnboardingCharge>,
): Handlers<typeof contract.pricing> {
  const done = <T>(message: string, data: T) => ({ result: 'success' as const, message, data });
  const plain = (message: string) => ({ result: 'success' as const, message });
  return {
    client: (ctx, { company_id, module }) => pricing.client(ctx, company_id, module),
    saveClient: async (ctx, input) => done(messages.updated, await pricing.saveClient(ctx, input)),
    supplierCosts: (ctx) => pricing.suppliers.list(ctx),
    setSupplierCost: async (ctx, input) => done(messages.updated, await pricing.suppliers.set(ctx, input)),
    plans: async (ctx) => ({ data: await plans.list(ctx) }),
    createPlan: async (ctx, input) => done(messages.added, await plans.create(ctx, input)),
    updatePlan: async (ctx, input) => done(messages.updated, await plans.update(ctx, input)),
    defaultPlan: async (ctx, { id }) => done(messages.updated, await plans.setDefault(ctx, id)),
    async removePlan(ctx, { id }) {
      await plans.remove(ctx, id);
      return plain(messages.updated);
    },
    async choosePlan(ctx, { company_id, plan_id }) {
      await plans.choose(ctx, company_id, plan_id);
      return plain(messages.updated);
    },
    coupons: async (ctx) => ({ data: await coupons.list(ctx) }),
    createCoupon: async (ctx, input) => done(messages.added, await coupons.create(ctx, input)),
    async removeCoupon(ctx, { id }) {
      await coupons.remove(ctx, id);
      return plain(messages.updated);
    },
    coupon: async (ctx, { coupon_code, company_id }) => ({
      result: 'success',
      data: await coupons.look(ctx, coupon_code, await chargeOf(ctx, company_id)),
    }),
  };
}
