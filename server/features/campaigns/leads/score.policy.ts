import type { CampaignRules } from '../../../../contract/campaigns/campaign-rules.ts';
import type {
  FitCount,
  ScoreDetails,
  ScoreFacts,
  ScoreReasonName,
} from '../../../../contract/campaigns/scores.ts';

/** What a campaign says about its scores. */
export type ScoreRules = Pick<
  CampaignRules,
  'score_recency' | 'score_depth' | 'score_hot' | 'score_fit' | 'score_pages'
>;

/** A score from 0 to 100, what it is made of, and when it falls if the person is not seen again. */
export interface Score {
  score: number;
  details: ScoreDetails;
  dueAt: Date | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Of recency: within how many days someone was last seen, and the share of its points that they get. */
const RECENCY = [
  { days: 1, share: 1, words: 'Last seen within a day' },
  { days: 3, share: 0.8, words: 'Last seen within 3 days' },
  { days: 7, share: 0.6, words: 'Last seen within 7 days' },
  { days: 14, share: 0.4, words: 'Last seen within 14 days' },
  { days: 30, share: 0.2, words: 'Last seen within 30 days' },
] as const;
const LONG_AGO = { days: Infinity, share: 0, words: 'Not seen for 30 days' };

/** Of depth: from how many pages or signals on, which share. */
const DEPTH = [
  { from: 8, share: 1 },
  { from: 5, share: 0.8 },
  { from: 3, share: 0.6 },
  { from: 2, share: 0.4 },
  { from: 1, share: 0.2 },
] as const;

/** Of hot pages: the share for one, and for more than one. */
const ONE_HOT = 0.7;
const SHOWN_HOT = 3;

/** Whole points in proportion to weights, 100 in all: what is lost by rounding goes to the largest remainders. */
function shares(weights: readonly number[]): number[] {
  const all = weights.reduce((sum, one) => sum + one, 0);
  const exact = weights.map((one) => (100 * one) / all);
  const points = exact.map(Math.floor);
  const left = 100 - points.reduce((sum, one) => sum + one, 0);
  const order = exact
    .map((one, i) => ({ i, rest: one - Math.floor(one) }))
    .sort((a, b) => b.rest - a.rest || a.i - b.i);
  for (const { i } of order.slice(0, left)) points[i]!++;
  return points;
}

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** An address without its host, so that a word in a company's own name makes no page hot, or a keyword as it is. */
function searched(text: string): string {
  const path = /^https?:\/\/[^/?#]*(.*)$/is.exec(text)?.[1];
  if (path === undefined) return folded(text);
  try {
    return folded(decodeURIComponent(path));
  } catch {
    return folded(path);
  }
}

/** Which entries of the campaign's hot pages occur in addresses or keywords. */
export function hotIn(rules: Pick<ScoreRules, 'score_pages'>, texts: readonly string[]): string[] {
  // One text is searched much faster than its parts, and no entry has a NUL.
  const all = texts.map(searched).join('\0');
  return rules.score_pages.filter((entry) => all.includes(folded(entry)));
}

const listed = (entries: readonly string[]): string => {
  const shown = entries.slice(0, SHOWN_HOT);
  return entries.length > shown.length
    ? `${shown.join(', ')}, and ${entries.length - shown.length} more`
    : shown.length > 1
      ? `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
      : shown.join('');
};

function fitWords({ fits, unknown, asked }: FitCount): string {
  if (asked === 1)
    return fits === 1 ? 'Fits the filter' : unknown === 1 ? 'Fit not known' : 'Does not fit the filter';
  return `${fits} of ${asked} parts of the filter fit${unknown > 0 ? `, ${unknown} not known` : ''}`;
}

/** Whether a campaign weighs anything, so that its leads have scores. */
export const weighs = (rules: ScoreRules): boolean =>
  rules.score_recency > 0 || rules.score_depth > 0 || rules.score_hot > 0 || rules.score_fit > 0;

/**
 * Scores a lead by a campaign's weights as of an instant; null if the campaign weighs nothing. Each reason gets its share
 * of 100 points by weight, and of that what the facts are worth; more of a fact is never worth less.
 */
export function scoreOf(rules: ScoreRules, facts: ScoreFacts, seenAt: Date, now: Date): Score | null {
  const weights: Record<ScoreReasonName, number> = {
    recency: rules.score_recency,
    depth: rules.score_depth,
    hot: rules.score_pages.length > 0 ? rules.score_hot : 0,
    fit: facts.fit ? rules.score_fit : 0,
  };
  const names = (Object.keys(weights) as ScoreReasonName[]).filter((name) => weights[name] > 0);
  if (names.length === 0) return null;

  const ageMs = Math.max(0, now.getTime() - seenAt.getTime());
  const recency = RECENCY.find(({ days }) => ageMs < days * DAY_MS) ?? LONG_AGO;
  const { depth, of, hot, fit } = facts;
  const judged: Record<ScoreReasonName, { share: number; words: string }> = {
    recency,
    depth: {
      share: DEPTH.find(({ from }) => depth >= from)?.share ?? 0,
      words:
        of === 'page'
          ? `${depth} ${depth === 1 ? 'page' : 'pages'} viewed`
          : `${depth} ${depth === 1 ? 'signal' : 'signals'}`,
    },
    hot: {
      share: hot.length > 1 ? 1 : hot.length * ONE_HOT,
      words:
        hot.length > 0
          ? `${of === 'page' ? 'Viewed' : 'Showed interest in'} ${listed(hot)}`
          : of === 'page'
            ? 'No hot page viewed'
            : 'No hot keyword',
    },
    fit: fit
      ? { share: (fit.fits + fit.unknown / 2) / fit.asked, words: fitWords(fit) }
      : { share: 0, words: '' },
  };
  const most = shares(names.map((name) => weights[name]));
  const reasons = names.map((reason, i) => ({
    reason,
    points: Math.round(most[i]! * judged[reason].share),
    most: most[i]!,
    words: judged[reason].words,
  }));
  return {
    score: reasons.reduce((sum, { points }) => sum + points, 0),
    details: { facts, reasons },
    // By the hour, so that most page views of a visit leave the index of what is due as it is.
    dueAt:
      weights.recency > 0 && recency.days < Infinity
        ? new Date(Math.ceil((seenAt.getTime() + recency.days * DAY_MS) / HOUR_MS) * HOUR_MS)
        : null,
  };
}

/** A stored score as it is shown; null: there is none. */
export const scoreShown = (row: {
  score: number | null;
  score_details: ScoreDetails | null;
}): { points: number; reasons: ScoreDetails['reasons'] } | null =>
  row.score === null || row.score_details === null
    ? null
    : { points: row.score, reasons: row.score_details.reasons };

/** A lead with its score, null if it has none. */
export interface ScoredLead {
  score: Score | null;
  facts: ScoreFacts;
  seenAt: Date;
}

/** What is kept of a scored lead: the facts stay when a campaign weighs nothing, for when it weighs something again. */
export const detailsOf = ({ score, facts }: Omit<ScoredLead, 'seenAt'>): ScoreDetails =>
  score?.details ?? { facts, reasons: [] };
