import type { StepState } from '../../../../contract/accounts/offboarding-rules.ts';
import type { TransferSide, TransferState } from '../../../../contract/accounts/transfer-rules.ts';
import type { api } from '../../../api/client.ts';
import type { Tone } from '../../../ui/StatusBadge.tsx';

export type Listed = Awaited<ReturnType<typeof api.clientTransfers.list>>['data'][number];
export type Transfer = Awaited<ReturnType<typeof api.clientTransfers.one>>;

export const STATE_WORDS: Record<TransferState, string> = {
  offered: 'Waiting for consent',
  settling: 'Being settled',
  done: 'Done',
  declined: 'Declined',
  withdrawn: 'Withdrawn',
  expired: 'Expired',
  canceled: 'Canceled',
};
export const STATE_TONES: Record<TransferState, Tone> = {
  offered: 'warn',
  settling: 'info',
  done: 'good',
  declined: 'plain',
  withdrawn: 'plain',
  expired: 'plain',
  canceled: 'plain',
};
export const STEP_WORDS: Record<StepState, string> = { done: 'Done', waits: 'To do', you: 'Open' };

const SIDES: Record<TransferSide, string> = {
  giving: 'the current agency',
  receiving: 'the receiving agency',
  client: 'the client',
};

/** Who has not agreed yet, as one side reads it. */
export const waitingWords = ({ waits_for, side }: Pick<Listed, 'waits_for' | 'side'>): string =>
  waits_for.map((one) => (one === side ? 'you' : SIDES[one])).join(', ');

/** Where it goes, as far as the reader may know. */
export const destination = ({ to_name, to_email }: Pick<Listed, 'to_name' | 'to_email'>): string =>
  to_name || to_email || 'Another agency';

/** What ending it is called for a side. */
export const endWords = ({
  state,
  side,
  started_by,
}: Pick<Listed, 'state' | 'side' | 'started_by'>): string =>
  state === 'settling' ? 'Cancel transfer' : side === started_by ? 'Withdraw' : 'Decline';
