// No schema here, because screens also calculate with it.

/** The data fields that a campaign requests, by id (contract/audience/enrichment-fields.ts). */
export interface Asked {
  advanceInformation: readonly number[];
  b2bInformation: readonly number[];
}

/**
 * Which price applies to a campaign's leads: CostSetB2b with company data, otherwise CostSetAdvanced with personal
 * data, otherwise CostSet. The database has the same rule (function lead_price).
 */
export const priceField = (asked: Asked): 'CostSet' | 'CostSetAdvanced' | 'CostSetB2b' =>
  asked.b2bInformation.length > 0
    ? 'CostSetB2b'
    : asked.advanceInformation.length > 0
      ? 'CostSetAdvanced'
      : 'CostSet';

/** The cost of a lead, from the amounts that are set: the plain price where none is set for the requested data. */
export function priceOf<T extends string | bigint>(
  costs: Record<'CostSet' | 'CostSetAdvanced' | 'CostSetB2b', T>,
  asked: Asked,
): T {
  const own = costs[priceField(asked)];
  return Number(own) > 0 ? own : costs.CostSet;
}
