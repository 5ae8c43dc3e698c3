import type { ScheduledPeriod } from '../../../../contract/money/report-schedules.ts';

/** The first and last day of a report that is sent at an instant: whole weeks or months before that day. */
export function daysOf(
  period: ScheduledPeriod,
  at: Date,
  zone: string,
): { starts_on: string; ends_on: string } {
  const today = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate();
  const before = period === 'week' ? today.subtract({ days: today.dayOfWeek - 1 }) : today.with({ day: 1 });
  const length = { week: { weeks: 1 }, month: { months: 1 }, quarter: { months: 3 }, year: { months: 12 } }[
    period
  ];
  return {
    starts_on: before.subtract(length).toString(),
    ends_on: before.subtract({ days: 1 }).toString(),
  };
}
