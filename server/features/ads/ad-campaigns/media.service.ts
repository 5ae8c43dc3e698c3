import { setImmediate } from 'node:timers/promises';
import { Zip, ZipPassThrough } from 'fflate';
import { AD_SIZES } from '../../../../contract/ads/ad-rules.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy, checkBound } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { reencodePicture } from '../../../platform/image.ts';
import type { Platform } from '../../../platform/platform.ts';
import { createTurns } from '../../../platform/turns.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Auth } from '../../accounts/auth/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Users } from '../../accounts/users/index.ts';
import { imagePath, mustHaveRoom } from './creative.service.ts';
import * as store from './store.ts';

/** Twice the longest side of an ad, for dense screens. */
const LONGEST = 1940;
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_MEDIA = 500;
/** Where media are downloaded, below the host. */
export const MEDIA_FILE = '/api/media/file';

/** Several images in one file are a hundred megabytes in memory, so few are made at once. */
const inTurn = createTurns({
  atOnce: 2,
  waiting: 16,
  waitingEach: 4,
  budgetMs: 60_000,
  windowMs: 10 * 60_000,
});

/** Files as one zip file: other requests are answered in between. */
async function zipped(files: readonly { name: string; bytes: Buffer }[], at: Date): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  for (const { name, bytes } of files) {
    // Images are compressed already.
    const file = new ZipPassThrough(name);
    file.mtime = at;
    zip.add(file);
    file.push(bytes, true);
    await setImmediate();
  }
  zip.end();
  return Buffer.concat(pieces);
}

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
const ownerOf = ({ root_id, agency_id, company_id }: store.MediaRow) => ({ root_id, agency_id, company_id });

interface MediaDeps {
  audit: Audit;
  tenants: Tenants;
  auth: Auth;
  users: Users;
}

