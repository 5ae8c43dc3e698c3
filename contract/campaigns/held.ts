import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Id, Instant } from '../primitives.ts';

/** Why sign-ups are held: what had too many of them, or that no page was viewed before. */
export const HELD_REASONS = ['no_view', 'browser', 'address', 'network', 'burst'] as const;

const Which = z.object({
  leadspeekID: Id,
  reason: z.enum(HELD_REASONS),
  source: z.string().max(60).describe('As listed'),
});

/** Held sign-ups of a campaign with the same reason and source. */
export const HeldGroup = Which.extend({
  campaignName: z.string(),
  company_name: z.string(),
  source: z.string().describe('The address or network they came from. Empty if there are none or several'),
  count: z.int().describe('Number of held events'),
  people: z.int().describe('Number of different email addresses among them'),
  conversions: z.int().describe('Number of events that report a conversion'),
  first_at: Instant,
  last_at: Instant,
  asked_at: Instant.nullable().describe('When the client requested their release'),
});

const Decide = Which.extend({
  until: z.iso.datetime({ offset: true }).describe('last_at from the list. Later sign-ups are not included'),
});
const Decided = Done.extend({ count: z.int() });
const tags = ['Campaigns'];

/** The maximum number of trusted addresses and networks per client, including requested ones. */
export const MOST_TRUSTED = 20;

/** An address or network whose sign-ups are not held for coming from the same browser, address or network. */
export const TrustedAddress = z.object({
  id: Id,
  leadspeekID: Id.nullable().describe('null for all campaigns of the client'),
  network: z.string().describe('203.0.113.0/24. A single address has /32 or /128'),
  note: z.string(),
  status: z
    .enum(['trusted', 'asked'])
    .describe('asked: requested by the client, not yet decided by the agency'),
  created_at: Instant,
});

const Trust = z.object({
  leadspeekID: Id,
  network: z
    .string()
    .trim()
    .min(1, 'is required')
    .max(60, 'must not exceed 60 characters')
    .describe('An address, or a network of up to 1,024 addresses (/22; IPv6: /48)'),
  note: z
    .string()
    .trim()
    .max(100, 'must not exceed 100 characters')
    .default('')
    .describe('Whose address or network it is'),
  everyCampaign: z.boolean().default(false).describe('For all campaigns of the client'),
});

/** Sign-ups that look forged and wait for review (docs/decisions/0110-held-sign-ups.md). */
export const held = {
  list: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/held',
      tags,
      summary: 'Lists held sign-ups by campaign, reason, and source, newest first, up to 50 groups',
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ leadspeekID: Id.optional() }))
    .output(z.object({ total: z.int().describe('Held events in all groups'), data: z.array(HeldGroup) })),
  release: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/held/release',
      tags,
      summary: 'Releases held sign-ups. They are looked up, can become leads, and can cost money',
    })
    .meta({ access: 'visit.release', notInView: true, fresh: true })
    .input(Decide)
    .output(Decided),
  discard: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/held/discard',
      tags,
      summary: 'Discards held sign-ups. They never become leads',
    })
    .meta({ access: 'visit.release', notInView: true })
    .input(Decide)
    .output(Decided),
  ask: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/held/ask',
      tags,
      summary: 'Asks the agency to release held sign-ups',
      description:
        'Up to 20,000 per call, the newest first. Call again for the rest. Returns 409 if none are left to request.',
    })
    .meta({ access: 'campaign.write' })
    .input(Decide)
    .output(Decided),
  trusted: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/trusted-addresses',
      tags,
      summary: 'Lists trusted addresses of a campaign and its client, including those the client requested',
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ leadspeekID: Id }))
    .output(z.object({ data: z.array(TrustedAddress) })),
  trust: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/trusted-addresses',
      tags,
      summary:
        'Trusts an address or network. Its sign-ups are not held for coming in large numbers from one place',
    })
    .meta({ access: 'visit.release', notInView: true, fresh: true })
    .input(Trust)
    .output(Done),
  askTrust: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/trusted-addresses/ask',
      tags,
      summary: 'Asks the agency to trust an address or network',
    })
    .meta({ access: 'campaign.write' })
    .input(Trust)
    .output(Done),
  untrust: call
    .route({
      method: 'DELETE',
      path: '/leadspeek/client/trusted-addresses/{id}',
      tags,
      summary: 'Stops trusting an address or network, or declines a request',
    })
    .meta({ access: 'visit.release', notInView: true })
    .input(z.object({ id: Id }))
    .output(Done),
};
