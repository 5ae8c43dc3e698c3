import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import { THEMES_VERSION, tagsOf } from '../../audience/keywords/index.ts';
import { type Deps, newSiteKey } from './base.ts';
import { createChanges } from './change.service.ts';
import { createExtras } from './extras.ts';
import { checkSite, sitesOfRow } from './fields.policy.ts';
import { promptDue } from './period.policy.ts';
import * as reportStore from './report.store.ts';
import { createStates } from './state.service.ts';
import * as store from './store.ts';
import { judge, judgedBefore, letWait, targetsOf } from './target.store.ts';
import { createViews } from './view.ts';

export type Campaigns = ReturnType<typeof createCampaigns>;

/** Campaigns: whom a client wants identified, at which price, under which rules. */
export function createCampaigns(platform: Platform, deps: Deps) {
  const { db } = platform;
  const extras = createExtras(deps);
  const views = createViews(platform, deps, extras);
  const states = createStates(platform, deps);
  const changes = createChanges(platform, deps, { extras, states, views });

  return {
    list: views.list,
    get: views.get,
    reads: views.reads,
    refusals: views.refusals,
    foreignHosts: views.foreignHosts,
    create: changes.create,
    update: changes.update,
    duplicate: changes.duplicate,
    resource: changes.resource,
    topUp: states.topUp,
    setState: (ctx: Ctx, id: string, to: 'active' | 'paused' | 'archived', action: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        await states.setState(tx, ctx, id, to, action);
        return views.one(tx, ctx, id);
      }),

    remove: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, (tx) => states.setState(tx, ctx, id, 'removed', 'campaign.remove')),

    /** The keywords of a pasted text, each form once. */
    tags(text: string) {
      const { keywords, repeated, empty } = tagsOf(text);
      return { tags: keywords.map((one) => one.text), repeated, empty: empty.length };
    },

    /** Judges a root's keywords that were judged by earlier lists of themes, a few campaigns in one transaction. */
    async judgeKeywords(rootId: string): Promise<void> {
      for (;;) {
        const isDone = await inScope(db.app, { rootId }, async (tx) => {
          const next = await judgedBefore(tx, rootId, THEMES_VERSION, 100);
          for (const target of next) await judge(tx, target, THEMES_VERSION);
          return next.length === 0;
        });
        if (isDone) return;
      }
    },

    // For the features above.
    /** What campaigns look for, by campaign. */
    targets: targetsOf,
    letWait,
    aim: changes.aim,
    insert: changes.insert,
    /** For campaigns of other rooms (features/ads): who may add them, and changes of their rows. */
    mayAdd: extras.checkMayAdd,
    modulesOf: changes.modulesOf,
    edit: store.updateCampaign,
    /** A campaign that the scope may see, whatever its state; null when there is none. */
    visible: async (tx: Tx, id: string) => (await store.campaignById(tx, id)) ?? null,
    lock: store.lockCampaigns,
    rulesOf: store.rulesOf,
    stop: states.stop,
    goOn: states.goOn,
    resumeCapped: states.resumeCapped,
    hold: states.hold,
    release: states.release,
    recover: states.recover,
    lockForMargins: states.lockForMargins,
    /** Why no campaign of an agency, or of one of its clients, may run; null if nothing prevents it. */
    barOf: store.barOf,
    countHours: (tx: Tx, rows: store.HourRow[]) =>
      rows.length ? store.addHours(tx, rows) : Promise.resolve(),
    countRefusals: (tx: Tx, rows: store.RefusalRow[]) =>
      rows.length ? store.addRefusals(tx, rows) : Promise.resolve(),
    leadsSince: store.leadsSince,
    /** The notice and report settings of campaigns (report.store.ts). */
    reports: {
      countForNotices: reportStore.countForNotices,
      lockReport: reportStore.lockReport,
      markTold: reportStore.markTold,
      dueReports: reportStore.dueReports,
      takeDue: reportStore.takeDue,
      settleReport: reportStore.settleReport,
      putOff: reportStore.putOff,
      wake: (tx: Tx, campaignIds: string[], at: Date) =>
        reportStore.wake(tx, campaignIds, { lead: promptDue(at, 'lead'), hour: promptDue(at, 'hour') }),
      takeOff: reportStore.takeOff,
      refuseMails: reportStore.refuseMails,
    },
    timeZones: store.timeZones,
    siteByKey: (key: string) => store.siteByKey(db.app, key),
    /** All sites, step by step, in the order of their keys. */
    sitesAfter: (key: string, most: number) => store.sitesAfter(db.app, key, most),
    newSiteKey,
    /** What the pixel's feature needs of a campaign's site. */
    site: {
      /** Refuses (409) a campaign that has no site. */
      need: checkSite,
      hostsOf: sitesOfRow,
      lastVisitAt: store.lastVisitAt,
      foreignHosts: store.foreignHosts,
      keepCheck: (tx: Tx, id: string, verdict: 'found' | 'not_found' | 'blocked', at: Date) =>
        store.updateCampaign(tx, id, { pixel_check: verdict, pixel_checked_at: at }),
    },
  };
}
