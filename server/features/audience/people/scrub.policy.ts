import { timeOf } from './signal.policy.ts';

const DAY_MS = 86_400_000;

/**
 * When a row says that its numbers were compared with the lists: the earliest of its dates, in milliseconds. Undefined if
 * it doesn't say; null if it says something that is no date, or one in the future, which is reported to `unclear`.
 */
export function scrubDate(
  cells: readonly string[],
  columns: readonly number[],
  now: number,
  unclear: (value: string) => void,
): number | null | undefined {
  let date: number | null | undefined;
  for (const at of columns) {
    const text = cells[at]?.trim() ?? '';
    if (text === '') continue;
    const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? [];
    const time = timeOf(year ? `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}` : text);
    if (time === null || time > now + DAY_MS) {
      unclear(text);
      date = null;
    } else if (date !== null) date = Math.min(time, date ?? time);
  }
  return date;
}
