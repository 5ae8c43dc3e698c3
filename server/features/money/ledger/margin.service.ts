import { MODULES } from '../../../../contract/choices.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { MarginGroup } from '../../../../contract/money/ledger.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import * as store from './margin.store.ts';
import { cursorOf, placeOf } from './statement.policy.ts';
import { about } from './statement.service.ts';
import { entriesOf, transfersById } from './statement.store.ts';

export interface MarginFilter {
  company_id?: string | undefined;
  campaign_id?: string | undefined;
  module?: string | undefined;
  term?: string | undefined;
  starts_on?: string | undefined;
  ends_on?: string | undefined;
}

const MOST_DAYS = 1100;

/**
 * Margins on sales: leads, refunded leads and campaign fees, with what clients were charged, what agencies were charged
 * and, for a root, what suppliers were paid. An agency's margin is price less cost, a root's is cost less supplier
 * cost.
 */
export function createMarginReport({ db, clock }: Platform, tenants: Tenants) {
  /** The sales that are requested, by days in the user's own company's time zone. */
  async function asked(tx: Tx, ctx: Ctx, filter: MarginFilter) {
    const company = await tenants.company(tx, filter.company_id ?? ctx.actor.companyId);
    const own = await tenants.company(tx, ctx.actor.companyId);
    if (!company || !own) throw new Refusal('not_found', ownMessages.notFound);
    const zone = own.time_zone;
    const today = Temporal.Instant.fromEpochMilliseconds(clock.now().getTime())
      .toZonedDateTimeISO(zone)
      .toPlainDate();
    const last = filter.ends_on ? Temporal.PlainDate.from(filter.ends_on) : today;
    const first = filter.starts_on
      ? Temporal.PlainDate.from(filter.starts_on)
      : last.with({ day: 1 }).subtract({ months: 11 });
    const length = first.until(last, { largestUnit: 'days' }).days + 1;
    if (length < 1) throw refusalOf('ends_on', 'must not be before the start date');
    if (length > MOST_DAYS) throw refusalOf('ends_on', `must be within ${MOST_DAYS} days of the start date`);
    const at = (day: Temporal.PlainDate): Date => new Date(day.toZonedDateTime(zone).epochMilliseconds);
    return {
      zone,
      starts_on: first.toString(),
      ends_on: last.toString(),
      of: {
        companyId: company.id,
        campaignId: filter.campaign_id,
        module: filter.module,
        term: filter.term,
        from: at(first),
        before: at(last.add({ days: 1 })),
      } satisfies store.SalesOf,
    };
  }

  return {
    /**
     * Returns sums by group, with their total.
     * @throws Refusal 404 for a company that is not visible, 422 naming the field
     */
    report: (ctx: Ctx, filter: MarginFilter & { by: MarginGroup }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { zone, starts_on, ends_on, of } = await asked(tx, ctx, filter);
        const isRoot = ctx.actor.kind === 'root';
        const rows = await store.margins(tx, of, filter.by, zone);
        const sums = (all: store.MarginRow[]) => {
          const sum = (field: 'leads' | 'price' | 'cost' | 'supplier' | 'root_margin'): number =>
            Number(all.reduce((total, row) => total + row[field], 0n));
          const price = sum('price');
          const cost = sum('cost');
          return {
            leads: sum('leads'),
            price_micros: price,
            cost_micros: cost,
            supplier_micros: isRoot ? sum('supplier') : null,
            margin_micros: isRoot ? sum('root_margin') : price - cost,
          };
        };
        return {
          time_zone: zone,
          starts_on,
          ends_on,
          data: rows.map((row) => ({
            key: row.key,
            name: nameOf(filter.by, row),
            company_name: row.company_name,
            ...sums([row]),
          })),
          total: sums(rows),
        };
      }),

    /** The sales under a sum, newest first. */
    lines: (ctx: Ctx, filter: MarginFilter, at: { cursor?: string | undefined; limit: number }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { of } = await asked(tx, ctx, filter);
        const place = at.cursor ? placeOf(at.cursor) : null;
        if (at.cursor && !place) throw refusalOf('cursor', 'is not valid');
        const found = await store.saleIds(tx, of, place, at.limit + 1);
        const shown = found.slice(0, at.limit);
        const ids = shown.map((one) => one.id);
        const transfers = new Map(
          (ids.length ? await transfersById(tx, ids) : []).map((row) => [row.id, row]),
        );
        const entries = Map.groupBy(ids.length ? await entriesOf(tx, ids) : [], (entry) => entry.transfer_id);
        return {
          data: ids.map((id) => about(ctx, transfers.get(id)!, entries.get(id) ?? [])),
          next_cursor: found.length > shown.length ? cursorOf(shown.at(-1)!) : null,
        };
      }),
  };
}

const nameOf = (by: MarginGroup, row: store.MarginRow): string => {
  if (by === 'product') return MODULES.find((one) => one.module === row.key)?.name ?? row.key;
  if (by === 'month') {
    const [year, month] = row.key.split('-').map(Number);
    return new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
      new Date(Date.UTC(year!, month! - 1)),
    );
  }
  return row.name;
};
