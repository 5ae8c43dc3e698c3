/**
 * The entries of the sidebar that may be hidden: a root's choice for its agencies, an agency's for its clients. What is not
 * here cannot be: profile, card, settings, statement and invoices, the dashboards and the campaigns of the products, which the
 * products of an agency or client decide on.
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
