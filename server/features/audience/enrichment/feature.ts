import { contract } from '../../../../contract/index.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import type { Outbound } from '../../../platform/outbound.ts';
import { createOutbound } from '../../../platform/outbound.ts';
import { createPdl } from '../../../providers/pdl/index.ts';
import { enrichmentRoutes } from './routes.ts';
import { createEnrichment, type Enrichment } from './service.ts';

interface Around {
  outbound: Outbound;
  /** Leads are made with this feature's data and have access to the lists. */
  leads: { withheldIn(tx: Tx, rootId: string, leadIds: string[]): Promise<Set<string>> };
}

export const feature = defineFeature({
  name: 'audience/enrichment',
  about: 'More about a lead’s person, from the graph or from a data vendor.',
  tables: ['campaign_data', 'data_choice', 'data_provider', 'lead_data'],
  reads: ['campaign', 'company', 'lead_contact'],
  create(platform, below: Omit<Parameters<typeof createEnrichment>[1], 'vendors' | 'isWithheld'> & Around) {
    const { host, protocol } = new URL(platform.config.pdlApiBase);
    const pdl = createPdl({
      // Plain http is a test server of this machine.
      outbound: protocol === 'http:' ? createOutbound({ allow: [host] }) : below.outbound,
      base: platform.config.pdlApiBase,
      now: () => platform.clock.now(),
    });
    const enrichment = createEnrichment(platform, {
      ...below,
      vendors: { pdl },
      isWithheld: async (tx, rootId, leadId) =>
        (await below.leads.withheldIn(tx, rootId, [leadId])).has(leadId),
    });
    return { enrichment };
  },
  http: ({ enrichment }: { enrichment: Enrichment }) => ({
    calls: [serve(contract.enrichment, enrichmentRoutes(enrichment))],
  }),
  work: async ({ enrichment }: { enrichment: Enrichment }) => void (await enrichment.completion.start()),
});
