/** What answers say of invoices. Here and not in the contract, so that no browser loads them before it needs them. */
export const words = {
  invoiceCredited: 'The credit note was issued.',
  invoiceGivenUp: 'The invoice was given up.',
  invoiceOfOthers: 'Only the company that issued this invoice can do that.',
  invoiceNotOpen: 'Nothing is due of this invoice any more.',
  receiptCredit: 'This is the receipt of a top-up. Refund the balance of its campaign instead.',
  givenBack: 'Given back to the card',
  notGivenBack: 'Could not be given back to the card, so it is on the balance again',
  creditNotByCard:
    'This invoice was not paid by a card here, so nothing can be given back to one. Settle it with your client directly.',
};
