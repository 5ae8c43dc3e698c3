import { MODULES } from '../../../../contract/choices.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Comparison, ReportGroup } from '../../../../contract/money/report-analytics.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Ledger } from '../ledger/index.ts';
import {
  cohorts,
  comparedWith,
  type Days,
  firstMonths,
  monthBefore,
  monthKeys,
  movements,
  type Revenues,
  reasonsOf,
  standingOf,
} from './policy.ts';
import * as store from './store.ts';

const MOST_DAYS = 1100;
/** A period of up to as many days is shown by day. */
const MOST_BY_DAY = 92;
const DAY_MS = 86_400_000;

interface Spanned {
  starts_on?: string | undefined;
  ends_on?: string | undefined;
  compare: Comparison;
}
type Sales = Awaited<ReturnType<Ledger['salesBy']>>[number];
type Amounts = Pick<Sales, 'leads' | 'price' | 'cost' | 'supplier'>;

const NONE: Amounts = { leads: 0n, price: 0n, cost: 0n, supplier: 0n };
const plus = (one: Amounts, other: Amounts): Amounts => ({
  leads: one.leads + other.leads,
  price: one.price + other.price,
  cost: one.cost + other.cost,
  supplier: one.supplier + other.supplier,
});

const monthName = (key: string): string => {
  const [year, month] = key.split('-').map(Number);
  return new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(Date.UTC(year!, month! - 1)),
  );
};
const moduleName = (key: string): string => MODULES.find((one) => one.module === key)?.name ?? key;

/**
 * Whether a user may read reports. A root's administrators need report_analytics (spec product 6), and an agency's the
 * right to see costs.
 */
async function mayRead(tx: Tx, ctx: Ctx): Promise<boolean> {
  if (!ctx.may('report.read')) return false;
  if (ctx.actor.kind !== 'root') return ctx.may('cost.read');
  return ctx.actor.grade === 'root.owner' || store.mayReport(tx, ctx.actor.userId);
}

export type ReportAnalytics = ReturnType<typeof createReportAnalytics>;

/** Reports, as their pages and the emails with them have them. */
export const createReportAnalytics = (platform: Platform, deps: { tenants: Tenants; ledger: Ledger }) => ({
  calls: reportAnalyticsRoutes(platform, deps.tenants, deps.ledger),
  mayRead,
});

