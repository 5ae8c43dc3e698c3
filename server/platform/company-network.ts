/** The company whose network an address belongs to. */
export interface Network {
  name: string;
  /** Of the company's site; the same for all of its networks. */
  domain: string;
  /** ISO 3166-1, where it is known. */
  country: string | null;
  /** Who says so, as screens show it. */
  source: string;
}

/** Whose network an address is. */
export interface CompanyNetworks {
  /**
   * Asks about addresses, outside of any transaction. Those that are no company's, or that could not be asked about, are
   * null. Never throws because of who answers.
   */
  lookUp(addresses: readonly string[]): Promise<Map<string, Network | null>>;
}
