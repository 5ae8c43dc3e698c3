import { rulesShown } from '../../../../contract/campaigns/campaign-rules.ts';
import type { STATE_REASONS } from '../../../../contract/campaigns/campaigns.ts';
import { isSite } from '../../../../contract/campaigns/site-hosts.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import { DAY_MS, type Deps, type Module, missing } from './base.ts';
import type { Extras } from './extras.ts';
import { sitesOfRow } from './fields.policy.ts';
import * as store from './store.ts';
import { ANYBODY, audienceWire, isSearch, locationWords } from './target.policy.ts';
import { rowTargetsOf, shownTargetOf, targetsOf } from './target.store.ts';

type Target = Awaited<ReturnType<typeof shownTargetOf>>;
type RowTarget = NonNullable<ReturnType<Awaited<ReturnType<typeof rowTargetsOf>>['get']>>;
type Row = Awaited<ReturnType<typeof store.pageOfCampaigns>>['rows'][number];
type Paused = Pick<Row, 'id' | 'state' | 'state_reason'>;
type StateReason = (typeof STATE_REASONS)[number];

/** Whose payment failed, as far as the reader may know: a client sees its own, its agency sees both. */
function reasonOf(
  row: Paused,
  isClient: boolean,
  failures: Awaited<ReturnType<typeof store.failuresOf>>,
): StateReason | null {
  if (row.state !== 'paused') return null;
  const reason = row.state_reason as StateReason | null;
  if (reason !== 'payment_failed') return reason;
  const failed = failures.get(row.id);
  if (isClient) return failed?.own ? reason : 'agency_paused';
  return failed?.agencys ? 'agency_unpaid' : reason;
}

export type Views = ReturnType<typeof createViews>;

