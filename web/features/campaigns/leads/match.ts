import { num } from '../../../ui/format.ts';

const words: Record<string, string> = {
  email_sha256: 'Email address (SHA-256)',
  email_sha1: 'Email address (SHA-1)',
  email_md5: 'Email address (MD5)',
  visitor: 'Known visitor',
  device: 'Device ID',
  phone: 'Phone number',
  ip: 'IP address',
  intent: 'Intent signals',
  company: 'Company’s network',
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
  company: 'Company',
};

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

/** Returns the name of a lead: the person's or the best known substitute, or that of a company without a person. */
export function nameOf(lead: {
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  company?: string | null;
}): string {
  const person = [lead.first_name, lead.last_name].filter(Boolean).join(' ') || lead.email;
  return person || lead.company || 'Unnamed person';
}

/** A name as it stands within a sentence; 'IP address' stays as it is. */
export function lowerFirst(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
