import { z } from 'zod';
import { IMPORT_KINDS } from '../../../../contract/audience/people.ts';
import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { Id } from '../../../../contract/primitives.ts';
import { sendCsv } from '../../../platform/http/csv-file.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { MOST_BYTES } from './import.service.ts';
import type { People } from './service.ts';

const FileName = z
  .string('is required')
  .trim()
  .min(1, 'is required')
  .max(255, 'must not exceed 255 characters')
  .refine((name) => !/[\p{Cc}/\\]/u.test(name), 'must be a file name');

const Kind = z.enum(IMPORT_KINDS).default('people');

/** The calls of the feature, and its upload and download. */
export function peopleRoutes(people: People): {
  handlers: Handlers<typeof contract.people>;
  plain: PlainRoute[];
} {
  return {
    handlers: {
      imports: (ctx, input) => people.list(ctx, input),
      get: (ctx, input) => people.get(ctx, input),
      preview: (ctx, input) => people.preview(ctx, input),
      start: (ctx, input) => people.start(ctx, input),
      cancel: (ctx, input) => people.cancel(ctx, input),
      tryAgain: (ctx, input) => people.tryAgain(ctx, input),
      totals: (ctx) => people.totals(ctx),
      duplicates: (ctx, input) => people.merges.duplicates(ctx, input.after),
      merges: (ctx, input) => people.merges.list(ctx, input),
      merge: (ctx, input) => people.merges.merge(ctx, input),
      unmerge: (ctx, input) => people.merges.undo(ctx, input.id),
    },
    plain: [
      {
        method: 'POST',
        url: '/api/identity/imports',
        access: 'people.import',
        tag: 'Identity',
        summary:
          'Uploads a CSV file of people, or a CSV or Parquet file of intent signals (?file_name=people.csv&kind=people, up to 2 GiB). Returns the import, ready to map and start',
        bodyLimit: MOST_BYTES,
        streamed: true,
        handler: async (ctx, request, _reply, upload) => {
          const name = FileName.safeParse((request.query as { file_name?: unknown }).file_name);
          if (!name.success) {
            const rules = name.error.issues.map((issue) => issue.message);
            throw new Refusal('invalid', `file_name: ${rules[0]}`, { errors: { file_name: rules } });
          }
          if (Number(request.headers['content-length'] ?? 0) > MOST_BYTES) {
            throw new Refusal('too_large', 'The file is too large.', {
              errors: { file: ['must not exceed 2 GiB'] },
            });
          }
          const kind = Kind.safeParse((request.query as { kind?: unknown }).kind);
          if (!kind.success)
            throw new Refusal('invalid', 'kind: must be people or signals', {
              errors: { kind: ['must be people or signals'] },
            });
          return people.upload(ctx, name.data, upload, kind.data);
        },
      },
      {
        method: 'GET',
        url: '/api/identity/imports/:id/errors.csv',
        access: 'download',
        permission: 'people.import',
        tag: 'Identity',
        summary: 'Returns the rows of an import that could not be used, with line and reason, as CSV',
        handler: async (ctx, request, reply) => {
          const id = Id.safeParse((request.params as { id: string }).id);
          if (!id.success) throw new Refusal('not_found', ownMessages.notFound);
          const lines = await people.errorLines(ctx, { id: id.data });
          return sendCsv(reply, `import-errors-${id.data}.csv`, lines);
        },
      },
    ],
  };
}
