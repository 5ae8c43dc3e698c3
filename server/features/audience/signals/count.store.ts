import { type Insertable, sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { SearchModule } from '../../campaigns/campaigns/index.ts';

export async function insertCount(tx: Tx, row: Insertable<Schema['intent_count']>): Promise<void> {
  await tx.insertInto('intent_count').values(row).execute();
}

export async function updateCount(
  tx: Tx,
  id: string,
  set: Updateable<Schema['intent_count']>,
): Promise<void> {
  await tx.updateTable('intent_count').set(set).where('id', '=', id).execute();
}

/** Returns a count as stored; `lock` locks it until the transaction ends. */
export async function rawCount(tx: Tx, id: string, lock = false) {
  const query = tx.selectFrom('intent_count').selectAll().where('id', '=', id);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

/** The filter for a list of counts. */
export interface CountList {
  id?: string | undefined;
  companyId?: string | undefined;
  /** Counts of this campaign, and those of its client and module without a campaign. */
  campaign?: { id: string; companyId: string; module: SearchModule } | undefined;
  search?: string | undefined;
  sort: 'created_at' | 'count' | 'count_without_geo' | 'keyword' | 'location' | 'status';
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

const SORTS: Record<CountList['sort'], string> = {
  created_at: 'n.created_at',
  count: 'n.placed',
  count_without_geo: 'n.people',
  keyword: 'n.keywords',
  location: 'n.location',
  status: 'n.state',
};

/** Entries of each list that a page of counts contains. Forty thousand ZIP codes a row would be tens of megabytes. */
const LISTED = 100;

/** Deletes the finished counts of a client except its newest ones. */
export async function forgetCounts(tx: Tx, companyId: string, keep: number): Promise<void> {
  await sql`
    delete from intent_count where state <> 'pending' and id in (
      select id from intent_count where company_id = ${companyId} order by created_at desc, id offset ${keep})`.execute(
    tx,
  );
}

/**
 * Returns a page of counts, how many there are, and how many of them are pending. Of each count's ZIP codes, cities, and
 * keywords only the first hundred, unless one count is asked for by its id.
 */
export async function pageOfCounts(tx: Tx, asked: CountList) {
  let from = tx.selectFrom('intent_count as n');
  if (asked.id) from = from.where('n.id', '=', asked.id);
  if (asked.companyId) from = from.where('n.company_id', '=', asked.companyId);
  if (asked.campaign) {
    const { id, companyId, module } = asked.campaign;
    from = from
      .where('n.company_id', '=', companyId)
      .where('n.module', '=', module)
      .where((eb) => eb.or([eb('n.campaign_id', '=', id), eb('n.campaign_id', 'is', null)]));
  }
  if (asked.search) {
    const like = `%${asked.search.replace(/[\\%_]/g, '\\$&')}%`;
    from = from.where(sql<boolean>`array_to_string(n.keywords, ' ') ilike ${like}`);
  }
  const found = await from
    .select('n.id')
    .orderBy(sql`${sql.ref(SORTS[asked.sort])} ${sql.raw(asked.order)} nulls last`)
    .orderBy('n.created_at', 'desc')
    .orderBy('n.id', 'desc')
    .limit(asked.limit)
    .offset(asked.offset)
    .execute();
  const totals = await from
    .select((eb) => [
      eb.fn.countAll<bigint>().as('total'),
      sql<bigint>`count(*) filter (where n.state = 'pending')`.as('pending'),
    ])
    .executeTakeFirstOrThrow();
  const ids = found.map((row) => row.id);
  const listed = (column: 'zips' | 'keywords' | 'cities') =>
    (asked.id
      ? sql.ref<string[]>(`n.${column}`)
      : sql<string[]>`${sql.ref(`n.${column}`)}[1:${sql.lit(LISTED)}]`
    ).as(column);
  const rows = ids.length
    ? await tx
        .selectFrom('intent_count as n')
        .innerJoin('company as k', 'k.id', 'n.company_id')
        .leftJoin('campaign as c', 'c.id', 'n.campaign_id')
        .leftJoin('campaign as a', 'a.id', 'n.applied_to')
        .select([
          'n.id',
          'n.company_id',
          'n.campaign_id',
          'n.module',
          'n.location',
          'n.states',
          'n.titles',
          'n.seniorities',
          'n.departments',
          'n.industries',
          'n.sizes',
          'n.state',
          'n.people',
          'n.placed',
          'n.waterfall',
          'n.counted_at',
          'n.applied_at',
          'n.applied_to',
          'n.created_at',
          'n.finished_at',
          'k.name as company_name',
          'c.number',
          'a.number as applied_number',
          'a.name as applied_name',
          listed('zips'),
          listed('keywords'),
          listed('cities'),
          sql<number>`cardinality(n.zips)`.as('zip_count'),
          sql<number>`cardinality(n.keywords)`.as('keyword_count'),
          sql<number>`cardinality(n.cities)`.as('city_count'),
        ])
        .where('n.id', 'in', ids)
        .execute()
    : [];
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    rows: ids.flatMap((id) => byId.get(id) ?? []),
    total: Number(totals.total),
    pending: Number(totals.pending),
  };
}

/**
 * Returns the next counts after a position, the newest first: without what they look for, because a count can have
 * 40,000 ZIP codes, and `keywords` as a number.
 */
export async function nextCounts(
  tx: Tx,
  asked: {
    companyId?: string | undefined;
    campaignId?: string | undefined;
    module?: SearchModule | undefined;
  },
  after: { at: Date; id: string } | null,
  limit: number,
) {
  let query = tx.selectFrom('intent_count as n');
  if (asked.companyId) query = query.where('n.company_id', '=', asked.companyId);
  if (asked.campaignId) query = query.where('n.campaign_id', '=', asked.campaignId);
  if (asked.module) query = query.where('n.module', '=', asked.module);
  if (after) query = query.where(sql<boolean>`(n.created_at, n.id) < (${after.at}, ${after.id}::uuid)`);
  return query
    .select([
      'n.id',
      'n.company_id',
      'n.campaign_id',
      'n.module',
      'n.location',
      'n.state',
      'n.people',
      'n.placed',
    ])
    .select(['n.waterfall', 'n.created_at', 'n.finished_at', 'n.counted_at', 'n.applied_at', 'n.applied_to'])
    .select(sql<number>`cardinality(n.keywords)`.as('keyword_total'))
    .orderBy('n.created_at', 'desc')
    .orderBy('n.id', 'desc')
    .limit(limit)
    .execute();
}

/**
 * Returns the newest count of what a campaign searches for: requested for it, or requested for its client and applied
 * to it.
 */
export async function newestOf(tx: Tx, campaignId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('campaign as c')
    .innerJoin('campaign_target as t', 't.campaign_id', 'c.id')
    .innerJoin('intent_count as n', (join) =>
      join
        .onRef('n.company_id', '=', 'c.company_id')
        .on((eb) => eb.or([eb('n.campaign_id', '=', campaignId), eb('n.applied_to', '=', campaignId)]))
        .onRef('t.location', '=', 'n.location')
        .onRef('t.keywords', '=', 'n.keywords')
        .onRef('t.states', '=', 'n.states')
        .onRef('t.cities', '=', 'n.cities')
        .onRef('t.zips', '=', 'n.zips')
        .onRef('t.titles', '=', 'n.titles')
        .onRef('t.seniorities', '=', 'n.seniorities')
        .onRef('t.departments', '=', 'n.departments')
        .onRef('t.industries', '=', 'n.industries')
        .onRef('t.sizes', '=', 'n.sizes'),
    )
    .select('n.id')
    .where('c.id', '=', campaignId)
    .where('n.state', '=', 'done')
    .orderBy('n.counted_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}
