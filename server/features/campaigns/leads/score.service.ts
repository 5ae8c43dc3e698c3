import { setImmediate as breathe } from 'node:timers/promises';
import { z } from 'zod';
import type { CampaignRules } from '../../../../contract/campaigns/campaign-rules.ts';
import type { LeadSignal } from '../../../../contract/campaigns/leads.ts';
import { bandOf, type FitCount, SCORE_BANDS, SCORED_LEADS } from '../../../../contract/campaigns/scores.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { inHalves } from '../../../platform/halves.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Platform } from '../../../platform/platform.ts';
import { createTurns, type TurnBounds } from '../../../platform/turns.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Campaigns } from '../campaigns/index.ts';
import { hotIn, type ScoredLead, type ScoreRules, scoreOf, weighs } from './score.policy.ts';
import * as store from './score.store.ts';
import { changedLeads } from './store.ts';

/** Scores of a root's leads that are due; `campaignId`: all newer ones of this campaign are. */
export const scoreJob = defineJob(
  'leads.score',
  z.object({ rootId: z.uuid().optional(), campaignId: z.uuid().optional() }),
);

/** How many leads are scored in one transaction. */
const BATCH = 500;
/** For how many milliseconds leads are scored before others get their turn. */
const UNINTERRUPTED_MS = 20;
/** Previews of one company are made one after the other. */
const PREVIEWS: TurnBounds = { atOnce: 2, waiting: 50, waitingEach: 5, budgetMs: 60_000, windowMs: 600_000 };
/** Leads up to this old get a new score when their campaign's weights change. */
const RESCORED_DAYS = 90;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** An address without its query and fragment, as the visits are counted. */
const pageOf = (url: string): string => url.split(/[?#]/, 1)[0]!.slice(0, store.LONGEST_PAGE);

type Signals = Inside<z.input<typeof LeadSignal>>[];

/** A lead to be scored. */
export interface ToScore extends store.Visitor {
  rules: ScoreRules;
  /** The intent signals behind it, newest first, and how many there are; null: it came from a visit. */
  signals: { shown: Signals; count: number } | null;
  fit: FitCount | null;
  /** What was found earlier: a visit that has since been deleted still counts. */
  known: { depth: number; hot: readonly string[] } | null;
  /** Addresses of visits that are just being worked off, so that they do not name their person yet. */
  pages?: readonly string[];
}

const inTurn = createTurns(PREVIEWS);

export type Scores = ReturnType<typeof createScores>;

/** Scores of leads (decision 0274): worked out when a lead comes in, when its person returns, and as time passes. */
export function createScores(
  { db, clock, jobs, events, log }: Platform,
  { campaigns, tenants }: { campaigns: Campaigns; tenants: Tenants },
) {
  events.on('campaign.scores_changed', (tx, { rootId, campaignId }) =>
    jobs.send(tx, scoreJob, [{ rootId, campaignId }]),
  );

  /** The scores of leads as of an instant, by lead; their visits are read in one statement. */
  async function judged(tx: Tx, leads: readonly ToScore[], now: Date) {
    const viewed = await store.pagesOf(
      tx,
      leads.filter(({ signals, rules }) => !signals && weighs(rules)),
      now,
    );
    const rows: (ScoredLead & { leadId: string })[] = [];
    let began = performance.now();
    for (const { leadId, rules, signals, fit, known, seenAt: lastKnown, pages: fresh = [] } of leads) {
      const { pages: earlier, seenAt } = viewed.get(leadId) ?? { pages: [], seenAt: null };
      const pages = [...new Set([...earlier, ...fresh.map(pageOf)])];
      const texts = signals ? signals.shown.flatMap(({ keyword, url }) => [keyword, url ?? '']) : pages;
      const found = new Set(hotIn(rules, texts));
      const facts = {
        depth: Math.max(signals?.count ?? pages.length, known?.depth ?? 0),
        of: signals ? ('signal' as const) : ('page' as const),
        hot: rules.score_pages.filter((entry) => found.has(entry) || known?.hot.includes(entry)),
        fit,
      };
      const at = seenAt && seenAt > lastKnown ? seenAt : lastKnown;
      rows.push({ leadId, facts, seenAt: at, score: scoreOf(rules, facts, at, now) });
      // A site's pages can be made to be slow to search.
      if (performance.now() - began > UNINTERRUPTED_MS) {
        await breathe();
        began = performance.now();
      }
    }
    return rows;
  }

  /** A stored lead, to be scored by some rules. */
  function toScore(row: store.ScoredRow, rules: ScoreRules): ToScore {
    const { signals, signal_count } = row.evidence as { signals?: Signals; signal_count?: number };
    const facts = row.score_details?.facts;
    return {
      leadId: row.id,
      campaignId: row.campaign_id,
      personId: row.person_id,
      visitDay: row.visit_day,
      visitEventId: row.visit_event_id,
      seenAt: row.seen_at ?? (signals?.[0] ? new Date(signals[0].at) : row.created_at),
      rules,
      signals: signals ? { shown: signals, count: signal_count ?? signals.length } : null,
      fit: facts?.fit ?? null,
      known: facts ?? null,
    };
  }

  /** Scores a batch of a root's leads that are due; returns how many. One that cannot be is due again in an hour. */
  const scoreBatch = (rootId: string): Promise<number> =>
    inHalves<store.ScoredRow>(
      BATCH,
      (most, onTaken) => scoreSome(rootId, most, onTaken),
      async ({ id }, error) => {
        log.error({ err: error, rootId, leadId: id }, 'a lead could not be scored');
        const next = new Date(clock.now().getTime() + HOUR_MS);
        await inScope(db.app, { rootId }, (tx) => store.putOff(tx, id, next));
      },
    );
  const scoreSome = (
    rootId: string,
    most: number,
    onTaken: (due: readonly store.ScoredRow[]) => void,
  ): Promise<number> =>
    inScope(db.app, { rootId }, async (tx) => {
      const now = clock.now();
      const due = await store.dueLeads(tx, rootId, now, most);
      onTaken(due);
      const rules = await campaigns.rulesOf(tx, [...new Set(due.map((row) => row.campaign_id))]);
      const leads = due.map((row) => toScore(row, rules.get(row.campaign_id)!));
      const changed = await store.setScores(tx, await judged(tx, leads, now));
      await changedLeads(tx, changed, now);
      return due.length;
    });

  /** Scores everything of a root that is due. */
  async function scoreDue(rootId: string): Promise<void> {
    while ((await scoreBatch(rootId)) === BATCH);
  }

  /** What a preview says. */
  const previewed = (ctx: Ctx, campaignId: string, rules: CampaignRules) =>
    inScope(db.app, ctx.scope, async (tx) => {
      const rows = await store.newestScored(tx, campaignId, SCORED_LEADS);
      const now = clock.now();
      const after = await judged(
        tx,
        rows.map((row) => toScore(row, rules)),
        now,
      );
      const bands = SCORE_BANDS.map((from) => ({ from, before: 0, after: 0 }));
      rows.forEach((row, i) => {
        if (row.score >= 0) bands[bandOf(row.score)]!.before++;
        const { score } = after[i]!;
        if (score) bands[bandOf(score.score)]!.after++;
      });
      const examples = after
        .flatMap(({ leadId, score }, i) =>
          score
            ? [
                {
                  id: leadId,
                  before: rows[i]!.score < 0 ? null : rows[i]!.score,
                  score: score.score,
                  score_reasons: score.details.reasons,
                },
              ]
            : [],
        )
        .sort((a, b) => b.score - a.score)
        .slice(0, 5);
      return { leads: rows.length, bands, examples };
    });

  return {
    scoreDue,

    /**
     * Scores leads whose people were seen again, and new leads before they are stored, which it returns by lead: their
     * visits are read together. `changed`: those seen again whose scores or reasons are others than before.
     */
    async ofBatch(
      tx: Tx,
      seen: ReadonlyMap<string, { at: Date; pages: string[]; rules: ScoreRules }>,
      fresh: readonly ToScore[],
      now: Date,
    ): Promise<{ fresh: Map<string, ScoredLead>; changed: string[] }> {
      const again = seen.size === 0 ? [] : await store.leadsToScore(tx, [...seen.keys()]);
      const rows = await judged(
        tx,
        [
          ...again.map((row) => {
            const { at: seenAt, pages, rules } = seen.get(row.id)!;
            return { ...toScore(row, rules), seenAt, pages };
          }),
          ...fresh,
        ],
        now,
      );
      const changed = await store.setScores(tx, rows.slice(0, again.length));
      return { fresh: new Map(rows.slice(again.length).map((row) => [row.leadId, row])), changed };
    },

    /**
     * What other weights would make of a campaign's newest leads: how many would be in each band, and how many are now.
     * Nothing about a person is revealed that the leads do not show: how well each fits stays as it was judged when it came
     * in. The campaign must be one that the scope sees.
     * @throws Refusal 429 if the company asks for too many at once
     */
    preview: (ctx: Ctx, campaignId: string, rules: CampaignRules) =>
      inTurn(ctx.actor.companyId, () => previewed(ctx, campaignId, rules)),

    /** Makes the scores of a campaign due after its weights have changed. */
    renew: (rootId: string, campaignId: string): Promise<void> =>
      inScope(db.app, { rootId }, (tx) => {
        const now = clock.now();
        return store.makeDue(tx, campaignId, new Date(now.getTime() - RESCORED_DAYS * DAY_MS), now);
      }),

    /** Starts the scoring of what is due. */
    async work(): Promise<void> {
      await jobs.work(scoreJob, { pollingIntervalSeconds: 2 }, ({ rootId, campaignId }) =>
        tenants.eachRoot(async (id) => {
          if (campaignId) await this.renew(id, campaignId);
          await scoreDue(id);
        }, rootId),
      );
      await jobs.schedule(scoreJob, '*/10 * * * *', {});
    },
  };
}
