import { HOOK_EVENTS } from '../../../../contract/developer/hook-events.ts';
import type { Outbound } from '../../../platform/outbound.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { createStatement, type Notices } from '../../money/ledger/index.ts';
import { createHooks } from './hook.service.ts';
import { createRead } from './v1.read.ts';
import type { Sources } from './v1.resources.ts';
import * as shapes from './v1.shapes.ts';
import { createWrite } from './v1.write.ts';

/** The features that the developer API is made of. */
export interface ApiParts extends Omit<Sources, 'statement' | 'hooks'> {
  audit: Audit;
  notices: Notices;
  outbound: Outbound;
  tenants: Tenants;
}

export type Api = ReturnType<typeof createApi>;

/** The reads, writes and webhooks of the developer API. */
export function createApi(platform: Platform, parts: ApiParts) {
  const { campaigns, companies, dataWallet, exclusions, signals, leads } = parts;
  const hooks = createHooks(platform, parts, async (ctx, type, id) => {
    switch (HOOK_EVENTS[type].data) {
      case 'lead':
        return shapes.leadOf(await leads.reads.one(ctx, id));
      case 'campaign':
        return shapes.campaignDetailOf(await campaigns.reads.one(ctx, id));
      case 'client':
        return shapes.clientOf(await companies.clients.one(ctx, id));
      case 'exclusion_list':
        return shapes.exclusionListOf(await exclusions.one(ctx, id));
      case 'keyword_count':
        return shapes.keywordCountDetailOf(await signals.counts.reads.one(ctx, id));
      case 'wallet':
        return shapes.walletOf(await dataWallet.brief(ctx));
    }
  });
  const sources: Sources = { ...parts, hooks, statement: createStatement(platform, parts.tenants) };
  return { hooks, read: createRead(sources), write: createWrite(platform, sources) };
}
