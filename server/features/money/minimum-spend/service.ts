import type { z } from 'zod';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { MinSpend } from '../../../../contract/money/minimum-spend.ts';
import { microsOf } from '../../../../contract/primitives.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Agreements } from '../../accounts/agreements/index.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Settings } from '../../accounts/settings/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Billing } from '../billing/index.ts';
import type { Invoices, Payer } from '../invoices/index.ts';
import type { Ledger, Notices } from '../ledger/index.ts';
import type { Plans } from '../pricing/index.ts';
import { createOffers } from './offer.service.ts';
import * as policy from './policy.ts';
import * as store from './store.ts';

/** Puts events on a separate invoice, final immediately (docs/decisions/0051-invoices.md). */
export type BillEvents = (
  tx: Tx,
  given: {
    owner: Owner & { agency_id: string };
    side: 'wholesale';
    kind: 'minimum_spend';
    term: null;
    periodKey: string;
    from: Date;
    to: Date;
    events: { transferIds: string[] };
  },
  at: Date,
) => Promise<unknown>;

export interface MinSpendParts {
  tenants: Tenants;
  audit: Audit;
  plans: Plans;
  settings: Settings;
  ledger: Ledger;
  billing: Billing;
  agreements: Agreements;
  notices: Notices;
  invoices: Pick<Invoices, 'waits'>;
  bill: BillEvents;
}

export type MinimumSpend = ReturnType<typeof createMinimumSpend>;

