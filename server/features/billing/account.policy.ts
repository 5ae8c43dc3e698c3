import type { Account, SandboxStep } from '../payments/index.ts';

/** How a sales person's sandbox account stands after each step; it has no form of its own. */
export const SALES_STEP: Record<SandboxStep, Account['status']> = {
  start: 'pending',
  submit: 'inverification',
  approve: 'completed',
  reject: 'failed',
  disable: 'completed',
  reset: '',
};
