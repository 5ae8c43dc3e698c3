import { inScope } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import * as store from './close.store.ts';
import { type createIssue, rootOf } from './issue.service.ts';
import { endedPeriods, type Period, periodOf } from './period.policy.ts';
import type { Cycle } from './policy.ts';
import { moveMark, type Payer, type Side } from './store.ts';
import type { InvoiceWaits } from './waits.service.ts';

const DAY_MS = 86_400_000;
/** Arrears posted longer than this before a period and back at zero since are not looked for. */
const LOOK_BACK_MS = 40 * DAY_MS;
/** Nothing is posted with an effective date this far in the past, so anything older has already been seen. */
const MARK_BEHIND_MS = 2 * DAY_MS;

/** Closes the periods that have ended: one invoice for each party, side and cycle (decision 0051). */
export function createClose(
  { db, clock }: Platform,
  {
    tenants,
    bill,
    waits,
  }: { tenants: Tenants; bill: ReturnType<typeof createIssue>['bill']; waits: InvoiceWaits },
) {
  /** Closes one cycle of a root. Returns how many invoices were issued, and the first failure that no one foresaw. */
  async function closeCycle(rootId: string, cycle: Cycle): Promise<{ issued: number; failure: unknown }> {
    const now = clock.now();
    const within = <T>(work: Parameters<typeof inScope<T>>[2]): Promise<T> =>
      inScope(db.app, { rootId }, work);
    const { zone, since } = await within(async (tx) => {
      const root = await tenants.company(tx, rootId);
      const zone = root?.time_zone ?? 'UTC';
      const closed = await store.closedTo(tx, rootId, cycle);
      return { zone, since: closed ?? periodOf(root?.created_at ?? now, zone, cycle).from };
    });
    let issued = 0;
    let failure: unknown;
    const waiting = new Set<string>();

    /** Bills a party for periods; returns whether it waits. */
    async function close(owner: Payer, side: Side, periods: readonly Period[]): Promise<boolean> {
      const done = await waits.bill({ owner, side, cycle }, periods, async (period) => {
        const made = await within(async (tx) => {
          const made = await bill(
            tx,
            {
              owner,
              side,
              kind: 'period',
              term: cycle,
              periodKey: period.key,
              from: period.from,
              to: period.to,
              events: { before: period.to, cycle },
            },
            clock.now(),
          );
          await moveMark(tx, owner, side, new Date(period.to.getTime() - MARK_BEHIND_MS));
          return made;
        });
        if (made) issued++;
      });
      failure ??= done.failure;
      if (done.waits) waiting.add(`${owner.company_id} ${side}`);
      return done.waits;
    }

    for (const one of await waits.of(rootId, cycle))
      if (!(await close(one.owner, one.side, endedPeriods(one.since, now, zone, cycle))))
        await waits.over(one);
    for (const period of endedPeriods(since, now, zone, cycle)) {
      // Retail first: it includes the wholesale of its events where it can.
      for (const side of ['retail', 'wholesale'] as const) {
        const looked = new Date(period.from.getTime() - LOOK_BACK_MS);
        for (const owner of await within((tx) => store.parties(tx, rootId, side, looked)))
          if (!waiting.has(`${owner.company_id} ${side}`)) await close(owner, side, [period]);
      }
      await within((tx) =>
        store.setClosedTo(
          tx,
          rootOf({ root_id: rootId, agency_id: null, company_id: rootId }),
          cycle,
          period.to,
        ),
      );
    }
    return { issued, failure };
  }

  /**
   * Closes all periods of a root that have ended and are not closed yet. Safe to run twice, concurrently with itself,
   * and after a crash at any point: each invoice is its own transaction, and the period's key allows only one. A payer
   * that cannot be billed waits, and is tried again by each run (decision 0502).
   * @throws the first failure that no one foresaw, once everyone else has been billed
   */
  return async (rootId: string): Promise<number> => {
    const failures: unknown[] = [];
    let all = 0;
    for (const cycle of ['Weekly', 'Monthly'] as const)
      try {
        const { issued, failure } = await closeCycle(rootId, cycle);
        all += issued;
        if (failure) failures.push(failure);
      } catch (error) {
        failures.push(error);
      }
    if (failures.length > 0) throw failures[0];
    return all;
  };
}
