import { isDay } from '../../../ui/format.ts';

/** A range of calendar days, both ends included, 'YYYY-MM-DD'. */
export interface Range {
  start: string;
  end: string;
}

const DAY_MS = 86_400_000;
const ms = (day: string) => Date.parse(`${day}T00:00:00Z`);

/** Returns the calendar day of an instant in a time zone. */
export function dayIn(now: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(now);
}

/** Returns the day `count` days after a day (before it, if negative). */
export function addDays(day: string, count: number): string {
  return new Date(ms(day) + count * DAY_MS).toISOString().slice(0, 10);
}

/** Returns how many days a range has. */
export function lengthOf(range: Range): number {
  return Math.round((ms(range.end) - ms(range.start)) / DAY_MS) + 1;
}

/** Returns the range of the same length just before. */
export function before(range: Range): Range {
  const length = lengthOf(range);
  return { start: addDays(range.start, -length), end: addDays(range.start, -1) };
}

/** Returns the last `count` days, up to and including `today`. */
export function lastDays(count: number, today: string): Range {
  return { start: addDays(today, 1 - count), end: today };
}

/** Returns the range in the address (from and to, or days); the last 30 days if there is none or it is invalid. */
export function rangeOf(
  params: { from?: string; to?: string; days?: string },
  today: string,
): Range & { days?: number } {
  if (isDay(params.from) && isDay(params.to) && params.from <= params.to) {
    return { start: params.from, end: params.to };
  }
  const days = [7, 30, 90].includes(Number(params.days)) ? Number(params.days) : 30;
  return { ...lastDays(days, today), days };
}
