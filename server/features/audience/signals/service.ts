import type { Mail } from '../../../platform/mail.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Users } from '../../accounts/users/index.ts';
import type { Campaigns } from '../../campaigns/campaigns/index.ts';
import type { Leads } from '../../campaigns/leads/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import type { KeywordThemes } from '../keywords/index.ts';
import type { People } from '../people/index.ts';
import { createCounts } from './count.service.ts';
import { createSearchDelivery } from './delivery.service.ts';

export type Signals = ReturnType<typeof createSignals>;

/** The use of intent signals: keyword counts, and the leads of Search ID campaigns. */
export function createSignals(
  platform: Platform,
  deps: {
    audit: Audit;
    campaigns: Campaigns;
    keywordThemes: KeywordThemes;
    people: People;
    leads: Leads;
    mail: Mail;
    notices: Notices;
    users: Users;
    tenants: Tenants;
  },
) {
  return {
    counts: createCounts(platform, deps),
    delivery: createSearchDelivery(platform, deps),
  };
}
