// No schema here, because the screens that show the choices must not load zod.

/**
 * A seniority, department or company size that sources name in different ways: a choice, and the values it is compared
 * with.
 */
export interface AudienceChoice {
  name: string;
  /** Other words for it, compared without case, spaces and punctuation. */
  also: readonly string[];
}

/** Seniorities that a B2B ID campaign may ask for. */
export const SENIORITIES: readonly AudienceChoice[] = [
  { name: 'Owner', also: ['Proprietor'] },
  { name: 'Founder', also: ['Co-founder'] },
  { name: 'C-level', also: ['C-suite', 'CXO', 'Chief', 'Executive', 'C-level executive'] },
  { name: 'Partner', also: [] },
  { name: 'Vice president', also: ['VP', 'Vice-president'] },
  { name: 'Head', also: ['Head of department'] },
  { name: 'Director', also: [] },
  { name: 'Manager', also: ['Management'] },
  { name: 'Senior', also: ['Senior staff'] },
  { name: 'Staff', also: ['Individual contributor', 'Employee', 'Non-manager', 'Associate'] },
  { name: 'Entry', also: ['Entry level', 'Junior'] },
  { name: 'Intern', also: ['Training', 'Trainee'] },
];

/** Departments that a B2B ID campaign may ask for. */
export const DEPARTMENTS: readonly AudienceChoice[] = [
  { name: 'Accounting and finance', also: ['Finance', 'Accounting', 'Finance and accounting'] },
  { name: 'Administration', also: ['Administrative', 'Admin'] },
  { name: 'Consulting', also: [] },
  { name: 'Customer service', also: ['Customer support', 'Customer success', 'Support'] },
  { name: 'Design', also: ['Creative'] },
  { name: 'Education', also: ['Training and education'] },
  { name: 'Engineering', also: ['Engineering and technical', 'Research and development', 'R&D'] },
  { name: 'Human resources', also: ['HR', 'People'] },
  { name: 'Information technology', also: ['IT', 'Technology'] },
  { name: 'Legal', also: ['Law'] },
  { name: 'Management', also: ['General management', 'Executive', 'Leadership', 'C-suite'] },
  {
    name: 'Marketing',
    also: ['Marketing and communications', 'Public relations', 'Media and communication'],
  },
  { name: 'Medical and health', also: ['Medical', 'Healthcare', 'Health care services'] },
  { name: 'Operations', also: ['Logistics', 'Manufacturing', 'Production'] },
  { name: 'Product', also: ['Product management'] },
  { name: 'Purchasing', also: ['Procurement', 'Supply chain'] },
  { name: 'Real estate', also: ['Facilities'] },
  { name: 'Sales', also: ['Business development', 'Sales and business development'] },
];

/** Company sizes by number, with how many people they have; `to` null means no upper limit. */
export const COMPANY_SIZES = [
  { id: 1, name: '1 to 10', from: 0, to: 10 },
  { id: 2, name: '11 to 50', from: 11, to: 50 },
  { id: 3, name: '51 to 200', from: 51, to: 200 },
  { id: 4, name: '201 to 500', from: 201, to: 500 },
  { id: 5, name: '501 to 1,000', from: 501, to: 1000 },
  { id: 6, name: '1,001 to 5,000', from: 1001, to: 5000 },
  { id: 7, name: '5,001 to 9,999', from: 5001, to: 9999 },
  { id: 8, name: '10,000 or more', from: 10_000, to: null },
] as const;

/** Ages, as ranges of whole years. */
export const AGES = [
  { name: '18 to 24', from: 18, to: 24 },
  { name: '25 to 34', from: 25, to: 34 },
  { name: '35 to 44', from: 35, to: 44 },
  { name: '45 to 54', from: 45, to: 54 },
  { name: '55 to 64', from: 55, to: 64 },
  { name: '65 or older', from: 65, to: null },
] as const;

/** Household incomes a year, as ranges of whole dollars. */
export const INCOMES = [
  { name: 'Under $25,000', from: 0, to: 24_999 },
  { name: '$25,000 to $49,999', from: 25_000, to: 49_999 },
  { name: '$50,000 to $74,999', from: 50_000, to: 74_999 },
  { name: '$75,000 to $99,999', from: 75_000, to: 99_999 },
  { name: '$100,000 to $149,999', from: 100_000, to: 149_999 },
  { name: '$150,000 to $199,999', from: 150_000, to: 199_999 },
  { name: '$200,000 or more', from: 200_000, to: null },
] as const;

/** Suggested industries; any other may be typed. */
export const INDUSTRIES: readonly string[] = [
  'Accounting',
  'Advertising',
  'Automotive',
  'Banking',
  'Construction',
  'Consulting',
  'Education',
  'Energy',
  'Financial Services',
  'Food and Beverages',
  'Government',
  'Healthcare',
  'Hospitality',
  'Information Technology',
  'Insurance',
  'Internet',
  'Legal Services',
  'Logistics',
  'Manufacturing',
  'Marketing',
  'Media',
  'Nonprofit',
  'Pharmaceuticals',
  'Real Estate',
  'Retail',
  'Software',
  'Telecommunications',
  'Transportation',
];

/** The maximum number of job titles and industries in one audience. */
export const MOST_NAMES = 200;
