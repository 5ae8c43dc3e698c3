import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import { MOST_REPLAYED } from './policy.ts';
import { type Reopened, reopenedColumns } from './store.ts';

/** Lets one transaction at a time decide where a lead goes. */
export async function lockLead(tx: Tx, leadId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`delivery.turn:${leadId}`}, 0))`.execute(tx);
}

/** The deliveries of a lead with what deciding its turn needs, in the order of their destinations. */
export async function deliveriesOfLead(tx: Tx, leadId: string) {
  return tx
    .selectFrom('delivery as d')
    .innerJoin('integration as i', 'i.id', 'd.integration_id')
    .select(['d.id', 'd.state', 'd.attempts', 'd.turn', 'd.chosen'])
    .select(['i.state as integration_state', 'i.rules'])
    .where('d.lead_id', '=', leadId)
    .orderBy('i.created_at')
    .orderBy('i.id')
    .execute();
}
export type OfLead = Awaited<ReturnType<typeof deliveriesOfLead>>[number];

export async function choose(tx: Tx, id: string, chosen: boolean): Promise<void> {
  await tx.updateTable('delivery').set({ chosen }).where('id', '=', id).execute();
}

/** Gives a delivery that was skipped its lead's turn. */
export async function revive(tx: Tx, id: string, at: Date): Promise<Reopened | undefined> {
  const { rows } = await sql<Reopened>`
    update delivery d set state = 'pending', chosen = true, next_at = ${at}
    from integration i left join connection c on c.id = i.connection_id
    where d.id = ${id} and d.state = 'skipped' and i.id = d.integration_id
    returning ${reopenedColumns}`.execute(tx);
  return rows[0];
}

/** Makes what waits for the hours of a destination due now. */
export async function endWaits(tx: Tx, integrationId: string, at: Date): Promise<Reopened[]> {
  const { rows } = await sql<Reopened>`
    with chosen as (
      select d.id from delivery d
      where d.integration_id = ${integrationId} and d.waits_for_hours and d.state in ('pending', 'unknown')
      order by d.id limit ${MOST_REPLAYED} for update of d skip locked)
    update delivery d set next_at = ${at}, waits_for_hours = false
    from chosen, integration i left join connection c on c.id = i.connection_id
    where d.id = chosen.id and i.id = d.integration_id
    returning ${reopenedColumns}`.execute(tx);
  return rows;
}
