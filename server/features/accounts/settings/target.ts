import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Tenants } from '../tenants/index.ts';

/** The company whose settings a call is about. */
export type Target = NonNullable<Awaited<ReturnType<Tenants['company']>>>;

/**
 * Returns the company a request names, or the actor's own: a root may configure itself and its agencies, an agency only
 * itself. Clients have no settings.
 * @throws Refusal 404 for any other company
 */
export async function targetOf(
  tenants: Tenants,
  tx: Tx,
  ctx: Ctx,
  companyId: string | undefined,
): Promise<Target> {
  const { actor } = ctx;
  const company = await tenants.company(tx, companyId ?? actor.companyId);
  const isOwn = company?.id === actor.companyId;
  if (
    !company ||
    company.kind === 'client' ||
    !(isOwn || (actor.kind === 'root' && company.kind === 'agency'))
  )
    throw new Refusal('not_found', ownMessages.notFound);
  return company;
}

export const ownerOf = (company: Target): Owner => ({
  root_id: company.root_id,
  agency_id: company.agency_id,
  company_id: company.id,
});
