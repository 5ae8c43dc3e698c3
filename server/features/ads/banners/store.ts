import { type Insertable, sql, type Updateable } from 'kysely';
import { AD_SIZES, type AdSize } from '../../../../contract/ads/ad-rules.ts';
import type { BannerDesign } from '../../../../contract/ads/banner-rules.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export async function insertBanner(tx: Tx, row: Insertable<Schema['banner']>): Promise<void> {
  await tx.insertInto('banner').values(row).execute();
}

/** Changes a banner if it still has that version. Returns whether it had. */
export async function updateBanner(
  tx: Tx,
  id: string,
  version: number,
  set: Updateable<Schema['banner']>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('banner')
    .set({ ...set, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', '=', 'active')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** In place of the design of a removed banner. */
const NO_DESIGN: BannerDesign = { background: '#ffffff', border: null, sizes: [AD_SIZES[0]], layers: [] };

/** Removes a banner, whoever changed it meanwhile. Its design goes with it, or it would fill the disk. */
export async function removeBanner(tx: Tx, id: string, at: Date): Promise<void> {
  await tx
    .updateTable('banner')
    .set({ state: 'removed', design: JSON.stringify(NO_DESIGN), updated_at: at })
    .where('id', '=', id)
    .execute();
}

const shown = (tx: Tx) =>
  tx
    .selectFrom('banner as b')
    .innerJoin('company as k', 'k.id', 'b.company_id')
    .where('b.state', '=', 'active')
    .select([
      'b.id',
      'b.root_id',
      'b.agency_id',
      'b.company_id',
      'k.name as company_name',
      'b.name',
      'b.alt_text',
      'b.click_url',
      'b.version',
      'b.created_at',
      'b.updated_at',
    ]);

export const bannerById = (tx: Tx, id: string) =>
  shown(tx).select('b.design').where('b.id', '=', id).executeTakeFirst();

/** Banners without their designs, last changed first. */
export async function pageOfBanners(
  tx: Tx,
  asked: {
    companyId?: string | undefined;
    search?: string | undefined;
    limit: number;
    offset: number;
  },
) {
  let query = shown(tx);
  if (asked.companyId) query = query.where('b.company_id', '=', asked.companyId);
  if (asked.search) query = query.where('b.name', 'ilike', `%${asked.search.replace(/[\\%_]/g, '\\$&')}%`);
  const rows = await query
    .select([
      sql<AdSize[]>`b.design -> 'sizes'`.as('sizes'),
      sql<number>`jsonb_array_length(b.design -> 'layers')`.as('layers'),
    ])
    .orderBy('b.updated_at', 'desc')
    .orderBy('b.id', 'desc')
    .limit(asked.limit)
    .offset(asked.offset)
    .execute();
  const { total } = await query
    .clearSelect()
    .select((eb) => eb.fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}
