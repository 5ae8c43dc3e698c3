import { LEAST_COUNTED } from '../../../../contract/ads/audience-rules.ts';

/** From how many entries on an uploaded list is counted, and how finely. Tests lower both. */
export const COUNTED = { least: LEAST_COUNTED, step: 10 };

/**
 * A count of an audience as it is told. Whoever uploads a list knows who is on it, so that an exact count would say of one
 * person whether the platform knows them, or whether they have opted out.
 */
export const toldCount = (
  count: number,
  { size, isUpload }: { size: number; isUpload: boolean },
): number | null =>
  !isUpload ? count : size < COUNTED.least ? null : Math.floor(count / COUNTED.step) * COUNTED.step;
