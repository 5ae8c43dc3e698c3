/** A document that a tenant shows under its own name: plain-text paragraphs with headings. */
export interface LegalDocument {
  title: string;
  version: string;
  /** The date from which this wording applies, YYYY-MM-DD. */
  since: string;
  sections: { heading: string; paragraphs: string[] }[];
}

/** Every document, by the name used in its address or agreement. */
export const LEGAL_NAMES = [
  'privacy-policy',
  'term-of-use',
  'service-billing-agreement',
  'marketing-services-agreement-developer',
  'default_agency',
  'default_client',
  'minimum_spend',
  'minimum_spend_v2',
  'minimum_spend_v3',
  'developer',
  'data_wallet',
  'b2b_module',
  'simplifi_module',
] as const;
export type LegalName = (typeof LEGAL_NAMES)[number];

export const isLegalName = (name: string): name is LegalName =>
  (LEGAL_NAMES as readonly string[]).includes(name);

/** The notice above each document, saying that the texts are templates. */
export const legalNote = (party: string): string =>
  `Template wording. ${party} reviews it with counsel and completes it before relying on it.`;

/** The section of the privacy policy below which the page lists how long each kind of data is kept. */
export const RETENTION_HEADING = 'How long';

type Section = LegalDocument['sections'][number];
const section = (heading: string, ...paragraphs: string[]): Section => ({ heading, paragraphs });

const dataUse = (party: string): Section =>
  section(
    'Lawful use of data',
    'Leads and audiences may be used for your own marketing only, and only where the law allows you to contact the person. You honor every opt-out right away, keep data no longer than you need it, and do not use it for decisions about credit, employment, insurance, or housing.',
    `You do not resell or publish data received through ${party}, except to the client it was made for.`,
  );
const ending = (party: string): Section =>
  section(
    'Term and ending',
    'The agreement begins when it is accepted and runs until either side ends it. When it ends, active campaigns are stopped, and usage up to then is billed.',
    `${party} may suspend access while an invoice is overdue or the data is used unlawfully, and will say why.`,
  );
const billing = (party: string): Section =>
  section(
    'Prices and payment',
    'Prices are those shown in your account when a campaign is started or a balance is topped up, in US dollars. Leads are billed when they are delivered. Campaign and platform fees are billed at the beginning of their period.',
    `${party} charges the card on file. A declined charge is retried, and campaigns pause until it is paid. An invoice can be disputed within 30 days of its date.`,
  );
const minimumSpend = (party: string): Section[] => [
  section(
    'Minimum spend',
    `The plan in your account sets an amount for each month. If the wholesale total of a month is lower, ${party} invoices the difference at the end of that month.`,
    'The first month that counts is the first full month after acceptance. A plan can be changed only if both sides agree.',
  ),
  billing(party),
  ending(party),
];

