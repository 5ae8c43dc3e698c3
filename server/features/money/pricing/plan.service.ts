import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { dollarsOf, microsOf, usd } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import * as store from './plan.store.ts';

interface PlanGiven {
  plan_name: string;
  months: string[];
  flat: string;
}

const wire = (row: Omit<store.PlanRow, 'version'>) => ({
  id: row.id,
  plan_name: row.name,
  months: row.months.map((micros) => dollarsOf(micros)),
  flat: dollarsOf(row.flat),
  default: row.is_default ? ('T' as const) : ('F' as const),
});
const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/** A root's minimum-spend plans, and which agency has which (spec product 3, Minimum-spend plan). */
export function createPlans(
  { db, clock, events }: Platform,
  { tenants, audit }: { tenants: Tenants; audit: Audit },
) {
  const ownerOf = (ctx: Ctx) => ({
    root_id: ctx.actor.rootId,
    agency_id: null,
    company_id: ctx.actor.rootId,
  });
  const one = async (tx: Tx, ctx: Ctx, id: string) => {
    const [row] = await store.plans(tx, ctx.actor.rootId, clock.now(), id);
    return row ?? missing();
  };
  const record = (tx: Tx, ctx: Ctx, action: string, id: string, description: string) =>
    audit.record(tx, ctx, { action, objectKind: 'minspend_plan', objectId: id, description });
  const answer = async (tx: Tx, ctx: Ctx, id: string) => {
    const row = await one(tx, ctx, id);
    return { ...wire(row), version: row.version };
  };
  const changed = (tx: Tx, ctx: Ctx): Promise<void> =>
    events.emit(tx, 'minspend.changed', { rootId: ctx.actor.rootId });
  const within = <T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, ctx.scope, async (tx) => {
      await store.lockPlans(tx, ctx.actor.rootId);
      const done = await work(tx);
      await changed(tx, ctx);
      return done;
    });
  const keepAmounts = (tx: Tx, ctx: Ctx, id: string, given: PlanGiven) =>
    store.insertAmounts(tx, {
      ...ownerOf(ctx),
      plan_id: id,
      valid_from: clock.now(),
      months: given.months.map(microsOf),
      flat: microsOf(given.flat),
    });
  const describe = (given: PlanGiven): string =>
    `${given.plan_name} (${[...given.months, given.flat].map((one) => usd(microsOf(one))).join(', ')} per month)`;

  /**
   * Assigns a plan to an agency from now on; null: the default one. Returns the plan's name.
   * @throws Refusal 422
   */
  async function give(tx: Tx, ctx: Ctx, agency: { id: string; root_id: string }, planId: string | null) {
    const [plan] = planId ? await store.plans(tx, ctx.actor.rootId, clock.now(), planId) : [];
    if (planId && !plan) throw refusalOf('plan_id', 'is not a plan of this platform');
    const owner = { root_id: agency.root_id, agency_id: agency.id, company_id: agency.id };
    await store.insertChoice(tx, { ...owner, plan_id: planId, valid_from: clock.now() });
    return plan?.name ?? 'the default plan';
  }

  return {
    /** The same within a change that writes its own row in the user log. @throws Refusal 422 */
    async giveWithin(tx: Tx, ctx: Ctx, agency: { id: string; root_id: string }, planId: string | null) {
      await store.lockPlans(tx, ctx.actor.rootId);
      const name = await give(tx, ctx, agency, planId);
      await changed(tx, ctx);
      return name;
    },

    list: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) =>
        (await store.plans(tx, ctx.actor.rootId, clock.now())).map((row) => ({
          ...wire(row),
          version: row.version,
        })),
      ),

    /**
     * Adds a plan and makes it its root's default, for the demo and tests: without an actor and without notifying
     * anyone.
     */
    async insertDefault(
      tx: Tx,
      root: { id: string },
      given: { name: string; months: bigint[]; flat: bigint },
      at: Date,
    ): Promise<void> {
      const id = newId(at);
      const owner = { root_id: root.id, agency_id: null, company_id: root.id };
      await store.unmarkDefault(tx, root.id);
      await store.insertPlan(tx, { id, ...owner, name: given.name, is_default: true, created_at: at });
      await store.insertAmounts(tx, {
        ...owner,
        plan_id: id,
        valid_from: at,
        months: given.months,
        flat: given.flat,
      });
    },

    /** Adds a plan; a root's first is its default. @throws Refusal 422 when the name is taken */
    create: (ctx: Ctx, given: PlanGiven) =>
      within(ctx, async (tx) => {
        const at = clock.now();
        const id = newId(at);
        if (await store.nameTaken(tx, ctx.actor.rootId, given.plan_name, id))
          throw refusalOf('plan_name', 'is already the name of another plan');
        await boundedBy(tx, 'plans', ctx.actor.rootId, 'plan_name');
        const isFirst = (await store.plans(tx, ctx.actor.rootId, at)).length === 0;
        await store.insertPlan(tx, {
          id,
          ...ownerOf(ctx),
          name: given.plan_name,
          is_default: isFirst,
          created_at: at,
        });
        await keepAmounts(tx, ctx, id, given);
        await record(tx, ctx, 'minspend.create', id, `Added the minimum-spend plan ${describe(given)}`);
        return answer(tx, ctx, id);
      }),

    /** Changes a plan from now on. @throws Refusal 404, 409 when `version` is not the newest, 422 */
    update: (ctx: Ctx, given: PlanGiven & { id: string; version: number }) =>
      within(ctx, async (tx) => {
        await one(tx, ctx, given.id);
        if (await store.nameTaken(tx, ctx.actor.rootId, given.plan_name, given.id))
          throw refusalOf('plan_name', 'is already the name of another plan');
        if (!(await store.updatePlan(tx, given.id, { name: given.plan_name }, given.version)))
          throw new Refusal('conflict', ownMessages.costStale);
        await keepAmounts(tx, ctx, given.id, given);
        await record(
          tx,
          ctx,
          'minspend.update',
          given.id,
          `Changed the minimum-spend plan ${describe(given)}`,
        );
        return answer(tx, ctx, given.id);
      }),

    setDefault: (ctx: Ctx, id: string) =>
      within(ctx, async (tx) => {
        const plan = await one(tx, ctx, id);
        await store.unmarkDefault(tx, ctx.actor.rootId);
        await store.updatePlan(tx, id, { is_default: true });
        await record(tx, ctx, 'minspend.default', id, `Made ${plan.name} the default minimum-spend plan`);
        return answer(tx, ctx, id);
      }),

    /**
     * Removes a plan that no agency has.
     * @throws Refusal 404, 409
     */
    remove: (ctx: Ctx, id: string) =>
      within(ctx, async (tx) => {
        const plan = await one(tx, ctx, id);
        if (plan.is_default)
          throw new Refusal('conflict', 'This is the default plan. Make another plan the default first.');
        const agencies = await store.agenciesOn(tx, id);
        if (agencies > 0)
          throw new Refusal(
            'conflict',
            `${agencies === 1 ? '1 agency has' : `${agencies} agencies have`} this plan. Choose another plan for them first.`,
          );
        await store.updatePlan(tx, id, { removed_at: clock.now() });
        await record(tx, ctx, 'minspend.remove', id, `Removed the minimum-spend plan ${plan.name}`);
      }),

    /** Chooses an agency's plan from now on; null: the default one. @throws Refusal 404, 422 */
    choose: (ctx: Ctx, companyId: string, planId: string | null) =>
      within(ctx, async (tx) => {
        const company = await tenants.company(tx, companyId);
        if (company?.kind !== 'agency') return missing();
        const name = await give(tx, ctx, company, planId);
        const owner = { root_id: company.root_id, agency_id: company.id, company_id: company.id };
        await audit.record(tx, ctx, {
          action: 'minspend.choose',
          objectKind: 'company',
          objectId: company.id,
          description: `Chose the minimum-spend plan of ${company.name}: ${name}`,
          owner,
        });
      }),

    /** An agency's plan as it was at an instant, its own or its root's default; undefined: none. */
    planOf: store.planOf,
    /** The plan that is a root's default at an instant; undefined: none. */
    defaultOf: async (tx: Tx, rootId: string, at: Date) =>
      (await store.plans(tx, rootId, at)).find((plan) => plan.is_default),
    /** Returns a plan in wire form. */
    wire,
  };
}

export type Plans = ReturnType<typeof createPlans>;
