import type { Tx } from './db/scope.ts';

/** A sale that is about to be written on an invoice or a receipt. */
export interface TaxedSale {
  rootId: string;
  payerId: string;
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
  taxOf(tx: Tx, sale: TaxedSale & { issuerId: string }): Promise<Tax>;
}
