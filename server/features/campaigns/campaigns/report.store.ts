import { type Insertable, type Selectable, sql } from 'kysely';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export type ReportRow = Selectable<Schema['campaign_report']>;

/** The notice and report settings of campaigns. */
export async function reportsOf(tx: Tx, campaignIds: string[]): Promise<Map<string, ReportRow>> {
  if (campaignIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom('campaign_report')
    .selectAll()
    .where('campaign_id', '=', sql<string>`any(${campaignIds}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.campaign_id, row]));
}

/** The same for one campaign, locked; undefined if there are none. */
export async function lockReport(tx: Tx, campaignId: string): Promise<ReportRow | undefined> {
  return tx
    .selectFrom('campaign_report')
    .selectAll()
    .where('campaign_id', '=', campaignId)
    .forUpdate()
    .executeTakeFirst();
}

export async function putReport(tx: Tx, row: Insertable<Schema['campaign_report']>): Promise<void> {
  const { campaign_id: _id, root_id: _root, agency_id: _agency, company_id: _company, ...set } = row;
  await tx
    .insertInto('campaign_report')
    .values(row)
    .onConflict((c) => c.column('campaign_id').doUpdateSet(set))
    .execute();
}

/** Where the last report of a campaign ended; null: there was none. */
export async function reportedUntil(tx: Tx, campaignId: string): Promise<Date | null> {
  const row = await tx
    .selectFrom('campaign_report_sent')
    .select('covers_to')
    .where('campaign_id', '=', campaignId)
    .orderBy('covers_from', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.covers_to ?? null;
}

/** Counts leads of campaigns with notices turned on; returns the campaigns that have reached their number. */
export async function countForNotices(
  tx: Tx,
  leads: { campaignId: string; count: number }[],
): Promise<string[]> {
  const { rows } = await sql<{ campaign_id: string }>`
    update campaign_report r set counted = r.counted + n.count
    from unnest(${leads.map((l) => l.campaignId)}::uuid[], ${leads.map((l) => l.count)}::bigint[]) n (id, count)
    where r.campaign_id = n.id and r.notify_every is not null
    returning case when r.counted - r.told >= r.notify_every then r.campaign_id end as campaign_id`.execute(
    tx,
  );
  return rows.flatMap((row) => row.campaign_id ?? []);
}

/**
 * Leads of these campaigns have come in: makes reports that wait for some due. The row is locked even if the report is
 * already due, so that it is not made before the leads are committed.
 */
export async function wake(
  tx: Tx,
  campaignIds: string[],
  due: Readonly<Record<'lead' | 'hour', Date>>,
): Promise<void> {
  await sql`update campaign_report set due_at = coalesce(due_at, case report_every when 'lead' then ${due.lead}::timestamptz
      else ${due.hour}::timestamptz end)
    where campaign_id = any(${campaignIds}::uuid[]) and report_every in ('lead', 'hour')`.execute(tx);
}

/** Takes an address off the reports or notices of a campaign; those without any address left end. */
export async function takeOff(
  tx: Tx,
  campaignId: string,
  which: 'report' | 'notice',
  address: string,
  at: Date,
): Promise<boolean> {
  const row = await lockReport(tx, campaignId);
  const list = which === 'report' ? row?.report_to : row?.notify_to;
  if (!list?.includes(address)) return false;
  const left = list.filter((one) => one !== address);
  const none = left.length === 0;
  await tx
    .updateTable('campaign_report')
    .set({
      updated_at: at,
      ...(which === 'report'
        ? { report_to: left, ...(none ? { report_every: null, covers_from: null, due_at: null } : {}) }
        : { notify_to: left, ...(none ? { notify_every: null } : {}) }),
    })
    .where('campaign_id', '=', campaignId)
    .execute();
  return true;
}

/** Stores that an address wants none of these emails anymore, no matter who adds it again. */
export async function refuseMails(
  tx: Tx,
  owner: Owner & { agency_id: string },
  address: string,
  at: Date,
): Promise<void> {
  await tx
    .insertInto('mail_refusal')
    .values({ ...owner, address, refused_at: at })
    .onConflict((c) => c.doNothing())
    .execute();
}

/** Those of the addresses that unsubscribed, in the scope. */
export async function refusedAmong(tx: Tx, rootId: string, addresses: string[]): Promise<string[]> {
  const rows = await tx
    .selectFrom('mail_refusal')
    .select('address')
    .where('root_id', '=', rootId)
    .where('address', '=', sql<string>`any(${addresses}::text[])`)
    .execute();
  return rows.map(({ address }) => address);
}

/** An address wants such emails again. */
export async function acceptMails(tx: Tx, rootId: string, address: string): Promise<void> {
  await tx.deleteFrom('mail_refusal').where('root_id', '=', rootId).where('address', '=', address).execute();
}

export async function markTold(tx: Tx, campaignId: string, told: bigint): Promise<void> {
  await tx.updateTable('campaign_report').set({ told }).where('campaign_id', '=', campaignId).execute();
}

/** Campaigns of a root whose report is due, the longest due first. */
export async function dueReports(tx: Tx, rootId: string, at: Date, without: readonly string[], most: number) {
  return tx
    .selectFrom('campaign_report as r')
    .innerJoin('campaign as c', 'c.id', 'r.campaign_id')
    .select(['r.campaign_id', 'r.root_id', 'r.agency_id', 'r.company_id', 'c.name', 'c.number', 'c.module'])
    .where('r.root_id', '=', rootId)
    .where('r.due_at', '<=', at)
    .$if(without.length > 0, (q) => q.where('r.campaign_id', 'not in', [...without]))
    .orderBy('r.due_at')
    .limit(most)
    .execute();
}

/** A due report, locked; undefined if another process is making it, or already has. */
export async function takeDue(tx: Tx, campaignId: string, at: Date): Promise<ReportRow | undefined> {
  return tx
    .selectFrom('campaign_report')
    .selectAll()
    .where('campaign_id', '=', campaignId)
    .where('due_at', '<=', at)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

/** Records that a report was made, and when the next one is due; null: after the next lead. */
export async function settleReport(
  tx: Tx,
  sent: Insertable<Schema['campaign_report_sent']>,
  next: Date | null,
): Promise<void> {
  await tx.insertInto('campaign_report_sent').values(sent).execute();
  await tx
    .updateTable('campaign_report')
    .set({ covers_from: sent.covers_to, due_at: next })
    .where('campaign_id', '=', sent.campaign_id)
    .execute();
}

/** There is nothing to report yet: the next check is at `next`, or after the next lead. */
export async function putOff(tx: Tx, campaignId: string, next: Date | null): Promise<void> {
  await tx
    .updateTable('campaign_report')
    .set({ due_at: next })
    .where('campaign_id', '=', campaignId)
    .execute();
}
