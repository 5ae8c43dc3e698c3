import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Email, Id, Instant, Micros, Page, PageQuery } from '../primitives.ts';
import { stepsOf } from './offboarding.ts';
import { TRANSFER_SIDES, TRANSFER_STATES, TRANSFER_STEPS, type TransferStep } from './transfer-rules.ts';

const tags = ['Client transfers'];
const StepName = z.enum(Object.keys(TRANSFER_STEPS) as [TransferStep, ...TransferStep[]]);
const Which = z.object({ id: Id });
const Side = z.enum(TRANSFER_SIDES);

const Transfer = z.object({
  id: Id,
  side: Side.describe('As whom you see it'),
  client_id: Id.nullable().describe('The client, if it is yours at the moment'),
  client_name: z.string(),
  from_name: z.string().describe('The current agency'),
  to_name: z.string().describe('The receiving agency. Blank for others until it agrees'),
  to_email: z.string().describe('The address that it was offered to. Blank for those who did not enter it'),
  state: z.enum(TRANSFER_STATES),
  started_by: z.enum(['giving', 'client']),
  started_at: Instant,
  expires_at: Instant.describe('Until when everyone has to agree'),
  ended_at: Instant.nullable(),
  waits_for: z.array(Side).describe('Who has not agreed yet'),
  may_agree: z.boolean().describe('Whether it waits for you'),
  may_end: z.boolean().describe('Whether you can withdraw, decline, or cancel it'),
  keeps_balance: z.boolean().nullable().describe('Only for the current agency'),
});

/** The transfer of a client between two agencies of a root (docs/decisions/0476-client-transfers.md). */
export const clientTransfers = {
  list: call
    .route({
      method: 'GET',
      path: '/client-transfers',
      tags,
      summary: 'Lists the transfers of clients from or to your company, newest first',
    })
    .meta({ access: 'client.transfer' })
    .input(PageQuery.pick({ Page: true, PerPage: true, searchQuery: true }))
    .output(Page(Transfer)),
  one: call
    .route({
      method: 'GET',
      path: '/client-transfers/{id}',
      tags,
      summary: 'Returns a transfer with its checklist, and what it moves',
    })
    .meta({ access: 'client.transfer' })
    .input(Which)
    .output(
      z.object({
        data: Transfer,
        steps: stepsOf(StepName),
        problem: z.string().describe('Why the last run did not do more. Only for the current agency'),
        campaigns: z
          .array(
            z.object({
              name: z.string(),
              module: z.string(),
              price_micros: Micros.describe('What a lead costs the client'),
              cost_micros: Micros.nullable().describe('What it would cost the receiving agency. Only for it'),
            }),
          )
          .describe('The campaigns that move, before they do'),
        moved: z
          .array(z.object({ table: z.string(), rows: z.int() }))
          .describe('What has moved, once it is done'),
      }),
    ),
  start: call
    .route({
      method: 'POST',
      path: '/client-transfers',
      tags,
      summary: 'Starts the transfer of a client, or of your own company, to another agency',
      description:
        'The other agency is addressed by the email address of its owner. The answer is the same whether or not there is such an agency. Nothing moves until both agencies and the client agree, within 14 days.',
    })
    .meta({ access: 'client.transfer', notInView: true, fresh: 'access' })
    .input(
      z.object({
        client_id: Id.optional().describe('For an agency: its client'),
        to_email: Email.describe('The email address of the receiving agency’s owner'),
        keep_balance: z
          .boolean()
          .default(false)
          .describe('For an agency: whether what cannot be refunded to a card stays as credit with you'),
      }),
    )
    .output(Done.extend({ data: z.object({ id: Id }) })),
  agree: call
    .route({
      method: 'POST',
      path: '/client-transfers/{id}/agree',
      tags,
      summary: 'Agrees to a transfer. Once everyone has, the client moves as soon as its money is settled',
    })
    .meta({ access: 'client.transfer', notInView: true, fresh: 'access' })
    .input(
      Which.extend({
        keep_balance: z.boolean().optional().describe('For the current agency, as when it starts one'),
      }),
    )
    .output(Done),
  end: call
    .route({
      method: 'POST',
      path: '/client-transfers/{id}/end',
      tags,
      summary: 'Withdraws, declines, or cancels a transfer that is not done',
    })
    .meta({ access: 'client.transfer', notInView: true })
    .input(Which)
    .output(Done),
  resume: call
    .route({
      method: 'POST',
      path: '/client-transfers/{id}/resume',
      tags,
      summary: 'Does at once what can be done now, with your rights from now on',
    })
    .meta({ access: 'client.transfer', notInView: true, fresh: 'access' })
    .input(
      Which.extend({
        keep_balance: z
          .boolean()
          .optional()
          .describe('For the current agency, to change it until the client has moved'),
      }),
    )
    .output(Done),
};
