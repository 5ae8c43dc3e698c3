// No schema here, because screens also calculate with it.

/** The data fields that a campaign requests, by id (contract/audience/enrichment-fields.ts). */
export interface Asked {
  advance_information: readonly number[];
  b2b_information: readonly number[];
}

/**
 * Which price applies to a campaign's leads: lead_price_b2b with company data, otherwise lead_price_advanced with personal
 * data, otherwise lead_price. The database has the same rule (function lead_price).
 */
export const priceField = (asked: Asked): 'lead_price' | 'lead_price_advanced' | 'lead_price_b2b' =>
  asked.b2b_information.length > 0
    ? 'lead_price_b2b'
    : asked.advance_information.length > 0
      ? 'lead_price_advanced'
      : 'lead_price';

/** The cost of a lead, from the amounts that are set: the plain price where none is set for the requested data. */
export function priceOf<T extends string | bigint>(
  costs: Record<'lead_price' | 'lead_price_advanced' | 'lead_price_b2b', T>,
  asked: Asked,
): T {
  const own = costs[priceField(asked)];
  return Number(own) > 0 ? own : costs.lead_price;
}
