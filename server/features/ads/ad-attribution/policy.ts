import { CLICK_PARAMETER } from '../../../../contract/ads/ad-rules.ts';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const MOST_ADDRESS = 2_048;

/** The impression whose click brought a visit, as the address of its page says; null if it says none. */
export function clickOf(url: string | null): string | null {
  if (!url || url.length > MOST_ADDRESS || !url.includes(`${CLICK_PARAMETER}=`)) return null;
  const id = URL.parse(url)?.searchParams.get(CLICK_PARAMETER) ?? '';
  return ID.test(id) ? id : null;
}

/** Sums of ads, micro-dollars. */
export interface Sums {
  impressions: bigint;
  viewable: bigint;
  clicks: bigint;
  visits: bigint;
  leads: bigint;
  view_leads: bigint;
  spend: bigint;
  wholesale: bigint;
}

const per = (amount: bigint, count: bigint): number | null =>
  count === 0n ? null : Number((amount + count / 2n) / count);

/** Sums as they are told; only who is not a client sees what the agency paid. */
export const countsOf = (sums: Sums, isClient: boolean) => ({
  impressions: Number(sums.impressions),
  viewable: Number(sums.viewable),
  clicks: Number(sums.clicks),
  visits: Number(sums.visits),
  leads: Number(sums.leads),
  view_leads: Number(sums.view_leads),
  spend_micros: Number(sums.spend),
  cost_micros: isClient ? null : Number(sums.wholesale),
  ctr:
    sums.impressions === 0n
      ? null
      : Math.round((Number(sums.clicks) / Number(sums.impressions)) * 10_000) / 100,
  cpm_micros: per(sums.spend * 1000n, sums.impressions),
  cpc_micros: per(sums.spend, sums.clicks),
  cost_per_lead_micros: per(sums.spend, sums.leads + sums.view_leads),
});
