import { AGES, COMPANY_SIZES, INCOMES, INDUSTRIES, MOST_NAMES, SENIORITIES } from '../audience/audience.ts';
import { US_STATES } from '../choices.ts';
import type { RuleRefusal } from './rule-reasons.ts';

/**
 * A rule of a campaign: a setting that decides who becomes a lead, and with what. Its key in CAMPAIGN_RULES is its
 * column and its name inside; what is entered, checked, shown, copied, counted, and read by programs derives from here.
 * What a rule refuses is in server/features/campaigns/leads/policy.ts.
 */
interface Rule {
  /** Its name on the wire of the screens' calls, and what they say about it. */
  wire: string;
  about?: string;
  /** Its name in the developer API, and what is said about it there. */
  api: { name: string; about?: string };
  /** Its input: the part of the form that has it, its label and its help. */
  in: 'needs' | 'fits' | 'which' | 'scores';
  label: string;
  hint: string;
  /** Why someone it keeps out is not a lead; what screens say is in rule-reasons.ts. */
  refuses?: RuleRefusal;
  /** The modules that have it, if not all. Other campaigns keep what a new one starts with. */
  of?: readonly string[];
}
interface FlagRule extends Rule {
  kind: 'flag';
  start: boolean;
  /** What a lead must have if it is on; absent: it is its own fact, in these words. */
  needs?: string;
  fact?: { title: string; on: string; off: string };
}
interface WholeRule extends Rule {
  kind: 'whole';
  start: number;
  least: number;
  most: number;
  /** What follows the number: '%'. */
  unit: string;
}
interface ChoiceRule extends Rule {
  kind: 'choice';
  start: string;
  /** The choices, in order, with their words. */
  choices: Readonly<Record<string, string>>;
}

interface ListRule extends Rule {
  kind: 'list';
  start: readonly string[];
  /** The entries that can be chosen, with their words, or how an entry is written and what may be suggested. */
  entries: Readonly<Record<string, string>> | OpenEntries;
}
interface OpenEntries {
  most: number;
  longest: number;
  suggested: readonly string[];
  form?: RegExp;
  fault?: string;
}
/** Whether a list takes what people write, and not only what it names. */
export const isOpen = (entries: ListRule['entries']): entries is OpenEntries =>
  typeof entries.most === 'number';

const entriesShown = (entries: ListRule['entries'], values: readonly string[]): string =>
  values.map((value) => (isOpen(entries) ? value : (entries[value] ?? value))).join(', ');

type AnyRule = FlagRule | WholeRule | ChoiceRule | ListRule;

const named = (choices: readonly { name: string }[]): Readonly<Record<string, string>> =>
  Object.fromEntries(choices.map(({ name }) => [name, name]));

/** What a reason may weigh in a score; what counts is its share of all weights. */
const WEIGHT = { least: 0, most: 10, unit: '' } as const;

