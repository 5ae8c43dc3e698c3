import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { CompanyNetworks } from '../../../platform/company-network.ts';
import { inScope, onCommit, type Tx } from '../../../platform/db/scope.ts';
import { countryOf } from '../../../platform/geo.ts';
import { inHalves } from '../../../platform/halves.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { People } from '../../audience/people/index.ts';
import type { Campaigns, HourRow, RefusalRow } from '../campaigns/index.ts';
import type { Visits } from '../visits/index.ts';
import type { createAccept } from './accept.ts';
import { mustStayUnnamed } from './company.policy.ts';
import * as store from './store.ts';

const BATCH = 1000;
const IDLE_MS = 250;
const HOUR_MS = 3_600_000;

/** A visit that could not be resolved; tried again for about three days, in case it was our fault. */
const againJob = defineJob(
  'visits.resolve_again',
  z.object({ rootId: z.uuid(), day: z.iso.date(), eventId: z.uuid() }),
  { retryLimit: 8, retryDelay: 900 },
);

type Pending = Awaited<ReturnType<Visits['take']>>[number];

/**
 * Turns visits into leads: takes pending visits of one root at a time, in that root's scope, recognizes, decides, and
 * writes the outcome of every visit, in one transaction. If a worker dies, the batch is left as it was. A visit that
 * cannot be resolved is set aside, so that it holds up no other.
 */
