import { FILE_PLACES } from '../../../../contract/ads/audience-rules.ts';
import { AudienceUpload, AudienceUploaded } from '../../../../contract/ads/audiences.ts';
import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { Id } from '../../../../contract/primitives.ts';
import { sendCsv } from '../../../platform/http/csv-file.ts';
import { checkInput } from '../../../platform/http/input.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import { type AdAudiences, MOST_BYTES } from './service.ts';

const done = { result: 'success', message: messages.updated } as const;

/** The calls of audiences. */
export function audienceRoutes(audiences: AdAudiences): Handlers<typeof contract.audiences> {
  return {
    async list(ctx, input) {
      const { rows, total } = await audiences.list(ctx, {
        companyId: input.company_id,
        search: input.search,
        limit: input.per_page,
        offset: (input.page - 1) * input.per_page,
      });
      return page(rows, total, input);
    },
    get: (ctx, { id }) => audiences.get(ctx, id),
    create: async (ctx, input) => ({
      result: 'success',
      message: messages.added,
      data: await audiences.create(ctx, input),
    }),
    async refresh(ctx, { id }) {
      await audiences.refresh(ctx, id);
      return done;
    },
    async remove(ctx, { id }) {
      await audiences.remove(ctx, id);
      return done;
    },
  };
}

const idOf = (params: unknown): string => {
  const id = Id.safeParse((params as { id: string }).id);
  if (!id.success) throw new Refusal('not_found', ownMessages.notFound);
  return id.data;
};

/** The upload of a list, the file of its refused rows, and the files for Google and Meta. */
export const audiencePlain = (audiences: AdAudiences): PlainRoute[] => [
  {
    method: 'POST',
    url: '/api/leadspeek/simplifi/audience/upload',
    access: 'campaign.create',
    tag: 'Audiences',
    summary: AudienceUpload.description!,
    input: AudienceUpload,
    answer: AudienceUploaded,
    bodyLimit: MOST_BYTES,
    streamed: true,
    async handler(ctx, request, _reply, upload) {
      const query = await checkInput(AudienceUpload, request.query);
      return { result: 'success', message: messages.added, data: await audiences.submit(ctx, query, upload) };
    },
  },
  {
    method: 'GET',
    url: '/api/leadspeek/simplifi/audience/:id/refused.csv',
    access: 'download',
    permission: 'campaign.read',
    tag: 'Audiences',
    summary: 'Returns the refused rows of an uploaded audience, with line and reason, as CSV',
    handler: async (ctx, request, reply) => {
      const id = idOf(request.params);
      return sendCsv(reply, `audience-refused-${id}.csv`, await audiences.refusedLines(ctx, id));
    },
  },
  ...FILE_PLACES.map(
    (place): PlainRoute => ({
      method: 'GET',
      url: `/api/leadspeek/simplifi/audience/:id/${place}.csv`,
      access: 'download',
      permission: 'campaign.write',
      tag: 'Audiences',
      summary: `Returns an audience as a file for ${place === 'google' ? 'Google Customer Match' : 'Meta custom audiences'}, emails as SHA-256. Refused (422) for anything but the client’s own customers`,
      handler: async (ctx, request, reply) => {
        const id = idOf(request.params);
        return sendCsv(reply, `audience-${place}-${id}.csv`, await audiences.fileFor(ctx, id, place));
      },
    }),
  ),
];
