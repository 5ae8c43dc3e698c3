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

type Side = 'retail' | 'wholesale';
/** Why a lead cannot be refunded. */
export type Blocked = 'testLead' | 'refundedBefore' | 'nothingCharged' | 'removed';
type Lead = NonNullable<Awaited<ReturnType<typeof store.leadById>>>;

const HOUR_MS = 3_600_000;

/** Who gets what one side of a lead's sale gives back. */
const getterOf = (lead: Lead, side: Side): string =>
  side === 'wholesale' ? lead.agency_id : lead.company_id;

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
  { db, clock, events }: Platform,
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

  /** What one side of a lead's sale charged and has not refunded, and why it cannot be refunded now; null if it can. */
  async function standing(tx: Tx, lead: Lead, side: Side) {
    const refunds = await store.ofLead(tx, lead.id);
    const charged = side === 'wholesale' ? lead.cost_micros : lead.price_micros;
    const isDone = refunds.some((one) => one.company_id === getterOf(lead, side));
    const blocked: Blocked | null = lead.is_test
      ? 'testLead'
      : isDone
        ? 'refundedBefore'
        : charged === 0n
          ? 'nothingCharged'
          : // No one can use the balance of a removed campaign.
            side === 'retail' && (await store.isRemoved(tx, lead.campaign_id))
            ? 'removed'
            : null;
    return { refunds, charged: blocked ? 0n : charged, blocked };
  }
  const found = async (tx: Tx, leadId: string) => (await store.leadById(tx, leadId)) ?? missing();
  const sideOf = (ctx: Ctx): Side => (ctx.actor.kind === 'root' ? 'wholesale' : 'retail');

  /**
   * The one way in which a lead is credited: gives back what one side of its sale charged, once, whoever asks for it and
   * however often. In the root's scope; no one is emailed. `by`: who does it; null if it happens by itself.
   * @throws Refusal 409 saying why it cannot be refunded, before anything is written
   */
  async function refund(tx: Tx, by: Ctx | null, lead: Lead, side: Side, why: Why) {
    // Locked before the balance, as everywhere; of two concurrent requests, one finds the other's refund.
    const [campaign] = await campaigns.lock(tx, [lead.campaign_id]);
    const { blocked } = await standing(tx, lead, side);
    if (blocked || !campaign) throw new Refusal('conflict', words[blocked ?? 'removed']);
    const { root_id, agency_id } = lead;
    const owner = { root_id, agency_id, company_id: getterOf(lead, side) };
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
    const id = newId(at);
    await store.insertCredit(tx, {
      id,
      ...owner,
      giver_id: side === 'wholesale' ? root_id : agency_id,
      lead_id: lead.id,
      campaign_id: lead.campaign_id,
      amount_micros: back.amountMicros,
      ...why,
      transfer_id: back.id,
      user_id: by?.actor.userId ?? null,
      created_at: at,
    });
    // The amount spent on dashboards is reduced on the day of the refund, as on the statement; the lead still counts as
    // one.
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
    const entry = {
      action: 'lead.refund',
      objectKind: 'lead',
      objectId: lead.id,
      description: `Refunded ${usd(back.amountMicros)} for a lead from campaign #${campaign.number}: ${REASON_WORDS[why.reason]}${why.note ? `, ${why.note}` : ''}`,
    };
    if (by) await audit.record(tx, by, { ...entry, owner });
    else await audit.recordSystem(tx, at, owner, entry);
    if (side === 'retail')
      await events.emit(tx, 'lead.refunded', {
        leadId: lead.id,
        creditId: id,
        by: by?.actor.userId ?? null,
      });
    return { amountMicros: back.amountMicros, place: BACK[back.paidBy] ?? '', campaign };
  }

  return {
    /**
     * Why what a client paid for these leads cannot be given back now; null if it can. In a scope that sees them.
     */
    async blocked(tx: Tx, leadIds: readonly string[]): Promise<Map<string, Blocked | null>> {
      const found = new Map<string, Blocked | null>();
      for (const lead of await store.leadsByIds(tx, leadIds))
        found.set(lead.id, (await standing(tx, lead, 'retail')).blocked);
      return found;
    },

    /**
     * Gives a client back what it paid for a lead, inside a transaction in the root's scope. Returns the amount and a
     * sentence that says where it went.
     * @throws Refusal 404, 409 saying why it cannot be refunded, before anything is written
     */
    async giveBack(tx: Tx, by: Ctx | null, leadId: string, why: Why) {
      const { amountMicros, place } = await refund(tx, by, await found(tx, leadId), 'retail', why);
      return { amountMicros, place };
    },

    /** What was refunded of a lead, and what the reader can refund. @throws Refusal 404 */
    ofLead: (ctx: Ctx, leadId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const lead = await found(tx, leadId);
        const { refunds, charged, blocked } = await standing(tx, lead, sideOf(ctx));
        const why = ctx.actor.kind === 'client' ? (blocked ?? 'nothingCharged') : blocked;
        return {
          data: refunds.map(shown),
          refundable_micros: why ? 0 : Number(charged),
          blocked: why ? words[why] : '',
        };
      }),

    /**
     * Refunds what the user's own company charged for a lead, once, and emails the recipient. Returns micro-dollars.
     * @throws Refusal 404, 409 saying why it cannot be refunded
     */
    async refundLead(ctx: Ctx, leadId: string, why: Why): Promise<bigint> {
      const side = sideOf(ctx);
      const lead = await inScope(db.app, ctx.scope, (tx) => found(tx, leadId));
      const owner = {
        root_id: lead.root_id,
        agency_id: lead.agency_id,
        company_id: getterOf(lead, side),
      };
      const sender = await notices.sender(owner);
      return inRoot(ctx, async (tx) => {
        const { amountMicros, place, campaign } = await refund(tx, ctx, lead, side, why);
        await notices.tell(tx, 'credit.lead', sender, owner, {
          subject: `${usd(amountMicros)} refunded for a lead from ${mailName(campaign.name)}`,
          lines: [
            `A lead from ${campaign.name} (#${campaign.number}) was refunded. ${whyLine(why)}`,
            place,
            ...(side === 'wholesale'
              ? ['This did not refund your client. You can refund the lead to your client separately.']
              : []),
          ],
          page: { label: 'View statement', path: '/configuration/statement' },
        });
        return amountMicros;
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
