const CENT = 10_000n;
const MILLION = 1_000_000n;

/** The tax details of a payer. */
export interface Profile {
  is_exempt: boolean;
  rate_name: string;
  /** Parts per million; null: use the table's rate. */
  rate_ppm: number | null;
}
export interface Rate {
  name: string;
  rate_ppm: number;
}

/** Returns the rate for a payer: 0 if exempt, otherwise its own rate, its state's, or its country's. */
export function rateOf(
  profile: Profile | undefined,
  state: Rate | undefined,
  country: Rate | undefined,
): Rate | null {
  if (profile?.is_exempt) return null;
  const own =
    profile && profile.rate_ppm !== null
      ? { name: profile.rate_name || 'Tax', rate_ppm: profile.rate_ppm }
      : undefined;
  const found = own ?? state ?? country;
  return found && found.rate_ppm > 0 ? found : null;
}

/**
 * Returns the tax in whole cents, rounding half a cent up: on top of an amount, or (`included`) as part of it.
 * Micro-dollars.
 */
export function taxMicros(amount: bigint, ratePpm: number, included: boolean): bigint {
  const ppm = BigInt(ratePpm);
  const divisor = (included ? MILLION + ppm : MILLION) * CENT;
  return ((2n * amount * ppm + divisor) / (2n * divisor)) * CENT;
}

/** Estimates the tax on another amount of the same payer from a known answer, in whole cents. */
export function estimateOf(known: { amount_micros: bigint; tax_micros: bigint }, amount: bigint): bigint {
  if (known.amount_micros <= 0n || amount <= 0n) return 0n;
  const divisor = known.amount_micros * CENT;
  return ((2n * amount * known.tax_micros + divisor) / (2n * divisor)) * CENT;
}

/**
 * Returns how much of a sale to reverse at the service when part of its document is credited: the sale's share of the
 * document, so that all credits together reverse exactly the sale. Whole cents.
 */
export function reversalOf(
  sale: { amount_micros: bigint; tax_micros: bigint | null },
  document: { total_micros: bigint; credited_micros: bigint },
  amount: bigint,
): bigint {
  const { total_micros: total, credited_micros: before } = document;
  const taxed = sale.amount_micros + (sale.tax_micros ?? 0n);
  // On a receipt the tax is included, so the sale is all of it.
  if (taxed >= total) return amount;
  const upTo = (credited: bigint): bigint => ((taxed * credited) / total / CENT) * CENT;
  return upTo(before + amount) - upTo(before);
}

/** Formats a rate for display: 82500 -> '8.25'. */
export const percentOf = (ppm: number): string => (ppm / 10_000).toString();
/** '8.25' -> 82500. */
export const ppmOf = (percent: string): number => Math.round(Number(percent) * 10_000);
