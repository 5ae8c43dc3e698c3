// No schema here, because screens use it as well.

/** The reasons for a lead's score, in the order in which they are shown, with their words. */
export const SCORE_REASONS = {
  recency: 'Recency',
  depth: 'Depth',
  hot: 'Hot pages',
  fit: 'Fit',
} as const;
export type ScoreReasonName = keyof typeof SCORE_REASONS;
export const scoreReasonNames = Object.keys(SCORE_REASONS) as ScoreReasonName[];

/** What a reason adds to a score, of how much it could add; the points of all reasons add up to the score. */
export interface ScoreReason {
  reason: ScoreReasonName;
  points: number;
  most: number;
  /** What it was: '5 pages viewed'. */
  words: string;
}

/** Reasons as one text: 'Recency 30 of 30: last seen within a day; …'. */
export const reasonsWords = (reasons: readonly ScoreReason[]): string =>
  reasons
    .map(({ reason, points, most, words }) => `${SCORE_REASONS[reason]} ${points} of ${most}: ${words}`)
    .join('; ');

/** A made-up score, for examples and tests. */
export const EXAMPLE_SCORE: { points: number; reasons: ScoreReason[] } = {
  points: 76,
  reasons: [
    { reason: 'recency', points: 30, most: 30, words: 'Last seen within a day' },
    { reason: 'depth', points: 18, most: 30, words: '4 pages viewed' },
    { reason: 'hot', points: 28, most: 40, words: 'Viewed pricing' },
  ],
};

/** How a person fits a campaign's filter: the number of its parts that fit, that are not known, and that there are. */
export interface FitCount {
  fits: number;
  unknown: number;
  asked: number;
}

/** What a score is made of. */
export interface ScoreFacts {
  /** Pages viewed, or signals. */
  depth: number;
  of: 'page' | 'signal';
  /** The entries of the campaign's hot pages that were found. */
  hot: string[];
  /** As judged when the lead came in; null: there was no filter. */
  fit: FitCount | null;
}

/** A score as a lead keeps it. */
export interface ScoreDetails {
  facts: ScoreFacts;
  reasons: ScoreReason[];
}

/** The number of leads that weights are previewed on. */
export const SCORED_LEADS = 200;

/** The bands of a preview, each from its score up to the next one's. */
export const SCORE_BANDS = [0, 20, 40, 60, 80] as const;
/** The band that a score is in. */
export const bandOf = (score: number): number => Math.min(Math.floor(score / 20), SCORE_BANDS.length - 1);
