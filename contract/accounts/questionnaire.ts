import { z } from 'zod';
import { Flag } from '../primitives.ts';
import type { Inside } from '../wire.ts';
import {
  BUSINESS,
  CHANNELS,
  CRMS,
  EXPERIENCE,
  GOALS,
  INDUSTRIES,
  SIZES,
  SOURCES,
  VOLUME,
} from './questions.ts';

export { industryName } from './questions.ts';

/** One value from a list. */
const one = <const T extends readonly { value: string }[]>(options: T) =>
  z.enum(
    options.map(({ value }) => value) as [T[number]['value'], ...T[number]['value'][]],
    'must be one of the listed options',
  );

type IndustryId = (typeof INDUSTRIES)[number]['id'];
const Industry = z.enum(
  INDUSTRIES.map(({ id }) => id) as [IndustryId, ...IndustryId[]],
  'must be one of the listed options',
);

/** Several values from a list, without duplicates. */
const some = <T extends string>(one: z.ZodType<T>) =>
  z
    .array(one)
    .min(1, 'must have at least one choice')
    .max(50)
    .transform((chosen) => [...new Set(chosen)]);

/** The answers of the questionnaire (PROF-05). */
export const Questionnaire = z.object({
  industry_id: Industry,
  franchize: Flag.default('F').describe('Whether the company is part of a franchise'),
  franchizedirector: Flag.default('F').describe('Whether the user leads a franchise'),
  officemanager: Flag.default('F'),
  business_type: one(BUSINESS),
  client_count: one(SIZES),
  lead_volume: one(VOLUME),
  verticals: some(Industry).describe("The industries of the user's clients"),
  channels: some(one(CHANNELS)),
  crm: one(CRMS),
  experience: one(EXPERIENCE),
  goals: some(one(GOALS)),
  how_heard: one(SOURCES),
  note: z.string().trim().max(2000, 'must not exceed 2000 characters').default(''),
});
export type Questionnaire = Inside<z.output<typeof Questionnaire>>;
