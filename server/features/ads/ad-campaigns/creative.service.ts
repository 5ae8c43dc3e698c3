import { AD_SIZES } from '../../../../contract/ads/ad-rules.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { reencodePicture } from '../../../platform/image.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import * as store from './store.ts';

/** The longest side of an ad, in pixels. */
const LONGEST = 970;
/** Images are our own encoding of their pixels, which may be larger than what was uploaded. */
const MOST_BYTES = 1024 * 1024;
const MOST_CREATIVES = 50;

/** @throws Refusal 409 if a campaign cannot have one more */
export async function mustHaveRoom(tx: Tx, campaignId: string): Promise<void> {
  if ((await store.creativesOf(tx, [campaignId])).length >= MOST_CREATIVES)
    throw new Refusal('conflict', `A campaign can have up to ${MOST_CREATIVES} creatives.`);
}

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/** Where the image of a creative is served, on every host. */
export const imagePath = (creative: { id: string; type: string }): string =>
  `/a/v1/i/${creative.id}.${creative.type === 'image/jpeg' ? 'jpg' : 'png'}`;

/** What ad campaigns show. */
export function createCreatives({ db, clock, events }: Platform, { audit }: { audit: Audit }) {
  const shown = (row: NonNullable<Awaited<ReturnType<typeof store.creativeById>>>) => ({
    id: row.id,
    campaign_id: row.campaign_id,
    name: row.name,
    width: row.width,
    height: row.height,
    bytes: row.size,
    alt_text: row.alt_text,
    click_url: row.click_url,
    status: row.state as 'active' | 'paused',
    image_url: imagePath(row),
    created_at: row.created_at.toISOString(),
  });

  return {
    list: (ctx: Ctx, campaignId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await store.adCampaignById(tx, campaignId))) return missing();
        return (await store.creativesOf(tx, [campaignId])).map(shown);
      }),

    /**
     * Adds an image (PNG, JPEG, or GIF, of which the first frame is kept) in one of the sizes of ads. Only its pixels are
     * kept.
     * @throws Refusal 404; 409 if there are too many; 422 naming the field
     */
    async add(
      ctx: Ctx,
      given: { campaign_id: string; name: string; alt_text: string; click_url: string },
      file: Uint8Array,
    ) {
      const campaign = await inScope(
        db.app,
        ctx.scope,
        async (tx) => (await store.adCampaignById(tx, given.campaign_id)) ?? missing(),
      );
      const picture = await reencodePicture(file, { maxSide: 4_000, withGif: true, by: campaign.company_id });
      const size = `${picture.width}x${picture.height}`;
      if (!(AD_SIZES as readonly string[]).includes(size))
        throw refusalOf('file', `is ${size} pixels; ads must be ${AD_SIZES.join(', ')}`);
      if (picture.bytes.length > MOST_BYTES || Math.max(picture.width, picture.height) > LONGEST)
        throw refusalOf('file', 'must not be larger than 1 MB as an image of its pixels alone');
      const at = clock.now();
      return inScope(db.app, ctx.scope, async (tx) => {
        const row = (await store.adCampaignById(tx, campaign.id, true)) ?? missing();
        await mustHaveRoom(tx, row.id);
        const { root_id, agency_id, company_id } = row;
        const owner = { root_id, agency_id, company_id };
        const id = newId(at);
        await store.insertCreative(tx, {
          id,
          ...owner,
          campaign_id: row.id,
          name: given.name,
          width: picture.width,
          height: picture.height,
          type: picture.type,
          bytes: picture.bytes,
          alt_text: given.alt_text,
          click_url: given.click_url,
          created_by: ctx.actor.userId,
          created_at: at,
          updated_at: at,
        });
        await events.emit(tx, 'ads.changed', { rootId: root_id, campaignId: row.id });
        await audit.record(tx, ctx, {
          action: 'campaign.creative',
          objectKind: 'campaign',
          objectId: row.id,
          description: `Added the creative ${given.name} (${size}) to ad campaign #${row.number}`,
          owner,
        });
        return shown((await store.creativeById(tx, id))!);
      });
    },

    /** Changes a creative, or removes it. @throws Refusal 404 */
    update: (
      ctx: Ctx,
      {
        id,
        status,
        ...given
      }: {
        id: string;
        name?: string | undefined;
        alt_text?: string | undefined;
        click_url?: string | undefined;
        status?: 'active' | 'paused' | 'removed' | undefined;
      },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = (await store.creativeById(tx, id)) ?? missing();
        const set = Object.fromEntries(
          Object.entries({ ...given, state: status }).filter(([, value]) => value !== undefined),
        );
        await store.updateCreative(tx, id, { ...set, updated_at: clock.now() });
        const { root_id, agency_id, company_id } = row;
        await events.emit(tx, 'ads.changed', { rootId: root_id, campaignId: row.campaign_id });
        await audit.record(tx, ctx, {
          action: 'campaign.creative',
          objectKind: 'campaign',
          objectId: row.campaign_id,
          description: `${status === 'removed' ? 'Removed' : 'Changed'} the creative ${given.name ?? row.name}`,
          owner: { root_id, agency_id, company_id },
        });
      }),
  };
}
