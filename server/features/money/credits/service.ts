import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { type CreditReason, REASON_WORDS } from '../../../../contract/money/credits.ts';
import { microsOf, usd } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { mailName } from '../../../platform/mail-name.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Campaigns } from '../../campaigns/campaigns/index.ts';
import type { Billing } from '../billing/index.ts';
import type { DataWallet } from '../data-wallet/index.ts';
import type { AccountKind, Notices } from '../ledger/index.ts';
import * as store from './store.ts';
import { words } from './words.ts';

export type Credits = ReturnType<typeof createCredits>;

interface Why {
  reason: CreditReason;
  note: string;
}

const HOUR_MS = 3_600_000;

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/**
 * Returns the reason for a credit as statements and invoices show it. Contains no text typed by users, because the
 * ledger keeps it.
 */
const memoOf = (reason: CreditReason): string =>
  reason === 'other' ? 'Credit' : `Credit: ${REASON_WORDS[reason].toLowerCase()}`;

/** Where a refund went, by the account that had paid. */
const BACK: Partial<Record<AccountKind, string>> = {
  client_prepaid: 'The amount was returned to the campaign balance.',
  client_unbilled: 'The amount will be deducted from your next invoice.',
  agency_wallet:
    'The amount was returned to the top-up in your Data Wallet that paid for the lead. It expires when that top-up expires.',
  agency_payable: 'The amount will be deducted from your next invoice.',
};

/** The same in an email, with the note that was written. */
const whyLine = ({ reason, note }: Why): string =>
  `Reason: ${REASON_WORDS[reason]}${note ? ` (${note})` : ''}.`;

/**
 * Money given without a payment: refunds of leads, and credit. Each company gives only what is its own: a root what it
 * charges its agencies, an agency what it charges its clients (docs/decisions/0160-credits.md).
 */
