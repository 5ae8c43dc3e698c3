import { normalPhone } from '../../../platform/contacts.ts';
import type { CountryCode } from '../../../platform/countries.ts';
import type { PersonField } from './model.ts';

/** A do-not-call column of a file and the columns of the numbers that it refers to. */
export interface DncColumn {
  at: number;
  phones: number[];
}

/** Numbers in E.164 that a source says are on a do-not-call list, and those that it says are not. */
export interface DncMarks {
  yes: Set<string>;
  no: Set<string>;
  /** When the source compared them with the lists, where it says so: milliseconds, or null if that is not clear. */
  dates: Map<string, number | null>;
}

const PHONES = new Set<PersonField>(['phone', 'phone2', 'company_phone']);
const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Whether a column's name says that it holds do-not-call marks: 'DNC', 'MOBILE_PHONE_DNC', 'Do Not Call'. */
export const isDncName = (name: string): boolean => {
  const plain = plainName(name);
  return /^dnc|dnc(flag|status|list)?$|donotcall/.test(plain) && !/(date|time|updated|source)/.test(plain);
};

/** Whether a column's name says that it holds the day of the comparison: 'DNC_SCRUB_DATE', 'DNC Checked At'. */
export const isDncDateName = (name: string): boolean => {
  const plain = plainName(name);
  return (
    /^(phone|mobile|direct)?(dnc|donotcall)/.test(plain) &&
    /(date|at|time|updated|checked|scrubbed|scrub)$/.test(plain)
  );
};

/**
 * Returns which numbers each do-not-call column refers to, by its name: those of the column it is named after ('Mobile
 * Phone DNC', also for 'Mobile Phone 1' and 'Mobile Phone 2'), or, if the file has no such column, all of the person's
 * numbers.
 */
export function dncColumns(header: readonly string[], plan: readonly PersonField[]): DncColumn[] {
  const names = header.map(plainName);
  const all = plan.flatMap((field, i) => (field === 'phone' || field === 'phone2' ? [i] : []));
  return plan.flatMap((field, at) => {
    if (field !== 'phone_dnc') return [];
    const base = names[at]!.replace(/(national|federal|state)?(donotcall|dnc)(flag|status|list)?/, '');
    const named = (fits: (name: string) => boolean) =>
      names.flatMap((name, i) => (i !== at && plan[i] !== 'phone_dnc' && fits(name) ? [i] : []));
    const exact = base === '' ? [] : named((name) => name === base);
    const own =
      exact.length > 0
        ? exact
        : base === ''
          ? []
          : named((name) => (/^\d+$/.test(base) ? name.endsWith(base) : name.startsWith(base))).filter((i) =>
              PHONES.has(plan[i]!),
            );
    // If it is named after an unused column, it refers to numbers that do not exist.
    return [{ at, phones: own.length > 0 ? own.filter((i) => PHONES.has(plan[i]!)) : all }];
  });
}

const YES = /^(y|yes|t|true|1|dnc|x|listed|do ?not ?call|on (the )?(dnc|do.not.call).*)$/i;
const NO = /^(n|no|f|false|0|clean|clear|callable|not? (listed|on .*)|none)$/i;

/** Parses one mark; undefined if it is neither yes nor no. */
function markOf(text: string): 'yes' | 'no' | undefined {
  return YES.test(text) ? 'yes' : NO.test(text) ? 'no' : undefined;
}

/**
 * Reads the do-not-call marks of a row. A cell has one mark for all the numbers, or one for each in their order; if the
 * counts differ, a single yes applies to all. A mark that is neither yes nor no counts as yes and is reported to
 * `unclear`. `date`: when the row says that its numbers were compared (`scrubDate`); of several rows, the earliest counts.
 */
export function readDnc(
  cells: readonly string[],
  columns: readonly DncColumn[],
  country: CountryCode | null,
  marks: DncMarks,
  unclear: (value: string) => void,
  date?: number | null,
): void {
  for (const { at, phones } of columns) {
    const cell = cells[at]?.trim() ?? '';
    if (cell === '') continue;
    const given = parts(cell).map((text) => {
      const mark = markOf(text);
      if (!mark) unclear(text);
      return mark ?? 'yes';
    });
    const overall = given.includes('yes') ? 'yes' : 'no';
    for (const column of phones) {
      const numbers = parts(cells[column] ?? '');
      numbers.forEach((text, i) => {
        const number = normalPhone(text, country);
        if (!number) return;
        marks[given.length === numbers.length ? given[i]! : overall].add(number);
        if (date === undefined) return;
        const before = marks.dates.get(number);
        marks.dates.set(number, date === null || before === null ? null : Math.min(date, before ?? date));
      });
    }
  }
}

const parts = (cell: string): string[] =>
  cell
    .split(/[,;|]+/)
    .map((text) => text.trim())
    .filter((text) => text !== '');
