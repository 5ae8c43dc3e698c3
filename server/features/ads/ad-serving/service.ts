import type { AdPlatform } from '../../../platform/ad-platform.ts';
import type { Limits } from '../../../platform/limits.ts';
import { createOutbound, type Outbound } from '../../../platform/outbound.ts';
import type { Platform } from '../../../platform/platform.ts';
import { createSimplifi } from '../../../providers/simplifi/index.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { People } from '../../audience/people/index.ts';
import type { AdAudiences } from '../ad-audiences/index.ts';
import type { AdCampaigns } from '../ad-campaigns/index.ts';
import { createBidder } from './bidder.service.ts';
import { createExchanges } from './exchange.service.ts';
import { createHouse } from './house.service.ts';
import { type DeliverJob, deliverJob } from './queue.ts';
import { createSandbox } from './sandbox.service.ts';
import { createSync } from './sync.service.ts';
import { createZones } from './zone.service.ts';

export type AdServing = ReturnType<typeof createAdServing>;

/** Who shows ads: the sandbox exchange, our own house ad server, and Simpli.fi. */
export function createAdServing(
  platform: Platform,
  deps: {
    adCampaigns: AdCampaigns;
    adAudiences: AdAudiences;
    people: People;
    audit: Audit;
    limits: Limits;
    tenants: Tenants;
    outbound: Outbound;
  },
) {
  const { config, events, jobs } = platform;
  const house = createHouse(platform, deps);
  const bidder = createBidder(platform, deps);
  const sandbox = createSandbox(platform, deps);
  const { simplifi } = config;
  const origin = simplifi && new URL(simplifi.apiBase);
  const outside: AdPlatform | null =
    simplifi && origin
      ? createSimplifi({
          // Plain http is a test server of this machine.
          outbound: origin.protocol === 'http:' ? createOutbound({ allow: [origin.host] }) : deps.outbound,
          base: simplifi.apiBase,
          ...simplifi,
        })
      : null;
  const sync = createSync(platform, { ...deps, outside });

  const soon = async (
    tx: Parameters<typeof jobs.send>[0],
    { rootId, campaignId }: { rootId: string; campaignId: string | null },
  ): Promise<void> => {
    house.forget({ rootId, campaignId });
    bidder.forget({ rootId });
    // However often it changes, it is told once, and whoever changes many waits for the others.
    if (outside)
      await jobs.send(tx, deliverJob, [{ rootId, ...(campaignId ? { campaignId } : {}) }], {
        turn: rootId,
        unlessWaiting: true,
      });
  };
  events.on('ads.changed', soon);
  events.on('campaign.started', soon);

  return {
    house,
    bidder,
    exchanges: createExchanges(platform, { ...deps, bidder }),
    sandbox,
    sync,
    zones: createZones(platform, deps),

    /** Delivers the ads of one campaign, of a root, or of all; what fails for one keeps nothing from the others. */
    async deliver({ rootId, campaignId }: DeliverJob): Promise<void> {
      const run = async (id: string): Promise<void> => {
        await sandbox.run(id);
        await sync.run(id);
      };
      if (rootId && campaignId) await sync.one(rootId, campaignId);
      else if (rootId) await run(rootId);
      else await deps.tenants.eachRoot(run);
    },

    /** Starts the background work: every minute, and soon after a change. */
    async start(): Promise<void> {
      await jobs.work(deliverJob, { pollingIntervalSeconds: 5 }, (which) => this.deliver(which));
      await jobs.schedule(deliverJob, '* * * * *', {});
    },
  };
}
