import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import { canReceive, type Recipient, recipientColumns } from '../../accounts/users/index.ts';

/** Whether a user `u` gets the emails: if they have chosen so, and those who get notices until they choose otherwise. */
const wants = sql<boolean>`coalesce(d.is_on, u.gets_notices)`;

/** A site that is silent and that no one has been emailed about. */
export interface Silent {
  campaign_id: string;
  campaign_name: string;
  company_id: string;
  agency_id: string;
  silent_since: Date;
}

/** Silent sites among the next campaigns by id, and the last of those that were looked at; null at the end. */
export async function untold(
  tx: Tx,
  rootId: string,
  now: Date,
  page: { after: string | null; campaigns: number },
): Promise<{ silent: Silent[]; last: string | null }> {
  const { rows } = await sql<Silent>`
    select c.id as campaign_id, c.name as campaign_name, c.company_id, c.agency_id,
           case when t.campaign_id is null then pixel_silence(c.id, ${now}) end as silent_since
    from campaign c join company k on k.id = c.company_id and k.removed_at is null
    left join silence_told t on t.root_id = c.root_id and t.campaign_id = c.id
    where c.root_id = ${rootId} and c.state = 'active' and c.module = 'local'
      and (${page.after}::uuid is null or c.id > ${page.after}::uuid)
    order by c.id limit ${page.campaigns}`.execute(tx);
  return {
    silent: rows.filter((row) => row.silent_since !== null),
    last: rows.length < page.campaigns ? null : rows.at(-1)!.campaign_id,
  };
}

/** Forgets the silences of a root after which something was heard, even while the campaign was paused. */
export const forget = (tx: Tx, rootId: string) =>
  sql`
    delete from silence_told t where t.root_id = ${rootId} and (
      exists (select from campaign_hour h where h.campaign_id = t.campaign_id and h.visits > 0
                and h.hour > t.silent_since - interval '1 hour')
      or exists (select from campaign_refusal r where r.campaign_id = t.campaign_id and r.reason = 'inactive' and r.count > 0
                and r.hour > t.silent_since - interval '1 hour'))`.execute(tx);

/** Claims the silences to email about; returns the campaigns of those that no other worker has claimed. */
export async function take(
  tx: Tx,
  rootId: string,
  silent: readonly Silent[],
  at: Date,
): Promise<Set<string>> {
  const rows = await tx
    .insertInto('silence_told')
    .values(
      silent.map(({ campaign_id, company_id, agency_id, silent_since }) => ({
        campaign_id,
        root_id: rootId,
        agency_id,
        company_id,
        silent_since,
        told_at: at,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('campaign_id')
    .execute();
  return new Set(rows.map((row) => row.campaign_id));
}

/** The users of a client who get the emails. */
export async function recipients(tx: Tx, companyId: string): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    select ${recipientColumns} from user_account u join company c on c.id = u.company_id
    left join silence_choice d on d.user_id = u.id
    where c.id = ${companyId} and ${canReceive} and not u.mail_off and ${wants} order by u.id`.execute(tx);
  return rows;
}

/** A user of a client as a recipient, whether or not they want the emails; undefined for others. */
export async function recipient(
  tx: Tx,
  userId: string,
): Promise<(Recipient & { wants: boolean }) | undefined> {
  const { rows } = await sql<Recipient & { wants: boolean }>`
    select ${recipientColumns}, ${wants} as wants from user_account u join company c on c.id = u.company_id
    left join silence_choice d on d.user_id = u.id
    where u.id = ${userId} and c.kind = 'client' and ${canReceive}`.execute(tx);
  return rows[0];
}

/** Keeps what a user has chosen. False: nothing has changed. */
export async function choose(tx: Tx, to: Recipient, isOn: boolean, at: Date): Promise<boolean> {
  const { user_id, root_id, agency_id, company_id } = to;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('silence_choice')
    .values({ user_id, root_id, agency_id, company_id, is_on: isOn, changed_at: at })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ is_on: isOn, changed_at: at })
        .where('silence_choice.is_on', '<>', isOn),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}
