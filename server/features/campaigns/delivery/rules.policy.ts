import {
  type Condition,
  conditionsWords,
  type Hours,
  listOf,
  needsValue,
  type Rules,
} from '../../../../contract/campaigns/rules.ts';
import { Refusal } from '../../../../contract/errors.ts';
import type { Lead } from '../../../integrations/index.ts';
import { SOURCES } from './lead.policy.ts';

export const ANOTHERS_TURN = 'it was another destination’s turn.';
export const HANDED_ON = 'this destination could no longer take the lead, so another one got its turn.';

/** Texts that look the same compare the same. */
const folded = (text: string): string => text.normalize('NFC').trim().toLowerCase().normalize('NFC');

const NUMBER = /^[+-]?\d{1,15}(?:\.\d{1,10})?$/;
/** A number as it is written; undefined for anything else, such as a range. */
function numberOf(text: string): number | undefined {
  const trimmed = text.trim();
  return trimmed.length <= 30 && NUMBER.test(trimmed) ? Number(trimmed) : undefined;
}

/** What a condition compares with. A text is folded as a whole, which is the same as folding each entry. */
interface Compared {
  text: string;
  entries: ReadonlySet<string>;
  number: number;
}
const read = new WeakMap<Condition, Compared>();

/** The condition's value, read once for however many leads it judges. */
function comparedOf(condition: Condition): Compared {
  const known = read.get(condition);
  if (known) return known;
  const { op, value } = condition;
  const text = folded(value);
  const compared = {
    text,
    entries: new Set(op === 'is_one_of' ? listOf(text) : []),
    number: numberOf(value) ?? Number.NaN,
  };
  read.set(condition, compared);
  return compared;
}

const fields = new WeakMap<Lead, Map<string, string>>();

/** A field of the lead, read once for however many conditions judge it. */
function fieldOf(lead: Lead, field: string): string {
  const known = fields.get(lead) ?? new Map<string, string>();
  fields.set(lead, known);
  const text = known.get(field) ?? (Object.hasOwn(lead, field) ? folded(lead[field] ?? '') : '');
  known.set(field, text);
  return text;
}

/** Whether a condition is true for a lead. What is unknown is nothing in particular: it `is_not` and contains nothing. */
export function isTrue(condition: Condition, lead: Lead): boolean {
  const { field, op } = condition;
  const value = comparedOf(condition);
  const text = fieldOf(lead, field);
  const number = op === 'at_least' || op === 'at_most' ? numberOf(text) : undefined;
  switch (op) {
    case 'is_known':
      return text !== '';
    case 'is_unknown':
      return text === '';
    case 'is':
      return text === value.text;
    case 'is_not':
      return text !== value.text;
    case 'contains':
      return text.includes(value.text);
    case 'does_not_contain':
      return !text.includes(value.text);
    case 'is_one_of':
      return value.entries.has(text);
    case 'at_least':
      return number !== undefined && number >= value.number;
    case 'at_most':
      return number !== undefined && number <= value.number;
  }
}

/** Why the conditions leave a lead out, in words that go on after 'Not sent:'; null: they match. */
export function objectionOf({ match, conditions }: Rules, lead: Lead): string | null {
  if (conditions.length === 0) return null;
  const trueOnes = conditions.filter((one) => isTrue(one, lead));
  if (match === 'none')
    return trueOnes.length === 0
      ? null
      : `the rules of this destination leave out leads when ${conditionsWords(trueOnes, 'or')}.`;
  if (match === 'any' ? trueOnes.length > 0 : trueOnes.length === conditions.length) return null;
  const falseOnes = conditions.filter((one) => !trueOnes.includes(one));
  return `the rules of this destination don’t match: ${conditionsWords(falseOnes, match === 'any' ? 'or' : 'and')}.`;
}

/** Whose turn it is among those that could get a lead, in their order. */
export const turnOf = <T>(members: readonly T[], turn: number): T | undefined =>
  members[turn % members.length];

