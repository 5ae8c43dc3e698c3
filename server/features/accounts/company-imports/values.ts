import { z } from 'zod';
import { FONT_THEMES } from '../../../../contract/accounts/fonts.ts';
import { ModuleSlug, SETTINGS, type SettingName } from '../../../../contract/accounts/settings.ts';
import { ListName, Params } from '../../../../contract/accounts/views.ts';
import { Design } from '../../../../contract/ads/banners.ts';
import { MOST_CITIES, MOST_KEYWORDS, MOST_ZIPS } from '../../../../contract/audience/target.ts';
import { CAMPAIGN_RULES, isOpen, type RuleName } from '../../../../contract/campaigns/campaign-rules.ts';
import { Values } from '../../../../contract/campaigns/connections.ts';
import { Hours, Rules, StoredPayload } from '../../../../contract/campaigns/delivery.ts';
import { scoreReasonNames } from '../../../../contract/campaigns/scores.ts';
import { siteHostOf } from '../../../../contract/campaigns/site-hosts.ts';
import { PAYMENT_TERMS } from '../../../../contract/choices.ts';
import { Email, hasControls, WebUrl } from '../../../../contract/primitives.ts';
import { toWire } from '../../../../contract/wire-schema.ts';
import { vendors } from '../../../integrations/index.ts';
import type { JsonRow, JsonValue } from './rows.ts';

// What an archive has in a column was once checked by a form. Since then, anyone may have changed it, and no form sees it
// again: what is imported is shown, sent, compared, and put into styles and addresses as if it had been
// (docs/decisions/0501-values-of-imports.md).

/** What a value must be; null if it is. `row`: the values beside it. */
type Rule = (value: JsonValue, row: JsonRow) => string | null;

const LONGEST = 5_000;
const LONGEST_DOCUMENT = 50_000;
/** What a lead was given: 25 fields, of which those that are lists can be as long as a cell of an import (20,000). */
const LONGEST_DATA = 100_000;
const MOST_ENTRIES = 10_000;
/** The first and the last year of anything that happens. */
const [FIRST_YEAR, LAST_YEAR] = [1970, 2199];
/**
 * A billion dollars, more than `Dollars` of the contract can say. All sums of such amounts are within what the database can
 * add up.
 */
const MOST_MICROS = 1_000_000_000_000_000;
const MOST_COUNT = 1_000_000_000;

const text =
  (most = LONGEST): Rule =>
  (value) =>
    typeof value === 'string' && value.length <= most
      ? null
      : `must be text of up to ${most.toLocaleString('en-US')} characters`;
/** The database has a rule of its own, which is the same for everyone. */
export const CHECKED: Rule = text(3_000_000);
const is =
  (words: string, fits: (text: string) => boolean): Rule =>
  (value) =>
    typeof value === 'string' && fits(value) ? null : words;
const word = is('must be a word', (value) => /^[a-z][a-z0-9_]{0,59}$/.test(value));
const token = is('must be a name without blanks', (value) => /^[\w.:-]{1,200}$/.test(value));
const oneOf = (choices: readonly string[]): Rule =>
  is('is none of the choices', (value) => choices.includes(value));
/** What the schema of a form takes, and would store as it is: what a form trims or lowers was never stored otherwise. */
const fitting =
  (schema: z.ZodType): Rule =>
  (value) => {
    const { error, data } = schema.safeParse(value);
    if (!error)
      return typeof value === 'string' && data !== value ? 'is not in the form that is stored' : null;
    const [{ path, message }] = error.issues as [z.core.$ZodIssue];
    return [...path.map(String), message].join(': ');
  };
/** Text of one line, as names are: it ends up in the heads of emails. */
const named =
  (rule: Rule): Rule =>
  (value, row) =>
    rule(value, row) ?? (hasControls(String(value)) ? 'must not contain control characters' : null);
const orEmpty =
  (rule: Rule): Rule =>
  (value, row) =>
    value === '' ? null : rule(value, row);
const list =
  (rule: Rule, most = MOST_ENTRIES): Rule =>
  (value, row) => {
    if (!Array.isArray(value)) return 'must be a list';
    if (value.length > most) return `must not have more than ${most.toLocaleString('en-US')} entries`;
    for (const one of value) {
      const fault = rule(one, row);
      if (fault) return fault;
    }
    return null;
  };
