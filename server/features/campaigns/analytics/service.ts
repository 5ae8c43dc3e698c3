import { FIRST_STEPS } from '../../../../contract/campaigns/analytics.ts';
import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Invoices } from '../../money/invoices/index.ts';
import * as homeStore from './home.store.ts';
import * as store from './store.ts';

/** What a report is narrowed to, and its days. */
interface Asked {
  company_id?: string | undefined;
  campaign_id?: string | undefined;
  module?: string | undefined;
  starts_on?: string | undefined;
  ends_on?: string | undefined;
}

const MOST_DAYS = 400;
const MOST_CAMPAIGNS = 50;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const UNDELIVERED_MS = 7 * DAY_MS;

/** The calls of the dashboards and of the reports (spec calls 7). */
export function analyticsRoutes(
  { db, clock }: Platform,
  tenants: Tenants,
  invoices: Invoices,
): Handlers<typeof contract.analytics> {
  /**
   * Returns the requested days, in the company's time zone. @throws Refusal naming ends_on; 404 for a company or
   * campaign that the scope does not see
   */
  async function spanOf(tx: Tx, ctx: Ctx, input: Asked) {
    const company = await tenants.company(tx, input.company_id ?? ctx.actor.companyId);
    if (!company || (input.campaign_id && !(await store.isVisible(tx, input.campaign_id))))
      throw new Refusal('not_found', ownMessages.notFound);
    const zone = company.time_zone;
    const today = Temporal.Instant.fromEpochMilliseconds(clock.now().getTime())
      .toZonedDateTimeISO(zone)
      .toPlainDate();
    const end = input.ends_on ? Temporal.PlainDate.from(input.ends_on) : today;
    const start = input.starts_on ? Temporal.PlainDate.from(input.starts_on) : end.subtract({ days: 29 });
    const length = start.until(end, { largestUnit: 'days' }).days + 1;
    if (length < 1 || length > MOST_DAYS) {
      const rule =
        length < 1
          ? 'must not be before the start date'
          : `must be within ${MOST_DAYS} days of the start date`;
      throw new Refusal('invalid', `ends_on: ${rule}`, { errors: { ends_on: [rule] } });
    }
    const instant = (day: Temporal.PlainDate): Date =>
      new Date(day.toZonedDateTime({ timeZone: zone }).epochMilliseconds);
    const span: store.Span = {
      from: instant(start),
      before: instant(end.add({ days: 1 })),
      zone,
      companyId: input.company_id,
      campaignId: input.campaign_id,
      module: input.module,
    };
    return { zone, today, start, end, length, instant, span };
  }
  const numbers = (row: { visits: bigint; matched: bigint; leads: bigint; spend: bigint }) => ({
    visits: Number(row.visits),
    matched: Number(row.matched),
    leads: Number(row.leads),
    spend_micros: Number(row.spend),
  });
  const apart = (row: Awaited<ReturnType<typeof store.totalsApart>>) => ({
    ...numbers(row),
    found: Number(row.found),
    found_leads: Number(row.found_leads),
  });
  async function daysOf(tx: Tx, { span, start, length }: Awaited<ReturnType<typeof spanOf>>) {
    const byDay = new Map((await store.days(tx, span)).map((row) => [row.day, row]));
    const none = { visits: 0n, matched: 0n, leads: 0n, spend: 0n };
    return Array.from({ length }, (_, i) => {
      const day = start.add({ days: i }).toString();
      return { day, ...numbers(byDay.get(day) ?? none) };
    });
  }

  /** What someone has to see to, as far as the reader may know of it. */
  async function attentionOf(tx: Tx, ctx: Ctx) {
    const { kind, companyId } = ctx.actor;
    const isAgency = kind === 'agency';
    const payment = (row: { count: bigint; due: bigint }) => ({
      count: Number(row.count),
      amount_micros: Number(row.due),
      campaigns: [],
    });
    const ofCampaigns = ({ count, campaigns }: homeStore.Troubled) => ({
      count: Number(count),
      amount_micros: null,
      campaigns,
    });
    const found = [];
    if (ctx.may('invoice.read')) {
      const own = await homeStore.failingInvoices(tx, { payerId: companyId });
      found.push({ kind: 'own_payment' as const, ...payment(own) });
    }
    if (ctx.may('invoice.read') && isAgency) {
      const clients = await homeStore.failingInvoices(tx, { agencyId: companyId });
      found.push({ kind: 'client_payment' as const, ...payment(clients) });
      const count = await homeStore.uninvoiced(tx, companyId);
      found.push({ kind: 'uninvoiced' as const, count, amount_micros: null, campaigns: [] });
    }
    if (ctx.may('campaign.read')) {
      const silent = await homeStore.silentSites(tx, clock.now());
      found.push({ kind: 'silent' as const, ...ofCampaigns(silent) });
      for (const reason of ['balance_empty', 'below_cost'] as const)
        found.push({ kind: reason, ...ofCampaigns(await homeStore.pausedFor(tx, reason)) });
    }
    if (ctx.may('integration.read')) {
      const lost = await homeStore.undelivered(tx, new Date(clock.now().getTime() - UNDELIVERED_MS));
      found.push({ kind: 'undelivered' as const, ...ofCampaigns(lost) });
    }
    if (ctx.may('client.transfer')) {
      const count = await homeStore.transfersFor(tx, companyId, clock.now());
      found.push({ kind: 'transfer' as const, count, amount_micros: null, campaigns: [] });
    }
    return found.filter(({ count }) => count > 0);
  }
  /** The way to the first lead; null once there has been one. */
  async function stepsOf(tx: Tx, ctx: Ctx) {
    const { has_site, ...reached } = await homeStore.reached(tx);
    if (reached.lead) return null;
    return FIRST_STEPS.filter((step) => step !== 'client' || ctx.actor.kind === 'agency')
      .filter((step) => step !== 'pixel' || has_site || !reached.campaign)
      .map((step) => ({ step, is_done: reached[step] }));
  }

  /** The hours of a single day: 24, or one fewer or more when the clocks change. */
  async function hoursOf(tx: Tx, { span, length }: Awaited<ReturnType<typeof spanOf>>) {
    if (length > 1) return [];
    const from = span.from.getTime();
    // A day may begin within an hour of the clock in UTC.
    const byHour = new Map(
      (await store.hours(tx, span)).map((row) => [Math.floor((row.hour.getTime() - from) / HOUR_MS), row]),
    );
    const none = { visits: 0n, matched: 0n, leads: 0n, spend: 0n };
    return Array.from({ length: (span.before.getTime() - from) / HOUR_MS }, (_, i) => {
      return { at: new Date(from + i * HOUR_MS).toISOString(), ...numbers(byHour.get(i) ?? none) };
    });
  }

  return {
    home: (ctx) =>
      inScope(db.app, ctx.scope, async (tx) =>
        // A root's people begin at the list of agencies.
        ctx.actor.kind === 'root'
          ? { attention: [], steps: null }
          : { attention: await attentionOf(tx, ctx), steps: await stepsOf(tx, ctx) },
      ),
    chart: (ctx, input) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const asked = await spanOf(tx, ctx, input);
        return {
          time_zone: asked.zone,
          start: asked.start.toString(),
          end: asked.end.toString(),
          totals: numbers(await store.totals(tx, asked.span)),
          days: await daysOf(tx, asked),
          hours: await hoursOf(tx, asked),
        };
      }),
    initDate: (ctx, input) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { zone, today, span } = await spanOf(tx, ctx, input);
        const first = await store.firstHour(tx, {
          ...span,
          from: new Date(0),
          before: new Date('9999-01-01'),
        });
        const day =
          first &&
          Temporal.Instant.fromEpochMilliseconds(first.getTime()).toZonedDateTimeISO(zone).toPlainDate();
        return { time_zone: zone, start: day?.toString() ?? null, end: today.toString() };
      }),
    clients: (ctx, input) =>
      inScope(db.app, ctx.scope, async (tx) => {
        // What clients' campaigns bring in is more than their names, which their list is open for.
        ctx.need('insight.read');
        const { rows, total } = await store.clients(tx, {
          search: input.search ?? '',
          sort: input.sort ?? 'company_name',
          order: input.order ?? 'asc',
          limit: input.per_page,
          offset: (input.page - 1) * input.per_page,
          // The same days as the dashboard's, so that both agree.
          since: (await spanOf(tx, ctx, {})).span.from,
        });
        return page(
          rows.map((row) => ({
            id: row.id,
            company_name: row.company_name,
            agency_name: row.agency_name,
            active: Number(row.active),
            campaigns: Number(row.campaigns),
            leads_30d: Number(row.leads),
            spend_30d_micros: Number(row.spend),
            balance_micros: ctx.may('prepaid.read') ? Number(row.balance) : null,
          })),
          total,
          input,
        );
      }),
    invoice: (ctx, input) => invoices.read.list(ctx, input),
    dashboard: (ctx, input) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const asked = await spanOf(tx, ctx, input);
        const { zone, start, end, length, instant, span } = asked;
        const before: store.Span = {
          ...span,
          from: instant(start.subtract({ days: length })),
          before: span.from,
        };
        return {
          time_zone: zone,
          start: start.toString(),
          end: end.toString(),
          totals: apart(await store.totalsApart(tx, span)),
          previous: apart(await store.totalsApart(tx, before)),
          campaigns: (await store.campaigns(tx, span, MOST_CAMPAIGNS)).map((row) => ({
            campaign_id: row.id,
            campaign_number: Number(row.number),
            campaign_name: row.name,
            company_name: row.company_name,
            modules: row.module,
            balance_micros: ctx.may('prepaid.read') ? Number(row.balance ?? 0n) : null,
            status: row.state,
            ...numbers(row),
          })),
          waterfall: (await store.refusals(tx, span)).map((row) => ({
            reason: row.reason,
            of: row.of,
            count: Number(row.count),
          })),
        };
      }),
  };
}
