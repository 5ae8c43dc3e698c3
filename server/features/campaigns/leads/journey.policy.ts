import { CLICK_PARAMETER } from '../../../../contract/ads/ad-rules.ts';
import type { DeliveryState } from '../../../../contract/campaigns/destinations.ts';
import { MATCH_KINDS } from '../../../../contract/campaigns/leads.ts';
import type { ReturnReason, ReturnState } from '../../../../contract/campaigns/return-rules.ts';
import { printable } from '../../../platform/printable.ts';

/** Pages that are further apart belong to different visits, so the time between them is no reading. */
export const READ_APART_MS = 30 * 60_000;
const MOST_TEXT = 300;
const MOST_ADDRESS = 2_000;
const MOST_VALUE = 120;

/** What brings a visitor, by the names that addresses have for it. */
const PARAMETERS = {
  utm_source: 'source',
  utm_medium: 'medium',
  utm_campaign: 'campaign',
  utm_term: 'term',
  utm_content: 'content',
} as const;
/** Ids that ad networks put into the address of a click. */
const CLICK_IDS = [
  CLICK_PARAMETER,
  'gclid',
  'gbraid',
  'wbraid',
  'msclkid',
  'fbclid',
  'ttclid',
  'li_fat_id',
  'twclid',
  'rdt_cid',
  'epik',
  'ScCid',
];

export interface Came {
  source: string | null;
  medium: string | null;
  campaign: string | null;
  term: string | null;
  content: string | null;
  /** The name and the value of the first click id. */
  click_id: string | null;
}

/** Text that a site chose, or whoever forged a visit: it is only ever shown as text. */
export const textOf = (text: string | null): string | null =>
  (text && printable(text, MOST_TEXT).trim()) || null;

/** An address that can be opened; what is no web address is none. */
export function addressOf(text: string | null): string | null {
  const url = text && text.length <= MOST_ADDRESS ? URL.parse(text) : null;
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url.href : null;
}

/** Where a visit came from, as the address of its page says; null if it says nothing. */
export function cameBy(text: string | null): Came | null {
  const address = addressOf(text);
  if (!address) return null;
  const { searchParams } = new URL(address);
  const value = (name: string): string | null =>
    printable(searchParams.get(name) ?? '', MOST_VALUE).trim() || null;
  const click = CLICK_IDS.find((name) => value(name));
  const came = {
    ...(Object.fromEntries(Object.entries(PARAMETERS).map(([name, field]) => [field, value(name)])) as Omit<
      Came,
      'click_id'
    >),
    click_id: click ? `${click} ${value(click)}` : null,
  };
  return Object.values(came).some(Boolean) ? came : null;
}

/** A step of a journey as it is stored; what its kind does not have is null. */
export interface StepRow {
  kind: 'visit' | 'ad' | 'signal' | 'lead' | 'delivery' | 'return' | 'decision' | 'merge' | 'unmerge';
  id: string;
  at: Date;
  /** Of a visit: what the pixel saw. */
  event: string | null;
  url: string | null;
  title: string | null;
  referrer: string | null;
  /** Until the next page in the same browser; null for the last of a visit. */
  ms: number | null;
  is_recognized: boolean | null;
  /** Of a delivery; of an ad, the site that showed it. */
  destination: string | null;
  state: DeliveryState | null;
  error: string | null;
  /** Of a return: why, and what its client wrote; of its decision: which, and what the agency wrote. */
  reason: ReturnReason | null;
  decision: ReturnState | null;
  note: string | null;
  /** Of the lead: how its person was recognized, how surely, and what it cost its client. */
  match_kind: number | null;
  confidence: number | null;
  price_micros: bigint | null;
  /** Of a signal. */
  keyword: string | null;
  /** Of a merge: the kinds of keys that both people have. */
  shared: number[] | null;
}

const matchOf = (kind: number) => MATCH_KINDS[kind as keyof typeof MATCH_KINDS];

/** Events of the pixel, as steps are called; what is neither of these is a page view. */
const EVENTS: Record<string, 'identify' | 'thanks'> = { identify: 'identify', thanks: 'thanks' };

/** A step as it is shown. */
export const stepOf = (row: StepRow) => ({
  kind:
    row.kind === 'visit'
      ? (EVENTS[row.event ?? ''] ?? ('view' as const))
      : row.kind === 'ad'
        ? row.event === 'click'
          ? ('ad_click' as const)
          : ('ad_view' as const)
        : row.kind,
  id: row.id,
  at: row.at.toISOString(),
  title: textOf(row.title),
  page_url: addressOf(row.url),
  referrer: addressOf(row.referrer),
  seconds: row.ms === null ? null : Math.round(row.ms / 1000),
  is_recognized: row.is_recognized ?? true,
  came_by: cameBy(row.url),
  destination: textOf(row.destination),
  state: row.state,
  error: textOf(row.error),
  reason: row.reason,
  decision: row.decision,
  note: textOf(row.note),
  match_type: row.match_kind === null ? null : matchOf(row.match_kind),
  confidence: row.confidence,
  price_micros: row.price_micros === null ? null : Number(row.price_micros),
  keyword: textOf(row.keyword),
  shared: (row.shared ?? []).map(matchOf),
});
