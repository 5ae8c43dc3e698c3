import { queryOptions } from '@tanstack/react-query';
import { INFORMATION_FIELDS } from '../../../../contract/audience/enrichment-fields.ts';
import { microsTyped } from '../../../../contract/dollars.ts';
import type { Client } from '../../../../contract/index.ts';
import { priceOf } from '../../../../contract/money/lead-price.ts';
import { api } from '../../../api/client.ts';
import type { CampaignValues } from './model.ts';

/** The defaults for a client's new campaigns, and what its campaigns may request. */
export type Resource = Awaited<ReturnType<Client['campaignMore']['getCampaignResource']>>;

export const resourceQuery = (companyID: string, leadspeekType: CampaignValues['leadspeekType']) =>
  queryOptions({
    queryKey: ['campaign-resource', companyID, leadspeekType],
    queryFn: ({ signal }) => api.campaignMore.getCampaignResource({ companyID, leadspeekType }, { signal }),
    enabled: companyID !== '',
    staleTime: 60_000,
  });

/**
 * Returns what a lead costs the client with the form's current values, in micro-dollars; empty fields use the default.
 */
export function leadPriceOf(
  values: Pick<
    CampaignValues,
    'CostSet' | 'CostSetAdvanced' | 'CostSetB2b' | 'advanceInformation' | 'b2bInformation'
  >,
  usual: Pick<Resource, 'CostSet' | 'CostSetAdvanced' | 'CostSetB2b'>,
): number {
  const costs = {
    CostSet: values.CostSet || usual.CostSet,
    CostSetAdvanced: values.CostSetAdvanced || usual.CostSetAdvanced,
    CostSetB2b: values.CostSetB2b || usual.CostSetB2b,
  };
  return microsTyped(priceOf(costs, values));
}

/** The names of the data fields that a campaign requests, in catalog order. */
export const informationWords = (
  asked: Pick<CampaignValues, 'advanceInformation' | 'b2bInformation'>,
): string =>
  INFORMATION_FIELDS.filter(
    ({ id }) => asked.advanceInformation.includes(id) || asked.b2bInformation.includes(id),
  )
    .map(({ name }) => name)
    .join(', ');
