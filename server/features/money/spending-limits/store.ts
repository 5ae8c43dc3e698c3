import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

const caps = (tx: Tx, subjectIds: string[]) =>
  tx
    .selectFrom('cap')
    .selectAll()
    .where('subject_id', '=', sql<string>`any(${subjectIds}::uuid[])`)
    .orderBy('id');

/** Limits of these subjects. */
export const capsOf = (tx: Tx, subjectIds: string[]) =>
  caps(tx, subjectIds).modifyFront(sql`/* kept: caps_of */`).execute();

/** Limits of these subjects, locked in one order. */
export const lockCaps = (tx: Tx, subjectIds: string[]) => caps(tx, subjectIds).forNoKeyUpdate().execute();

/** What subjects spent per day, each since its own day. */
export async function spentSince(tx: Tx, asked: { subjectId: string; since: string }[]) {
  const { rows } = await sql<{ subject_id: string; day: string; micros: bigint }>`
    select s.subject_id, s.day, s.micros from unnest(${asked.map((a) => a.subjectId)}::uuid[], ${asked.map((a) => a.since)}::date[]) a (id, since)
    join spend_day s on s.subject_id = a.id and s.day >= a.since`.execute(tx);
  return rows;
}

/** Notes news that have not been noted on their day, and returns those. */
export async function addEvents(tx: Tx, rows: Insertable<Schema['cap_event']>[]) {
  return tx
    .insertInto('cap_event')
    .values(rows)
    .onConflict((c) => c.columns(['cap_id', 'level', 'day']).doNothing())
    .returning(['cap_id', 'level', 'day'])
    .execute();
}

/** Claims a piece of news in order to send it; undefined if it was already sent, or its limit is gone. */
export async function takeEvent(tx: Tx, key: { capId: string; level: string; day: string }, at: Date) {
  const { rows } = await sql<{
    root_id: string;
    agency_id: string;
    company_id: string;
    subject: 'wallet' | 'client' | 'campaign';
    subject_id: string;
    period: 'day' | 'month';
    set_by: 'agency' | 'client';
    hard_micros: bigint | null;
    soft_micros: bigint | null;
  }>`
    update cap_event e set told_at = ${at} from cap c
    where c.id = e.cap_id and e.cap_id = ${key.capId}::uuid and e.level = ${key.level} and e.day = ${key.day}::date and e.told_at is null
    returning c.root_id, c.agency_id, c.company_id, c.subject, c.subject_id, c.period, c.set_by, c.hard_micros, c.soft_micros`.execute(
    tx,
  );
  return rows[0];
}

/** The time zones of companies. */
export async function timeZones(tx: Tx, companyIds: string[]) {
  return tx.selectFrom('company').select(['id', 'time_zone']).where('id', 'in', companyIds).execute();
}

/** A client, agency or campaign that the scope may see, as the subject of a limit. */
export async function subject(tx: Tx, kind: 'wallet' | 'client' | 'campaign', id: string) {
  if (kind === 'campaign') {
    return tx
      .selectFrom('campaign')
      .select(['root_id', 'agency_id', 'company_id', 'name'])
      .where('id', '=', id)
      .where('state', '<>', 'removed')
      .executeTakeFirst();
  }
  const row = await tx
    .selectFrom('company')
    .select(['root_id', 'agency_id', 'id as company_id', 'name'])
    .where('id', '=', id)
    .where('kind', '=', kind === 'wallet' ? 'agency' : 'client')
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return row && { ...row, agency_id: row.agency_id! };
}

/** Subtracts part of a day's spending that this transaction has counted. */
export async function takeBackSpend(
  tx: Tx,
  row: { subject_id: string; day: string; micros: bigint },
): Promise<void> {
  await tx
    .updateTable('spend_day')
    .set((eb) => ({ micros: eb('micros', '-', row.micros) }))
    .where('subject_id', '=', row.subject_id)
    .where('day', '=', row.day)
    .execute();
}

