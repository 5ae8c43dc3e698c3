// The choices of the questionnaire: plain lists, so that no schema is sent to the browser with them.

/** The industries of people's businesses; ids are sent, names are shown. */
export const INDUSTRIES = [
  { id: 'advertising', name: 'Advertising and marketing' },
  { id: 'automotive', name: 'Automotive' },
  { id: 'construction', name: 'Construction and home services' },
  { id: 'education', name: 'Education' },
  { id: 'finance', name: 'Finance and insurance' },
  { id: 'health', name: 'Health and wellness' },
  { id: 'hospitality', name: 'Hospitality and travel' },
  { id: 'legal', name: 'Legal' },
  { id: 'manufacturing', name: 'Manufacturing' },
  { id: 'nonprofit', name: 'Non-profit' },
  { id: 'professional', name: 'Professional services' },
  { id: 'property', name: 'Real estate' },
  { id: 'retail', name: 'Retail and e-commerce' },
  { id: 'software', name: 'Software and technology' },
  { id: 'other', name: 'Other' },
] as const;

export const industryName = (id: string | null): string =>
  INDUSTRIES.find((one) => one.id === id)?.name ?? '';

/** How many clients, or campaigns, someone works with. */
export const SIZES = [
  { value: '1', label: 'One' },
  { value: '2-10', label: '2 to 10' },
  { value: '11-50', label: '11 to 50' },
  { value: 'over-50', label: 'More than 50' },
] as const;
/** How long the user has worked with purchased or generated leads. */
export const EXPERIENCE = [
  { value: 'none', label: 'Not yet' },
  { value: 'some', label: 'Less than a year' },
  { value: 'long', label: 'More than a year' },
] as const;
/** The type of business. */
export const BUSINESS = [
  { value: 'agency', label: 'Marketing agency' },
  { value: 'broker', label: 'Lead seller or broker' },
  { value: 'consultant', label: 'Consultant' },
  { value: 'software', label: 'Software company' },
  { value: 'publisher', label: 'Publisher or media owner' },
  { value: 'direct', label: 'Business that uses leads in-house' },
  { value: 'other', label: 'Other' },
] as const;
/** How many leads a month the user currently works with. */
export const VOLUME = [
  { value: 'none', label: 'None yet' },
  { value: '500', label: 'Up to 500' },
  { value: '2000', label: 'Up to 2,000' },
  { value: '10000', label: 'Up to 10,000' },
  { value: 'over-10000', label: 'More than 10,000' },
] as const;
/** How the clients are advertised. */
export const CHANNELS = [
  { value: 'search', label: 'Search ads' },
  { value: 'social', label: 'Social ads' },
  { value: 'display', label: 'Display ads' },
  { value: 'email', label: 'Email' },
  { value: 'calls', label: 'Calls and texts' },
  { value: 'content', label: 'Content and SEO' },
  { value: 'mail', label: 'Direct mail' },
  { value: 'referrals', label: 'Events and referrals' },
] as const;
/** Where the leads are processed. */
export const CRMS = [
  { value: 'none', label: 'None' },
  { value: 'activecampaign', label: 'ActiveCampaign' },
  { value: 'gohighlevel', label: 'GoHighLevel' },
  { value: 'hubspot', label: 'HubSpot' },
  { value: 'keap', label: 'Keap' },
  { value: 'pipedrive', label: 'Pipedrive' },
  { value: 'salesforce', label: 'Salesforce' },
  { value: 'zoho', label: 'Zoho' },
  { value: 'own', label: 'Our own' },
  { value: 'other', label: 'Other' },
] as const;
/** How the user heard about the platform. */
export const SOURCES = [
  { value: 'search', label: 'A search engine' },
  { value: 'social', label: 'Social media' },
  { value: 'referral', label: 'Someone recommended it' },
  { value: 'event', label: 'An event' },
  { value: 'partner', label: 'A partner' },
  { value: 'press', label: 'An article or video' },
  { value: 'other', label: 'Other' },
] as const;
/** What the user wants to achieve first. */
export const GOALS = [
  { value: 'resell', label: 'Sell leads to clients' },
  { value: 'own-leads', label: 'Find leads for my own business' },
  { value: 'retarget', label: 'Bring visitors back' },
  { value: 'measure', label: 'Understand who visits my site' },
] as const;
