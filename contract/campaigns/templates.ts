import { z } from 'zod';
import { call } from '../base.ts';
import { Done, hasControls, Id, Instant, Line, Page, PageQuery } from '../primitives.ts';
import type { Inside } from '../wire.ts';
import { CAMPAIGN_MODULES } from './campaigns.ts';
import { PUSH_STATES, TARGET_STATES, TEMPLATE_KINDS } from './template-fields.ts';

const tags = ['Templates'];
const Kind = z.enum(TEMPLATE_KINDS, 'must be campaign or branding');
const Number_ = z.coerce.number().int().min(1).max(100_000);
const Note = z
  .string()
  .trim()
  .max(500, 'must not exceed 500 characters')
  .refine((text) => !hasControls(text.replaceAll('\n', '')), 'must not contain control characters')
  .default('');
const FieldNames = z
  .array(z.string().max(60))
  .min(1, 'must name at least one field')
  .max(100, 'must not exceed 100 fields')
  .optional()
  .describe('The fields to include, by name. If omitted, all but prices');
/** The most campaigns or agencies of one push. */
export const MOST_TARGETS = 2000;
const TargetIds = z
  .array(Id)
  .min(1, 'must name at least one')
  .max(MOST_TARGETS, `must not exceed ${MOST_TARGETS}`);

const Template = z.object({
  id: Id,
  kind: Kind,
  module: z.enum(CAMPAIGN_MODULES).nullable(),
  name: z.string(),
  versions: z.int().describe('The number of the newest version'),
  created_at: Instant,
  updated_at: Instant,
  author_name: z.string(),
  push_state: z.enum(PUSH_STATES).nullable().describe('Of the last push. null: there was none'),
  pushed_at: Instant.nullable(),
  pushed_version: z.int().nullable(),
});
export type Template = Inside<z.output<typeof Template>>;

const Field = z.object({ field: z.string(), label: z.string(), part: z.string(), value: z.string() });
const Version = z.object({
  number: z.int(),
  source: z.string(),
  note: z.string(),
  author_name: z.string(),
  created_at: Instant,
  fields: z.array(Field),
});
const FieldChange = z.object({
  field: z.string(),
  label: z.string(),
  before: z.string(),
  after: z.string(),
});
const Push = z.object({
  id: Id,
  version: z.int(),
  state: z.enum(PUSH_STATES),
  stage: z.int(),
  stages: z.int(),
  overwrites: z.boolean(),
  author_name: z.string(),
  created_at: Instant,
  ended_at: Instant.nullable(),
  undone_at: Instant.nullable(),
  counts: z.partialRecord(z.enum(TARGET_STATES), z.int()),
});
export type Push = Inside<z.output<typeof Push>>;
const PushTarget = z.object({
  target_id: Id,
  target_name: z.string(),
  stage: z.int(),
  state: z.enum(TARGET_STATES),
  changes: z.array(FieldChange),
  kept: z
    .array(FieldChange)
    .describe('Fields left as they were, because they had been changed since the last push'),
  undone: z.array(z.object({ field: z.string(), label: z.string(), message: z.string() })),
  reason: z.string(),
  done_at: Instant.nullable(),
});

const Which = z.object({ id: Id });

