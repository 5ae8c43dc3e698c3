import {
  ExclusionForm,
  ExclusionUpload,
  ExclusionUploaded,
  RootExclusionUpload,
} from '../../../../contract/audience/exclusions.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { Id } from '../../../../contract/primitives.ts';
import { sendCsv } from '../../../platform/http/csv-file.ts';
import { checkForm } from '../../../platform/http/form.ts';
import { checkInput } from '../../../platform/http/input.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { AGENCY_BYTES, type Exclusions, MOST_BYTES, SMALL_BYTES } from './service.ts';

/** The size of the form data around the file. */
const AROUND_BYTES = 64 * 1024;

/** The calls of the feature, its uploads and its download. */
export function exclusionsRoutes(exclusions: Exclusions): {
  handlers: Handlers<typeof contract.exclusions>;
  plain: PlainRoute[];
} {
  return {
    handlers: {
      jobProgress: (ctx, input) => exclusions.progress(ctx, input.level, input.company_id, input.use),
      purgeSuppressionList: (ctx, input) => exclusions.purge(ctx, input.level, input.owner_id, input.use),
      purgeOptOutList: (ctx) => exclusions.purge(ctx, 'root', ctx.scope.rootId),
      lists: (ctx, input) => exclusions.lists(ctx, input.level, input.owner_id, input),
      report: (ctx, input) => exclusions.report(ctx, input.id),
      tryAgain: (ctx, input) => exclusions.tryAgain(ctx, input.id),
      undo: (ctx, input) => exclusions.undo(ctx, input.id),
    },
    plain: [
      {
        method: 'POST',
        url: '/api/tools/optout-client/upload',
        access: 'exclusion.write',
        tag: 'Exclusions',
        summary: ExclusionForm.description!,
        input: ExclusionForm,
        answer: ExclusionUploaded,
        bodyLimit: SMALL_BYTES + AROUND_BYTES,
        streamed: true,
        async handler(ctx, _request, _reply, upload) {
          const { fields, files, fileNames } = await checkForm(
            ExclusionForm,
            upload,
            SMALL_BYTES + AROUND_BYTES,
          );
          if (!fileNames.file) throw needed('file');
          const isCampaign = fields.level === 'campaign';
          if (isCampaign && !fields.campaign_id) throw needed('campaign_id');
          return exclusions.submit(
            ctx,
            {
              level: fields.level,
              id: isCampaign ? fields.campaign_id! : fields.company_id,
              ...(isCampaign ? { companyId: fields.company_id } : {}),
              fileName: fileNames.file,
              accepts: 'email',
              ignoreAliases: fields.ignore_aliases === 'T',
              field: 'file',
            },
            once(files.file ?? new Uint8Array()),
          );
        },
      },
      {
        method: 'POST',
        url: '/api/exclusions/upload',
        access: 'exclusion.write',
        tag: 'Exclusions',
        summary: ExclusionUpload.description!,
        input: ExclusionUpload,
        answer: ExclusionUploaded,
        bodyLimit: AGENCY_BYTES,
        streamed: true,
        async handler(ctx, request, _reply, upload) {
          const query = await checkInput(ExclusionUpload, request.query);
          return exclusions.submit(
            ctx,
            {
              level: query.level,
              id: query.owner_id,
              fileName: query.file_name,
              accepts: 'all',
              use: query.use,
              ignoreAliases: query.ignore_aliases === 'T',
              country: query.country,
              field: 'file',
            },
            upload,
          );
        },
      },
      {
        method: 'POST',
        url: '/api/tools/optout/upload',
        access: 'optout.write',
        tag: 'Exclusions',
        summary: RootExclusionUpload.description!,
        input: RootExclusionUpload,
        answer: ExclusionUploaded,
        bodyLimit: MOST_BYTES,
        streamed: true,
        async handler(ctx, request, _reply, upload) {
          const query = await checkInput(RootExclusionUpload, request.query);
          const { rootId } = ctx.scope;
          return exclusions.submit(
            ctx,
            {
              level: 'root',
              id: rootId,
              fileName: query.file_name,
              accepts: 'all',
              ignoreAliases: query.ignore_aliases === 'T',
              country: query.country,
              field: 'file',
            },
            upload,
          );
        },
      },
      {
        method: 'GET',
        url: '/api/exclusions/lists/:id/report.csv',
        access: 'download',
        permission: 'exclusion.read',
        tag: 'Exclusions',
        summary: 'Returns the invalid rows of an exclusion list, with line and reason, as CSV',
        async handler(ctx, request, reply) {
          const id = Id.safeParse((request.params as { id: string }).id);
          if (!id.success) throw new Refusal('not_found', ownMessages.notFound);
          const lines = await exclusions.reportLines(ctx, id.data);
          return sendCsv(reply, `exclusion-report-${id.data}.csv`, lines);
        },
      },
    ],
  };
}

const needed = (field: string) => refusalOf(field, 'is required');

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
