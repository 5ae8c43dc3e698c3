import type { Lead, Vendor } from './port.ts';

/**
 * What fills each target field of a destination: a lead's field by its key, `text:…` for the same text every time, or
 * empty for nothing. Target fields that are not in it keep the vendor's default.
 */
export type Mapping = Readonly<Record<string, string>>;

export const TEXT_PREFIX = 'text:';

/** Returns the target fields with their values for one lead; empty values are left out. */
export function fieldsOf(vendor: Vendor, mapping: Mapping, lead: Lead): Record<string, string> {
  const sources = new Map<string, string>();
  for (const field of vendor.fields) if (field.from) sources.set(field.key, field.from);
  for (const [key, source] of Object.entries(mapping)) sources.set(key, source);
  const values: Record<string, string> = {};
  for (const [key, source] of sources) {
    const value = source.startsWith(TEXT_PREFIX) ? source.slice(TEXT_PREFIX.length) : lead[source];
    if (value) values[key] = value;
  }
  return values;
}

/** The labels of required target fields that have no value. */
export const missingFields = (vendor: Vendor, values: Readonly<Record<string, string>>): string[] =>
  vendor.fields.filter((field) => field.isRequired && !values[field.key]).map((field) => field.label);
