import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';

/** A lead of a person, with everything that it says about them. */
export interface PersonalLead {
  id: string;
  person_id: string | null;
  created_at: Date;
  contact: Record<string, unknown>;
  fields: Record<string, unknown> | null;
}

/**
 * A root's leads of these people or with this email address, the newest first. Client by client, as the indexes are; leads
 * whose contact was erased are left out.
 */
export async function leadsAbout(
  tx: Tx,
  rootId: string,
  who: { people: readonly string[]; email: string },
): Promise<PersonalLead[]> {
  const { rows } = await sql<PersonalLead>`
    with found as (
      select hit.id from company c cross join lateral (
        select l.id from lead l where l.company_id = c.id and l.person_id = any(${who.people}::uuid[])
        union
        select x.lead_id from lead_contact x where x.company_id = c.id and x.email = ${who.email}) hit
      where c.root_id = ${rootId}::uuid and c.kind = 'client')
    select l.id, l.person_id, l.created_at, d.fields,
      jsonb_strip_nulls(to_jsonb(x) - array['lead_id', 'root_id', 'agency_id', 'company_id', 'campaign_id', 'created_at',
        'search', 'phones_withheld', 'phone_dnc', 'phone2_dnc']) as contact
    from found f join lead l on l.id = f.id join lead_contact x on x.lead_id = l.id left join lead_data d on d.lead_id = l.id
    order by l.created_at desc, l.id`.execute(tx);
  return rows;
}

/** A root's leads from before an instant whose contact is still there, the oldest first. */
export async function oldContacts(tx: Tx, rootId: string, before: Date, most: number): Promise<string[]> {
  const { rows } = await sql<{ lead_id: string }>`
    select lead_id from lead_contact where root_id = ${rootId}::uuid and created_at < ${before}
    order by created_at limit ${most}`.execute(tx);
  return rows.map(({ lead_id }) => lead_id);
}

/** Deletes what these leads say about their people; the leads and their money stay. */
export async function eraseContacts(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`delete from lead_contact where lead_id = any(${ids}::uuid[])`.execute(tx);
  await sql`update lead set evidence = '{}' where id = any(${ids}::uuid[])`.execute(tx);
}
