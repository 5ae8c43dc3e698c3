import type { ProfileKey } from '../../../contract/enrichment-fields.ts';
import type { PERSON_FIELDS } from '../../../contract/identity.ts';

export type PersonField = (typeof PERSON_FIELDS)[number];

/** The kinds of identity keys, as kept (contract/leads.ts MATCH_KINDS); lower is stronger. */
export const KIND = { sha256: 1, sha1: 2, md5: 3, visitor: 4, device: 5, phone: 6, ip: 7 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

/** Beyond this many people who share a key the others are not looked at. */
export const MOST_PEOPLE = 20;

/** The columns of a person that are content: what a lead shows. */
export const CONTENT = [
  'first_name',
  'last_name',
  'email',
  'phone',
  'phone2',
  'address',
  'city',
  'county',
  'state',
  'zip',
  'company_name',
  'website',
  'job_title',
] as const;
export type Content = Partial<Record<(typeof CONTENT)[number], string>>;

export type ProfileValues = Partial<Record<ProfileKey, string>>;

/** One identity key of a person; the value is lowercase hex. */
export interface Key {
  kind: Kind;
  value: string;
}

/** A person as a source states it. `ref` (hex of a SHA-256) makes two rows the same person. */
export interface Person {
  ref: string;
  content: Content;
  keys: Key[];
  /** What the source says beyond that; undefined: nothing. */
  profile?: ProfileValues | undefined;
  /** What of the row is not used; undefined: nothing. */
  left?: Left[];
}

/** Why a row is not imported. */
export interface Fault {
  field: string | null;
  reason: string;
  value: string | null;
}

/** Values of one field that were left out of a row that is imported otherwise; `value` is the first of them. */
export interface Left extends Fault {
  count: number;
}

/** What is told of a line of a file: `place` 0 that it was not imported, others which values were left out. */
export interface LineFault extends Fault {
  line: number;
  place: number;
}
