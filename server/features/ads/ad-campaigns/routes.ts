import { CreativeAdded, CreativeForm } from '../../../../contract/ads/ad-campaigns.ts';
import { MediaAdded, MediaForm, MOST_DOWNLOADED } from '../../../../contract/ads/media.ts';
import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { checkForm } from '../../../platform/http/form.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { PICTURE_BYTES } from '../../../platform/image.ts';
import { page } from '../../../platform/page.ts';
import { MEDIA_FILE } from './media.service.ts';
import type { AdCampaigns } from './service.ts';

/** The calls of ad campaigns. */
export function adCampaignRoutes(ads: AdCampaigns): Handlers<typeof contract.adCampaigns> {
  return {
    create: async (ctx, input) => ({
      result: 'success',
      message: messages.added,
      data: await ads.create(ctx, input),
    }),
    update: async (ctx, input) => ({
      result: 'success',
      message: messages.updated,
      data: await ads.update(ctx, input),
    }),
    async list(ctx, input) {
      const { rows, total } = await ads.list(ctx, {
        companyId: input.company_id,
        status: input.status,
        search: input.search,
        limit: input.per_page,
        offset: (input.page - 1) * input.per_page,
      });
      return page(rows, total, input);
    },
    details: (ctx, { campaign_id }) => ads.details(ctx, campaign_id),
    remainingBudget: (ctx, { campaign_id }) => ads.remaining(ctx, campaign_id),
    checkBudgetIncrease: (ctx, { campaign_id, ...given }) => ads.checkIncrease(ctx, campaign_id, given),
    costModule: async (ctx, { campaign_id, agency_markup }) => ({
      result: 'success',
      message: messages.updated,
      data: await ads.setMarkup(ctx, campaign_id, agency_markup),
    }),
    minimums: (ctx) => ads.minimums(ctx),
    saveMinimums: async (ctx, input) => ({
      result: 'success',
      message: messages.updated,
      data: await ads.saveMinimums(ctx, input),
    }),
    charge: (ctx, { campaign_id, amount, idempotency_key }) =>
      ads.charge(ctx, campaign_id, { amount, key: idempotency_key }),
  };
}

/** An image and the texts around it. */
const FORM_BYTES = PICTURE_BYTES + 64 * 1024;

/** The upload of a creative. */
export const creativePlain = ({ creatives }: AdCampaigns): PlainRoute[] => [
  {
    method: 'POST',
    url: '/api/ads/creatives',
    access: 'campaign.write',
    tag: 'Ads',
    summary: CreativeForm.description!,
    input: CreativeForm,
    answer: CreativeAdded,
    bodyLimit: FORM_BYTES,
    streamed: true,
    async handler(ctx, _request, _reply, upload) {
      const { fields, files } = await checkForm(CreativeForm, upload, FORM_BYTES);
      const data = await creatives.add(ctx, fields, files.file ?? new Uint8Array());
      return { result: 'success', message: messages.added, data };
    },
  },
];

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The upload of an image, and its download. */
export const mediaPlain = ({ media }: AdCampaigns): PlainRoute[] => [
  {
    method: 'POST',
    url: '/api/media',
    access: 'banner.write',
    tag: 'Ads',
    summary: MediaForm.description!,
    input: MediaForm,
    answer: MediaAdded,
    bodyLimit: FORM_BYTES,
    streamed: true,
    async handler(ctx, _request, _reply, upload) {
      const { fields, files } = await checkForm(MediaForm, upload, FORM_BYTES);
      const data = await media.add(ctx, fields, files.file ?? new Uint8Array());
      return { result: 'success', message: messages.added, data };
    },
  },
  {
    method: 'GET',
    url: MEDIA_FILE,
    access: 'download',
    permission: 'banner.read',
    tag: 'Ads',
    summary:
      'Returns images by their ids, separated by a dot: one as it is, several as a zip file (requested with a one-time token)',
    async handler(ctx, request, reply) {
      const ids = String((request.query as { ids?: string }).ids ?? '').split('.');
      if (ids.length > MOST_DOWNLOADED || !ids.every((id) => ID.test(id)))
        throw new Refusal('not_found', ownMessages.notFound);
      const file = await media.files(ctx, ids);
      return reply
        .header('Content-Disposition', `attachment; filename="${file.name}"`)
        .header('Cache-Control', 'no-store')
        .type(file.type)
        .send(file.bytes);
    },
  },
];

/** The calls of media. */
export function mediaRoutes({ media }: AdCampaigns): Handlers<typeof contract.media> {
  return {
    ofUser: async (ctx, { id }) => ({ data: await media.ofUser(ctx, id) }),
    ofCampaign: async (ctx, { id }) => ({ data: await media.ofCampaign(ctx, id) }),
    ofCompany: async (ctx, { company_id }) => ({ data: await media.ofCompany(ctx, company_id) }),
    update: async (ctx, input) => ({
      result: 'success',
      message: messages.updated,
      data: await media.update(ctx, input),
    }),
    downloadToken: (ctx, { ids }) => media.downloadToken(ctx, ids),
  };
}

/** The calls of creatives. */
export function creativeRoutes({ creatives }: AdCampaigns): Handlers<typeof contract.creatives> {
  return {
    list: async (ctx, { campaign_id }) => ({ data: await creatives.list(ctx, campaign_id) }),
    async update(ctx, input) {
      await creatives.update(ctx, input);
      return { result: 'success', message: messages.updated };
    },
  };
}