const document =
  (most = LONGEST_DOCUMENT): Rule =>
  (value) => {
    if (typeof value !== 'object' || value === null) return 'must be a document';
    return JSON.stringify(value).length <= most
      ? null
      : `must not exceed ${most.toLocaleString('en-US')} characters`;
  };
/** A document of a shape, and of a length. */
const shaped =
  (schema: z.ZodType, most = LONGEST_DOCUMENT): Rule =>
  (value, row) =>
    document(most)(value, row) ?? fitting(schema)(value, row);
const number =
  (least: number, most: number): Rule =>
  (value) => {
    const of = typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? Number(value) : value;
    return Number.isInteger(of) && (of as number) >= least && (of as number) <= most
      ? null
      : `must be a number from ${least.toLocaleString('en-US')} to ${most.toLocaleString('en-US')}`;
  };
const web = fitting(WebUrl);
const email = fitting(Email);
const color = is('must be a color such as #1a2b3c', (value) => /^#[0-9a-f]{6}$/i.test(value));
/** A document that the database bounds itself. */
export const CHECKED_DOCUMENT: Rule = document(3_000_000);
const host = is('must be a host such as shop.example.com', (value) => siteHostOf(value) === value);
const line = text(255);
const name = named(line);
const count = number(0, MOST_COUNT);
const micros = number(0, MOST_MICROS);
/** Amounts and counts that go in both directions. */
const signed = number(-MOST_MICROS, MOST_MICROS);
/** A hash, for instance: all that the column takes. */
const whole = is('must be a whole number', (value) => /^-?\d{1,19}$/.test(value));
const hashed: Rule = (value, row) => whole(typeof value === 'number' ? String(value) : value, row);
const flag: Rule = (value) => (typeof value === 'boolean' ? null : 'must be true or false');
const instant: Rule = (value) => {
  // As the export writes it. The database would take words as well, such as infinity, and read some dates otherwise.
  const at = typeof value === 'string' && INSTANT.test(value) ? new Date(value).getUTCFullYear() : Number.NaN;
  return at >= FIRST_YEAR && at <= LAST_YEAR ? null : `must be an instant from ${FIRST_YEAR} to ${LAST_YEAR}`;
};
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)$/;
/** Forms take days from 1900, for what is over. */
const day = is(
  `must be a day from 1900 to ${LAST_YEAR}`,
  (value) =>
    /^\d{4}-\d\d-\d\d$/.test(value) &&
    !Number.isNaN(Date.parse(value)) &&
    value >= '1900-01-01' &&
    value <= `${LAST_YEAR}-12-31`,
);
const zone = is('must be a time zone such as America/Chicago', (value) => {
  try {
    return value.length <= 60 && Boolean(new Intl.DateTimeFormat('en-US', { timeZone: value }));
  } catch {
    return false;
  }
});
const domain = is('must be a domain such as example.com', (value) =>
  /^[^\s/\\<>"'\p{Cc}]{1,253}$/u.test(value),
);

/** The rule of a campaign's setting, by its name. */
function ofRule(of: RuleName): Rule {
  const rule = CAMPAIGN_RULES[of];
  if (rule.kind !== 'list') return CHECKED;
  const entries: Parameters<typeof isOpen>[0] = rule.entries;
  return isOpen(entries)
    ? list(text(entries.longest), entries.most)
    : list(oneOf(Object.keys(entries)), Object.keys(entries).length);
}

/** Settings whose row has the value of the form; of the others, it has a part, or what an earlier version kept there. */
const WHOLE_SETTINGS = new Set<SettingName>([
  'onboarding_charge',
  'client_sidebar',
  'lead_returns',
  'billing_threshold',
]);
const setting: Rule = (value, row) => {
  const of = row.name as SettingName;
  if (of === 'agency_costs') return fitting(z.object({ term: z.enum(PAYMENT_TERMS).nullish() }))(value, row);
  if (!WHOLE_SETTINGS.has(of)) return document()(value, row);
  const schema = SETTINGS[of];
  return document()(value, row) ?? fitting(schema)(toWire(schema, value) as JsonValue, row);
};

const Short = z.string().max(255);
const When = z
  .string()
  .max(60)
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be an instant');
const Percent = z.number().min(0).max(100);
const EvidenceKey = z.object({
  key: Short.nullable(),
  source: Short.nullish(),
  seen_at: When.nullish(),
  people: z.number().nullish(),
  confidence: Percent,
});
/** What a lead's pages go through and link to. What else there is, no code reads. */
const Evidence = z.object({
  keys: z.array(EvidenceKey).optional(),
  alternatives: z.number().optional(),
  others: z.array(z.object({ confidence: Percent, keys: z.array(EvidenceKey) })).optional(),
  visited_at: When.nullish(),
  signals: z
    .array(
      z.object({
        keyword: z.string(),
        url: z
          .string()
          .regex(/^https?:\/\/[^\s\0]+$/i, 'must be a URL that starts with http:// or https://')
          .nullish(),
        place: Short.nullish(),
        at: When,
        key: Short.nullish(),
        confidence: Percent,
      }),
    )
    .optional(),
  signal_count: z.number().optional(),
});
const Details = z.object({
  facts: z.object({
    depth: z.number(),
    of: z.enum(['page', 'signal']),
    hot: z.array(z.string()),
    fit: z.object({ fits: z.number(), unknown: z.number(), asked: z.number() }).nullable(),
  }),
  reasons: z.array(
    z.object({
      reason: z.enum(scoreReasonNames),
      points: z.number(),
      most: z.number(),
      words: z.string(),
    }),
  ),
});
const Data = z.record(z.string().max(60), z.string().max(20_000).nullable());
const Answers = z.record(
  z.string().max(60),
  z.union([z.string().max(2_000), z.array(Short).max(50), z.null()]),
);
const Permissions = z
  .array(z.object({ name: z.string().regex(/^[a-z_]{1,60}$/), active: z.boolean() }))
  .max(50);

/** For whom a campaign looks; an audience of a keyword count looks for the same. */
const SEARCHED = {
  location: oneOf(['national', 'state', 'zip']),
  states: list(line, 60),
  cities: list(line, MOST_CITIES),
  zips: list(line, MOST_ZIPS),
  keywords: list(line, MOST_KEYWORDS),
  titles: list(text(300), 500),
  seniorities: list(text(300), 500),
  departments: list(text(300), 500),
  industries: list(text(300), 500),
  sizes: list(number(0, 100), 100),
};
const search: Rule = (value, row) => {
  const fault = document(3_000_000)(value, row);
  if (fault) return fault;
  for (const [key, one] of Object.entries(value as JsonRow)) {
    const rule = key === 'module' ? word : (SEARCHED as Record<string, Rule>)[key];
    const wrong = rule ? rule(one, row) : 'is none of the choices';
    if (wrong) return `${key.slice(0, 60)}: ${wrong}`;
  }
  return null;
};

/** The columns that are texts, numbers, lists, and documents, by table: a new one is in none and fails the test. */
export const VALUES: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  company: {
    kind: CHECKED,
    name: named(CHECKED),
    time_zone: zone,
    legal_name: named(CHECKED),
    short_name: named(CHECKED),
    address: CHECKED,
    city: CHECKED,
    zip: CHECKED,
    state_code: CHECKED,
    country_code: CHECKED,
    phone: CHECKED,
    email: CHECKED,
    external_id: CHECKED,
    industry: line,
  },
  company_products: { modules: list(word, 20), terms: list(text(20), 20) },
  picture: { purpose: CHECKED, type: CHECKED, width: count, height: count },
  brand: {
    name,
    tagline: name,
    box_bgcolor: color,
    text_color: color,
    link_color: color,
    template_bgcolor: color,
    sidebar_bgcolor: color,
    font_theme: oneOf(Object.keys(FONT_THEMES)),
  },
  module_label: { module: CHECKED, name, slug: fitting(ModuleSlug) },
  setting: { name: oneOf(Object.keys(SETTINGS)), value: setting, version: count },
  role: { name: named(CHECKED) },
  role_module: { module: CHECKED },
  user_account: {
    role: CHECKED,
    email: is(
      'must be an email address',
      (value) => value.endsWith('@taken.invalid') || email(value, {}) === null,
    ),
    name: named(CHECKED),
    phone: CHECKED,
    phone_country: CHECKED,
    phone_calling: CHECKED,
    address: line,
    city: line,
    zip: line,
    state_code: line,
    country_code: line,
    picture: line,
    permissions: shaped(Permissions),
  },
  questionnaire: { industry_id: orEmpty(token), answers: shaped(Answers) },
  list_view: {
    list: fitting(ListName),
    name: named(CHECKED),
    params: fitting(Params),
    columns: list(token, 200),
  },
  list_look: { list: fitting(ListName), density: CHECKED, columns: list(token, 200) },
  campaign: {
    module: CHECKED,
    name: named(CHECKED),
    state: CHECKED,
    state_reason: word,
    site_key: token,
    site_url: orEmpty(web),
    thank_you_url: orEmpty(web),
    reidentify: CHECKED,
    min_confidence: count,
    daily_cap: count,
    minimum_limit: count,
    advance_information: list(count, 1_000),
    b2b_information: list(count, 1_000),
    min_pages: count,
    score_recency: count,
    score_depth: count,
    score_hot: count,
    score_fit: count,
    pixel_check: word,
    limit_every: CHECKED,
    site_hosts: list(host, 50),
    fit_titles: ofRule('fit_titles'),
    fit_seniorities: ofRule('fit_seniorities'),
    fit_industries: ofRule('fit_industries'),
    fit_sizes: ofRule('fit_sizes'),
    fit_states: ofRule('fit_states'),
    fit_zips: ofRule('fit_zips'),
    fit_ages: ofRule('fit_ages'),
    fit_incomes: ofRule('fit_incomes'),
    fit_home: CHECKED,
    fit_unknown: CHECKED,
    score_pages: ofRule('score_pages'),
    fit_use: CHECKED,
  },
  campaign_data: { field: count },
  campaign_keyword: { words: line },
  campaign_place: { kind: count, place: hashed },
  campaign_target: { ...SEARCHED, description: text(), size: count },
  template: { kind: CHECKED, module: CHECKED, name: named(CHECKED), versions: count },
  template_version: { number: count, fields: CHECKED_DOCUMENT, source: CHECKED, note: CHECKED },
  company_group: { name: named(CHECKED) },
  campaign_report: {
    notify_every: count,
    notify_to: list(email, 100),
    report_every: CHECKED,
    report_to: list(email, 100),
    report_type: CHECKED,
  },
  campaign_report_sent: { leads: count, recipients: count },
  connection: {
    vendor: oneOf([...vendors.keys()]),
    name: line,
    account: text(500),
    state: CHECKED,
    state_reason: text(),
    auth: CHECKED,
  },
  integration: {
    kind: oneOf(['webhook', ...vendors.keys()]),
    state: CHECKED,
    state_reason: text(),
    name: text(2_048),
    settings: shaped(Values(4_000), 1_000_000),
    mapping: shaped(Values(500), 200_000),
    payload: shaped(StoredPayload, 200_000),
    header_names: list(token, 100),
    rules: shaped(Rules),
  },
  destination_document: { document_id: CHECKED, url: orEmpty(web), recipients: list(email, 200) },
  alert: {
    name: named(CHECKED),
    min_score: count,
    per_hour: count,
    cooldown_hours: count,
    most_per_hour: count,
    state: CHECKED,
    trigger: CHECKED,
    pages: list(line, 100),
    fit: CHECKED,
    hours: fitting(Hours),
  },
  exclusion_list: {
    level: CHECKED,
    name: line,
    accepts: CHECKED,
    state: CHECKED,
    country: CHECKED,
    use: CHECKED,
    standing_for: CHECKED,
    md5_only: count,
    sha256_only: count,
    total_rows: count,
    rows_added: count,
    rows_bad: count,
    emails: count,
    phones: count,
    domains: count,
    phone_hashes: count,
    most_entries: count,
  },
  exclusion: { kind: count },
  banner: {
    name: CHECKED,
    alt_text: CHECKED,
    click_url: orEmpty(web),
    design: shaped(Design, 3_000_000),
    state: CHECKED,
  },
  audience: {
    name: CHECKED,
    source: CHECKED,
    kind: CHECKED,
    origin: CHECKED,
    search,
    state: CHECKED,
    file_name: line,
    days: count,
    total_rows: count,
    rows_added: count,
    rows_bad: count,
    size: count,
  },
  audience_member: { kind: count, email: line, address: line, city: line, state: line, zip: line },
  creative: {
    name: CHECKED,
    kind: CHECKED,
    type: CHECKED,
    alt_text: CHECKED,
    click_url: web,
    state: CHECKED,
    width: count,
    height: count,
  },
  campaign_hour: { visits: count, matched: count, leads: count, spend_micros: signed, cost_micros: signed },
  campaign_refusal: { reason: word, count },
  lead: {
    evidence: shaped(Evidence),
    score_details: shaped(Details),
    company_domain: domain,
    match_kind: count,
    confidence: count,
    score: number(-1, 100),
    price_micros: micros,
    cost_micros: micros,
  },
  lead_contact: {
    phones_withheld: count,
    first_name: text(),
    last_name: text(),
    email: text(),
    phone: text(),
    phone2: text(),
    address: text(),
    city: text(),
    county: text(),
    state: text(),
    zip: text(),
    company_name: text(),
    website: text(),
    job_title: text(),
    page_url: text(),
    referrer: text(),
  },
  lead_data: { fields: shaped(Data, LONGEST_DATA) },
  alert_event: { kind: CHECKED, count },
  delivery: { attempts: count, message_id: token, state: CHECKED, remote_id: CHECKED, cause: CHECKED },
  delivery_attempt: {
    number: count,
    // A clock that was set back between two instants makes it negative.
    duration_ms: number(-MOST_COUNT, MOST_COUNT),
    status: count,
    answer: text(),
    error: text(),
  },
  retail_cost: {
    module: CHECKED,
    term: CHECKED,
    limit_every: CHECKED,
    lead_micros: micros,
    lead_advanced_micros: micros,
    lead_b2b_micros: micros,
    lead_company_micros: micros,
    lead_max_micros: micros,
    month_micros: micros,
    setup_micros: micros,
    accepted_loss_micros: micros,
    topup: CHECKED,
    leads_buy: count,
    daily_cap: count,
  },
  cap: { subject: CHECKED, period: CHECKED, set_by: CHECKED, hard_micros: micros, soft_micros: micros },
  campaign_fee: {
    kind: CHECKED,
    period: token,
    term: text(20),
    retail_micros: micros,
    wholesale_micros: micros,
  },
};

