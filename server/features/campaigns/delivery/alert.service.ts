import { MODULES } from '../../../../contract/choices.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { mailName } from '../../../platform/mail-name.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Notices } from '../../money/ledger/index.ts';
import type { DeliveryDeps } from './deps.ts';
import type { Alert } from './policy.ts';
import * as store from './store.ts';

const LONGEST_CAUSE = 300;

/**
 * Tells a company that leads do not reach its destination: each step once, until one arrives again. For an agency's
 * connection, that is the agency.
 */
export function createAlerts(
  { db }: Pick<Platform, 'db'>,
  deps: Pick<DeliveryDeps, 'notices' | 'tenants' | 'campaigns' | 'connections'>,
) {
  const { notices, tenants, campaigns, connections } = deps;

  async function pageOf(
    tx: Tx,
    row: store.IntegrationRow,
  ): Promise<{ campaign: string; path: string } | undefined> {
    const campaign = await campaigns.visible(tx, row.campaign_id);
    if (!campaign) return undefined;
    const slugs = await tenants.slugsOf(row.agency_id, tx);
    const slug = slugs[MODULES.findIndex(({ module }) => module === campaign.module)];
    const query = `campaign=${campaign.id}&tab=delivery&webhook=${row.id}`;
    return { campaign: campaign.name, path: `/${slug}/campaign-management?${query}` };
  }

  type Sender = Awaited<ReturnType<Notices['sender']>>;
  async function tell(tx: Tx, row: store.IntegrationRow, alert: Alert, error: string, sender: Sender) {
    const page = await pageOf(tx, row);
    if (!page) return;
    const state = {
      50: 'Attempts to deliver a lead have failed for several hours. We keep trying for about three days.',
      90: 'Attempts to deliver a lead have failed for two days. The last attempt is tomorrow.',
      100: 'A lead could not be delivered. It is not lost: resend it from the delivery log once the cause is fixed.',
    };
    // What a service says can name its account, and only whoever connected it can help.
    const connection = row.connection_id && (await connections.byId(tx, row.connection_id));
    const keeper = connection ? { ...row, company_id: connection.company_id } : row;
    await notices.tell(tx, 'delivery.failing', sender, keeper, {
      subject:
        alert === 100
          ? `Leads not delivered: ${mailName(page.campaign)}`
          : `Leads are delayed: ${mailName(page.campaign)}`,
      lines: [
        `Leads from the campaign ${page.campaign} are not reaching ${row.name}.`,
        state[alert],
        `The last response was: ${error.slice(0, LONGEST_CAUSE)}`,
      ],
      page: { label: 'Open the delivery log', path: page.path },
    });
  }

  return {
    /** A delivery's retries have come this far. Tells its company if it does not know; 0: one has arrived. */
    async note(
      row: { root_id: string; agency_id: string | null; company_id: string; integration_id: string },
      reached: Alert | 0,
      error: string | null,
    ): Promise<void> {
      const scope = { rootId: row.root_id };
      if (reached === 0) {
        await inScope(db.app, scope, (tx) => store.noteAlert(tx, row.integration_id, 0));
        return;
      }
      const { root_id, agency_id, company_id } = row;
      const sender = await notices.sender({ root_id, agency_id, company_id });
      await inScope(db.app, scope, async (tx) => {
        const news = await store.noteAlert(tx, row.integration_id, reached);
        if (news) await tell(tx, news, reached, error ?? '', sender);
      });
    },
  };
}
