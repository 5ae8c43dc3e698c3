// Plain lists and rules of ads, shared by server and browser: no schema here, so that none is sent to the browser.

/** What a campaign optimizes for: the cost of a click, of a lead, or the share of impressions that are clicked. */
export const GOAL_TYPES = ['cpc', 'cpa', 'ctr'] as const;
export type GoalType = (typeof GOAL_TYPES)[number];
export const GOALS: Record<GoalType, { label: string; unit: '$' | '%' }> = {
  cpc: { label: 'Cost per click', unit: '$' },
  cpa: { label: 'Cost per lead', unit: '$' },
  ctr: { label: 'Click-through rate', unit: '%' },
};

/** Where a campaign's ads are shown: on sites that sell impressions by auction, or in the agency's own zones. */
export const CHANNELS = ['exchange', 'house'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Who shows a campaign's ads. */
export const AD_PLATFORMS = ['sandbox', 'house', 'simplifi'] as const;
export type AdPlatform = (typeof AD_PLATFORMS)[number];
/** What platforms are called on screens. A sandbox shows ads to no one, and says so wherever it shows. */
export const AD_PLATFORM_NAMES: Record<AdPlatform, string> = {
  sandbox: 'Sandbox exchange',
  house: 'House ads',
  simplifi: 'Simpli.fi',
};

/** The sizes of image ads (IAB fixed-size units that are sold most), in pixels. */
export const AD_SIZES = [
  '300x250',
  '728x90',
  '160x600',
  '300x600',
  '320x50',
  '300x50',
  '970x250',
  '970x90',
] as const;
export type AdSize = (typeof AD_SIZES)[number];

/** The query parameter in which an ad's click reaches the client's site: the id of the impression that was clicked. */
export const CLICK_PARAMETER = 'adclid';

/** The most characters of an image's alternative text. */
export const MOST_ALT_TEXT = 125;

/** Whether an address can be clicked to from an ad: https, or this machine's own sites (the demo). */
export function isClickUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    !url.username &&
    !url.password &&
    (url.protocol === 'https:' ||
      (url.protocol === 'http:' && (url.hostname === 'localhost' || url.hostname.endsWith('.localhost'))))
  );
}

/** What ads' reports are grouped by. A place is the host of a site. */
export const AD_GROUPS = ['campaign', 'creative', 'place', 'state', 'audience', 'day', 'hour'] as const;
export type AdGroup = (typeof AD_GROUPS)[number];
/** What a report can be narrowed to one of. */
export const AD_WITHIN = ['creative', 'place', 'state', 'audience'] as const;
export type AdWithin = (typeof AD_WITHIN)[number];
/**
 * Whether a report that is narrowed to one of something can be grouped by something: states and audiences are added up by
 * campaign and hour only.
 */
export const canGroup = (by: AdGroup, within: AdWithin | undefined): boolean => {
  if (!within || by === within || by === 'campaign' || by === 'day' || by === 'hour') return true;
  const isSlice = (one: AdGroup) => one === 'state' || one === 'audience';
  return !isSlice(by) && !isSlice(within);
};
