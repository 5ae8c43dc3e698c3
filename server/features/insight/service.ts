import { Refusal } from '../../../contract/errors.ts';
import type { contract } from '../../../contract/index.ts';
import { ownMessages } from '../../../contract/messages.ts';
import { inScope } from '../../platform/db/scope.ts';
import type { Handlers } from '../../platform/http/routes.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Tenants } from '../tenants/index.ts';
import * as store from './store.ts';

const MOST_DAYS = 400;
const MOST_CAMPAIGNS = 50;

/** The calls of the dashboards. */
export function insightRoutes({ db, clock }: Platform, tenants: Tenants): Handlers<typeof contract.insight> {
  return {
    dashboard: (ctx, input) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = await tenants.company(tx, input.companyID ?? ctx.actor.companyId);
        if (!company) throw new Refusal('not_found', ownMessages.notFound);
        const zone = company.time_zone;
        const today = Temporal.Instant.fromEpochMilliseconds(clock.now().getTime())
          .toZonedDateTimeISO(zone)
          .toPlainDate();
        const end = input.endDate ? Temporal.PlainDate.from(input.endDate) : today;
        const start = input.startDate ? Temporal.PlainDate.from(input.startDate) : end.subtract({ days: 29 });
        const length = start.until(end, { largestUnit: 'days' }).days + 1;
        if (length < 1 || length > MOST_DAYS) {
          const rule =
            length < 1
              ? 'must not be before the start date'
              : `must be within ${MOST_DAYS} days of the start date`;
          throw new Refusal('invalid', `endDate: ${rule}`, { errors: { endDate: [rule] } });
        }
        const instant = (day: Temporal.PlainDate): Date =>
          new Date(day.toZonedDateTime({ timeZone: zone }).epochMilliseconds);
        const span: store.Span = {
          from: instant(start),
          before: instant(end.add({ days: 1 })),
          zone,
          companyId: input.companyID,
          campaignId: input.leadspeekID,
        };
        const before: store.Span = {
          ...span,
          from: instant(start.subtract({ days: length })),
          before: span.from,
        };
        const numbers = (row: { visits: bigint; matched: bigint; leads: bigint; spend: bigint }) => ({
          visits: Number(row.visits),
          matched: Number(row.matched),
          leads: Number(row.leads),
          spend_micros: Number(row.spend),
        });
        const byDay = new Map((await store.days(tx, span)).map((row) => [row.day, row]));
        const none = { visits: 0n, matched: 0n, leads: 0n, spend: 0n };
        return {
          time_zone: zone,
          start: start.toString(),
          end: end.toString(),
          totals: numbers(await store.totals(tx, span)),
          previous: numbers(await store.totals(tx, before)),
          days: Array.from({ length }, (_, i) => {
            const day = start.add({ days: i }).toString();
            return { day, ...numbers(byDay.get(day) ?? none) };
          }),
          campaigns: (await store.campaigns(tx, span, MOST_CAMPAIGNS)).map((row) => ({
            leadspeekID: row.id,
            leadspeek_api_id: Number(row.number),
            campaignName: row.name,
            company_name: row.company_name,
            balance_micros: Number(row.balance ?? 0n),
            status: row.state,
            ...numbers(row),
          })),
          waterfall: (await store.refusals(tx, span)).map((row) => ({
            reason: row.reason,
            count: Number(row.count),
          })),
        };
      }),
  };
}
