// No schema here, so that none is sent to the browser.

export const TRANSFER_STATES = [
  'offered',
  'settling',
  'done',
  'declined',
  'withdrawn',
  'expired',
  'canceled',
] as const;
export type TransferState = (typeof TRANSFER_STATES)[number];

/** Who has to agree, and as whom someone sees a transfer. */
export const TRANSFER_SIDES = ['giving', 'receiving', 'client'] as const;
export type TransferSide = (typeof TRANSFER_SIDES)[number];

/** How long a transfer waits until everyone has agreed. */
export const TRANSFER_DAYS = 14;

/** The steps, in their order. */
export const TRANSFER_STEPS = {
  giving: 'Current agency agrees',
  receiving: 'Receiving agency agrees',
  client: 'Client agrees',
  campaigns: 'Pause campaigns',
  charges: 'Finish charges under way',
  balance: 'Settle the balance',
  invoices: 'Close the last invoice',
  busy: 'Finish what is under way',
  move: 'Move the client',
} as const;
export type TransferStep = keyof typeof TRANSFER_STEPS;
