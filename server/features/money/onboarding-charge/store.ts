import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';

/** The key of an agency's onboarding invoice among its wholesale ones: there can be only one. */
export const PERIOD_KEY = 'onboarding';

/** The onboarding invoice of an agency; undefined if there is none. */
export const invoiceOf = (tx: Tx, agencyId: string) =>
  tx
    .selectFrom('invoice')
    .select(['id', 'number', 'status', 'total_micros', 'paid_micros', 'credited_micros', 'closed_at'])
    .where('company_id', '=', agencyId)
    .where('side', '=', 'wholesale')
    .where('period_key', '=', PERIOD_KEY)
    .executeTakeFirst();

/** Keeps anyone else from charging an agency's onboarding until the transaction ends. */
export async function lockAgency(tx: Tx, agencyId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${agencyId}, 57))`.execute(tx);
}
