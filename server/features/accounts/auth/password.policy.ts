import common from '@zxcvbn-ts/language-common';

/** Which character stands in for which letter when people disguise a word. */
const DRESS: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};
/** Parts shorter than this occur in any text. */
const LEAST_PART = 4;

let known: ReadonlySet<string> | undefined;
/** Common and leaked passwords, from data inside the package. */
const list = (): ReadonlySet<string> => {
  known ??= new Set<string>(common.dictionary['passwords-common'] as string[]);
  return known;
};

const isKnown = (text: string): boolean => {
  const plain = text.replace(/[01345 7@$!]/g, (sign) => DRESS[sign] ?? '');
  return list().has(text) || list().has(plain);
};

/**
 * Whether a password is among the first that attackers try: one from the list, also in capitals, disguised
 * (`P@ssw0rd`), surrounded by digits and symbols, repeated twice, or two of them in a row.
 */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase().slice(0, 128);
  const bare = text.replace(/^[^a-z]+/, '');
  let end = bare.length;
  while (end > 0 && !/[a-z]/.test(bare[end - 1]!)) end--;
  const word = bare.slice(0, end);
  if (isKnown(text) || (word.length >= LEAST_PART && isKnown(word))) return true;
  for (let at = LEAST_PART; at <= text.length - LEAST_PART; at++) {
    if (isKnown(text.slice(0, at)) && isKnown(text.slice(at))) return true;
  }
  return false;
}
