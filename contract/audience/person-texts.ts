// No schema here, because screens use it as well.

interface PersonText {
  group: 'Name' | 'Place' | 'Work';
  /** Its words in imports, in mappings, and on a lead. */
  label: string;
  /** Column names as vendors write them, in lower case without spaces, underscores and dashes. */
  columns: string;
  /** What a lead has of it; absent: leads do not have it. */
  lead?: {
    /** The title of its column in files. */
    exported: string;
    /** What test leads have. */
    test: string;
    /** Its words where `label` alone is unclear: beside the client, for instance. */
    label?: string;
    /** What a lead's details call it where its own name is that of something else there. */
    detail?: string;
    /** A link on a lead. The parts of the address are shown together, and names are its title. */
    shown?: 'link' | 'address' | 'title';
  };
}

/**
 * The texts that say who someone is and where they live and work, taken from a file as they are. A key is the column of
 * people and of leads, and the name inside, in webhooks, and in the developer API. Imports and their guesses, the graph,
 * leads and their files, deliveries and their mappings derive from here.
 */
export const PERSON_TEXTS = {
  first_name: {
    group: 'Name',
    label: 'First name',
    columns: 'firstname fname givenname forename first',
    lead: { exported: 'First Name', test: 'Test', shown: 'title' },
  },
  last_name: {
    group: 'Name',
    label: 'Last name',
    columns: 'lastname lname surname familyname last',
    lead: { exported: 'Last Name', test: 'Lead', shown: 'title' },
  },
  address: {
    group: 'Place',
    label: 'Street address',
    columns: 'address address1 addressline1 street streetaddress personaladdress homeaddress mailingaddress',
    lead: { exported: 'Address', test: '1 Example Street', shown: 'address' },
  },
  city: {
    group: 'Place',
    label: 'City',
    columns: 'city town personalcity locality',
    lead: { exported: 'City', test: 'Springfield', shown: 'address' },
  },
  county: {
    group: 'Place',
    label: 'County',
    columns: 'county personalcounty',
    lead: { exported: 'County', test: 'Sangamon' },
  },
  state: {
    group: 'Place',
    label: 'State',
    columns: 'state province region personalstate statecode',
    lead: { exported: 'State', test: 'IL', shown: 'address' },
  },
  zip: {
    group: 'Place',
    label: 'ZIP code',
    columns: 'zip zipcode postal postalcode postcode personalzip zip5',
    lead: { exported: 'Zip', test: '62701', shown: 'address' },
  },
  company_name: {
    group: 'Work',
    label: 'Company',
    columns: 'company companyname organization organisation employer business businessname',
    lead: {
      exported: 'Company',
      test: 'Example Company',
      label: 'Company name',
      detail: 'contact_company',
    },
  },
  job_title: {
    group: 'Work',
    label: 'Job title',
    columns: 'jobtitle title position',
    lead: { exported: 'Job Title', test: 'Tester' },
  },
  website: {
    group: 'Work',
    label: 'Website',
    columns: 'website web url companywebsite domain homepage',
    lead: { exported: 'Website', test: 'https://example.com', shown: 'link' },
  },
} as const satisfies Record<string, PersonText>;

type Texts = typeof PERSON_TEXTS;
export type PersonTextName = keyof Texts;
/** The texts that leads have. */
export type LeadTextName = {
  [N in PersonTextName]: Texts[N] extends { lead: object } ? N : never;
}[PersonTextName];
/** What a lead's details call a text. */
type DetailName<N extends LeadTextName> = Texts[N]['lead'] extends { detail: infer D extends string } ? D : N;

export const personTexts = Object.keys(PERSON_TEXTS) as PersonTextName[];
const entries = Object.entries(PERSON_TEXTS) as [PersonTextName, PersonText][];

/** The texts of a lead, in the order of files. */
export const leadTexts = entries.flatMap(([name, { lead }]) =>
  lead ? [{ name: name as LeadTextName, ...lead }] : [],
);
const names = leadTexts.map(({ name }) => name);

/** Something for each text of a lead. */
export const ofLeadTexts = <T>(make: (name: LeadTextName) => T): Record<LeadTextName, T> =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<LeadTextName, T>;

/** The texts of a person or lead as a lead has them. */
export const leadTextsOf = <T>(of: { readonly [N in LeadTextName]: T }) => ofLeadTexts((name) => of[name]);

/** Something for each text of a lead, under the names of its details. */
export const ofLeadDetails = <T>(make: (name: LeadTextName) => T) =>
  Object.fromEntries(leadTexts.map(({ name, detail }) => [detail ?? name, make(name)])) as {
    [N in LeadTextName as DetailName<N>]: T;
  };

/** The labels of texts in mappings and rules: of names, or of the rest. */
export const leadTextLabels = <Of extends 'name' | 'rest'>(of: Of) =>
  Object.fromEntries(
    entries.flatMap(([name, { group, label, lead }]) =>
      lead && (group === 'Name') === (of === 'name') ? [[name, lead.label ?? label]] : [],
    ),
  ) as {
    [N in LeadTextName as (Texts[N]['group'] extends 'Name' ? 'name' : 'rest') extends Of
      ? N
      : never]: string;
  };

/** The labels of a group's texts in imports. */
export const personTextLabels = (of: PersonText['group']) =>
  Object.fromEntries(
    entries.flatMap(([name, { group, label }]) => (group === of ? [[name, label]] : [])),
  ) as Partial<Record<PersonTextName, string>>;

/** What a lead shows one by one: neither its title nor part of its address. */
export const leadFacts = entries.flatMap(([name, { label, lead }]) =>
  lead && lead.shown !== 'title' && lead.shown !== 'address'
    ? [{ name: (lead.detail ?? name) as DetailName<LeadTextName>, label, isLink: lead.shown === 'link' }]
    : [],
);
