/** Texts of prepaid balances that the server answers with: apart from the others, which every page loads. */
export const prepaidMessages = {
  term: 'Only campaigns with the payment term Prepaid or One Time are paid in advance.',
  manual: 'Your agency bills this campaign outside of this system, so no card is charged for it here.',
  archived: 'The campaign is archived. Bring it back before you buy leads for it.',
  free: 'Leads of this campaign cost nothing, so there is nothing to buy.',
  count: 'Say how many leads to buy.',
  once: 'The leads of this campaign have been bought. With the payment term One Time they are bought once.',
  price: (amount: string) =>
    `The price has changed in the meantime: it is ${amount} now. Look at the new amount before you pay.`,
  tooMuch: 'must not raise the balance above $1,000,000,000',
  bought: (amount: string) => `The balance has been topped up by ${amount}.`,
  unknown:
    'The card provider has not answered yet. The balance follows as soon as the payment is known; nothing is charged twice.',
  authenticate: 'The bank wants the payment to be confirmed. Nothing has been charged yet.',
  authenticateClient:
    'The bank wants the holder of the card to confirm the payment, which only the client can do. Nothing has been charged.',
  continual: 'The continual top-up is on.',
  notContinual: 'The continual top-up is stopped.',
  pastLimit: (amount: string, most: string, of: string, period: string) =>
    `Another ${amount} would pass the spending limit of ${most} a ${period} for the ${of}.`,
  spent: 'This much is not left of the balance any more.',
  nothing: 'Nothing of the balance was bought by card, so nothing can be given back to one.',
  refundable: (amount: string) =>
    `is more than can be given back: ${amount} of the balance is unused and was bought by card`,
  refunded: (amount: string) => `${amount} goes back to the card.`,
  refundPending: (amount: string) =>
    `The refund of ${amount} has been asked for. The card provider has yet to confirm it.`,
  removal: (amount: string) =>
    `${amount} of the balance was bought by card and can be given back. Give it back or let it be used, then remove the campaign.`,
  refundPart: (done: string) =>
    `Not all of it could be given back: ${done} goes back to the card. The rest stays in the balance.`,
} as const;
