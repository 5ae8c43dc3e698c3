import { sql } from 'kysely';
import { refusalOf } from '../../../../contract/errors.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import {
  distinctKeywords,
  keywordOf,
  lookUpOf,
  placesOf,
  stemsOf,
  THEMES_VERSION,
  themesOf,
} from '../../audience/keywords/index.ts';
import { ANYBODY, type Search, type SearchModule } from './target.policy.ts';

/**
 * How many keywords and places all campaigns of a client may have together, and all of an agency. Each is a row that
 * every match reads; one campaign may have 43,000. Tests lower these.
 */
export const MOST_TARGETS = { client: 500_000, agency: 5_000_000 };
/** From this size on, changes of an agency's targets wait for each other, so that they are counted one by one. */
const LARGE = 1_000;

type ClientOwner = Owner & { agency_id: string };

/**
 * Sets what a campaign looks for, both as given and as matched: Enhance ID and B2B ID match words in any order.
 * @throws Refusal 422 if the client, or its agency, would have too many keywords and places
 */
export async function setTarget(
  tx: Tx,
  owner: ClientOwner,
  campaign: { id: string; module: SearchModule },
  search: Search,
  description: string,
  at: Date,
): Promise<void> {
  const campaignId = campaign.id;
  const { location, states, cities, zips, keywords } = search;
  const { titles, seniorities, departments, industries, sizes } = { ...ANYBODY, ...search };
  const audience = { titles, seniorities, departments, industries, sizes };
  const own = { root_id: owner.root_id, agency_id: owner.agency_id, company_id: owner.company_id };
  const words = distinctKeywords(keywords).map((one) => one.words);
  const places = placesOf(search);
  const size = words.length + places.length;
  await mustFit(tx, owner, campaignId, size);
  const row = {
    ...{ location, states, cities, zips, keywords, description, ...audience, size },
    ...{ themes_version: THEMES_VERSION, updated_at: at },
  };
  await tx
    .insertInto('campaign_target')
    .values({ campaign_id: campaignId, ...own, ...row })
    .onConflict((conflict) => conflict.column('campaign_id').doUpdateSet(row))
    .execute();
  await deleteMatched(tx, campaignId);
  const stems = words.map((one) => (campaign.module === 'locator' ? '{}' : `{${stemsOf(one).join(',')}}`));
  await sql`
    insert into campaign_keyword (campaign_id, words, hash, stems, themes, root_id, agency_id, company_id)
    select ${campaignId}::uuid, k.words, k.hash, k.stems::bigint[], k.themes, ${own.root_id}::uuid, ${own.agency_id}::uuid, ${own.company_id}::uuid
    from unnest(${words}::text[], ${words.map((one) => lookUpOf(one).toString())}::bigint[], ${stems}::text[], ${words.map(themesOf)}::smallint[]) k (words, hash, stems, themes)`.execute(
    tx,
  );
  await sql`
    insert into campaign_place (campaign_id, kind, place, root_id, agency_id, company_id)
    select ${campaignId}::uuid, p.kind, p.place, ${own.root_id}::uuid, ${own.agency_id}::uuid, ${own.company_id}::uuid
    from unnest(${places.map((one) => one.kind)}::smallint[], ${places.map((one) => one.place.toString())}::bigint[]) p (kind, place)`.execute(
    tx,
  );
}

/** Campaigns of a root whose keywords were judged by earlier lists of themes, some at a time. */
export const judgedBefore = (tx: Tx, rootId: string, version: number, limit: number) =>
  tx
    .selectFrom('campaign_target')
    .select(['campaign_id', 'keywords'])
    .where('root_id', '=', rootId)
    .where('themes_version', '<', version)
    .orderBy('themes_version')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();

