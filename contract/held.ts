import { z } from 'zod';
import { call } from './base.ts';
import { Done, Id, Instant } from './primitives.ts';

/** Why sign-ups are held: what had too many of them, or that no page was viewed before. */
export const HELD_REASONS = ['no_view', 'browser', 'address', 'network', 'burst'] as const;

const Which = z.object({
  leadspeekID: Id,
  reason: z.enum(HELD_REASONS),
  source: z.string().max(60).describe('As listed'),
});

/** Held sign-ups of a campaign that have reason and source in common. */
export const HeldGroup = Which.extend({
  campaignName: z.string(),
  company_name: z.string(),
  source: z.string().describe('The address or network they came from; empty: there is none, or many'),
  count: z.int().describe('Events held'),
  people: z.int().describe('Different emails among them'),
  conversions: z.int().describe('How many say that a goal was reached'),
  first_at: Instant,
  last_at: Instant,
  asked_at: Instant.nullable().describe('When the client asked for their release'),
});

const Decide = Which.extend({
  until: z.iso.datetime({ offset: true }).describe('last_at of the list: what came later is not meant'),
});
const Decided = Done.extend({ count: z.int() });
const tags = ['Campaigns'];

/** A client has so many trusted addresses and networks at most, with those that it asks for. */
export const MOST_TRUSTED = 20;

/** An address or network whose sign-ups are not held for coming from one browser, address or network. */
export const TrustedAddress = z.object({
  id: Id,
  leadspeekID: Id.nullable().describe('null: all campaigns of the client'),
  network: z.string().describe('203.0.113.0/24; a single address has /32, or /128'),
  note: z.string(),
  status: z.enum(['trusted', 'asked']).describe('asked: the client wants it, the agency has not decided'),
  created_at: Instant,
});

const Trust = z.object({
  leadspeekID: Id,
  network: z
    .string()
    .trim()
    .min(1, 'is required')
    .max(60, 'must have at most 60 characters')
    .describe('An address, or a network of at most 1,024 (/22; IPv6: /48)'),
  note: z.string().trim().max(100, 'must have at most 100 characters').default('').describe('Whose it is'),
  everyCampaign: z.boolean().default(false).describe('For all campaigns of the client'),
});

/** Sign-ups that look forged and wait for somebody to look (docs/decisions/0110-held-sign-ups.md). */
export const held = {
  list: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/held',
      tags,
      summary:
        'Sign-ups held for review, by campaign, reason and source, the newest first; at most 50 groups',
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ leadspeekID: Id.optional() }))
    .output(z.object({ total: z.int().describe('Events held, in all groups'), data: z.array(HeldGroup) })),
  release: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/held/release',
      tags,
      summary: 'Release held sign-ups: they are looked up, and may become leads and cost money',
    })
    .meta({ access: 'visit.release', notInView: true, fresh: true })
    .input(Decide)
    .output(Decided),
  discard: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/held/discard',
      tags,
      summary: 'Discard held sign-ups: they never become leads',
    })
    .meta({ access: 'visit.release', notInView: true })
    .input(Decide)
    .output(Decided),
  ask: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/held/ask',
      tags,
      summary: 'Ask the agency to release held sign-ups',
    })
    .meta({ access: 'campaign.write' })
    .input(Decide)
    .output(Decided),
  trusted: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/trusted-addresses',
      tags,
      summary: 'Trusted addresses of a campaign and of its client, and those that the client asks for',
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ leadspeekID: Id }))
    .output(z.object({ data: z.array(TrustedAddress) })),
  trust: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/trusted-addresses',
      tags,
      summary: 'Trust an address or network: its sign-ups are not held for being many from one place',
    })
    .meta({ access: 'visit.release', notInView: true, fresh: true })
    .input(Trust)
    .output(Done),
  askTrust: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/trusted-addresses/ask',
      tags,
      summary: 'Ask the agency to trust an address or network',
    })
    .meta({ access: 'campaign.write' })
    .input(Trust)
    .output(Done),
  untrust: call
    .route({
      method: 'DELETE',
      path: '/leadspeek/client/trusted-addresses/{id}',
      tags,
      summary: 'Trust an address or network no longer, or decline to',
    })
    .meta({ access: 'visit.release', notInView: true })
    .input(z.object({ id: Id }))
    .output(Done),
};
