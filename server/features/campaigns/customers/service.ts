import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { type Customer, outcomeOf, vendorWords, type Way } from '../../../integrations/index.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Exclusions } from '../../audience/exclusions/index.ts';
import type { Retention } from '../../operations/retention/index.ts';
import type { Connections } from '../connections/index.ts';
import { dailyJob, refreshJob } from './queue.ts';
import * as store from './store.ts';

/** More customers than a client may have are not read to the end. */
const MOST_READ = 60_000;
/** How often we wait where the vendor wants us to, and for how long at most. */
const WAITS = 5;
const LONGEST_WAIT_MS = 20_000;
const REFRESHES: LimitRule = { name: 'customers.refresh', max: 20, base: 60, cap: 3600, window: 3600 };

export type Customers = ReturnType<typeof createCustomers>;

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/** Known customers (decision 0350): who they are, when they are on the site, and the lists that a CRM keeps. */
export function createCustomers(
  platform: Platform,
  deps: {
    audit: Audit;
    exclusions: Exclusions;
    connections: Connections;
    tenants: Tenants;
    limits: Limits;
    retention: Retention;
  },
) {
  const { db, events, jobs } = platform;
  const { audit, exclusions, connections, tenants, limits } = deps;
  deps.retention.keep('customer_visits', { of: 'root', count: store.countOld, remove: store.forget });

  /** Everything that a vendor lists as customers. @throws Stopped and what else its adapter throws */
  async function read(list: NonNullable<ReturnType<Connections['vendor']>['customers']>['list'], way: Way) {
    const people: Customer[] = [];
    let after: string | null = null;
    let waits = 0;
    for (;;) {
      try {
        const page: { customers: Customer[]; next: string | null } = await list(way, after);
        people.push(...page.customers);
        after = page.next;
        if (after === null || people.length > MOST_READ) return people;
      } catch (error) {
        const result = outcomeOf(error);
        const wait = result.kind === 'retry' && result.status === 429 ? (result.afterMs ?? 1_000) : Infinity;
        if (wait > LONGEST_WAIT_MS || ++waits > WAITS) throw error;
        await sleep(wait);
      }
    }
  }

  /** The client that lists belong to. @throws Refusal 404 */
  async function clientOf(
    tx: Tx,
    given: { level: 'client' | 'campaign'; owner_id: string },
  ): Promise<string> {
    if (given.level === 'campaign') return (await store.companyOf(tx, given.owner_id)) ?? missing();
    const company = await tenants.company(tx, given.owner_id);
    return company?.kind === 'client' ? company.id : missing();
  }

  return {
    /** Which of these people are known customers; in a scope that sees their lists. */
    among: exclusions.customersOf,
    /** Deletes when people were seen, and what their lists call them; in the root's scope. */
    erase: store.erasePeople,

    /** Stores that customers were seen, and notifies the features above. The transaction has their campaigns locked. */
    async seen(tx: Tx, seen: readonly store.Seen[]): Promise<void> {
      if (seen.length === 0) return;
      const rows = await store.addSeen(tx, seen);
      await events.emit(tx, 'customers.seen', {
        visits: rows.map(({ id, seen: { owner, at } }) => ({ id, owner, at })),
      });
    },

    /** The connections that a client's customers can come from. @throws Refusal 404 */
    sources: (ctx: Ctx, given: { level: 'client' | 'campaign'; owner_id: string }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const all = await connections.ofCompany(tx, await clientOf(tx, given));
        return all.flatMap(({ id, name, vendor }) => {
          const { name: vendorName, customers } = connections.vendor(vendor);
          return customers ? [{ id, name, vendor: vendorName, who: customers.who }] : [];
        });
      }),

    /** Adds a list that a connection fills, and has it read. @throws Refusal 404, 409, 422 */
    async connect(
      ctx: Ctx,
      given: { level: 'client' | 'campaign'; owner_id: string; connection_id: string; country: string },
    ) {
      const connection = await inScope(
        db.app,
        ctx.scope,
        async (tx) => (await connections.byId(tx, given.connection_id)) ?? missing(),
      );
      const vendor = connections.vendor(connection.vendor);
      if (!vendor.customers)
        throw new Refusal('invalid', `connection_id: ${vendor.name} does not list customers`, {
          errors: { connection_id: [`${vendor.name} does not list customers`] },
        });
      const list = await exclusions.connect(
        ctx,
        { level: given.level, id: given.owner_id, country: given.country },
        connection,
      );
      await inScope(db.app, ctx.scope, (tx) =>
        jobs.send(tx, refreshJob, [{ rootId: connection.root_id, listId: list.id }]),
      );
      return list;
    },

    /** Has a list read again. @throws Refusal 404, 429 */
    async refreshSoon(ctx: Ctx, id: string): Promise<void> {
      const list = await inScope(db.app, ctx.scope, (tx) => exclusions.connected(tx, id));
      await limits.take(REFRESHES, list.company_id);
      await inScope(db.app, ctx.scope, async (tx) => {
        await jobs.send(tx, refreshJob, [{ rootId: list.root_id, listId: id }]);
        const { root_id, agency_id, company_id } = list;
        await audit.record(tx, ctx, {
          action: 'customers.refresh',
          objectKind: 'exclusion_list',
          objectId: id,
          description: `Requested a refresh of the customers of ${list.name}`,
          owner: { root_id, agency_id, company_id },
        });
      });
    },

    /** When customers were seen, newest first. @throws Refusal 404 */
    visits: (
      ctx: Ctx,
      given: { level: 'client' | 'campaign'; owner_id: string },
      page: { limit: number; offset: number },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const companyId = await clientOf(tx, given);
        const of = given.level === 'campaign' ? { campaignId: given.owner_id } : { companyId };
        return store.pageOfVisits(tx, of, page.limit, page.offset);
      }),

    /** Reads a list again from its connection; what it had stays in force if that fails. Safe to run twice. */
    async refresh(rootId: string, listId: string): Promise<void> {
      const scope = { rootId };
      const found = await inScope(db.app, scope, async (tx) => {
        const list = await exclusions.connected(tx, listId).catch((error: unknown) => {
          if (error instanceof Refusal) return undefined;
          throw error;
        });
        return list && { connection: await connections.byId(tx, list.connection_id!) };
      });
      if (!found) return;
      const failed = (error: string) => exclusions.refill(rootId, listId, { error });
      if (!found.connection) return failed('The connection was removed.');
      const vendor = connections.vendor(found.connection.vendor);
      const connection = await connections.signIns.current(vendor, found.connection);
      const way = connections.wayOf(vendor, connection);
      if (connection.state !== 'connected' || !way || !vendor.customers)
        return failed('The connection does not work. Reconnect it first.');
      let people: Customer[];
      try {
        people = await read((...asked) => vendor.customers!.list(...asked), way);
      } catch (error) {
        const result = outcomeOf(error);
        if (result.kind === 'delivered') return;
        const why = vendorWords(result.why, way.credentials);
        if (result.kind === 'broken') await connections.broken(rootId, connection.id, why);
        return failed(why);
      }
      await exclusions.refill(rootId, listId, { people });
    },

    /** Has the lists of connections refreshed. */
    daily: (): Promise<void> =>
      tenants.eachRoot(async (rootId) => {
        const lists = await exclusions.allConnected(rootId);
        await inScope(db.app, { rootId }, (tx) =>
          jobs.send(
            tx,
            refreshJob,
            lists.map((listId) => ({ rootId, listId })),
          ),
        );
      }),

    async start(): Promise<void> {
      await jobs.work(refreshJob, { pollingIntervalSeconds: 2, localConcurrency: 2 }, ({ rootId, listId }) =>
        this.refresh(rootId, listId),
      );
      await jobs.work(dailyJob, { pollingIntervalSeconds: 60 }, () => this.daily());
      await jobs.schedule(dailyJob, '11 4 * * *', {});
    },
  };
}