/** Templates of campaigns and of branding, and what is pushed from them (docs/decisions/0470-templates.md). */
export const templates = {
  list: call
    .route({ method: 'GET', path: '/templates', tags, summary: 'Lists the templates of your company' })
    .meta({ access: 'template.read' })
    .input(PageQuery.pick({ Page: true, PerPage: true, searchQuery: true }).extend({ kind: Kind.optional() }))
    .output(Page(Template)),
  create: call
    .route({
      method: 'POST',
      path: '/templates',
      tags,
      summary: 'Creates a template from a campaign, or from the branding of a company',
    })
    .meta({ access: 'template.write' })
    .input(
      z.object({
        kind: Kind,
        name: Line,
        source_id: Id.describe('A campaign or, for branding, a company'),
        fields: FieldNames,
        note: Note,
      }),
    )
    .output(Done.extend({ id: Id })),
  one: call
    .route({
      method: 'GET',
      path: '/templates/{id}',
      tags,
      summary: 'Returns a template, its newest 50 versions, and its newest 50 pushes',
    })
    .meta({ access: 'template.read' })
    .input(Which)
    .output(z.object({ data: Template, versions: z.array(Version), pushes: z.array(Push) })),
  rename: call
    .route({ method: 'PUT', path: '/templates/{id}', tags, summary: 'Renames a template' })
    .meta({ access: 'template.write' })
    .input(Which.extend({ name: Line }))
    .output(Done),
  remove: call
    .route({
      method: 'DELETE',
      path: '/templates/{id}',
      tags,
      summary: 'Removes a template. What was pushed stays as it is',
    })
    .meta({ access: 'template.write' })
    .input(Which)
    .output(Done),
  addVersion: call
    .route({
      method: 'POST',
      path: '/templates/{id}/versions',
      tags,
      summary: 'Adds a version to a template from a campaign, or from the branding of a company',
    })
    .meta({ access: 'template.write' })
    .input(
      Which.extend({
        source_id: Id,
        fields: FieldNames.describe('The fields to include. If omitted, those of the newest version'),
        note: Note,
        base: Number_.optional().describe('The newest version that you know. If there is a newer one: 409'),
      }),
    )
    .output(Done.extend({ number: z.int() })),
  compare: call
    .route({
      method: 'GET',
      path: '/templates/{id}/compare',
      tags,
      summary: 'Compares two versions, field by field',
    })
    .meta({ access: 'template.read' })
    .input(Which.extend({ from: Number_, to: Number_ }))
    .output(
      z.object({
        data: z.array(
          z.object({
            field: z.string(),
            label: z.string(),
            before: z.string().nullable().describe('null: not in this version'),
            after: z.string().nullable(),
            differs: z.boolean(),
          }),
        ),
      }),
    ),
  targets: call
    .route({
      method: 'GET',
      path: '/templates/{id}/targets',
      tags,
      summary: 'Lists what a template can be pushed to: campaigns of its product, or companies',
    })
    .meta({ access: 'template.read' })
    .input(Which.extend(PageQuery.pick({ Page: true, PerPage: true, searchQuery: true }).shape))
    .output(
      Page(
        z.object({
          id: Id,
          name: z.string(),
          company_name: z.string(),
          state: z.string().describe('Of a campaign. Empty for companies'),
          pushed_version: z.int().nullable(),
          pushed_at: Instant.nullable(),
        }),
      ),
    ),
  preview: call
    .route({
      method: 'POST',
      path: '/templates/{id}/preview',
      tags,
      summary: 'Returns what a push would change in each target, field by field. Changes nothing',
      description:
        'The change is made and undone, so that whatever would refuse it is shown. A field that was changed since the last push is a conflict, and stays as it is unless overwrite is true.',
    })
    .meta({ access: 'template.write' })
    .input(
      Which.extend({
        version: Number_,
        target_ids: TargetIds.max(25, 'must not exceed 25'),
        overwrite: z.boolean().default(false),
      }),
    )
    .output(
      z.object({
        data: z.array(
          PushTarget.pick({ target_id: true, target_name: true, changes: true, kept: true }).extend({
            refusal: z.string().nullable().describe('Why the push would leave this target as it is'),
          }),
        ),
      }),
    ),
  push: call
    .route({
      method: 'POST',
      path: '/templates/{id}/pushes',
      tags,
      summary: 'Pushes a version: to all targets at once, or to the first clients and then waits',
    })
    .meta({ access: 'template.write', notInView: true })
    .input(
      Which.extend({
        version: Number_,
        target_ids: TargetIds.optional().describe('If omitted, every target'),
        first_clients: z
          .int()
          .min(1)
          .max(MOST_TARGETS)
          .optional()
          .describe('How many clients are first. The push then waits until someone continues it'),
        first_percent: z
          .int()
          .min(1, 'must be from 1 to 99')
          .max(99, 'must be from 1 to 99')
          .optional()
          .describe('The same as a share of the clients'),
        overwrite: z
          .boolean()
          .default(false)
          .describe('Also changes fields that were changed since the last push'),
      }).refine((given) => given.first_clients === undefined || given.first_percent === undefined, {
        path: ['first_percent'],
        message: 'cannot be used together with first_clients',
      }),
    )
    .output(Done.extend({ id: Id })),
  pushed: call
    .route({
      method: 'GET',
      path: '/template-pushes/{id}',
      tags,
      summary: 'Returns a push and what became of its targets',
    })
    .meta({ access: 'template.read' })
    .input(Which.extend(PageQuery.pick({ Page: true, PerPage: true }).shape))
    .output(Page(PushTarget).extend({ push: Push, template_id: Id })),
  continue: call
    .route({
      method: 'POST',
      path: '/template-pushes/{id}/continue',
      tags,
      summary: 'Continues a push that waits after its first stage, or that was stopped',
    })
    .meta({ access: 'template.write', notInView: true })
    .input(Which)
    .output(Done),
  stop: call
    .route({
      method: 'POST',
      path: '/template-pushes/{id}/stop',
      tags,
      summary: 'Stops a push. What it has changed stays changed',
    })
    .meta({ access: 'template.write', notInView: true })
    .input(Which)
    .output(Done),
  rollBack: call
    .route({
      method: 'POST',
      path: '/template-pushes/{id}/roll-back',
      tags,
      summary: 'Restores every field that a push changed, unless it was changed since',
    })
    .meta({ access: 'template.write', notInView: true })
    .input(Which)
    .output(Done),
};
