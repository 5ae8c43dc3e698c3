import { Readable } from 'node:stream';
import { z } from 'zod';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { Country, Flag, Id } from '../../../../contract/primitives.ts';
import { readForm } from '../../../platform/http/form.ts';
import { checkInput } from '../../../platform/http/input.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { AGENCY_BYTES, type Exclusions, MOST_BYTES, SMALL_BYTES } from './service.ts';

/** The file field in the specification's forms; errors about the file use its name. */
const FILE = 'clientoptoutfile';
/** The size of the form data around the file. */
const AROUND_BYTES = 64 * 1024;

const UploadForm = z.object({
  ClientCompanyID: Id,
  campaigntype: z.enum(['client', 'campaign']).default('client'),
  /** For campaigntype campaign: which one. */
  leadspeekID: Id.optional(),
  ignoreAliases: Flag.default('T'),
});
const FileName = z.string('is required').min(1, 'is required').max(255, 'must not exceed 255 characters');
const UploadQuery = z.object({
  paramID: Id,
  campaigntype: z.enum(['agency', 'client', 'campaign']),
  file_name: FileName,
  ignoreAliases: Flag.default('F'),
  country: Country.default('US'),
});

/** The calls of the feature, its uploads and its download. */
export function exclusionsRoutes(exclusions: Exclusions): {
  handlers: Handlers<typeof contract.exclusions>;
  plain: PlainRoute[];
} {
  return {
    handlers: {
      jobProgress: (ctx, input) => exclusions.progress(ctx, input.campaignType, input.companyId),
      purgeSuppressionList: (ctx, input) => exclusions.purge(ctx, input.campaignType, input.paramID),
      purgeOptOutList: (ctx) => exclusions.purge(ctx, 'root', ctx.scope.rootId),
      lists: (ctx, input) => exclusions.lists(ctx, input.campaignType, input.paramID, input),
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
        summary:
          'Uploads an exclusion list for a client (campaigntype client) or one of its campaigns (campaigntype campaign with leadspeekID). Send a multipart form with ClientCompanyID, campaigntype, and clientoptoutfile, a CSV file of up to 10,000 email addresses, in plain text or as MD5. ignoreAliases (T unless it is F): ignores dots and anything after a plus sign in Gmail addresses',
        bodyLimit: SMALL_BYTES + AROUND_BYTES,
        streamed: true,
        async handler(ctx, _request, _reply, upload) {
          const { texts, files, fileNames } = await readForm(upload, SMALL_BYTES + AROUND_BYTES);
          const form = await checkInput(UploadForm, texts);
          const fileName = fileNames[FILE];
          if (!fileName) throw needed(FILE);
          const isCampaign = form.campaigntype === 'campaign';
          if (isCampaign && !form.leadspeekID) throw needed('leadspeekID');
          return exclusions.submit(
            ctx,
            {
              level: form.campaigntype,
              id: isCampaign ? form.leadspeekID! : form.ClientCompanyID,
              ...(isCampaign ? { companyId: form.ClientCompanyID } : {}),
              fileName,
              accepts: 'email',
              ignoreAliases: form.ignoreAliases === 'T',
              field: FILE,
            },
            once(files[FILE] ?? new Uint8Array()),
          );
        },
      },
      {
        method: 'POST',
        url: '/api/exclusions/upload',
        access: 'exclusion.write',
        tag: 'Exclusions',
        summary:
          'Uploads an exclusion list for an agency, client, or campaign with any kind of entry (?campaigntype=agency&paramID=…&file_name=list.csv): email addresses, in plain text or as MD5 or SHA-256, phone numbers, and domains. Up to 10,000 records for a client or campaign, 256 MB for an agency. ignoreAliases=T: ignores dots and anything after a plus sign in Gmail addresses. country=GB: the country for phone numbers without a country code (default US)',
        bodyLimit: AGENCY_BYTES,
        streamed: true,
        async handler(ctx, request, _reply, upload) {
          const query = await checkInput(UploadQuery, request.query);
          return exclusions.submit(
            ctx,
            {
              level: query.campaigntype,
              id: query.paramID,
              fileName: query.file_name,
              accepts: 'all',
              ignoreAliases: query.ignoreAliases === 'T',
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
        summary:
          'Uploads to the root’s own list (?file_name=list.csv), which applies to everyone in its system. Accepts any kind of entry and any number of entries, up to 2 GiB. Ignores dots and anything after a plus sign in Gmail addresses unless ignoreAliases=F. country=GB: the country for phone numbers without a country code (default US)',
        bodyLimit: MOST_BYTES,
        streamed: true,
        async handler(ctx, request, _reply, upload) {
          const query = await checkInput(
            z.object({
              file_name: FileName,
              ignoreAliases: Flag.default('T'),
              country: Country.default('US'),
            }),
            request.query,
          );
          const { rootId } = ctx.scope;
          return exclusions.submit(
            ctx,
            {
              level: 'root',
              id: rootId,
              fileName: query.file_name,
              accepts: 'all',
              ignoreAliases: query.ignoreAliases === 'T',
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
          return reply
            .type('text/csv; charset=utf-8')
            .header('Content-Disposition', `attachment; filename="exclusion-report-${id.data}.csv"`)
            .header('Cache-Control', 'no-store')
            .send(Readable.from(lines));
        },
      },
    ],
  };
}

const needed = (field: string) => refusalOf(field, 'is required');

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
