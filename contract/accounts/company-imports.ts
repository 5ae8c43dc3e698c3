import { z } from 'zod';
import { call } from '../base.ts';
import { Invoice } from '../money/invoices.ts';
import { TRANSFER_KINDS } from '../money/ledger.ts';
import { Done, Id, Instant, Micros, Page, PageQuery } from '../primitives.ts';

const tags = ['Companies'];
const Which = z.object({ id: Id });

/** The largest archive that can be uploaded, in bytes. */
export const IMPORT_BYTES = 2 * 1024 ** 3;
/** How long the archive of an import is kept. */
export const IMPORT_KEPT_DAYS = 7;
/** How many users are invited at once. */
export const INVITED_AT_ONCE = 100;

export const IMPORT_STATES = ['queued', 'running', 'held', 'refused', 'ready'] as const;
export const IMPORT_STEPS = ['checking', 'reading', 'importing', 'comparing'] as const;

/** The upload of an archive. */
export const ImportUpload = z
  .object({
    file_name: z.string().trim().min(1).max(255),
    receiver_id: Id.optional().describe(
      'The agency that receives a client. Blank for the archive of an agency',
    ),
  })
  .describe('Uploads the archive of a full export (its body) and tries its import');

export const ImportUploaded = Done.extend({ data: z.object({ id: Id }) });

const Run = z.object({
  id: Id,
  file_name: z.string(),
  bytes: z.int(),
  receiver_name: z.string().describe('The agency that receives a client. Empty for an agency'),
  phase: z.enum(['try', 'import']).describe('try: everything is done and undone'),
  state: z
    .enum(IMPORT_STATES)
    .describe(
      'held: the server stopped twice during it. ready: a trial that can be imported, or a finished import',
    ),
  step: z.enum(IMPORT_STEPS).nullable(),
  step_done: z.int(),
  step_of: z.int(),
  error: z.string().nullable().describe('Why it was refused, or is waiting'),
  name: z.string().describe('The company. Empty until the archive has been read'),
  kind: z.enum(['agency', 'client']).nullable(),
  asked_by: z.string().describe('Empty if the user was removed'),
  created_at: Instant,
  finished_at: Instant.nullable(),
});

const Todo = z.object({ what: z.string(), count: z.int(), examples: z.array(z.string()) });
const Sums = z.record(z.string(), z.string().describe('Micro-dollars'));

/** Imports of full exports into a root (docs/export-format.md). */
export const companyImports = {
  list: call
    .route({
      method: 'GET',
      path: '/company-imports',
      tags,
      summary: 'Lists the imports of archives, newest first',
    })
    .meta({ access: 'company.import' })
    .input(PageQuery.pick({ Page: true, PerPage: true, searchQuery: true }))
    .output(Page(Run)),
  sources: call
    .route({
      method: 'GET',
      path: '/company-imports/sources',
      tags,
      summary: 'Returns full exports of this server that can be imported, newest first, at most 50',
    })
    .meta({ access: 'company.import' })
    .output(
      z.object({
        data: z.array(
          z.object({ id: Id, name: z.string(), kind: z.enum(['agency', 'client']), created_at: Instant }),
        ),
      }),
    ),
  one: call
    .route({
      method: 'GET',
      path: '/company-imports/{id}',
      tags,
      summary: 'Returns an import: what it would make or has made, and how that compares with the archive',
    })
    .meta({ access: 'company.import' })
    .input(Which)
    .output(
      z.object({
        data: Run.extend({
          has_file: z.boolean().describe('Whether the archive is still here'),
          new_ids: z.boolean(),
          made_id: Id.nullable().describe('The company that was made'),
          to_invite: z.int().describe('Imported users who were never invited and have no password'),
          result: z
            .object({
              is_equal: z.boolean(),
              new_ids: z.boolean(),
              conflicts: z.array(Todo),
              todo: z.array(Todo),
              held: Sums.describe('Balances in the archive'),
              opened: Sums.describe('Balances that were opened'),
              tables: z.array(
                z.object({
                  name: z.string(),
                  archive: z.int(),
                  here: z.int(),
                  documents: z.int(),
                  adapted: z.int(),
                  withheld: z.int(),
                  is_equal: z.boolean(),
                  differences: z.array(z.string()),
                }),
              ),
              sums: z.array(
                z.object({
                  kind: z.string(),
                  name: z.string(),
                  unit: z.string(),
                  archive: z.string(),
                  here: z.string(),
                  is_equal: z.boolean(),
                }),
              ),
            })
            .nullable(),
        }),
      }),
    ),
  fromExport: call
    .route({
      method: 'POST',
      path: '/company-imports',
      tags,
      summary: 'Tries the import of a full export that this server made',
    })
    .meta({ access: 'company.import', notInView: true })
    .input(z.object({ export_id: Id, receiver_id: Id.optional() }))
    .output(ImportUploaded),
  again: call
    .route({ method: 'POST', path: '/company-imports/{id}/try', tags, summary: 'Tries an import once more' })
    .meta({ access: 'company.import', notInView: true })
    .input(Which.extend({ new_ids: z.boolean().describe('Imports once more what is here already') }))
    .output(Done),
  start: call
    .route({
      method: 'POST',
      path: '/company-imports/{id}/start',
      tags,
      summary: 'Starts an import that was tried',
    })
    .meta({ access: 'company.import', notInView: true, fresh: true })
    .input(
      Which.extend({
        balances: z
          .enum(['open', 'none'])
          .optional()
          .describe(
            'Whether balances are opened here (open) or stay documents (none). Required if there are any',
          ),
      }),
    )
    .output(Done),
  invite: call
    .route({
      method: 'POST',
      path: '/company-imports/{id}/invite',
      tags,
      summary: 'Invites imported users who have no password',
    })
    .meta({ access: 'company.import', notInView: true, fresh: true })
    .input(Which)
    .output(Done),
  remove: call
    .route({
      method: 'DELETE',
      path: '/company-imports/{id}',
      tags,
      summary: 'Deletes an import from the list, with its archive. What was imported stays',
    })
    .meta({ access: 'company.import', notInView: true })
    .input(Which)
    .output(Done),
};

