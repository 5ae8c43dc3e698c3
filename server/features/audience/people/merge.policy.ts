import { KIND, type Kind } from './model.ts';

/** Keys by which two people may be the same, in the order in which they are checked. */
export const TELLING = [KIND.sha256, KIND.md5, KIND.sha1, KIND.phone] as const;
export type Telling = (typeof TELLING)[number];

/** If more people than this share a key, they are an office or a family, not one person. */
export const MOST_ALIKE = 5;

/** The data of a person that shows whether they are a different one. */
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
 * Whether names may belong to one person: the same last name, and one first name begins with the other ('Al',
 * 'Albert'); or first and last name swapped. A person without a last name is similar to no one.
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

const share = (a: Buffer[], b: Buffer[]): boolean => {
  const known = new Set(a.map((one) => one.toString('latin1')));
  return b.some((one) => known.has(one.toString('latin1')));
};

/**
 * Whether two people who share a key of this kind are shown as a likely duplicate: for an email address always, for a
 * phone only with similar names. Only by the first kind of key they share in the order of TELLING, so that no pair is
 * shown twice.
 */
export function areAlike(kind: Kind, a: Alike, b: Alike): boolean {
  if (kind === KIND.sha256) return true;
  if (kind === KIND.phone && !similarNames(a, b)) return false;
  if (share(a.sha256, b.sha256)) return false;
  if (kind === KIND.md5) return true;
  if (share(a.md5, b.md5)) return false;
  return kind === KIND.sha1 || !share(a.sha1, b.sha1);
}

/** Where a search for duplicates resumes: after this key. */
export interface Place {
  kind: Telling;
  after: Buffer | null;
}

export const textOf = ({ kind, after }: Place): string => `${kind}.${after?.toString('base64url') ?? ''}`;

/** Parses a place; null where the text is not one. */
export function placeOf(text: string): Place | null {
  const [, kind, after] = /^(\d)\.([\w-]*)$/.exec(text) ?? [];
  const known = TELLING.find((one) => String(one) === kind);
  return known ? { kind: known, after: after ? Buffer.from(after, 'base64url') : null } : null;
}