/** Columns of documents that are added up, or that balances are opened with. Whatever else they have is only shown. */
export const ADDED_UP: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  account_balance: { balance: signed },
  entry: { amount: signed, account_code: count },
  wallet_lot: { remaining: micros, is_granted: flag, expires_at: instant },
  transfer: { kind: line },
  invoice: { side: line, kind: line, total_micros: signed },
  charge: { purpose: line, state: line, amount_cents: signed },
};

/** Instants and days, by their names, wherever they are. */
const INSTANTS = /(?:_at|_from|_to|^at|^hour)$/;
const DAYS = new Set([
  ...['starts_on', 'ends_on', 'limit_starts_on', 'limit_ends_on', 'visit_day', 'factor_from'],
]);
/** The rule of an instant or a day; undefined for other columns. */
export const timeRule = (column: string): Rule | undefined =>
  DAYS.has(column) ? day : INSTANTS.test(column) ? instant : undefined;

/** What is wrong with the values of a row of this table: the column and the rule; null if nothing is. */
export function faultOf(table: string, row: JsonRow, isDocument = false): string | null {
  const rules = (isDocument ? ADDED_UP : VALUES)[table] ?? {};
  for (const [column, value] of Object.entries(row)) {
    if (value === null) continue;
    const rule = rules[column] ?? (isDocument ? undefined : timeRule(column));
    const fault = rule?.(value, row);
    if (fault) return `${column}: ${fault}`;
  }
  return null;
}
