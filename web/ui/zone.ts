import { createContext } from 'react';
import { LOCALE } from './format.ts';

/** The time zone in which a page shows its times, if its days are a company's; absent: the reader's own. */
export const PageZone = createContext<string | undefined>(undefined);

/** Formats a time zone the way people say it: 'America/Chicago' -> 'Central Time'. */
export function zoneWords(timeZone: string): string {
  const parts = new Intl.DateTimeFormat(LOCALE, { timeZone, timeZoneName: 'longGeneric' }).formatToParts(0);
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? timeZone;
}
