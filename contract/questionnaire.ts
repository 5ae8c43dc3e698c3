import { z } from 'zod';
import { Flag } from './primitives.ts';

/** What people's businesses do; ids travel, names are shown. */
export const INDUSTRIES = [
  { id: 'advertising', name: 'Advertising and marketing' },
  { id: 'automotive', name: 'Automotive' },
  { id: 'construction', name: 'Construction and home services' },
  { id: 'education', name: 'Education' },
  { id: 'finance', name: 'Finance and insurance' },
  { id: 'health', name: 'Health and wellness' },
  { id: 'hospitality', name: 'Hospitality and travel' },
  { id: 'legal', name: 'Legal' },
  { id: 'manufacturing', name: 'Manufacturing' },
  { id: 'nonprofit', name: 'Non-profit' },
  { id: 'professional', name: 'Professional services' },
  { id: 'property', name: 'Real estate' },
  { id: 'retail', name: 'Retail and online shops' },
  { id: 'software', name: 'Software and technology' },
  { id: 'other', name: 'Something else' },
] as const;

export const industryName = (id: string | null): string =>
  INDUSTRIES.find((one) => one.id === id)?.name ?? '';

const Choice = <const T extends readonly { value: string; label: string }[]>(options: T) => ({
  options,
  schema: z.enum(options.map((option) => option.value) as [T[number]['value'], ...T[number]['value'][]]),
});

/** How many clients, or campaigns, somebody works with. */
export const SIZES = Choice([
  { value: '1', label: 'One' },
  { value: '2-10', label: '2 to 10' },
  { value: '11-50', label: '11 to 50' },
  { value: 'over-50', label: 'More than 50' },
]);
/** How long somebody has worked with bought or found leads. */
export const EXPERIENCE = Choice([
  { value: 'none', label: 'Not yet' },
  { value: 'some', label: 'Less than a year' },
  { value: 'long', label: 'More than a year' },
]);
/** What somebody wants to reach first. */
export const GOALS = Choice([
  { value: 'resell', label: 'Sell leads to my clients' },
  { value: 'own-leads', label: 'Find leads for my own business' },
  { value: 'retarget', label: 'Reach visitors again' },
  { value: 'measure', label: 'Understand who visits' },
]);

/** The answers of the questionnaire (PROF-05). */
export const Questionnaire = z.object({
  industry_id: z.enum(INDUSTRIES.map((one) => one.id) as [string, ...string[]], 'must be one of the list'),
  franchize: Flag.default('F').describe('Whether the company is part of a franchise'),
  franchizedirector: Flag.default('F').describe('Whether the person leads one'),
  officemanager: Flag.default('F'),
  client_count: SIZES.schema,
  experience: EXPERIENCE.schema,
  goals: z.array(GOALS.schema).min(1, 'choose at least one').max(GOALS.options.length),
  note: z.string().trim().max(2000, 'must not exceed 2000 characters').default(''),
});
export type Questionnaire = z.output<typeof Questionnaire>;
