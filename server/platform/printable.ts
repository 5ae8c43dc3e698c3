/**
 * Returns text from outside as text that can be stored and shown: no control characters but line breaks and tabs,
 * well-formed, at most `most` characters.
 */
export const printable = (text: string, most: number): string =>
  text
    .slice(0, most)
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .toWellFormed();
