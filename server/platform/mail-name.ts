const LONGEST_NAME = 60;
/** What mail programs make links of: parts of addresses, also with the dots of other scripts. */
const LINKS = /[@:/\\.\u3002\uFF0E\uFF61\u2024\u2215\u2044]/u;

/**
 * A name as mails may say it: strangers choose names, and mails carry them to whomever they like. Nothing of it becomes a
 * link, and it is no letter of its own. 'there' where nothing is left.
 */
export function mailName(name: string): string {
  const words = name
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .split(/\s+/)
    .map((word) =>
      LINKS.test(word) && !/^(\p{L}{1,4}\.)+$/u.test(word) ? word.split(LINKS).join(' ') : word,
    )
    .join(' ')
    .trim();
  return Array.from(words).slice(0, LONGEST_NAME).join('').trim() || 'there';
}
