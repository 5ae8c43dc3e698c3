import type { VIEW_EXPORT_EVERY } from '../../../../contract/campaigns/view-exports.ts';

export type Every = (typeof VIEW_EXPORT_EVERY)[number];

/** When views are emailed, in the company's time zone. */
const DUE_HOUR = 8;

/** The first 8:00 after an instant, of a day, a Monday, or the first of a month in a time zone. */
export function nextExport(after: Date, every: Every, zone: string): Date {
  const now = Temporal.Instant.fromEpochMilliseconds(after.getTime()).toZonedDateTimeISO(zone);
  const today = now.toPlainDate();
  const due = (day: Temporal.PlainDate): Date =>
    new Date(day.toZonedDateTime({ timeZone: zone, plainTime: { hour: DUE_HOUR } }).epochMilliseconds);
  const [first, step] = {
    day: [today, { days: 1 }],
    week: [today.subtract({ days: today.dayOfWeek - 1 }), { weeks: 1 }],
    month: [today.with({ day: 1 }), { months: 1 }],
  }[every] as [Temporal.PlainDate, Temporal.DurationLike];
  return due(first) > after ? due(first) : due(first.add(step));
}
