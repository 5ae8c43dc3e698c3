import type { DeskState } from '../../../../contract/campaigns/destinations.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { DeliveryDeps } from './deps.ts';
import * as desk from './desk.store.ts';
import { quantile, TOOK_UP_TO } from './metrics.policy.ts';
import { attempts, type Reopened, withoutAnswer } from './store.ts';

const DAY_MS = 86_400_000;
/** How many days the figures of a destination are of. */
const SHOWN_DAYS = 7;

interface Filter {
  company_id?: string | undefined;
  destination_id?: string | undefined;
  cause?: string | undefined;
  starts_on?: string | undefined;
  ends_on?: string | undefined;
}

/** Deliveries of a company, or of an agency's clients, over all of their destinations (BEY-04). */
export function deliveryDesk(
  { db, clock }: Pick<Platform, 'db' | 'clock'>,
  deps: Pick<DeliveryDeps, 'audit' | 'tenants' | 'connections'> & {
    goOn(tx: Tx, rows: Reopened[]): Promise<void>;
  },
) {
  const { audit, tenants, connections } = deps;
  const missing = (): never => {
    throw new Refusal('not_found', ownMessages.notFound);
  };

  /** The company in question. @throws Refusal 404 for another tenant's, and for a root, which has no leads of its own */
  async function companyOf(tx: Tx, ctx: Ctx, companyId: string | undefined) {
    const company = (await tenants.company(tx, companyId ?? ctx.actor.companyId)) ?? missing();
    return company.kind === 'root' ? missing() : { ...company, kind: company.kind };
  }

  async function resolved(tx: Tx, zone: string, filter: Filter): Promise<desk.DeskFilter> {
    const start = (day: string, plus: number): Date =>
      new Date(
        Temporal.PlainDate.from(day).add({ days: plus }).toZonedDateTime({ timeZone: zone })
          .epochMilliseconds,
      );
    return {
      destination: filter.destination_id
        ? ((await desk.destinationById(tx, filter.destination_id)) ?? missing())
        : undefined,
      cause: filter.cause,
      from: filter.starts_on ? start(filter.starts_on, 0) : undefined,
      before: filter.ends_on ? start(filter.ends_on, 1) : undefined,
    };
  }

  return {
    /** A page of deliveries in a state. @throws Refusal 404 */
    desk: (
      ctx: Ctx,
      filter: Filter & { state: DeskState; messageId?: string | undefined },
      asked: { limit: number; offset: number },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = await companyOf(tx, ctx, filter.company_id);
        const narrowed = { ...(await resolved(tx, company.time_zone, filter)), messageId: filter.messageId };
        return desk.deskDeliveries(tx, company, filter.state, narrowed, asked);
      }),

    /** A delivery with its attempts. @throws Refusal 404 */
    one: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = (await desk.deskDelivery(tx, id)) ?? missing();
        const canErase = row.has_record && connections.vendor(row.kind).erase !== undefined;
        const tries = await attempts(tx, [id]);
        return { row, tries: row.is_hidden ? tries.map(withoutAnswer) : tries, canErase };
      }),

    /** A page of destinations with the figures of seven days. @throws Refusal 404 */
    destinations: (ctx: Ctx, companyId: string | undefined, asked: { limit: number; offset: number }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = await companyOf(tx, ctx, companyId);
        const { rows, total } = await desk.destinations(tx, company, asked);
        const today = clock.now().getTime();
        const shown = Array.from({ length: SHOWN_DAYS }, (_, at) =>
          new Date(today - (SHOWN_DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10),
        );
        const found = Map.groupBy(
          await desk.days(
            tx,
            rows.map(({ id }) => id),
            shown[0]!,
          ),
          (day) => day.integration_id,
        );
        return {
          total,
          rows: rows.map((row) => {
            const days = found.get(row.id) ?? [];
            const took = [...TOOK_UP_TO, 0].map((_, group) =>
              days.reduce((sum, day) => sum + (day.took[group] ?? 0), 0),
            );
            return {
              ...row,
              half_took_ms: quantile(took, 0.5),
              most_took_ms: quantile(took, 0.95),
              days: shown.map((day) => {
                const { delivered = 0, failed = 0 } = days.find((one) => one.day === day) ?? {};
                return { day, delivered, failed };
              }),
            };
          }),
        };
      }),

    /** Resends failed deliveries that match, to destinations that are enabled. Returns how many. @throws Refusal 404 */
    resend: (ctx: Ctx, filter: Filter): Promise<number> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = await companyOf(tx, ctx, filter.company_id);
        const reopened = await desk.reopenMatching(
          tx,
          company,
          await resolved(tx, company.time_zone, filter),
          clock.now(),
        );
        if (reopened.length === 0) return 0;
        await deps.goOn(tx, reopened);
        await audit.record(tx, ctx, {
          action: 'integration.replay',
          objectKind: 'company',
          objectId: company.id,
          description: `Resent ${reopened.length} failed deliveries${filter.cause ? `: ${filter.cause}` : ''}`,
          owner: { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id },
        });
        return reopened.length;
      }),
  };
}
