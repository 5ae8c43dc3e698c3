import type { z } from 'zod';
import type { KeywordRow } from '../../../../contract/audience/signals.ts';
import { intentMessages, LEAST_TOLD } from '../../../../contract/audience/signals-messages.ts';
import { type CampaignRules, NEW_RULES } from '../../../../contract/campaigns/campaign-rules.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Mail } from '../../../platform/mail.ts';
import { layOut } from '../../../platform/mail-layout.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Users } from '../../accounts/users/index.ts';
import {
  ANYBODY,
  audienceWire,
  type Campaigns,
  type GivenAudience,
  type GivenSearch,
  isSearch,
  locationWords,
  readAudience,
  readSearch,
  type Search,
  type SearchModule,
} from '../../campaigns/campaigns/index.ts';
import type { Asking, Leads } from '../../campaigns/leads/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import type { KeywordThemes } from '../keywords/index.ts';
import * as candidates from './candidate.store.ts';
import * as store from './count.store.ts';
import * as match from './match.store.ts';
import { confidenceOf, LOOK_BACK_MS, toldPeople, waterfallOf } from './policy.ts';
import { countJob, MOST_STARTS } from './queue.ts';

/** How many times a count is tried before it is called failed. */
const TRIES = 3;
/** How many people of a count are run through the rules at a time. */
const STEP = 2000;
/** Counts that a client keeps: the newest ones. */
const KEPT = 1000;
const NAMES = { keywords: 'keyword', states: 'states', cities: 'cities', zips: 'zips' } as const;

type Wire = Inside<z.input<typeof KeywordRow>>;
type Row = Awaited<ReturnType<typeof store.pageOfCounts>>['rows'][number];

/**
 * Keyword counts: requested, made by a job, announced by email, applied to campaigns (spec product 2 and 4, calls 7).
 */
