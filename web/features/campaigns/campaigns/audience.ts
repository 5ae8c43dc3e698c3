import { MOST_NAMES } from '../../../../contract/audience/audience.ts';

/** The target audience of a B2B ID campaign by job, as forms hold it; an empty list means anyone. */
export interface AudienceValues {
  job_titles: string[];
  seniority: string[];
  department: string[];
  industry: string[];
  company_size: string[];
}

export const NEW_AUDIENCE: AudienceValues = {
  job_titles: [],
  seniority: [],
  department: [],
  industry: [],
  company_size: [],
};

/** A campaign's audience as the form holds it, and as the calls take it. */
export const audienceOf = (from: AudienceValues): AudienceValues => ({
  job_titles: from.job_titles,
  seniority: from.seniority,
  department: from.department,
  industry: from.industry,
  company_size: from.company_size,
});

const tooMany = (names: string[]): string | null =>
  names.length > MOST_NAMES ? `Use up to ${MOST_NAMES}` : null;
export const AUDIENCE_RULES = { job_titles: tooMany, industry: tooMany };

/** The parts of an audience with their names, in form order. */
export const AUDIENCE_NAMES: Record<keyof AudienceValues, string> = {
  job_titles: 'Job titles',
  seniority: 'Seniority',
  department: 'Department',
  industry: 'Industry',
  company_size: 'Company size',
};

/** Describes an audience in a few words, with one line per part that is set. */
export const audienceWords = (audience: AudienceValues): string =>
  (Object.keys(AUDIENCE_NAMES) as (keyof AudienceValues)[])
    .filter((key) => audience[key].length > 0)
    .map((key) => `${AUDIENCE_NAMES[key]}: ${audience[key].join(', ')}`)
    .join('; ') || 'Anyone whose job is known';
