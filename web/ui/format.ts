/**
 * The product is in English (spec calls 9); what a browser reports may not even be a valid language ('en-US@posix').
 */
export const LOCALE = 'en-US';

import { MINUS } from '../../contract/dollars.ts';

export { money } from '../../contract/dollars.ts';

/** Formats a count with separators. */
export function num(value: number): string {
  return new Intl.NumberFormat(LOCALE).format(value).replace('-', MINUS);
}

/** Formats a share (0 to 1) as a percentage with one decimal place. */
export function percent(share: number): string {
  const format = new Intl.NumberFormat(LOCALE, {
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  return format.format(share).replace('-', MINUS);
}

/** Whether a text, such as one of the address, is a calendar day 'YYYY-MM-DD'. */
export const isDay = (text: string | undefined): text is string =>
  /^\d{4}-\d\d-\d\d$/.test(text ?? '') && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));

/** Formats a calendar day 'YYYY-MM-DD' for the reader, without shifting it to another time zone. */
export function dayWords(
  day: string,
  options: Intl.DateTimeFormatOptions = { month: 'short', day: 'numeric' },
): string {
  return new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );
}

/**
 * Formats the day of an instant in the reader's time zone or the one given, short; the year only if it differs from
 * `now`'s.
 */
export function shortDay(instant: string, now: Date, timeZone?: string): string {
  const date = new Date(instant);
  return new Intl.DateTimeFormat(LOCALE, {
    ...(date.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' }),
    month: 'short',
    day: 'numeric',
    timeZone,
  }).format(date);
}

/** Formats the exact time of an instant, with the time zone named: the reader's, or the one given. */
export function exactTime(instant: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeStyle: 'long', timeZone }).format(
    new Date(instant),
  );
}

/**
 * Formats the date and time of an instant in the reader's time zone or the one given, short; the year only if it
 * differs from `now`'s.
 */
export function shortTime(instant: string, now: Date, timeZone?: string): string {
  const date = new Date(instant);
  return new Intl.DateTimeFormat(LOCALE, {
    ...(date.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' }),
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone,
  }).format(date);
}

/** Formats an instant as short as a row on a phone needs it: the time of today, otherwise the day. */
export function briefTime(instant: string, now: Date, timeZone?: string): string {
  const date = new Date(instant);
  const day = (at: Date) => new Intl.DateTimeFormat(LOCALE, { dateStyle: 'short', timeZone }).format(at);
  if (day(date) !== day(now)) return shortDay(instant, now, timeZone);
  return new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short', timeZone }).format(date);
}

/** 'never yet', '5 minutes ago', 'yesterday'. */
export function ago(instant: string, now: Date): string {
  const seconds = (new Date(instant).getTime() - now.getTime()) / 1000;
  const words = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
  const steps: [Intl.RelativeTimeFormatUnit, number][] = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ];
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return words.format(Math.trunc(seconds / size), unit);
  }
  return words.format(Math.trunc(seconds), 'second');
}

/** A phone number as people write it: (504) 555-0100 for North America, otherwise as it is. */
export function phoneWords(e164: string): string {
  const found = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(e164);
  return found ? `(${found[1]}) ${found[2]}-${found[3]}` : e164;
}

/** A code as words: 'seen_recently' -> 'Seen recently'. */
export function prettyCode(code: string): string {
  const words = code.replaceAll(/[_-]+/g, ' ').trim();
  return words ? words[0]!.toUpperCase() + words.slice(1) : code;
}
