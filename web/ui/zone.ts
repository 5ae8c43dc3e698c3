import { createContext } from 'react';
import { LOCALE } from './format.ts';

/** The time zone that a page shows its times in, where its days are a company's; absent: the reader's own. */
export const PageZone = createContext<string | undefined>(undefined);

/** A time zone as people call it: 'America/Chicago' -> 'Central Time'. */
export function zoneWords(timeZone: string): string {
  const parts = new Intl.DateTimeFormat(LOCALE, { timeZone, timeZoneName: 'longGeneric' }).formatToParts(0);
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? timeZone;
}
