// No schema here, so that none is sent to the browser.

export const OFFBOARDING_STATES = ['running', 'done', 'canceled'] as const;
export type OffboardingState = (typeof OFFBOARDING_STATES)[number];

/** The steps, in their order. */
export const OFFBOARDING_STEPS = {
  campaigns: 'Stop campaigns',
  charges: 'Finish charges under way',
  deliveries: 'Finish deliveries',
  balance: 'Settle the balance',
  invoices: 'Close the last invoice',
  connections: 'Disconnect integrations',
  export: 'Hand over the data',
  deletion: 'Deletion date',
  users: 'Sign users out',
} as const;
export type OffboardingStep = keyof typeof OFFBOARDING_STEPS;

/** 'you': only a person can do it; 'waits': it is done by itself, or once the steps before it are done. */
export const STEP_STATES = ['done', 'waits', 'you'] as const;
export type StepState = (typeof STEP_STATES)[number];
