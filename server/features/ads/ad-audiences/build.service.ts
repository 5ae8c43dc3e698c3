import { hash } from 'node:crypto';
import { AUDIENCE_REFRESH_HOURS, MOST_AUDIENCE_ROWS } from '../../../../contract/ads/audience-rules.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Exclusions, Identity } from '../../audience/exclusions/index.ts';
import type { People } from '../../audience/people/index.ts';
import type { Signals } from '../../audience/signals/index.ts';
import { toldCount } from './policy.ts';
import { MEMBER } from './row.policy.ts';
import * as store from './store.ts';

/** Members that are compared with the graph in one transaction. */
const STEP = 1000;
/** Of the people at one address or with one key, only so many are looked at. */
const MOST_EACH = 20;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** For how many days after they were seen there an internet address counts as someone's. */
const ADDRESS_DAYS = 90;

/** Finds out who is in an audience: from its definition, the graph, and the exclusion lists. */
export function createBuilds(
  { db, clock }: Platform,
  { people, exclusions, signals }: { people: People; exclusions: Exclusions; signals: Signals },
) {
  /** Makes the members those whom the definition means now. An upload has its own. */
  async function define(tx: Tx, row: store.AudienceRow): Promise<void> {
    const now = clock.now();
    if (row.source === 'leads')
      await store.syncLeads(tx, row, {
        campaignId: row.campaign_id!,
        since: row.days === null ? null : new Date(now.getTime() - row.days * DAY_MS),
        most: MOST_AUDIENCE_ROWS,
      });
    else if (row.source === 'keywords') {
      await store.stagePeople(tx);
      let many = 0;
      for await (const ids of signals.counts.peopleOf(tx, row, row.search!, now)) {
        await store.addPeople(tx, ids.slice(0, MOST_AUDIENCE_ROWS - many));
        many += ids.length;
        if (many >= MOST_AUDIENCE_ROWS) break;
      }
      await store.syncPeople(tx, row);
    }
  }

  /** Who each of these members is, as far as the graph knows: by their position. */
  async function peopleOf(tx: Tx, row: store.AudienceRow, members: readonly store.MemberRow[]) {
    const found: Set<string>[] = members.map(() => new Set());
    const keys = members.flatMap(({ kind, value }, at) => {
      if (kind === MEMBER.person || kind === MEMBER.address) return [];
      const key = { at, kind, value };
      // What only the client's own sites have taught is known under a key of its own.
      const own = kind === MEMBER.ip ? people.ownKey({ kind: MEMBER.ip, value }, row.company_id) : null;
      return own ? [key, { at, ...own }] : [key];
    });
    const sharers = await people.sharers(tx, row.root_id, keys);
    keys.forEach(({ at }, i) => {
      for (const { personId } of sharers[i]!) found[at]!.add(personId);
    });
    members.forEach(({ kind, value }, at) => {
      if (kind !== MEMBER.person) return;
      const hex = value.toString('hex');
      found[at]!.add(
        `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`,
      );
    });
    members.forEach(({ residents }, at) => {
      for (const id of residents ?? []) found[at]!.add(id);
    });
    const known = await people.people(tx, row.root_id, [...new Set(found.flatMap((ids) => [...ids]))]);
    return found.map((ids) => [...ids].flatMap((id) => known.get(id) ?? []));
  }

  /** Compares some members with the graph and the exclusion lists. */
  async function judge(tx: Tx, row: store.AudienceRow, members: readonly store.MemberRow[]): Promise<void> {
    const who = await peopleOf(tx, row, members);
    const owners = [
      row.root_id,
      row.agency_id,
      row.company_id,
      ...(row.campaign_id ? [row.campaign_id] : []),
    ];
    const identities = members.map((member, at): Identity => {
      const sha256 = who[at]!.flatMap((one) => one.sha256);
      const md5 = who[at]!.flatMap((one) => one.md5);
      if (member.kind === MEMBER.sha256) sha256.push(member.value);
      if (member.kind === MEMBER.md5) md5.push(member.value);
      if (member.email) md5.push(hash('md5', member.email, 'buffer'));
      return {
        owners,
        sha256: distinct(sha256),
        md5: distinct(md5),
        sha1: distinct(who[at]!.flatMap((one) => one.sha1)),
        phones: who[at]!.flatMap((one) => one.phones),
        emails: [...who[at]!.flatMap((one) => one.emails), ...(member.email ? [member.email] : [])],
      };
    });
    const verdicts = await exclusions.check(tx, identities);
    // An address on the internet is itself what is meant: whoever else was seen there is not.
    const followed = members.map(({ kind }, at) => (kind === MEMBER.ip ? [] : who[at]!));
    const since = new Date(clock.now().getTime() - ADDRESS_DAYS * DAY_MS);
    const memberIds = [...new Set(followed.flat().flatMap((one) => one.members))];
    const keysOf = Map.groupBy(
      await store.keysOfPeople(tx, row.root_id, memberIds, since),
      ({ person_id }) => person_id,
    );
    await store.putFindings(
      tx,
      row,
      members.map((member, at) => {
        // Who cannot be compared with a list counts as being on it.
        const isExcluded = verdicts[at] !== 'clear';
        const keys = new Map<string, { kind: number; value: string }>();
        const add = (kind: number, value: Buffer) => {
          const hex = value.toString('hex');
          keys.set(`${kind} ${hex}`, { kind, value: hex });
        };
        if (!isExcluded) {
          if ([MEMBER.sha256, MEMBER.device, MEMBER.ip].some((kind) => kind === member.kind))
            add(member.kind, member.value);
          for (const one of followed[at]!)
            for (const id of one.members)
              for (const { kind, value } of keysOf.get(id) ?? []) add(kind, value);
        }
        const home = member.kind === MEMBER.address || followed[at]!.some((one) => isHome(one));
        return {
          id: member.id,
          personId: followed[at]![0]?.id ?? null,
          isMatched: who[at]!.length > 0,
          isExcluded,
          isReachable: keys.size > 0,
          hasAddress: !isExcluded && home,
          keys: [...keys.values()],
        };
      }),
    );
  }

  /** Sums up an audience whose members have all been compared; returns it. */
  async function finish(tx: Tx, row: store.AudienceRow): Promise<store.AudienceRow> {
    const found = await store.sumsOf(tx, row.id);
    // How many are on a list, or among one's own leads, is known to whoever has them. Others may be one person.
    const size =
      row.source === 'keywords'
        ? BigInt(toldCount(Number(found.size), { size: Number(found.size), source: row.source }) ?? 0)
        : found.size;
    const sums = { ...found, size };
    await store.updateAudience(tx, row.id, {
      ...sums,
      state: 'ready',
      error: null,
      refreshed_at: clock.now(),
      ...{ queued_at: null, begun_at: null, checked_to: null },
    });
    return { ...row, ...sums, state: 'ready' };
  }

  return {
    /**
     * Brings an audience up to date, a part at a time, and sums it up. What was cut off is resumed. Safe to run twice, also
     * at the same time. Returns the audience; undefined if it is not there any more, or another run has ended it.
     */
    async build(
      rootId: string,
      id: string,
      more: { signal?: AbortSignal; advanced?: () => void } = {},
    ): Promise<store.AudienceRow | undefined> {
      const scope = { rootId };
      const isOpen = (row: store.AudienceRow | undefined): row is store.AudienceRow =>
        row?.state === 'loading' || row?.state === 'ready';
      const begun = await inScope(db.app, scope, async (tx) => {
        const row = await store.audienceById(tx, id, true);
        if (!isOpen(row) || row.begun_at) return row;
        await define(tx, row);
        // From now on, whatever makes it due means that it has to be built once more after this.
        const now = clock.now();
        const set = {
          begun_at: now,
          checked_to: null,
          refresh_at: new Date(now.getTime() + AUDIENCE_REFRESH_HOURS * HOUR_MS),
        };
        await store.updateAudience(tx, id, set);
        return { ...row, ...set };
      });
      if (!isOpen(begun)) return undefined;
      const isSame = (row: store.AudienceRow | undefined): row is store.AudienceRow =>
        isOpen(row) && row.begun_at?.getTime() === begun.begun_at?.getTime();
      // Reads the whole graph, so it does not keep others from the audience meanwhile.
      if (begun.kind === 'address' && begun.checked_to === null)
        await inScope(db.app, scope, (tx) => store.stageResidents(tx, rootId, id, MOST_EACH));
      for (;;) {
        more.signal?.throwIfAborted();
        const done = await inScope(db.app, scope, async (tx) => {
          const row = await store.audienceById(tx, id, true);
          if (!isSame(row)) return 'overtaken';
          const members = await store.membersAfter(tx, id, row.checked_to ?? 0n, STEP);
          if (members.length === 0) return finish(tx, row);
          await judge(tx, row, members);
          await store.updateAudience(tx, id, { checked_to: members.at(-1)!.id });
          return null;
        });
        if (done) return done === 'overtaken' ? undefined : done;
        more.advanced?.();
      }
    },

    /** The postal addresses of an audience's members who are not excluded, some at a time; in the root's scope. */
    async homesAfter(tx: Tx, rootId: string, id: string, after: bigint) {
      const members = await store.membersAfter(tx, id, after, STEP);
      const shown = members.filter((one) => one.has_address);
      const known = await people.people(
        tx,
        rootId,
        shown.flatMap((one) => (one.kind === MEMBER.address ? [] : (one.person_id ?? []))),
      );
      const homes = shown.flatMap((one) => {
        const from = one.kind === MEMBER.address ? one : one.person_id ? known.get(one.person_id) : undefined;
        return from && isHome(from)
          ? [{ address: from.address!, city: from.city!, state: from.state!, zip: from.zip!.slice(0, 5) }]
          : [];
      });
      return { homes, last: members.at(-1)?.id ?? null };
    },
  };
}

/** Whether a postal address is complete. */
const isHome = (one: {
  address: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
}): boolean => Boolean(one.address && one.city && one.state && one.zip);

/** Each hash once: a person and a list often have the same. */
function distinct(values: readonly Buffer[]): Buffer[] {
  return [...new Map(values.map((value) => [value.toString('latin1'), value])).values()];
}
