import type { Network } from '../../../platform/company-network.ts';
import type { Candidate, Standing } from './policy.ts';

/** The EU with the rest of the European Economic Area, and the United Kingdom: visitors from there are never named. */
const UNNAMED = new Set(
  'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE IS LI NO GB'.split(' '),
);

/** Whether a visitor must not be looked up, by the countries that are known of their address. Unknown ones are not. */
export const mustStayUnnamed = (...countries: readonly (string | null | undefined)[]): boolean =>
  countries.some((country) => country && UNNAMED.has(country));

/** A company as a candidate of the same rules as people; what is about people does not apply. */
export const companyCandidate = (
  given: Pick<Candidate, 'campaignId' | 'companyId' | 'excluded' | 'pages'> & { domain: string },
): Candidate => ({
  campaignId: given.campaignId,
  companyId: given.companyId,
  personId: given.domain,
  confidence: 100,
  excluded: given.excluded,
  pages: given.pages,
  email: null,
  phone: null,
  address: null,
});

/** What a campaign asks of a company, at its price. */
export const companyStanding = (standing: Standing, priceMicros: bigint): Standing => ({
  ...standing,
  rules: { ...standing.rules, email_required: false, phone_required: false, address_required: false },
  fit: null,
  leastBilled: 0,
  priceMicros,
});

/** What a lead shows of a company, by the names of its texts. */
export const companyTexts = ({ name, domain }: Network) => ({
  company_name: name,
  website: `https://${domain}`,
});
