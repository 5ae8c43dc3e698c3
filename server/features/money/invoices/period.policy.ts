import type { Cycle } from './policy.ts';

const zoned = (at: Date, timeZone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);

/** The calendar month of an instant in a time zone, 'YYYY-MM'. */
export const monthOf = (at: Date, timeZone: string): string => zoned(at, timeZone).toString().slice(0, 7);

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
/** Turns '2026-03' into 'March 2026'. */
export const monthName = (month: string): string =>
  `${MONTHS[Number(month.slice(5, 7)) - 1]} ${month.slice(0, 4)}`;

/** A period [from, to) of a cycle, and the key under which a party is billed for it once. */
export interface Period {
  from: Date;
  to: Date;
  key: string;
}

/** The first instant of a calendar day, which is not always 00:00 (on some days clocks go forward at midnight). */
const startOf = (day: Temporal.PlainDate, timeZone: string): Date =>
  new Date(day.toZonedDateTime({ timeZone }).epochMilliseconds);

/** The day on which the period of an instant began: Monday, or the 1st. */
const firstDay = (at: Date, timeZone: string, cycle: Cycle): Temporal.PlainDate => {
  const day = zoned(at, timeZone).toPlainDate();
  return cycle === 'Weekly' ? day.subtract({ days: day.dayOfWeek - 1 }) : day.with({ day: 1 });
};

const next = (day: Temporal.PlainDate, cycle: Cycle): Temporal.PlainDate =>
  cycle === 'Weekly' ? day.add({ days: 7 }) : day.add({ months: 1 });

/** The period of a cycle that contains an instant, in a time zone: Monday 00:00 to Monday, or the 1st to the 1st. */
export function periodOf(at: Date, timeZone: string, cycle: Cycle): Period {
  const day = firstDay(at, timeZone, cycle);
  return {
    from: startOf(day, timeZone),
    to: startOf(next(day, cycle), timeZone),
    key: `${cycle}:${day.toString()}`,
  };
}

/** The periods that have ended by now and began at or after `since`, oldest first. */
export function endedPeriods(since: Date, now: Date, timeZone: string, cycle: Cycle): Period[] {
  const periods: Period[] = [];
  for (let period = periodOf(since, timeZone, cycle); period.to <= now; ) {
    periods.push(period);
    period = periodOf(period.to, timeZone, cycle);
  }
  return periods;
}
