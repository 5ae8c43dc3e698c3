/** How a test card behaves. If nothing is set, it is saved, charged and answered immediately. */
export interface CardBehavior {
  /** Declined with this code when it is entered. */
  save?: DeclineCode;
  /** Its holder must authenticate when entering it. */
  challenge?: true;
  /** Each charge is declined with this code. */
  decline?: DeclineCode;
  /** Only the first charge is declined, with this code. */
  declineOnce?: DeclineCode;
  /** Charges go through, but the answer comes after the caller has given up, or never. */
  answer?: 'late' | 'lost';
  /** Notices arrive twice, or the older one after the newer one. */
  notices?: 'twice' | 'reordered';
  /** Charges are disputed after a while. */
  dispute?: 'fraudulent';
  /** Refunds take a while, or end up failing. */
  refund?: 'pending' | 'fails';
}

export interface SandboxCard {
  number: string;
  /** Short text for the screen. */
  name: string;
  behavior: CardBehavior;
}

/** What the holder is told, in the networks' words. Declines for stolen cards look like any other decline. */
export const declineMessages = {
  generic_decline: 'Your card was declined.',
  insufficient_funds: 'Your card has insufficient funds.',
  lost_card: 'Your card was declined.',
  stolen_card: 'Your card was declined.',
  expired_card: 'Your card has expired.',
  incorrect_cvc: "Your card's security code is incorrect.",
  processing_error: 'An error occurred while processing your card. Try again in a little bit.',
  authentication_required: 'Your card was declined. This transaction requires authentication.',
  authentication_failed: 'We are unable to authenticate your card. Choose another card and try again.',
  canceled: 'The charge was canceled.',
} as const;
export type DeclineCode = keyof typeof declineMessages;

/**
 * Every card the sandbox accepts. Numbers below 4000 0000 09 are Stripe's own test numbers with Stripe's behavior; the
 * others are ours, for cases Stripe has no number for. Real numbers are refused.
 */
export const SANDBOX_CARDS: readonly SandboxCard[] = [
  { number: '4242424242424242', name: 'Visa, succeeds', behavior: {} },
  { number: '5555555555554444', name: 'Mastercard, succeeds', behavior: {} },
  { number: '378282246310005', name: 'American Express, succeeds', behavior: {} },
  { number: '4000000000000002', name: 'Declined when entered', behavior: { save: 'generic_decline' } },
  {
    number: '4000000000009995',
    name: 'Declined when entered: insufficient funds',
    behavior: { save: 'insufficient_funds' },
  },
  { number: '4000000000009987', name: 'Declined when entered: lost card', behavior: { save: 'lost_card' } },
  {
    number: '4000000000009979',
    name: 'Declined when entered: stolen card',
    behavior: { save: 'stolen_card' },
  },
  {
    number: '4000000000000069',
    name: 'Declined when entered: expired card',
    behavior: { save: 'expired_card' },
  },
  {
    number: '4000000000000127',
    name: 'Declined when entered: incorrect security code',
    behavior: { save: 'incorrect_cvc' },
  },
  {
    number: '4000000000000119',
    name: 'Declined when entered: processing error',
    behavior: { save: 'processing_error' },
  },
  {
    number: '4000000000000341',
    name: 'Saved, then declined when charged',
    behavior: { decline: 'generic_decline' },
  },
  {
    number: '4000008260003178',
    name: 'Authenticated when entered, then insufficient funds',
    behavior: { challenge: true, decline: 'insufficient_funds' },
  },
  {
    number: '4000002500003155',
    name: 'Authenticated when entered, then succeeds',
    behavior: { challenge: true },
  },
  {
    number: '4000002760003184',
    name: 'Authentication required for every charge',
    behavior: { challenge: true, decline: 'authentication_required' },
  },
  { number: '4000003800000446', name: 'Already authenticated, succeeds', behavior: {} },
  { number: '4000000000000259', name: 'Succeeds, then disputed', behavior: { dispute: 'fraudulent' } },
  { number: '4000000000007726', name: 'Succeeds, refunds take an hour', behavior: { refund: 'pending' } },
  { number: '4000000000005126', name: 'Succeeds, refunds eventually fail', behavior: { refund: 'fails' } },
  {
    number: '4000000009000011',
    name: 'First charge declined, then succeeds',
    behavior: { declineOnce: 'insufficient_funds' },
  },
  { number: '4000000009000029', name: 'Charged, response arrives too late', behavior: { answer: 'late' } },
  { number: '4000000009000037', name: 'Charged, response is lost', behavior: { answer: 'lost' } },
  { number: '4000000009000045', name: 'Succeeds, each notice arrives twice', behavior: { notices: 'twice' } },
  {
    number: '4000000009000052',
    name: 'Succeeds, notices arrive out of order',
    behavior: { notices: 'reordered' },
  },
  {
    number: '4000000009000060',
    name: 'Saved, then expired when charged',
    behavior: { decline: 'expired_card' },
  },
  {
    number: '4000000009000078',
    name: 'Saved, then processing errors',
    behavior: { decline: 'processing_error' },
  },
];

/** What a user enters into the card form. Exists only while it is being read. */
export interface CardEntry {
  number: string;
  expMonth: number;
  expYear: number;
  cvc: string;
}

export type EntryCode =
  | 'incorrect_number'
  | 'not_a_test_card'
  | 'invalid_expiry_month'
  | 'invalid_expiry_year'
  | 'invalid_cvc';

/**
 * Returns what is wrong with an entry, or the card it identifies. Years may have two or four digits. `not_a_test_card`
 * may be a real card: it is neither stored nor examined further.
 */
export function readEntry(
  entry: CardEntry,
  now: Date,
):
  | { error: EntryCode; message: string }
  | { card: SandboxCard; brand: string; last4: string; expYear: number } {
  const number = entry.number.replace(/[\s-]/g, '');
  if (!/^\d{12,19}$/.test(number) || !passesLuhn(number))
    return { error: 'incorrect_number', message: 'Your card number is incorrect.' };
  const card = SANDBOX_CARDS.find((known) => known.number === number);
  if (!card) return { error: 'not_a_test_card', message: 'This is a test form. Use one of the test cards.' };
  const expYear = entry.expYear < 100 ? 2000 + entry.expYear : entry.expYear;
  if (!Number.isInteger(entry.expMonth) || entry.expMonth < 1 || entry.expMonth > 12)
    return { error: 'invalid_expiry_month', message: "Your card's expiration month is invalid." };
  if (
    !Number.isInteger(expYear) ||
    expYear > now.getUTCFullYear() + 50 ||
    isExpired(entry.expMonth, expYear, now)
  )
    return { error: 'invalid_expiry_year', message: "Your card's expiration year is invalid." };
  const brand = brandOf(number);
  if (!(brand === 'amex' ? /^\d{3,4}$/ : /^\d{3}$/).test(entry.cvc))
    return { error: 'invalid_cvc', message: "Your card's security code is invalid." };
  return { card, brand, last4: number.slice(-4), expYear };
}

/** A card is valid until the end of its month. */
export function isExpired(month: number, year: number, now: Date): boolean {
  return now.getTime() >= Date.UTC(year, month, 1);
}

export function passesLuhn(number: string): boolean {
  let sum = 0;
  for (let at = 0; at < number.length; at++) {
    const digit = Number(number[number.length - 1 - at]);
    sum += at % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
}

function brandOf(number: string): string {
  if (/^3[47]/.test(number)) return 'amex';
  return /^5[1-5]/.test(number) ? 'mastercard' : 'visa';
}
