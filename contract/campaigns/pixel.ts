import { z } from 'zod';
import { call } from '../base.ts';
import { Id, Instant } from '../primitives.ts';

/** What a check of the pixel found. */
export const PIXEL_CAUSES = [
  // It works.
  'tag',
  'tag_manager',
  // It works, and there is something to know about it.
  'consent',
  'delayed',
  'duplicate',
  // It does not work.
  'blocked',
  'comment',
  'csp',
  'curly_quotes',
  'missing',
  'no_tag_in_manager',
  'not_fired',
  'noscript',
  'other_host',
  'other_key',
  'other_site',
  'shown_as_text',
  'single_page',
  'status',
  'unreachable',
] as const;
export type PixelCause = (typeof PIXEL_CAUSES)[number];

/** Why a page was read and not opened in a browser. */
export const WHY_READ = ['off', 'no_browser', 'no_sandbox', 'busy', 'failed'] as const;
export type WhyRead = (typeof WHY_READ)[number];

/** Why events are refused when they arrive, and not stored. */
export const ARRIVAL_REFUSALS = [
  'bad_event',
  'bad_time',
  'bot',
  'foreign_origin',
  'foreign_page',
  'inactive',
  'too_many',
  'too_much',
] as const;

/** The maximum number of events that are listed. */
export const MOST_EVENTS = 50;

/** What a check found, and what to do about it. */
export const PixelReport = z.object({
  checked_at: Instant,
  cause: z.enum(PIXEL_CAUSES),
  tone: z
    .enum(['good', 'warn', 'bad'])
    .describe('good: it works. warn: it works, with something to know. bad: it does not work'),
  way: z
    .enum(['opened', 'read'])
    .describe('opened: in a browser, which ran the scripts of the page. read: without running them'),
  why_read: z.enum(WHY_READ).nullable().describe('Why no browser opened the page; null if one did'),
  message: z.string(),
  fixes: z
    .array(z.object({ label: z.string(), code: z.string().describe('Paste it exactly as it is') }))
    .describe('What to paste, and where'),
});

const Which = z.object({ leadspeekID: Id });
const tags = ['Campaigns'];

/** The pixel of a Site ID campaign: its code, the check of the site, and what arrives. */
export const pixel = {
  snippet: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/embedded-code/{leadspeekID}',
      tags,
      summary: 'Returns the pixel code for the site and the content policy lines it needs',
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(z.object({ tag: z.string(), script_url: z.string(), csp: z.array(z.string()) })),
  check: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/check-embedded-code',
      tags,
      summary:
        'Opens the site in a browser, or reads it, and returns whether the pixel works, and if not, why',
    })
    .meta({ access: 'campaign.write' })
    .input(Which)
    .output(
      PixelReport.extend({
        result: z.literal('success'),
        found: z.boolean(),
        via: z.enum(['page', 'visit', 'none']),
      }),
    ),
  report: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/embedded-code/{leadspeekID}/report',
      tags,
      summary: 'Returns what the last check of the site found',
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(z.object({ report: PixelReport.nullable().describe('null if the site was never checked') })),
  events: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/embedded-code/{leadspeekID}/events',
      tags,
      summary: `Returns the last ${MOST_EVENTS} events of the pixel, newest first, and what was refused on arrival in the last two hours`,
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(
      z.object({
        data: z.array(
          z.object({
            id: Id,
            received_at: Instant,
            event: z.enum(['view', 'identify', 'thanks']),
            url: z.string().nullable(),
            title: z.string().nullable(),
            referrer: z.string().nullable(),
            has_email: z.boolean().describe('It came with the hash of an email address'),
            is_private: z.boolean().describe('Sent with Global Privacy Control: counted, never looked up'),
            outcome: z.string().nullable().describe('The result, as a code. null until it is processed'),
          }),
        ),
        refused: z
          .array(z.object({ reason: z.string(), count: z.int() }))
          .describe('Events that were refused on arrival, in this hour and the one before'),
      }),
    ),
};
