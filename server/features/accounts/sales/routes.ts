import { isInCare } from '../../../../contract/accounts/row-actions.ts';
import type { SalesCompany } from '../../../../contract/accounts/sales.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Sales } from './service.ts';

/** The salespeople assigned to a company, in API form (spec product 3, Agency node). */
export function salesNames(assigned: readonly { role: string; id: string; name: string }[]) {
  const of = (role: string) => assigned.find((one) => one.role === role) ?? { id: '', name: '' };
  return {
    sales_rep: of('representative').name,
    sales_rep_id: of('representative').id,
    account_executive: of('account_executive').name,
    account_executive_id: of('account_executive').id,
    referrer: of('referrer').name,
    referrer_id: of('referrer').id,
  };
}

type Details = NonNullable<SalesCompany['details']>;

/**
 * The routes about salespeople and their companies; what they do for themselves belongs to the setup. `detailsOf`
 * returns the details of companies directly below the user's own, for the salespeople assigned to them.
 */
export function salesListRoutes(
  sales: Sales,
  detailsOf: (ctx: Ctx, ids: readonly string[]) => Promise<ReadonlyMap<string, Details>>,
): Handlers<typeof contract.sales> {
  return {
    async getSalesList(ctx, { company_id }) {
      const { people, assigned } = await sales.list(ctx, company_id);
      return {
        data: people.map((one) => ({
          id: one.id,
          name: one.name,
          is_account_executive: one.is_account_executive ? ('T' as const) : ('F' as const),
        })),
        ...salesNames(assigned),
      };
    },
    async setSalesPerson(ctx, input) {
      await sales.set(ctx, input);
      return { result: 'success', message: messages.settingSaved };
    },
    async downline(ctx, input) {
      const found = await sales.downline(ctx, input);
      const cared = found.data.filter((row) => isInCare(row.roles)).map((row) => row.id);
      const details = cared.length > 0 ? await detailsOf(ctx, cared) : new Map<string, Details>();
      const data = found.data.map((row) => ({
        ...row,
        kind: row.kind === 'client' ? ('client' as const) : ('agency' as const),
        created_at: row.created_at.toISOString(),
        clients: Number(row.clients),
        details: details.get(row.id) ?? null,
      }));
      return { ...found, data };
    },
  };
}
