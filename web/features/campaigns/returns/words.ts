import type {
  Proof,
  QualityGroup,
  ReturnReason,
  ReturnState,
} from '../../../../contract/campaigns/return-rules.ts';
import type { Client } from '../../../../contract/index.ts';
import { REASON_WORDS } from '../../../../contract/money/credits.ts';
import type { Tone } from '../../../ui/StatusBadge.tsx';

export type Return = Awaited<ReturnType<Client['returns']['list']>>['data'][number];
export type Quality = Awaited<ReturnType<Client['returns']['quality']>>;

/** The tabs of the desk, and what a client calls the same. */
export const STATE_WORDS: Record<ReturnState, string> = {
  open: 'Open',
  approved: 'Approved',
  declined: 'Declined',
};
export const CLIENT_WORDS: Record<ReturnState, string> = {
  open: 'Waiting for a decision',
  approved: 'Credited',
  declined: 'Declined',
};
export const STATE_TONES: Record<ReturnState, Tone> = { open: 'info', approved: 'good', declined: 'plain' };

export const GROUP_WORDS: Record<QualityGroup, string> = {
  campaign: 'Campaign',
  client: 'Client',
  match: 'Matched by',
  agency: 'Agency',
  supplier: 'Supplier',
};

/** What is known about a lead, in a few words: that it proves the reason, or how many facts there are. */
export function proofWords({
  is_proven,
  proofs,
  reason,
}: {
  is_proven: boolean | null;
  proofs: readonly Proof[];
  reason: ReturnReason;
}): string {
  if (is_proven) return 'Proven';
  if (proofs.length === 0) return 'Nothing known';
  const other = proofs.find(({ proves }) => proves !== null && proves !== reason);
  if (other?.proves) return `Proves another reason: ${REASON_WORDS[other.proves].toLowerCase()}`;
  return proofs.length === 1 ? '1 fact' : `${proofs.length} facts`;
}

/** 'Unnamed person' for whom nothing is known, as in lists of leads. */
export const leadWords = ({ lead_name }: { lead_name: string | null }): string =>
  lead_name ?? 'Unnamed person';

/** What was left out, once for each reason. */
export function skippedWords(skipped: readonly { message: string }[]): string {
  const counts = Map.groupBy(skipped, ({ message }) => message);
  return [...counts].map(([message, all]) => `${all.length} left out. ${message}`).join(' ');
}
