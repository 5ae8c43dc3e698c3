import { Refusal } from '../../../../contract/errors.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import { DAY_MS, type Deps, missing, ownerOf } from './base.ts';
import { checkSite } from './fields.policy.ts';
import { checkPage, LOOKS } from './pixel-check.ts';
import * as store from './store.ts';

/** What to do when visits come from hosts that are not sites of the campaign, the most visits first. */
function foreignHint(hosts: { host: string; count: bigint }[]): string {
  const [first] = hosts;
  if (!first) return '';
  return ` ${first.count} ${first.count === 1n ? 'visit' : 'visits'} from ${first.host} ${first.count === 1n ? 'was' : 'were'} refused because it is not a site of this campaign. If it is yours, add it under Other domains.`;
}

/** The tag of a Site ID campaign on the client's site. */
export function createSites({ db, clock }: Platform, { audit, tenants, outbound, limits }: Deps) {
  return {
    /** The tag for the site: the script comes from the host of the campaign's agency. */
    snippet: async (ctx: Ctx, id: string) => {
      const row = await inScope(
        db.app,
        ctx.scope,
        async (tx) => (await store.campaignById(tx, id)) ?? missing(),
      );
      checkSite(row);
      const host = (await tenants.primaryHost(row.agency_id)) ?? ctx.tenant.host;
      const here = new URL(ctx.origin);
      const origin = `${here.protocol}//${host}${here.port ? `:${here.port}` : ''}`;
      const script = `${origin}/p/v1/${row.site_key}.js`;
      return {
        tag: `<script async src="${script}"></script>`,
        script_url: script,
        csp: [`script-src ${origin}`, `connect-src ${origin}`],
      };
    },

    /** Fetches the site and looks for the tag; a visit within the last day proves it, too. */
    checkPixel: async (ctx: Ctx, id: string) => {
      const now = clock.now();
      const since = new Date(now.getTime() - DAY_MS);
      const { row, seen, foreign, away } = await inScope(db.app, ctx.scope, async (tx) => ({
        row: (await store.campaignById(tx, id)) ?? missing(),
        seen: await store.lastVisitAt(tx, id, since),
        foreign: await store.foreignHosts(tx, id, since),
        away: await store.turnedAway(tx, id, since),
      }));
      checkSite(row);
      await limits.take(LOOKS, ctx.actor.userId);
      const record = (verdict: 'found' | 'not_found' | 'blocked') =>
        inScope(db.app, ctx.scope, async (tx) => {
          await store.updateCampaign(tx, id, { pixel_check: verdict, pixel_checked_at: now });
          await audit.record(tx, ctx, {
            action: 'campaign.pixel_check',
            objectKind: 'campaign',
            objectId: id,
            description: `Checked ${row.site_url} for the tag: ${verdict}`,
            owner: ownerOf(row),
          });
        });
      try {
        const { result, message } = await checkPage({
          siteUrl: row.site_url,
          siteKey: row.site_key,
          outbound,
        });
        const found = result === 'found' || Boolean(seen);
        await record(found ? 'found' : 'not_found');
        // Nothing arrives from this site, but visits from another page do: most likely a site that has not been
        // entered.
        const refused = `${seen ? '' : foreignHint(foreign)}${away > 0 ? ` In the last day, ${away} ${away === 1 ? 'event was' : 'events were'} rejected because too many arrived. See the Why not tab for details.` : ''}`;
        return {
          result: 'success' as const,
          found,
          via: result === 'found' ? ('page' as const) : seen ? ('visit' as const) : ('none' as const),
          message:
            result !== 'found' && seen
              ? `${message} However, visits arrived in the last day, so it works.${refused}`
              : `${message}${refused}`,
        };
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'blocked') throw error;
        await record('blocked');
        throw new Refusal('blocked', messages.crawlBlocked);
      }
    },
  };
}
