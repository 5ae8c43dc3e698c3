import { enrichmentMessages } from '../../../../contract/audience/enrichment-messages.ts';
import type { contract } from '../../../../contract/index.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { lookUp } from './location.policy.ts';
import type { Enrichment } from './service.ts';

/** The calls of the feature. */
export function enrichmentRoutes(enrichment: Enrichment): Handlers<typeof contract.enrichment> {
  return {
    fields: async (ctx, { companyID }) => ({ data: await enrichment.list(ctx, companyID, 'advanced') }),
    fieldsOfType: async (ctx, { type, companyID }) => ({ data: await enrichment.list(ctx, companyID, type) }),
    choice: async (ctx, { companyID }) => ({ data: await enrichment.choice(ctx, companyID) }),
    choose: async (ctx, input) => ({
      result: 'success' as const,
      message: enrichmentMessages.saved,
      data: await enrichment.choose(ctx, input),
    }),
    sources: async (ctx) => ({ data: await enrichment.sources(ctx) }),
    setSource: async (ctx, input) => ({
      result: 'success' as const,
      message: enrichmentMessages.saved,
      data: await enrichment.setSource(ctx, input),
    }),
    config: async (ctx, { companyID }) => {
      const { startDate, endDate, advanced, b2b } = await enrichment.config(ctx, companyID);
      return { startDate, endDate, advanceInformation: advanced, b2bInformation: b2b };
    },
    location: async (_ctx, { search, state }) => lookUp(search ?? '', state),
  };
}
