import type { InformationKey } from '../../contract/audience/enrichment-fields.ts';

/** What a vendor is given about a person. */
export type Who = Record<
  'email' | 'phone' | 'first_name' | 'last_name' | 'address' | 'city' | 'state' | 'zip',
  string | null
>;

/** `busy`: it may respond later; `refused`: it will not. `why` is for the root to read, without any personal data. */
export type VendorAnswer =
  | { kind: 'found'; values: Partial<Record<InformationKey, string>> }
  | { kind: 'none' }
  | { kind: 'busy'; why: string; againMs: number }
  | { kind: 'refused'; why: string };

/** A vendor of data about people. */
export interface DataVendor {
  /** The fields that it may be able to provide. */
  knows: ReadonlySet<InformationKey>;
  /** Requests data about a person, once. Never throws because of the vendor. */
  enrich(apiKey: string, who: Who, wanted: readonly InformationKey[]): Promise<VendorAnswer>;
}