/** The rules, in the order of forms. */
export const CAMPAIGN_RULES = {
  email_required: {
    kind: 'flag',
    wire: 'requireemailaddress',
    start: true,
    about: 'T: leads must have an email address',
    api: { name: 'requires_email', about: 'Only people with an email address become leads' },
    in: 'needs',
    label: 'Email address',
    hint: 'People without a known email address do not become leads.',
    needs: 'Email address',
    refuses: 'email_missing',
  },
  phone_required: {
    kind: 'flag',
    wire: 'phoneenabled',
    start: false,
    about: 'T: leads must have a phone number',
    api: { name: 'requires_phone' },
    in: 'needs',
    label: 'Phone number',
    hint: 'People without a known phone number do not become leads.',
    needs: 'Phone number',
    refuses: 'phone_missing',
  },
  dnc_phones: {
    kind: 'flag',
    wire: 'dncphoneenabled',
    start: false,
    about:
      'T: phone numbers on do-not-call lists are delivered and marked as such. Otherwise they are left out',
    api: {
      name: 'do_not_call_phones',
      about: 'Whether phone numbers on do-not-call lists are delivered, with a mark',
    },
    in: 'needs',
    label: 'Deliver phone numbers on do-not-call lists',
    hint: 'If off, these numbers are left out of leads. If on, they are sent and marked. Calling them can break the law.',
    fact: { title: 'Phone numbers on do-not-call lists', on: 'Delivered and marked', off: 'Excluded' },
  },
  address_required: {
    kind: 'flag',
    wire: 'homeaddressenabled',
    start: false,
    about: 'T: leads must have a postal address',
    api: { name: 'requires_address' },
    in: 'needs',
    label: 'Postal address',
    hint: 'People without a known postal address do not become leads.',
    needs: 'Postal address',
    refuses: 'address_missing',
  },
  company_leads: {
    kind: 'flag',
    wire: 'companyleads',
    start: false,
    of: ['local'],
    about: 'T: companies become leads, at their own price, where the person is not known or may not be named',
    api: {
      name: 'company_leads',
      about: 'Whether companies become leads where the person is not known or may not be named. Site ID only',
    },
    in: 'which',
    label: 'Include companies without a person',
    hint: 'If a visitor is not recognized but comes from a company’s network, the company becomes a lead at the price per company. Visitors from the EU and the UK are never named.',
    fact: { title: 'Companies without a person', on: 'Included', off: 'Not included' },
  },
  fit_titles: {
    kind: 'list',
    wire: 'fitJobTitles',
    start: [],
    entries: { most: MOST_NAMES, longest: 120, suggested: [] },
    about: 'Not for B2B ID. Words in job titles. All words of an entry must be in the title',
    api: { name: 'fit_job_titles', about: 'Only people with one of these job titles become leads' },
    in: 'fits',
    label: 'Job titles',
    hint: "Press Enter after each. 'marketing manager' also finds 'Manager of Marketing'.",
    of: ['local', 'locator', 'enhance'],
  },
  fit_seniorities: {
    kind: 'list',
    wire: 'fitSeniority',
    start: [],
    entries: named(SENIORITIES),
    about: 'Not for B2B ID',
    api: { name: 'fit_seniority', about: 'Only people of these seniorities become leads' },
    in: 'fits',
    label: 'Seniority',
    hint: 'Their level at work.',
    of: ['local', 'locator', 'enhance'],
  },
  fit_industries: {
    kind: 'list',
    wire: 'fitIndustry',
    start: [],
    entries: { most: MOST_NAMES, longest: 120, suggested: INDUSTRIES },
    about: 'Not for B2B ID. Words in industries. All words of an entry must be in the industry',
    api: { name: 'fit_industries', about: 'Only people who work in one of these industries become leads' },
    in: 'fits',
    label: 'Industry',
    hint: "Press Enter after each. 'Software' also finds 'Computer Software'.",
    of: ['local', 'locator', 'enhance'],
  },
  fit_sizes: {
    kind: 'list',
    wire: 'fitCompanySize',
    start: [],
    entries: named(COMPANY_SIZES),
    about: 'Not for B2B ID',
    api: { name: 'fit_company_sizes', about: 'Only people at companies of these sizes become leads' },
    in: 'fits',
    label: 'Company size',
    hint: 'Number of people who work there.',
    of: ['local', 'locator', 'enhance'],
  },
  fit_states: {
    kind: 'list',
    wire: 'fitState',
    start: [],
    entries: US_STATES,
    about: 'State codes. People live in one of fitState or fitZip',
    api: { name: 'fit_states', about: 'Only people who live here, or in fit_zip_codes, become leads' },
    in: 'fits',
    label: 'States',
    hint: 'Where they live. Someone in one of the states or ZIP codes fits.',
  },
  fit_zips: {
    kind: 'list',
    wire: 'fitZip',
    start: [],
    entries: {
      most: 1000,
      longest: 5,
      suggested: [],
      form: /^\d{3,5}$/,
      fault: 'must be a ZIP code or its first three or four digits',
    },
    about: 'ZIP codes, or their first three or four digits',
    api: { name: 'fit_zip_codes' },
    in: 'fits',
    label: 'ZIP codes',
    hint: 'Five digits, or the first three or four: 787 stands for all of Austin.',
  },
  fit_ages: {
    kind: 'list',
    wire: 'fitAge',
    start: [],
    entries: named(AGES),
    api: { name: 'fit_ages', about: 'Only people of these ages become leads' },
    in: 'fits',
    label: 'Age',
    hint: 'If only part of someone’s age range is in yours, their age counts as unknown.',
  },
  fit_incomes: {
    kind: 'list',
    wire: 'fitIncome',
    start: [],
    entries: named(INCOMES),
    api: { name: 'fit_incomes', about: 'Only people of households with these incomes become leads' },
    in: 'fits',
    label: 'Household income',
    hint: 'Per year. If only part of a household’s range is in yours, its income counts as unknown.',
  },
  fit_home: {
    kind: 'choice',
    wire: 'fitHome',
    start: 'any',
    choices: { any: 'Anyone', owner: 'Homeowners', renter: 'Renters' },
    api: { name: 'fit_home', about: 'Whether only homeowners or only renters become leads' },
    in: 'fits',
    label: 'Home',
    hint: 'Whether they own the home they live in.',
  },
  fit_use: {
    kind: 'choice',
    wire: 'fitUse',
    start: 'refuse',
    choices: { refuse: 'Do not become leads', score: 'Become leads with a lower score' },
    about: 'What happens with people outside the filter',
    api: { name: 'fit_use', about: 'Whether people outside the filter are left out, or only score lower' },
    in: 'fits',
    label: 'People outside the filter',
    hint: 'People who do not become leads are not charged and not delivered.',
    refuses: 'misfit',
  },
  fit_unknown: {
    kind: 'choice',
    wire: 'fitUnknown',
    start: 'take',
    choices: { take: 'Include them', refuse: 'Leave them out' },
    about: 'Whether people become leads if something the filter asks for is not known',
    api: {
      name: 'fit_unknown',
      about: 'What happens with people if something the filter asks for is not known',
    },
    in: 'fits',
    label: 'People with unknown values',
    hint: 'For example, someone whose age is not known while you ask for an age.',
  },
  reidentify: {
    kind: 'choice',
    wire: 'reidentificationtype',
    start: 'never',
    choices: {
      never: 'Never',
      '1_week': 'After 1 week',
      '1_month': 'After 1 month',
      '3_months': 'After 3 months',
      '6_months': 'After 6 months',
      '12_months': 'After 12 months',
    },
    about: 'When a person may become a lead of the same campaign again',
    api: { name: 'repeat_after', about: 'When a person can become a lead of the campaign again' },
    in: 'which',
    label: 'Repeat leads',
    hint: 'When someone who became a lead of this campaign can become one again.',
  },
  min_confidence: {
    kind: 'whole',
    wire: 'minConfidence',
    start: 50,
    least: 0,
    most: 100,
    unit: '%',
    about: 'Matches below this confidence are not leads',
    api: { name: 'min_confidence', about: 'Matches below this confidence, in percent, are not leads' },
    in: 'which',
    label: 'Minimum confidence',
    hint: 'How certain a match must be. Higher values mean fewer but more certain leads.',
    refuses: 'low_confidence',
  },
  min_pages: {
    kind: 'whole',
    wire: 'minPages',
    start: 1,
    least: 1,
    most: 20,
    unit: '',
    about:
      'Site ID only. Visitors who have viewed fewer pages of the site in the last 30 days are not leads yet. Pages that differ only in their query count as one',
    api: {
      name: 'min_pages',
      about: 'Site ID only. How many pages of the site people must view before they become leads',
    },
    in: 'which',
    label: 'Minimum pages viewed',
    hint: 'How many pages of the site someone must have viewed in the last 30 days. 1 includes everyone.',
    refuses: 'few_pages',
    of: ['local'],
  },
  score_recency: {
    kind: 'whole',
    wire: 'scoreRecency',
    start: 3,
    ...WEIGHT,
    about: 'The weight of recency in lead scores',
    api: { name: 'score_recency', about: 'The weight of when someone was last seen in lead scores' },
    in: 'scores',
    label: 'Recency weight',
    hint: 'How long ago someone was last on the site, or showed interest.',
  },
  score_depth: {
    kind: 'whole',
    wire: 'scoreDepth',
    start: 3,
    ...WEIGHT,
    about: 'The weight of the number of pages or signals in lead scores',
    api: { name: 'score_depth', about: 'The weight of the number of pages or signals in lead scores' },
    in: 'scores',
    label: 'Depth weight',
    hint: 'How many pages they viewed in 30 days, or how many signals they gave.',
  },
  score_hot: {
    kind: 'whole',
    wire: 'scoreHot',
    start: 4,
    ...WEIGHT,
    about: 'The weight of hot pages in lead scores',
    api: { name: 'score_hot', about: 'The weight of hot pages in lead scores' },
    in: 'scores',
    label: 'Hot pages weight',
    hint: 'Whether they viewed the pages below.',
  },
  score_fit: {
    kind: 'whole',
    wire: 'scoreFit',
    start: 2,
    ...WEIGHT,
    about: 'The weight of the filter fit in lead scores',
    api: { name: 'score_fit', about: 'The weight of the filter fit in lead scores' },
    in: 'scores',
    label: 'Fit weight',
    hint: 'How well they fit the filter. Without a filter, this has no effect.',
  },
  score_pages: {
    kind: 'list',
    wire: 'scorePages',
    start: ['pricing', 'demo', 'contact', 'quote', 'checkout'],
    entries: { most: 50, longest: 120, suggested: [] },
    about: 'Hot pages: words in the addresses of pages, or in keywords',
    api: { name: 'score_pages', about: 'Hot pages: words in the addresses of pages, or in keywords' },
    in: 'scores',
    label: 'Hot pages',
    hint: 'Part of a page’s address, or of a keyword: pricing also finds /en/pricing-plans.',
  },
} as const satisfies Record<string, AnyRule>;

