import type { ProfileKey } from '../../../../contract/audience/enrichment-fields.ts';
import type { PERSON_FIELDS } from '../../../../contract/audience/people.ts';
import { personTexts } from '../../../../contract/audience/person-texts.ts';

export type PersonField = (typeof PERSON_FIELDS)[number];

/** The kinds of identity keys, as stored (contract/campaigns/leads.ts MATCH_KINDS); lower is stronger. */
export const KIND = { sha256: 1, sha1: 2, md5: 3, visitor: 4, device: 5, phone: 6, ip: 7 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

/** Of the people who share a key, only this many are looked at. */
export const MOST_PEOPLE = 20;

/**
 * The most keys that sources may give one person: of email addresses (three each) and phone numbers, and of devices and
 * IP addresses. Real people have a few dozen. With more, a source gave one id to many people.
 */
export const MOST_CONTACT_KEYS = 400;
export const MOST_PLACE_KEYS = 100;
/** The kinds of keys of which the latter limit is. */
export const PLACE_KINDS = [KIND.device, KIND.ip] as const;

/** The columns of a person that are content: what a lead shows. */
export const CONTENT = ['email', 'phone', 'phone2', ...personTexts] as const;
export type Content = Partial<Record<(typeof CONTENT)[number], string>>;

export type ProfileValues = Partial<Record<ProfileKey, string>>;

/** One identity key of a person; the value is lowercase hex. */
export interface Key {
  kind: Kind;
  value: string;
}

/** A person as stated by a source. `ref` (hex of a SHA-256) makes two rows the same person. */
export interface Person {
  ref: string;
  content: Content;
  keys: Key[];
  /** What else the source says; undefined if nothing. */
  profile?: ProfileValues | undefined;
  /** What is not used of the row; undefined if nothing. */
  left?: Left[];
}

/** Why a row is not imported. */
export interface Fault {
  field: string | null;
  reason: string;
  value: string | null;
}

/** Values of one field that were left out of an otherwise imported row; `value` is the first of them. */
export interface Left extends Fault {
  count: number;
}

/** What is reported about a line of a file: `place` 0 means it was not imported, others which values were left out. */
export interface LineFault extends Fault {
  line: number;
  place: number;
}
