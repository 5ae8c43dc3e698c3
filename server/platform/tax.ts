import type { Tx } from './db/scope.ts';

/** A sale that is about to be written on an invoice or a receipt. */
export interface TaxedSale {
  rootId: string;
  payerId: string;
  issuerId: string;
  /** The issuer's own account at the card provider, whose registrations count; '': the platform's. */
  account: string;
  /** Whole cents in micro-dollars: without tax, or (`included`) with it. */
  amountMicros: bigint;
  /** The amount was paid already, so its tax is part of it. */
  included: boolean;
}

/** The tax of a sale; an empty name: none. */
export interface Tax {
  name: string;
  /** Whole cents in micro-dollars. */
  micros: bigint;
  /** The payer's tax number, to be written on the document; '': none. */
  payerTaxId: string;
  issuerTaxId: string;
}

/** Who says what tax a sale has: the own table of rates, or a service. Asked in the scope of the root, in its transaction. */
export interface TaxPort {
  /**
   * The tax of what a document says.
   * @throws AskFirst where a service has to be asked (inScope does it and begins the transaction anew)
   */
  taxOf(tx: Tx, sale: TaxedSale & { documentId: string }): Promise<Tax>;
  /** Whether a payer is charged tax by an issuer at all. @throws AskFirst as taxOf */
  isTaxed(tx: Tx, sale: Omit<TaxedSale, 'amountMicros' | 'included'>): Promise<boolean>;
  /** The tax that a sale will probably have, from what is known here; null: only the service will say. Asks nobody. */
  estimate(tx: Tx, sale: TaxedSale): Promise<Pick<Tax, 'name' | 'micros'> | null>;
  /** Whether a root's taxes come from a service, so that what must not wait for it is done later. */
  isAsked(tx: Tx, rootId: string): Promise<boolean>;
  /** Some of a document was credited: its share of the tax is off. */
  credited(
    tx: Tx,
    note: { documentId: string; creditNoteId: string; amountMicros: bigint },
    at: Date,
  ): Promise<void>;
}

/** What a service is told of a sale. */
export interface TaxQuestion {
  /** The connected account that sells; '': the platform itself. */
  account: string;
  amountCents: number;
  included: boolean;
  address: { line1: string; city: string; zip: string; state: string; country: string };
  /** As the payer's tax number is written, or ''. */
  taxId: string;
  isExempt: boolean;
}

/** A service that calculates taxes and keeps the books of them. Throws GatewayError; nothing of it moves money. */
export interface TaxService {
  readonly provider: 'stripe';
  /** The tax of a sale that has not happened. Asking again is harmless. */
  calculate(
    question: TaxQuestion & { idempotencyKey: string },
  ): Promise<{ calculation: string; name: string; taxCents: number }>;
  /** Tells that the sale of a calculation has happened. The reference is used once. Answers the record's id. */
  record(given: {
    account: string;
    calculation: string;
    reference: string;
    idempotencyKey: string;
  }): Promise<string>;
  /** Tells that some of a recorded sale (with its tax) was taken back. */
  reverse(given: {
    account: string;
    transaction: string;
    reference: string;
    amountCents: number;
    idempotencyKey: string;
  }): Promise<string>;
}
