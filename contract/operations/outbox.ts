import { z } from 'zod';
import { call } from '../base.ts';
import { Id, Instant, Page, PageQuery } from '../primitives.ts';

/** queued: about to go out. sent: a company's own mail server accepted it. kept: no mail server, so it stays here. */
export const MailState = z.enum(['queued', 'sent', 'kept', 'failed']);

/** An email in the outbox. */
export const OutboxMail = z.object({
  id: Id,
  company_name: z.string().describe('The company that the email is about'),
  from_name: z.string(),
  from_address: z.string(),
  to_name: z.string(),
  to_address: z.string(),
  subject: z.string(),
  state: MailState,
  error: z.string().nullable().describe('Why it could not be sent'),
  created_at: Instant,
});

export const outbox = {
  list: call
    .route({
      method: 'GET',
      path: '/outbox',
      tags: ['Outbox'],
      summary: 'Lists the emails of a platform without a mail server, newest first',
    })
    .meta({ access: 'mail.read', notInView: true })
    .input(PageQuery)
    .output(Page(OutboxMail)),
  get: call
    .route({
      method: 'GET',
      path: '/outbox/{id}',
      tags: ['Outbox'],
      summary: 'Returns one email with its text. Reading it is logged',
    })
    .meta({ access: 'mail.read', notInView: true, fresh: true })
    .input(z.object({ id: Id }))
    .output(
      OutboxMail.extend({
        text: z.string().nullable().describe('null once the email has been handed to a mail server'),
        html: z.string().nullable().describe('A complete HTML document. Show it in a sandbox'),
        attachment: z
          .object({
            name: z.string(),
            text: z.string(),
            is_base64: z.boolean().describe('Whether the text is base64 of its bytes'),
          })
          .nullable(),
      }),
    ),
};
