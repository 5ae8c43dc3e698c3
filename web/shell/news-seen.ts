/** When the newest entry of news.ts came. Apart from it, since every page behind the login asks. */
export const NEWEST = '2026-11-29';

const KEY = 'news.seen';

/** The day of the newest entry that was seen in this browser; '' if none was, or the browser keeps nothing. */
export function newsSeen(): string {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

export function markNewsSeen(): void {
  try {
    localStorage.setItem(KEY, NEWEST);
  } catch {
    // Then it is new again the next time.
  }
}
