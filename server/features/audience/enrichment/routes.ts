import { enrichmentMessages } from '../../../../contract/audience/enrichment-messages.ts';
import type { contract } from '../../../../contract/index.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { lookUp } from './location.policy.ts';
import type { Enrichment } from './service.ts';

/** The calls of the feature. */
export function enrichmentRoutes(enrichment: Enrichment): Handlers<typeof contract.enrichment> {
  return {
    fields: async (ctx, { company_id }) => ({ data: await enrichment.list(ctx, company_id, 'advanced') }),
    fieldsOfType: async (ctx, { type, company_id }) => ({
      data: await enrichment.list(ctx, company_id, type),
    }),
    choice: async (ctx, { company_id }) => ({ data: await enrichment.choice(ctx, company_id) }),
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
    config: async (ctx, { company_id }) => {
      const { starts_on, ends_on, advanced, b2b } = await enrichment.config(ctx, company_id);
      return { starts_on, ends_on, advance_information: advanced, b2b_information: b2b };
    },
    location: async (_ctx, { search, state }) => lookUp(search ?? '', state),
  };
}
