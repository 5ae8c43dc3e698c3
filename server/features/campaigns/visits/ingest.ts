import { Refusal } from '../../../../contract/errors.ts';
import { isOptedOut } from '../../../platform/gpp.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Refused, Taken, VisitLog } from './log.ts';
import { agentOf, bytesOf, foreignHost, isBot, isUuid, MAX_EVENTS, readEvent } from './policy.ts';
import { createRates, DAY_MS } from './rate.policy.ts';
import type { createSites } from './sites.ts';
import type { NewVisit } from './store.ts';

/** If nothing is being stored, a visit waits this long for others to join it. */
const GATHER_MS = 1;
const BATCH = 500;
/** Maximum number of full batches in progress at once. */
const FLUSHES = 3;
/** Beyond this many waiting visits, new ones are rejected (503) rather than filling up memory. */
const MOST_WAITING = 20_000;
/** Minimum intervals for counting and logging visits that the rate limits reject. */
const COUNT_MS = 1_000;
const LOG_MS = 60_000;
/** A browser that has to wait a day comes back each hour to see. */
const LATEST_RETRY = 3600;
/** Reasons for which a sender is turned away before anything is stored: too many events a minute, too much a day. */
type TurnedAway = 'too_many' | 'too_much';

interface Waiting extends Taken {
  done: () => void;
  fail: (error: unknown) => void;
}

export type Ingest = ReturnType<typeof createIngest>;

/**
 * Accepts visits and responds when the visit log has them for good. Visits that arrive while a batch is being stored are
 * batched into the next, so that batches grow with the load by themselves. Only full batches run in parallel (measured: 1.6 times the visits of
 * three half-empty ones at once).
 */
