import { Refusal } from '../../../../contract/errors.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { inTurn } from '../../../platform/in-turn.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Pricing } from '../pricing/index.ts';
import type { Wallet } from '../wallet/index.ts';
import * as store from './fees.store.ts';
import { agencyOf, rootOf } from './issue.service.ts';
import { monthName, monthOf } from './period.policy.ts';

const AT_ONCE = 500;
const FIRST = '00000000-0000-0000-0000-000000000000';

type Kind = 'platform_fee' | 'monthly_fee';
interface Fee {
  kind: Kind;
  period: string;
  term: string;
  retail: bigint;
  wholesale: bigint;
}

/**
 * The fees of campaigns (decision 0051): the platform fee at the first start, and the monthly fee once per calendar
 * month (in the root's time zone) in which the campaign is active. Each fee is recorded, even if it was zero, and never
 * charged again.
 */
export function createFees(
  { db, clock }: Platform,
  {
    ledger,
    wallet,
    pricing,
    tenants,
  }: { ledger: Ledger; wallet: Wallet; pricing: Pricing; tenants: Tenants },
) {
  const zoneOf = async (tx: Tx, rootId: string): Promise<string> =>
    (await tenants.company(tx, rootId))?.time_zone ?? 'UTC';

  /** Campaign fees that are due and not yet charged, as they stand at an instant. */
  async function due(tx: Tx, campaigns: store.FeeCampaign[], period: string, at: Date) {
    const had = new Set(
      (
        await store.feesOf(
          tx,
          campaigns.map((c) => c.id),
          period,
        )
      ).map((fee) => `${fee.campaign_id} ${fee.kind}`),
    );
    const costOf = new Map((await pricing.fees(tx, campaigns, at)).map((row) => [row.id, row]));
    return campaigns.map((campaign) => {
      const cost = costOf.get(campaign.id)!;
      const all: Fee[] = [
        {
          kind: 'platform_fee',
          period: 'once',
          term: cost.term,
          retail: cost.setup,
          wholesale: cost.wholesale_setup,
        },
        { kind: 'monthly_fee', period, term: cost.term, retail: cost.month, wholesale: cost.wholesale_month },
      ];
      return { campaign, fees: all.filter((fee) => !had.has(`${campaign.id} ${fee.kind}`)) };
    });
  }

  /** Posts a fee on both sides: the wallet pays the wholesale part if it covers it; otherwise the agency owes it. */
  async function post(tx: Tx, campaign: store.FeeCampaign, fee: Fee, at: Date): Promise<string | null> {
    const owner = {
      root_id: campaign.root_id,
      agency_id: campaign.agency_id,
      company_id: campaign.company_id,
    };
    const agency = agencyOf(owner);
    const memo = fee.kind === 'monthly_fee' ? `Monthly fee, ${monthName(fee.period)}` : undefined;
    let drawn: string | null = null;
    if (fee.wholesale > 0n) {
      try {
        drawn = await wallet.debit(
          tx,
          {
            rootId: owner.root_id,
            agencyId: owner.agency_id,
            amountMicros: fee.wholesale,
            kind: fee.kind,
            key: `${campaign.id}:${fee.period}`,
            referenceId: campaign.id,
            campaignId: campaign.id,
            ...(memo ? { memo } : {}),
          },
          at,
        );
      } catch (error) {
        // Not covered, or a wallet limit was reached.
        if (!(error instanceof Refusal)) throw error;
      }
    }
    const owed = drawn ? 0n : fee.wholesale;
    if (fee.retail === 0n && owed === 0n) return drawn;
    const [id] = await ledger.post(
      tx,
      [
        {
          owner,
          kind: fee.kind,
          referenceId: campaign.id,
          campaignId: campaign.id,
          memo,
          key: `${fee.kind}:${campaign.id}:${fee.period}`,
          entries: [
            { account: { owner, kind: 'client_unbilled', campaignId: campaign.id }, amount: -fee.retail },
            { account: { owner: agency, kind: 'agency_revenue' }, amount: fee.retail },
            { account: { owner: agency, kind: 'agency_payable' }, amount: -owed },
            { account: { owner: rootOf(owner), kind: 'root_revenue' }, amount: owed },
          ],
        },
      ],
      at,
    );
    return id ?? drawn;
  }

  const rowOf = (campaign: store.FeeCampaign, fee: Fee, transferId: string | null, at: Date) => ({
    campaign_id: campaign.id,
    kind: fee.kind,
    period: fee.period,
    root_id: campaign.root_id,
    agency_id: campaign.agency_id,
    company_id: campaign.company_id,
    term: fee.term,
    retail_micros: fee.retail,
    wholesale_micros: fee.wholesale,
    transfer_id: transferId,
    created_at: at,
  });

  /** Charges what is due for a campaign that was started, or found active, at an instant. Safe to run twice. */
  const charge = (rootId: string, campaignId: string, at: Date): Promise<void> =>
    inScope(db.app, { rootId }, async (tx) => {
      const campaign = await store.lockCampaign(tx, campaignId);
      if (!campaign) return;
      const [found] = await due(tx, [campaign], monthOf(at, await zoneOf(tx, rootId)), at);
      for (const fee of found?.fees ?? [])
        await store.addFees(tx, [
          rowOf(campaign, fee, await post(tx, campaign, fee, clock.now()), clock.now()),
        ]);
    });

  return {
    charge,

    /**
     * Charges what is due for all active campaigns of a root; one that fails does not hold up the others. Returns how
     * many fees were above zero.
     */
    async sweep(rootId: string): Promise<number> {
      const at = clock.now();
      let charged = 0;
      const failures: unknown[] = [];
      for (let after = FIRST; ; ) {
        const { page, asked } = await inScope(db.app, { rootId }, async (tx) => {
          const period = monthOf(at, await zoneOf(tx, rootId));
          const page = await store.campaignsWithoutFee(tx, rootId, period, after, AT_ONCE);
          const found = await due(tx, page, period, at);
          const isFree = (fee: Fee): boolean => fee.retail === 0n && fee.wholesale === 0n;
          // Most campaigns have no fees; that is recorded for all of them at once.
          await store.addFees(
            tx,
            found.flatMap(({ campaign, fees }) =>
              fees.filter(isFree).map((fee) => rowOf(campaign, fee, null, at)),
            ),
          );
          return {
            page,
            asked: found.flatMap(({ campaign, fees }) =>
              fees.some((fee) => !isFree(fee)) ? [campaign.id] : [],
            ),
          };
        });
        failures.push(...(await inTurn(asked, (id) => charge(rootId, id, at))));
        charged += asked.length;
        const last = page.at(-1);
        if (!last || page.length < AT_ONCE) break;
        after = last.id;
      }
      if (failures.length > 0) throw failures[0];
      return charged;
    },
  };
}
