import { AGES, COMPANY_SIZES, INCOMES } from '../../../../contract/audience/audience.ts';
import type { CampaignRules } from '../../../../contract/campaigns/campaign-rules.ts';
import type { FitCount } from '../../../../contract/campaigns/scores.ts';
import type { Profile } from '../../audience/people/index.ts';
import { ANYBODY, formsOf } from '../campaigns/index.ts';

/** What is known about a person that a campaign's filter looks at. */
export type FitFacts = Partial<
  Pick<
    Profile,
    | 'job_title'
    | 'headline'
    | 'seniority'
    | 'industry'
    | 'company_size'
    | 'age_range'
    | 'income_range'
    | 'home_owner'
  >
> & { state: string | null; zip: string | null };

/** Whether someone fits a part of the filter; undefined: what it asks for is not known about them. */
type Verdict = boolean | undefined;

/** Judges people by a campaign's filter. */
export interface Fit {
  /**
   * Whether someone is kept out; never if the filter only scores. Nothing tells by which part: with another part that
   * never fits, the answer would say what is known about a person, for free.
   */
  refuses: (facts: FitFacts) => boolean;
  /** Whether it keeps anyone out at all. */
  canRefuse: boolean;
  /** How someone fits, for their score. */
  count: (facts: FitFacts) => FitCount;
}

/** A text as words: without case and punctuation, `+` and `#` kept for C++ and C#. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}+#]+/u)
    .filter(Boolean);
/** A text to be compared as a whole: without case, spaces, and punctuation. */
const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

interface Range {
  from: number;
  to: number;
}
const MOST_TEXT = 60;
const UNITS: Record<string, number> = { k: 1000, m: 1_000_000 };

/**
 * The range of numbers that a source's text stands for: '35-44', '65 and older', '$75K to $100K', 'Less than $25,000',
 * '10,000+', '42'; undefined if it has no number.
 */
export function rangeOf(text: string): Range | undefined {
  const short = text.slice(0, MOST_TEXT).toLowerCase();
  const numbers = [...short.matchAll(/(\d[\d,]*)(\.\d+)?\s?([km]\b)?/g)].map(
    ([, whole, part = '', unit = '']) => Number(whole!.replaceAll(',', '') + part) * (UNITS[unit] ?? 1),
  );
  const [first, second] = numbers;
  if (first === undefined) return undefined;
  if (second !== undefined) {
    // '$75,000 to $100,000' ends where the next range begins.
    const to = second > first && second >= 1000 && second % 1000 === 0 ? second - 1 : second;
    return { from: first, to };
  }
  if (/\+|over|older|more|above|plus|greater|at least/.test(short)) return { from: first, to: Infinity };
  if (/under|less|below|up to|younger|</.test(short)) return { from: 0, to: Math.max(0, first - 1) };
  return { from: first, to: first };
}

type Choice = { name: string; from: number; to: number | null };
const chosen = (choices: readonly Choice[], names: readonly string[]): Range[] =>
  choices
    .filter(({ name }) => names.includes(name))
    .map(({ from, to }) => ({ from, to: to ?? Infinity }))
    .sort((a, b) => a.from - b.from);

/** Whether a range lies in others (sorted): undefined if only a part of it does. */
function lies(range: Range, within: readonly Range[]): Verdict {
  let next = range.from;
  let touches = false;
  for (const { from, to } of within) {
    if (to < range.from || from > range.to) continue;
    touches = true;
    if (from <= next) next = Math.max(next, to + 1);
  }
  if (!touches) return false;
  return next > range.to ? true : undefined;
}

/** Whether a text has all words of one of some entries. */
function hasWords(text: string, entries: readonly string[][]): boolean {
  const words = new Set(wordsOf(text));
  return entries.some((entry) => entry.every((word) => words.has(word)));
}

const OWNERS = new Set('y yes t true 1 o h own owner owned homeowner probablehomeowner'.split(' '));
const RENTERS = new Set('n no f false 0 r rent renter rented probablerenter'.split(' '));

/** One part of a filter: whether someone fits. */
type Part = (facts: FitFacts) => Verdict;

/**
 * A campaign's filter (decision 0270), ready to judge many people; null if it lets everyone through. What is known to be
 * outside refuses, whatever else is unknown.
 */
export function fitOf(rules: CampaignRules): Fit | null {
  const parts: Part[] = [];
  /** A part about one value: unknown if there is none. */
  const about = (value: (facts: FitFacts) => string | null | undefined, judge: (text: string) => Verdict) =>
    parts.push((facts) => {
      const text = value(facts);
      return text ? judge(text) : undefined;
    });
  const ranges = (key: keyof FitFacts, wanted: Range[], ofLeast = false) =>
    about(
      (facts) => facts[key],
      (text) => {
        const range = rangeOf(text);
        return range && lies(ofLeast ? { from: range.from, to: range.from } : range, wanted);
      },
    );
  if (rules.fit_titles.length > 0) {
    const titles = rules.fit_titles.map(wordsOf);
    about(
      (facts) => facts.job_title ?? facts.headline,
      (text) => hasWords(text, titles),
    );
  }
  if (rules.fit_seniorities.length > 0) {
    const forms = new Set(formsOf({ ...ANYBODY, seniorities: rules.fit_seniorities }).seniorities);
    about(
      (facts) => facts.seniority,
      (text) => forms.has(plain(text)),
    );
  }
  if (rules.fit_industries.length > 0) {
    const industries = rules.fit_industries.map(wordsOf);
    about(
      (facts) => facts.industry,
      (text) => hasWords(text, industries),
    );
  }
  // As for B2B ID's audience, a company is as large as its size says at least.
  if (rules.fit_sizes.length > 0) ranges('company_size', chosen(COMPANY_SIZES, rules.fit_sizes), true);
  if (rules.fit_states.length + rules.fit_zips.length > 0) {
    const { fit_states: states, fit_zips: zips } = rules;
    parts.push(({ state, zip }) => {
      if ((state && states.includes(state)) || (zip && zips.some((one) => zip.startsWith(one)))) return true;
      return (states.length > 0 && !state) || (zips.length > 0 && !zip) ? undefined : false;
    });
  }
  if (rules.fit_ages.length > 0) ranges('age_range', chosen(AGES, rules.fit_ages));
  if (rules.fit_incomes.length > 0) ranges('income_range', chosen(INCOMES, rules.fit_incomes));
  if (rules.fit_home !== 'any') {
    const [wanted, others] = rules.fit_home === 'owner' ? [OWNERS, RENTERS] : [RENTERS, OWNERS];
    about(
      (facts) => facts.home_owner,
      (text) => (wanted.has(plain(text)) ? true : others.has(plain(text)) ? false : undefined),
    );
  }
  if (parts.length === 0) return null;
  const isRefused = (facts: FitFacts): boolean => {
    const verdicts = parts.map((judge) => judge(facts));
    return verdicts.includes(false) || (rules.fit_unknown === 'refuse' && verdicts.includes(undefined));
  };
  return {
    refuses: rules.fit_use === 'refuse' ? isRefused : () => false,
    canRefuse: rules.fit_use === 'refuse',
    count(facts) {
      const verdicts = parts.map((judge) => judge(facts));
      return {
        fits: verdicts.filter((one) => one === true).length,
        unknown: verdicts.filter((one) => one === undefined).length,
        asked: parts.length,
      };
    },
  };
}
