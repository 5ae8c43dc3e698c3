import { inScope } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import * as store from './close.store.ts';
import type { createIssue } from './issue.service.ts';
import { rootOf } from './issue.service.ts';
import { endedPeriods, periodOf } from './period.policy.ts';
import type { Cycle } from './policy.ts';
import { moveMark } from './store.ts';

const DAY_MS = 86_400_000;
/** Arrears posted longer than this before a period and back at zero since are not looked for. */
const LOOK_BACK_MS = 40 * DAY_MS;
/** Nothing is posted with an effective date this far in the past, so anything older has already been seen. */
const MARK_BEHIND_MS = 2 * DAY_MS;

/** Closes the periods that have ended: one invoice for each party, side and cycle (decision 0051). */
export function createClose(
  { db, clock, log }: Platform,
  { tenants, bill }: { tenants: Tenants; bill: ReturnType<typeof createIssue>['bill'] },
) {
  /** Closes one cycle of a root. Returns how many invoices were issued. */
  async function closeCycle(rootId: string, cycle: Cycle): Promise<number> {
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
    for (const period of endedPeriods(since, now, zone, cycle)) {
      let failure: unknown;
      // Retail first: it includes the wholesale of its events where it can.
      for (const side of ['retail', 'wholesale'] as const) {
        const looked = new Date(period.from.getTime() - LOOK_BACK_MS);
        for (const owner of await within((tx) => store.parties(tx, rootId, side, looked))) {
          try {
            const done = await within(async (tx) => {
              const issued = await bill(
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
              return issued;
            });
            if (done) issued++;
          } catch (error) {
            log.error({ err: error, company: owner.company_id }, 'a period could not be closed');
            failure ??= error;
          }
        }
      }
      // Payers that failed are retried on the next run; the others already have their invoice and are skipped.
      if (failure) throw failure;
      await within((tx) =>
        store.setClosedTo(
          tx,
          rootOf({ root_id: rootId, agency_id: null, company_id: rootId }),
          cycle,
          period.to,
        ),
      );
    }
    return issued;
  }

  /**
   * Closes all periods of a root that have ended and are not closed yet. Safe to run twice, concurrently with itself,
   * and after a crash at any point: each invoice is its own transaction, and the period's key allows only one.
   */
  return async (rootId: string): Promise<number> =>
    (await closeCycle(rootId, 'Weekly')) + (await closeCycle(rootId, 'Monthly'));
}