const HISTORY = 24;
/** Leads count in the month in which their sale began, and are written within this time: no transaction lasts as long. */
const SETTLE_MS = 3 * 60_000;
const SETTING_NAME = 'Minimum spend';

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/** The minimum that agencies must spend in each month of their life (docs/decisions/0056-minimum-spend.md). */
export function createMinimumSpend(platform: Platform, parts: MinSpendParts) {
  const { db, clock } = platform;
  const { tenants, audit, plans, settings, ledger, billing, agreements } = parts;
  const { waits } = parts.invoices;

  /**
   * What a root asks of agencies that have no plan of their own: its default plan, else its setting; null if nothing.
   */
  async function defaultOf(tx: Tx, rootId: string, at: Date) {
    const plan = await plans.defaultOf(tx, rootId, at);
    if (plan) return { name: plan.name, months: plan.months, flat: plan.flat };
    const setting = await settings.minimumSpendOf(tx, rootId);
    if (setting.status !== 'T') return null;
    return {
      name: SETTING_NAME,
      months: [microsOf(setting.first_month), microsOf(setting.second_month)],
      flat: microsOf(setting.monthly),
    };
  }
  const offers = createOffers(platform, { tenants, audit, agreements, notices: parts.notices, defaultOf });

  /**
   * What is asked of an agency in a month, as of an instant: its own plan, else its root's default to the extent that
   * the agency had accepted it before the month began; null if nothing.
   */
  async function amountsOf(tx: Tx, rootId: string, agencyId: string, at: Date, month: { from: Date }) {
    const plan = await plans.planOf(tx, agencyId, at);
    if (plan?.is_own) return { name: plan.name, months: plan.months, flat: plan.flat };
    const asked = plan ?? (await defaultOf(tx, rootId, at));
    const agreed = asked && (await store.acceptedOffer(tx, agencyId, month.from));
    const amounts = agreed && policy.lowerOf(agreed, asked);
    return amounts ? { name: asked.name, ...amounts } : null;
  }

  /** What an agency spent between two instants, micro-dollars; below zero if more was refunded. */
  async function spentIn(tx: Tx, agencyId: string, from: Date, to: Date): Promise<bigint> {
    const owed = (at: Date) => ledger.balanceAsOf(tx, agencyId, ['agency_wallet', 'agency_payable'], at);
    return (await owed(from)) - (await owed(to)) + (await store.notSpent(tx, agencyId, from, to));
  }

  const zoneOf = async (tx: Tx, rootId: string): Promise<string> =>
    (await tenants.company(tx, rootId))?.time_zone ?? 'UTC';

  /**
   * Whether a minimum applies to an agency at all, now or from its first full month on, or is waiting for its
   * acceptance. In the root's scope.
   */
  async function applies(tx: Tx, rootId: string, agencyId: string): Promise<boolean> {
    const terms = await billing.accounts.terms(tx, agencyId);
    if (terms.excluded_minimum_spend || terms.cancelled_at) return false;
    if (!(await agreements.begun(tx, agencyId))) return false;
    if (await store.openOffer(tx, agencyId)) return true;
    // An acceptance this month counts from the next month on.
    const at = clock.now();
    const amounts = await amountsOf(tx, rootId, agencyId, at, { from: new Date(at.getTime() + 1) });
    return amounts !== null && [...amounts.months, amounts.flat].some((micros) => micros > 0n);
  }

  /**
   * Decides a past month of an agency, only once: any shortfall is posted and invoiced in the same transaction as the
   * month's record. Does nothing for an agency that had not begun, had left by the end of the month, or has no minimum.
   * `wasAway`: it has come back since, and owes nothing for this month.
   */
  async function decide(
    tx: Tx,
    rootId: string,
    agencyId: string,
    month: Temporal.PlainDate,
    timeZone: string,
    wasAway = false,
  ): Promise<'met' | 'excluded' | 'charged' | null> {
    const at = clock.now();
    const key = month.toString();
    await store.lockAgency(tx, agencyId);
    if (await store.isDecided(tx, agencyId, key)) return null;
    const { from, to } = policy.spanOf(month, timeZone);
    const began = await agreements.begun(tx, agencyId);
    if (!began) return null;
    const life = policy.lifeOf(month, began, timeZone);
    const amounts = await amountsOf(tx, rootId, agencyId, new Date(to.getTime() - 1), { from });
    const asked = policy.askedOf(amounts, life);
    if (!amounts || asked === null || asked === 0n) return null;
    const left = await store.leftAt(tx, agencyId);
    if (left && left < to) return null;
    const { excluded_minimum_spend: isExcluded } = await billing.accounts.terms(tx, agencyId);
    const spent = await spentIn(tx, agencyId, from, to);
    const shortfall = policy.shortfallOf(asked, spent);
    const outcome = shortfall === 0n ? 'met' : isExcluded || wasAway ? 'excluded' : 'charged';
    const owner = { root_id: rootId, agency_id: agencyId, company_id: agencyId };
    const root: Owner = { root_id: rootId, agency_id: null, company_id: rootId };
    const periodKey = `minimum_spend:${key.slice(0, 7)}`;
    const [transferId = null] =
      outcome === 'charged'
        ? await ledger.post(
            tx,
            [
              {
                owner,
                kind: 'minimum_spend',
                referenceId: null,
                key: `${periodKey}:${agencyId}`,
                entries: [
                  { account: { owner, kind: 'agency_payable' }, amount: -shortfall },
                  { account: { owner: root, kind: 'root_revenue' }, amount: shortfall },
                ],
              },
            ],
            at,
          )
        : [];
    await store.insertMonth(tx, {
      ...owner,
      month: key,
      life,
      plan_name: amounts.name,
      asked_micros: asked,
      spent_micros: spent,
      shortfall_micros: shortfall,
      outcome,
      transfer_id: transferId,
      decided_at: at,
    });
    if (transferId)
      await parts.bill(
        tx,
        {
          owner,
          side: 'wholesale',
          kind: 'minimum_spend',
          term: null,
          periodKey,
          from,
          to,
          events: { transferIds: [transferId] },
        },
        at,
      );
    return outcome;
  }

  return {
    offers,
    applies,

    /** What is asked of an agency by month, whether or not it has accepted it yet, micro-dollars; null if nothing. */
    askedOf: (rootId: string, agencyId: string): Promise<policy.Amounts | null> =>
      inScope(db.app, { rootId }, async (tx) => {
        const at = clock.now();
        const terms = await billing.accounts.terms(tx, agencyId);
        if (terms.excluded_minimum_spend) return null;
        return (await plans.planOf(tx, agencyId, at)) ?? (await defaultOf(tx, rootId, at)) ?? null;
      }),

    /**
     * Accepts the root's default for an agency, along with something else that it accepts: it is charged from the next
     * month on. Does nothing if the agency has its own plan, or agreed to as much before. In the root's scope.
     */
    async acceptDefault(tx: Tx, ctx: Ctx, owner: Owner & { agency_id: string }): Promise<void> {
      const at = clock.now();
      const plan = await plans.planOf(tx, owner.agency_id, at);
      const asked = plan ?? (await defaultOf(tx, owner.root_id, at));
      if (asked && !plan?.is_own) await offers.acceptNow(tx, ctx, owner, asked);
    },

    /**
     * Decides every past month of a root, shortly after its end. The first time, only records the starting month, so that nothing is charged
     * for the time before. An agency whose month cannot be decided, such as for lack of its tax, waits and is tried again
     * by each run; the months of the others go on (decision 0502).
     * @throws the first failure that no one foresaw, once everyone else has been decided
     */
    async closeMonths(rootId: string): Promise<void> {
      const scope = { rootId };
      const now = clock.now();
      const { timeZone, next, list } = await inScope(db.app, scope, async (tx) => {
        const timeZone = await zoneOf(tx, rootId);
        const next = await store.nextMonth(tx, rootId, policy.monthOf(now, timeZone).toString());
        return { timeZone, next, list: await store.agencies(tx, rootId) };
      });
      const ended = (first: Temporal.PlainDate) => {
        const months: { month: Temporal.PlainDate; from: Date }[] = [];
        for (let month = first; ; month = month.add({ months: 1 })) {
          const { from, to } = policy.spanOf(month, timeZone);
          if (to.getTime() + SETTLE_MS > now.getTime()) return months;
          months.push({ month, from });
        }
      };
      let failure: unknown;
      const waiting = new Set<string>();
      async function settle(owner: Payer, months: ReturnType<typeof ended>): Promise<boolean> {
        const of = { owner, side: 'wholesale', cycle: 'minimum_spend' } as const;
        const done = await waits.bill(of, months, ({ month }) =>
          inScope(db.app, scope, (tx) => decide(tx, rootId, owner.company_id, month, timeZone)),
        );
        failure ??= done.failure;
        if (done.waits) waiting.add(owner.company_id);
        return done.waits;
      }
      for (const one of await waits.of(rootId, 'minimum_spend'))
        if (!(await settle(one.owner, ended(policy.monthOf(one.since, timeZone))))) await waits.over(one);
      for (const one of ended(Temporal.PlainDate.from(next))) {
        for (const agencyId of list)
          if (!waiting.has(agencyId))
            await settle({ root_id: rootId, agency_id: agencyId, company_id: agencyId }, [one]);
        const after = one.month.add({ months: 1 }).toString();
        await inScope(db.app, scope, (tx) => store.advance(tx, rootId, after));
      }
      if (failure) throw failure;
    },

    /**
     * Decides the month in which an agency's subscription ended if the agency comes back before the following month is
     * over: otherwise, by being inactive only across the turn of a month, it would owe no minimum for either. If it was
     * away for longer, it owes nothing for that time: of months that are decided later, such as behind one whose invoice
     * waits, no one would know by then that it was away. Runs in the root's scope, when the agency has come back.
     */
    async cameBack(tx: Tx, agency: { rootId: string; agencyId: string }, endedAt: Date): Promise<void> {
      const { rootId, agencyId } = agency;
      const timeZone = await zoneOf(tx, rootId);
      const ended = policy.monthOf(endedAt, timeZone);
      const present = policy.monthOf(clock.now(), timeZone);
      const isClosed = (month: Temporal.PlainDate) => store.isClosed(tx, rootId, month.toString());
      if (ended.add({ months: 1 }).equals(present)) {
        // Otherwise the job does it, as for all agencies.
        if (await isClosed(ended)) await decide(tx, rootId, agencyId, ended, timeZone);
        return;
      }
      const isWaiting = await waits.has(tx, agencyId, 'minimum_spend');
      for (
        let month = ended;
        Temporal.PlainDate.compare(month, present) < 0;
        month = month.add({ months: 1 })
      )
        if (isWaiting || !(await isClosed(month))) await decide(tx, rootId, agencyId, month, timeZone, true);
    },

    /**
     * The agency's progress this month.
     * @throws Refusal 404 for a company that is not an agency in the scope
     */
    async progress(ctx: Ctx, companyId: string): Promise<Inside<z.output<typeof MinSpend>>> {
      const company = await inScope(db.app, ctx.scope, (tx) => tenants.company(tx, companyId));
      if (company?.kind !== 'agency') return missing();
      const { id: agencyId, root_id: rootId } = company;
      // The root's setting is not visible in an agency's own scope.
      return inScope(db.app, { rootId }, async (tx) => {
        const at = clock.now();
        const timeZone = await zoneOf(tx, rootId);
        const month = policy.monthOf(at, timeZone);
        const { from, to } = policy.spanOf(month, timeZone);
        const began = await agreements.begun(tx, agencyId);
        const begun = began ? policy.lifeOf(month, began, timeZone) : 0;
        const life = begun >= 1 ? begun : null;
        const plan = await plans.planOf(tx, agencyId, at);
        const amounts = await amountsOf(tx, rootId, agencyId, at, { from });
        const terms = await billing.accounts.terms(tx, agencyId);
        const isFree = terms.excluded_minimum_spend || terms.cancelled_at !== null;
        const asked = policy.askedOf(amounts, life);
        const spent = await spentIn(tx, agencyId, from, to);
        const agreed = await agreements.accepted(tx, agencyId);
        return {
          company_id: agencyId,
          company_name: company.name,
          data: plan ? plans.wire(plan) : null,
          minimum_spend: {
            status: await applies(tx, rootId, agencyId),
            agreed_v2: agreed.has('minimum_spend_v2'),
            agreed_v3: agreed.has('minimum_spend_v3'),
          },
          excluded_minimum_spend: terms.excluded_minimum_spend ? 1 : 0,
          month: month.toString(),
          month_of_life: life,
          amount_micros: asked === null ? null : Number(asked),
          spent_micros: Number(spent),
          shortfall_micros: isFree ? 0 : Number(policy.shortfallOf(asked, spent)),
          offer: await offers.openOf(tx, company, timeZone),
          days_left: policy.daysLeft(at, timeZone),
          time_zone: timeZone,
          history: (await store.monthsOf(tx, agencyId, HISTORY)).map((row) => ({
            month: row.month,
            month_of_life: row.life,
            plan_name: row.plan_name,
            amount_micros: Number(row.asked_micros),
            spent_micros: Number(row.spent_micros),
            shortfall_micros: Number(row.shortfall_micros),
            outcome: row.outcome,
          })),
        };
      });
    },

    /**
     * Excludes an agency from the minimum spend, or includes it again; returns whether it is excluded now. What counts
     * is its state when the month is decided.
     * @throws Refusal 404 for a company that is not an agency of the user's own tree
     */
    exclude: (ctx: Ctx, companyId: string): Promise<boolean> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = await tenants.company(tx, companyId);
        if (company?.kind !== 'agency') return missing();
        const owner = { root_id: company.root_id, agency_id: company.id, company_id: company.id };
        const isExcluded = await billing.accounts.toggleMinimumSpend(tx, owner, clock.now());
        await audit.record(tx, ctx, {
          action: 'minspend.exclude',
          objectKind: 'company',
          objectId: company.id,
          description: `${isExcluded ? 'Excluded' : 'Included'} ${company.name} ${isExcluded ? 'from' : 'in'} the minimum spend`,
          owner,
        });
        return isExcluded;
      }),
  };
}
