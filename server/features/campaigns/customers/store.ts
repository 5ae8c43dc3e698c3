import { sql } from 'kysely';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';

/** A customer on a page of a campaign's site. */
export interface Seen {
  campaignId: string;
  owner: Owner & { agency_id: string };
  personId: string;
  listId: string;
  label: string;
  url: string | null;
  at: Date;
}

/** Pages that are at most this far apart belong to one visit. */
const VISIT_MS = 30 * 60_000;

/**
 * Keeps that customers were seen, one row a visit: a page within half an hour of the one before continues it. The
 * transaction has their campaigns locked, so that no other worker adds to the same visit. Returns the row of each.
 */
export async function addSeen(tx: Tx, seen: readonly Seen[]): Promise<{ id: string; seen: Seen }[]> {
  const inOrder = [...seen].sort((a, b) => a.at.getTime() - b.at.getTime());
  const keyOf = (one: { campaign_id: string; person_id: string }) => `${one.campaign_id}/${one.person_id}`;
  const { rows: known } = await sql<{ id: string; campaign_id: string; person_id: string; at: Date }>`
    select distinct on (v.campaign_id, v.person_id) v.id, v.campaign_id, v.person_id, v.at
    from unnest(${seen.map((s) => s.campaignId)}::uuid[], ${seen.map((s) => s.personId)}::uuid[]) s (campaign_id, person_id)
    join customer_visit v using (campaign_id, person_id)
    order by v.campaign_id, v.person_id, v.at desc`.execute(tx);
  const last = new Map(known.map((row) => [keyOf(row), { id: row.id, at: row.at }]));
  const fresh = new Map<string, { first: Seen; last: Seen }>();
  const continued = new Map<string, Seen>();
  const rows = inOrder.map((one) => {
    const key = keyOf({ campaign_id: one.campaignId, person_id: one.personId });
    const before = last.get(key);
    const isNew = !before || one.at.getTime() - before.at.getTime() > VISIT_MS;
    const id = isNew ? newId(one.at) : before.id;
    const made = fresh.get(id);
    if (isNew) fresh.set(id, { first: one, last: one });
    else if (made) made.last = one;
    // What arrives late must not turn a visit back.
    else if (one.at > before.at) continued.set(id, one);
    last.set(key, { id, at: before && before.at > one.at ? before.at : one.at });
    return { id, seen: one };
  });
  if (fresh.size > 0)
    await tx
      .insertInto('customer_visit')
      .values(
        [...fresh].map(([id, { first, last: end }]) => ({
          id,
          ...first.owner,
          campaign_id: first.campaignId,
          list_id: end.listId,
          person_id: first.personId,
          label: end.label,
          page_url: end.url,
          first_at: first.at,
          at: end.at,
        })),
      )
      .execute();
  for (const [id, { at, url, label, listId }] of continued)
    await tx
      .updateTable('customer_visit')
      .set({ at, page_url: url, label, list_id: listId })
      .where('id', '=', id)
      .execute();
  return rows;
}

/** A page of the visits of a client's customers, newest first; of lists that are still in force. */
export async function pageOfVisits(
  tx: Tx,
  of: { companyId: string } | { campaignId: string },
  limit: number,
  offset: number,
) {
  const found = tx
    .selectFrom('customer_visit as v')
    .innerJoin('exclusion_list as l', 'l.id', 'v.list_id')
    .innerJoin('campaign as c', 'c.id', 'v.campaign_id')
    .where('l.state', '=', 'active')
    .where((eb) =>
      'companyId' in of ? eb('v.company_id', '=', of.companyId) : eb('v.campaign_id', '=', of.campaignId),
    );
  const { total } = await found
    .select((eb) => eb.fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await found
    .select(['v.id', 'v.label', 'v.page_url', 'v.first_at', 'v.at', 'l.name as list_name'])
    .select(['c.id as campaign_id', 'c.name as campaign_name'])
    .orderBy('v.at', 'desc')
    .orderBy('v.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total: Number(total) };
}

/** The company that a campaign belongs to; undefined if the scope does not see it. */
export async function companyOf(tx: Tx, campaignId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('campaign')
    .select('company_id')
    .where('id', '=', campaignId)
    .where('state', '!=', 'removed')
    .executeTakeFirst();
  return row?.company_id;
}

const oldVisits = (rootId: string, before: Date, most: number) => sql<{ id: string }>`
  select v.id from customer_visit v join exclusion_list l on l.id = v.list_id
  where v.root_id = ${rootId} and (v.at < ${before} or l.state <> 'active') limit ${most}`;

/** How many visits are from before an instant, or their list is no longer in force, counted up to `most`. */
export const countOld = async (tx: Tx, rootId: string, before: Date, most: number): Promise<number> =>
  (await oldVisits(rootId, before, most).execute(tx)).rows.length;

/** Deletes up to `most` of them; returns how many. */
export async function forget(tx: Tx, rootId: string, before: Date, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from customer_visit where id in (${oldVisits(rootId, before, most)})`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** Deletes when these people were seen, and what their lists call them. */
export async function erasePeople(tx: Tx, rootId: string, people: readonly string[]): Promise<void> {
  await sql`delete from customer_visit where root_id = ${rootId}::uuid and person_id = any(${people}::uuid[])`.execute(
    tx,
  );
}
