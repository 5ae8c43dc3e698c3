import { RetailFields } from '../../../contract/costs.ts';
import { Refusal } from '../../../contract/errors.ts';
import type { Ctx } from '../../platform/ctx.ts';
import type { Fields, Module } from './base.ts';
import { needsOf } from './target.policy.ts';

/** The fields that only who may set a price may send. */
const PRICED = [...Object.keys(RetailFields.shape), 'effective_from'];

/** The columns of `campaign` that the form fills as they are. */
export const columns = (given: Fields, module: Module) => ({
  name: given.campaignName,
  site_url: module === 'local' ? given.urlCode! : '',
  thank_you_url: (module === 'local' && given.urlCodeThankyou) || null,
  phone_required: given.phoneenabled === 'T',
  address_required: given.homeaddressenabled === 'T',
  email_required: given.requireemailaddress === 'T',
  ...(module === 'locator' ? needsOf(given) : {}),
  reidentify: given.reidentificationtype,
  min_confidence: given.minConfidence,
  daily_cap: given.LimitLead ?? null,
  starts_on: given.startDate ?? null,
  ends_on: given.endDate ?? null,
});

export function checkSite(row: { module: string }): void {
  if (row.module !== 'local')
    throw new Refusal('conflict', 'This campaign has no site, and so no tag.', {
      errors: { leadspeekID: ['is not of Site ID'] },
    });
}

/** Checks fields against each other and against who sends them. @throws Refusal naming the field */
export function checkFields(ctx: Ctx, given: Fields, module: Module): void {
  if (module === 'local' && given.urlCode === undefined)
    throw new Refusal('invalid', 'urlCode: is required', { errors: { urlCode: ['is required'] } });
  if (given.startDate && given.endDate && given.endDate < given.startDate) {
    throw new Refusal('invalid', 'endDate: must not be before the start date', {
      errors: { endDate: ['must not be before the start date'] },
    });
  }
  const priced = PRICED.find((field) => given[field as 'CostSet'] !== undefined);
  if (priced && !ctx.may('campaign.price')) {
    throw new Refusal('forbidden', `${priced}: the price is set by your agency.`, {
      errors: { [priced]: ['is set by the agency'] },
    });
  }
}
