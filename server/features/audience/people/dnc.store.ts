import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import { ownerOf } from './graph.store.ts';

/**
 * Marks a root's numbers (E.164) as on a do-not-call list, and removes the marks of others unless the same file set
 * them. Keeps for all of them when they were compared: when the source says so, otherwise now; not if it says something
 * unclear. An earlier comparison never replaces a later one.
 */
export async function markPhones(
  tx: Tx,
  rootId: string,
  marks: { yes: readonly string[]; no: readonly string[]; dates: ReadonlyMap<string, number | null> },
  from: { source: string; file: Buffer | null; now: Date },
): Promise<void> {
  const { company_id } = ownerOf(rootId);
  const { source, file, now } = from;
  if (marks.no.length > 0)
    await sql`
      delete from do_not_call d using unnest(${[...marks.no]}::text[]) n (phone)
      where d.root_id = ${rootId} and d.phone = n.phone and d.source_file is distinct from ${file}::bytea`.execute(
      tx,
    );
  if (marks.yes.length > 0)
    await sql`
      insert into do_not_call (root_id, agency_id, company_id, phone, source, source_file, marked_at)
      select ${rootId}::uuid, null, ${company_id}::uuid, phone, ${source}, ${file}::bytea, ${now}::timestamptz
      from unnest(${[...marks.yes]}::text[]) y (phone) order by phone
      on conflict (root_id, phone) do update
        set source = excluded.source, source_file = excluded.source_file, marked_at = excluded.marked_at`.execute(
      tx,
    );
  const compared = [...new Set([...marks.yes, ...marks.no])].flatMap((phone) => {
    const date = marks.dates.get(phone);
    return date === null
      ? []
      : [{ phone, at: date === undefined ? now : new Date(Math.min(date, now.getTime())) }];
  });
  if (compared.length > 0)
    await sql`
      insert into phone_scrub (root_id, company_id, phone, source, scrubbed_at)
      select ${rootId}::uuid, ${company_id}::uuid, phone, ${source}, at
      from unnest(${compared.map((one) => one.phone)}::text[], ${compared.map((one) => one.at)}::timestamptz[]) c (phone, at)
      order by phone
      on conflict (root_id, phone) do update set source = excluded.source, scrubbed_at = excluded.scrubbed_at
        where phone_scrub.scrubbed_at <= excluded.scrubbed_at`.execute(tx);
}

/** Deletes what is known of numbers that nobody has any more. A mark stays: whoever gets the number must know. */
export async function forgetScrubs(tx: Tx, rootId: string, phones: readonly string[]): Promise<void> {
  if (phones.length === 0) return;
  await tx.deleteFrom('phone_scrub').where('root_id', '=', rootId).where('phone', 'in', phones).execute();
}

/** Which of these numbers (E.164) are marked in a root. */
export async function markedPhones(tx: Tx, rootId: string, phones: readonly string[]): Promise<Set<string>> {
  if (phones.length === 0) return new Set();
  const { rows } = await sql<{ phone: string }>`
    select phone from do_not_call where root_id = ${rootId} and phone = any(${[...phones]}::text[])`.execute(
    tx,
  );
  return new Set(rows.map((row) => row.phone));
}
