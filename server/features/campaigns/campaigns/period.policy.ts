import type { REPORT_FREQUENCIES } from '../../../../contract/campaigns/campaign-fields.ts';
import type { FREQUENCIES } from '../../../../contract/primitives.ts';

export type Frequency = (typeof FREQUENCIES)[number];
export type ReportFrequency = (typeof REPORT_FREQUENCIES)[number];

const plainDay = (at: Date, zone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate();
const instantOf = (day: Temporal.PlainDate, zone: string): Date =>
  new Date(day.toZonedDateTime({ timeZone: zone }).epochMilliseconds);

/** The first day of the day, week (from Monday) or month that an instant falls in. */
function firstDay(at: Date, every: Frequency, zone: string): Temporal.PlainDate {
  const day = plainDay(at, zone);
  if (every === 'week') return day.subtract({ days: day.dayOfWeek - 1 });
  return every === 'month' ? day.with({ day: 1 }) : day;
}

/** When the day, week or month of an instant began, and when it ends, in a time zone. */
export function periodOf(at: Date, every: Frequency, zone: string): { from: Date; to: Date } {
  const first = firstDay(at, every, zone);
  return {
    from: instantOf(first, zone),
    to: instantOf(
      first.add(every === 'day' ? { days: 1 } : every === 'week' ? { weeks: 1 } : { months: 1 }),
      zone,
    ),
  };
}

/** A campaign's lead limit as stored. */
export interface LeadLimit {
  daily_cap: number | null;
  limit_every: Frequency;
  limit_starts_on: string | null;
  limit_ends_on: string | null;
}

/**
 * Since when leads count toward a campaign's limit at an instant: from the beginning of its day, week or month, but not
 * before the first day of the limit. Null if no limit applies, because there is none or the day is outside it.
 */
export function limitSince(campaign: LeadLimit, at: Date, zone: string): Date | null {
  const { daily_cap, limit_every, limit_starts_on, limit_ends_on } = campaign;
  if (daily_cap === null) return null;
  const today = plainDay(at, zone).toString();
  if ((limit_starts_on && today < limit_starts_on) || (limit_ends_on && today > limit_ends_on)) return null;
  const first = firstDay(at, limit_every, zone).toString();
  const since = limit_starts_on && limit_starts_on > first ? limit_starts_on : first;
  return instantOf(Temporal.PlainDate.from(since), zone);
}

/**
 * How long after a period's end its report is generated: by then, whatever was in progress at the end has been booked.
 */
const GRACE_MS = 300_000;
/** The same for reports of leads as they come in, which therefore share an email if they come within it. */
const PROMPT_MS = 60_000;
const HOUR_MS = 3_600_000;

const hourOf = (at: number): number => at - (at % HOUR_MS);

/** Whether reports are due only after leads came in; the others are due at the end of each period. */
export const isPrompt = (every: ReportFrequency): every is 'lead' | 'hour' =>
  every === 'lead' || every === 'hour';

/** When leads that came in at an instant are reported at the latest. */
export const promptDue = (at: Date, every: 'lead' | 'hour'): Date =>
  new Date(every === 'lead' ? at.getTime() + PROMPT_MS : hourOf(at.getTime()) + HOUR_MS + GRACE_MS);

/**
 * What a report that is made now covers, up to `before`, and when the next one is due. One report covers all periods
 * that are over, even if the server was down for some of them. `from`: where the present period began.
 */
export function reportSpan(
  now: Date,
  every: ReportFrequency,
  zone: string,
): { from: Date; before: Date; next: Date } {
  if (isPrompt(every)) {
    const at = now.getTime();
    const before = new Date(every === 'lead' ? at - PROMPT_MS : hourOf(at - GRACE_MS));
    return { from: every === 'lead' ? now : before, before, next: promptDue(now, every) };
  }
  const present = periodOf(new Date(now.getTime() - GRACE_MS), every, zone);
  return {
    from: periodOf(now, every, zone).from,
    before: present.from,
    next: new Date(present.to.getTime() + GRACE_MS),
  };
}
