/**
 * The sidebar entries that may be hidden: by a root for its agencies, by an agency for its clients. Entries not listed
 * here cannot be hidden: profile, card, settings, statement and invoices, and the products' dashboards and campaigns,
 * which depend on the products of an agency or client.
 */
export const AGENCY_ENTRIES = [
  'client',
  'campaign',
  'campaign-setup',
  'audience',
  'banner-create',
  'banner-list',
  'client-management',
  'administrator-list',
  'role-list',
  'data-enrichment',
  'report-analytics',
  'limits',
] as const;
export const CLIENT_ENTRIES = [
  'campaign',
  'campaign-setup',
  'audience',
  'banner-create',
  'banner-list',
  'administrator-list',
  'limits',
] as const;
export type OptionalEntry = (typeof AGENCY_ENTRIES)[number];
