import { z } from 'zod';
import { call } from '../base.ts';
import { Day, Done, Email, hasControls, Id, Instant, Line, Page, PageQuery } from '../primitives.ts';
import type { Inside } from '../wire.ts';
import {
  BY_HAND,
  CAME_BY,
  CODE_MINUTES,
  PRIVACY_EVENTS,
  PRIVACY_KINDS,
  PRIVACY_STATES,
  REFUSALS,
  STEPS,
  URGENCIES,
} from './privacy-rules.ts';

const tags = ['Privacy requests'];
const Kind = z.enum(PRIVACY_KINDS, 'must be opt_out, access, delete or correct');
const AskedBy = z.enum(['self', 'agent'], 'must be self or agent');
const Refused = z.enum(REFUSALS, 'is not a reason to refuse a request');

/** Plain text of a few lines; blank if it is left out. */
const Words = (most: number) =>
  z
    .string()
    .trim()
    .max(most, `must not exceed ${most} characters`)
    .refine((text) => !hasControls(text.replaceAll('\n', '')), 'must not contain control characters');

/** What every request says, whichever way it came in. */
const ASKED = {
  kind: Kind,
  asked_by: AskedBy.default('self'),
  agent_name: Words(255).default(''),
  name: Line,
  phone: z.string().trim().max(40, 'must not exceed 40 characters').default(''),
  address: Words(255).default(''),
  state_code: z
    .string()
    .trim()
    .toUpperCase()
    .regex(/^([A-Z]{2})?$/, 'must be a two-letter state code such as CA')
    .default(''),
  details: Words(1000).default(''),
};
const complete = <
  T extends z.ZodType<{ asked_by: string; agent_name: string; kind: string; details: string }>,
>(
  given: T,
) =>
  given
    .refine(({ asked_by, agent_name }) => asked_by === 'self' || agent_name !== '', {
      path: ['agent_name'],
      message: 'is required for an agent',
    })
    .refine(({ kind, details }) => kind !== 'correct' || details !== '', {
      path: ['details'],
      message: 'must say what to correct',
    });

/** A request of someone about their own data. */
export const PrivacyRequest = z.object({
  id: Id,
  kind: Kind,
  asked_by: AskedBy,
  agent_name: z.string(),
  name: z.string().describe('Empty once the record has been kept for as long as it must be'),
  email: z.string(),
  phone: z.string().nullable(),
  address: z.string(),
  state_code: z.string(),
  details: z.string(),
  state: z.enum(PRIVACY_STATES),
  urgency: z.enum(URGENCIES).describe('Of what it waits for next'),
  waits_for: z.enum(STEPS).nullable().describe('null: it is decided'),
  came_by: z.enum(CAME_BY),
  proof: z.string().describe('What proves who asked, if the request was entered by hand'),
  entered_by_name: z.string().nullable(),
  acknowledged_at: Instant.nullable().describe('When receipt was confirmed to the person'),
  company_name: z.string().describe('At whose host it was made'),
  duplicate_of: Id.nullable().describe('The earlier open request of the same kind and address'),
  received_at: Instant,
  acknowledge_by: Instant,
  due_at: Instant,
  extended_at: Instant.nullable(),
  extension_reason: z.string().nullable(),
  decided_at: Instant.nullable(),
  decided_by_name: z.string().nullable(),
  refusal: Refused.nullable(),
  answer: z.string(),
  result: z.record(z.string(), z.int()).nullable().describe('What was found and done, in numbers'),
});
export type PrivacyRequest = Inside<z.output<typeof PrivacyRequest>>;