const DOCUMENTS: Record<LegalName, (party: string) => Omit<LegalDocument, 'version' | 'since'>> = {
  'privacy-policy': (party) => ({
    title: 'Privacy policy',
    sections: [
      section(
        'Who is responsible',
        `${party} operates this service and decides how personal information in your account is handled. For leads and visitor data of a campaign, the company that runs the campaign decides, and ${party} processes them on its behalf.`,
      ),
      section(
        'What is collected',
        'From people with an account: name, email address, phone number, company, address, sign-in times, device and IP address, and changes to the account.',
        'From visitors to sites with a campaign’s pixel: the page, the time, the referring page, the browser, the IP address, an identifier stored in the browser, and, if a visitor enters an email address in a form, a one-way hash of it. Visits sent with Global Privacy Control are stored without address, identifier, or hash, and are never matched to a person.',
      ),
      section(
        'What it is used for',
        'To provide and secure the service, to recognize interested visitors for the company whose site they visited, to bill, to answer you, and to meet legal duties.',
      ),
      section(
        'Who receives it',
        'Leads go to the company that runs the campaign and to the destinations it has set up. Service providers (hosting, email, payments) receive what they need to work for us. Nothing is sold for other purposes.',
      ),
      section(
        'Your rights',
        `You may ask what data we have about you, have it corrected or erased, object to being recognized, and opt out of sale or sharing. Write to ${party}. An opt-out applies to every campaign. You will not be treated worse for using these rights.`,
      ),
      section(
        RETENTION_HEADING,
        'Account records and invoices are kept as long as the law requires. Data that identifies a person can be erased without affecting the books. Other data is deleted after these periods:',
      ),
      section(
        'Cookies',
        'This site keeps one cookie, which signs you in. It is strictly necessary and is removed when you sign out.',
      ),
    ],
  }),
  'term-of-use': (party) => ({
    title: 'Terms of use',
    sections: [
      section(
        'The service',
        `${party} provides a platform for campaigns that recognize interested people and deliver them as leads. These terms apply to everyone who signs in.`,
      ),
      section(
        'Your account',
        'Provide accurate details, keep your password and second factor to yourself, and tell us if you think someone else has used your account. You are responsible for everything done with it and for the people you invite.',
      ),
      dataUse(party),
      section(
        'What is not allowed',
        'Placing a pixel on sites that are not yours, uploading data that you may not use, bypassing limits, testing the security of the service without consent, or using it to harm others.',
      ),
      section(
        'Availability and liability',
        'The service is provided with care, but interruptions are possible. No number of leads or sales is guaranteed. Liability is limited to the amount paid in the previous three months, except where the law does not allow a limit.',
      ),
      ending(party),
    ],
  }),
  'service-billing-agreement': (party) => ({
    title: 'Service and billing agreement',
    sections: [
      section(
        'What is agreed',
        `This agreement is between ${party} and the company that accepts it. It sets out what the service costs and how it is paid.`,
      ),
      billing(party),
      section(
        'Prepaid balances',
        'A prepaid balance is used lead by lead. With continual top-up, it is refilled when it runs low, until you stop it. A balance expires after 12 months if unused, is non-refundable, and has no cash value.',
      ),
      ending(party),
    ],
  }),
  'marketing-services-agreement-developer': (party) => ({
    title: 'Marketing services agreement for developers',
    sections: [
      section(
        'What is agreed',
        `${party} gives the accepting company access to its API with its own keys. A one-time fee is due on acceptance, and a minimum spend applies from the date of acceptance. Both amounts are shown before you accept.`,
      ),
      section(
        'Keys',
        'Keys are secret. You keep them on your own servers, replace them if others may have seen them, and are responsible for every call made with them.',
      ),
      dataUse(party),
      billing(party),
      ending(party),
    ],
  }),
  default_agency: (party) => ({
    title: 'Agency agreement',
    sections: [
      section(
        'What is agreed',
        `${party} lets the accepting agency offer the platform to its own clients, under its own name, and charges it at wholesale prices. The agency sets its clients’ prices, bills them, and answers their questions.`,
      ),
      billing(party),
      dataUse(party),
      ending(party),
    ],
  }),
  default_client: (party) => ({
    title: 'Client agreement',
    sections: [
      section(
        'What is agreed',
        `${party} runs campaigns for the accepting company and delivers the leads they generate.`,
      ),
      billing(party),
      dataUse(party),
      ending(party),
    ],
  }),
  minimum_spend: (party) => ({ title: 'Minimum spend agreement', sections: minimumSpend(party) }),
  minimum_spend_v2: (party) => ({
    title: 'Minimum spend agreement, second edition',
    sections: minimumSpend(party),
  }),
  minimum_spend_v3: (party) => ({
    title: 'Minimum spend agreement, third edition',
    sections: minimumSpend(party),
  }),
  developer: (party) => DOCUMENTS['marketing-services-agreement-developer'](party),
  data_wallet: (party) => ({
    title: 'Data Wallet agreement',
    sections: [
      section(
        'The wallet',
        `The Data Wallet is a prepaid balance with ${party} that leads are paid from. It is topped up by card, by the amount you choose.`,
        'With continual top-up, the chosen amount is charged again when the balance falls to 10% of it, until you stop it.',
        'The wallet expires after 12 months if unused, is non-refundable and has no cash value.',
      ),
      ending(party),
    ],
  }),
  b2b_module: (party) => ({
    title: 'Service agreement: B2B',
    sections: [
      section(
        'A trial module',
        `${party} offers the B2B module as a trial. It may change or end. Campaigns are billed as shown when they are started.`,
      ),
      dataUse(party),
      ending(party),
    ],
  }),
  simplifi_module: (party) => ({
    title: 'Service agreement: programmatic advertising',
    sections: [
      section(
        'A trial module',
        `${party} offers programmatic advertising as a trial. It may change or end. Impressions are bought within the budget you set and cannot be refunded.`,
      ),
      ending(party),
    ],
  }),
};

/**
 * Returns the template of a document in a tenant's name: version 1, until the tenant publishes its own.
 * @param party the tenant as its visitors know it
 */
export function legalDocument(name: LegalName, party: string): LegalDocument {
  return { ...DOCUMENTS[name](party), version: '1', since: '2026-01-01' };
}
