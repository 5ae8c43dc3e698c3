// No schema here, because screens use it as well.

import { INFORMATION_FIELDS } from '../audience/enrichment-fields.ts';
import { DATA_PREFIX, LEAD_FIELDS } from './destinations.ts';

/** How a condition compares a field of a lead, with the words of the screens. */
export const RULE_OPS = {
  is: 'is',
  is_not: 'is not',
  contains: 'contains',
  does_not_contain: 'does not contain',
  is_one_of: 'is one of',
  is_known: 'is known',
  is_unknown: 'is unknown',
  at_least: 'is at least',
  at_most: 'is at most',
} as const;
export type RuleOp = keyof typeof RULE_OPS;

/** Whether a comparison needs a value. */
export const needsValue = (op: RuleOp): boolean => op !== 'is_known' && op !== 'is_unknown';

export interface Condition {
  /** The key of a lead field or of a data field. */
  field: string;
  op: RuleOp;
  value: string;
}

export const RULE_MATCHES = ['all', 'any', 'none'] as const;
export type RuleMatch = (typeof RULE_MATCHES)[number];

/** When leads are sent, in the client's time zone. `days` (1 is Monday) are those on which it opens. */
export interface Hours {
  days: number[];
  from: string;
  /** Before `from`: on the following day. */
  to: string;
}

/** Which leads a destination gets and when. */
export interface Rules {
  match: RuleMatch;
  conditions: Condition[];
  hours: Hours | null;
  /** Takes turns with the campaign's other destinations that do. */
  rotation: boolean;
}

export const MOST_CONDITIONS = 20;
export const LONGEST_RULE_VALUE = 500;
/** The number of leads that rules are tried on. */
export const TRIED_LEADS = 100;

export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

const LABELS: ReadonlyMap<string, string> = new Map([
  ...INFORMATION_FIELDS.map(({ key, name }) => [DATA_PREFIX + key, name] as const),
  ...Object.entries(LEAD_FIELDS),
]);

const SHOWN_VALUE = 80;
const SHOWN_CONDITIONS = 3;

/** A condition in words: 'State is one of TX, OK'. */
export function conditionWords({ field, op, value }: Condition): string {
  const label = LABELS.get(field) ?? field;
  if (!needsValue(op)) return `${label} ${RULE_OPS[op]}`;
  const text = op === 'is_one_of' ? listOf(value).join(', ') : value;
  return `${label} ${RULE_OPS[op]} ${text.length > SHOWN_VALUE ? `${text.slice(0, SHOWN_VALUE)}…`.toWellFormed() : text}`;
}

/** The entries of a comma-separated list. */
export const listOf = (value: string): string[] =>
  value.split(',').flatMap((entry) => (entry.trim() ? [entry.trim()] : []));

/** Conditions in words, the first few: 'City is Austin or State is TX or 2 more'. */
export function conditionsWords(
  conditions: readonly Condition[],
  word: 'and' | 'or',
  most = SHOWN_CONDITIONS,
): string {
  const shown = conditions.slice(0, most).map(conditionWords);
  const more = conditions.length - shown.length;
  return more > 0 ? `${shown.join(` ${word} `)} ${word} ${more} more` : shown.join(` ${word} `);
}

/** Days and times in words: 'Mon–Fri 9:00–17:00'. */
export function hoursWords({ days, from, to }: Hours): string {
  const sorted = [...days].sort((a, b) => a - b);
  const runs: number[][] = [];
  for (const day of sorted) {
    const run = runs.at(-1);
    if (run && run.at(-1) === day - 1) run.push(day);
    else runs.push([day]);
  }
  const name = (day: number | undefined) => WEEKDAYS[(day ?? 1) - 1];
  const words = runs.flatMap((run) =>
    run.length > 2 ? [`${name(run[0])}–${name(run.at(-1))}`] : run.map(name),
  );
  const time = (text: string) => text.replace(/^0/, '');
  return `${sorted.length === 7 ? 'Every day' : words.join(', ')} ${time(from)}–${time(to)}`;
}

/** Rules in words: 'Only when State is one of TX, OK · Mon–Fri 9:00–17:00 · takes turns'. */
export function rulesWords(rules: Rules | null, most = SHOWN_CONDITIONS): string {
  if (!rules) return 'Every lead at any time';
  const { conditions, match, hours } = rules;
  return [
    conditions.length > 0
      ? match === 'none'
        ? `Not when ${conditionsWords(conditions, 'or', most)}`
        : `Only when ${conditionsWords(conditions, match === 'all' ? 'and' : 'or', most)}`
      : 'Every lead',
    ...(hours ? [hoursWords(hours)] : []),
    ...(rules.rotation ? ['takes turns'] : []),
  ].join(' · ');
}
