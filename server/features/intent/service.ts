import type { Mail } from '../../platform/mail.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Campaigns } from '../campaigns/index.ts';
import type { Identity } from '../identity/index.ts';
import type { Leads } from '../leads/index.ts';
import type { Notices } from '../ledger/index.ts';
import type { People } from '../people/index.ts';
import type { Tenants } from '../tenants/index.ts';
import { createCounts } from './count.service.ts';
import { createSearchDelivery } from './delivery.service.ts';

export type Intent = ReturnType<typeof createIntent>;

/** The use of intent signals: keyword counts, and the leads of Search ID campaigns. */
export function createIntent(
  platform: Platform,
  deps: {
    audit: Audit;
    campaigns: Campaigns;
    identity: Identity;
    leads: Leads;
    mail: Mail;
    notices: Notices;
    people: People;
    tenants: Tenants;
  },
) {
  return {
    counts: createCounts(platform, deps),
    delivery: createSearchDelivery(platform, deps),
  };
}
