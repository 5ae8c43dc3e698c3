/** Texts that the feature refuses with. */
export const words = {
  testLead: 'A test lead costs nothing, so there is nothing to refund.',
  refundedBefore: 'This lead is already refunded.',
  nothingCharged: 'Nothing was charged for this lead.',
  removed: "The lead's campaign was removed. Grant the client credit on another campaign instead.",
  manual: 'You bill your clients outside of this system, so their credit is outside of it, too.',
} as const;
