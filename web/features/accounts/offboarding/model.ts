import type { OffboardingState, StepState } from '../../../../contract/accounts/offboarding-rules.ts';
import type { api } from '../../../api/client.ts';
import type { Tone } from '../../../ui/StatusBadge.tsx';

export type Listed = Awaited<ReturnType<typeof api.offboarding.list>>['data'][number];
export type Checklist = Awaited<ReturnType<typeof api.offboarding.one>>;

export const STATE_WORDS: Record<OffboardingState, string> = {
  running: 'Under way',
  done: 'Done',
  canceled: 'Canceled',
};
export const STATE_TONES: Record<OffboardingState, Tone> = {
  running: 'info',
  done: 'good',
  canceled: 'plain',
};
export const STEP_WORDS: Record<StepState, string> = { done: 'Done', waits: 'To do', you: 'Needs you' };
