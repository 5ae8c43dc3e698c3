// Separate from enrichment.ts, which pulls in zod: screens that only name the fields must not load it.

/** 'advanced': about a consumer; 'b2b': about a person at work. */
export type InformationType = 'advanced' | 'b2b';

/** A data field that a campaign may request about the people in its leads. */
export interface InformationField {
  /** Sent as an entry of advanceInformation and b2bInformation; never reused for another field. */
  id: number;
  key: string;
  name: string;
  type: InformationType;
}

/** The two kinds of fields, as headings on screens. */
export const INFORMATION_TYPES: Record<InformationType, string> = { advanced: 'Personal', b2b: 'Company' };

/**
 * Every data field (spec product 3 "advanced and B2B information list ids", calls 7). The values are texts in
 * `person_profile`, except job_title and company_name, which are columns of `person` for every person in the graph.
 */
export const INFORMATION_FIELDS = [
  { id: 1, key: 'age_range', name: 'Age range', type: 'advanced' },
  { id: 2, key: 'gender', name: 'Gender', type: 'advanced' },
  { id: 3, key: 'marital_status', name: 'Marital status', type: 'advanced' },
  { id: 4, key: 'children', name: 'Children', type: 'advanced' },
  { id: 5, key: 'home_owner', name: 'Homeowner', type: 'advanced' },
  { id: 6, key: 'income_range', name: 'Income range', type: 'advanced' },
  { id: 7, key: 'net_worth_range', name: 'Net worth range', type: 'advanced' },
  { id: 8, key: 'credit_range', name: 'Credit range', type: 'advanced' },
  { id: 9, key: 'occupation', name: 'Occupation', type: 'advanced' },
  { id: 10, key: 'veteran', name: 'Veteran', type: 'advanced' },
  { id: 101, key: 'job_title', name: 'Job title', type: 'b2b' },
  { id: 102, key: 'headline', name: 'Headline', type: 'b2b' },
  { id: 103, key: 'seniority', name: 'Seniority', type: 'b2b' },
  { id: 104, key: 'department', name: 'Department', type: 'b2b' },
  { id: 105, key: 'company_name', name: 'Company name', type: 'b2b' },
  { id: 106, key: 'company_domain', name: 'Company domain', type: 'b2b' },
  { id: 107, key: 'industry', name: 'Industry', type: 'b2b' },
  { id: 108, key: 'company_size', name: 'Company size', type: 'b2b' },
  { id: 109, key: 'company_revenue', name: 'Company revenue', type: 'b2b' },
  { id: 110, key: 'company_phone', name: 'Company phone', type: 'b2b' },
  { id: 111, key: 'business_email', name: 'Business email', type: 'b2b' },
  { id: 112, key: 'linkedin', name: 'LinkedIn profile', type: 'b2b' },
  { id: 113, key: 'naics', name: 'NAICS code', type: 'b2b' },
  { id: 114, key: 'sic', name: 'SIC code', type: 'b2b' },
] as const satisfies readonly InformationField[];

export type InformationKey = (typeof INFORMATION_FIELDS)[number]['key'];

/** The keys whose values are columns of `person_profile`. */
export type ProfileKey = Exclude<InformationKey, 'job_title' | 'company_name'>;
export const PROFILE_KEYS: readonly ProfileKey[] = INFORMATION_FIELDS.map((field) => field.key).filter(
  (key): key is ProfileKey => key !== 'job_title' && key !== 'company_name',
);
