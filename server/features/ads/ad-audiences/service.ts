import { createHash, hash } from 'node:crypto';
import { join } from 'node:path';
import type { AdPlatform } from '../../../../contract/ads/ad-rules.ts';
import {
  AUDIENCE_PLACES,
  AUDIENCE_REFRESH_HOURS,
  type AudienceKind,
  type AudienceOrigin,
  type AudiencePlace,
  type AudienceSearch,
  FILE_PLACES,
  type FilePlace,
  MOST_AIMS,
  MOST_AUDIENCE_BYTES,
  type Placeable,
  whyNotIn,
} from '../../../../contract/ads/audience-rules.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { AdAddress } from '../../../platform/ad-platform.ts';
import { CSV_BOM, csvLine } from '../../../platform/csv.ts';
import { FileFault, TooLarge } from '../../../platform/csv-reader.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy, checkBound } from '../../../platform/db/bounds.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Exclusions } from '../../audience/exclusions/index.ts';
import type { People } from '../../audience/people/index.ts';
import type { Signals } from '../../audience/signals/index.ts';
import { ANYBODY, type Campaigns } from '../../campaigns/campaigns/index.ts';
import { createBuilds } from './build.service.ts';
import { buildJob, clearJob, createLoads } from './load.ts';
import { COUNTED, isSmall, leastOf, toldCount } from './policy.ts';
import { MEMBER, readRow } from './row.policy.ts';
import * as store from './store.ts';

export type AdAudiences = ReturnType<typeof createAdAudiences>;
export const MOST_BYTES = MOST_AUDIENCE_BYTES;

/** What a campaign is aimed at. */
export interface Aim {
  id: string;
  name: string;
  isExcluded: boolean;
  /** What an outside platform calls it; null if it has nothing there. */
  externalId: string | null;
  /** How many postal addresses it has. */
  addresses: number;
  /** Whether too few are in it for ads to be aimed at them: it counts as empty. */
  isSmall: boolean;
  placeError: string | null;
}

const STEP = 5000;
/** Uploads of a client: each tells something about who is on it. */
const UPLOADS: LimitRule = { name: 'audience.upload', max: 30, base: 60, cap: 3600, window: 86_400 };
/** How often an audience, and those of one client, are matched again by hand: others of the agency wait for that. */
const REFRESHES: LimitRule = { name: 'audience.refresh', max: 5, base: 60, cap: 3600, window: 3600 };
const ALL_REFRESHES: LimitRule = { ...REFRESHES, name: 'audience.refresh.client', max: 20 };
/** An audience that was queued this long ago and has not been built is queued again: its job has failed for good. */
const LOST_MS = AUDIENCE_REFRESH_HOURS * 3_600_000;
/** Keywords of an audience that are shown. */
const SHOWN_KEYWORDS = 100;
const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
/** Why ads may not be aimed at an audience that is ready, or null if they may. Says nothing about who is in it. */
const whySmall = (
  row: Pick<Placeable, 'source'> & { state: string; size: number | bigint },
): string | null =>
  row.state === 'ready' && Number(row.size) < leastOf(row.source)
    ? `Ads need at least ${leastOf(row.source)} ${row.source === 'upload' ? 'entries' : 'people'}, so that they say nothing about single people.`
    : null;
/** Why a place may not have an audience, or null if it may. Who is missing from a file is on an exclusion list. */
const whyNotHere = (
  place: AudiencePlace,
  row: Placeable & { state: string; size: number | bigint },
): string | null =>
  whyNotIn(place, row) ??
  (!FILE_PLACES.some((one) => one === place)
    ? whySmall(row)
    : row.state === 'ready' && Number(row.size) < COUNTED.least
      ? `A file needs a list of at least ${COUNTED.least} entries.`
      : null);
const ownerOf = ({ root_id, agency_id, company_id }: store.AudienceRow) => ({
  root_id,
  agency_id,
  company_id,
});