/** Campaigns as returned to readers: one, or a page of them. */
export function createViews({ db, clock }: Platform, { billing, pricing, tenants }: Deps, extras: Extras) {
  /** What campaigns cost and, for readers who may know it, their balance and what the agency keeps of a lead's price. */
  async function moneyOf(tx: Tx, ctx: Ctx, rows: Row[]) {
    const now = clock.now();
    const costsOf = await pricing.campaignCosts(
      tx,
      rows.map((row) => row.id),
      now,
    );
    const priceOf = ctx.may('cost.read') ? await billing.leadCosts(tx, rows, now) : undefined;
    const balances = new Map(ctx.may('prepaid.read') ? rows.map((row) => [row.id, row.balance ?? 0n]) : []);
    return (id: string) => {
      const price = priceOf?.(id);
      const balance = balances.get(id);
      return {
        ...costsOf(id),
        margin_micros: price ? Number(price.priceMicros - price.costMicros) : null,
        balance_micros: balance === undefined ? null : Number(balance),
      };
    };
  }

  /** Why each campaign is paused, as shown to the reader. */
  async function reasonsOf(tx: Tx, ctx: Ctx, rows: Paused[]): Promise<(row: Paused) => StateReason | null> {
    const unpaid = rows.filter((row) => row.state === 'paused' && row.state_reason === 'payment_failed');
    const failures = await store.failuresOf(
      tx,
      unpaid.map((row) => row.id),
    );
    return (row) => reasonOf(row, ctx.actor.kind === 'client', failures);
  }

  /**
   * The start of the last 30 calendar days, including today, in the time zone of the reader's company: the same days as
   * on the dashboard.
   */
  async function since30(tx: Tx, ctx: Ctx): Promise<Date> {
    const timeZone = (await tenants.company(tx, ctx.actor.companyId))?.time_zone ?? 'America/Chicago';
    const today = Temporal.Instant.fromEpochMilliseconds(clock.now().getTime())
      .toZonedDateTimeISO(timeZone)
      .toPlainDate();
    return new Date(today.subtract({ days: 29 }).toZonedDateTime({ timeZone }).epochMilliseconds);
  }

  function wire(
    row: Row,
    money: ReturnType<Awaited<ReturnType<typeof moneyOf>>>,
    more: ReturnType<Awaited<ReturnType<typeof extras.of>>>,
    brandName: string,
    stateReason: StateReason | null,
    lastVisit: Date | null,
    target: RowTarget | undefined,
  ) {
    const needed = [
      row.email_required && 'Email',
      row.phone_required && 'Phone',
      row.address_required && 'MailingAddress',
    ];
    return {
      ...money,
      ...more,
      keyword_preview: target?.keyword_preview ?? '',
      location: target ? locationWords(target.location) : null,
      is_national: target?.location === 'national' ? ('T' as const) : ('F' as const),
      states: target?.states ?? [],
      description: target?.description ?? '',
      advance_information: row.advance_information,
      b2b_information: row.b2b_information,
      requirements: target ? needed.filter(Boolean).join(',') : '',
      campaign_id: row.id,
      campaign_number: Number(row.number),
      module: row.module as Module,
      company_id: row.company_id,
      company_name: row.company_name,
      agency_name: row.agency_name ?? brandName,
      campaign_name: row.name,
      status: row.state,
      state_reason: stateReason,
      site_url: row.site_url,
      thank_you_url: row.thank_you_url,
      site_hosts: row.site_hosts,
      ...rulesShown(row),
      daily_cap: row.daily_cap,
      starts_on: row.starts_on,
      ends_on: row.ends_on,
      leads_30d: Number(row.leads_30d ?? 0n),
      visits_30d: Number(row.visits_30d ?? 0n),
      pixel_check: row.pixel_check as 'found' | null,
      pixel_checked_at: row.pixel_checked_at?.toISOString() ?? null,
      last_visit_at: (lastVisit ?? row.last_hour)?.toISOString() ?? null,
      silent_since: row.silent_since?.toISOString() ?? null,
      version: row.version,
      created_at: row.created_at.toISOString(),
    };
  }

  /** What a list leaves out. */
  const longWire = (target: Target) => ({
    keywords: target?.keywords ?? '',
    cities: target?.cities ?? [],
    zips: target?.zips ?? '',
    ...audienceWire(target ?? ANYBODY),
  });

  /** Campaigns with what they cost now and why they are paused. */
  async function priced(tx: Tx, ctx: Ctx, rows: Awaited<ReturnType<typeof store.nextCampaigns>>) {
    const ids = rows.map((row) => row.id);
    const costsOf = await pricing.campaignCosts(tx, ids, clock.now());
    const reasonFor = await reasonsOf(tx, ctx, rows);
    return rows.map((row) => ({ ...row, costs: costsOf(row.id), reason: reasonFor(row) }));
  }

  const since7 = (): Date => new Date(clock.now().getTime() - 7 * DAY_MS);

  async function one(tx: Tx, ctx: Ctx, id: string) {
    const { rows } = await store.pageOfCampaigns(tx, {
      id,
      sort: 'created_at',
      order: 'desc',
      limit: 1,
      offset: 0,
      since: await since30(tx, ctx),
      now: clock.now(),
    });
    const row = rows[0] ?? missing();
    const target = await shownTargetOf(tx, id);
    const short = wire(
      row,
      (await moneyOf(tx, ctx, [row]))(id),
      (await extras.of(tx, ctx, [row]))(id),
      ctx.tenant.companyName,
      (await reasonsOf(tx, ctx, [row]))(row),
      await store.lastVisitAt(tx, id, since7()),
      target,
    );
    return { ...short, ...longWire(target) };
  }

  return {
    one,
    list: (ctx: Ctx, asked: Omit<store.CampaignList, 'since' | 'now' | 'id'>) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows, total } = await store.pageOfCampaigns(tx, {
          ...asked,
          since: await since30(tx, ctx),
          now: clock.now(),
        });
        const moneyFor = await moneyOf(tx, ctx, rows);
        const targets = await rowTargetsOf(
          tx,
          rows.filter((row) => isSearch(row.module)).map((row) => row.id),
        );
        const moreOf = await extras.of(tx, ctx, rows);
        const brand = ctx.tenant.companyName;
        const reasonFor = await reasonsOf(tx, ctx, rows);
        return {
          rows: rows.map((row) =>
            wire(row, moneyFor(row.id), moreOf(row.id), brand, reasonFor(row), null, targets.get(row.id)),
          ),
          total,
        };
      }),

    /** A campaign that brings leads. @throws Refusal 404 */
    get: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if ((await store.campaignById(tx, id))?.module === 'simplifi') return missing();
        return one(tx, ctx, id);
      }),

    /** Campaigns for programs: by cursor, and as they are stored. */
    reads: {
      /** The next campaigns after a position, the newest first, and the position of the last one if there are more. */
      after: (
        ctx: Ctx,
        asked: Parameters<typeof store.nextCampaigns>[1],
        after: store.Place | null,
        limit: number,
      ) =>
        inScope(db.app, ctx.scope, async (tx) => {
          const found = await store.nextCampaigns(tx, asked, after, limit + 1);
          const shown = found.slice(0, limit);
          const last = shown.at(-1);
          return {
            rows: await priced(tx, ctx, shown),
            end:
              found.length > limit && last
                ? { at: asked.changedSince ? last.updated_at : last.created_at, id: last.id }
                : null,
          };
        }),

      /** One campaign, with what it looks for. @throws Refusal 404 */
      one: (ctx: Ctx, id: string) =>
        inScope(db.app, ctx.scope, async (tx) => {
          const found = (await store.campaignById(tx, id)) ?? missing();
          if (found.module === 'simplifi') return missing();
          const [row] = await priced(tx, ctx, [found]);
          return { ...row!, target: (await targetsOf(tx, [id])).get(id) ?? null };
        }),
    },

    /** Hosts that are not sites of the campaign and whose visits were refused in the last week. */
    foreignHosts: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = (await store.campaignById(tx, id)) ?? missing();
        const sites = sitesOfRow(row);
        return (await store.foreignHosts(tx, id, since7())).filter(({ host }) => !isSite(sites, host));
      }),

    refusals: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await store.campaignById(tx, id))) return missing();
        return store.refusalsOf(tx, id, await since30(tx, ctx));
      }),
  };
}
