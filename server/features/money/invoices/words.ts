/**
 * The messages for invoice responses. They are here and not in the contract, so that browsers don't load them before
 * they need them.
 */
export const words = {
  invoiceCredited: 'The credit note was issued.',
  invoiceGivenUp: 'The invoice was written off.',
  invoiceOfOthers: 'Only the company that issued this invoice can do this.',
  invoiceNotOpen: 'Nothing is due on this invoice anymore.',
  unforeseen: 'Something went wrong on our side.',
  receiptCredit: 'This is a receipt for a top-up. Refund the campaign balance instead.',
  givenBack: 'Refunded to the card',
  notGivenBack: 'The card could not be refunded, so the amount was returned to the balance',
  disputed: 'The cardholder disputed the payment',
  disputeWon: 'The dispute was closed in your favor, so the amount was returned to the balance',
  creditNotByCard:
    'This invoice was not paid by card here, so there is no card to refund. Settle it with your client directly.',
};
