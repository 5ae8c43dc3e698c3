import { z } from 'zod';
import { call } from '../base.ts';
import { Day, Done, GivenDay, Id, Instant, Page, PageQuery } from '../primitives.ts';
import {
  OFFBOARDING_STATES,
  OFFBOARDING_STEPS,
  type OffboardingStep,
  STEP_STATES,
} from './offboarding-rules.ts';

const tags = ['Offboarding'];
const StepName = z.enum(Object.keys(OFFBOARDING_STEPS) as [OffboardingStep, ...OffboardingStep[]]);
const Which = z.object({ id: Id.describe('The client') });

const Offboarding = z.object({
  id: Id.describe('The client'),
  company_name: z.string(),
  state: z.enum(OFFBOARDING_STATES).nullable().describe('null: not started'),
  started_at: Instant.nullable(),
  started_by_name: z.string(),
  ended_at: Instant.nullable(),
  delete_on: Day.nullable(),
  keeps_balance: z.boolean(),
});
const Choices = z.object({
  keep_balance: z
    .boolean()
    .describe('Whether what cannot be refunded to a card stays as credit with the agency'),
  delete_on: GivenDay.describe('Until when the client’s data is kept. From today on'),
});

/** The steps of a checklist, by their names, in their order. */
export const stepsOf = <Name extends z.ZodType>(name: Name) =>
  z.array(
    z.object({
      step: name,
      title: z.string(),
      state: z.enum(STEP_STATES),
      words: z.string().describe('What is done, or what is left'),
    }),
  );

/** The end of a client's relationship with its agency (docs/decisions/0471-offboarding.md). */
export const offboarding = {
  list: call
    .route({
      method: 'GET',
      path: '/offboarding',
      tags,
      summary: 'Lists the clients that are being offboarded or were, newest first',
    })
    .meta({ access: 'client.offboard' })
    .input(PageQuery.pick({ Page: true, PerPage: true, searchQuery: true }))
    .output(Page(Offboarding)),
  one: call
    .route({
      method: 'GET',
      path: '/offboarding/{id}',
      tags,
      summary: 'Returns the checklist of a client, whether or not it has begun',
    })
    .meta({ access: 'client.offboard' })
    .input(Which)
    .output(
      z.object({
        data: Offboarding,
        steps: stepsOf(StepName),
        problem: z.string().describe('Why the last run did not do more'),
      }),
    ),
  start: call
    .route({
      method: 'POST',
      path: '/offboarding/{id}',
      tags,
      summary: 'Starts to offboard a client',
      description:
        'A job archives the campaigns, waits for charges and deliveries under way, refunds what is left to the cards that paid it, waits for the last invoice, disconnects integrations, and signs the users out. Each step looks at what there is, so it can be interrupted at any time.',
    })
    .meta({ access: 'client.offboard', notInView: true, fresh: true })
    .input(Which.extend(Choices.shape))
    .output(Done),
  change: call
    .route({
      method: 'PUT',
      path: '/offboarding/{id}',
      tags,
      summary: 'Changes what happens with the balance, and the deletion date',
    })
    .meta({ access: 'client.offboard', notInView: true, fresh: true })
    .input(Which.extend(Choices.shape))
    .output(Done),
  exported: call
    .route({
      method: 'POST',
      path: '/offboarding/{id}/exported',
      tags,
      summary: 'Confirms that the client has its data, or does not want it',
    })
    .meta({ access: 'client.offboard', notInView: true })
    .input(Which)
    .output(Done),
  resume: call
    .route({
      method: 'POST',
      path: '/offboarding/{id}/resume',
      tags,
      summary: 'Does at once what can be done now, with your rights from now on',
    })
    .meta({ access: 'client.offboard', notInView: true, fresh: true })
    .input(Which)
    .output(Done),
  cancel: call
    .route({
      method: 'POST',
      path: '/offboarding/{id}/cancel',
      tags,
      summary: 'Cancels an offboarding that is not done. What was done stays done',
    })
    .meta({ access: 'client.offboard', notInView: true })
    .input(Which)
    .output(Done),
};
