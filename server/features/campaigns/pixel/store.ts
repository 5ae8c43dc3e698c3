import { type Insertable, sql } from 'kysely';
import { ARRIVAL_REFUSALS, MOST_EVENTS } from '../../../../contract/campaigns/pixel.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** Keeps what a check found in place of what the one before did. */
export async function keepReport(
  tx: Tx,
  row: Omit<Insertable<Schema['pixel_report']>, 'fixes'> & { fixes: { label: string; code: string }[] },
): Promise<void> {
  const fixes = JSON.stringify(row.fixes);
  const { campaign_id: _id, ...rest } = row;
  await tx
    .insertInto('pixel_report')
    .values({ ...row, fixes })
    .onConflict((on) => on.column('campaign_id').doUpdateSet({ ...rest, fixes }))
    .execute();
}

/** What the last check found. */
export async function reportOf(tx: Tx, campaignId: string) {
  return tx.selectFrom('pixel_report').selectAll().where('campaign_id', '=', campaignId).executeTakeFirst();
}

/** The last events of a campaign's pixel since an instant, newest first. */
export async function lastEvents(tx: Tx, campaignId: string, since: Date) {
  return (
    tx
      .selectFrom('visit')
      .select([
        'event_id',
        'received_at',
        'event',
        'url',
        'title',
        'referrer',
        sql<boolean>`hash is not null`.as('has_email'),
        'gpc',
        'outcome',
      ])
      .where('campaign_id', '=', campaignId)
      .where('received_at', '>=', since)
      // An event's day is that of its own id, which may be a day before its arrival: the partitions that can have it.
      .where('day', '>=', new Date(since.getTime() - 86_400_000).toISOString().slice(0, 10))
      .orderBy('received_at', 'desc')
      .orderBy('event_id', 'desc')
      .limit(MOST_EVENTS)
      .execute()
  );
}

/** Events of a campaign that were refused on arrival since an instant, by reason, the most first. */
export async function refusedSince(tx: Tx, campaignId: string, since: Date) {
  return tx
    .selectFrom('campaign_refusal')
    .select(['reason', sql<bigint>`sum(count)::bigint`.as('count')])
    .where('campaign_id', '=', campaignId)
    .where('hour', '>=', since)
    .where('reason', 'in', ARRIVAL_REFUSALS)
    .groupBy('reason')
    .having(sql<boolean>`sum(count) > 0`)
    .orderBy('count', 'desc')
    .orderBy('reason')
    .execute();
}