export function createCounts(
  platform: Platform,
  deps: {
    audit: Audit;
    campaigns: Campaigns;
    keywordThemes: KeywordThemes;
    leads: Leads;
    mail: Mail;
    notices: Notices;
    users: Users;
    tenants: Tenants;
  },
) {
  const { db, clock, jobs, log } = platform;
  const { audit, campaigns, keywordThemes, leads, mail, notices, users, tenants } = deps;

  const missing = (): never => {
    throw new Refusal('not_found', ownMessages.notFound);
  };

  async function one(tx: Tx, id: string): Promise<Wire> {
    const { rows } = await store.pageOfCounts(tx, {
      id,
      sort: 'created_at',
      order: 'desc',
      limit: 1,
      offset: 0,
    });
    return wire(rows[0] ?? missing());
  }

  const finished = (
    tx: Tx,
    { id, root_id, agency_id, company_id }: Owner & { id: string; agency_id: string },
  ) =>
    platform.events.emit(tx, 'count.finished', {
      countId: id,
      owner: { root_id, agency_id, company_id },
    });

  async function searchCampaign(tx: Tx, id: string, lock = false) {
    const row = lock ? (await campaigns.lock(tx, [id]))[0] : await campaigns.visible(tx, id);
    if (!row || row.state === 'removed') return missing();
    const { module } = row;
    if (!isSearch(module))
      throw new Refusal('conflict', intentMessages.notSearch, {
        errors: { campaign_id: ['has no keywords'] },
      });
    return { ...row, module };
  }

  return {
    /** Requests a count. */
    async queue(
      ctx: Ctx,
      given: {
        search: GivenSearch;
        audience: GivenAudience;
        /** How keywords match; for a campaign always the way its own module does. */
        module?: SearchModule | undefined;
        /** What a lead must have, if no campaign defines it. */
        rules: Partial<CampaignRules>;
        /** Whether the requester is notified by email. */
        isTold: boolean;
        companyId?: string | undefined;
        campaignId?: string | undefined;
      },
    ): Promise<Wire> {
      const search = readSearch(given.search, NAMES);
      const audience = readAudience(given.audience);
      return inScope(db.app, ctx.scope, async (tx) => {
        const campaign = given.campaignId ? await searchCampaign(tx, given.campaignId) : undefined;
        const module = campaign?.module ?? given.module ?? 'locator';
        const companyId =
          campaign?.company_id ??
          given.companyId ??
          (ctx.actor.kind === 'client' ? ctx.actor.companyId : undefined);
        if (!companyId)
          throw new Refusal('invalid', 'company_id: is required', {
            errors: { company_id: ['is required'] },
          });
        const company = await tenants.company(tx, companyId);
        if (company?.kind !== 'client' || !company.agency_id) return missing();
        const owner = { root_id: company.root_id, agency_id: company.agency_id, company_id: companyId };
        await keywordThemes.mustAllow(tx, owner, search.keywords, NAMES.keywords);
        const now = clock.now();
        const id = newId(now);
        await boundedBy(tx, 'waitingCounts', companyId, 'company_id');
        await store.forgetCounts(tx, companyId, KEPT - 1);
        await store.insertCount(tx, {
          id,
          ...owner,
          campaign_id: campaign?.id ?? null,
          module,
          ...search,
          ...(module === 'b2b' ? audience : ANYBODY),
          rules: JSON.stringify(given.rules),
          state: 'pending',
          asked_by: given.isTold ? ctx.actor.userId : null,
          asked_at: now,
          created_at: now,
        });
        await jobs.send(tx, countJob, [{ rootId: owner.root_id, countId: id }], {
          turn: owner.agency_id,
        });
        await audit.record(tx, ctx, {
          action: 'count.queue',
          objectKind: 'count',
          objectId: id,
          description: `Requested a count for ${search.keywords.length} keywords`,
          owner,
        });
        return one(tx, id);
      });
    },

    /**
     * The people who showed an intent in the last seven days, as a count of it would find them now, some at a time; in
     * the root's scope. For what is aimed at people without buying them as leads.
     */
    async *peopleOf(tx: Tx, owner: Owner, search: match.Counted, now: Date): AsyncGenerator<string[]> {
      const keywords = await keywordThemes.allowed(tx, owner, search.keywords);
      await match.countMatches(
        tx,
        owner.root_id,
        { ...search, keywords },
        {
          from: new Date(now.getTime() - LOOK_BACK_MS),
          until: now,
        },
      );
      for await (const found of match.foundPeople(tx, STEP)) yield found.map((one) => one.person_id);
    },

    /** Makes a count of a campaign immediately, without a requester (demo data). */
    async seed(
      owner: { root_id: string; agency_id: string; company_id: string },
      campaignId: string,
      search: Search & { module?: SearchModule },
    ): Promise<void> {
      const now = clock.now();
      const id = newId(now);
      await inScope(db.app, { rootId: owner.root_id }, (tx) =>
        store.insertCount(tx, {
          id,
          ...owner,
          campaign_id: campaignId,
          ...search,
          state: 'pending',
          asked_at: now,
          created_at: now,
        }),
      );
      await this.run(owner.root_id, id);
    },

    /** Retries a failed count. */
    retry: (ctx: Ctx, id: string): Promise<Wire> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = (await store.rawCount(tx, id, true)) ?? missing();
        if (row.state !== 'failed')
          throw new Refusal('conflict', intentMessages.notFailed, { errors: { id: ['has not failed'] } });
        await keywordThemes.mustAllow(tx, row, row.keywords, 'id');
        const now = clock.now();
        await store.updateCount(tx, id, {
          state: 'pending',
          error: null,
          attempts: 0,
          finished_at: null,
          asked_by: ctx.actor.userId,
          asked_at: now,
        });
        await jobs.send(tx, countJob, [{ rootId: row.root_id, countId: id }], { turn: row.agency_id });
        await audit.record(tx, ctx, {
          action: 'count.retry',
          objectKind: 'count',
          objectId: id,
          description: 'Retried a count',
          owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
        });
        return one(tx, id);
      }),

    get: (ctx: Ctx, id: string): Promise<Wire> => inScope(db.app, ctx.scope, (tx) => one(tx, id)),

    list: (ctx: Ctx, asked: Omit<store.CountList, 'id' | 'campaign'> & { campaignId?: string | undefined }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { campaignId, ...rest } = asked;
        const campaign = campaignId ? await searchCampaign(tx, campaignId) : undefined;
        const { rows, total, pending } = await store.pageOfCounts(tx, {
          ...rest,
          campaign: campaign && {
            id: campaign.id,
            companyId: campaign.company_id,
            module: campaign.module,
          },
        });
        return { rows: rows.map(wire), total, pending };
      }),

    /** Counts for programs: by cursor, and as they are stored. */
    reads: {
      /** The next counts after a position, the newest first, and the position of the last one if there are more. */
      after: (
        ctx: Ctx,
        asked: Parameters<typeof store.nextCounts>[1],
        after: { at: Date; id: string } | null,
        limit: number,
      ) =>
        inScope(db.app, ctx.scope, async (tx) => {
          const found = await store.nextCounts(tx, asked, after, limit + 1);
          const shown = found.slice(0, limit);
          const last = shown.at(-1);
          return {
            rows: shown.map((row) => ({ ...row, steps: stepsOf(row) })),
            end: found.length > limit && last ? { at: last.created_at, id: last.id } : null,
          };
        }),

      /** A count that the scope may see, as it is stored. */
      stored: (tx: Tx, id: string) => store.rawCount(tx, id),
      /** One count, with what it looks for. @throws Refusal 404 */
      one: (ctx: Ctx, id: string) =>
        inScope(db.app, ctx.scope, async (tx) => {
          const row = (await store.rawCount(tx, id)) ?? missing();
          return { ...row, keyword_total: row.keywords.length, steps: stepsOf(row) };
        }),
    },

    /** Makes a campaign of the same client search for what was counted. */
    apply: (ctx: Ctx, id: string, campaignId: string): Promise<Wire> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = (await store.rawCount(tx, id, true)) ?? missing();
        const campaign = await searchCampaign(tx, campaignId, true);
        if (campaign.company_id !== row.company_id) return missing();
        if (row.state !== 'done')
          throw new Refusal('conflict', intentMessages.notDone, { errors: { id: ['is not finished yet'] } });
        if (campaign.module !== row.module)
          throw new Refusal('conflict', intentMessages.otherModule, {
            errors: { campaign_id: ['is for a different product than the count'] },
          });
        const { location, states, cities, zips, keywords } = row;
        const { titles, seniorities, departments, industries, sizes } = row;
        await campaigns.aim(tx, campaign, {
          ...{ location, states, cities, zips, keywords },
          ...{ titles, seniorities, departments, industries, sizes },
        });
        await store.updateCount(tx, id, { applied_at: clock.now(), applied_to: campaignId });
        await audit.record(tx, ctx, {
          action: 'count.apply',
          objectKind: 'campaign',
          objectId: campaignId,
          description: `Set campaign #${campaign.number} to target the ${keywords.length} keywords from a count`,
          owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
        });
        return one(tx, id);
      }),

    /** Returns what was forecast for a campaign, and the outcomes of the people it found. */
    forecast: (ctx: Ctx, campaignId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        await searchCampaign(tx, campaignId);
        const newest = await store.newestOf(tx, campaignId);
        const since = new Date(clock.now().getTime() - LOOK_BACK_MS);
        const {
          lead = 0,
          waiting = 0,
          ...refused
        } = Object.fromEntries(await candidates.outcomesOf(tx, campaignId, since));
        const reasons = Object.entries(refused)
          .map(([reason, count]) => ({ reason, count }))
          .sort((a, b) => b.count - a.count);
        return {
          forecast: newest ? await one(tx, newest) : null,
          found: lead + waiting + reasons.reduce((sum, row) => sum + row.count, 0),
          leads: lead,
          waiting,
          refused: reasons,
        };
      }),

    /**
     * Makes a count, once: a second worker waits for the first and finds it done. If it cannot be made it is retried,
     * and called failed after a few attempts.
     */
    async run(rootId: string, id: string): Promise<void> {
      const scope = { rootId };
      const begun = await inScope(db.app, scope, async (tx) => {
        const row = await store.rawCount(tx, id, true);
        if (row?.state !== 'pending') return undefined;
        if (row.attempts < MOST_STARTS) await store.updateCount(tx, id, { attempts: row.attempts + 1 });
        return row;
      });
      if (!begun) return;
      const sender = await notices.sender(begun);
      const fail = (error: unknown) =>
        inScope(db.app, scope, async (tx) => {
          const row = await store.rawCount(tx, id, true);
          if (row?.state !== 'pending') return;
          const words = String(error).slice(0, 500);
          await store.updateCount(tx, id, { state: 'failed', error: words, finished_at: clock.now() });
          await finished(tx, row);
          await tell(tx, row, sender, null);
        });
      // A count that kills its worker each time must not wait forever, because then no one could retry it.
      if (begun.attempts >= MOST_STARTS) return fail('The worker stopped every time.');
      try {
        await inScope(db.app, scope, async (tx) => {
          const row = await store.rawCount(tx, id, true);
          if (row?.state !== 'pending') return;
          const now = clock.now();
          const { people: wanted, placed, steps } = await measure(tx, row, now);
          await store.updateCount(tx, id, {
            state: 'done',
            error: null,
            people: BigInt(wanted),
            placed: BigInt(placed),
            waterfall: JSON.stringify(steps),
            counted_at: now,
            finished_at: clock.now(),
          });
          await finished(tx, row);
          await tell(tx, row, sender, placed);
        });
      } catch (error) {
        if (begun.attempts + 1 < TRIES) throw error;
        log.error({ err: error, countId: id }, 'a count failed');
        await fail(error);
      }
    },
  };

  /** Counts, and runs everyone in the place through the rules of acceptance. */
  async function measure(tx: Tx, row: NonNullable<Awaited<ReturnType<typeof store.rawCount>>>, now: Date) {
    const span = { from: new Date(now.getTime() - LOOK_BACK_MS), until: now };
    const counted = await match.countMatches(tx, row.root_id, row, span);
    const campaign = row.campaign_id ? await campaigns.visible(tx, row.campaign_id) : null;
    const asking: Asking = {
      agencyId: row.agency_id,
      clientId: row.company_id,
      campaignId: row.campaign_id,
      rules: campaign ?? { ...NEW_RULES, ...row.rules },
    };
    const refused: Record<string, number> = {};
    for await (const found of match.foundPeople(tx, STEP)) {
      const asked = found.map((one) => ({
        personId: one.person_id,
        confidence: confidenceOf({ strength: one.strength, signals: one.signals, lastAt: one.last_at }, now),
      }));
      for (const reason of await leads.preview(tx, row.root_id, asking, asked, now))
        if (reason) refused[reason] = (refused[reason] ?? 0) + 1;
    }
    const { people, placed, shown } = counted;
    const steps = { signals: shown, ...waterfallOf(placed, refused) };
    // Exact figures go no further than here: not into the database, by which counts are sorted.
    return {
      people: toldPeople(people),
      placed: toldPeople(placed),
      steps: Object.fromEntries(
        Object.entries(steps).map(([step, count]) => [step, toldPeople(count)]),
      ) as typeof steps,
    };
  }

  /** Notifies the requester of the result; `placed` is null if it failed. */
  async function tell(
    tx: Tx,
    row: {
      asked_by: string | null;
      company_id: string;
      root_id: string;
      agency_id: string;
      keywords: string[];
    },
    sender: Awaited<ReturnType<Notices['sender']>>,
    placed: number | null,
  ): Promise<void> {
    const to = row.asked_by ? await users.byId(tx, row.asked_by) : undefined;
    if (!to) return;
    const some = row.keywords.slice(0, 3).join(', ');
    const what = row.keywords.length > 3 ? `${some} and ${row.keywords.length - 3} more` : some;
    const content =
      placed === null
        ? {
            subject: 'Your keyword count failed',
            lines: [`We could not complete the count for ${what}. You can try again.`],
          }
        : {
            subject: 'Your keyword count is ready',
            lines: [
              `Keywords counted: ${what}.`,
              placed > 0
                ? `About ${placed.toLocaleString('en-US')} people showed this intent in the last 7 days.`
                : `Fewer than ${LEAST_TOLD} people showed this intent in the last 7 days.`,
            ],
          };
    await mail.enqueue(tx, {
      ...layOut(sender, content, `you asked for this count at ${sender.name}`),
      kind: 'count.done',
      owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
      to: { name: to.name, address: to.email },
      sender,
    });
  }
}

