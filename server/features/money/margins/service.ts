import { z } from 'zod';
import type { BelowCost } from '../../../../contract/money/margins.ts';
import { dollarsOf, usd } from '../../../../contract/primitives.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Campaigns } from '../../campaigns/campaigns/index.ts';
import type { Notices } from '../ledger/index.ts';
import type { MarginRule, Pricing } from '../pricing/index.ts';
import * as store from './store.ts';

const checkJob = defineJob(
  'margins.check',
  z.object({ rootId: z.uuid().optional(), agencyId: z.uuid().nullable().optional() }),
);

export type Margins = ReturnType<typeof createMargins>;
type Wire = Inside<z.input<typeof BelowCost>>;

/** What was done about a campaign when its agency's cost rose above its price. */
interface Dealt {
  number: bigint;
  name: string;
  priceMicros: bigint;
  costMicros: bigint;
  what: 'held' | 'raised' | 'sold';
}

const RULE_WORDS: Record<MarginRule, string> = {
  hold: 'put campaigns on hold',
  raise: 'raise the price to match the cost',
  sell: 'keep selling at a loss',
};
const DEALT_WORDS: Record<Dealt['what'], string> = {
  held: 'on hold',
  raised: 'price raised to your cost',
  sold: 'still selling at a loss, as you chose',
};

/**
 * Keeps campaigns from selling below what their agency pays, unless the agency has chosen to
 * (docs/decisions/0105-prices-below-cost.md). The sale itself is refused in billing; here campaigns are held, repriced
 * and resumed, and the agency is notified.
 */
