import { readFile } from 'node:fs/promises';
import type { WhyRead } from '../../../../contract/campaigns/pixel.ts';
import { hostOf, isSite } from '../../../../contract/campaigns/site-hosts.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { pixelFile } from '../../../platform/dist.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import type { Outbound } from '../../../platform/outbound.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Campaigns } from '../campaigns/index.ts';
import { createBrowser } from './browser.ts';
import { type Diagnosis, diagnose, type PageFacts } from './diagnosis.policy.ts';
import { tagsIn } from './page.policy.ts';
import { readPage, Unreachable, withManagers } from './reader.ts';
import * as store from './store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How many hosts of a page are looked up. */
const MOST_HOSTS = 20;
/** How far back the last events are looked for. */
const EVENTS_MS = 7 * DAY_MS;

/** A check makes this server look at a stranger's page: this many per hour and user, then with pauses. */
const LOOKS: LimitRule = { name: 'pixel-check', max: 30, base: 60, cap: 900, window: 3600 };
/** The same for an agency with all of its clients. */
const AGENCY_LOOKS: LimitRule = { name: 'pixel-check-agency', max: 200, base: 60, cap: 900, window: 3600 };

export type Pixel = ReturnType<typeof createPixel>;

/** The pixel of a Site ID campaign on the client's site: its code, whether it works and why not, and what arrives. */
export function createPixel(
  { config, db, clock, log }: Platform,
  deps: { audit: Audit; campaigns: Campaigns; tenants: Tenants; outbound: Outbound; limits: Limits },
) {
  const { audit, campaigns, tenants, outbound, limits } = deps;
  const browser = createBrowser(config, outbound, log);

  async function siteOf(ctx: Ctx, id: string) {
    const row = await inScope(db.app, ctx.scope, (tx) => campaigns.visible(tx, id));
    if (!row) throw new Refusal('not_found', ownMessages.notFound);
    campaigns.site.need(row);
    return row;
  }
  type Row = Awaited<ReturnType<typeof siteOf>>;

  /** The pixel code for the site: the script comes from the host of the campaign's agency. */
  async function tagOf(ctx: Ctx, row: Row) {
    const host = (await tenants.primaryHost(row.agency_id)) ?? ctx.tenant.host;
    const here = new URL(ctx.origin);
    const origin = `${here.protocol}//${host}${here.port ? `:${here.port}` : ''}`;
    const script = `${origin}/p/v1/${row.site_key}.js`;
    return { origin, script, tag: `<script async src="${script}"></script>` };
  }

  /** Says whether a host, possibly with a port, serves the pixel: each of our hosts does. Pages choose what is asked. */
  function hostsAt(origin: string): (host: string) => Promise<boolean> {
    const asked = new Map<string, Promise<boolean>>();
    const { port } = new URL(origin);
    const find = async (host: string): Promise<boolean> =>
      (URL.parse(`http://${host}`)?.port ?? '') === port &&
      (await tenants.byHost(host.replace(/:\d+$/, ''))) !== null;
    return async (host) => {
      const known = asked.get(host);
      if (known) return known;
      if (asked.size === MOST_HOSTS) return false;
      const found = find(host);
      asked.set(host, found);
      return found;
    };
  }

  /** Which of the hosts that a page loads the pixel from are ours. */
  async function oursAmong(
    { html, ran }: PageFacts,
    siteKey: string,
    isOurs: (host: string) => Promise<boolean>,
  ): Promise<Set<string>> {
    const named = [
      ...tagsIn(html),
      ...tagsIn(ran?.html ?? ''),
      ...(ran?.scripts ?? []).flatMap(({ url }) => tagsIn(url)),
    ].flatMap(({ key, host }) => (key === siteKey && host ? [host] : []));
    const ours = new Set<string>();
    for (const host of new Set(named)) if (await isOurs(host)) ours.add(host);
    return ours;
  }

  /** Opens the page, or reads it if no browser can. */
  async function look(
    row: Row,
    isOurs: (host: string) => Promise<boolean>,
  ): Promise<{ facts: PageFacts | Unreachable; whyRead: WhyRead | null }> {
    let whyRead: WhyRead | null = null;
    try {
      let page = await browser.open({
        url: row.site_url,
        siteKey: row.site_key,
        by: row.agency_id,
        isOurs,
        script: () => readFile(pixelFile),
      });
      if (typeof page === 'string') {
        whyRead = page;
        page = await readPage(outbound, row.site_url);
      }
      return { facts: await withManagers(outbound, page, row.site_key), whyRead };
    } catch (error) {
      if (error instanceof Unreachable) return { facts: error, whyRead };
      throw error;
    }
  }

  const found = ({ tone }: Diagnosis): boolean => tone !== 'bad';

  return {
    snippet: async (ctx: Ctx, id: string) => {
      const { origin, script, tag } = await tagOf(ctx, await siteOf(ctx, id));
      return { tag, script_url: script, csp: [`script-src ${origin}`, `connect-src ${origin}`] };
    },

    /**
     * Looks at the site and says whether the pixel works there, and why not; a visit within the last day proves it,
     * too. The answer is kept. @throws Refusal 504 if the page cannot be looked at, 429 after too many checks
     */
    check: async (ctx: Ctx, id: string) => {
      const row = await siteOf(ctx, id);
      await limits.takeAll([
        [LOOKS, ctx.actor.userId],
        [AGENCY_LOOKS, row.agency_id],
      ]);
      const { origin, ...expected } = await tagOf(ctx, row);
      const keep = async (
        verdict: 'found' | 'not_found' | 'blocked',
        { cause, tone, message, fixes }: Diagnosis,
        whyRead: WhyRead | null,
      ) => {
        const checked_at = clock.now();
        const report = {
          checked_at,
          cause,
          tone,
          way: whyRead ? ('read' as const) : ('opened' as const),
          why_read: whyRead,
          message: message.slice(0, 2_000),
          fixes,
        };
        const { root_id, agency_id, company_id } = row;
        await inScope(db.app, ctx.scope, async (tx) => {
          await campaigns.site.keepCheck(tx, id, verdict, checked_at);
          await store.keepReport(tx, { campaign_id: id, root_id, agency_id, company_id, ...report });
          await audit.record(tx, ctx, {
            action: 'campaign.pixel_check',
            objectKind: 'campaign',
            objectId: id,
            description: `Checked ${row.site_url} for the pixel: ${verdict}`,
            owner: { root_id, agency_id, company_id },
          });
        });
        return report;
      };
      const isOurs = hostsAt(origin);
      const { facts, whyRead } = await look(row, isOurs);
      if (facts instanceof Unreachable) {
        await keep(
          'blocked',
          { cause: 'unreachable', tone: 'bad', message: facts.reason, fixes: [] },
          whyRead,
        );
        throw facts;
      }
      const ours = await oursAmong(facts, row.site_key, isOurs);
      const sites = campaigns.site.hostsOf(row);
      const diagnosis = diagnose(facts, {
        siteKey: row.site_key,
        ...expected,
        isOurs: (host) => ours.has(host.toLowerCase()),
        isSite: (host) => isSite(sites, hostOf(`http://${host}`) ?? host),
      });
      const since = new Date(clock.now().getTime() - DAY_MS);
      const { visited, foreign, away } = await inScope(db.app, ctx.scope, async (tx) => ({
        visited: await campaigns.site.lastVisitAt(tx, id, since),
        foreign: await campaigns.site.foreignHosts(tx, id, since),
        away: (await store.refusedSince(tx, id, since)).filter(({ reason }) =>
          ['too_many', 'too_much'].includes(reason),
        ),
      }));
      const isFound = found(diagnosis);
      const notes = [
        diagnosis.message,
        ...(!isFound && visited
          ? ['However, visits arrived in the last day, so it works on other pages.']
          : []),
        ...(row.state === 'active' ? [] : ['The campaign is not active, so visits are not counted.']),
        ...(visited ? [] : foreignHint(foreign)),
        ...awayHint(Number(away.reduce((sum, { count }) => sum + count, 0n))),
      ];
      const report = await keep(
        isFound || visited ? 'found' : 'not_found',
        { ...diagnosis, message: notes.join(' ') },
        whyRead,
      );
      return {
        ...report,
        found: isFound || Boolean(visited),
        via: isFound ? ('page' as const) : visited ? ('visit' as const) : ('none' as const),
      };
    },

    /** What the last check found; null if there was none. */
    report: async (ctx: Ctx, id: string) => {
      await siteOf(ctx, id);
      return (await inScope(db.app, ctx.scope, (tx) => store.reportOf(tx, id))) ?? null;
    },

    /** Ends a page that is open; from now on, pages are only read. */
    close: browser.close,

    /** The last events of the pixel, and what was refused in this hour and the one before. */
    events: async (ctx: Ctx, id: string) => {
      await siteOf(ctx, id);
      const now = clock.now().getTime();
      return inScope(db.app, ctx.scope, async (tx) => ({
        events: await store.lastEvents(tx, id, new Date(now - EVENTS_MS)),
        refused: await store.refusedSince(tx, id, new Date(Math.floor(now / HOUR_MS - 1) * HOUR_MS)),
      }));
    },
  };
}

/** What to do when visits come from hosts that are not sites of the campaign, the most visits first. */
function foreignHint([first]: { host: string; count: bigint }[]): string[] {
  if (!first) return [];
  return [
    `${first.count} ${first.count === 1n ? 'visit' : 'visits'} from ${first.host} ${first.count === 1n ? 'was' : 'were'} refused because it is not a site of this campaign. If it is yours, add it under Other domains.`,
  ];
}

const awayHint = (away: number): string[] =>
  away > 0
    ? [
        `In the last day, ${away} ${away === 1 ? 'event was' : 'events were'} rejected because too many arrived. See the Why not tab for details.`,
      ]
    : [];
