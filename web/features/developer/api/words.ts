import type { Client } from '../../../../contract/index.ts';
import type { Tone } from '../../../ui/StatusBadge.tsx';

export type Key = Awaited<ReturnType<Client['developer']['keys']>>['data'][number];

export type Hook = Awaited<ReturnType<Client['developer']['hooks']>>['data'][number];

const STATES: Record<Key['state'], { word: string; tone: Tone; why: string }> = {
  active: { word: 'Active', tone: 'good', why: '' },
  disabled: { word: 'Disabled', tone: 'bad', why: 'Requests with it are refused.' },
  expired: { word: 'Expired', tone: 'warn', why: 'Create a new key.' },
  orphaned: {
    word: 'Stopped',
    tone: 'bad',
    why: 'Its creator has left or lost permission. Rotate it to take it over.',
  },
  off: { word: 'Stopped', tone: 'warn', why: 'Accept the developer agreement to use it again.' },
  unpaid: {
    word: 'Stopped',
    tone: 'bad',
    why: 'A payment failed. The key works again when the balance due is paid.',
  },
};

/** Returns a key's status: a word, its color, and what it means; '': nothing more to say. */
export const standing = (state: Key['state']) => STATES[state];

/** 'App at example.com', or 'App on this computer': where an app that was given access lives. */
export const appWords = (place: string): string =>
  place === 'this computer' ? 'App on this computer' : `App at ${place}`;

/** 'Never', or 'In 90 days'. */
export const expiryWords = (days: number | null): string => (days === null ? 'Never' : `In ${days} days`);

const OVERLAP_WORDS: Record<number, string> = {
  0: 'Stop it immediately',
  60: 'Keep it for 1 hour',
  1440: 'Keep it for 1 day',
  10080: 'Keep it for 7 days',
};
/** Describes what happens to the previous secret. */
export const overlapWords = (minutes: number): string => OVERLAP_WORDS[minutes]!;