/** Sets the themes of all keywords of a campaign. */
export async function judge(
  tx: Tx,
  { campaign_id, keywords }: { campaign_id: string; keywords: readonly string[] },
  version: number,
): Promise<void> {
  const judged = keywords.flatMap((text) => {
    const words = keywordOf(text)?.words;
    return words === undefined ? [] : [{ words, themes: themesOf(words) }];
  });
  await sql`
    update campaign_keyword k set themes = j.themes
    from unnest(${judged.map((one) => one.words)}::text[], ${judged.map((one) => one.themes)}::smallint[]) j (words, themes)
    where k.campaign_id = ${campaign_id}::uuid and k.words = j.words and k.themes <> j.themes`.execute(tx);
  await tx
    .updateTable('campaign_target')
    .set({ themes_version: version })
    .where('campaign_id', '=', campaign_id)
    .execute();
}

async function deleteMatched(tx: Tx, campaignId: string): Promise<void> {
  await tx.deleteFrom('campaign_keyword').where('campaign_id', '=', campaignId).execute();
  await tx.deleteFrom('campaign_place').where('campaign_id', '=', campaignId).execute();
}

/** Drops what a campaign is matched by, which can be 43,000 rows, when the campaign is removed. */
export async function dropTarget(tx: Tx, campaignId: string): Promise<void> {
  await deleteMatched(tx, campaignId);
  await tx
    .updateTable('campaign_target')
    .set({ size: 0, zips: [] })
    .where('campaign_id', '=', campaignId)
    .execute();
}

async function mustFit(tx: Tx, owner: ClientOwner, campaignId: string, size: number): Promise<void> {
  if (size >= LARGE)
    await sql`select pg_advisory_xact_lock(hashtextextended(${`targets:${owner.agency_id}`}, 0))`.execute(tx);
  const { rows } = await sql<{ company: bigint; agency: bigint }>`
    select * from target_sizes(${owner.agency_id}::uuid, ${owner.company_id}::uuid, ${campaignId}::uuid)`.execute(
    tx,
  );
  const { company, agency } = rows[0]!;
  const fault = (most: number, whose: string) =>
    refusalOf(
      'zips',
      `would exceed the limit of ${most.toLocaleString('en-US')} keywords and places ${whose}. Remove campaigns first`,
    );
  if (Number(company) + size > MOST_TARGETS.client) throw fault(MOST_TARGETS.client, 'per client');
  if (Number(agency) + size > MOST_TARGETS.agency) throw fault(MOST_TARGETS.agency, 'per agency');
}

/** Since when the people wait that these campaigns' searches found until then; null: they no longer do. */
export async function letWait(tx: Tx, ids: string[], since: Date | null): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('campaign_target')
    .set({ waits_since: since })
    .where('campaign_id', 'in', ids)
    .where('waits_since', 'is distinct from', since)
    .execute();
}

/** What campaigns look for, by campaign. */
export async function targetsOf(tx: Tx, ids: string[]) {
  if (ids.length === 0) return new Map<string, never>();
  const rows = await tx.selectFrom('campaign_target').selectAll().where('campaign_id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.campaign_id, row]));
}

const KEYWORD_PREVIEW = sql<string>`left(array_to_string(keywords[1:20], ', '), 200)`.as('keyword_preview');

/** What lists show of the same. A campaign can have 40,000 zip codes, and a page a hundred campaigns. */
export async function rowTargetsOf(tx: Tx, ids: string[]) {
  if (ids.length === 0) return new Map<string, never>();
  const rows = await tx
    .selectFrom('campaign_target')
    .select(['campaign_id', 'location', 'states', 'description', KEYWORD_PREVIEW])
    .where('campaign_id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.campaign_id, row]));
}

/**
 * What one campaign looks for, as shown with it: its zip codes and keywords as one text each, because so many small
 * strings would block everyone else.
 */
export async function shownTargetOf(tx: Tx, id: string) {
  return tx
    .selectFrom('campaign_target')
    .select([
      ...(['campaign_id', 'location', 'states', 'cities', 'description'] as const),
      ...(['titles', 'seniorities', 'departments', 'industries', 'sizes'] as const),
      sql<string>`array_to_string(zips, E'\n')`.as('zips'),
      sql<string>`array_to_string(keywords, E'\n')`.as('keywords'),
      KEYWORD_PREVIEW,
    ])
    .where('campaign_id', '=', id)
    .executeTakeFirst();
}