/** Images: a company's library for banners, and those that campaigns show (docs/decisions/0440-banners.md). */
export function createMedia({ db, clock, events }: Platform, { audit, tenants, auth, users }: MediaDeps) {
  const shown = (row: store.MediaRow) => ({
    id: row.id,
    company_id: row.company_id,
    campaign_id: row.campaign_id,
    name: row.name,
    width: row.width,
    height: row.height,
    bytes: row.size,
    alt_text: row.alt_text,
    click_url: row.click_url,
    status: row.state,
    image_url: imagePath(row),
    created_at: row.created_at.toISOString(),
  });
  const one = async (tx: Tx, id: string) =>
    (await store.mediaOf(tx, { ids: [id], limit: 1 }))[0] ?? missing();
  /** Those of `ids` that the caller sees, in that order. @throws Refusal 404 if one is missing */
  async function all(tx: Tx, ids: readonly string[]): Promise<store.MediaRow[]> {
    const rows = new Map((await store.mediaOf(tx, { ids, limit: ids.length })).map((row) => [row.id, row]));
    return ids.map((id) => rows.get(id) ?? missing());
  }

  return {
    /** @throws Refusal 404 for a user that the caller does not see */
    ofUser: (ctx: Ctx, userId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await users.byId(tx, userId))) return missing();
        return (await store.mediaOf(tx, { userId, limit: MOST_MEDIA })).map(shown);
      }),

    /** @throws Refusal 404 */
    ofCampaign: (ctx: Ctx, campaignId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await store.adCampaignById(tx, campaignId))) return missing();
        return (await store.mediaOf(tx, { campaignId, limit: MOST_MEDIA })).map(shown);
      }),

    /** The library of a company; without one, of the caller's. @throws Refusal 404 */
    ofCompany: (ctx: Ctx, companyId = ctx.actor.companyId) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await tenants.company(tx, companyId))) return missing();
        return (await store.mediaOf(tx, { libraryOf: companyId, limit: MOST_MEDIA })).map(shown);
      }),

    /** Which of these images exist for a company. */
    async known(tx: Tx, companyId: string, ids: readonly string[]): Promise<Set<string>> {
      const rows = ids.length === 0 ? [] : await store.mediaOf(tx, { ids, limit: ids.length });
      return new Set(rows.filter((row) => row.company_id === companyId).map(({ id }) => id));
    },

    /**
     * Adds an image to a library. Only its pixels are kept.
     * @throws Refusal 404; 422 naming the field
     */
    async add(ctx: Ctx, given: { company_id?: string | undefined; name: string }, file: Uint8Array) {
      const company = await inScope(db.app, ctx.scope, async (tx) => {
        const found = await tenants.company(tx, given.company_id ?? ctx.actor.companyId);
        if (!found?.agency_id) return missing();
        await checkBound(tx, 'media', found.id, 'file');
        return found;
      });
      const picture = await reencodePicture(file, { maxSide: LONGEST, withGif: true, by: company.id });
      if (picture.bytes.length > MOST_BYTES)
        throw refusalOf('file', 'must not be larger than 2 MB as an image of its pixels alone');
      const at = clock.now();
      const id = newId(at);
      const owner = { root_id: company.root_id, agency_id: company.agency_id!, company_id: company.id };
      return inScope(db.app, ctx.scope, async (tx) => {
        await boundedBy(tx, 'media', company.id, 'file');
        await store.insertCreative(tx, {
          id,
          ...owner,
          ...picture,
          campaign_id: null,
          name: given.name,
          alt_text: null,
          click_url: null,
          created_by: ctx.actor.userId,
          created_at: at,
          updated_at: at,
        });
        await audit.record(tx, ctx, {
          action: 'media.add',
          objectKind: 'media',
          objectId: id,
          description: `Added the image ${given.name} (${picture.width}x${picture.height})`,
          owner,
        });
        return shown(await one(tx, id));
      });
    },

    /** Changes an image, has a campaign of its company show it, or removes it. @throws Refusal 403, 404, 409, 422 */
    update: (
      ctx: Ctx,
      given: {
        id: string;
        name?: string | undefined;
        alt_text?: string | undefined;
        click_url?: string | undefined;
        campaign_id?: string | undefined;
        status?: 'active' | 'paused' | 'removed' | undefined;
      },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { id, status, campaign_id, ...texts } = given;
        await store.lockMedia(tx, id);
        const row = await one(tx, id);
        // What people see of a campaign is the campaign's.
        if ((row.campaign_id || campaign_id) && !ctx.may('campaign.write'))
          throw new Refusal('forbidden', 'You may not change ad campaigns.');
        if (campaign_id && campaign_id !== row.campaign_id) {
          if (row.campaign_id)
            throw refusalOf(
              'campaign_id',
              'cannot be changed once a campaign shows the image; add it there again',
            );
          const campaign = await store.adCampaignById(tx, campaign_id, true);
          if (campaign?.company_id !== row.company_id)
            throw refusalOf('campaign_id', 'must be an ad campaign of the company that the image belongs to');
          const size = `${row.width}x${row.height}`;
          if (!(AD_SIZES as readonly string[]).includes(size))
            throw refusalOf('campaign_id', `needs an image in the size of an ad; this one is ${size}`);
          if (!(texts.alt_text ?? row.alt_text)) throw refusalOf('alt_text', 'is required');
          if (!(texts.click_url ?? row.click_url)) throw refusalOf('click_url', 'is required');
          await mustHaveRoom(tx, campaign_id);
        }
        const set = Object.fromEntries(
          Object.entries({ ...texts, campaign_id, state: status }).filter(([, value]) => value !== undefined),
        );
        await store.updateCreative(tx, id, { ...set, updated_at: clock.now() });
        const shownBy = campaign_id ?? row.campaign_id;
        if (shownBy) await events.emit(tx, 'ads.changed', { rootId: row.root_id, campaignId: shownBy });
        await audit.record(tx, ctx, {
          action: 'media.update',
          objectKind: 'media',
          objectId: id,
          description: `${status === 'removed' ? 'Removed' : 'Changed'} the image ${texts.name ?? row.name}`,
          owner: ownerOf(row),
        });
        return shown({ ...row, ...set });
      }),

    /** A one-time token to download images. @throws Refusal 404 if one of them is missing */
    async downloadToken(ctx: Ctx, ids: readonly string[]) {
      await inScope(db.app, ctx.scope, (tx) => all(tx, ids));
      const { url, expires_at } = await auth.downloadToken(ctx, `${MEDIA_FILE}?ids=${ids.join('.')}`);
      return { url, token: new URL(url, ctx.origin).searchParams.get('token')!, expires_at };
    },

    /** Images as one file: a single one as it is, several as a zip file. @throws Refusal 404 if one is missing, 429 */
    async files(
      ctx: Ctx,
      ids: readonly string[],
    ): Promise<{ name: string; type: string; bytes: Uint8Array }> {
      const distinct = [...new Set(ids)];
      const read = () =>
        inScope(db.app, ctx.scope, async (tx) => {
          const found: { name: string; type: string; bytes: Buffer }[] = [];
          for (const row of await all(tx, distinct)) {
            const { bytes, type } = (await store.fileOf(tx, row.id))!;
            const stem = row.name.replace(/[^\w.-]+/g, '-').slice(0, 80);
            const ending = type === 'image/jpeg' ? 'jpg' : 'png';
            found.push({
              name: `${stem}-${row.width}x${row.height}-${row.id.slice(-4)}.${ending}`,
              type,
              bytes,
            });
          }
          return found;
        });
      if (distinct.length === 1) return (await read())[0]!;
      const bytes = await inTurn(ctx.actor.companyId, async () => zipped(await read(), clock.now()));
      return { name: 'images.zip', type: 'application/zip', bytes };
    },
  };
}