type Rules = typeof CAMPAIGN_RULES;
export type RuleName = keyof Rules;
type Kept<R> = R extends { kind: 'flag' }
  ? boolean
  : R extends { kind: 'list' }
    ? string[]
    : R extends { choices: infer C }
      ? keyof C & string
      : number;
type Sent<R> = R extends { kind: 'flag' } ? 'T' | 'F' : Kept<R>;

/** The rules as they are stored. */
export type CampaignRules = { -readonly [N in RuleName]: Kept<Rules[N]> };
/** The rules as the screens' calls give and take them. */
export type RulesGiven = { -readonly [N in RuleName]: Sent<Rules[N]> };
/** The same by their names on the wire. */
export type RulesOnWire = { -readonly [N in RuleName as Rules[N]['wire']]: Sent<Rules[N]> };
/** The values of their inputs: text while a number is being typed. */
export type RuleInputs = {
  -readonly [N in RuleName]: Kept<Rules[N]> extends number ? number | string : Kept<Rules[N]>;
};
/** The rules by their names in the developer API. */
export type RulesOfApi = { -readonly [N in RuleName as Rules[N]['api']['name']]: Kept<Rules[N]> };

/** Every rule with its name inside. */
export const campaignRules = Object.entries(CAMPAIGN_RULES) as [RuleName, AnyRule][];