/** The calls of report analytics (docs/decisions/0420-report-analytics.md). */
function reportAnalyticsRoutes(
  { db, clock }: Platform,
  tenants: Tenants,
  ledger: Ledger,
): Handlers<typeof contract.reportAnalytics> {
  /** Runs in the reader's scope. @throws Refusal 403 */
  const asked = <T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, ctx.scope, async (tx) => {
      if (!(await mayRead(tx, ctx))) throw new Refusal('forbidden', ownMessages.forbidden);
      return work(tx);
    });

  /** The requested days and those that they are compared with, in the time zone of the user's own company. */
  async function spanOf(tx: Tx, ctx: Ctx, input: Spanned, fields = { ends: 'ends_on' }) {
    const zone = (await tenants.company(tx, ctx.actor.companyId))!.time_zone;
    const today = Temporal.Instant.fromEpochMilliseconds(clock.now().getTime())
      .toZonedDateTimeISO(zone)
      .toPlainDate();
    const last = input.ends_on ? Temporal.PlainDate.from(input.ends_on) : today;
    const first = input.starts_on
      ? Temporal.PlainDate.from(input.starts_on)
      : last.with({ day: 1 }).subtract({ months: 11 });
    const length = first.until(last, { largestUnit: 'days' }).days + 1;
    if (length < 1) throw refusalOf(fields.ends, 'must not be before the start date');
    if (length > MOST_DAYS)
      throw refusalOf(fields.ends, `must be within ${MOST_DAYS} days of the start date`);
    const at = (day: Temporal.PlainDate): Date => new Date(day.toZonedDateTime(zone).epochMilliseconds);
    const span = ({ first, last }: Days) => ({
      from: at(first),
      before: at(last.add({ days: 1 })),
      timeZone: zone,
    });
    const days = { first, last };
    const before = comparedWith(days, input.compare);
    return {
      zone,
      today,
      days,
      before,
      length,
      at,
      now: span(days),
      prior: span(before),
      told: told(zone, days, before),
    };
  }
  const told = (time_zone: string, days: Days, before: Days) => ({
    time_zone,
    starts_on: days.first.toString(),
    ends_on: days.last.toString(),
    before: { starts_on: before.first.toString(), ends_on: before.last.toString() },
  });

  const sumsFor = (ctx: Ctx) => {
    const isRoot = ctx.actor.kind === 'root';
    return ({ leads, price, cost, supplier }: Amounts) => {
      const revenue = isRoot ? cost : price;
      const spent = isRoot ? supplier : cost;
      return {
        leads: Number(leads),
        price_micros: Number(price),
        revenue_micros: Number(revenue),
        cost_micros: Number(spent),
        margin_micros: Number(revenue - spent),
      };
    };
  };

  /** Names of groups, and the company that each belongs to. */
  async function namesOf(tx: Tx, by: ReportGroup, keys: readonly string[]) {
    if (by === 'month' || by === 'product' || by === 'term') {
      const name = { month: monthName, product: moduleName, term: (key: string) => key || 'No price' }[by];
      return (key: string) => ({ name: name(key), of: null });
    }
    const known = await ledger.salesNames(tx, by === 'campaign' ? 'campaign' : 'company', keys);
    return (key: string) => known.get(key) ?? { name: key, of: null };
  }

  /** What agencies (of a root) or clients (of an agency) bring, by month, over all time. */
  async function history(tx: Tx, ctx: Ctx, zone: string, before: Date) {
    const rows = await ledger.salesBy(tx, {
      companyId: ctx.actor.companyId,
      from: (await tenants.company(tx, ctx.actor.companyId))!.created_at,
      before,
      timeZone: zone,
      by: ctx.actor.kind === 'root' ? 'agency' : 'client',
      byMonth: true,
    });
    const sums = sumsFor(ctx);
    const revenues: Revenues = new Map();
    const margins = new Map<string, number>();
    for (const row of rows) {
      const { revenue_micros, margin_micros } = sums(row);
      const byMonth = revenues.get(row.key) ?? new Map<string, bigint>();
      revenues.set(row.key, byMonth.set(row.month, BigInt(revenue_micros)));
      margins.set(row.key, (margins.get(row.key) ?? 0) + margin_micros);
    }
    return { revenues, margins };
  }

  const partiesOf = (kind: 'agency' | 'client') => (ctx: Ctx, input: Spanned) =>
    asked(ctx, async (tx) => {
      const span = await spanOf(tx, ctx, input);
      const of = { companyId: ctx.actor.companyId, by: kind };
      const now = new Map((await ledger.salesBy(tx, { ...of, ...span.now })).map((row) => [row.key, row]));
      const then = new Map((await ledger.salesBy(tx, { ...of, ...span.prior })).map((row) => [row.key, row]));
      const { revenues, margins } = await history(tx, ctx, span.zone, clock.now());
      const firsts = firstMonths(revenues);
      const sums = sumsFor(ctx);
      const revenueOf = (row: Amounts | undefined) => (row ? sums(row).revenue_micros : 0);
      const start = span.days.first.toPlainYearMonth().toString();
      const data = (await store.parties(tx, ctx.actor.companyId, kind, clock.now())).map((row) => {
        const months = [...(revenues.get(row.id) ?? [])]
          .filter(([, micros]) => micros !== 0n)
          .map(([key]) => key);
        const first = firsts.get(row.id) ?? null;
        const has = {
          now: revenueOf(now.get(row.id)) !== 0,
          before: revenueOf(then.get(row.id)) !== 0,
          earlier: first !== null,
        };
        return {
          ...sums(now.get(row.id) ?? NONE),
          id: row.id,
          company_name: row.name,
          created_at: row.created_at.toISOString(),
          is_removed: row.removed_at !== null,
          standing: standingOf(has, first !== null && first >= start),
          before_micros: revenueOf(then.get(row.id)),
          first_month: first,
          last_month: months.toSorted().at(-1) ?? null,
          months: months.length,
          lifetime_revenue_micros: Number(
            [...(revenues.get(row.id)?.values() ?? [])].reduce((a, b) => a + b, 0n),
          ),
          lifetime_margin_micros: margins.get(row.id) ?? 0,
          unpaid_micros: Number(row.unpaid),
          overdue: row.overdue,
          clients: row.clients,
          campaigns: row.campaigns,
        };
      });
      const sum = (of: (row: (typeof data)[number]) => number) => data.reduce((all, row) => all + of(row), 0);
      const count = (is: (row: (typeof data)[number]) => boolean) => data.filter(is).length;
      const active = count((row) => row.revenue_micros !== 0);
      const priors = count((row) => row.before_micros !== 0);
      const lost = count((row) => row.standing === 'lost');
      const ever = count((row) => row.first_month !== null);
      return {
        ...span.told,
        data,
        total: {
          ...sums([...now.values()].reduce(plus, NONE)),
          before_micros: revenueOf([...then.values()].reduce(plus, NONE)),
          active,
          fresh: count((row) => row.standing === 'new'),
          lost,
          churn: priors > 0 ? lost / priors : null,
          lifetime_micros: ever > 0 ? Math.round(sum((row) => row.lifetime_revenue_micros) / ever) : 0,
          unpaid_micros: sum((row) => row.unpaid_micros),
        },
      };
    });

  return {
    report: (ctx, input) =>
      asked(ctx, async (tx) => {
        const span = await spanOf(tx, ctx, input);
        const company = await tenants.company(tx, input.company_id ?? ctx.actor.companyId);
        if (!company) throw new Refusal('not_found', ownMessages.notFound);
        const of = { companyId: company.id, module: input.module, by: input.by };
        const now = await ledger.salesBy(tx, { ...of, ...span.now });
        const then = await ledger.salesBy(tx, { ...of, ...span.prior });
        const sums = sumsFor(ctx);
        const shift = span.before.months;
        const byMonth = input.by === 'month';
        const priors = new Map(then.map((row) => [row.key, row]));
        const rows = new Map(now.map((row) => [row.key, row]));
        const keys = byMonth ? monthKeys(span.days) : [...new Set([...rows.keys(), ...priors.keys()])];
        const nameOf = await namesOf(tx, input.by, keys);
        const data = keys.map((key) => {
          const earlier = byMonth && shift !== null ? monthBefore(key, shift) : key;
          const { name, of } = nameOf(key);
          return {
            ...sums(rows.get(key) ?? NONE),
            key,
            name,
            company_name: of,
            before: byMonth && shift === null ? null : sums(priors.get(earlier) ?? NONE),
          };
        });
        if (!byMonth)
          data.sort(
            (a, b) =>
              b.revenue_micros - a.revenue_micros || a.name.localeCompare(b.name) || (a.key < b.key ? -1 : 1),
          );
        return {
          ...span.told,
          data,
          total: { ...sums(now.reduce(plus, NONE)), before: sums(then.reduce(plus, NONE)) },
        };
      }),

    revenue: (ctx, { start, end, compare }) =>
      asked(ctx, async (tx) => {
        const span = await spanOf(tx, ctx, { starts_on: start, ends_on: end, compare }, { ends: 'end' });
        const { first, last } = span.days;
        const parts: (Days & { key: string })[] =
          span.length <= MOST_BY_DAY
            ? Array.from({ length: span.length }, (_, i) => {
                const day = first.add({ days: i });
                return { key: day.toString(), first: day, last: day };
              })
            : monthKeys(span.days).map((key) => {
                const month = Temporal.PlainYearMonth.from(key);
                const [one, end] = [
                  month.toPlainDate({ day: 1 }),
                  month.toPlainDate({ day: month.daysInMonth }),
                ];
                return {
                  key,
                  first: Temporal.PlainDate.compare(one, first) < 0 ? first : one,
                  last: Temporal.PlainDate.compare(end, last) > 0 ? last : end,
                };
              });
        const instants = [...parts.map((part) => span.at(part.first)), span.now.before];
        const at = await ledger.resultsAt(tx, ctx.actor.companyId, [
          ...instants,
          span.prior.from,
          span.prior.before,
        ]);
        const change = (from: number, to: number) => {
          const part = (of: keyof (typeof at)[number]) => Number(at[to]![of] - at[from]![of]);
          const { revenue, cost, fee, other } = {
            revenue: part('revenue'),
            cost: part('cost'),
            fee: part('fee'),
            other: part('other'),
          };
          return {
            revenue_micros: revenue,
            cost_micros: 0 - cost,
            fee_micros: 0 - fee,
            other_micros: other,
            margin_micros: revenue + cost + fee + other,
          };
        };
        return {
          ...span.told,
          data: parts.map((part, i) => ({
            ...change(i, i + 1),
            key: part.key,
            starts_on: part.first.toString(),
            ends_on: part.last.toString(),
          })),
          total: { ...change(0, parts.length), before: change(parts.length + 1, parts.length + 2) },
        };
      }),

    agencies: partiesOf('agency'),
    clients: partiesOf('client'),

    growth: (ctx, { months }) =>
      asked(ctx, async (tx) => {
        const { zone, today } = await spanOf(tx, ctx, { compare: 'previous' });
        const { revenues } = await history(tx, ctx, zone, clock.now());
        const keys = monthKeys({
          first: today.with({ day: 1 }).subtract({ months: months - 1 }),
          last: today,
        });
        return {
          time_zone: zone,
          data: movements(revenues, keys).map(({ micros, ...row }) => ({
            ...row,
            revenue_micros: Number(micros.revenue),
            fresh_micros: Number(micros.fresh),
            grown_micros: Number(micros.grown),
            shrunk_micros: Number(micros.shrunk),
            lost_micros: Number(micros.lost),
          })),
          cohorts: cohorts(revenues, keys).map(({ revenue, ...row }) => ({
            ...row,
            revenue_micros: revenue.map(Number),
          })),
        };
      }),

    underPerform: (ctx, { days }) =>
      asked(ctx, async (tx) => {
        const now = clock.now();
        const from = new Date(now.getTime() - days * DAY_MS);
        const zone = (await tenants.company(tx, ctx.actor.companyId))!.time_zone;
        const rows = await store.campaigns(tx, {
          prior: new Date(from.getTime() - days * DAY_MS),
          from,
          now,
        });
        const sold = new Map(
          (
            await ledger.salesBy(tx, {
              companyId: ctx.actor.companyId,
              from,
              before: now,
              timeZone: zone,
              by: 'campaign',
            })
          ).map((row) => [row.key, row]),
        );
        const sums = sumsFor(ctx);
        const data = rows.flatMap((row) => {
          const amounts = sold.get(row.id) ?? NONE;
          const reasons = reasonsOf({ ...row, price: amounts.price, cost: amounts.cost }, days, now, zone);
          if (reasons.length === 0) return [];
          const { revenue_micros, margin_micros } = sums(amounts);
          return [
            {
              campaign_id: row.id,
              campaign_number: Number(row.number),
              campaign_name: row.name,
              modules: row.module,
              company_name: row.company_name,
              agency_name: row.agency_name,
              status: row.state as 'active' | 'paused',
              leads: Number(row.leads),
              leads_before: Number(row.leads_before),
              visits: Number(row.visits),
              matched: Number(row.matched),
              revenue_micros,
              margin_micros,
              reasons,
            },
          ];
        });
        // What fell the furthest first.
        data.sort(
          (a, b) =>
            b.leads_before - b.leads - (a.leads_before - a.leads) || a.campaign_number - b.campaign_number,
        );
        return { days, data };
      }),
  };
}
