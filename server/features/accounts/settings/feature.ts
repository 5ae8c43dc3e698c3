import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { startSettings } from './jobs.ts';
import { settingsRoutes } from './routes.ts';
import { createSettings, type Settings } from './service.ts';
import { createSmtp } from './smtp.service.ts';

export const feature = defineFeature({
  name: 'accounts/settings',
  about: 'Settings of roots and agencies: brand, domain, mail server, products, defaults.',
  tables: ['domain_claim', 'setting'],
  reads: ['brand', 'company', 'company_billing', 'domain', 'module_label', 'picture', 'user_account'],
  // Tenants shows them before sign-in, and makes a new company's; only their settings change them.
  writes: ['brand', 'domain', 'module_label', 'picture'],
  create(
    platform,
    below: Omit<Parameters<typeof createSettings>[1], 'smtp'> & Parameters<typeof createSmtp>[1],
  ) {
    const smtp = createSmtp(platform, below);
    return { smtp, settings: createSettings(platform, { ...below, smtp }) };
  },
  http({ settings }: { settings: Settings }) {
    const { handlers, plain } = settingsRoutes(settings);
    return { calls: [serve(contract.settings, handlers)], plain };
  },
  work: async ({ settings }: { settings: Settings }, { jobs }) => void (await startSettings(settings, jobs)),
});
