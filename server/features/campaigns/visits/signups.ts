import { Refusal } from '../../../../contract/errors.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Campaigns } from '../campaigns/index.ts';
import { eraseHeld, eraseSignUps } from './erase.store.ts';
import {
  examined,
  fullAmong,
  type HeldReason,
  judge,
  placeOf,
  type SignUp,
  type Standing,
} from './signup.policy.ts';
import * as store from './signup.store.ts';
import type { takePending } from './store.ts';
import type { Trust } from './trust.service.ts';

type Pending = Awaited<ReturnType<typeof takePending>>[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long held visits wait for a decision. */
const HELD_DAYS = 30;
const MOST_GROUPS = 50;
/** More than a list of groups has. */
const ASKS: LimitRule = { name: 'visits.ask', max: 60, base: 60, cap: 3600, window: 3600 };

/**
 * Holds sign-ups that look forged until the agency or the root releases them; the people are not looked up before then.
 */
export function createSignUps(
  platform: Platform,
  { audit, campaigns, limits, trust }: { audit: Audit; campaigns: Campaigns; limits: Limits; trust: Trust },
) {
  const { db, clock, config } = platform;

  /** Sign-ups among pending visits, as the policy sees them. A hash is its kind and its value, in hex. */
  async function signUpsOf(tx: Tx, pending: readonly Pending[]): Promise<SignUp[]> {
    const all = pending.flatMap((visit, ref) =>
      !visit.gpc && visit.outcome !== 'released' && (visit.hash || visit.event === 'thanks')
        ? [
            {
              ref,
              campaignId: visit.campaign_id,
              companyId: visit.company_id,
              hash: visit.hash ? `0${visit.hash_kind}${visit.hash.toString('hex')}` : null,
              ...placeOf(visit.ip),
              visitorId: visit.visitor_id,
              lacksView: visit.event !== 'view',
            },
          ]
        : [],
    );
    const asked = all.filter((one) => one.lacksView && one.visitorId);
    if (asked.length > 0) {
      const days = new Set(
        asked.flatMap(({ ref }) => {
          const day = Date.parse(pending[ref]!.day);
          return [0, 1].map((back) => new Date(day - back * DAY_MS).toISOString().slice(0, 10));
        }),
      );
      const browsers = [
        ...Map.groupBy(asked, ({ companyId, visitorId }) => `${companyId} ${visitorId}`).values(),
      ];
      const seen = await store.viewers(
        tx,
        browsers.map(([one]) => ({ companyId: one!.companyId, visitorId: one!.visitorId! })),
        [...days],
      );
      for (const place of seen) for (const one of browsers[place]!) one.lacksView = false;
    }
    // Sign-ups from a trusted place do not count toward any place: neither against it nor against its neighbors.
    const placed = all.filter((one) => one.address);
    const trusted = await trust.among(
      tx,
      placed.map(({ companyId, campaignId, ref }) => ({ companyId, campaignId, ip: pending[ref]!.ip! })),
    );
    for (const place of trusted)
      Object.assign(placed[place]!, { address: null, network: null, visitorId: null });
    return all;
  }

  /** Who signs up where, each once. */
  const peopleOf = (batch: readonly SignUp[]) => [
    ...new Map(
      batch.flatMap(({ campaignId, hash }) =>
        hash ? [[`${campaignId} ${hash}`, { campaignId, hash }] as const] : [],
      ),
    ).values(),
  ];

  async function standings(tx: Tx, batch: SignUp[], now: Date): Promise<(campaignId: string) => Standing> {
    const ids = [...new Set(batch.map((one) => one.campaignId))];
    const hours = new Map((await store.signUpHours(tx, ids, now)).map((row) => [row.campaign_id, row]));
    const known = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
    for (const row of await store.knownSignUps(tx, peopleOf(batch), new Date(now.getTime() - DAY_MS)))
      known.get(row.campaign_id)!.add(row.hash);
    return (id) => {
      const { hour = 0, day = 0, week = 0 } = hours.get(id) ?? {};
      return { hour, day, usualHour: week / 168, usualDay: week / 7, known: known.get(id)! };
    };
  }

  /** Moves decided sign-ups from those that are held to those that were discarded, or that become whatever they are. */
  const countDecided = (
    tx: Tx,
    decided: readonly (Owner & { agency_id: string; campaign_id: string; received_at: Date })[],
    state: 'released' | 'discarded',
    at: Date,
  ): Promise<void> => {
    const rows = [
      ...Map.groupBy(decided, (one) => {
        const hour = Math.floor(one.received_at.getTime() / HOUR_MS) * HOUR_MS;
        return `${one.campaign_id} ${hour}`;
      }),
    ].flatMap(([key, same]) => {
      const { root_id, agency_id, company_id, campaign_id } = same[0]!;
      const hour = new Date(Number(key.split(' ')[1]));
      const row = { root_id, agency_id, company_id, campaign_id, hour, at };
      return [
        { ...row, reason: 'held', count: -same.length },
        ...(state === 'discarded' ? [{ ...row, reason: 'discarded', count: same.length }] : []),
      ];
    });
    return campaigns.countRefusals(tx, rows);
  };

  async function decide(
    ctx: Ctx,
    choice: store.HeldChoice,
    state: 'released' | 'discarded',
  ): Promise<number> {
    const at = clock.now();
    return inScope(db.app, ctx.scope, async (tx) => {
      const campaign = await campaigns.visible(tx, choice.campaign_id);
      if (!campaign) throw new Refusal('not_found', 'campaign_id: no such campaign exists');
      const times = await store.decide(tx, choice, state, { userId: ctx.actor.userId, at });
      const count = times.length;
      if (count === 0) throw new Refusal('conflict', 'These sign-ups were already reviewed.');
      const owner = {
        root_id: campaign.root_id,
        agency_id: campaign.agency_id,
        company_id: campaign.company_id,
      };
      await countDecided(
        tx,
        times.map((received_at) => ({ ...owner, campaign_id: campaign.id, received_at })),
        state,
        at,
      );
      await audit.record(tx, ctx, {
        action: state === 'released' ? 'visits.release' : 'visits.discard',
        objectKind: 'campaign',
        objectId: campaign.id,
        description: `${state === 'released' ? 'Released' : 'Discarded'} ${count} held sign-ups${choice.source ? ` from ${choice.source}` : ''} of campaign #${campaign.number}`,
        owner,
      });
      return count;
    });
  }

  return {
    /**
     * Judges the sign-ups among a root's pending visits, records them, and stores those that are held. Returns the
     * indexes of the held ones.
     */
    async hold(
      tx: Tx,
      rootId: string,
      pending: readonly Pending[],
      now: Date,
    ): Promise<Map<number, HeldReason>> {
      const batch = await signUpsOf(tx, pending);
      if (batch.length === 0) return new Map();
      const named = batch.filter((one) => one.hash);
      const visitors = new Map(
        named.flatMap(({ companyId, visitorId }) =>
          visitorId ? [[`${companyId} ${visitorId}`, { companyId, visitorId }] as const] : [],
        ),
      );
      const networks = [...new Set(named.flatMap(({ network }) => network ?? []))];
      const most = examined(config.signUpLimits, { browsers: visitors.size, networks: networks.length });
      const earlier = await store.earlierSignUps(tx, rootId, {
        networks,
        visitors: [...visitors.values()],
        people: peopleOf(named),
        since: new Date(now.getTime() - DAY_MS),
        most,
      });
      const standingOf = await standings(tx, batch, now);
      const held = judge(batch, earlier, standingOf, config.signUpLimits, fullAmong(earlier, most));
      const ownerOf = ({ root_id, agency_id, company_id }: Pending) => ({ root_id, agency_id, company_id });
      const rows = new Map<string, store.NewSignUp>();
      const people = new Map<string, { visit: Pending; hashes: Set<string> }>();
      for (const { ref, campaignId, hash, address, network, visitorId } of named) {
        const visit = pending[ref]!;
        const isHeld = held.has(ref);
        const key = `${campaignId} ${hash} ${address} ${visitorId}`;
        rows.set(key, {
          ...ownerOf(visit),
          campaign_id: campaignId,
          hash: Buffer.from(hash!, 'hex'),
          address,
          network,
          visitor_id: visitorId,
          held: isHeld && (rows.get(key)?.held ?? true),
        });
        if (isHeld || standingOf(campaignId).known.has(hash!)) continue;
        const own = people.get(campaignId) ?? { visit, hashes: new Set() };
        own.hashes.add(hash!);
        people.set(campaignId, own);
      }
      if (rows.size > 0) await store.addSignUps(tx, [...rows.values()], now);
      if (people.size > 0)
        await store.addSignUpHours(
          tx,
          [...people].map(([campaign_id, { visit, hashes }]) => ({
            ...ownerOf(visit),
            campaign_id,
            count: hashes.size,
          })),
          now,
        );
      if (held.size > 0)
        await store.addHeld(
          tx,
          batch.flatMap(({ ref, hash, address, network }) => {
            const reason = held.get(ref);
            const visit = pending[ref]!;
            return reason
              ? [
                  {
                    ...ownerOf(visit),
                    day: visit.day,
                    event_id: visit.event_id,
                    campaign_id: visit.campaign_id,
                    reason,
                    source: (reason === 'burst' ? '' : reason === 'network' ? network : address) ?? '',
                    event: visit.event,
                    hash: hash === null ? null : Buffer.from(hash, 'hex'),
                    received_at: visit.received_at,
                  },
                ]
              : [];
          }),
        );
      const clients = new Map(
        [...held.keys()].map((ref) => [pending[ref]!.company_id, ownerOf(pending[ref]!)]),
      );
      await trust.tellOf(tx, [...clients.values()]);
      return held;
    },

    /**
     * Returns the held sign-ups waiting for a decision, in the scope or for one campaign.
     * @throws Refusal 404 for another company's campaign
     */
    list: (ctx: Ctx, campaignId: string | undefined) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (campaignId && !(await campaigns.visible(tx, campaignId)))
          throw new Refusal('not_found', 'campaign_id: no such campaign exists');
        const rows = await store.heldGroups(tx, campaignId, MOST_GROUPS);
        return { rows, total: Number(rows[0]?.total ?? 0) };
      }),

    /**
     * Releases held sign-ups as if they had just arrived. Returns how many; of very many, the rest is still held.
     * @throws Refusal 409 if there are none left
     */
    release: (ctx: Ctx, choice: store.HeldChoice) => decide(ctx, choice, 'released'),
    /**
     * Discards held sign-ups for good. Returns how many, as `release` does.
     * @throws Refusal 409 if there are none left
     */
    discard: (ctx: Ctx, choice: store.HeldChoice) => decide(ctx, choice, 'discarded'),

    /**
     * Records that the client wants held sign-ups released. Returns how many; of very many, the rest can be requested next.
     * @throws Refusal 409 if there are none left, 429
     */
    async ask(ctx: Ctx, choice: store.HeldChoice): Promise<number> {
      await limits.take(ASKS, ctx.actor.userId);
      return inScope(db.app, ctx.scope, async (tx) => {
        const campaign = await campaigns.visible(tx, choice.campaign_id);
        if (!campaign) throw new Refusal('not_found', 'campaign_id: no such campaign exists');
        const count = await store.ask(tx, choice, clock.now());
        if (count === 0) throw new Refusal('conflict', 'These sign-ups were already requested or reviewed.');
        await audit.record(tx, ctx, {
          action: 'visits.ask',
          objectKind: 'campaign',
          objectId: campaign.id,
          description: `Requested the release of ${count} held sign-ups of campaign #${campaign.number}`,
          owner: {
            root_id: campaign.root_id,
            agency_id: campaign.agency_id,
            company_id: campaign.company_id,
          },
        });
        return count;
      });
    },

    /**
     * Erases the sign-ups by these hashes (a byte for the kind, then the digest), held and decided, with their visits;
     * those that wait for a decision are discarded. In the root's scope. Returns how many visits there were.
     */
    async erase(tx: Tx, rootId: string, hashes: readonly Buffer[]): Promise<number> {
      if (hashes.length === 0) return 0;
      const at = clock.now();
      let visits = 0;
      // Anyone can send the hash of an address that they know as often as they like.
      for (let found = store.MOST.erased; found >= store.MOST.erased; ) {
        const erased = await eraseHeld(tx, rootId, hashes, at);
        found = erased.held.length;
        visits += erased.visits;
        const waited = erased.held.filter((one) => one.waited);
        await countDecided(
          tx,
          waited.map((one) => ({ ...one, root_id: rootId })),
          'discarded',
          at,
        );
      }
      while ((await eraseSignUps(tx, rootId, hashes)) >= store.MOST.erased);
      return visits;
    },

    /** Deletes sign-ups older than the limits look at, and held ones that were never decided. */
    forget(): Promise<void> {
      const before = (days: number): Date => new Date(clock.now().getTime() - days * DAY_MS);
      return store.forget(db.app, { signUps: before(2), hours: before(8), held: before(HELD_DAYS) });
    },
  };
}
