import type { Client } from '../../../../contract/index.ts';
import { num } from '../../../ui/format.ts';

type MatchType = Awaited<ReturnType<Client['leads']['list']>>['data'][number]['match_type'];

const words: Record<string, string> = {
  email_sha256: 'Email address (SHA-256)',
  email_sha1: 'Email address (SHA-1)',
  email_md5: 'Email address (MD5)',
  visitor: 'Known visitor',
  device: 'Device ID',
  phone: 'Phone number',
  ip: 'IP address',
  intent: 'Intent signals',
};

const short: Record<string, string> = {
  email_sha256: 'Email',
  email_sha1: 'Email',
  email_md5: 'Email',
  visitor: 'Visitor',
  device: 'Device',
  phone: 'Phone',
  ip: 'IP address',
  intent: 'Intent',
};

/** A kind of match from the address; undefined if it is none. */
export const matchOf = (text: string | undefined): MatchType | undefined =>
  text !== undefined && text in words ? (text as MatchType) : undefined;

/** The same in a word or two, for tables. */
export function matchWord(type: string): string {
  return short[type] ?? type;
}

/** Describes in plain words how a visitor was recognized. */
export function matchWords(type: string): string {
  return words[type] ?? type;
}

/** Describes what it means for the match that '18,000 people' share an IP address. */
export function shareWords(people: number): string {
  return people <= 1 ? 'points to only one person' : `shared by ${num(people)} people`;
}

/** Returns a person's name, or the best known substitute. */
export function nameOf(lead: {
  first_name: string | null;
  last_name: string | null;
  email: string | null;
}): string {
  return [lead.first_name, lead.last_name].filter(Boolean).join(' ') || lead.email || 'Unnamed person';
}