export function createMargins(
  platform: Platform,
  deps: { audit: Audit; campaigns: Campaigns; pricing: Pricing; notices: Notices; tenants: Tenants },
) {
  const { db, clock, jobs, events, log } = platform;
  const { audit, campaigns, pricing, notices, tenants } = deps;

  // When a root changes costs, a job handles it right away; for a planned change, a job also runs when its day comes.
  // Even before that, no lead is sold below cost.
  events.on('wholesale.changed', async (tx, { rootId, agencyId, from }) => {
    const payload = { rootId, agencyId };
    if (from > clock.now()) await jobs.send(tx, checkJob, [payload], { startAfter: from });
    await jobs.send(tx, checkJob, [payload]);
  });

  /** Prices and costs of the campaigns that are below cost at an instant. */
  async function belowCost(tx: Tx, rows: Awaited<ReturnType<typeof store.campaignsOf>>, at: Date) {
    const pricesOf = await pricing.prices(tx, rows, at);
    return rows.flatMap((row) => {
      const { priceMicros, costMicros, isManual } = pricesOf(row.id);
      return !isManual && costMicros > priceMicros ? [{ row, priceMicros, costMicros }] : [];
    });
  }

  /** Handles the campaigns of one agency; returns what was done. In the root's scope. */
  async function settle(tx: Tx, agency: { rootId: string; agencyId: string }): Promise<Dealt[]> {
    const at = clock.now();
    const rows = await campaigns.lockForMargins(tx, agency);
    const rule = (await pricing.marginRules(tx, [agency.agencyId]))(agency.agencyId);
    const excess = await pricing.excessOf(
      tx,
      rows.map((row) => row.id),
      at,
    );
    const pricesOf = await pricing.prices(tx, rows, at);
    const dealt: Dealt[] = [];
    for (const row of rows) {
      const { priceMicros, costMicros } = pricesOf(row.id);
      const told = { number: row.number, name: row.name, priceMicros, costMicros };
      if (!excess.has(row.id)) {
        await campaigns.recover(tx, row, at);
        continue;
      }
      const owner = { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id };
      if (rule === 'raise' && (await pricing.raiseToCost(tx, { ...owner, id: row.id, module: row.module }))) {
        dealt.push({ ...told, what: 'raised' });
        await audit.recordSystem(tx, at, owner, {
          action: 'campaign.raised',
          objectKind: 'campaign',
          objectId: row.id,
          description: `Campaign #${row.number}: the lead price was raised from ${usd(priceMicros)} to the cost, ${usd(costMicros)}`,
        });
        await campaigns.recover(tx, row, at);
      } else if (row.state === 'active') {
        dealt.push({ ...told, what: 'held' });
        await campaigns.stop(tx, row, 'below_cost', at);
      }
    }
    return dealt;
  }

  const tell = (
    tx: Tx,
    sender: Awaited<ReturnType<Notices['sender']>>,
    owner: Owner,
    dealt: Dealt[],
    from: Date | null,
    zone: string,
  ) => {
    const many = dealt.length === 1 ? '1 campaign' : `${dealt.length} campaigns`;
    const day = from?.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: zone });
    return notices.tell(tx, 'margin.below_cost', sender, owner, {
      subject: from
        ? `Starting ${day}, your cost exceeds the price in ${many}`
        : `Your cost exceeds the price in ${many}`,
      lines: [
        from
          ? `The platform has scheduled new prices. Starting ${day}, a lead costs you more than your client pays in ${many}:`
          : `A lead now costs you more than your client pays in ${many}:`,
        ...dealt
          .slice(0, 50)
          .map(
            (one) =>
              `#${one.number} ${one.name}: price ${usd(one.priceMicros)}, your cost ${usd(one.costMicros)}${from ? '' : ` (${DEALT_WORDS[one.what]})`}`,
          ),
        ...(dealt.length > 50 ? [`And ${dealt.length - 50} more.`] : []),
        'To change prices or choose what happens in this case, go to Campaigns.',
      ],
    });
  };

  /** Handles the campaigns of an agency and notifies it. */
  async function check(agency: { rootId: string; agencyId: string }): Promise<void> {
    const scope = { rootId: agency.rootId };
    const owner = { root_id: agency.rootId, agency_id: agency.agencyId, company_id: agency.agencyId };
    const sender = await notices.sender(owner);
    await inScope(db.app, scope, async (tx) => {
      const dealt = await settle(tx, agency);
      if (dealt.length > 0) await tell(tx, sender, owner, dealt, null, 'UTC');
    });
  }

  /** Notifies an agency of what a planned change will do, at the time it is planned. */
  async function tellPlanned(agency: { rootId: string; agencyId: string }): Promise<void> {
    const owner = { root_id: agency.rootId, agency_id: agency.agencyId, company_id: agency.agencyId };
    const sender = await notices.sender(owner);
    await inScope(db.app, { rootId: agency.rootId }, async (tx) => {
      const now = clock.now();
      const rows = await store.campaignsOf(tx, agency.agencyId);
      const [from] = await store.changesAfter(tx, agency.agencyId, now);
      if (!from) return;
      const known = new Set((await belowCost(tx, rows, now)).map((one) => one.row.id));
      const fresh = (await belowCost(tx, rows, from)).filter((one) => !known.has(one.row.id));
      const zone = (await tenants.company(tx, agency.agencyId))?.time_zone ?? 'UTC';
      if (fresh.length > 0)
        await tell(
          tx,
          sender,
          owner,
          fresh.map(({ row, priceMicros, costMicros }) => ({
            number: row.number,
            name: row.name,
            priceMicros,
            costMicros,
            what: 'sold',
          })),
          from,
          zone,
        );
    });
  }

  async function checkRoot(
    rootId: string,
    agencyId: string | null | undefined,
    tells: boolean,
  ): Promise<void> {
    const agencies = agencyId
      ? [agencyId]
      : await inScope(db.app, { rootId }, (tx) => store.agenciesOf(tx, rootId));
    const failures: unknown[] = [];
    for (const one of agencies)
      try {
        await check({ rootId, agencyId: one });
        if (tells) await tellPlanned({ rootId, agencyId: one });
      } catch (error) {
        log.error({ err: error, company: one }, 'the prices of an agency could not be checked');
        failures.push(error);
      }
    if (failures.length > 0) throw failures[0];
  }

  async function viewOf(tx: Tx, agencyId: string) {
    const now = clock.now();
    const rows = await store.campaignsOf(tx, agencyId);
    const ids = rows.map((row) => row.id);
    const excess = await pricing.excessOf(tx, ids, now);
    const wire = (
      { row, priceMicros, costMicros }: Awaited<ReturnType<typeof belowCost>>[number],
      from: Date | null,
    ): Wire => ({
      id: row.id,
      number: Number(row.number),
      name: row.name,
      company_id: row.company_id,
      company_name: row.company_name,
      module: row.module,
      status: row.state as 'active',
      held: row.state === 'paused',
      sells: row.state === 'active' && !excess.has(row.id),
      price: dollarsOf(priceMicros),
      cost: dollarsOf(costMicros),
      from: from?.toISOString() ?? null,
    });
    const found = (await belowCost(tx, rows, now)).map((one) => wire(one, null));
    const known = new Set(found.map((one) => one.id));
    for (const from of await store.changesAfter(tx, agencyId, now)) {
      for (const one of await belowCost(tx, rows, from)) {
        if (known.has(one.row.id)) continue;
        known.add(one.row.id);
        found.push(wire(one, from));
      }
    }
    return { rule: (await pricing.marginRules(tx, [agencyId]))(agencyId), campaigns: found };
  }

  return {
    check,
    tellPlanned,

    /** The campaigns of the user's own agency that are below cost, and the rule it has chosen. */
    view: (ctx: Ctx) => inScope(db.app, ctx.scope, (tx) => viewOf(tx, ctx.actor.companyId)),

    /**
     * Sets what happens to them, both from now on and for those below cost now.
     * @throws Refusal 403 to sell at a loss in a session that is not confirmed
     */
    async choose(ctx: Ctx, rule: MarginRule) {
      const agencyId = ctx.actor.companyId;
      const known = await inScope(db.app, ctx.scope, (tx) => pricing.marginRules(tx, [agencyId]));
      if (rule === 'sell' && known(agencyId) !== rule) await ctx.mustBeConfirmed();
      await inScope(db.app, ctx.scope, async (tx) => {
        const before = (await pricing.marginRules(tx, [agencyId]))(agencyId);
        if (before === rule) return;
        await pricing.putMarginRule(
          tx,
          { root_id: ctx.scope.rootId, agency_id: agencyId },
          rule,
          clock.now(),
        );
        await audit.record(tx, ctx, {
          action: 'margin.choose',
          objectKind: 'company',
          objectId: agencyId,
          description: `Price below cost: ${RULE_WORDS[before]} to ${RULE_WORDS[rule]}`,
        });
      });
      await check({ rootId: ctx.scope.rootId, agencyId });
      return inScope(db.app, ctx.scope, (tx) => viewOf(tx, agencyId));
    },

    /**
     * Checks one agency, all of a root, or all there are, and, where a root is named, notifies them of what is planned.
     * One that fails does not hold up the others. @throws the first failure, once all have been checked
     */
    checkAll: ({ rootId, agencyId }: z.output<typeof checkJob.payload>): Promise<void> =>
      rootId ? checkRoot(rootId, agencyId, true) : tenants.eachRoot((id) => checkRoot(id, agencyId, false)),

    /** Runs the feature's jobs in this process; an hourly run looks for changes that nothing has reported. */
    async start(): Promise<void> {
      await jobs.work(checkJob, { pollingIntervalSeconds: 10 }, (of) => this.checkAll(of));
      await jobs.schedule(checkJob, '7 * * * *', {});
    },
  };
}
