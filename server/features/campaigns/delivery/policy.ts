import type { z } from 'zod';
import { ofLeadTexts, PERSON_TEXTS } from '../../../../contract/audience/person-texts.ts';
import type { LeadMessage } from '../../../../contract/campaigns/delivery.ts';
import type { Exchange } from '../../../../contract/campaigns/destinations.ts';
import { EXAMPLE_SCORE } from '../../../../contract/campaigns/scores.ts';
import type { Inside } from '../../../../contract/wire.ts';

/** The body of one lead, as a webhook receives it. */
export type LeadData = Inside<z.output<typeof LeadMessage>>['data'];

/**
 * Seconds before each attempt, counted from the previous one (Standard Webhooks, retry schedule): 75 h 35 min in all.
 */
export const SCHEDULE = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

export const MOST_PER_CAMPAIGN = 10;
export const MOST_REPLAYED = 10_000;
export const TEST_EVERY_MS = 60_000;
export const TIMEOUT_MS = 15_000;
export const ANSWER_BYTES = 65_536;
const LONGEST_WAIT_S = 86_400;

/** The outcome of one attempt. */
export interface Outcome {
  startedAt: Date;
  durationMs: number;
  /** HTTP status; null when there was no response. */
  status: number | null;
  /** What was sent and what came back. */
  exchanges: Exchange[];
  /** Why it failed, in words; null when it succeeded. */
  error: string | null;
  retryAfter?: string | undefined;
  /** How long a vendor asked to wait; nothing is sent through its connection until then. */
  afterMs?: number;
  /** Retrying cannot help. */
  final?: boolean;
  /** A webhook wants no more (410). */
  gone?: boolean;
  /** Why a vendor no longer accepts the connection's credentials: the delivery waits for new ones. */
  broken?: string;
  /** It may have arrived; the vendor is asked before anything is sent again. */
  isInDoubt?: boolean;
  /** The record at the vendor, as far as it is known. */
  remoteId?: string | null;
  /** The vendor's answer proves that the lead's email address does not work. */
  refusesEmail?: boolean;
}

/**
 * The result of an attempt: delivered, permanently failed, or another attempt at `nextAt` (null: when the connection
 * works again).
 */
export type Verdict =
  | { state: 'delivered' | 'failed' }
  | { state: 'pending' | 'unknown'; nextAt: Date | null };

/**
 * Judges an attempt. What is not delivered, final or gone is retried on the schedule (plus or minus a fifth), later where
 * a 429 or 503 asks for it, at most 24 hours later. A broken connection uses up no attempt: the delivery waits for it.
 * `attempts` includes this one; `random` is in [0, 1).
 */
export function judge(outcome: Outcome, attempts: number, now: Date, random: number): Verdict {
  const { status, error } = outcome;
  if (error === null) return { state: 'delivered' };
  if (outcome.broken !== undefined) return { state: 'pending', nextAt: null };
  const base = SCHEDULE[attempts];
  if (outcome.gone || outcome.final || base === undefined) return { state: 'failed' };
  const asked = status === 429 || status === 503 ? waitAsked(outcome.retryAfter, now) : 0;
  const seconds = Math.max(base * (0.8 + 0.4 * random), asked, (outcome.afterMs ?? 0) / 1000);
  const nextAt = new Date(now.getTime() + Math.round(seconds * 1000));
  return { state: outcome.isInDoubt ? 'unknown' : 'pending', nextAt };
}

/** Whether more attempts of a delivery are to come. */
export const isOpen = ({ state }: { state: string }): boolean => state === 'pending' || state === 'unknown';

/** An attempt as it is recorded. */
export const attemptRow = (outcome: Outcome) => ({
  started_at: outcome.startedAt,
  duration_ms: outcome.durationMs,
  status: outcome.status,
  error: outcome.error,
  exchanges: outcome.exchanges,
});

/** How far the retries of a delivery have come when its company is notified: in percent of the attempts. */
const ALERTS = [50, 90, 100] as const;
export type Alert = (typeof ALERTS)[number];

/** Returns how far a delivery's retries have come, as reported to its company; 0: not far enough, or delivered. */
export function alertOf(verdict: Verdict, attempts: number): Alert | 0 {
  if (verdict.state === 'delivered') return 0;
  if (verdict.state === 'failed') return 100;
  // It waits for its connection, whose company is notified of that.
  if ('nextAt' in verdict && verdict.nextAt === null) return 0;
  return ALERTS.findLast((percent) => (attempts / SCHEDULE.length) * 100 >= percent) ?? 0;
}

/** Returns the seconds of a Retry-After header (seconds or a date), at most 24 hours; 0 when there is none. */
function waitAsked(header: string | undefined, now: Date): number {
  if (!header) return 0;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now.getTime()) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), LONGEST_WAIT_S) : 0;
}

/** A made-up lead for the test button, with the data fields that the campaign asks for. */
export function testLead(
  id: string,
  campaign: { number: number; name: string; type?: LeadData['campaign']['type'] },
  at: Date,
  information: Record<string, string | null> = {},
): LeadData {
  return {
    id,
    test: true,
    campaign: { id: campaign.number, name: campaign.name, type: campaign.type ?? 'local' },
    person: {
      ...ofLeadTexts((name) => PERSON_TEXTS[name].lead.test),
      email: 'test.lead@example.com',
      phone: '+12025550123',
      phone_dnc: false,
      phone_dnc_at: null,
      phone_scrubbed_at: at.toISOString(),
      phone_scrub_source: 'import',
      phone2: null,
      phone2_dnc: false,
      phone2_dnc_at: null,
      phone2_scrubbed_at: null,
      phone2_scrub_source: null,
    },
    information,
    visit: { page_url: 'https://example.com/pricing', referrer: null },
    match: { type: 'email_sha256', confidence: 100 },
    score: EXAMPLE_SCORE,
    created_at: at.toISOString(),
  };
}
