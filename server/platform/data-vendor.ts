import type { InformationKey } from '../../contract/enrichment-fields.ts';

/** What a vendor is told of somebody. */
export type Who = Record<
  'email' | 'phone' | 'first_name' | 'last_name' | 'address' | 'city' | 'state' | 'zip',
  string | null
>;

/** `busy`: it may answer later; `refused`: it will not. `why` is for the root to read, without anything personal. */
export type VendorAnswer =
  | { kind: 'found'; values: Partial<Record<InformationKey, string>> }
  | { kind: 'none' }
  | { kind: 'busy'; why: string; againMs: number }
  | { kind: 'refused'; why: string };

/** A vendor of data about people. */
export interface DataVendor {
  /** The fields that it may know. */
  knows: ReadonlySet<InformationKey>;
  /** Asks for somebody, once. Throws nothing that the vendor does. */
  enrich(apiKey: string, who: Who, wanted: readonly InformationKey[]): Promise<VendorAnswer>;
}