/** Whether the scope has a company of this id. */
export async function seesCompany(tx: Tx, id: string): Promise<boolean> {
  const row = await tx.selectFrom('company').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/**
 * Waits until no one is spending, and blocks spending until the transaction ends: for a client and its campaigns
 * through the lock that accepting leads takes (campaigns/store.ts, lockCampaigns), for a wallet through its balance
 * row.
 */
export async function holdSpending(tx: Tx, kind: 'wallet' | 'client' | 'campaign', companyId: string) {
  if (kind === 'wallet') {
    await tx
      .selectFrom('account_balance as b')
      .innerJoin('account as a', 'a.id', 'b.account_id')
      .select('b.account_id')
      .where('a.company_id', '=', companyId)
      .where('a.kind', '=', 'agency_wallet')
      .forUpdate('b')
      .execute();
  } else await sql`select pg_advisory_xact_lock(hashtextextended(${companyId}, 1))`.execute(tx);
}

/** The hard amount of a limit, micro-dollars; null if there is none. */
export async function hardLimit(
  tx: Tx,
  key: { subject_id: string; period: 'day' | 'month'; set_by: 'agency' | 'client' },
): Promise<bigint | null> {
  const row = await tx
    .selectFrom('cap')
    .select('hard_micros')
    .where('subject_id', '=', key.subject_id)
    .where('period', '=', key.period)
    .where('set_by', '=', key.set_by)
    .executeTakeFirst();
  return row?.hard_micros ?? null;
}

export async function putCap(tx: Tx, row: Insertable<Schema['cap']>): Promise<void> {
  await tx
    .insertInto('cap')
    .values(row)
    .onConflict((c) =>
      c.columns(['subject_id', 'period', 'set_by']).doUpdateSet({
        hard_micros: row.hard_micros ?? null,
        soft_micros: row.soft_micros ?? null,
        updated_at: row.updated_at,
      }),
    )
    .execute();
}

export async function dropCap(
  tx: Tx,
  key: { subject_id: string; period: 'day' | 'month'; set_by: 'agency' | 'client' },
): Promise<void> {
  await tx
    .deleteFrom('cap')
    .where('subject_id', '=', key.subject_id)
    .where('period', '=', key.period)
    .where('set_by', '=', key.set_by)
    .execute();
}

/** Limits with the name of what they limit, of a company (an agency: its clients' too) or a subject. */
export async function listCaps(
  tx: Tx,
  of: { id?: string; companyId?: string | undefined; subjectId?: string | undefined },
) {
  return tx
    .selectFrom('cap as x')
    .innerJoin('company as k', 'k.id', 'x.company_id')
    .leftJoin('campaign as c', 'c.id', 'x.subject_id')
    .selectAll('x')
    .select(['k.name as company_name', 'k.time_zone', 'c.name as campaign_name'])
    .$if(of.id !== undefined, (q) => q.where('x.id', '=', of.id!))
    .$if(of.companyId !== undefined, (q) =>
      q.where((eb) => eb.or([eb('x.company_id', '=', of.companyId!), eb('x.agency_id', '=', of.companyId!)])),
    )
    .$if(of.subjectId !== undefined, (q) => q.where('x.subject_id', '=', of.subjectId!))
    .orderBy('x.subject', 'desc')
    .orderBy('k.name')
    .orderBy('c.name')
    .orderBy('x.period')
    .orderBy('x.set_by')
    .limit(1000)
    .execute();
}

/** The hard limits of subjects. */
export async function hardLimits(tx: Tx, subjectIds: string[]) {
  const rows = await tx
    .selectFrom('cap')
    .select(['subject', 'subject_id', 'period', 'hard_micros'])
    .where('subject_id', '=', sql<string>`any(${subjectIds}::uuid[])`)
    .where('hard_micros', 'is not', null)
    .execute();
  return rows.map((row) => ({ ...row, hard_micros: row.hard_micros! }));
}
