import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Id, Instant } from '../primitives.ts';

/** How often a saved view is emailed. */
export const VIEW_EXPORT_EVERY = ['day', 'week', 'month'] as const;
/** A file with its rows, or only a link to it. */
export const VIEW_EXPORT_FORMS = ['CSV', 'link'] as const;
/** The most rows that are sent as a file; of more, only the link is sent. */
export const MOST_EXPORTED = 10_000;

const Which = z.object({ id: Id });
const Schedule = z.object({
  every: z.enum(VIEW_EXPORT_EVERY, 'must be day, week, or month'),
  form: z.enum(VIEW_EXPORT_FORMS, 'must be CSV or link'),
});

/** Saved views of leads that users have emailed to themselves. */
export const viewExports = {
  mine: call
    .route({
      method: 'GET',
      path: '/user/lists/export',
      tags: ['Users'],
      summary: 'Returns which saved views are emailed to you, and when the next emails are sent',
    })
    .meta({ access: 'lead.read' })
    .output(
      z.object({
        email: z.string(),
        is_blocked: z.boolean().describe('The company has turned off emails to you'),
        time_zone: z.string(),
        exports: z.array(Schedule.extend({ view_id: Id, next_at: Instant, sent_at: Instant.nullable() })),
      }),
    ),
  set: call
    .route({
      method: 'PUT',
      path: '/user/lists/view/{id}/export',
      tags: ['Users'],
      summary:
        'Schedules emails to you with a saved view of leads, at 8:00 every day, every Monday, or on the first of the month',
    })
    .meta({ access: 'lead.read', notInView: true })
    .input(Which.extend(Schedule.shape))
    .output(Done),
  stop: call
    .route({
      method: 'DELETE',
      path: '/user/lists/view/{id}/export',
      tags: ['Users'],
      summary: 'Stops emailing a saved view to you',
    })
    .meta({ access: 'lead.read', notInView: true })
    .input(Which)
    .output(Done),
  send: call
    .route({
      method: 'POST',
      path: '/user/lists/view/{id}/export/send',
      tags: ['Users'],
      summary: 'Emails a saved view of leads to you now',
    })
    .meta({ access: 'lead.read', notInView: true })
    .input(Which.extend({ form: Schedule.shape.form }))
    .output(Done),
};