type Zoned = Temporal.ZonedDateTime;

/** By the clock on the wall, so a day with a lost or repeated hour needs nothing special. */
function isOpen({ days, from, to }: Hours, at: Zoned): boolean {
  const time = at.toPlainTime().toString({ smallestUnit: 'second' }).slice(0, 8);
  const begins = `${from}:00`;
  const ends = `${to}:00`;
  const yesterday = at.dayOfWeek === 1 ? 7 : at.dayOfWeek - 1;
  const isToday = days.includes(at.dayOfWeek) && time >= begins;
  if (begins < ends) return isToday && time < ends;
  return isToday || (days.includes(yesterday) && time < ends);
}

/** A day on which a clock change leaves no opening is passed over. */
const DAYS_AHEAD = 15;

/** When the hours open next; null: they are open now. */
export function opensAt(hours: Hours | null | undefined, timeZone: string, at: Date): Date | null {
  if (!hours) return null;
  const now = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
  if (isOpen(hours, now)) return null;
  const changesAt = now.getTimeZoneTransition('next');
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
    const day = now.toPlainDate().add({ days: ahead });
    const opening = (disambiguation: 'earlier' | 'later') =>
      day.toPlainDateTime(Temporal.PlainTime.from(hours.from)).toZonedDateTime(timeZone, { disambiguation });
    const first = [opening('earlier'), opening('later'), ...(changesAt ? [changesAt] : [])]
      .filter((one) => one.toPlainDate().equals(day) && Temporal.ZonedDateTime.compare(one, now) > 0)
      .filter((one) => isOpen(hours, one))
      .sort(Temporal.ZonedDateTime.compare)[0];
    if (first) return new Date(first.epochMilliseconds);
  }
  // Hours that never open would keep a lead forever.
  return null;
}

/**
 * Returns the rules as they are stored; null if they let every lead through at any time.
 * @throws Refusal 422 naming the part: `rules.conditions.2.value`
 */
export function rulesFrom(given: Rules | null): Rules | null {
  if (!given) return null;
  const errors: Record<string, string[]> = {};
  const conditions = given.conditions.map((condition, i) => {
    if (!SOURCES.has(condition.field)) errors[`rules.conditions.${i}.field`] = ['is not a field of a lead'];
    const value = needsValue(condition.op) ? condition.value.normalize('NFC').trim() : '';
    const fault = valueFault(condition, value);
    if (fault) errors[`rules.conditions.${i}.value`] = [fault];
    return { field: condition.field, op: condition.op, value };
  });
  const { rotation } = given;
  const hours = hoursFrom(given.hours, 'rules.hours', errors);
  const [first] = Object.entries(errors);
  if (first) throw new Refusal('invalid', `${first[0]}: ${first[1][0]}`, { errors });
  if (conditions.length === 0 && !hours && !rotation) return null;
  return {
    match: conditions.length > 0 ? given.match : 'all',
    conditions,
    hours,
    rotation,
  };
}

/** Returns hours as they are stored, and adds what is wrong with them to `errors`, below the name of their field. */
export function hoursFrom(
  hours: Hours | null,
  field: string,
  errors: Record<string, string[]>,
): Hours | null {
  if (hours?.days.length === 0) errors[`${field}.days`] = ['must have at least one day'];
  if (hours && hours.from === hours.to) errors[`${field}.to`] = ['must differ from the start'];
  return hours && { ...hours, days: [...new Set(hours.days)].sort((a, b) => a - b) };
}

/** What is wrong with the value of a condition, in words; undefined if nothing is. */
function valueFault({ op }: Condition, value: string): string | undefined {
  if (!needsValue(op)) return undefined;
  if (value === '') return 'is required';
  if (/\p{Cc}/u.test(value)) return 'must not contain control characters';
  if (op === 'is_one_of' && listOf(value).length === 0) return 'must have at least one entry';
  if ((op === 'at_least' || op === 'at_most') && numberOf(value) === undefined) return 'must be a number';
  return undefined;
}
