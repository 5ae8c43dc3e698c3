import {
  INFORMATION_FIELDS,
  type InformationField,
  type InformationKey,
  type InformationType,
} from '../../../../contract/audience/enrichment-fields.ts';

/** A vendor that may be asked for what the root's own people data does not contain. */
export type Vendor = 'pdl';
/** Every source by name; the embedded one is always used. */
export const PROVIDERS = { embedded: 'Own people data', pdl: 'People Data Labs' } as const;

/** The purpose a vendor's key is sealed for. */
export const KEY_PURPOSE = 'data.provider_key';

/** What a company's campaigns may use. */
export interface Allowed {
  information: Set<number>;
  vendors: Set<Vendor>;
}

/** A choice as stored, of the company itself or of one above it. */
export interface ChoiceRow {
  level: 'root' | 'agency' | 'client';
  information: number[];
  providers: string[];
}

const FIELD_OF = new Map<number, InformationField>(INFORMATION_FIELDS.map((field) => [field.id, field]));
export const fieldById = (id: number): InformationField | undefined => FIELD_OF.get(id);

/** Returns the fields with these ids in the catalog's order; unknown ids are left out. */
export const fieldsOfIds = (ids: ReadonlySet<number>, type?: InformationType): InformationField[] =>
  INFORMATION_FIELDS.filter((field) => ids.has(field.id) && (type === undefined || field.type === type));

/**
 * Returns what is left after all choices: a field that no level has removed; a vendor, which costs the root money, only
 * where the root itself has chosen it and no level below has removed it.
 */
export function allowedBy(rows: readonly ChoiceRow[]): Allowed {
  const root = rows.find((row) => row.level === 'root');
  const holds = <T>(list: (row: ChoiceRow) => readonly T[], one: T) =>
    rows.every((row) => list(row).includes(one));
  const vendors: Vendor[] = root ? ['pdl'] : [];
  return {
    information: new Set(
      INFORMATION_FIELDS.map((field) => field.id).filter((id) => holds((row) => row.information, id)),
    ),
    vendors: new Set(vendors.filter((one) => holds((row) => row.providers, one))),
  };
}

/** Returns what a lead was given with the fields' names, in the catalog's order. */
export const withNames = (values: Record<string, string | null> | undefined) =>
  values
    ? INFORMATION_FIELDS.filter(({ key }) => Object.hasOwn(values, key)).map((field) => ({
        ...field,
        value: values[field.key] ?? null,
      }))
    : [];

const SAMPLES: Record<InformationKey, string> = {
  age_range: '35-44',
  gender: 'F',
  marital_status: 'Married',
  children: 'Y',
  home_owner: 'Y',
  income_range: '$75,000 to $99,999',
  net_worth_range: '$100,000 to $249,999',
  credit_range: '700 to 749',
  occupation: 'Tester',
  veteran: 'N',
  job_title: 'Tester',
  headline: 'Tester at Example Company',
  seniority: 'Manager',
  department: 'Quality',
  company_name: 'Example Company',
  company_domain: 'example.com',
  industry: 'Software',
  company_size: '51 to 200',
  company_revenue: '$10M to $25M',
  company_phone: '+12025550124',
  business_email: 'test.lead@example.com',
  linkedin: 'https://www.linkedin.com/in/example',
  naics: '541511',
  sic: '7371',
};

/** Returns made-up values of the requested fields, for test leads. */
export const sampleOf = (ids: readonly number[]): Record<string, string> =>
  Object.fromEntries(
    fieldsOfIds(new Set(ids)).map((field) => [field.key, SAMPLES[field.key as InformationKey]]),
  );
