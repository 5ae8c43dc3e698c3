import type { BannerDesign } from '../../../../contract/ads/banner-rules.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { AdCampaigns } from '../ad-campaigns/index.ts';
import * as store from './store.ts';

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

interface BannerDeps {
  audit: Audit;
  tenants: Tenants;
  adCampaigns: AdCampaigns;
}
interface Texts {
  name: string;
  alt_text: string;
  click_url: string;
}
export type Banners = ReturnType<typeof createBanners>;

/** Banners: ads designed once, in all of their sizes (docs/decisions/0440-banners.md). */
export function createBanners({ db, clock }: Platform, { audit, tenants, adCampaigns }: BannerDeps) {
  const dated = <Row extends { created_at: Date; updated_at: Date }>({
    created_at,
    updated_at,
    ...row
  }: Row) => ({
    ...row,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  });
  const one = async (tx: Tx, id: string) => (await store.bannerById(tx, id)) ?? missing();
  const ownerOf = (row: { root_id: string; agency_id: string; company_id: string }) => ({
    root_id: row.root_id,
    agency_id: row.agency_id,
    company_id: row.company_id,
  });

  /**
   * A design may use images of its own company only. One that it used before may have been removed since.
   * @throws Refusal 422
   */
  async function mustHaveImages(
    tx: Tx,
    companyId: string,
    design: BannerDesign,
    before?: BannerDesign,
  ): Promise<void> {
    const idsOf = ({ layers }: BannerDesign) =>
      layers.flatMap((layer) => (layer.kind === 'image' ? [layer.media_id] : []));
    const ids = [...new Set(idsOf(design))];
    const known = await adCampaigns.media.known(tx, companyId, ids);
    const old = new Set(before ? idsOf(before) : []);
    const at = design.layers.findIndex(
      (layer) => layer.kind === 'image' && !known.has(layer.media_id) && !old.has(layer.media_id),
    );
    if (at >= 0) throw refusalOf(`design.layers.${at}.media_id`, 'must be an image of the same company');
  }

  return {
    insert: store.insertBanner,

    list: (
      ctx: Ctx,
      asked: {
        companyId?: string | undefined;
        search?: string | undefined;
        limit: number;
        offset: number;
      },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (asked.companyId && !(await tenants.company(tx, asked.companyId))) return missing();
        const { rows, total } = await store.pageOfBanners(tx, asked);
        return { rows: rows.map(dated), total };
      }),

    details: (ctx: Ctx, id: string) => inScope(db.app, ctx.scope, async (tx) => dated(await one(tx, id))),

    /** Creates a banner of the caller's company or of a client. @throws Refusal 404, 422 */
    create: (ctx: Ctx, given: Texts & { company_id?: string | undefined; design: BannerDesign }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = await tenants.company(tx, given.company_id ?? ctx.actor.companyId);
        if (!company?.agency_id) return missing();
        await boundedBy(tx, 'banners', company.id, 'name');
        await mustHaveImages(tx, company.id, given.design);
        const at = clock.now();
        const id = newId(at);
        const owner = { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id };
        const { name, alt_text, click_url, design } = given;
        await store.insertBanner(tx, {
          id,
          ...owner,
          ...{ name, alt_text, click_url },
          design: JSON.stringify(design),
          created_by: ctx.actor.userId,
          created_at: at,
          updated_at: at,
        });
        await audit.record(tx, ctx, {
          action: 'banner.create',
          objectKind: 'banner',
          objectId: id,
          description: `Created the banner ${name} in ${design.sizes.length} sizes`,
          owner,
        });
        return dated(await one(tx, id));
      }),

    /** Changes what is given. @throws Refusal 404; 409 if someone else did in the meantime; 422 */
    update: (
      ctx: Ctx,
      {
        id,
        version,
        design,
        ...texts
      }: { [K in keyof Texts]?: string | undefined } & {
        id: string;
        version?: number | undefined;
        design?: BannerDesign | undefined;
      },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await one(tx, id);
        if (design) await mustHaveImages(tx, row.company_id, design, row.design);
        const set = Object.fromEntries(
          Object.entries({ ...texts, design: design && JSON.stringify(design) }).filter(
            ([, value]) => value !== undefined,
          ),
        );
        const isSaved = await store.updateBanner(tx, id, version ?? row.version, {
          ...set,
          updated_at: clock.now(),
        });
        if (!isSaved)
          throw new Refusal(
            'conflict',
            'Someone else changed this banner in the meantime. Reload to see their changes, then make yours again.',
            { errors: { version: ['is not the current one'] } },
          );
        await audit.record(tx, ctx, {
          action: 'banner.update',
          objectKind: 'banner',
          objectId: id,
          description: `Changed the banner ${texts.name ?? row.name}`,
          owner: ownerOf(row),
        });
        return dated(await one(tx, id));
      }),

    /** @throws Refusal 404 */
    remove: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await one(tx, id);
        await store.removeBanner(tx, id, clock.now());
        await audit.record(tx, ctx, {
          action: 'banner.remove',
          objectKind: 'banner',
          objectId: id,
          description: `Deleted the banner ${row.name}`,
          owner: ownerOf(row),
        });
      }),
  };
}
