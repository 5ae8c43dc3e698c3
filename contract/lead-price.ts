// No schema here: screens reckon with it, too.

/** The data fields that a campaign asks for, by their ids (contract/enrichment-fields.ts). */
export interface Asked {
  advanceInformation: readonly number[];
  b2bInformation: readonly number[];
}

/**
 * Which of its prices a campaign's leads have: with company data CostSetB2b, else with personal data CostSetAdvanced, else
 * CostSet. The database has the same rule (function lead_price).
 */
export const priceField = (asked: Asked): 'CostSet' | 'CostSetAdvanced' | 'CostSetB2b' =>
  asked.b2bInformation.length > 0
    ? 'CostSetB2b'
    : asked.advanceInformation.length > 0
      ? 'CostSetAdvanced'
      : 'CostSet';

/** What a lead costs, of the amounts that are set: where none is set for the data that is asked for, the plain price. */
export function priceOf<T extends string | bigint>(
  costs: Record<'CostSet' | 'CostSetAdvanced' | 'CostSetB2b', T>,
  asked: Asked,
): T {
  const own = costs[priceField(asked)];
  return Number(own) > 0 ? own : costs.CostSet;
}