export function createCredits(
  { db, clock }: Platform,
  parts: {
    tenants: Tenants;
    audit: Audit;
    notices: Notices;
    billing: Billing;
    campaigns: Campaigns;
    dataWallet: DataWallet;
  },
) {
  const { tenants, audit, notices, billing, campaigns, dataWallet } = parts;
  const inRoot = <T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, { rootId: ctx.actor.rootId }, work);

  const shown = (row: Awaited<ReturnType<typeof store.ofLead>>[number]) => ({
    id: row.id,
    company_id: row.company_id,
    company_name: row.company_name,
    lead_id: row.lead_id,
    campaign_name: row.campaign_name,
    amount_micros: Number(row.amount_micros),
    reason: row.reason,
    note: row.note,
    created_at: row.created_at.toISOString(),
  });

  /** Returns what a reader can refund of a lead: whatever their own company charged for it and has not yet refunded. */
  async function standing(tx: Tx, ctx: Ctx, leadId: string) {
    const lead = (await store.leadById(tx, leadId)) ?? missing();
    const campaign = await campaigns.visible(tx, lead.campaign_id);
    const refunds = await store.ofLead(tx, leadId);
    const side = ctx.actor.kind === 'root' ? ('wholesale' as const) : ('retail' as const);
    const getterId = side === 'wholesale' ? lead.agency_id : lead.company_id;
    const charged =
      ctx.actor.kind === 'client' ? 0n : side === 'wholesale' ? lead.cost_micros : lead.price_micros;
    const isDone = refunds.some((one) => one.company_id === getterId);
    const blocked = lead.is_test
      ? words.testLead
      : isDone
        ? words.refundedBefore
        : charged === 0n
          ? words.nothingCharged
          : // No one can use the balance of a removed campaign.
            campaign?.state === 'removed' && side === 'retail'
            ? words.removed
            : '';
    return { lead, campaign, refunds, side, getterId, charged: isDone ? 0n : charged, blocked };
  }

  return {
    /** What was refunded of a lead, and what the reader can refund. @throws Refusal 404 */
    ofLead: (ctx: Ctx, leadId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { refunds, charged, blocked } = await standing(tx, ctx, leadId);
        return { data: refunds.map(shown), refundable_micros: blocked ? 0 : Number(charged), blocked };
      }),

    /**
     * Refunds what the user's own company charged for a lead, once, and emails the recipient. Returns micro-dollars.
     * @throws Refusal 404, 409 saying why it cannot be refunded
     */
    async refundLead(ctx: Ctx, leadId: string, why: Why): Promise<bigint> {
      const { lead, side, getterId } = await inScope(db.app, ctx.scope, (tx) => standing(tx, ctx, leadId));
      const { root_id, agency_id } = lead;
      const owner = { root_id, agency_id, company_id: getterId };
      const sender = await notices.sender(owner);
      return inRoot(ctx, async (tx) => {
        // Locked before the balance, as everywhere; of two concurrent requests, one finds the other's refund.
        const [campaign] = await campaigns.lock(tx, [lead.campaign_id]);
        const { blocked } = await standing(tx, ctx, leadId);
        if (blocked || !campaign) throw new Refusal('conflict', blocked || words.removed);
        const at = clock.now();
        const back = await billing.returnLead(
          tx,
          {
            id: lead.id,
            rootId: root_id,
            agencyId: agency_id,
            clientId: lead.company_id,
            campaignId: lead.campaign_id,
          },
          side,
          at,
        );
        if (!back) throw new Refusal('conflict', words.nothingCharged);
        await store.insertCredit(tx, {
          id: newId(at),
          ...owner,
          giver_id: ctx.actor.companyId,
          lead_id: lead.id,
          campaign_id: lead.campaign_id,
          amount_micros: back.amountMicros,
          ...why,
          transfer_id: back.id,
          user_id: ctx.actor.userId,
          created_at: at,
        });
        // The amount spent on dashboards is reduced on the day of the refund, as on the statement; the lead still
        // counts as one.
        const off = -back.amountMicros;
        await campaigns.countHours(tx, [
          {
            root_id,
            agency_id,
            company_id: lead.company_id,
            campaign_id: lead.campaign_id,
            hour: new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS),
            visits: 0,
            matched: 0,
            leads: 0,
            spend: side === 'retail' ? off : 0n,
            cost: side === 'wholesale' ? off : 0n,
          },
        ]);
        await campaigns.goOn(tx, campaign, at);
        await notices.tell(tx, 'credit.lead', sender, owner, {
          subject: `${usd(back.amountMicros)} refunded for a lead from ${mailName(campaign.name)}`,
          lines: [
            `A lead from ${campaign.name} (#${campaign.number}) was refunded. ${whyLine(why)}`,
            BACK[back.paidBy] ?? '',
            ...(side === 'wholesale'
              ? ['This did not refund your client. You can refund the lead to your client separately.']
              : []),
          ],
          page: { label: 'View statement', path: '/configuration/statement' },
        });
        await audit.record(tx, ctx, {
          action: 'lead.refund',
          objectKind: 'lead',
          objectId: lead.id,
          description: `Refunded ${usd(back.amountMicros)} for a lead from campaign #${campaign.number}: ${REASON_WORDS[why.reason]}${why.note ? `, ${why.note}` : ''}`,
          owner,
        });
        return back.amountMicros;
      });
    },

    /**
     * Grants credit to a company directly below the user's own: an agency in its Data Wallet, a client in one of its
     * campaigns. The same key grants only once; the recipient is emailed.
     * @throws Refusal 404 for a company or campaign that does not belong to the user, 409 where the agency bills
     * outside, 422
     */
    async grant(
      ctx: Ctx,
      given: Why & { companyId: string; campaignId: string | undefined; amount: string; key: string },
    ): Promise<void> {
      const company = await inScope(db.app, ctx.scope, (tx) => tenants.company(tx, given.companyId));
      if (company?.kind !== (ctx.actor.kind === 'root' ? 'agency' : 'client')) return missing();
      if (company.kind === 'client' && !given.campaignId) throw refusalOf('campaign_id', 'is required');
      if (company.kind === 'agency' && given.campaignId)
        throw refusalOf('campaign_id', 'is only for client credits');
      const amountMicros = microsOf(given.amount);
      const why: Why = { reason: given.reason, note: given.note };
      const owner = { root_id: company.root_id, agency_id: company.agency_id!, company_id: company.id };
      const sender = await notices.sender(owner);
      await inRoot(ctx, async (tx) => {
        const at = clock.now();
        const posting = {
          rootId: owner.root_id,
          agencyId: owner.agency_id,
          amountMicros,
          memo: memoOf(why.reason),
          key: given.key,
        };
        let transferId: string | null;
        let place: string;
        if (!given.campaignId) {
          transferId = await dataWallet.auto.grant(tx, posting, at);
          place = 'It was added to your Data Wallet. You can use it for 12 months.';
        } else {
          const [campaign] = await campaigns.lock(tx, [given.campaignId]);
          if (!campaign || campaign.company_id !== company.id || campaign.state === 'removed')
            return missing();
          if ((await billing.accounts.terms(tx, owner.agency_id)).manual_bill)
            throw new Refusal('conflict', words.manual);
          const { isOwed } = (await billing.selling(tx, [campaign], at))(campaign.id);
          transferId = await billing.grant(
            tx,
            { ...posting, clientId: company.id, campaignId: campaign.id, isOwed },
            at,
          );
          place = isOwed
            ? `It will be deducted from the next invoice for the campaign ${campaign.name}.`
            : `It was added to the balance of the campaign ${campaign.name}.`;
          if (transferId) await campaigns.goOn(tx, campaign, at);
        }
        // The second click of a double-click.
        if (!transferId) return;
        await store.insertCredit(tx, {
          id: newId(at),
          ...owner,
          giver_id: ctx.actor.companyId,
          campaign_id: given.campaignId ?? null,
          amount_micros: amountMicros,
          ...why,
          transfer_id: transferId,
          user_id: ctx.actor.userId,
          created_at: at,
        });
        await notices.tell(tx, 'credit.grant', sender, owner, {
          subject: `You received a credit of ${usd(amountMicros)}`,
          lines: [`You received a credit of ${usd(amountMicros)}. ${place}`, whyLine(why)],
          page: { label: 'View statement', path: '/configuration/statement' },
        });
        await audit.record(tx, ctx, {
          action: 'credit.grant',
          objectKind: 'company',
          objectId: company.id,
          description: `Granted ${company.name} a credit of ${usd(amountMicros)}: ${REASON_WORDS[why.reason]}${why.note ? `, ${why.note}` : ''}`,
          owner,
        });
      });
    },

    /** Returns a page of what a company in the user's own scope received. @throws Refusal 404 */
    list: (ctx: Ctx, companyId: string, limit: number, offset: number) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await tenants.company(tx, companyId))) return missing();
        const { rows, total } = await store.pageOf(tx, companyId, limit, offset);
        return { rows: rows.map(shown), total };
      }),
  };
}
