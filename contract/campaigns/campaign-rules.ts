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
  in: 'needs' | 'which';
  label: string;
  hint: string;
  /** Why someone it keeps out is not a lead: a code, and what screens say. */
  refuses?: { code: string; title: string; meaning: string };
  /** The modules that have it, if not all. Other campaigns keep what a new one starts with. */
  of?: readonly string[];
}
interface FlagRule extends Rule {
  kind: 'flag';
  start: boolean;
  /** What a lead must have if it is on; absent: it is a fact of its own, in these words. */
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
    refuses: {
      code: 'email_missing',
      title: 'No email address',
      meaning: 'The campaign needs an email address, and none is known.',
    },
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
    refuses: {
      code: 'phone_missing',
      title: 'No phone number',
      meaning: 'The campaign needs a phone number, and none is known.',
    },
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
    refuses: {
      code: 'address_missing',
      title: 'No postal address',
      meaning: 'The campaign needs a postal address, and none is known.',
    },
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
    refuses: {
      code: 'low_confidence',
      title: 'Match confidence too low',
      meaning: 'The match was below the campaign’s minimum confidence.',
    },
  },
  min_pages: {
    kind: 'whole',
    wire: 'minPages',
    start: 1,
    least: 1,
    most: 20,
    unit: '',
    about:
      'Site ID only. Visitors who have viewed fewer pages of the site in the last 30 days are not leads yet. Pages that differ only in their query are one',
    api: {
      name: 'min_pages',
      about: 'Site ID only. How many pages of the site people have viewed before they become leads',
    },
    in: 'which',
    label: 'Minimum pages viewed',
    hint: 'How many pages of the site someone must have viewed in the last 30 days. 1 includes everyone.',
    refuses: {
      code: 'few_pages',
      title: 'Too few pages viewed',
      meaning:
        'The visitor had viewed fewer pages than the campaign asks for. They can become a lead when they view more.',
    },
    of: ['local'],
  },
} as const satisfies Record<string, FlagRule | WholeRule | ChoiceRule>;

type Rules = typeof CAMPAIGN_RULES;
export type RuleName = keyof Rules;
type Kept<R> = R extends { kind: 'flag' }
  ? boolean
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

/** Why a rule keeps someone out. */
export type RuleRefusal = {
  [N in RuleName]: Rules[N] extends { refuses: { code: infer C extends string } } ? C : never;
}[RuleName];

/** Every rule with its name inside. */
export const campaignRules = Object.entries(CAMPAIGN_RULES) as [
  RuleName,
  FlagRule | WholeRule | ChoiceRule,
][];

/** The rules that campaigns of a module have. */
const rulesOf = (module: string) => campaignRules.filter(([, rule]) => !rule.of || rule.of.includes(module));

/** What screens say about the rules' refusals, by code. */
export const RULE_REASONS = Object.fromEntries(
  campaignRules.flatMap(([, { refuses }]) =>
    refuses ? [[refuses.code, [refuses.title, refuses.meaning]]] : [],
  ),
) as Record<RuleRefusal, [title: string, meaning: string]>;

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

/** What is wrong with the number of a form's input, by input; null if nothing is. */
export const RULE_FAULTS = Object.fromEntries(
  campaignRules.flatMap(([name, rule]) =>
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
      : [],
  ),
) as Record<string, (value: number | string) => string | null>;

/** The rules of a campaign in words, for people who may only read them. */
export function ruleFacts(shown: RulesGiven, module: string): [title: string, words: string][] {
  const needs: string[] = [];
  const facts: [string, string][] = [];
  for (const [name, rule] of rulesOf(module)) {
    const value = shown[name];
    if (rule.kind === 'whole') facts.push([rule.label, `${value}${rule.unit}`]);
    else if (rule.kind === 'choice') facts.push([rule.label, rule.choices[value]!]);
    else if (rule.fact) facts.push([rule.fact.title, value === 'T' ? rule.fact.on : rule.fact.off]);
    else if (value === 'T') needs.push(rule.needs ?? rule.label);
  }
  return [['Lead requirements', needs.join(', ') || 'None'], ...facts];
}

/** What programs get of a campaign's rules. */
export const rulesOfApi = (row: { [N in RuleName]: CampaignRules[N] | string }): RulesOfApi =>
  Object.fromEntries(campaignRules.map(([name, { api }]) => [api.name, row[name]])) as RulesOfApi;
