import { z } from 'zod';
import { Flag } from '../primitives.ts';

/** The area that a campaign with keywords, or a count, covers (spec product 3, Keyword row). */
export const TARGET_LOCATIONS = ['National Targeting', 'State', 'Zip Code'] as const;
export const TargetLocation = z.enum(TARGET_LOCATIONS);

/** The maximum numbers of keywords, zip codes and cities of a campaign or a count. */
export const MOST_KEYWORDS = 1000;
export const MOST_ZIPS = 40_000;
export const MOST_CITIES = 2000;

/** Keywords as a person pastes them. */
export const KeywordText = z
  .string()
  .max(300_000, 'must not exceed 300000 characters')
  .describe(`Keywords, one per line or separated by commas; up to ${MOST_KEYWORDS}`);
/** Zip codes as a person pastes them. */
export const ZipText = z
  .string()
  .max(500_000, 'must not exceed 500000 characters')
  .describe(`Five-digit zip codes, one per line; up to ${MOST_ZIPS}`);
export const StateCodes = z.array(z.string().max(40)).max(60).describe('State codes, such as TX');
export const CityNames = z
  .array(z.string().max(120))
  .max(MOST_CITIES, `must not have more than ${MOST_CITIES} cities`)
  .describe("Cities, such as 'Austin, TX'; if a state has cities listed, only those count");

/**
 * The user's settings for where and for what a Search ID campaign looks; a Site ID campaign has none of them. Fields
 * left out of a change stay as they are.
 */
export const TargetFields = z.object({
  locatorkeyword: KeywordText.optional(),
  locationtarget: TargetLocation.optional(),
  nationaltargeting: Flag.optional().describe('T: same as locationtarget National Targeting'),
  locatorstate: StateCodes.optional(),
  locatorcity: CityNames.optional(),
  locatorzip: ZipText.optional(),
  locatordesc: z.string().trim().max(1000, 'must not exceed 1000 characters').optional(),
  locatorrequire: z
    .string()
    .max(200, 'must not exceed 200 characters')
    .optional()
    .describe(
      'What a lead must have: Email, Phone, MailingAddress, separated by commas; replaces requireemailaddress, phoneenabled, and homeaddressenabled',
    ),
});

/** The same as the server returns it; empty for Site ID. */
export const TargetView = z.object({
  locatorkeyword: z.string(),
  locationtarget: TargetLocation.nullable(),
  nationaltargeting: Flag,
  locatorstate: z.array(z.string()),
  locatorcity: z.array(z.string()),
  locatorzip: z.string(),
  locatordesc: z.string(),
  locatorrequire: z.string().describe('What a lead must have, by name, separated by commas'),
});

const Names = z.array(z.string().max(300)).max(500);
/** The people at work whom a B2B ID campaign targets (contract/audience/audience.ts); an empty list means anyone. */
export const AudienceFields = z.object({
  jobTitles: Names.optional().describe('Words in job titles; all words of an entry must be in the title'),
  seniority: Names.optional(),
  department: Names.optional(),
  industry: Names.optional().describe('Words in industries; all words of an entry must be in the industry'),
  companySize: Names.optional(),
});
/** The same as the server returns it; empty for other modules. */
export const AudienceView = z.object({
  jobTitles: z.array(z.string()),
  seniority: z.array(z.string()),
  department: z.array(z.string()),
  industry: z.array(z.string()),
  companySize: z.array(z.string()),
});