/** The rules that campaigns of a module have. */
const rulesOf = (module: string) => campaignRules.filter(([, rule]) => !rule.of || rule.of.includes(module));

/** The inputs of a part of a module's form. */
export const ruleInputsIn = (part: Rule['in'], module: string) =>
  rulesOf(module).filter(([, rule]) => rule.in === part);

const sent = (value: unknown): unknown => (typeof value === 'boolean' ? (value ? 'T' : 'F') : value);

/** The rules of a new campaign. */
export const NEW_RULES = Object.fromEntries(
  campaignRules.map(([name, { start }]) => [name, start]),
) as CampaignRules;

/** Only the rules of a campaign's row. */
export const rulesIn = (row: CampaignRules): CampaignRules =>
  Object.fromEntries(campaignRules.map(([name]) => [name, row[name]])) as CampaignRules;

/** Whether a change of rules changes what leads that are already there are scored by. */
export const changesScores = (row: CampaignRules, change: Partial<CampaignRules>): boolean =>
  campaignRules.some(
    ([name, rule]) =>
      rule.in === 'scores' && change[name] !== undefined && String(change[name]) !== String(row[name]),
  );

/** What a call shows of stored rules. */
export const rulesShown = (row: { [N in RuleName]: CampaignRules[N] | string }): RulesGiven =>
  Object.fromEntries(campaignRules.map(([name]) => [name, sent(row[name])])) as RulesGiven;

