import { MOST_NAMES } from '../../../../contract/audience/audience.ts';

/** The target audience of a B2B ID campaign by job, as forms hold it; an empty list means anyone. */
export interface AudienceValues {
  jobTitles: string[];
  seniority: string[];
  department: string[];
  industry: string[];
  companySize: string[];
}

export const NEW_AUDIENCE: AudienceValues = {
  jobTitles: [],
  seniority: [],
  department: [],
  industry: [],
  companySize: [],
};

/** A campaign's audience as the form holds it, and as the calls take it. */
export const audienceOf = (from: AudienceValues): AudienceValues => ({
  jobTitles: from.jobTitles,
  seniority: from.seniority,
  department: from.department,
  industry: from.industry,
  companySize: from.companySize,
});

const tooMany = (names: string[]): string | null =>
  names.length > MOST_NAMES ? `Use up to ${MOST_NAMES}` : null;
export const AUDIENCE_RULES = { jobTitles: tooMany, industry: tooMany };

/** The parts of an audience with their names, in form order. */
export const AUDIENCE_NAMES: Record<keyof AudienceValues, string> = {
  jobTitles: 'Job titles',
  seniority: 'Seniority',
  department: 'Department',
  industry: 'Industry',
  companySize: 'Company size',
};

/** Describes an audience in a few words, with one line per part that is set. */
export const audienceWords = (audience: AudienceValues): string =>
  (Object.keys(AUDIENCE_NAMES) as (keyof AudienceValues)[])
    .filter((key) => audience[key].length > 0)
    .map((key) => `${AUDIENCE_NAMES[key]}: ${audience[key].join(', ')}`)
    .join('; ') || 'Anyone whose job is known';
