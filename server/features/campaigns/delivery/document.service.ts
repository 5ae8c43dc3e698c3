import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { LimitRule } from '../../../platform/limits.ts';
import { mailName } from '../../../platform/mail-name.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { DeliveryDeps } from './deps.ts';
import * as documents from './document.store.ts';
import * as store from './store.ts';

/** Emails with the address of a campaign's document: they go to all who are in charge of its client. */
const LINKS: LimitRule = { name: 'document.link', max: 5, base: 600, cap: 86_400, window: 86_400 };

type Deps = Pick<DeliveryDeps, 'audit' | 'connections' | 'campaigns' | 'notices' | 'limits'> & {
  attach(
    ctx: Ctx,
    given: {
      campaign_id: string;
      connection_id: string;
      settings: Record<string, string>;
      mapping: Record<string, string>;
    },
  ): Promise<store.Counted>;
};
/** Someone who could not be let into a document, and why. */
export interface Unshared {
  email: string;
  why: string;
}

/** Documents, such as spreadsheets, that the platform makes for a campaign's leads (INTG-03). */
export function documentCalls({ db, clock }: Pick<Platform, 'db' | 'clock'>, deps: Deps) {
  const { audit, connections, campaigns, notices, limits } = deps;
  const missing = (): never => {
    throw new Refusal('not_found', ownMessages.notFound);
  };

  /** The document that a campaign's leads go to, with its destination. @throws Refusal 404 */
  async function current(tx: Tx, campaignId: string) {
    if (!(await campaigns.visible(tx, campaignId))) return missing();
    return (await documents.currentOf(tx, campaignId)) ?? missing();
  }

  const ownerOf = ({ root_id, agency_id, company_id }: Owner & { agency_id: string }) => ({
    root_id,
    agency_id,
    company_id,
  });

  /** Shares a document with people, and returns whom it could not be shared with. */
  async function shared(
    opened: Awaited<ReturnType<typeof connections.open>>,
    documentId: string,
    emails: readonly string[],
    mayEdit: boolean,
  ): Promise<{ recipients: string[]; refused: Unshared[] }> {
    const { vendor, way } = opened;
    const recipients: string[] = [];
    const refused: Unshared[] = [];
    for (const email of new Set(emails)) {
      try {
        await vendor.documents!.share(way, documentId, email, mayEdit);
        recipients.push(email);
      } catch (error) {
        refused.push({ email, why: connections.saidNo(vendor, error).message });
      }
    }
    return { recipients, refused };
  }

  const mayEditOf = async (tx: Tx, companyId: string): Promise<boolean> =>
    (await documents.sheetEditor(tx, companyId)) ?? missing();

  async function open(ctx: Ctx, connectionId: string) {
    const opened = await connections.open(ctx, connectionId);
    if (!opened.vendor.documents) throw refusalOf('connection_id', 'belongs to a service without documents');
    return { ...opened, documents: opened.vendor.documents };
  }

  return {
    /**
     * Makes a document for a campaign, shares it, and delivers the campaign's leads into it from now on.
     * @throws Refusal 404, 409, 422, 429
     */
    async createDocument(
      ctx: Ctx,
      given: { campaign_id: string; connection_id: string; emails: readonly string[] },
    ) {
      const { campaign, mayEdit } = await inScope(db.app, ctx.scope, async (tx) => {
        const campaign = (await campaigns.visible(tx, given.campaign_id)) ?? missing();
        return { campaign, mayEdit: await mayEditOf(tx, campaign.company_id) };
      });
      const opened = await open(ctx, given.connection_id);
      const made = await opened.documents.create(opened.way, `${campaign.name}: leads`).catch((error) => {
        throw connections.saidNo(opened.vendor, error);
      });
      try {
        const destination = await deps.attach(ctx, {
          campaign_id: campaign.id,
          connection_id: given.connection_id,
          settings: opened.documents.settingsOf(made.id),
          mapping: {},
        });
        const { recipients, refused } = await shared(opened, made.id, given.emails, mayEdit);
        await inScope(db.app, ctx.scope, (tx) =>
          documents.insert(tx, {
            integration_id: destination.id,
            document_id: made.id,
            ...ownerOf(campaign),
            url: made.url,
            recipients,
            created_at: clock.now(),
          }),
        );
        return { url: made.url, refused, destination };
      } catch (error) {
        await opened.documents.remove(opened.way, made.id).catch(() => {});
        throw error;
      }
    },

    /** Whether a campaign's document is still there, and with whom it is shared. @throws Refusal 404, 409, 429 */
    async checkDocument(ctx: Ctx, campaignId: string) {
      const row = await inScope(db.app, ctx.scope, (tx) => current(tx, campaignId));
      const opened = await open(ctx, row.connection_id);
      const exists = await opened.documents.exists(opened.way, row.document_id).catch((error) => {
        throw connections.saidNo(opened.vendor, error);
      });
      return {
        destination_id: row.integration_id,
        exists,
        url: row.url,
        account: opened.row.account,
        recipients: row.recipients,
      };
    },

    /** The documents that a campaign had, the newest first. @throws Refusal 404 */
    documentHistory: (ctx: Ctx, campaignId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await campaigns.visible(tx, campaignId))) return missing();
        return documents.history(tx, campaignId);
      }),

    /** Starts a new document; the former one stays as it is. @throws Refusal 404, 409, 429 */
    async resetDocument(ctx: Ctx, campaignId: string) {
      const { row, campaign, mayEdit } = await inScope(db.app, ctx.scope, async (tx) => {
        const row = await current(tx, campaignId);
        const campaign = (await campaigns.visible(tx, campaignId)) ?? missing();
        return { row, campaign, mayEdit: await mayEditOf(tx, campaign.company_id) };
      });
      const opened = await open(ctx, row.connection_id);
      const made = await opened.documents.create(opened.way, `${campaign.name}: leads`).catch((error) => {
        throw connections.saidNo(opened.vendor, error);
      });
      const { recipients, refused } = await shared(opened, made.id, row.recipients, mayEdit);
      await inScope(db.app, ctx.scope, async (tx) => {
        const now = clock.now();
        await documents.end(tx, row.integration_id, now);
        await documents.insert(tx, {
          integration_id: row.integration_id,
          document_id: made.id,
          ...ownerOf(campaign),
          url: made.url,
          recipients,
          created_at: now,
        });
        await store.updateIntegration(tx, row.integration_id, {
          settings: JSON.stringify({ ...row.settings, ...opened.documents.settingsOf(made.id) }),
          updated_at: now,
        });
        await audit.record(tx, ctx, {
          action: 'integration.document',
          objectKind: 'integration',
          objectId: row.integration_id,
          description: `Started a new ${opened.documents.noun} for campaign #${campaign.number} ${campaign.name}`,
          owner: ownerOf(campaign),
        });
      });
      return { url: made.url, refused };
    },

    /** Shares a campaign's document with exactly these people. @throws Refusal 404, 409, 429 */
    async shareDocument(ctx: Ctx, campaignId: string, emails: readonly string[]) {
      const { row, campaign, mayEdit } = await inScope(db.app, ctx.scope, async (tx) => {
        const row = await current(tx, campaignId);
        const campaign = (await campaigns.visible(tx, campaignId)) ?? missing();
        return { row, campaign, mayEdit: await mayEditOf(tx, campaign.company_id) };
      });
      const opened = await open(ctx, row.connection_id);
      const wanted = new Set(emails);
      const removed = row.recipients.filter((email) => !wanted.has(email));
      for (const email of removed)
        await opened.documents.unshare(opened.way, row.document_id, email).catch((error) => {
          throw connections.saidNo(opened.vendor, error);
        });
      const added = emails.filter((email) => !row.recipients.includes(email));
      const { recipients: joined, refused } = await shared(opened, row.document_id, added, mayEdit);
      const recipients = await inScope(db.app, ctx.scope, async (tx) => {
        const change = { removed, added: joined };
        const all = await documents.changeRecipients(tx, row.integration_id, row.document_id, change);
        await audit.record(tx, ctx, {
          action: 'integration.document',
          objectKind: 'integration',
          objectId: row.integration_id,
          description: `Shared the ${opened.documents.noun} of campaign #${campaign.number} ${campaign.name} with ${all.length} people`,
          owner: ownerOf(campaign),
        });
        return all;
      });
      return { recipients, refused };
    },

    /** Sends the address of a campaign's document to its client. @throws Refusal 404, 429 */
    async sendDocumentLink(ctx: Ctx, campaignId: string): Promise<void> {
      const { row, campaign } = await inScope(db.app, ctx.scope, async (tx) => ({
        row: await current(tx, campaignId),
        campaign: (await campaigns.visible(tx, campaignId)) ?? missing(),
      }));
      await limits.take(LINKS, campaign.id);
      const owner = ownerOf(campaign);
      const sender = await notices.sender(owner);
      await inScope(db.app, ctx.scope, async (tx) => {
        await notices.tell(tx, 'delivery.document', sender, owner, {
          subject: `The spreadsheet of ${mailName(campaign.name)}`,
          lines: [`Leads from the campaign ${campaign.name} are added to this spreadsheet:`, row.url],
          links: [row.url],
        });
        await audit.record(tx, ctx, {
          action: 'integration.document',
          objectKind: 'integration',
          objectId: row.integration_id,
          description: `Sent the address of the spreadsheet of campaign #${campaign.number} ${campaign.name}`,
          owner,
        });
      });
    },
  };
}