export function createIngest(
  { clock, config, log, metrics }: Platform,
  visitLog: VisitLog,
  sites: ReturnType<typeof createSites>,
) {
  const taken = metrics.counter('platform_visits_taken_total', 'Visits that were stored before their answer');
  const notTaken = metrics.counter(
    'platform_visits_refused_total',
    'Visits that were not stored, by reason',
    ['reason'],
  );
  const batches = metrics.histogram(
    'platform_visit_batch_size',
    'Visits stored together',
    [],
    [1, 2, 5, 10, 25, 50, 100, 250, 500],
  );
  const commits = metrics.histogram('platform_visit_commit_seconds', 'How long it took to store them');
  const queued = metrics.gauge('platform_visits_waiting', 'Visits that wait to be stored');
  metrics.onScrape('visits', () => queued.set(waiting));
  const rates = createRates(config.visitLimits);
  const volumes = createRates(
    Object.fromEntries(Object.entries(config.visitVolumes).map(([kind, mb]) => [kind, mb * 1_000_000])),
    DAY_MS,
  );
  let queue: Waiting[] = [];
  let waiting = 0;
  let flushing = 0;
  let gathering = false;
  /** Events that limits have turned away, and that are not counted yet. */
  let turnedAway = new Map<string, Refused & { count: number }>();
  let counting = false;
  let logged = { count: 0, until: 0 };

  /**
   * Records that a body was rejected by a rate limit. Nothing is read or written for it right now: a flood of them must
   * cost next to nothing. A site key that is not cached is not counted for any campaign.
   */
  async function turnAway(
    key: string,
    events: number,
    ip: string,
    now: number,
    reason: TurnedAway,
  ): Promise<void> {
    logged.count += events;
    notTaken.inc({ reason }, events);
    if (now >= logged.until) {
      log.warn({ ip, reason, events: logged.count }, 'visits rejected');
      logged = { count: 0, until: now + LOG_MS };
    }
    const site = await sites.cached(key);
    if (!site) return;
    const place = `${site.campaign_id} ${reason}`;
    const count = (turnedAway.get(place)?.count ?? 0) + events;
    turnedAway.set(place, { campaignId: site.campaign_id, reason, count });
    if (counting) return;
    counting = true;
    setTimeout(() => {
      counting = false;
      const away = takeTurnedAway();
      if (away.length > 0)
        void visitLog
          .append([{ at: clock.now(), visits: [], refused: away }])
          .catch((error) => log.error({ err: error }, 'could not count rejected visits'));
    }, COUNT_MS).unref();
  }

  function takeTurnedAway(): Refused[] {
    const all = [...turnedAway.values()];
    turnedAway = new Map();
    return all;
  }

  function mayFlush(): boolean {
    return queue.length > 0 && (flushing === 0 || (queue.length >= BATCH && flushing < FLUSHES));
  }

  async function flush(): Promise<void> {
    if (!mayFlush()) return;
    const batch: Waiting[] = [];
    let size = 0;
    while (queue.length > batch.length && size < BATCH) {
      const next = queue[batch.length]!;
      batch.push(next);
      size += next.visits.length + next.refused.length;
    }
    queue = queue.slice(batch.length);
    flushing++;
    try {
      const end = commits.startTimer();
      const away = takeTurnedAway();
      await visitLog.append([
        ...batch,
        ...(away.length > 0 ? [{ at: clock.now(), visits: [], refused: away }] : []),
      ]);
      end();
      const count = batch.reduce((sum, { visits }) => sum + visits.length, 0);
      batches.observe(count);
      taken.inc(count);
      for (const { refused } of batch) for (const { reason } of refused) notTaken.inc({ reason });
      for (const one of batch) one.done();
    } catch (error) {
      for (const one of batch) one.fail(error);
    } finally {
      flushing--;
      for (const one of batch) waiting -= one.visits.length + one.refused.length;
      void flush();
    }
  }

  return {
    /**
     * Accepts one body from the pixel. Returns when every valid event is in the visit log. Throws Refusals: 404 for an unknown
     * site key, 400 for an invalid body, 429 if its sender sends too much, 503 if too much is waiting.
     */
    async take(
      body: unknown,
      from: { ip: string; userAgent: string; origin: string; gpc: boolean },
    ): Promise<{ accepted: number; refused: number }> {
      const { k, e, p } = (body ?? {}) as { k?: unknown; e?: unknown; p?: unknown };
      if (
        typeof k !== 'string' ||
        k.length > 40 ||
        !Array.isArray(e) ||
        e.length === 0 ||
        e.length > MAX_EVENTS
      ) {
        throw new Refusal('bad_request', `e: must be a list of 1 to ${MAX_EVENTS} events for the site key k`);
      }
      // What the site's consent manager keeps counts like the browser's own signal.
      const isPrivate = from.gpc || isOptedOut(p);
      const now = clock.now().getTime();
      const retryAfter = rates.take(
        { key: k, ip: from.ip, visitors: isPrivate ? [] : visitorsIn(e) },
        e.length,
        now,
      );
      if (retryAfter > 0) {
        await turnAway(k, e.length, from.ip, now, 'too_many');
        throw new Refusal('too_many', 'Too many visits at once. Try again shortly.', { retryAfter });
      }
      const site = await sites.of(k);
      if (!site || site.state === 'removed') throw new Refusal('not_found', 'k: is not a valid site key');
      const at = clock.now();
      const visits: NewVisit[] = [];
      const refused: Refused[] = [];
      const bot = isBot(from.userAgent);
      const userAgent = agentOf(from.userAgent);
      for (const raw of e) {
        const event = bot
          ? 'bot'
          : site.state === 'active'
            ? readEvent(raw, at.getTime(), isPrivate)
            : 'inactive';
        const foreign = typeof event === 'string' ? null : foreignHost(site.sites, from.origin, event.url);
        if (typeof event === 'string') refused.push({ campaignId: site.campaign_id, reason: event });
        else if (foreign) refused.push({ campaignId: site.campaign_id, ...foreign });
        else {
          visits.push({
            ...event,
            rootId: site.root_id,
            agencyId: site.agency_id,
            companyId: site.company_id,
            campaignId: site.campaign_id,
            at,
            ip: event.gpc ? null : from.ip,
            userAgent,
          });
        }
      }
      const bytes = visits.reduce((sum, visit) => sum + bytesOf(visit, userAgent), 0);
      const later = bytes > 0 ? volumes.take({ key: k, ip: from.ip, visitors: [] }, bytes, now) : 0;
      if (later > 0) {
        await turnAway(k, visits.length, from.ip, now, 'too_much');
        throw new Refusal('too_many', 'Too much was sent today. Try again later.', {
          retryAfter: Math.min(later, LATEST_RETRY),
        });
      }
      if (waiting + e.length > MOST_WAITING)
        throw new Refusal('unavailable', 'Too many visits are waiting. Try again shortly.', {
          retryAfter: 1,
        });
      waiting += e.length;
      await new Promise<void>((done, fail) => {
        queue.push({ at, visits, refused, done, fail });
        if (queue.length >= BATCH) void flush();
        else if (flushing === 0 && !gathering) {
          gathering = true;
          setTimeout(() => {
            gathering = false;
            void flush();
          }, GATHER_MS);
        }
      });
      return { accepted: visits.length, refused: refused.length };
    },
    /** Clears the cache of site keys after a change in this process. */
    forgetSites: () => sites.forget(),
  };
}

/** Returns the browsers that a body's events name, except those whose users asked not to be tracked. */
function visitorsIn(events: unknown[]): Set<string> {
  const all = new Set<string>();
  for (const event of events) {
    const { v, g } = (event ?? {}) as { v?: unknown; g?: unknown };
    if (g !== 1 && isUuid(v)) all.add(v);
  }
  return all;
}
