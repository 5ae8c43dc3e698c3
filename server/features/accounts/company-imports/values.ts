import type { z } from 'zod';
import { FONT_THEMES } from '../../../../contract/accounts/fonts.ts';
import { SETTINGS } from '../../../../contract/accounts/settings.ts';
import { CAMPAIGN_RULES, type RuleName } from '../../../../contract/campaigns/campaign-rules.ts';
import { Hours } from '../../../../contract/campaigns/delivery.ts';
import { siteHostOf } from '../../../../contract/campaigns/site-hosts.ts';
import { Email, WebUrl } from '../../../../contract/primitives.ts';
import { vendors } from '../../../integrations/index.ts';
import type { JsonRow, JsonValue } from './rows.ts';

// What an archive has in a column was once checked by a form. Since then, anyone may have changed it, and no form sees it
// again: what is imported is shown, sent, compared, and put into styles and addresses as if it had been
// (docs/decisions/0501-values-of-imports.md).

/** What a value must be; null if it is. */
type Rule = (value: JsonValue) => string | null;

const LONGEST = 5_000;
const LONGEST_DOCUMENT = 50_000;
const MOST_ENTRIES = 10_000;
/** The first and the last year of anything that happens. */
const [FIRST_YEAR, LAST_YEAR] = [1970, 2199];
/** Amounts and counts that are shown exactly and can be added up. */
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
const fitting = (schema: z.ZodType): Rule => {
  return (value) => {
    const { error } = schema.safeParse(value);
    return error ? error.issues[0]!.message : null;
  };
};
const orEmpty =
  (rule: Rule): Rule =>
  (value) =>
    value === '' ? null : rule(value);
