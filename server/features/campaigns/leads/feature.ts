import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { leadsRoutes } from './routes.ts';
import { createLeads, type Leads } from './service.ts';

export const feature = defineFeature({
  name: 'campaigns/leads',
  about: 'Leads: who is accepted and why not, what they show, and how they came.',
  tables: ['campaign_conversion', 'lead', 'lead_contact', 'lead_return'],
  reads: [
    'campaign',
    'company',
    'connection',
    'delivery',
    'delivery_attempt',
    'integration',
    'return_request',
    'visit',
  ],
  create: (platform, below: Parameters<typeof createLeads>[1]) => ({ leads: createLeads(platform, below) }),
  http({ leads }: { leads: Leads }) {
    const { handlers, plain } = leadsRoutes(leads);
    return { calls: [serve(contract.leads, handlers)], plain };
  },
  async work({ leads }: { leads: Leads }) {
    leads.resolver.start();
    await leads.scores.work();
    return { stop: () => leads.resolver.stop() };
  },
});
