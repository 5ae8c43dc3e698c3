import { KIND, type Kind } from './model.ts';

/** Keys by which two people may be one, in the order in which they are looked through. */
export const TELLING = [KIND.sha256, KIND.md5, KIND.sha1, KIND.phone] as const;
export type Telling = (typeof TELLING)[number];

/** More people than this with one key are an office or a family, not one person. */
export const MOST_ALIKE = 5;

/** What of a person tells whether they are another one. */
export interface Alike {
  first_name: string | null;
  last_name: string | null;
  sha256: Buffer[];
  sha1: Buffer[];
  md5: Buffer[];
}

const plain = (name: string | null): string =>
  (name ?? '')
    .normalize('NFKD')
    .replace(/[^\p{L}]/gu, '')
    .toLowerCase();

/**
 * Whether names may be of one person: the same last name, and of the first names one begins with the other ('Al', 'Albert');
 * or the two the other way round. Who has no last name is like nobody.
 */
export function similarNames(a: Alike, b: Alike): boolean {
  const [one, two] = [a, b].map((p) => ({ first: plain(p.first_name), last: plain(p.last_name) })) as [
    Record<'first' | 'last', string>,
    Record<'first' | 'last', string>,
  ];
  if (one.last === '' || two.last === '') return false;
  if (one.first === two.last && one.last === two.first) return true;
  return one.last === two.last && (one.first.startsWith(two.first) || two.first.startsWith(one.first));
}

const share = (a: Buffer[], b: Buffer[]): boolean => a.some((x) => b.some((y) => x.equals(y)));

/**
 * Whether two people who share a key of this kind are shown as likely one: of an email address always, of a phone with similar
 * names. Only by the first kind of key in the order of TELLING that they share, so that nobody is shown twice.
 */
export function areAlike(kind: Kind, a: Alike, b: Alike): boolean {
  const bySha256 = share(a.sha256, b.sha256);
  const byMd5 = share(a.md5, b.md5);
  if (kind === KIND.sha256) return true;
  if (kind === KIND.md5) return !bySha256;
  if (kind === KIND.sha1) return !bySha256 && !byMd5;
  return !bySha256 && !byMd5 && !share(a.sha1, b.sha1) && similarNames(a, b);
}

/** Where a search for duplicates goes on: after this key. */
export interface Place {
  kind: Telling;
  after: Buffer | null;
}

export const textOf = ({ kind, after }: Place): string => `${kind}.${after?.toString('base64url') ?? ''}`;

/** Reads a place back; null where the text is none. */
export function placeOf(text: string): Place | null {
  const [, kind, after] = /^(\d)\.([\w-]*)$/.exec(text) ?? [];
  const known = TELLING.find((one) => String(one) === kind);
  return known ? { kind: known, after: after ? Buffer.from(after, 'base64url') : null } : null;
}
