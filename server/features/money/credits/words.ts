/** The feature's refusal messages. */
export const words = {
  testLead: 'Test leads are free, so there is nothing to refund.',
  refundedBefore: 'This lead was already refunded.',
  nothingCharged: 'This lead was not charged.',
  removed: "The lead's campaign was removed. Grant the client credit on another campaign instead.",
  manual: 'You bill your clients outside this system, so issue their credit there too.',
} as const;
