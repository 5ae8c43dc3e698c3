import { Refusal } from '../../contract/errors.ts';
import type { Tx } from './db/scope.ts';

/** A sale that is about to be put on an invoice or a receipt. */
export interface TaxedSale {
  rootId: string;
  payerId: string;
  issuerId: string;
  /** The issuer's own account at the card provider, whose tax registrations count; '' for the platform's. */
  account: string;
  /** Whole cents in micro-dollars: without tax, or (`included`) with it. Zero if nothing of the document was sold. */
  amountMicros: bigint;
  /** The amount has already been paid, so its tax is part of it. */
  included: boolean;
}

/** The tax of a sale; an empty name means no tax. */
export interface Tax {
  name: string;
  /** Whole cents in micro-dollars. */
  micros: bigint;
  /** The payer's tax number, to be written on the document; '': none. */
  payerTaxId: string;
  issuerTaxId: string;
}

/**
 * Determines a sale's tax: from our own table of rates, or from a service. Called in the scope of the root, in its
 * transaction.
 */
export interface TaxPort {
  /**
   * The tax of what a document says.
   * @throws AskFirst if a service has to be asked (inScope does it and restarts the transaction)
   */
  taxOf(tx: Tx, sale: TaxedSale & { documentId: string }): Promise<Tax>;
  /**
   * Whether an issuer charges a payer tax at all; true while a service does not say, for what can do without it.
   * @throws AskFirst as taxOf
   */
  isTaxed(tx: Tx, sale: Omit<TaxedSale, 'amountMicros' | 'included'>): Promise<boolean>;
  /**
   * The tax that a sale will probably have, from what is known locally; null if only the service can say. Makes no
   * request.
   */
  estimate(tx: Tx, sale: TaxedSale): Promise<Pick<Tax, 'name' | 'micros'> | null>;
  /** Whether a root's taxes come from a service, so that work that must not wait for it is done later. */
  isAsked(tx: Tx, rootId: string): Promise<boolean>;
  /**
   * Part of a document was credited, so its share of the tax is deducted.
   * @param note.document as it was before
   */
  credited(
    tx: Tx,
    note: {
      document: { id: string; total_micros: bigint; credited_micros: bigint };
      creditNoteId: string;
      amountMicros: bigint;
    },
    at: Date,
  ): Promise<void>;
}

/** Refuses a document whose tax the service could not say. */
export class NoTax extends Refusal {
  /** Why, in words for whoever issues the document. */
  readonly why: string;
  constructor(message: string, why: string) {
    super('unavailable', `${message} ${why}`, { retryAfter: 60 });
    this.why = why;
  }
}

/** What a service is told about a sale. */
export interface TaxQuestion {
  /** The connected account that sells; '': the platform itself. */
  account: string;
  amountCents: number;
  included: boolean;
  address: { line1: string; city: string; zip: string; state: string; country: string };
  /** The payer's tax number as written, or ''. */
  taxId: string;
  isExempt: boolean;
}

/** A service that calculates taxes and keeps records of them. Throws GatewayError; no call moves money. */
export interface TaxService {
  readonly provider: 'stripe';
  /** The tax of a sale that has not happened. Asking again is harmless. */
  calculate(
    question: TaxQuestion & { idempotencyKey: string },
  ): Promise<{ calculation: string; name: string; taxCents: number }>;
  /** Reports that the sale of a calculation has happened. The reference is used once. Returns the record's id. */
  record(given: {
    account: string;
    calculation: string;
    reference: string;
    idempotencyKey: string;
  }): Promise<string>;
  /** Reports that part of a recorded sale (with its tax) was reversed. */
  reverse(given: {
    account: string;
    transaction: string;
    reference: string;
    amountCents: number;
    idempotencyKey: string;
  }): Promise<string>;
}
