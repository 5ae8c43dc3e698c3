import { MATCH_KINDS } from '../../../../contract/campaigns/leads.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { inHalves } from '../../../platform/halves.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Campaigns, HourRow, RefusalRow } from '../../campaigns/campaigns/index.ts';
import type { Leads } from '../../campaigns/leads/index.ts';
import { stateOfNumber, zipOfNumber } from '../keywords/index.ts';
import { type Match, MOST_OTHERS, type People } from '../people/index.ts';
import * as store from './candidate.store.ts';
import * as match from './match.store.ts';
import { confidenceOf, LOOK_BACK_MS, mayPass, WAIT_MS } from './policy.ts';
import { catchUpJob, matchJob } from './queue.ts';

/**
 * The number of import batches matched on one connection, packs turned into candidates at once, and candidates judged
 * at once.
 */
const MOST_BATCHES = 50;
const MOST_PACKS = 20;
const BATCH = 500;
/** The number of signals that a lead keeps as its evidence. */
const SHOWN = 10;
const HOUR_MS = 3_600_000;

/** Search ID: the people that active campaigns find among the signals, and what happens to them. */
export function createSearchDelivery(
  platform: Platform,
  { campaigns, people, leads }: { campaigns: Campaigns; people: People; leads: Leads },
) {
  const { db, clock, events, jobs, log } = platform;
  events.on('signals.added', (tx, { rootId }) => jobs.send(tx, matchJob, [{ rootId }]));

  /** Has campaigns searched for again, in turn with those of other agencies; a search that waits is not sent again. */
  const searchAgain = async (tx: Tx, rootId: string, campaignIds: string[]): Promise<void> => {
    const agencies = Map.groupBy(await store.agenciesOf(tx, campaignIds), (one) => one.agency_id);
    for (const [turn, own] of agencies)
      await jobs.send(
        tx,
        catchUpJob,
        own.map(({ id }) => ({ rootId, campaignId: id })),
        { turn, unlessWaiting: true },
      );
  };
  events.on('campaign.started', (tx, { rootId, campaignId }) => searchAgain(tx, rootId, [campaignId]));
  events.on('campaign.target_changed', (tx, { rootId, campaignId }) => searchAgain(tx, rootId, [campaignId]));

  // After a merge or its undoing a campaign's people change: those without a lead are searched for again.
  events.on('people.merged', async (tx, { rootId, personIds }) => {
    await searchAgain(tx, rootId, await store.forgetPeople(tx, rootId, personIds));
  });

  const spanAt = (now: Date) => ({ from: new Date(now.getTime() - LOOK_BACK_MS), until: now });

  /** Matches some of the new batches; `others` is called while they are being matched, if there may be more. */
  const matchSome = (rootId: string, others: () => void): Promise<number> =>
    inScope(db.app, { rootId }, async (tx) => {
      const ids = await store.newBatches(tx, rootId, MOST_BATCHES);
      if (ids.length === MOST_BATCHES) others();
      if (ids.length === 0) return 0;
      const now = clock.now();
      const span = { ...spanAt(now), batches: { first: ids[0]!, last: ids.at(-1)! } };
      await match.packMatches(tx, rootId, await match.wantedByCampaigns(tx, rootId), span, now);
      await people.markBatches(tx, ids, now);
      return ids.length;
    });

  /**
   * Matches new batches with the active campaigns, and packs what they found; returns how many batches that were. One
   * connection keeps one processor busy, so many batches are matched on two independent connections: what one has
   * matched stays matched if the other fails.
   */
  const matchNew = async (rootId: string): Promise<number> => {
    const more = Promise.withResolvers<boolean>();
    const first = matchSome(rootId, () => more.resolve(true)).finally(() => more.resolve(false));
    const second = more.promise.then((isMore) => (isMore ? matchSome(rootId, () => {}) : 0));
    let batches = 0;
    for (const done of await Promise.allSettled([first, second])) {
      if (done.status === 'rejected') throw done.reason;
      batches += done.value;
    }
    return batches;
  };

  /** Searches again for a campaign's people in all of the last seven days. */
  const catchUp = (rootId: string, campaignId: string): Promise<void> =>
    inScope(db.app, { rootId }, async (tx) => {
      const now = clock.now();
      await match.takeLong(tx);
      await store.dropWaiting(tx, campaignId);
      const wanted = await match.wantedByCampaigns(tx, rootId, campaignId);
      await match.addCandidates(tx, rootId, wanted, spanAt(now), now);
      // Last: it locks what is saved with the campaign, and the search may take minutes.
      await campaigns.letWait(tx, [campaignId], null);
    });

  /** Turns some of what was found into candidates; returns how many packs that were. */
  const unpack = (rootId: string): Promise<number> =>
    inScope(db.app, { rootId }, (tx) => match.unpack(tx, rootId, MOST_PACKS, clock.now()));

  /** Judges one batch of candidates; returns how many that were. One who cannot be judged waits and is tried again. */
  const judge = (rootId: string): Promise<number> =>
    inHalves<store.Candidate>(
      BATCH,
      (most, onTaken) => judgeSome(rootId, most, onTaken),
      async (one, error) => {
        const { campaign_id: campaignId, person_id: personId } = one;
        log.error({ err: error, rootId, campaignId, personId }, 'a candidate could not be judged');
        const now = clock.now();
        const retryAt = new Date(now.getTime() + WAIT_MS);
        await inScope(db.app, { rootId }, (tx) =>
          store.settle(tx, [{ ...one, outcome: null }], retryAt, now),
        );
      },
    );
  const judgeSome = (
    rootId: string,
    most: number,
    onTaken: (due: readonly store.Candidate[]) => void,
  ): Promise<number> =>
    inScope(db.app, { rootId }, async (tx) => {
      const now = clock.now();
      const due = await store.dueCandidates(tx, rootId, now, most);
      onTaken(due);
      if (due.length === 0) return 0;
      const span = spanAt(now);
      const shown = Map.groupBy(
        await store.signalsOf(tx, rootId, due, span, SHOWN),
        (row) => `${row.campaign_id} ${row.person_id}`,
      );
      // The newest first: if a daily cap cuts some off, those are the ones to keep.
      const asked = due
        .filter((one) => one.last_at > span.from && shown.has(`${one.campaign_id} ${one.person_id}`))
        .sort((a, b) => b.last_at.getTime() - a.last_at.getTime());
      const othersOf = await alternatives(tx, rootId, asked, shown, now);
      const outcomes = await leads.accept(
        tx,
        rootId,
        asked.map((one, ref) => {
          const evidence = shown.get(`${one.campaign_id} ${one.person_id}`)!;
          const { count, best } = evidence[0]!;
          const strength = Math.max(best, one.strength);
          return {
            ref,
            campaignId: one.campaign_id,
            receivedAt: one.last_at,
            visit: null,
            match: {
              personId: one.person_id,
              kind: INTENT,
              confidence: confidenceOf({ strength, signals: count, lastAt: one.last_at }, now),
              evidence: [],
              ...othersOf(ref),
            },
            signals: { count, shown: evidence.map(signalOf) },
          };
        }),
        now,
      );
      const gone = due.filter((one) => !asked.includes(one)).map((one) => ({ ...one, outcome: 'expired' }));
      const judged = asked.map((one, ref) => {
        const outcome = outcomes.get(ref)!;
        const word = 'lead' in outcome ? 'lead' : outcome.refused;
        return { ...one, outcome: mayPass(word) ? null : word, word, at: outcome };
      });
      const retryAt = new Date(now.getTime() + WAIT_MS);
      await store.settle(tx, [...gone, ...judged], retryAt, now);
      // What stops one of a campaign's people also stops the others, who can be millions: they are left as they are.
      const stopped = new Set(judged.filter((one) => one.outcome === null).map((one) => one.campaign_id));
      await campaigns.letWait(tx, [...stopped], now);
      await count(tx, judged, now);
      return due.length;
    });

  /**
   * Returns who else the signals may have been from, by the candidates' positions: people who share a key that
   * identified a signal's person, with the confidence they would have had if the signals of such keys had been theirs.
   */
  async function alternatives(
    tx: Tx,
    rootId: string,
    asked: readonly store.Candidate[],
    shown: ReadonlyMap<string, store.Shown[]>,
    now: Date,
  ): Promise<(ref: number) => Pick<Match, 'alternatives' | 'others'>> {
    const keys = new Map<string, { kind: number; value: Buffer }>();
    const nameOf = (row: store.Shown) => `${row.key_kind} ${row.shared_key!.toString('hex')}`;
    const sharedOf = (one: store.Candidate) =>
      shown.get(`${one.campaign_id} ${one.person_id}`)!.filter((row) => row.shared_key !== null);
    for (const one of asked)
      for (const row of sharedOf(one)) keys.set(nameOf(row), { kind: row.key_kind, value: row.shared_key! });
    const found = await people.sharers(tx, rootId, [...keys.values()]);
    const sharers = new Map([...keys.keys()].map((name, i) => [name, found[i]!]));
    const members = await store.membersOf(tx, rootId, keys.size > 0 ? asked.map((one) => one.person_id) : []);
    return (ref) => {
      const one = asked[ref]!;
      const others = new Map<string, { last: Date; signals: number; keys: Map<string, OtherKey> }>();
      for (const row of sharedOf(one)) {
        const sharing = sharers.get(nameOf(row))!;
        for (const { personId, source, seenAt } of sharing) {
          if (members.get(one.person_id)!.includes(personId)) continue;
          const other = others.get(personId) ?? { last: row.at, signals: 0, keys: new Map() };
          others.set(personId, other);
          other.signals++;
          if (other.last < row.at) other.last = row.at;
          other.keys.set(nameOf(row), {
            key: MATCH_KINDS[row.key_kind as keyof typeof MATCH_KINDS],
            source,
            seen_at: seenAt.toISOString(),
            people: sharing.length,
            confidence: row.strength,
          });
        }
      }
      const ranked = [...others.values()].map(({ last, signals, keys: by }) => {
        const theirs = [...by.values()].sort((a, b) => b.confidence - a.confidence);
        const strength = theirs[0]!.confidence;
        return { confidence: confidenceOf({ strength, signals, lastAt: last }, now), keys: theirs };
      });
      ranked.sort((a, b) => b.confidence - a.confidence);
      return { alternatives: ranked.length, others: ranked.slice(0, MOST_OTHERS) };
    };
  }

  /** Adds the judged candidates to the campaign's hours, and the refusals to its reasons. */
  async function count(
    tx: Tx,
    judged: {
      campaign_id: string;
      root_id: string;
      agency_id: string;
      company_id: string;
      outcome: string | null;
      at: { lead: string; priceMicros: bigint; costMicros: bigint } | { refused: string };
    }[],
    now: Date,
  ): Promise<void> {
    const hour = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
    const hours = new Map<string, HourRow>();
    const refusals = new Map<string, RefusalRow>();
    for (const { campaign_id, root_id, agency_id, company_id, outcome, at } of judged) {
      if (outcome === null) continue;
      const own = { campaign_id, root_id, agency_id, company_id, hour };
      const row = hours.get(campaign_id) ?? { ...own, visits: 0, matched: 0, leads: 0, spend: 0n, cost: 0n };
      hours.set(campaign_id, row);
      row.matched++;
      if ('lead' in at) {
        row.leads++;
        row.spend += at.priceMicros;
        row.cost += at.costMicros;
        continue;
      }
      const key = `${campaign_id} ${outcome}`;
      const why = refusals.get(key) ?? { ...own, reason: outcome, count: 0, at: now };
      why.count++;
      refusals.set(key, why);
    }
    await campaigns.countHours(tx, [...hours.values()]);
    await campaigns.countRefusals(tx, [...refusals.values()]);
  }

  /** Judges candidates who were just found or whose time has come. */
  async function judgeAll(rootId: string): Promise<void> {
    do {
      while ((await judge(rootId)) === BATCH);
    } while ((await unpack(rootId)) > 0);
  }

  return {
    /** Matches everything new in a root, and judges candidates whose time has come. */
    async run(rootId: string): Promise<void> {
      while ((await matchNew(rootId)) > 0) await judgeAll(rootId);
      await judgeAll(rootId);
    },
    async catchUp(rootId: string, campaignId: string): Promise<void> {
      await catchUp(rootId, campaignId);
      await judgeAll(rootId);
    },
    matchNew,
    unpack,
    hasWork: (rootId: string) => inScope(db.app, { rootId }, (tx) => store.hasWork(tx, rootId, clock.now())),
  };
}

type OtherKey = Match['others'][number]['keys'][number];

/** contract/campaigns/leads.ts, MATCH_KINDS. */
const INTENT = 9;

const signalOf = (row: store.Shown) => ({
  keyword: row.keyword,
  url: row.url,
  place:
    [row.state === null ? null : stateOfNumber(row.state), row.zip === null ? null : zipOfNumber(row.zip)]
      .filter(Boolean)
      .join(' ') || null,
  at: row.at.toISOString(),
  key: MATCH_KINDS[row.key_kind as keyof typeof MATCH_KINDS] ?? null,
  confidence: row.strength,
});
