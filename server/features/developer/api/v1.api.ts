import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { createStatement } from '../../money/ledger/index.ts';
import type { Developer } from './service.ts';
import { createRead } from './v1.read.ts';
import type { Sources } from './v1.resources.ts';
import { createWrite } from './v1.write.ts';

/** The features that the developer API is made of. */
export type ApiFeatures = { developer: Developer; tenants: Tenants } & Omit<
  Sources,
  'statement' | 'sandbox' | 'requests'
>;

export type Api = ReturnType<typeof createApi>;

/** The reads and writes of the developer API, for its routes, the MCP server, and the developer page. */
export function createApi(platform: Platform, { developer, tenants, ...features }: ApiFeatures) {
  const sources: Sources = {
    ...features,
    sandbox: developer.sandbox,
    requests: developer.requests,
    statement: createStatement(platform, tenants),
  };
  return { read: createRead(sources), write: createWrite(platform, sources) };
}
