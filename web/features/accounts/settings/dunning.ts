/** Returns the days listed in a comma-separated text; anything that is not a whole number becomes NaN. */
export const daysOf = (text: string): number[] =>
  text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((day) => (/^\d{1,3}$/.test(day) ? Number(day) : Number.NaN));

/** Returns why a text is not a list of retry days, in words; null if it is one. */
export function daysFault(text: string): string | null {
  const days = daysOf(text);
  if (days.length === 0) return 'Enter at least one day';
  if (days.length > 10) return 'Enter up to 10 days';
  if (!days.every((day) => day >= 1 && day <= 30)) return 'Enter whole numbers of days from 1 to 30';
  return days.every((day, i) => i === 0 || day > days[i - 1]!)
    ? null
    : 'Enter the days in ascending order, each only once';
}
