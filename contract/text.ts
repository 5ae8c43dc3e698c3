// Parses untrusted text in a single pass: a regular expression that may start at every character and scans to the end
// from each of them takes quadratic time.

/** Returns the text without any of `marks` at either end. */
export function strip(text: string, marks: string): string {
  let from = 0;
  while (from < text.length && marks.includes(text[from]!)) from++;
  return stripEnd(text.slice(from), marks);
}

/** Returns the text without any of `marks` at its end. */
export function stripEnd(text: string, marks: string): string {
  let to = text.length;
  while (to > 0 && marks.includes(text[to - 1]!)) to--;
  return text.slice(0, to);
}

/** Whether a text is shaped like an email address, such as name@company.com. Only a mail server can tell the rest. */
export function looksLikeEmail(text: string): boolean {
  if (text.length > 254 || /\s/.test(text)) return false;
  const at = text.lastIndexOf('@');
  const dot = text.lastIndexOf('.');
  return at > 0 && at === text.indexOf('@') && dot > at + 1 && dot < text.length - 1;
}

/** Whether a text is a whole host name in lowercase ASCII, such as leads.example.com: two labels or more. */
export function isHostName(text: string): boolean {
  const labels = text.split('.');
  return (
    text.length <= 253 &&
    labels.length > 1 &&
    labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  );
}

/** A time zone as people call it, such as "Central Time". A zone that the reader's language has no words for is named. */
export const zoneWords = (timeZone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longGeneric' })
    .formatToParts(0)
    .find((part) => part.type === 'timeZoneName')?.value ?? timeZone;

/** An instant as an email says it to someone in a time zone, such as "March 2, 2026 at 9:00 AM Central Time". */
export const timeWords = (at: Date, timeZone: string): string =>
  `${at.toLocaleString('en-US', { timeZone, dateStyle: 'long', timeStyle: 'short' })} ${zoneWords(timeZone)}`;
