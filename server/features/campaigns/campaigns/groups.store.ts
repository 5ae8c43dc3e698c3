import { sql } from 'kysely';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';

type ClientOwner = Owner & { agency_id: string };
export interface GroupRow extends ClientOwner {
  id: string;
  name: string;
  campaigns: bigint;
}

const groups = (tx: Tx) =>
  tx
    .selectFrom('company_group as g')
    .select(['g.id', 'g.root_id', 'g.agency_id', 'g.company_id', 'g.name'])
    .select(
      sql<bigint>`(select count(*) from company_group_campaign m join campaign c on c.id = m.campaign_id
        where m.group_id = g.id and c.state <> 'removed')`.as('campaigns'),
    );

/** The groups of a company by name, with how many campaigns are in each. */
export async function groupsOf(tx: Tx, companyId: string): Promise<GroupRow[]> {
  return groups(tx).where('g.company_id', '=', companyId).orderBy(sql`lower(g.name)`).execute();
}

/** A group of a company; `lock` prevents others from changing or filling it in the meantime. */
export async function groupById(tx: Tx, companyId: string, id: string, lock = false) {
  if (lock)
    await tx.selectFrom('company_group').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  return groups(tx).where('g.company_id', '=', companyId).where('g.id', '=', id).executeTakeFirst();
}

/** The number of campaigns of a company: an agency's are those of its clients. */
export async function campaignsOfCompany(tx: Tx, companyId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('campaign')
    .select(sql<bigint>`count(*)`.as('count'))
    .where((eb) => eb.or([eb('company_id', '=', companyId), eb('agency_id', '=', companyId)]))
    .where('state', '<>', 'removed')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Two requests that claim one name at the same time wait for each other here. */
const oneByOne = (tx: Tx, companyId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`group:${companyId}`}, 0))`.execute(tx);

/** Adds a group; false if the company already has one with this name. */
export async function insertGroup(
  tx: Tx,
  row: ClientOwner & { id: string; name: string; created_at: Date; updated_at: Date },
): Promise<boolean> {
  await oneByOne(tx, row.company_id);
  const done = await tx
    .insertInto('company_group')
    .values(row)
    .onConflict((c) => c.doNothing())
    .executeTakeFirst();
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Renames a group; false if another group of the company has this name. */
export async function renameGroup(tx: Tx, row: GroupRow, name: string, at: Date): Promise<boolean> {
  await oneByOne(tx, row.company_id);
  const other = await tx
    .selectFrom('company_group')
    .select('id')
    .where('company_id', '=', row.company_id)
    .where(sql`lower(name)`, '=', sql`lower(${name})`)
    .where('id', '<>', row.id)
    .executeTakeFirst();
  if (other) return false;
  await tx.updateTable('company_group').set({ name, updated_at: at }).where('id', '=', row.id).execute();
  return true;
}

export async function deleteGroup(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('company_group_campaign').where('group_id', '=', id).execute();
  await tx.deleteFrom('company_group').where('id', '=', id).execute();
}

/** Puts a campaign into a group of a company, in place of the one it was in; null: into none. */
export async function putInGroup(
  tx: Tx,
  campaignId: string,
  owner: ClientOwner,
  groupId: string | null,
): Promise<void> {
  if (groupId === null) {
    await tx
      .deleteFrom('company_group_campaign')
      .where('campaign_id', '=', campaignId)
      .where('company_id', '=', owner.company_id)
      .execute();
    return;
  }
  await tx
    .insertInto('company_group_campaign')
    .values({ campaign_id: campaignId, ...owner, group_id: groupId })
    .onConflict((c) => c.columns(['campaign_id', 'company_id']).doUpdateSet({ group_id: groupId }))
    .execute();
}

/** The group of a company that each campaign is in. */
export async function groupsOfCampaigns(
  tx: Tx,
  companyId: string,
  campaignIds: string[],
): Promise<Map<string, string>> {
  if (campaignIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom('company_group_campaign')
    .select(['campaign_id', 'group_id'])
    .where('company_id', '=', companyId)
    .where('campaign_id', '=', sql<string>`any(${campaignIds}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.campaign_id, row.group_id]));
}