/** The steps of a finished count; older ones lack the steps that were added since, and no one fell out at those. */
function stepsOf(row: Pick<Row, 'waterfall' | 'people' | 'placed'>): Wire['waterfall'] {
  if (!row.waterfall || row.people === null || row.placed === null) return null;
  const people = Number(row.people);
  type Steps = ReturnType<typeof waterfallOf>;
  const steps = row.waterfall as Omit<Steps, 'not_customers'> & Partial<Steps>;
  return {
    signals: people,
    ...steps,
    not_customers: steps.not_customers ?? steps.not_excluded,
    in_audience: people,
    placed: Number(row.placed),
  };
}

function wire(row: Row): Wire {
  const number = (value: bigint | null) => (value === null ? null : Number(value));
  const people = number(row.people);
  const placed = number(row.placed);
  return {
    id: row.id,
    company_id: row.company_id,
    company_name: row.company_name,
    campaign_id: row.campaign_id,
    campaign_number: number(row.number),
    module: row.module,
    ...audienceWire(row),
    location: locationWords(row.location),
    states: row.states,
    cities: row.cities,
    zips: row.zips.join('\n'),
    keyword: row.keywords.join('\n'),
    zip_count: row.zip_count,
    city_count: row.city_count,
    keyword_count: row.keyword_count,
    count_without_geo: people,
    count: placed,
    status: row.state === 'failed' ? 'error' : row.state,
    api_version: '1',
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    counted_at: row.counted_at?.toISOString() ?? null,
    waterfall: stepsOf(row),
    applied_at: row.applied_at?.toISOString() ?? null,
    applied_to:
      row.applied_to && row.applied_number !== null
        ? {
            campaign_id: row.applied_to,
            campaign_number: Number(row.applied_number),
            campaign_name: row.applied_name ?? '',
          }
        : null,
  };
}
