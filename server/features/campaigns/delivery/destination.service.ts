import { TEXT_PREFIX } from '../../../../contract/campaigns/destinations.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Vendor } from '../../../integrations/index.ts';
import { fieldsOf, missingFields } from '../../../integrations/mapping.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { DeliveryDeps } from './deps.ts';
import { createExamples } from './examples.ts';
import { leadOf, SOURCES } from './lead.policy.ts';
import { MOST_PER_CAMPAIGN } from './policy.ts';
import * as store from './store.ts';

type Deps = Pick<DeliveryDeps, 'audit' | 'tenants' | 'connections' | 'campaigns' | 'leads' | 'enrichment'> & {
  held(tx: Tx, id: string): Promise<store.IntegrationRow>;
  counted(tx: Tx, id: string): Promise<store.Counted>;
};

const MOST_CAUSES = 100;

/** Campaigns' use of connections: settings, field mapping, preview, and what could not be delivered. */
export function destinationChanges(platform: Platform, deps: Deps) {
  const { db, clock } = platform;
  const { audit, tenants, connections, campaigns, held, counted } = deps;
  const examples = createExamples(platform, deps);
  const missing = (): never => {
    throw new Refusal('not_found', ownMessages.notFound);
  };

  /** @throws Refusal 422 naming the setting or the target field */
  function check(vendor: Vendor, settings: Record<string, string>, mapping: Record<string, string>): void {
    for (const key of Object.keys(settings)) {
      if (!vendor.settings.some((setting) => setting.key === key))
        throw refusalOf('settings', `has no setting “${key}”`);
    }
    for (const setting of vendor.settings) {
      if (setting.isRequired && !settings[setting.key]?.trim())
        throw refusalOf(`settings.${setting.key}`, 'is required');
    }
    for (const [key, source] of Object.entries(mapping)) {
      const field = vendor.fields.find((one) => one.key === key);
      if (!field && !vendor.hasOwnFields) throw refusalOf('mapping', `has no field “${key}”`);
      if (source && !source.startsWith(TEXT_PREFIX) && !SOURCES.has(source))
        throw refusalOf(`mapping.${key}`, 'is not a field of a lead');
      if (!source && field?.isRequired) throw refusalOf(`mapping.${key}`, `is required by ${vendor.name}`);
    }
  }

  /** The campaign and a connection that it may use: its client's own, or its agency's. @throws Refusal 404 */
  async function both(tx: Tx, campaignId: string, connectionId: string) {
    const campaign = (await campaigns.visible(tx, campaignId)) ?? missing();
    const connection = (await connections.byId(tx, connectionId)) ?? missing();
    if (connection.company_id !== campaign.company_id && connection.company_id !== campaign.agency_id)
      return missing();
    return { campaign, connection, vendor: connections.vendor(connection.vendor) };
  }

  return {
    /** Delivers a campaign's leads through a connection from now on. @throws Refusal 404, 409, 422 */
    attach: (
      ctx: Ctx,
      given: {
        campaign_id: string;
        connection_id: string;
        settings: Record<string, string>;
        mapping: Record<string, string>;
      },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { campaign, connection, vendor } = await both(tx, given.campaign_id, given.connection_id);
        check(vendor, given.settings, given.mapping);
        if ((await store.countLocked(tx, campaign.id)) >= MOST_PER_CAMPAIGN)
          throw new Refusal(
            'conflict',
            `A campaign can have up to ${MOST_PER_CAMPAIGN} destinations. Remove one first.`,
          );
        const now = clock.now();
        const id = newId(now);
        // The campaign is its client's, who does not learn which account its agency delivers through.
        const isOwn = connection.company_id === campaign.company_id;
        const name = isOwn ? `${vendor.name} · ${connection.name}` : vendor.name;
        const owner = {
          root_id: campaign.root_id,
          agency_id: campaign.agency_id,
          company_id: campaign.company_id,
        };
        await store.insertIntegration(tx, {
          id,
          ...owner,
          campaign_id: campaign.id,
          kind: vendor.id,
          connection_id: connection.id,
          name,
          settings: JSON.stringify(given.settings),
          mapping: JSON.stringify(given.mapping),
          state: 'enabled',
          created_at: now,
          updated_at: now,
        });
        await audit.record(tx, ctx, {
          action: 'integration.create',
          objectKind: 'integration',
          objectId: id,
          description: `Added the destination ${name} to campaign #${campaign.number} ${campaign.name}`,
          owner,
        });
        return counted(tx, id);
      }),

    /** Changes settings and mapping of a destination. @throws Refusal 403, 404, 422 */
    configure: (
      ctx: Ctx,
      id: string,
      given: { settings: Record<string, string>; mapping: Record<string, string> },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await held(tx, id);
        if (row.kind === 'webhook') return missing();
        check(connections.vendor(row.kind), given.settings, given.mapping);
        await store.updateIntegration(tx, id, {
          settings: JSON.stringify(given.settings),
          mapping: JSON.stringify(given.mapping),
          updated_at: clock.now(),
        });
        await audit.record(tx, ctx, {
          action: 'integration.update',
          objectKind: 'integration',
          objectId: id,
          description: `Changed the settings and field mapping of the destination ${row.name}`,
          owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
        });
        return counted(tx, id);
      }),

    /** What the newest lead of a campaign, or a made-up one, becomes. Nothing is sent. @throws Refusal 404, 422 */
    preview: (
      ctx: Ctx,
      given: { campaign_id: string; connection_id: string; mapping: Record<string, string> },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { campaign, vendor } = await both(tx, given.campaign_id, given.connection_id);
        check({ ...vendor, settings: [] }, {}, given.mapping);
        const { data, isExample } = await examples.newest(tx, ctx, campaign);
        const fields = fieldsOf(vendor, given.mapping, leadOf(data));
        return {
          is_example: isExample,
          fields: Object.entries(fields).map(([key, value]) => ({ key, value })),
          missing: missingFields(vendor, fields),
        };
      }),

    /** What could not be delivered for a company, by destination and cause. @throws Refusal 404 */
    undelivered: (ctx: Ctx, companyId: string | undefined) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = (await tenants.company(tx, companyId ?? ctx.actor.companyId)) ?? missing();
        return store.undelivered(tx, company.id, MOST_CAUSES);
      }),
  };
}
