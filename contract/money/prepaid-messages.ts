/** Messages about prepaid balances that the server returns. Separate from the others, which every page loads. */
export const prepaidMessages = {
  term: 'Only campaigns with the Prepaid or One Time payment term are paid in advance.',
  manual: 'Your agency bills this campaign outside this system, so no card is charged for it here.',
  archived: 'The campaign is archived. Restore it before you buy leads for it.',
  free: 'Leads for this campaign are free, so there is nothing to buy.',
  count: 'Enter the number of leads to buy.',
  once: 'The leads for this campaign were already bought. With the One Time payment term, leads are bought only once.',
  price: (amount: string) =>
    `The price changed in the meantime and is now ${amount}. Review the new amount before you pay.`,
  tooMuch: 'must not raise the balance above $1,000,000,000',
  bought: (amount: string) => `Balance topped up by ${amount}.`,
  unknown:
    'The card provider has not responded yet. The balance updates once the payment result is known. The card will not be charged twice.',
  authenticate: 'The bank requires you to confirm the payment. Nothing has been charged yet.',
  authenticateClient:
    'The bank requires the cardholder to confirm the payment, which only the client can do. Nothing has been charged.',
  continual: 'Automatic top-up is on.',
  notContinual: 'Automatic top-up stopped.',
  gaveBack: 'A purchase for this campaign was refunded or disputed, so nothing is charged automatically.',
  pastLimit: (amount: string, most: string, of: string, period: string) =>
    `Another ${amount} would exceed the spending limit of ${most} per ${period} for the ${of}.`,
  spent: 'The balance no longer has this much left.',
  owed: 'Spent balance whose purchase went back to the card (tax is on its receipt)',
  nothing: 'None of the balance was bought by card, so there is nothing to refund to a card.',
  refundable: (amount: string) =>
    `exceeds what can be refunded: ${amount} of the balance is unused and was bought by card`,
  kept: (amount: string) =>
    `${amount} is kept until the ads of the last days are billed, which takes up to three days after they stop. Try again then.`,
  refunded: (amount: string) => `${amount} was refunded to the card.`,
  refundPending: (amount: string) =>
    `A refund of ${amount} was requested. The card provider has not confirmed it yet.`,
  removal: (amount: string) =>
    `${amount} of the balance was bought by card and can be refunded. Refund it or let it be used, then remove the campaign.`,
  refundPart: (done: string) =>
    `Only part of it could be refunded. ${done} goes back to the card. The rest stays in the balance.`,
} as const;
