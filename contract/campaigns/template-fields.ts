// No schema here, so that none is sent to the browser.
import { FONT_THEMES } from '../accounts/fonts.ts';
import { INFORMATION_FIELDS } from '../audience/enrichment-fields.ts';
import { microsOrNull, usd } from '../dollars.ts';
import { CAMPAIGN_RULES, isOpen } from './campaign-rules.ts';

export const TEMPLATE_KINDS = ['campaign', 'branding'] as const;
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];

export const PUSH_STATES = ['running', 'paused', 'done', 'stopped', 'undoing', 'undone'] as const;
export type PushState = (typeof PUSH_STATES)[number];

/** What became of one target of a push. */
export const TARGET_STATES = [
  'waiting',
  'pushed',
  'unchanged',
  'refused',
  'restored',
  'partly',
  'left',
] as const;
export type TargetState = (typeof TARGET_STATES)[number];

/** The parts that a template's fields are shown and chosen in. */
export const TEMPLATE_PARTS = {
  limits: 'Lead limit',
  needs: 'Required data',
  which: 'Which people',
  fits: 'Filter',
  scores: 'Score',
  search: 'Keywords and places',
  people: 'People at work',
  data: 'Data fields',
  prices: 'Prices',
  brand: 'Branding',
} as const;
export type TemplatePart = keyof typeof TEMPLATE_PARTS;

export interface TemplateField {
  /** The name inside of the field of a campaign, or of the branding setting. */
  field: string;
  label: string;
  part: TemplatePart;
  /** Whether a change can change what automatic purchases cost, so that it asks for a confirmed identity. */
  costs?: true;
  /** Its value in words. */
  words: (value: unknown) => string;
}

const LONGEST = 300;
const shorten = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
const plain = (value: unknown): string => shorten(String(value ?? '') || 'None');
const listed = (value: unknown, nameOf = (one: unknown) => String(one)): string => {
  const all = Array.isArray(value) ? value : [];
  return all.length === 0 ? 'None' : shorten(all.map(nameOf).join(', '));
};
const pasted = (value: unknown): string =>
  listed(
    String(value ?? '')
      .split(/[\n,]+/u)
      .map((one) => one.trim())
      .filter(Boolean),
  );
const dollars = (value: unknown): string => usd(microsOrNull(String(value ?? '0')) ?? 0n);
const limit = (value: unknown): string =>
  value === null || value === undefined ? 'No limit' : Number(value).toLocaleString('en-US');
const period = (value: unknown): string =>
  ({ day: 'Day', week: 'Week', month: 'Month' })[String(value)] ?? plain(value);
const data = (value: unknown): string =>
  listed(value, (id) => INFORMATION_FIELDS.find((one) => one.id === id)?.name ?? String(id));

const rules: (TemplateField & { of?: readonly string[] })[] = Object.entries(CAMPAIGN_RULES).map(
  ([field, rule]) => ({
    field,
    label: rule.label,
    part: rule.in,
    ...('of' in rule ? { of: rule.of } : {}),
    words(value) {
      if (rule.kind === 'flag') return value === 'T' ? 'On' : 'Off';
      if (rule.kind === 'whole') return `${String(value ?? '')}${rule.unit}`;
      if (rule.kind === 'choice')
        return (rule.choices as Record<string, string>)[String(value)] ?? plain(value);
      const { entries } = rule as { entries: Parameters<typeof isOpen>[0] };
      return listed(value, (one) => (isOpen(entries) ? String(one) : (entries[String(one)] ?? String(one))));
    },
  }),
);

/**
 * What campaigns of a module can take from a template. What belongs to one client (its site, dates, recipients) is not
 * among them, nor is anything that charges by itself: fees, payment terms, and automatic purchases.
 */
export function campaignFields(module: string): TemplateField[] {
  const isSearch = module !== 'local';
  return [
    { field: 'daily_cap', label: 'Lead limit', part: 'limits', words: limit },
    { field: 'limit_every', label: 'Limit period', part: 'limits', words: period },
    { field: 'minimum_limit', label: 'Minimum lead limit', part: 'limits', words: limit },
    ...rules.filter(({ of }) => !of || of.includes(module)).map(({ of: _, ...field }) => field),
    ...(isSearch
      ? ([
          { field: 'keywords', label: 'Keywords', part: 'search', words: pasted },
          { field: 'location', label: 'Location', part: 'search', words: plain },
          { field: 'states', label: 'States', part: 'search', words: (value) => listed(value) },
          { field: 'cities', label: 'Cities', part: 'search', words: (value) => listed(value) },
          { field: 'zips', label: 'ZIP codes', part: 'search', words: pasted },
        ] satisfies TemplateField[])
      : []),
    ...(module === 'b2b'
      ? ([
          { field: 'job_titles', label: 'Job titles', part: 'people', words: (value) => listed(value) },
          { field: 'seniority', label: 'Seniority', part: 'people', words: (value) => listed(value) },
          { field: 'department', label: 'Department', part: 'people', words: (value) => listed(value) },
          { field: 'industry', label: 'Industry', part: 'people', words: (value) => listed(value) },
          { field: 'company_size', label: 'Company size', part: 'people', words: (value) => listed(value) },
          { field: 'b2b_information', label: 'Data fields', part: 'data', costs: true, words: data },
        ] satisfies TemplateField[])
      : ([
          { field: 'advance_information', label: 'Data fields', part: 'data', costs: true, words: data },
        ] satisfies TemplateField[])),
    { field: 'lead_price', label: 'Price per lead', part: 'prices', costs: true, words: dollars },
    ...(module === 'b2b'
      ? ([
          {
            field: 'lead_price_b2b',
            label: 'Price with company data',
            part: 'prices',
            costs: true,
            words: dollars,
          },
        ] satisfies TemplateField[])
      : ([
          {
            field: 'lead_price_advanced',
            label: 'Price with personal data',
            part: 'prices',
            costs: true,
            words: dollars,
          },
        ] satisfies TemplateField[])),
    ...(module === 'local'
      ? ([
          {
            field: 'lead_price_company',
            label: 'Price per company',
            part: 'prices',
            costs: true,
            words: dollars,
          },
        ] satisfies TemplateField[])
      : []),
    { field: 'lead_price_max', label: 'Maximum price per lead', part: 'prices', costs: true, words: dollars },
  ];
}

const color = (value: unknown): string => (value ? String(value) : 'Standard');

/** What a branding template has. The name, logo, and icon stay those of each company. */
export const BRANDING_FIELDS: TemplateField[] = [
  { field: 'tagline', label: 'Tagline', part: 'brand', words: plain },
  { field: 'box_bgcolor', label: 'Background of boxes', part: 'brand', words: color },
  { field: 'text_color', label: 'Text color', part: 'brand', words: color },
  { field: 'link_color', label: 'Link color', part: 'brand', words: color },
  { field: 'template_bgcolor', label: 'Background of pages', part: 'brand', words: color },
  { field: 'sidebar_bgcolor', label: 'Background of the sidebar', part: 'brand', words: color },
  {
    field: 'font_theme',
    label: 'Font',
    part: 'brand',
    words: (value) => (FONT_THEMES as Record<string, { label: string }>)[String(value)]?.label ?? 'Standard',
  },
];

/** The fields that templates of a kind can have. */
export const templateFields = (kind: TemplateKind, module: string | null): TemplateField[] =>
  kind === 'branding' ? BRANDING_FIELDS : campaignFields(module ?? 'local');
