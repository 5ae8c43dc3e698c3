import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Id, Instant } from '../primitives.ts';
import type { Inside } from '../wire.ts';
import { DROP_LISTS, DROP_MODES, DROP_STATES } from './drop-rules.ts';

const tags = ['Privacy requests'];
const Mode = z.enum(DROP_MODES, 'must be simulated, sandbox or live');

/** A download of the lists, and what became of its entries. */
export const DropBatch = z.object({
  id: Id,
  name: z.string(),
  state: z.enum(DROP_STATES),
  entries: z.int(),
  removed: z.int().describe('Entries of earlier downloads that were withdrawn'),
  bad_rows: z.int(),
  deleted: z.int(),
  opted_out: z.int(),
  not_found: z.int(),
  amended: z.int().describe('How many files corrected earlier answers'),
  downloaded_at: Instant,
  due_at: Instant,
  completed_at: Instant.nullable(),
});
export type DropBatch = Inside<z.output<typeof DropBatch>>;

const State = z.object({
  mode: Mode.nullable().describe('null: nothing is set up'),
  has_key: z.boolean(),
  accessed_at: Instant.nullable().describe('When the lists were last accessed'),
  again_at: Instant.nullable().describe('When the service is asked again'),
  due_at: Instant.nullable().describe('Until when the lists must be accessed and answered. null: not live'),
  urgency: z.enum(['late', 'soon', 'fine']).nullable(),
  failing_since: Instant.nullable(),
  last_error: z.string().nullable(),
  standing: z
    .array(z.object({ list: z.enum(DROP_LISTS), entries: z.int() }))
    .describe('How many entries of each list are in force'),
  batches: z.array(DropBatch).describe('The latest 100, the newest first'),
  events: z
    .array(z.object({ id: Id, is_fault: z.boolean(), words: z.string(), at: Instant }))
    .describe('The latest 50, the newest first'),
});
export type DropState = Inside<z.output<typeof State>>;

/** California's Delete Request and Opt-out Platform (docs/decisions/0485-drop.md). */
export const drop = {
  state: call
    .route({
      method: 'GET',
      path: '/privacy-drop',
      tags,
      summary: 'Returns the state of California’s deletion lists',
    })
    .meta({ access: 'privacy.decide' })
    .output(State),
  batches: call
    .route({
      method: 'GET',
      path: '/privacy-drop/downloads',
      tags,
      summary: 'Lists the latest downloads of California’s deletion lists',
    })
    .meta({ access: 'privacy.decide' })
    .output(z.object({ data: z.array(DropBatch) })),
  setUp: call
    .route({
      method: 'PUT',
      path: '/privacy-drop',
      tags,
      summary: 'Chooses where deletion lists come from, and sets the key',
      description: 'Everything that came from a test service is deleted when another service is chosen.',
    })
    .meta({ access: 'privacy.decide', notInView: true, fresh: true })
    .input(
      z.object({
        mode: Mode,
        key: z
          .string()
          .trim()
          .max(500, 'must not exceed 500 characters')
          .regex(/^[\x21-\x7e]*$/, 'must be a key without spaces')
          .default('')
          .describe('Empty: the current one is kept'),
      }),
    )
    .output(Done.extend({ data: State })),
  start: call
    .route({
      method: 'POST',
      path: '/privacy-drop/run',
      tags,
      summary: 'Checks California’s deletion lists now',
    })
    .meta({ access: 'privacy.decide', notInView: true })
    .output(Done),
};