export const PAST_TYPES = ['invoice', 'charge', 'entry'] as const;
export type PastType = (typeof PAST_TYPES)[number];

const PastRow = z.object({
  id: z.string().describe('entry: the transfer ID and the line, separated by a dot'),
  type: z.enum(PAST_TYPES),
  at: Instant,
  company_id: Id,
  company_name: z.string(),
  number: z.string().describe('The number of an invoice. Empty otherwise'),
  kind: z.string().describe('The kind of invoice, the purpose of a charge, or what happened'),
  note: z.string(),
  status: z.string().describe('Empty for ledger lines'),
  amount_micros: Micros,
});

const PastPart = z.object({ label: z.string(), note: z.string(), amount_micros: Micros });

const path = '/billing/past';

/** Money of imported companies from before they were imported: documents that never change. */
export const pastBilling = {
  list: call
    .route({
      method: 'GET',
      path,
      tags: ['Invoices'],
      summary: 'Lists the invoices, charges, or ledger lines of imported companies from before the import',
    })
    .meta({ access: 'invoice.read' })
    .input(
      PageQuery.pick({ Page: true, PerPage: true, searchQuery: true }).extend({
        type: z.enum(PAST_TYPES).default('invoice'),
        companyID: Id.optional().describe('Only those of this company'),
      }),
    )
    .output(
      Page(PastRow).extend({
        types: z.array(z.enum(PAST_TYPES)).describe('Of which there are any'),
      }),
    ),
  invoice: call
    .route({
      method: 'GET',
      path: `${path}/invoices/{id}`,
      tags: ['Invoices'],
      summary: 'Returns an invoice from before the import',
    })
    .meta({ access: 'invoice.read' })
    .input(Which)
    .output(Invoice),
  charge: call
    .route({
      method: 'GET',
      path: `${path}/charges/{id}`,
      tags: ['Invoices'],
      summary: 'Returns a charge from before the import, with its refunds',
    })
    .meta({ access: 'invoice.read' })
    .input(Which)
    .output(z.object({ data: PastRow.extend({ card: z.string(), parts: z.array(PastPart) }) })),
  transfer: call
    .route({
      method: 'GET',
      path: `${path}/transfers/{id}`,
      tags: ['Invoices'],
      summary: 'Returns what happened before the import, with its ledger lines',
    })
    .meta({ access: 'invoice.read' })
    .input(Which)
    .output(
      z.object({
        data: z.object({
          id: Id,
          at: Instant,
          kind: z.enum(TRANSFER_KINDS).nullable().describe('null if not known'),
          memo: z.string(),
          campaignName: z.string().nullable(),
          parts: z.array(PastPart),
        }),
      }),
    ),
};
