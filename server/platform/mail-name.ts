const LONGEST_NAME = 60;
/** What mail clients turn into links: parts of addresses, including ones with the dots of other scripts. */
const LINKS = /[@:/\\.\u3002\uFF0E\uFF61\u2024\u2215\u2044]/u;

/**
 * A name that is safe to use in emails: anyone can choose a name, and emails carry it to any recipient. No part of it
 * becomes a link, and it cannot pass for its own message. 'there' if nothing is left.
 */
export function mailName(name: string): string {
  const words = name
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .split(/\s+/)
    .map((word) =>
      LINKS.test(word) && !/^(?:(?:\p{L}\.)+|\p{L}{1,4}\.)$/u.test(word) ? word.split(LINKS).join(' ') : word,
    )
    .join(' ')
    .trim();
  return Array.from(words).slice(0, LONGEST_NAME).join('').trim() || 'there';
}

/** An email address alone, with the punctuation around it: a reader can write to it, but it opens no page. */
const ADDRESS = /^[(<"'“]?(?!www\.)[\w.%+-]{1,64}@[\p{L}\p{N}.-]{1,255}[)>"'”.,;!?]{0,3}$/iu;
/** The path of a page on its own site: no host begins with a slash, or ends so. */
const PAGE = /^\/(?:[\w-]+\/)*[\w-]+\.(?:html?|php|aspx?|jsp)[,;:!?]?$/i;
/** Addresses that need no slashes. */
const SCHEME = /(mailto|tel|sms|callto|skype|javascript|data|file):(?=\S)/gi;
/** Dots before a word, whatever script they are from: what makes a name of a host. */
const DOTS = /(?<=[^\s.])[.\u3002\uFF0E\uFF61\u2024\uFE52](?=[\p{Cf}\p{M}]{0,3}\p{L}{2})/gu;
/** An IP address with anything attached opens a page. Alone, it is what alerts tell. */
const IP = /(?<=[^\s(\d.])\d{1,3}(?:\.\d{1,3}){3}|\d{1,3}(?:\.\d{1,3}){3}(?=[^\s.,;!?)\d]|[.,;!?)]\S)/g;

/**
 * A text of an email without anything that an email program would turn into a link, no matter who chose its words:
 * evil.example becomes evil[.]example. Email addresses stay, and so do the `links` that are meant to be
 * opened.
 */
export function unlinked(text: string, links: readonly string[] = []): string {
  return text
    .split(/(\s)/)
    .map((word) =>
      ADDRESS.test(word) ||
      PAGE.test(word) ||
      links.some((link) => word.startsWith(link) && word.length <= link.length + 1)
        ? word
        : word
            .replaceAll('://', '[:]//')
            .replace(/\/(?=\/)/g, '/ ')
            .replace(SCHEME, '$1[:]')
            .replace(DOTS, '[.]')
            .replace(IP, (address) => address.replaceAll('.', '[.]')),
    )
    .join('');
}
