import type { Tx } from '../../../platform/db/scope.ts';

/**
 * Campaigns of an agency that are running, or on hold because their price is below their cost, with their clients'
 * names.
 */
export async function campaignsOf(tx: Tx, agencyId: string) {
  return tx
    .selectFrom('campaign as c')
    .innerJoin('company as o', 'o.id', 'c.company_id')
    .select([
      'c.id',
      'c.number',
      'c.name',
      'c.root_id',
      'c.agency_id',
      'c.company_id',
      'c.module',
      'c.state',
      'c.state_reason',
      'o.name as company_name',
    ])
    .where('c.agency_id', '=', agencyId)
    .where((eb) =>
      eb.or([
        eb('c.state', '=', 'active'),
        eb.and([eb('c.state', '=', 'paused'), eb('c.state_reason', '=', 'below_cost')]),
      ]),
    )
    .orderBy('c.number')
    .execute();
}

/** The instants after `at` from which the root charges an agency, or all agencies, a different price, soonest first. */
export async function changesAfter(tx: Tx, agencyId: string, at: Date): Promise<Date[]> {
  const rows = await tx
    .selectFrom('wholesale_cost')
    .select('valid_from')
    .distinct()
    .where('company_id', '=', agencyId)
    .where('valid_from', '>', at)
    .orderBy('valid_from')
    .limit(20)
    .execute();
  return rows.map((row) => row.valid_from);
}

/** The agencies of a root with campaigns that are running or on hold because they are below cost. */
export async function agenciesOf(tx: Tx, rootId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('campaign')
    .select('agency_id')
    .distinct()
    .where('root_id', '=', rootId)
    .where((eb) =>
      eb.or([
        eb('state', '=', 'active'),
        eb.and([eb('state', '=', 'paused'), eb('state_reason', '=', 'below_cost')]),
      ]),
    )
    .execute();
  return rows.map((row) => row.agency_id);
}