export function createResolver(
  platform: Platform,
  deps: {
    visits: Visits;
    people: People;
    campaigns: Campaigns;
    networks: CompanyNetworks;
    accept: ReturnType<typeof createAccept>;
  },
) {
  const { db, clock, log, metrics, jobs } = platform;
  const resolved = metrics.counter(
    'platform_visits_resolved_total',
    'Visits resolved, by outcome: a lead, or why not',
    ['outcome'],
  );
  const { visits, people, campaigns, networks, accept } = deps;

  /** Resolves visits of a root, which `take` reserves; returns how many those were. */
  async function resolve(
    rootId: string,
    addressesOf: (tx: Tx) => Promise<string[]>,
    take: (tx: Tx) => Promise<Pending[]>,
  ): Promise<number> {
    // A vendor may be asked, which no transaction waits for.
    const known = await networks.lookUp(await inScope(db.app, { rootId }, addressesOf));
    return inScope(db.app, { rootId }, async (tx) => {
      const taken = await take(tx);
      if (taken.length === 0) return 0;
      const now = clock.now();
      const ofCompanies = await store.withCompanies(
        tx,
        taken.map((visit) => visit.campaign_id),
      );
      // What came in since is asked about with the next batch.
      const pending = taken.filter(
        ({ gpc, ip, campaign_id }) => gpc || !ip || !ofCompanies.has(campaign_id) || known.has(ip),
      );
      const networkOf = ({ gpc, ip, campaign_id }: (typeof pending)[number]) =>
        gpc || !ip || !ofCompanies.has(campaign_id) ? null : known.get(ip);
      const isUnnamed = pending.map(
        (visit) => !visit.gpc && mustStayUnnamed(countryOf(visit.ip), networkOf(visit)?.country),
      );
      // A visit that looks forged is no one's until someone releases it: it is not even looked up.
      const held = await visits.signUps.hold(tx, rootId, pending, now);
      const asked = pending.flatMap((visit, ref) =>
        visit.gpc || held.has(ref) || isUnnamed[ref]
          ? []
          : [
              {
                ref,
                ...(visit.hash && visit.hash_kind
                  ? { hashKind: visit.hash_kind as 1 | 2 | 3, hash: visit.hash }
                  : {}),
                ...(visit.visitor_id ? { visitorId: visit.visitor_id } : {}),
                ...(visit.ip ? { ip: visit.ip } : {}),
                companyId: visit.company_id,
                at: visit.received_at,
              },
            ],
      );
      const matches = await people.match(tx, rootId, asked);
      await platform.events.emit(tx, 'visits.resolving', { rootId, visits: pending });
      const outcomes = await accept(
        tx,
        rootId,
        [...matches].map(([ref, match]) => {
          const visit = pending[ref]!;
          return {
            ref,
            campaignId: visit.campaign_id,
            receivedAt: visit.received_at,
            ...(visit.hash && visit.hash_kind ? { hash: { kind: visit.hash_kind, value: visit.hash } } : {}),
            visit: {
              day: visit.day,
              eventId: visit.event_id,
              url: visit.url,
              referrer: visit.referrer,
              ip: visit.ip,
              event: visit.event,
            },
            match,
          };
        }),
        now,
        pending.flatMap((visit, ref) => {
          const network = networkOf(visit);
          return network && !held.has(ref) && !matches.has(ref)
            ? [
                {
                  ref,
                  campaignId: visit.campaign_id,
                  receivedAt: visit.received_at,
                  visit: {
                    day: visit.day,
                    eventId: visit.event_id,
                    url: visit.url,
                    referrer: visit.referrer,
                  },
                  network,
                },
              ]
            : [];
        }),
      );
      // A visitor recognized by an email is remembered by browser and address, which recognize their next visit to a
      // site of the same client.
      await people.learn(
        tx,
        rootId,
        [...matches].flatMap(([ref, match]) => {
          const visit = pending[ref]!;
          return match.kind <= 3
            ? [
                {
                  personId: match.rowId ?? match.personId,
                  visitorId: visit.visitor_id,
                  ip: visit.ip,
                  companyId: visit.company_id,
                  at: visit.received_at,
                },
              ]
            : [];
        }),
      );

      const hours = new Map<string, HourRow>();
      const refusals = new Map<string, RefusalRow>();
      const settled = pending.map((visit, ref) => {
        const outcome = outcomes.get(ref);
        const reason = visit.gpc
          ? 'privacy_signal'
          : held.has(ref)
            ? 'held'
            : !outcome
              ? isUnnamed[ref]
                ? 'unnamed_country'
                : 'unmatched'
              : 'refused' in outcome
                ? outcome.refused
                : 'lead';
        const owner = { root_id: visit.root_id, agency_id: visit.agency_id, company_id: visit.company_id };
        const at = new Date(Math.floor(visit.received_at.getTime() / HOUR_MS) * HOUR_MS);
        const key = `${visit.campaign_id} ${at.getTime()}`;
        const hour = hours.get(key) ?? {
          ...owner,
          campaign_id: visit.campaign_id,
          hour: at,
          visits: 0,
          matched: 0,
          leads: 0,
          spend: 0n,
          cost: 0n,
        };
        hours.set(key, hour);
        // Those that were held or set aside were already counted when they came in.
        if (visit.outcome === null) hour.visits++;
        if (outcome) hour.matched++;
        if (outcome && 'lead' in outcome) {
          hour.leads++;
          hour.spend += outcome.priceMicros;
          hour.cost += outcome.costMicros;
        } else {
          const row = refusals.get(`${key} ${reason}`) ?? {
            ...owner,
            campaign_id: visit.campaign_id,
            hour: at,
            reason,
            count: 0,
            at: visit.received_at,
          };
          row.count++;
          refusals.set(`${key} ${reason}`, row);
        }
        return {
          day: visit.day,
          eventId: visit.event_id,
          outcome: reason,
          personId: matches.get(ref)?.personId ?? null,
        };
      });
      await campaigns.countHours(tx, [...hours.values()]);
      await campaigns.countRefusals(tx, [...refusals.values()]);
      await visits.settle(tx, settled, now);
      onCommit(tx, () => {
        for (const { outcome } of settled) resolved.inc({ outcome });
      });
      return taken.length;
    });
  }

  /** Settles a visit that fails alone as failed, says so, and has it tried again later. */
  async function setAside(rootId: string, visit: Pending, error: unknown): Promise<void> {
    const { day, event_id: eventId, campaign_id, root_id, agency_id, company_id } = visit;
    log.error({ err: error, rootId, day, eventId }, 'a visit could not be resolved and was set aside');
    await inScope(db.app, { rootId }, async (tx) => {
      const now = clock.now();
      const hour = new Date(Math.floor(visit.received_at.getTime() / HOUR_MS) * HOUR_MS);
      const own = { campaign_id, root_id, agency_id, company_id, hour };
      const visitsNow = visit.outcome === null ? 1 : 0;
      await campaigns.countHours(tx, [
        { ...own, visits: visitsNow, matched: 0, leads: 0, spend: 0n, cost: 0n },
      ]);
      await campaigns.countRefusals(tx, [{ ...own, reason: 'failed', count: 1, at: visit.received_at }]);
      await visits.settle(tx, [{ day, eventId, outcome: 'failed', personId: null }], now);
      await jobs.send(tx, againJob, [{ rootId, day, eventId }], {
        startAfter: new Date(now.getTime() + HOUR_MS),
      });
      onCommit(tx, () => resolved.inc({ outcome: 'failed' }));
    });
  }

  /** Resolves one batch of a root; returns how many visits it had. */
  async function resolveBatch(rootId: string): Promise<number> {
    return inHalves<Pending>(
      BATCH,
      (most, onTaken) =>
        resolve(
          rootId,
          (tx) => store.addressesToLookUp(tx, rootId, most),
          async (tx) => {
            const taken = await visits.take(tx, rootId, most);
            onTaken(taken);
            return taken;
          },
        ),
      (visit, error) => setAside(rootId, visit, error),
    );
  }

  /** Tries a visit again that was set aside. Does nothing if it has been resolved, or deleted. */
  async function again({ rootId, day, eventId }: z.infer<typeof againJob.payload>): Promise<void> {
    const take = (tx: Tx) => visits.takeFailed(tx, { day, eventId });
    const addressesOf = async (tx: Tx): Promise<string[]> => {
      const [visit] = await take(tx);
      if (!visit?.ip || visit.gpc) return [];
      return (await store.withCompanies(tx, [visit.campaign_id])).size > 0 ? [visit.ip] : [];
    };
    await resolve(rootId, addressesOf, take);
  }

  /**
   * Resolves everything that is pending; returns how many visits there were. Roots take turns, batch by batch, and a
   * failure in one holds up no other: its error is thrown when the others are done.
   */
  async function resolveAll(): Promise<number> {
    let all = 0;
    const failures: unknown[] = [];
    let waiting = await visits.rootsWithPending();
    while (waiting.length > 0) {
      const more: string[] = [];
      for (const rootId of waiting) {
        try {
          const done = await resolveBatch(rootId);
          all += done;
          if (done === BATCH) more.push(rootId);
        } catch (error) {
          failures.push(error);
        }
      }
      waiting = more;
    }
    if (failures.length > 0) throw failures[0];
    return all;
  }

  let running: Promise<void> | undefined;
  let stopped = false;
  return {
    resolveAll,
    again,
    /** Registers the job that tries again what was set aside. */
    work: () => jobs.work(againJob, {}, again),
    /** Keeps resolving until stopped; an error (such as the database being unavailable) is logged and retried. */
    start(): void {
      running = (async () => {
        while (!stopped) {
          try {
            if ((await resolveAll()) === 0) await sleep(IDLE_MS);
          } catch (error) {
            log.error({ err: error }, 'resolving visits failed, retrying');
            await sleep(1000);
          }
        }
      })();
    },
    async stop(): Promise<void> {
      stopped = true;
      await running;
    },
  };
}
