import { type Insertable, type NotNull, sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export async function insertAdCampaign(tx: Tx, row: Insertable<Schema['ad_campaign']>): Promise<void> {
  await tx.insertInto('ad_campaign').values(row).execute();
}

export async function updateAdCampaign(
  tx: Tx,
  id: string,
  set: Updateable<Schema['ad_campaign']>,
): Promise<void> {
  await tx.updateTable('ad_campaign').set(set).where('campaign_id', '=', id).execute();
}

/** Ad campaigns with what their rows in `campaign` say of them. */
const joined = (tx: Tx) =>
  tx
    .selectFrom('ad_campaign as a')
    .innerJoin('campaign as c', 'c.id', 'a.campaign_id')
    .innerJoin('company as k', 'k.id', 'a.company_id')
    .where('c.state', '<>', 'removed')
    .selectAll('a')
    .select([
      'c.id',
      'c.number',
      'c.name',
      'c.state',
      'c.state_reason',
      'c.starts_on',
      'c.ends_on',
      'c.version',
      'c.module',
      'c.updated_at as campaign_updated_at',
      'k.name as company_name',
      'k.time_zone',
      (eb) =>
        eb
          .selectFrom('creative as x')
          .select((x) => x.fn.countAll<bigint>().as('count'))
          .whereRef('x.campaign_id', '=', 'a.campaign_id')
          .where('x.state', '=', 'active')
          .as('creatives'),
    ]);

export type AdRow = Awaited<ReturnType<ReturnType<typeof joined>['executeTakeFirstOrThrow']>>;

/**
 * Ad campaigns that the scope may see, by id; `lock` keeps others from spending on them until the transaction ends. A
 * transaction that locks several does it in one call, since each call locks in the same order.
 */
export async function adCampaignsByIds(
  tx: Tx,
  ids: readonly string[],
  lock = false,
): Promise<Map<string, AdRow>> {
  const these = sql<string>`any(${[...ids]}::uuid[])`;
  if (lock)
    await sql`/* kept: ad_campaign_lock */
      select 1 from ad_campaign where campaign_id = ${these} order by campaign_id for no key update`.execute(
      tx,
    );
  const rows = await joined(tx)
    .modifyFront(sql`/* kept: ad_campaigns_by_ids */`)
    .where('a.campaign_id', '=', these)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** One of them. */
export const adCampaignById = async (tx: Tx, id: string, lock = false): Promise<AdRow | undefined> =>
  (await adCampaignsByIds(tx, [id], lock)).get(id);

export async function pageOfAdCampaigns(
  tx: Tx,
  asked: {
    companyId?: string | undefined;
    status?: 'active' | 'paused' | 'archived' | undefined;
    search?: string | undefined;
    limit: number;
    offset: number;
  },
) {
  let query = joined(tx);
  if (asked.companyId) query = query.where('a.company_id', '=', asked.companyId);
  query = asked.status ? query.where('c.state', '=', asked.status) : query.where('c.state', '<>', 'archived');
  if (asked.search) query = query.where('c.name', 'ilike', `%${asked.search.replace(/[\\%_]/g, '\\$&')}%`);
  const rows = await query
    .orderBy('a.created_at', 'desc')
    .orderBy('c.id', 'desc')
    .limit(asked.limit)
    .offset(asked.offset)
    .execute();
  const { total } = await query
    .clearSelect()
    .select((eb) => eb.fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/** Active campaigns of a platform; of an agency's zone those of all its clients, of a client's its own. */
export const activeOf = (
  tx: Tx,
  of: {
    platform: 'sandbox' | 'house' | 'simplifi';
    agencyId?: string | undefined;
    companyId?: string | undefined;
  },
): Promise<AdRow[]> =>
  joined(tx)
    .where('a.platform', '=', of.platform)
    .$if(of.agencyId !== undefined, (q) => q.where('a.agency_id', '=', of.agencyId!))
    .$if(of.companyId !== undefined, (q) => q.where('a.company_id', '=', of.companyId!))
    .where('c.state', '=', 'active')
    .orderBy('c.id')
    .execute();

/** All campaigns of outside platforms, whatever their state: what they spent is read until the end. */
export const outsideOf = (tx: Tx, rootId: string): Promise<AdRow[]> =>
  joined(tx).where('a.platform', '=', 'simplifi').where('a.root_id', '=', rootId).orderBy('c.id').execute();

/** What a campaign has spent or promised on a day, and in its month up to any day. */
export async function usedOn(tx: Tx, id: string, day: string): Promise<{ day: bigint; month: bigint }> {
  const { rows } = await sql<{ day: bigint; month: bigint }>`
    select coalesce(sum(held_micros + spent_micros) filter (where day = ${day}::date), 0)::bigint as day,
           coalesce(sum(held_micros + spent_micros), 0)::bigint as month
    from ad_day where campaign_id = ${id}::uuid
      and day >= date_trunc('month', ${day}::date) and day < date_trunc('month', ${day}::date) + interval '1 month'`.execute(
    tx,
  );
  return rows[0]!;
}

/** The minimums of the scope's root; none: 0. */
export async function minimumsOf(tx: Tx) {
  const { rows } = await sql<{
    minimum_bid_micros: bigint;
    minimum_daily_micros: bigint;
    minimum_monthly_micros: bigint;
  }>`select * from ad_minimums()`.execute(tx);
  return rows[0] ?? { minimum_bid_micros: 0n, minimum_daily_micros: 0n, minimum_monthly_micros: 0n };
}

/** A root's terms, in its own scope. */
export const termsOf = (tx: Tx, rootId: string) =>
  tx
    .selectFrom('ad_terms')
    .selectAll()
    .modifyFront(sql`/* kept: ad_terms */`)
    .where('root_id', '=', rootId)
    .executeTakeFirst();

export async function putTerms(tx: Tx, row: Insertable<Schema['ad_terms']>): Promise<void> {
  const { root_id: _, company_id: __, ...set } = row;
  await tx
    .insertInto('ad_terms')
    .values(row)
    .onConflict((on) => on.column('root_id').doUpdateSet(set))
    .execute();
}

// ─── Creatives ───────────────────────────────────────────────────────────────────────────────────────────────────────

const CREATIVE = [
  'id',
  'root_id',
  'agency_id',
  'company_id',
  'campaign_id',
  'name',
  'width',
  'height',
  'type',
  'alt_text',
  'click_url',
  'state',
  'external_id',
  'created_at',
] as const;

export async function insertCreative(tx: Tx, row: Insertable<Schema['creative']>): Promise<void> {
  await tx.insertInto('creative').values(row).execute();
}

/** In place of the file of a removed image: one pixel, since full exports have a file of each. */
const NO_FILE = {
  type: 'image/png' as const,
  bytes: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  ),
};

/** Changes an image, unless it was removed. The file of one that is removed goes with it, or it would fill the disk. */
export async function updateCreative(tx: Tx, id: string, set: Updateable<Schema['creative']>): Promise<void> {
  await tx
    .updateTable('creative')
    .set(set.state === 'removed' ? { ...set, ...NO_FILE } : set)
    .where('id', '=', id)
    .where('state', '<>', 'removed')
    .execute();
}

/** Keeps what an outside platform calls a creative: also of one that was removed meanwhile, since its ad must be stopped. */
export async function placeCreative(tx: Tx, id: string, externalId: string): Promise<void> {
  await tx.updateTable('creative').set({ external_id: externalId }).where('id', '=', id).execute();
}

/** What only an image in a campaign always has. */
type InCampaign = { campaign_id: NotNull; alt_text: NotNull; click_url: NotNull };

/** Creatives of campaigns, without their files; with `active` only those that are shown. */
export const creativesOf = (tx: Tx, campaignIds: readonly string[], active = false) =>
  campaignIds.length === 0
    ? Promise.resolve([])
    : tx
        .selectFrom('creative')
        .select([...CREATIVE, sql<number>`length(bytes)`.as('size')])
        .where('campaign_id', '=', sql<string>`any(${[...campaignIds]}::uuid[])`)
        .$if(active, (q) => q.where('state', '=', 'active'))
        .where('state', '<>', 'removed')
        .orderBy('created_at')
        .orderBy('id')
        .$narrowType<InCampaign>()
        .execute();

/**
 * The creatives of a campaign of an outside platform, without their files. Also removed ones that were placed there: their
 * ads have to be stopped, and what they still did is reported. The answer to the placing of one that was removed after
 * `since` may have been lost, so it counts as placed.
 */
export const outsideCreativesOf = (tx: Tx, campaignId: string, since: Date) =>
  tx
    .selectFrom('creative')
    .select(CREATIVE)
    .where('campaign_id', '=', campaignId)
    .where((eb) =>
      eb.or([eb('state', '<>', 'removed'), eb('external_id', 'is not', null), eb('updated_at', '>', since)]),
    )
    .orderBy('created_at')
    .orderBy('id')
    .$narrowType<InCampaign>()
    .execute();

export const creativeById = (tx: Tx, id: string) =>
  tx
    .selectFrom('creative')
    .select([...CREATIVE, sql<number>`length(bytes)`.as('size')])
    .where('id', '=', id)
    .where('campaign_id', 'is not', null)
    .where('state', '<>', 'removed')
    .$narrowType<InCampaign>()
    .executeTakeFirst();

// ─── Media: all images, in a campaign or not ─────────────────────────────────────────────────────────────────────────

/** Images that the scope may see, without their files, newest first; those of a library are in no campaign. */
export const mediaOf = (
  tx: Tx,
  asked: {
    ids?: readonly string[];
    userId?: string;
    campaignId?: string;
    libraryOf?: string;
    limit: number;
  },
) =>
  tx
    .selectFrom('creative')
    .select([...CREATIVE, sql<number>`length(bytes)`.as('size')])
    .where('state', '<>', 'removed')
    .$if(asked.ids !== undefined, (q) => q.where('id', '=', sql<string>`any(${[...asked.ids!]}::uuid[])`))
    .$if(asked.userId !== undefined, (q) => q.where('created_by', '=', asked.userId!))
    .$if(asked.campaignId !== undefined, (q) => q.where('campaign_id', '=', asked.campaignId!))
    .$if(asked.libraryOf !== undefined, (q) =>
      q.where('company_id', '=', asked.libraryOf!).where('campaign_id', 'is', null),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(asked.limit)
    .execute();

export type MediaRow = Awaited<ReturnType<typeof mediaOf>>[number];

/** Keeps others from changing an image until the transaction ends. */
export const lockMedia = async (tx: Tx, id: string): Promise<void> =>
  void (await sql`select 1 from creative where id = ${id}::uuid for update`.execute(tx));

/** The file of a creative, in a scope that sees it. */
export const fileOf = (tx: Tx, id: string) =>
  tx.selectFrom('creative').select(['type', 'bytes']).where('id', '=', id).executeTakeFirst();

/** Where creatives lead, also those that were paused meanwhile. */
export async function clickUrlsOf(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom('creative')
    .select(['id', 'click_url'])
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute();
  return new Map(rows.flatMap(({ id, click_url }) => (click_url ? [[id, click_url]] : [])));
}
