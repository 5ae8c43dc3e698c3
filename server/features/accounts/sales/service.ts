import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { type Ctx, isSales } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import { mustGiveSales, type Users } from '../users/index.ts';
import * as store from './store.ts';

export type Sales = ReturnType<typeof createSales>;
type SalesRole = store.SalesRole;

const ROLES: readonly {
  role: SalesRole;
  field: 'sales_rep_id' | 'account_executive_id' | 'referrer_id';
  words: string;
}[] = [
  { role: 'representative', field: 'sales_rep_id', words: 'sales representative' },
  { role: 'account_executive', field: 'account_executive_id', words: 'account executive' },
  { role: 'referrer', field: 'referrer_id', words: 'referral account' },
];

/** Assignments of salespeople to a company: an id, '' or null for no one, undefined to leave it unchanged. */
type Given = { company_id: string } & Partial<
  Record<'sales_rep_id' | 'account_executive_id' | 'referrer_id', string | null>
>;

interface DownlineAsked {
  page: number;
  per_page: number;
  sort?: string | undefined;
  order?: 'asc' | 'desc' | undefined;
  search?: string | undefined;
  company_id?: string | undefined;
  kind?: 'agency' | 'client' | undefined;
}

/**
 * Which salespeople companies are assigned to, and what those salespeople see (spec product 6, 7; docs/decisions/0050).
 */
export function createSales({ db, clock }: Platform, parts: { audit: Audit; users: Users }) {
  const { audit, users } = parts;

  /**
   * Returns a company directly below the user's own: a root's agency, an agency's client.
   * @throws Refusal 404 for one outside the scope, 422 for one further down
   */
  async function child(tx: Tx, ctx: Ctx, id: string) {
    const company = await store.lockChild(tx, id);
    if (!company?.agency_id) throw new Refusal('not_found', ownMessages.notFound);
    if (company.parent_id !== ctx.actor.companyId)
      throw new Refusal('invalid', 'company_id: must be directly below your own company', {
        errors: { company_id: ['is not directly below your own company'] },
      });
    return { ...company, agency_id: company.agency_id };
  }

  /**
   * Sets the salespeople of a company directly below the user's own as part of a change; returns what changed, in words
   * for its log row.
   * @throws Refusal 403 if the user's own role allows less than a salesperson gets, 422 for a person who is not one of
   * the user's own salespeople
   */
  async function setWithin(
    tx: Tx,
    ctx: Ctx,
    company: { id: string; root_id: string; agency_id: string },
    given: Partial<
      Record<'sales_rep_id' | 'account_executive_id' | 'referrer_id', string | null | undefined>
    >,
  ): Promise<string[]> {
    const own = new Map((await store.salesOf(tx, ctx.actor.companyId)).map((one) => [one.id, one.name]));
    const had = new Map((await store.assignments(tx, company.id)).map((one) => [one.role, one]));
    const changes: string[] = [];
    for (const { role, field, words } of ROLES) {
      const id = given[field];
      // The current holder of the role keeps it, even if they have since left.
      if (id === undefined || (id || undefined) === had.get(role)?.id) continue;
      const name = id ? own.get(id) : undefined;
      if (id && !name)
        throw new Refusal('invalid', `${field}: must be one of your salespeople`, {
          errors: { [field]: ['must be one of your salespeople'] },
        });
      if (id) mustGiveSales(ctx.actor.modules, field);
      if (id) await store.assign(tx, company, role, id, clock.now());
      else await store.unassign(tx, company.id, role);
      changes.push(`${words}: ${name ?? 'nobody'}`);
    }
    return changes;
  }

  return {
    setWithin,

    /**
     * Checks that the companies are assigned to the salesperson who is calling; other users are not checked.
     * @throws Refusal 404
     */
    async mustCare(tx: Tx, ctx: Ctx, companyIds: readonly (string | null)[]): Promise<void> {
      if (!isSales(ctx.actor)) return;
      const ids = companyIds.filter((id) => id !== null);
      if (!(await store.isInCare(tx, ctx.actor.userId, ids)))
        throw new Refusal('not_found', ownMessages.notFound);
    },

    /** Assigns a company's role to a person without any checks; for the demo and tests. */
    assign: store.assign,

    /**
     * Returns who a company can be assigned to, and who it is assigned to now.
     * @throws Refusal 404, 422 as `child`
     */
    list: (ctx: Ctx, companyId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = await child(tx, ctx, companyId);
        return {
          people: await store.salesOf(tx, ctx.actor.companyId),
          assigned: await store.assignments(tx, company.id),
        };
      }),

    /**
     * Sets a company's salespeople.
     * @throws Refusal 404, 422 as `child`, and 422 for a person who is not one of the user's own salespeople
     */
    set: (ctx: Ctx, given: Given) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = await child(tx, ctx, given.company_id);
        const changes = await setWithin(tx, ctx, company, given);
        await audit.record(tx, ctx, {
          action: 'sales.assign',
          objectKind: 'company',
          objectId: company.id,
          description: `Set the salespeople of ${company.name}: ${changes.join(', ') || 'no changes'}`,
        });
      }),

    /**
     * Assigns a new company to the salesperson who referred it, if they belong to the company directly above it; other
     * referrers are only named in the sign-up.
     */
    async referred(
      tx: Tx,
      company: { id: string; root_id: string; agency_id: string; parent_id: string },
      referrerId: string,
      at: Date,
    ): Promise<boolean> {
      const referrer = await users.byId(tx, referrerId);
      if (referrer?.role !== 'sales' || referrer.disabled_at || referrer.company_id !== company.parent_id)
        return false;
      await store.assign(tx, company, 'referrer', referrerId, at);
      return true;
    },

    /**
     * Returns what is assigned to the salesperson who is calling: a root's salespeople get agencies, or the clients of
     * `company_id` or of all their agencies; an agency's salespeople get clients.
     * @throws Refusal 404 for an agency that is not assigned to them
     */
    downline: (ctx: Ctx, asked: DownlineAsked) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { userId } = ctx.actor;
        const isRoot = ctx.actor.kind === 'root';
        if (asked.company_id && !(isRoot && (await store.isAssigned(tx, userId, asked.company_id))))
          throw new Refusal('not_found', ownMessages.notFound);
        const { rows, total } = await store.pageOfDownline(tx, userId, {
          kind: !isRoot || asked.company_id || asked.kind === 'client' ? 'client' : 'agency',
          agencyId: asked.company_id,
          search: asked.search ?? '',
          sort: asked.sort,
          order: asked.order ?? 'asc',
          limit: asked.per_page,
          offset: (asked.page - 1) * asked.per_page,
        });
        return page(rows, total, asked);
      }),
  };
}
