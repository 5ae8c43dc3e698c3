import { MODULES, type ModuleType } from '../choices.ts';

/** What a saved view of leads keeps of the page's address. */
export const LEAD_VIEW = [
  'q',
  'sort',
  'dir',
  'product',
  'client',
  'campaign',
  'days',
  'from',
  'to',
  'score',
  'match',
  'kind',
  'ad',
  'creative',
  'site',
  'way',
  'shown',
  'until',
] as const;

/** How an ad brought a lead. */
export const AD_WAYS = ['click', 'view'] as const;

/** How a visitor was recognized, strongest first. */
export const MATCH_TYPES = [
  'email_sha256',
  'email_sha1',
  'email_md5',
  'visitor',
  'device',
  'phone',
  'ip',
  'intent',
  'company',
] as const;
type MatchOf = (typeof MATCH_TYPES)[number];

/** A kind of match from an address; undefined if it is none. */
export const matchOf = (text: string | undefined): MatchOf | undefined =>
  MATCH_TYPES.find((match) => match === text);

/** The filter of a view of leads; days are 'YYYY-MM-DD', both included. */
export interface LeadViewFilter {
  search?: string;
  campaign_id?: string;
  company_id?: string;
  module?: ModuleType;
  min_score?: number;
  match?: MatchOf;
  kind?: 'person' | 'company';
  starts_on?: string;
  ends_on?: string;
  /** The ad that a lead is credited to, and the days on which it was shown. */
  ad_campaign_id?: string;
  ad_creative_id?: string;
  ad_place?: string;
  ad_way?: (typeof AD_WAYS)[number];
  ad_from?: string;
  ad_to?: string;
}

/** A lowest score in an address; undefined if it is none. */
export const leastScoreOf = (text: string | undefined): number | undefined =>
  text && /^\d{1,2}$|^100$/.test(text) ? Number(text) : undefined;

const DAY_MS = 86_400_000;
const isDay = (text: string | undefined): text is string => /^\d{4}-\d{2}-\d{2}$/.test(text ?? '');

/**
 * Returns the filter for the parameters of the page's address, or of a saved view. What is not valid filters nothing.
 * @param today the calendar day where the user is, which 'the last days' end with
 */
export function leadFilterOf(
  params: Readonly<Record<string, string | undefined>>,
  today: string,
): LeadViewFilter {
  const { q, campaign, client, product, from, to, score, kind, ad, creative, site, shown, until } = params;
  const way = AD_WAYS.find((one) => one === params.way);
  const days = Number(params.days);
  const module = MODULES.find((one) => one.module === product)?.module;
  const least = leastScoreOf(score);
  const match = matchOf(params.match);
  return {
    ...(q ? { search: q } : {}),
    ...(campaign ? { campaign_id: campaign } : {}),
    ...(client ? { company_id: client } : {}),
    ...(module ? { module } : {}),
    ...(match ? { match } : {}),
    ...(kind === 'person' || kind === 'company' ? { kind } : {}),
    ...(least === undefined ? {} : { min_score: least }),
    ...(ad ? { ad_campaign_id: ad } : {}),
    ...(creative ? { ad_creative_id: creative } : {}),
    ...(site ? { ad_place: site } : {}),
    ...(way ? { ad_way: way } : {}),
    ...(isDay(shown) ? { ad_from: shown } : {}),
    ...(isDay(until) ? { ad_to: until } : {}),
    ...(Number.isSafeInteger(days) && days > 0 && days <= 10_000
      ? {
          starts_on: new Date(Date.parse(`${today}T00:00:00Z`) - (days - 1) * DAY_MS)
            .toISOString()
            .slice(0, 10),
          ends_on: today,
        }
      : isDay(from) && isDay(to) && from <= to
        ? { starts_on: from, ends_on: to }
        : {}),
  };
}
