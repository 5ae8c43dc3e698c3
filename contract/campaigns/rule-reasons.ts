/**
 * What screens say about the people that a campaign's rules keep out, by the code of the reason. A file of its own: Home
 * shows the reasons on its first load, and needs nothing else of the rules.
 */
export const RULE_REASONS = {
  email_missing: ['No email address', 'The campaign needs an email address, and none is known.'],
  phone_missing: ['No phone number', 'The campaign needs a phone number, and none is known.'],
  address_missing: ['No postal address', 'The campaign needs a postal address, and none is known.'],
  misfit: [
    'Does not fit the filter',
    'The person is outside the campaign’s filter or on an exclusion list. For privacy, we don’t show which.',
  ],
  low_confidence: ['Match confidence too low', 'The match was below the campaign’s minimum confidence.'],
  few_pages: [
    'Too few pages viewed',
    'The visitor had viewed fewer pages than the campaign requires. They can become a lead when they view more.',
  ],
} satisfies Record<string, [title: string, meaning: string]>;

/** Why a rule keeps someone out. */
export type RuleRefusal = keyof typeof RULE_REASONS;
