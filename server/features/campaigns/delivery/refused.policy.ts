import type { Lead, Request, Result, Vendor } from '../../../integrations/index.ts';

const SUBJECT = /e-?mail|mailbox|recipient/i;
const FAULT =
  /invalid|not valid|not a valid|malformed|syntax|does(?: not|n't) exist|undeliverable|bounce|unknown user|no such/i;
const ADDRESS = /[^\s"'<>@,;:()]{1,64}@[^\s"'<>@,;:()]{1,255}/g;
/** What a client chose and is shorter is not looked for in an answer. */
const SHORTEST = 3;

/** Whether words say that an email address does not work; the addresses in them do not count as words. */
export function saysAddressFails(words: string): boolean {
  const bare = words.replace(ADDRESS, ' ');
  return SUBJECT.test(bare) && FAULT.test(bare);
}

/**
 * Whether a service's answer proves that a lead's email address does not work, so that its client can get money back for
 * it. It does only if the service judges addresses and its client could not have brought the answer about: the lead's own
 * address was sent, every other value was the lead's own in the vendor's own place for it, and the answer does not take
 * its words from a setting. Fields of the client's own are checked by rules that the client wrote.
 */
export function provesBadAddress(
  vendor: Pick<Vendor, 'fields' | 'judgesEmail'>,
  { fields, settings }: Pick<Request, 'fields' | 'settings'>,
  lead: Lead,
  { result, isShared = false }: { result: Result; isShared?: boolean },
): boolean {
  if (vendor.judgesEmail === null || result.kind !== 'final' || isShared) return false;
  if (!lead.email || fields[vendor.judgesEmail] !== lead.email) return false;
  const sources = new Map(vendor.fields.map(({ key, from }) => [key, from]));
  const isOwn = ([key, value]: [string, string]): boolean => {
    const from = sources.get(key);
    return from !== undefined && lead[from] === value;
  };
  if (!Object.entries(fields).every(isOwn)) return false;
  const chosen = Object.values(settings).filter((value) => value.length >= SHORTEST);
  return saysAddressFails(chosen.reduce((rest, value) => rest.replaceAll(value, ' '), result.why));
}