/** Audiences of ads (docs/decisions/0430-audiences.md). */
export function createAdAudiences(
  platform: Platform,
  deps: {
    audit: Audit;
    tenants: Tenants;
    people: People;
    exclusions: Exclusions;
    campaigns: Campaigns;
    signals: Signals;
    limits: Limits;
  },
) {
  const { db, clock, jobs, events } = platform;
  const { audit, tenants, campaigns, signals, limits } = deps;
  const builds = createBuilds(platform, deps);
  const loads = createLoads(platform, { audit, builds });

  // A list that comes into force excludes people from audiences as well: they are compared again soon.
  events.on('log.written', async (tx, { action, owner, at }) => {
    if (action === 'exclusion.active' || action === 'exclusion.refresh') await store.makeDue(tx, owner, at);
  });

  const one = async (tx: Tx, id: string, lock = false): Promise<store.AudienceRow> => {
    const row = await store.audienceById(tx, id, lock);
    return row && row.state !== 'removed' ? row : missing();
  };
  const shown = async (tx: Tx, id: string) => view((await store.shownById(tx, id)) ?? missing());

  /** The client of a new audience. @throws Refusal 404, 422 */
  async function clientOf(tx: Tx, ctx: Ctx, companyId: string | undefined) {
    const id = companyId ?? (ctx.actor.kind === 'client' ? ctx.actor.companyId : undefined);
    if (!id) throw refusalOf('company_id', 'is required');
    const company = await tenants.company(tx, id);
    if (company?.kind !== 'client' || !company.agency_id) return missing();
    return { root_id: company.root_id, agency_id: company.agency_id, company_id: id };
  }
  /** @throws Refusal 409 if the client has an audience with this name, so that none is made twice */
  async function mayBeNamed(tx: Tx, companyId: string, name: string): Promise<void> {
    if (await store.isNamed(tx, companyId, name))
      throw new Refusal('conflict', 'There is already an audience with this name.', {
        errors: { name: ['is already used'] },
      });
  }

  /** Adds an audience and has it made. */
  async function add(
    tx: Tx,
    ctx: Ctx,
    row: Omit<Parameters<typeof store.insertAudience>[1], 'state' | 'updated_at' | 'created_by'> & {
      root_id: string;
      agency_id: string;
      company_id: string;
    },
    words: string,
  ) {
    await boundedBy(tx, 'audiences', row.company_id, 'name');
    await mayBeNamed(tx, row.company_id, row.name);
    await store
      .insertAudience(tx, {
        ...row,
        state: 'queued',
        created_by: ctx.actor.userId,
        updated_at: row.created_at as Date,
      })
      .catch((error: unknown) => {
        if ((error as { code?: string }).code !== '23505') throw error;
        throw new Refusal('conflict', 'There is already an audience with this name.', {
          errors: { name: ['is already used'] },
        });
      });
    await jobs.send(tx, buildJob, [{ rootId: row.root_id, audienceId: row.id }], { turn: row.agency_id });
    await audit.record(tx, ctx, {
      action: 'audience.create',
      objectKind: 'audience',
      objectId: row.id,
      description: `Created the audience ${row.name} ${words}`,
      owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
    });
    return shown(tx, row.id);
  }

  return {
    loads,
    builds,

    /** Stores an uploaded list and has it read. @throws Refusal 404, 409, 413, 422 naming the field, 429 */
    async submit(
      ctx: Ctx,
      given: {
        company_id?: string | undefined;
        name: string;
        kind: AudienceKind;
        origin: AudienceOrigin;
        file_name: string;
      },
      body: AsyncIterable<Uint8Array>,
    ) {
      const owner = await inScope(db.app, ctx.scope, async (tx) => {
        const found = await clientOf(tx, ctx, given.company_id);
        await checkBound(tx, 'audiences', found.company_id, 'name');
        await checkBound(tx, 'waitingAudiences', found.company_id, 'file');
        await mayBeNamed(tx, found.company_id, given.name);
        return found;
      });
      await limits.take(UPLOADS, owner.company_id);
      const now = clock.now();
      const id = newId(now);
      const file = join('audiences', `${id}.csv`);
      const rows = await loads.take(body, file, { kind: given.kind, by: owner.company_id }).catch((error) => {
        if (error instanceof FileFault) throw refusalOf('file', error.message);
        if (error instanceof TooLarge) throw refusalOf('file', 'must not be larger than 32 MB', 'too_large');
        throw error;
      });
      try {
        await ctx.mustStill();
        return await inScope(db.app, ctx.scope, async (tx) => {
          await boundedBy(tx, 'waitingAudiences', owner.company_id, 'file');
          return add(
            tx,
            ctx,
            {
              id,
              ...owner,
              name: given.name,
              source: 'upload',
              kind: given.kind,
              origin: given.origin,
              file_name: given.file_name,
              file_path: file,
              total_rows: BigInt(rows),
              created_at: now,
            },
            given.origin === 'customers'
              ? 'from a list of the client’s own customers'
              : 'from a list that others collected',
          );
        });
      } catch (error) {
        await platform.files.remove(file).catch(() => {});
        throw error;
      }
    },

    /** Creates an audience by a definition. @throws Refusal 404, 409, 422 naming the field */
    create: (
      ctx: Ctx,
      given: {
        company_id?: string | undefined;
        name: string;
        source: 'leads' | 'keywords';
        campaign_id?: string | undefined;
        days?: number | undefined;
        count_id?: string | undefined;
      },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const now = clock.now();
        const base = { id: newId(now), name: given.name, source: given.source, created_at: now };
        if (given.source === 'leads') {
          if (!given.campaign_id) throw refusalOf('campaign_id', 'is required');
          const campaign = await campaigns.visible(tx, given.campaign_id);
          if (!campaign || campaign.state === 'removed') return missing();
          const owner = await clientOf(tx, ctx, given.company_id ?? campaign.company_id);
          if (owner.company_id !== campaign.company_id) return missing();
          if (campaign.module === 'simplifi') throw refusalOf('campaign_id', 'has no leads of its own');
          return add(
            tx,
            ctx,
            { ...base, ...owner, campaign_id: campaign.id, days: given.days ?? null },
            `from the leads of campaign #${campaign.number} ${campaign.name}`,
          );
        }
        if (!given.count_id) throw refusalOf('count_id', 'is required');
        const count = (await signals.counts.reads.stored(tx, given.count_id)) ?? missing();
        const owner = await clientOf(tx, ctx, given.company_id ?? count.company_id);
        if (owner.company_id !== count.company_id) return missing();
        const { module, location, states, cities, zips, keywords } = count;
        const { titles, seniorities, departments, industries, sizes } = { ...ANYBODY, ...count };
        const search: AudienceSearch = {
          ...{ module, location, states, cities, zips, keywords },
          ...{ titles, seniorities, departments, industries, sizes },
        };
        return add(
          tx,
          ctx,
          { ...base, ...owner, search: JSON.stringify(search) },
          `from a count of ${keywords.length} keywords`,
        );
      }),

    list: (ctx: Ctx, asked: Parameters<typeof store.pageOfAudiences>[1]) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows, total } = await store.pageOfAudiences(tx, asked);
        return { rows: rows.map(view), total };
      }),

    /** An audience, what was refused of its file, what uses it, and where it may be used. @throws Refusal 404 */
    get: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const audience = await shown(tx, id);
        return {
          audience,
          bad: (await store.errorsAfter(tx, id, 0n, 100)).map((row) => ({ ...row, line: Number(row.line) })),
          used_by: (await store.usesOf(tx, id)).map((use) => ({
            campaign_id: use.id,
            campaign_name: use.name,
            is_excluded: use.is_excluded,
          })),
          places: AUDIENCE_PLACES.map((place) => {
            const reason = whyNotHere(place, audience);
            return { place, allowed: reason === null, reason: reason ?? '' };
          }),
        };
      }),

    /** Has an audience matched again, or retried if it is on hold. @throws Refusal 404, 409, 429 */
    async refresh(ctx: Ctx, id: string): Promise<void> {
      const { company_id } = await inScope(db.app, ctx.scope, (tx) => one(tx, id));
      await limits.takeAll([
        [REFRESHES, id],
        [ALL_REFRESHES, company_id],
      ]);
      await inScope(db.app, ctx.scope, async (tx) => {
        const row = await one(tx, id, true);
        const which = { rootId: row.root_id, audienceId: id };
        if (row.state === 'held') await jobs.again(tx, buildJob.name, which);
        else if (row.state === 'ready') {
          // What is under way may have compared some members before whatever is the reason.
          await store.updateAudience(tx, id, { queued_at: clock.now(), begun_at: null });
          await jobs.send(tx, buildJob, [which], { turn: row.agency_id });
        } else
          throw new Refusal(
            'conflict',
            row.state === 'failed'
              ? 'This audience could not be made. Delete it and upload the list again.'
              : 'This audience is being made already.',
          );
        await audit.record(tx, ctx, {
          action: 'audience.refresh',
          objectKind: 'audience',
          objectId: id,
          description: `Had the audience ${row.name} matched again`,
          owner: ownerOf(row),
        });
      });
    },

    /** Deletes an audience with everything it has. @throws Refusal 404; 409 while a campaign uses it */
    remove: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await one(tx, id, true);
        const uses = await store.usesOf(tx, id);
        // A campaign that loses its only audience would be shown to everyone.
        if (uses.length > 0)
          throw new Refusal(
            'conflict',
            `Ad campaigns use this audience: ${uses
              .slice(0, 3)
              .map((use) => `#${use.number} ${use.name}`)
              .join(', ')}${uses.length > 3 ? ', …' : ''}. Remove it from them first.`,
          );
        const at = clock.now();
        await store.updateAudience(tx, id, { state: 'removed', removed_at: at, updated_at: at });
        await jobs.send(tx, clearJob, [{ rootId: row.root_id, audienceId: id }]);
        if (row.external_id) await events.emit(tx, 'ads.changed', { rootId: row.root_id, campaignId: null });
        await audit.record(tx, ctx, {
          action: 'audience.remove',
          objectKind: 'audience',
          objectId: id,
          description: `Deleted the audience ${row.name}`,
          owner: ownerOf(row),
        });
      }),

    /** The refused rows of an audience as the lines of a CSV file. @throws Refusal 404 */
    async refusedLines(ctx: Ctx, id: string): Promise<AsyncGenerator<string>> {
      await inScope(db.app, ctx.scope, (tx) => one(tx, id));
      return (async function* () {
        yield CSV_BOM + csvLine(['line', 'reason', 'value']);
        for (let after = 0n; ; ) {
          const rows = await inScope(db.app, ctx.scope, (tx) => store.errorsAfter(tx, id, after, STEP));
          if (rows.length === 0) return;
          yield rows.map((row) => csvLine([row.line, row.reason, row.value])).join('');
          after = rows.at(-1)!.line;
        }
      })();
    },

    /**
     * An audience as a file for a place that takes one: only lists of the client's own customers, and no one who is
     * excluded. @throws Refusal 404; 409 until it is ready; 422 with the rule that forbids it
     */
    async fileFor(ctx: Ctx, id: string, place: FilePlace): Promise<AsyncGenerator<string>> {
      const row = await inScope(db.app, ctx.scope, async (tx) => {
        const found = await one(tx, id);
        const reason = whyNotHere(place, found);
        if (reason) throw new Refusal('invalid', reason, { errors: { [place]: [reason] } });
        if (found.state !== 'ready') throw new Refusal('conflict', 'This audience is not ready yet.');
        await audit.record(tx, ctx, {
          action: 'audience.download',
          objectKind: 'audience',
          objectId: id,
          description: `Downloaded the audience ${found.name} for ${place === 'google' ? 'Google' : 'Meta'}`,
          owner: ownerOf(found),
        });
        return found;
      });
      const isDevice = row.kind === 'device';
      const head = { google: ['Email', 'Mobile Device ID'], meta: ['email', 'madid'] }[place][
        isDevice ? 1 : 0
      ]!;
      return (async function* () {
        yield csvLine([head]);
        for (let after = 0n; ; ) {
          const members = await inScope(db.app, ctx.scope, (tx) => store.membersAfter(tx, id, after, STEP));
          if (members.length === 0) return;
          yield members
            .filter((one) => !one.is_excluded && one.kind === (isDevice ? MEMBER.device : MEMBER.sha256))
            .map((one) => csvLine([isDevice ? uuidOf(one.value) : one.value.toString('hex')]))
            .join('');
          after = members.at(-1)!.id;
        }
      })();
    },

    /** Queues the audiences that are due, each once, behind those that someone waits for. */
    queueDue: (): Promise<void> =>
      tenants.eachRoot((rootId) =>
        inScope(db.app, { rootId }, async (tx) => {
          const now = clock.now();
          const due = await store.dueAudiences(tx, rootId, now, new Date(now.getTime() - LOST_MS));
          // Whatever becomes of the job, the audience is due again after the usual time.
          const next = new Date(now.getTime() + AUDIENCE_REFRESH_HOURS * 3_600_000);
          for (const { id } of due)
            await store.updateAudience(tx, id, { refresh_at: next, queued_at: now, begun_at: null });
          for (const [turn, some] of Map.groupBy(due, (one) => one.agency_id))
            await jobs.send(
              tx,
              buildJob,
              some.map(({ id }) => ({ rootId, audienceId: id })),
              { turn, noHurry: true },
            );
        }),
      ),

    // ─── For the features above ────────────────────────────────────────────────────────────────────────────────────

    /**
     * Deletes a person from every audience of a root, in its scope, by who they are in the graph and by their email
     * addresses; returns how many members that were. Simpli.fi is told when the audiences are next compared, which is
     * soon.
     */
    erase: (tx: Tx, rootId: string, people: readonly string[], emails: readonly string[]): Promise<number> =>
      store.eraseMembers(
        tx,
        rootId,
        {
          people,
          hashes: emails.flatMap((email) =>
            (['sha256', 'md5'] as const).map((algorithm) => hash(algorithm, email, 'buffer')),
          ),
        },
        clock.now(),
      ),

    /**
     * Aims a campaign at audiences of its client, and away from others. @throws Refusal 422 if one is not the client's,
     * is named twice, or cannot be used by the platform
     */
    async aim(
      tx: Tx,
      {
        owner,
        campaignId,
        platform,
      }: { owner: Owner & { agency_id: string }; campaignId: string; platform: AdPlatform },
      { included, excluded }: { included: readonly string[]; excluded: readonly string[] },
    ): Promise<void> {
      const both = included.find((id) => excluded.includes(id));
      if (both) throw refusalOf('excluded_audiences', 'must not name an audience that is also included');
      const found = new Map(
        (await store.keepAudiences(tx, owner.company_id, [...included, ...excluded])).map((row) => [
          row.id,
          row,
        ]),
      );
      for (const [field, ids] of [
        ['audiences', included],
        ['excluded_audiences', excluded],
      ] as const) {
        if (ids.length > MOST_AIMS) throw refusalOf(field, `must not exceed ${MOST_AIMS} entries`);
        if (ids.some((id) => !found.has(id))) throw refusalOf(field, 'must be audiences of this client');
        const reason = ids.map((id) =>
          whyNotIn(platform === 'simplifi' ? 'simplifi' : 'platform', found.get(id)!),
        );
        const why = reason.find((one) => one !== null);
        if (why) throw refusalOf(field, `cannot be used at Simpli.fi: ${why}`);
        const small =
          field === 'audiences' && ids.map((id) => whySmall(found.get(id)!)).find((one) => one !== null);
        if (small) throw refusalOf(field, `cannot be used: ${small}`);
      }
      const aims = [...found.keys()].map((audience_id) => ({
        audience_id,
        is_excluded: excluded.includes(audience_id),
      }));
      await store.putAims(tx, owner, campaignId, aims);
    },

    /** What campaigns are aimed at, by their ids; those that are aimed at nothing are left out. */
    async aimsOf(tx: Tx, campaignIds: readonly string[]): Promise<Map<string, Aim[]>> {
      const rows = await store.aimsOf(tx, campaignIds);
      return new Map(
        [...Map.groupBy(rows, (row) => row.campaign_id)].map(([id, aims]) => [
          id,
          aims.map((aim) => ({
            id: aim.audience_id,
            name: aim.name,
            isExcluded: aim.is_excluded,
            externalId: aim.external_id,
            isSmall: isSmall(aim),
            addresses: isSmall(aim) && !aim.is_excluded ? 0 : Number(aim.addresses),
            placeError: aim.place_error,
          })),
        ]),
      );
    },

    /**
     * In which of these audiences viewers are, each recognized by any of their keys, in one look-up; in the root's scope.
     */
    async among(
      tx: Tx,
      rootId: string,
      audienceIds: readonly string[],
      viewers: readonly (readonly { kind: number; value: Buffer }[])[],
    ): Promise<Set<string>[]> {
      const keys = viewers.flatMap((all, of) => all.map((key) => ({ ...key, of })));
      const found = viewers.map(() => new Set<string>());
      for (const row of await store.among(tx, rootId, audienceIds, keys))
        found[keys[row.at]!.of]!.add(row.audience_id);
      return found;
    },

    /** Some members of audiences, each with what they are recognized by, for the simulated exchange. */
    async sampleOf(tx: Tx, audienceIds: readonly string[], most: number) {
      const rows = await store.sampleOf(tx, audienceIds, most);
      return [...Map.groupBy(rows, (row) => row.member_id).values()];
    },

    /** What an outside platform is told of audiences; in the root's scope. */
    outside: {
      all: store.outsideOf,
      set: store.updateAudience,
      /** All postal addresses of an audience, each once, and a hash of them. */
      async addresses(rootId: string, id: string): Promise<{ addresses: AdAddress[]; hash: Buffer }> {
        const known = new Map<string, AdAddress>();
        for (let after: bigint | null = 0n; after !== null; ) {
          const from: bigint = after;
          const { homes, last } = await inScope(db.app, { rootId }, (tx) =>
            builds.homesAfter(tx, rootId, id, from),
          );
          for (const home of homes) known.set(Object.values(home).join('|').toLowerCase(), home);
          after = last;
        }
        const hash = createHash('sha256');
        for (const key of [...known.keys()].sort()) hash.update(`${key}\n`);
        return { addresses: [...known.values()], hash: hash.digest() };
      },
    },

    /** Adds an audience with its members at once, and builds it (demo data, tests). */
    async seed(
      owner: Owner & { agency_id: string },
      given: {
        name: string;
        kind: AudienceKind;
        origin?: AudienceOrigin;
        /** One of the kind each, as the lines of its file. */
        values: readonly string[];
      },
    ): Promise<string> {
      const at = clock.now();
      const id = newId(at);
      const read = given.values.map((value) => readRow([value], null, given.kind));
      const members = read.flatMap((row) => row.members);
      const errors = read.flatMap(({ fault }, i) => (fault ? [{ ...fault, line: i + 1 }] : []));
      const rows = BigInt(read.length);
      await inScope(db.app, { rootId: owner.root_id }, async (tx) => {
        await store.insertAudience(tx, {
          id,
          ...owner,
          name: given.name,
          source: 'upload',
          kind: given.kind,
          origin: given.origin ?? 'customers',
          state: 'ready',
          file_name: `${given.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.csv`,
          total_rows: rows,
          rows_read: rows,
          rows_added: BigInt(members.length),
          rows_bad: BigInt(errors.length),
          created_at: at,
          updated_at: at,
        });
        await store.addMembers(tx, { id, ...owner }, members);
        if (errors.length > 0) await store.insertErrors(tx, { id, ...owner }, errors);
      });
      await builds.build(owner.root_id, id);
      return id;
    },
  };
}

const uuidOf = (value: Buffer): string => {
  const hex = value.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/** An audience as the contract shows it. */
function view(row: store.ShownRow) {
  const size = Number(row.size);
  const told = (count: bigint) => toldCount(Number(count), { size, source: row.source });
  const matched = told(row.matched);
  return {
    id: row.id,
    company_id: row.company_id,
    company_name: row.company_name,
    name: row.name,
    source: row.source,
    kind: row.kind,
    origin: row.origin,
    campaign_id: row.campaign_id,
    campaign_name: row.campaign_name,
    days: row.days,
    keywords: row.search?.keywords.slice(0, SHOWN_KEYWORDS) ?? [],
    state: row.state as Exclude<typeof row.state, 'removed'>,
    error: row.error,
    file_name: row.file_name,
    total_rows: Number(row.total_rows),
    rows_read: Number(row.rows_read),
    rows_added: Number(row.rows_added),
    rows_same: Number(row.rows_same),
    rows_bad: Number(row.rows_bad),
    size,
    matched,
    match_rate: size > 0 && matched !== null ? Math.round((matched / size) * 1000) / 10 : null,
    excluded: told(row.excluded),
    reachable: told(row.reachable),
    addresses: told(row.addresses),
    refreshed_at: row.refreshed_at?.toISOString() ?? null,
    place_error: row.place_error,
    campaigns: Number(row.campaigns),
    created_at: row.created_at.toISOString(),
  };
}
