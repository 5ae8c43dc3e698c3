/** Where an account at the card provider stands. */
export interface AccountState {
  status: '' | 'pending' | 'inverification' | 'completed' | 'failed';
  charges_enabled: boolean;
  payouts_enabled: boolean;
  requirements: string[];
}

export type SandboxStep = 'start' | 'submit' | 'approve' | 'reject' | 'disable' | 'reset';

/** What the sandbox says of an account after each step, as a real provider would. */
export const SANDBOX_ACCOUNT: Record<SandboxStep, AccountState> = {
  start: {
    status: 'pending',
    charges_enabled: false,
    payouts_enabled: false,
    requirements: ['business_profile', 'external_account'],
  },
  submit: { status: 'inverification', charges_enabled: false, payouts_enabled: false, requirements: [] },
  approve: { status: 'completed', charges_enabled: true, payouts_enabled: true, requirements: [] },
  reject: {
    status: 'failed',
    charges_enabled: false,
    payouts_enabled: false,
    requirements: ['identity_document'],
  },
  disable: {
    status: 'completed',
    charges_enabled: false,
    payouts_enabled: false,
    requirements: ['external_account'],
  },
  reset: { status: '', charges_enabled: false, payouts_enabled: false, requirements: [] },
};

/** The sandbox's cards, known by the last digits: one that is never charged, and one that every charge declines. */
export const SANDBOX_CARD = { works: '4242', declines: '0002' } as const;

/** The package that an agency begins with, until it can choose another. */
export const FIRST_PACKAGE = 'standard';
