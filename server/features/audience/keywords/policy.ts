import { hash } from 'node:crypto';
import { stemmer } from 'stemmer';

/**
 * A keyword as the user wrote it (tidied), and in the form used for comparison: its stems, separated by single spaces.
 */
export interface Keyword {
  text: string;
  words: string;
}

/** Words of a keyword beyond this limit are ignored. */
const MOST_WORDS = 12;
/**
 * The length of word runs that are looked up directly; for a longer keyword only that many first words are looked up,
 * and the rest is compared.
 */
const RUN = 5;
const LONGEST = 255;

const stems = new Map<string, string>();

/** The stem of one lowercase word; anything other than plain English letters is its own stem. */
function stem(word: string): string {
  if (!/^[a-z]{3,}$/.test(word)) return word;
  let found = stems.get(word);
  if (found === undefined) {
    // Real words are few and repeat; a flood of made-up ones must not be cached.
    if (stems.size >= 100_000) stems.clear();
    found = stemmer(word);
    stems.set(word, found);
  }
  return found;
}

/**
 * A keyword in its comparable form (decision 0066): NFKC, lowercase, without Latin accents, possessives, or punctuation
 * (except + and # after a word), with each English word reduced to its stem. Null if it contains no letter or digit.
 */
export function keywordOf(given: string): Keyword | null {
  const text = given
    .slice(0, 4 * LONGEST)
    .replace(/\s+/gu, ' ')
    .trim()
    .slice(0, LONGEST);
  // Most are already plain lowercase words.
  const plain = /^[a-z0-9 ]+$/.test(text)
    ? text
    : text
        .normalize('NFKC')
        .toLowerCase()
        .normalize('NFD')
        .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
        .normalize('NFC')
        .replace(/['\u2018\u2019\u02bc](?:s\b)?/gu, '')
        .replace(/[^\p{L}\p{M}\p{N}+#]+|(?<![\p{L}\p{N}+#])[+#]+/gu, ' ')
        .trim();
  if (plain === '') return null;
  return { text, words: plain.split(' ').filter(Boolean).slice(0, MOST_WORDS).map(stem).join(' ') };
}

/** The number by which a run of stems is looked up. */
function hashOf(words: string): bigint {
  return hash('sha256', words, 'buffer').readBigInt64BE(0);
}

/** What a keyword's comparable form is looked up by: the hash of its first five stems. */
export function lookUpOf(words: string): bigint {
  return hashOf(words.split(' ', RUN).join(' '));
}

/** The hashes of all runs of one to five words within a comparable form, each once. */
export function runsOf(words: string): bigint[] {
  const each = words.split(' ');
  const runs = new Set<string>();
  for (let from = 0; from < each.length; from++)
    for (let to = from + 1; to <= Math.min(each.length, from + RUN); to++)
      runs.add(each.slice(from, to).join(' '));
  return [...runs].map(hashOf);
}

/**
 * The hashes of a comparable form's single stems, each once, always in the same order: what is looked up if word order
 * doesn't matter.
 */
export const stemsOf = (words: string): bigint[] =>
  [...new Set(words.split(' '))].map(hashOf).sort((a, b) => (a < b ? -1 : 1));

/** Whether all of a keyword's stems occur in a signal, in any order and with anything in between. */
export function matchesAnyOrder(keyword: string, signal: string): boolean {
  const there = new Set(signal.split(' '));
  return keyword.split(' ').every((word) => there.has(word));
}

/** Whether a keyword's stems occur in a signal next to each other and in this order. */
export function matchesWords(keyword: string, signal: string): boolean {
  return ` ${signal} `.includes(` ${keyword} `);
}

/**
 * The keywords in a list of texts, one per comparable form (as first written); texts without a letter or digit are left
 * out.
 */
export function distinctKeywords(texts: readonly string[]): Keyword[] {
  const found = new Map<string, Keyword>();
  for (const text of texts) {
    const keyword = keywordOf(text);
    if (keyword && !found.has(keyword.words)) found.set(keyword.words, keyword);
  }
  return [...found.values()];
}

/**
 * The keywords in a pasted text: one per line, or separated by commas, semicolons, tabs or bars; quotation marks are
 * removed. `repeated` counts keywords with the same form as an earlier one; `empty` lists those without a letter or
 * digit, which mean nothing.
 */
export function tagsOf(text: string): { keywords: Keyword[]; repeated: number; empty: string[] } {
  const parts = text
    .split(/[\n\r,;\t|\u2028\u2029]+/u)
    .map((part) => part.replace(/["\u201c\u201d]/gu, ' ').trim())
    .filter(Boolean);
  const keywords = distinctKeywords(parts);
  const empty = parts.filter((part) => keywordOf(part) === null);
  return { keywords, repeated: parts.length - empty.length - keywords.length, empty };
}
