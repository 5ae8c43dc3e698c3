import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Id, Instant } from '../primitives.ts';

const tags = ['Companies'];
const Which = z.object({ id: Id });
const OfCompany = z.object({ company_id: Id.describe('An agency or a client') });

/** How long the file of an export is kept. */
export const EXPORT_KEPT_HOURS = 72;

/** Full exports of a client, or of an agency with its clients, as one archive (docs/export-format.md). */
export const companyExports = {
  list: call
    .route({
      method: 'GET',
      path: '/company-exports',
      tags,
      summary: 'Returns the full exports of an agency or a client that are there or being made, newest first',
    })
    .meta({ access: 'company.export' })
    .input(OfCompany)
    .output(
      z.object({
        data: z.array(
          z.object({
            id: Id,
            state: z
              .enum(['queued', 'making', 'held', 'ready'])
              .describe('held: the server stopped twice while making it'),
            asked_by: z.string().describe('Who started it. Empty if the user was removed'),
            created_at: Instant,
            finished_at: Instant.nullable(),
            expires_at: Instant.nullable().describe('When the file is deleted'),
            bytes: z.int().nullable(),
            sha256: z.string().nullable().describe('Of the archive, in hexadecimal'),
            tables: z.array(z.object({ name: z.string(), rows: z.int() })),
            error: z.string().nullable().describe('Why it is waiting'),
          }),
        ),
      }),
    ),
  start: call
    .route({
      method: 'POST',
      path: '/company-exports',
      tags,
      summary: 'Starts a full export of an agency with its clients, or of a client',
    })
    .meta({ access: 'company.export', notInView: true, fresh: true })
    .input(OfCompany)
    .output(Done.extend({ data: z.object({ id: Id }) })),
  remove: call
    .route({
      method: 'DELETE',
      path: '/company-exports/{id}',
      tags,
      summary: 'Deletes a full export, or stops making it',
    })
    .meta({ access: 'company.export', notInView: true })
    .input(Which)
    .output(Done),
};
