import type { Client } from '../../../../contract/index.ts';
import { exactTime } from '../../../ui/format.ts';

/** A service that leads can be delivered to. */
export type Vendor = Awaited<ReturnType<Client['connections']['vendors']>>['data'][number];
export type Connection = Awaited<ReturnType<Client['connections']['list']>>['data'][number];
export type Undelivered = Awaited<ReturnType<Client['delivery']['undelivered']>>['data'][number];

/** What a service said, as a sentence after another: some end theirs, others don't. */
function sentence(said: string | null): string {
  const text = said?.trim() ?? '';
  return text && ` ${text}${text.endsWith('.') ? '' : '.'}`;
}

/** Returns a connection's state in a word, and what it means for the leads. */
export function connectionWords(
  connection: Pick<Connection, 'state' | 'state_reason' | 'waiting'> & { ends_at?: string | null },
): {
  word: string;
  tone: 'good' | 'warn' | 'bad';
  line: string;
} {
  const waiting = connection.waiting
    ? ` ${connection.waiting.toLocaleString('en-US')} ${connection.waiting === 1 ? 'lead is' : 'leads are'} waiting.`
    : '';
  switch (connection.state) {
    case 'connected':
      return { word: 'Connected', tone: 'good', line: '' };
    case 'expiring':
      return {
        word: 'Expiring',
        tone: 'warn',
        line: `The sign-in expires${connection.ends_at ? ` on ${exactTime(connection.ends_at)}` : ' soon'}. Sign in again before then so that no leads have to wait.`,
      };
    case 'paused':
      return {
        word: 'Paused',
        tone: 'warn',
        line: `New leads wait here and are delivered when you resume.${waiting}`,
      };
    case 'broken':
      return {
        word: 'Reconnect',
        tone: 'bad',
        line: `The service no longer accepts these credentials.${sentence(connection.state_reason)}${waiting}`,
      };
  }
}

/** Returns the vendors that match the words a person typed and the category they chose. */
export function found(vendors: readonly Vendor[], words: string, category: string | null): Vendor[] {
  const wanted = words.trim().toLowerCase();
  return vendors.filter(
    (vendor) =>
      (!category || vendor.category === category) &&
      (!wanted || `${vendor.name} ${vendor.summary} ${vendor.category}`.toLowerCase().includes(wanted)),
  );
}

/** The letters on a vendor's tile: 'HubSpot' → 'HS', 'Slack' → 'Sl'. */
export function initials(name: string): string {
  const capitals = name.replace(/[^A-Z0-9]/g, '');
  return capitals.length > 1 ? capitals.slice(0, 2) : name.slice(0, 2);
}
