import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { createOutbound, type Outbound } from '../../../platform/outbound.ts';
import { createIpinfo } from '../../../providers/ipinfo/index.ts';
import { createSandboxNetworks } from '../../../providers/sandbox-networks/index.ts';
import { leadsRoutes } from './routes.ts';
import { createLeads, type Leads } from './service.ts';

export const feature = defineFeature({
  name: 'campaigns/leads',
  about: 'Leads: who is accepted and why not, what they show, and how they came.',
  tables: ['campaign_conversion', 'lead', 'lead_change', 'lead_contact', 'lead_return'],
  reads: [
    'ad_lead',
    'campaign',
    'company',
    'connection',
    'creative',
    'delivery',
    'delivery_attempt',
    'integration',
    'lead_data',
    'return_request',
    'visit',
  ],
  create(platform, below: Omit<Parameters<typeof createLeads>[1], 'networks'> & { outbound: Outbound }) {
    const { config, clock } = platform;
    const { host, protocol } = new URL(config.ipinfo?.apiBase ?? 'https://ipinfo.io');
    const networks = config.ipinfo
      ? createIpinfo({
          // Plain http is a test server of this machine.
          outbound: protocol === 'http:' ? createOutbound({ allow: [host] }) : below.outbound,
          base: config.ipinfo.apiBase,
          token: config.ipinfo.token,
          now: () => clock.now(),
        })
      : createSandboxNetworks();
    return { leads: createLeads(platform, { ...below, networks }) };
  },
  http({ leads }: { leads: Leads }) {
    const { handlers, plain } = leadsRoutes(leads);
    return { calls: [serve(contract.leads, handlers)], plain };
  },
  async work({ leads }: { leads: Leads }) {
    leads.resolver.start();
    await leads.resolver.work();
    await leads.scores.work();
    return { stop: () => leads.resolver.stop() };
  },
});
