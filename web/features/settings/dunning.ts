/** The days that a text with commas names; what is no whole number is NaN. */
export const daysOf = (text: string): number[] =>
  text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((day) => (/^\d{1,3}$/.test(day) ? Number(day) : Number.NaN));

/** Why a text does not name retry days, in words; null when it does. */
export function daysFault(text: string): string | null {
  const days = daysOf(text);
  if (days.length === 0) return 'Enter at least one day';
  if (days.length > 10) return 'Enter up to 10 days';
  if (!days.every((day) => day >= 1 && day <= 30)) return 'Enter whole numbers of days from 1 to 30';
  return days.every((day, i) => i === 0 || day > days[i - 1]!)
    ? null
    : 'Enter the days in ascending order, each only once';
}