/** What people ask about their own data, and what became of it (docs/decisions/0461-privacy-desk.md). */
export const privacy = {
  ask: call
    .route({
      method: 'POST',
      path: '/general/privacy-request',
      tags,
      summary: 'Makes a privacy request and emails a code to its address',
      description:
        'The response is the same whether or not anything is known about the person. The request counts once the code has been confirmed.',
    })
    .meta({ access: 'public' })
    .input(
      complete(
        z.object({
          ...ASKED,
          email: Email,
          gtoken: z.string().max(8192).optional(),
        }),
      ),
    )
    .output(Done.extend({ id: Id })),
  enter: call
    .route({
      method: 'POST',
      path: '/privacy-requests',
      tags,
      summary: 'Enters a request that came by mail, phone, email, or in person',
      description:
        'Deadlines run from the day of receipt. If there is an email address, it gets a confirmation of receipt.',
    })
    .meta({ access: 'privacy.decide', notInView: true })
    .input(
      complete(
        z.object({
          ...ASKED,
          email: Email.or(z.literal('')).default(''),
          came_by: z.enum(BY_HAND, 'must be mail, phone, email or in_person'),
          received_on: Day.describe('In the time zone of the platform'),
          proof: Words(500)
            .refine((text) => text !== '', 'must say what proves who asked')
            .describe('What proves who asked'),
        }),
      )
        .refine((given) => given.email !== '' || given.phone !== '', {
          path: ['email'],
          message: 'is required if there is no phone number',
        })
        .refine((given) => given.email !== '' || given.kind !== 'access', {
          path: ['email'],
          message: 'is required, since the data is emailed',
        }),
    )
    .output(Done.extend({ id: Id })),
  acknowledge: call
    .route({
      method: 'POST',
      path: '/privacy-requests/{id}/acknowledge',
      tags,
      summary: 'Records that receipt of a request was confirmed to the person',
    })
    .meta({ access: 'privacy.decide', notInView: true })
    .input(z.object({ id: Id }))
    .output(Done),
  confirm: call
    .route({
      method: 'POST',
      path: '/general/privacy-request/confirm',
      tags,
      summary: `Confirms a privacy request with the code sent to its address, valid for ${CODE_MINUTES} minutes`,
    })
    .meta({ access: 'public' })
    .input(
      z.object({
        id: Id,
        code: z
          .string()
          .trim()
          .regex(/^\d{6}$/, 'must have six digits'),
      }),
    )
    .output(Done.extend({ due_at: Instant })),
  list: call
    .route({
      method: 'GET',
      path: '/privacy-requests',
      tags,
      summary: 'Lists privacy requests: open ones by deadline, then the newest',
    })
    .meta({ access: 'privacy.read' })
    .input(
      PageQuery.pick({ Page: true, PerPage: true, searchQuery: true }).extend({
        state: z.enum(PRIVACY_STATES, 'must be open, completed or refused').optional(),
        kind: Kind.optional(),
      }),
    )
    .output(
      Page(PrivacyRequest).extend({
        counts: z
          .record(z.enum(PRIVACY_STATES), z.int())
          .describe('By state, regardless of the requested state'),
      }),
    ),
  one: call
    .route({
      method: 'GET',
      path: '/privacy-requests/{id}',
      tags,
      summary: 'Returns a request and its timeline',
    })
    .meta({ access: 'privacy.read' })
    .input(z.object({ id: Id }))
    .output(
      z.object({
        data: PrivacyRequest,
        may_decide: z.boolean(),
        timeline: z.array(
          z.object({
            id: Id,
            kind: z.enum(PRIVACY_EVENTS),
            words: z.string(),
            by: z.string().nullable().describe('null: the person, or the platform'),
            at: Instant,
          }),
        ),
      }),
    ),
  extend: call
    .route({
      method: 'POST',
      path: '/privacy-requests/{id}/extend',
      tags,
      summary: 'Extends the deadline by 45 days, once, and tells the person why',
    })
    .meta({ access: 'privacy.decide', notInView: true })
    .input(z.object({ id: Id, reason: Words(500).refine((text) => text !== '', 'is required') }))
    .output(Done),
  decide: call
    .route({
      method: 'POST',
      path: '/privacy-requests/{id}/decide',
      tags,
      summary: 'Fulfills or refuses a request, with its duplicates, and tells the person',
      description:
        'An opt-out adds the person’s addresses and numbers to the root’s standing exclusion list. A deletion also erases the person everywhere. An access request emails what is known to the proven address.',
    })
    .meta({ access: 'privacy.decide', notInView: true, fresh: true })
    .input(
      z
        .object({
          id: Id,
          outcome: z.enum(['completed', 'refused'], 'must be completed or refused'),
          refusal: Refused.optional(),
          answer: Words(500).default('').describe('The message to the person'),
        })
        .refine((given) => (given.outcome === 'refused') === (given.refusal !== undefined), {
          path: ['refusal'],
          message: 'is required to refuse, and only then',
        })
        .refine((given) => given.outcome !== 'refused' || given.answer !== '', {
          path: ['answer'],
          message: 'is required to refuse',
        }),
    )
    .output(Done),
  months: call
    .route({
      method: 'GET',
      path: '/privacy-requests/months',
      tags,
      summary: 'Returns how many requests came in each month, what became of them, and how long they took',
    })
    .meta({ access: 'privacy.read' })
    .output(
      z.object({
        data: z.array(
          z.object({
            month: z.string().describe('YYYY-MM in UTC, of receipt'),
            kind: Kind,
            received: z.int(),
            completed: z.int(),
            refused: z.int(),
            open: z.int(),
            median_days: z.number().nullable().describe('From receipt to decision. null: none is decided'),
          }),
        ),
      }),
    ),
};
