import type { PrivacyRequest } from '../../../../contract/audience/privacy.ts';
import type { PrivacyState, Step, Urgency } from '../../../../contract/audience/privacy-rules.ts';
import type { Tone } from '../../../ui/StatusBadge.tsx';

export type { PrivacyRequest };

export const STATE_WORDS: Record<PrivacyState, string> = {
  open: 'Open',
  completed: 'Completed',
  refused: 'Refused',
};
export const URGENCY_TONES: Record<Urgency, Tone> = {
  late: 'bad',
  soon: 'warn',
  fine: 'good',
  done: 'plain',
};

const DAY_MS = 86_400_000;

/** How much time is left until a deadline, or since when it has passed. */
export function leftWords(due: string, now: number): string {
  const days = (Date.parse(due) - now) / DAY_MS;
  const whole = Math.floor(Math.abs(days));
  const words = whole === 1 ? '1 day' : `${whole} days`;
  if (days < 0) return whole === 0 ? 'Overdue since today' : `Overdue by ${words}`;
  return whole === 0 ? 'Due today' : `Due in ${words}`;
}

/** What an open request waits for, and how much time is left for it. */
export const waitWords = (
  row: Pick<PrivacyRequest, 'acknowledge_by' | 'due_at'> & { waits_for: Step },
  now: number,
): string =>
  row.waits_for === 'answer'
    ? leftWords(row.due_at, now)
    : `Confirm receipt: ${leftWords(row.acknowledge_by, now).replace(/^./, (first) => first.toLowerCase())}`;

/** What results count, by their key, for people to read. */
export const RESULT_WORDS: Record<string, string> = {
  people: 'Records in the graph',
  leads: 'Leads',
  visits: 'Visits',
  audience_members: 'In audiences of ads',
  vendor_records: 'Records at vendors',
  excluded: 'New entries on the standing list',
  other_people: 'Others with the address, left as they were',
  shared_phones: 'Shared numbers, left out',
};
