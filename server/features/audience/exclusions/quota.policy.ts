import type { Level } from './policy.ts';

/**
 * How many entries there may be: in a root's whole system, in an agency with all its clients, and in a client with its
 * campaigns; and in any of them that has not completed its setup. An entry takes twenty times the space of its line in
 * the file. Tests lower these.
 */
export const MOST_ENTRIES = { root: 100_000_000, agency: 5_000_000, client: 1_000_000, newcomer: 10_000 };

/** How many entries there are, or will be, in a company, its agency with all its clients, and the root's system. */
export interface Entries {
  company: bigint;
  agency: bigint;
  root: bigint;
}

const of = (most: number, whose: string): string =>
  `would exceed the limit of ${most.toLocaleString('en-US')} entries ${whose}`;

/** The most entries that the owner of a list may have, with those that have to be counted: its clients' or its own. */
export function mostEntries(level: Level, isNewcomer: boolean): number {
  if (level === 'root') return MOST_ENTRIES.root;
  if (isNewcomer) return MOST_ENTRIES.newcomer;
  return level === 'agency' ? MOST_ENTRIES.agency : MOST_ENTRIES.client;
}

/** Which limit a number of entries exceeds, in words that follow the field's name; null if none. */
export function excess(level: Level, most: number, { company, agency, root }: Entries): string | null {
  const own = level === 'root' ? root : level === 'agency' ? agency : company;
  if (own > most)
    return most === MOST_ENTRIES.newcomer
      ? `${of(most, 'until setup is complete')}. Complete the setup, or purge lists first`
      : level === 'root'
        ? `${of(most, 'per system')}. Purge lists first`
        : `${of(most, level === 'agency' ? 'per agency with its clients' : 'per client')}. Purge lists first`;
  if (level !== 'root' && agency > MOST_ENTRIES.agency)
    return `${of(MOST_ENTRIES.agency, 'per agency with its clients')}. Purge lists first`;
  return root > MOST_ENTRIES.root ? `${of(MOST_ENTRIES.root, 'per system')}. Purge lists first` : null;
}

/**
 * How many known customers a client may have: enough for its own, too few to look through bought lists for visitors who
 * are not charged for (docs/security.md).
 */
export const MOST_CUSTOMERS = 50_000;
export const TOO_MANY_CUSTOMERS = `would exceed the limit of ${MOST_CUSTOMERS.toLocaleString('en-US')} known customers per client. Remove lists first`;
