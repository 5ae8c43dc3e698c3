import { type AudienceSource, LEAST_AIMED, LEAST_COUNTED } from '../../../../contract/ads/audience-rules.ts';

/**
 * From how many entries on an uploaded list is counted, and how finely; and how many people an audience must have, so
 * that others are counted, and ads are aimed at any. Tests lower them all, and put `WHOLE` back.
 */
export const COUNTED = { least: LEAST_COUNTED, step: 10, people: LEAST_AIMED };
export const WHOLE = Object.freeze({ ...COUNTED });

/** How many entries an audience needs to be counted, and to be aimed at. */
export const leastOf = (source: AudienceSource): number =>
  source === 'upload' ? COUNTED.least : COUNTED.people;

/**
 * Whether so few are in an audience that ads shown to them would say what one of them does. Of a list, only those count
 * whom the platform knows: the others could be made up.
 */
export const isSmall = (row: {
  source: AudienceSource;
  size: bigint;
  matched: bigint;
  reachable: bigint;
}): boolean =>
  row.size < leastOf(row.source) ||
  row.reachable < COUNTED.people ||
  (row.source === 'upload' && row.matched < COUNTED.people);

/**
 * A count of an audience as it is told. Whoever uploads a list knows who is on it, so that an exact count would say of one
 * person whether the platform knows them, or whether they have opted out. Whoever searches by place and keyword can
 * search for one person.
 */
export const toldCount = (
  count: number,
  { size, source }: { size: number; source: AudienceSource },
): number | null => (size < leastOf(source) ? null : Math.floor(count / COUNTED.step) * COUNTED.step);