const list =
  (rule: Rule, most = MOST_ENTRIES): Rule =>
  (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    if (value.length > most) return `must not have more than ${most.toLocaleString('en-US')} entries`;
    for (const one of value) {
      const fault = rule(one);
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
const texts: Rule = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be a list of names';
  return list(text(), 1_000)(Object.values(value)) ?? document()(value);
};
const number =
  (least: number, most: number): Rule =>
  (value) => {
    const of = typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? Number(value) : value;
    return typeof of === 'number' && of >= least && of <= most
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

/** The rule of a campaign's setting, by its name. */
function ofRule(name: RuleName): Rule {
  const rule = CAMPAIGN_RULES[name];
  if (rule.kind === 'list') {
    const entries = rule.entries as { most?: number; longest?: number };
    return list(text(entries.longest ?? 255), entries.most ?? MOST_ENTRIES);
  }
  return CHECKED;
}

/** The columns that are texts, lists of texts, and documents, by table: a new one is in none and fails the test. */
export const VALUES: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  company: {
    kind: CHECKED,
    name: CHECKED,
    time_zone: text(60),
    legal_name: CHECKED,
    short_name: CHECKED,
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
  picture: { purpose: CHECKED, type: CHECKED },
  brand: {
    name: line,
    tagline: line,
    box_bgcolor: color,
    text_color: color,
    link_color: color,
    template_bgcolor: color,
    sidebar_bgcolor: color,
    font_theme: oneOf(Object.keys(FONT_THEMES)),
  },
  module_label: { module: CHECKED, name: line, slug: CHECKED },
  setting: { name: oneOf([...Object.keys(SETTINGS), 'smtp']), value: document() },
  role: { name: CHECKED },
  role_module: { module: CHECKED },
  user_account: {
    role: CHECKED,
    email: is(
      'must be an email address',
      (value) => value.endsWith('@taken.invalid') || email(value) === null,
    ),
    name: CHECKED,
    phone: CHECKED,
    phone_country: CHECKED,
    phone_calling: CHECKED,
    address: line,
    city: line,
    zip: line,
    state_code: line,
    country_code: line,
    picture: line,
    permissions: document(),
  },
  questionnaire: { industry_id: orEmpty(token), answers: document() },
  list_view: { list: CHECKED, name: CHECKED, params: texts, columns: list(token, 200) },
  list_look: { list: CHECKED, density: CHECKED, columns: list(token, 200) },
  campaign: {
    module: CHECKED,
    name: CHECKED,
    state: CHECKED,
    state_reason: word,
    site_key: token,
    site_url: orEmpty(web),
    thank_you_url: orEmpty(web),
    reidentify: CHECKED,
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
  campaign_keyword: { words: line },
  campaign_target: {
    location: CHECKED,
    states: list(line),
    cities: list(line),
    zips: list(line, 20_000),
    keywords: list(line),
    description: text(),
    titles: list(line),
    seniorities: list(line),
    departments: list(line),
    industries: list(line),
  },
  template: { kind: CHECKED, module: CHECKED, name: CHECKED },
  template_version: { fields: CHECKED_DOCUMENT, source: CHECKED, note: CHECKED },
  company_group: { name: CHECKED },
  campaign_report: {
    notify_to: list(email, 100),
    report_every: CHECKED,
    report_to: list(email, 100),
    report_type: CHECKED,
  },
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
    settings: texts,
    mapping: texts,
    payload: document(200_000),
    header_names: list(token, 100),
    rules: document(),
  },
  destination_document: { document_id: CHECKED, url: orEmpty(web), recipients: list(email, 200) },
  alert: {
    name: CHECKED,
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
  },
  banner: {
    name: CHECKED,
    alt_text: CHECKED,
    click_url: orEmpty(web),
    design: CHECKED_DOCUMENT,
    state: CHECKED,
  },
  audience: {
    name: CHECKED,
    source: CHECKED,
    kind: CHECKED,
    origin: CHECKED,
    search: document(),
    state: CHECKED,
    file_name: line,
  },
  audience_member: { email: line, address: line, city: line, state: line, zip: line },
  creative: {
    name: CHECKED,
    kind: CHECKED,
    type: CHECKED,
    alt_text: CHECKED,
    click_url: web,
    state: CHECKED,
  },
  campaign_refusal: { reason: word },
  lead: { evidence: document(), score_details: document(), company_domain: text(253) },
  lead_contact: {
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
  lead_data: { fields: document() },
  alert_event: { kind: CHECKED },
  delivery: { message_id: token, state: CHECKED, remote_id: CHECKED, cause: CHECKED },
  delivery_attempt: { answer: text(), error: text() },
  retail_cost: { module: CHECKED, term: CHECKED, limit_every: CHECKED },
  cap: { subject: CHECKED, period: CHECKED, set_by: CHECKED },
  campaign_fee: { kind: CHECKED, period: token, term: text(20) },
};

/** Numbers, by the ends of their names, and what they must be. */
const COUNTS = new Set(['visits', 'matched', 'leads', 'count', 'attempts', 'number', 'versions']);
const isInstant = (name: string): boolean =>
  /(_at|_from|_to)$/.test(name) || name === 'at' || name === 'hour';

/** The rule of a column that is in no list, by its name. */
function byName(name: string, value: JsonValue): string | null {
  if (name.endsWith('_micros')) return number(0, MOST_MICROS)(value);
  if (COUNTS.has(name)) return number(0, MOST_COUNT)(value);
  if (isInstant(name) && typeof value === 'string') {
    const year = new Date(value).getUTCFullYear();
    return year >= FIRST_YEAR && year <= LAST_YEAR
      ? null
      : `must be an instant from ${FIRST_YEAR} to ${LAST_YEAR}`;
  }
  return null;
}

const NUL = /(?:^|[^\\])(?:\\\\)*\\u0000/;

/** What is wrong with a row that is to be imported, and is `json`: the column and the rule; null if nothing is. */
export function faultOf(table: string, row: JsonRow, json: string): string | null {
  if (NUL.test(json)) return 'must not have a NUL character';
  const rules = VALUES[table] ?? {};
  for (const [column, value] of Object.entries(row)) {
    if (value === null) continue;
    const rule = rules[column];
    const fault = rule ? rule(value) : byName(column, value);
    if (fault) return `${column}: ${fault}`;
  }
  return null;
}
