import { queryOptions } from '@tanstack/react-query';
import { INFORMATION_FIELDS } from '../../../../contract/audience/enrichment-fields.ts';
import { microsTyped } from '../../../../contract/dollars.ts';
import type { Client } from '../../../../contract/index.ts';
import { priceOf } from '../../../../contract/money/lead-price.ts';
import { api } from '../../../api/client.ts';
import type { CampaignValues } from './model.ts';

/** The defaults for a client's new campaigns, and what its campaigns may request. */
export type Resource = Awaited<ReturnType<Client['campaignMore']['getCampaignResource']>>;

export const resourceQuery = (companyId: string, module: CampaignValues['module']) =>
  queryOptions({
    queryKey: ['campaign-resource', companyId, module],
    queryFn: ({ signal }) =>
      api.campaignMore.getCampaignResource({ company_id: companyId, module }, { signal }),
    enabled: companyId !== '',
    staleTime: 60_000,
  });

/**
 * Returns what a lead costs the client with the form's current values, in micro-dollars; empty fields use the default.
 */
export function leadPriceOf(
  values: Pick<
    CampaignValues,
    'lead_price' | 'lead_price_advanced' | 'lead_price_b2b' | 'advance_information' | 'b2b_information'
  >,
  usual: Pick<Resource, 'lead_price' | 'lead_price_advanced' | 'lead_price_b2b'>,
): number {
  const costs = {
    lead_price: values.lead_price || usual.lead_price,
    lead_price_advanced: values.lead_price_advanced || usual.lead_price_advanced,
    lead_price_b2b: values.lead_price_b2b || usual.lead_price_b2b,
  };
  return microsTyped(priceOf(costs, values));
}

/** The names of the data fields that a campaign requests, in catalog order. */
export const informationWords = (
  asked: Pick<CampaignValues, 'advance_information' | 'b2b_information'>,
): string =>
  INFORMATION_FIELDS.filter(
    ({ id }) => asked.advance_information.includes(id) || asked.b2b_information.includes(id),
  )
    .map(({ name }) => name)
    .join(', ');
