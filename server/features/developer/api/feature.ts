import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { exports } from './exports.ts';
import { developerDocument } from './guides.ts';
import { developerRoutes } from './routes.ts';
import { createDeveloper, type Developer } from './service.ts';
import { addApiRoutes, apiRoutes, clientRoute } from './v1.routes.ts';

export const feature = defineFeature({
  name: 'developer/api',
  about: 'The developer API: keys of agencies, /v1, webhooks, the MCP server, and the TypeScript client.',
  tables: [
    'developer_attempt',
    'developer_grant',
    'developer_hook',
    'developer_key',
    'developer_message',
    'developer_request',
    'developer_sandbox',
    'developer_usage',
    'developer_write',
  ],
  reads: ['agreement_acceptance', 'campaign_hour', 'company', 'company_billing', 'lead', 'user_account'],
  create: (platform, below: Parameters<typeof createDeveloper>[1]) => ({
    developer: createDeveloper(platform, below),
  }),
  http: (all: { developer: Developer; tenants: Tenants }, platform) => ({
    calls: [serve(contract.developer, developerRoutes(all.developer))],
    plain: [clientRoute, developerDocument(apiRoutes)],
    documented: apiRoutes,
    mount: (server, doors) => addApiRoutes(server, platform, doors, all),
  }),
  work: async ({ developer }: { developer: Developer }) => void (await developer.start()),
  exports,
});