/** What a call that saves rules sets; only what it gives and what the module has. */
export const rulesStored = (
  given: { [N in RuleName]?: RulesGiven[N] | undefined },
  module: string,
): Partial<CampaignRules> =>
  Object.fromEntries(
    rulesOf(module).flatMap(([name, { kind }]) => {
      const value = given[name];
      return value === undefined ? [] : [[name, kind === 'flag' ? value === 'T' : value]];
    }),
  );

/** The rules after a change; omitted ones stay. */
export const rulesAfter = (
  row: { [N in RuleName]: CampaignRules[N] | string },
  change: { [N in RuleName]?: RulesGiven[N] | undefined },
): RulesGiven => ({
  ...rulesShown(row),
  ...Object.fromEntries(
    campaignRules.flatMap(([name]) => {
      const value = change[name];
      return value === undefined ? [] : [[name, value]];
    }),
  ),
});

/** The values of a form's inputs for rules that a call showed. */
export const ruleInputsOf = (shown: RulesGiven): RuleInputs =>
  Object.fromEntries(
    campaignRules.map(([name, { kind }]) => {
      const value = shown[name];
      return [name, kind === 'flag' ? value === 'T' : value];
    }),
  ) as RuleInputs;

/** What a form's inputs send; an emptied number is what a new campaign starts with. */
export const ruleInputsSent = (values: RuleInputs): RulesGiven =>
  Object.fromEntries(
    campaignRules.map(([name, { kind, start }]) => {
      const value = values[name];
      return [name, kind === 'whole' ? (value === '' ? start : Number(value)) : sent(value)];
    }),
  ) as RulesGiven;

/** What is wrong with the value of a form's input, by input; null if nothing is. */
export const RULE_FAULTS = Object.fromEntries(
  campaignRules.flatMap(([name, rule]): [string, (value: never) => string | null][] =>
    rule.kind === 'whole'
      ? [
          [
            name,
            (value: number | string) =>
              value !== '' &&
              Number.isInteger(Number(value)) &&
              Number(value) >= rule.least &&
              Number(value) <= rule.most
                ? null
                : `Enter a number from ${rule.least} to ${rule.most}`,
          ],
        ]
      : rule.kind === 'list'
        ? [[name, (value: string[]) => (isOpen(rule.entries) ? openFault(rule.entries, value) : null)]]
        : [],
  ),
) as Record<string, (value: never) => string | null>;

/** What is wrong with the entries that someone wrote into a list. */
function openFault({ most, form, fault }: OpenEntries, entries: readonly string[]): string | null {
  if (entries.length > most) return `Use up to ${most}`;
  const wrong = form && entries.find((entry) => !form.test(entry));
  return wrong === undefined ? null : `${wrong.slice(0, 20)} ${fault}`;
}

/** The rules of a campaign in words, for people who may only read them. */
export function ruleFacts(shown: RulesGiven, module: string): [title: string, words: string][] {
  const needs: string[] = [];
  const facts: [string, string][] = [];
  for (const [name, rule] of rulesOf(module)) {
    const value = shown[name];
    // A filter that lets everyone through is no fact, nor is a score as every campaign has it.
    if ((rule.in === 'fits' || rule.in === 'scores') && String(value) === String(rule.start)) continue;
    if (rule.kind === 'list') facts.push([rule.label, entriesShown(rule.entries, value as string[])]);
    else if (rule.kind === 'whole') facts.push([rule.label, `${value}${rule.unit}`]);
    else if (rule.kind === 'choice') facts.push([rule.label, rule.choices[value as string]!]);
    else if (rule.fact) facts.push([rule.fact.title, value === 'T' ? rule.fact.on : rule.fact.off]);
    else if (value === 'T') needs.push(rule.needs ?? rule.label);
  }
  return [['Lead requirements', needs.join(', ') || 'None'], ...facts];
}

/** What programs get of a campaign's rules. */
export const rulesOfApi = (row: { [N in RuleName]: CampaignRules[N] | string }): RulesOfApi =>
  Object.fromEntries(campaignRules.map(([name, { api }]) => [api.name, row[name]])) as RulesOfApi;
