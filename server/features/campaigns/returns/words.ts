/** Messages about returns that cannot be made or decided. */
export const words = {
  returned: 'This lead was already returned and is waiting for a decision.',
  decided: 'The return of this lead was already decided.',
  closed: 'Your agency does not accept returns. Contact it if something is wrong with this lead.',
  late: (days: number) =>
    `Leads can be returned within ${days === 1 ? 'a day' : `${days} days`} of when they came in.`,
  blocked: {
    testLead: 'Test leads are free, so there is nothing to return.',
    refundedBefore: 'This lead was already refunded.',
    nothingCharged: 'This lead was not charged.',
    removed: 'The campaign of this lead was removed. Ask your agency for credit on another one.',
  },
} as const;
