import type { z } from 'zod';
import type { InformationField } from '../../../../contract/audience/enrichment-fields.ts';
import {
  type LeadTextName,
  leadTexts,
  leadTextsOf,
  ofLeadDetails,
  ofLeadTexts,
  PERSON_TEXTS,
} from '../../../../contract/audience/person-texts.ts';
import type { LeadDelivery } from '../../../../contract/campaigns/destinations.ts';
import type {
  Alternative,
  Evidence,
  LeadFilter,
  LeadSignal,
  ScorePreview,
} from '../../../../contract/campaigns/leads.ts';
import { MATCH_KINDS, matchKindOf } from '../../../../contract/campaigns/leads.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { dollarsOf } from '../../../../contract/primitives.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { CompanyNetworks } from '../../../platform/company-network.ts';
import { CSV_BOM, csvLine } from '../../../platform/csv.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { MOST_ROWS } from '../../../platform/http/csv-file.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Settings } from '../../accounts/settings/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { type Enrichment, withNames } from '../../audience/enrichment/index.ts';
import type { Exclusions } from '../../audience/exclusions/index.ts';
import type { People } from '../../audience/people/index.ts';
import type { Billing } from '../../money/billing/index.ts';
import type { Retention } from '../../operations/retention/index.ts';
import type { Campaigns } from '../campaigns/index.ts';
import type { Customers } from '../customers/index.ts';
import type { Visits } from '../visits/index.ts';
import { createAccept } from './accept.ts';
import { eraseContacts, leadsAbout, oldContacts } from './erase.store.ts';
import { stepOf } from './journey.policy.ts';
import { journeyOf } from './journey.store.ts';
import { createOutsideFilter } from './outside.ts';
import { sourceShown } from './policy.ts';
import { createPreview } from './preview.ts';
import { clientScope, createReads } from './read.service.ts';
import { createResolver } from './resolve.ts';
import { scoreShown } from './score.policy.ts';
import { createScores } from './score.service.ts';
import * as store from './store.ts';
import { createWithheld } from './withheld.ts';

type Filter = Inside<z.output<typeof LeadFilter>>;
type Row = Awaited<ReturnType<typeof store.pageOfLeads>>['rows'][number];
const EXPORT_STEP = 1000;
const TEST_EVERY_MS = 60_000;
/** Test leads of one company a minute, over all its campaigns. */
const MOST_TESTS = 10;
/** The person of a test lead. */
const TEST_PERSON = {
  ...Object.fromEntries(leadTexts.map(({ name, test }) => [name, test])),
  email: 'test.lead@example.com',
  phone: '+12025550123',
};

const isName = (name: string) => PERSON_TEXTS[name as LeadTextName].group === 'Name';
/** Names come before the address and numbers of a person in files, everything else after them. */
const [NAMES, OTHERS] = [
  leadTexts.filter(({ name }) => isName(name)),
  leadTexts.filter(({ name }) => !isName(name)),
];

const EXPORT_HEAD = [
  'Date',
  'Campaign ID',
  'Campaign',
  'Client',
  ...NAMES.map(({ exported }) => exported),
  'Email',
  'Phone',
  'Phone 2',
  ...OTHERS.map(({ exported }) => exported),
  'Page',
  'Referrer',
  'Match',
  'Confidence',
  'Phone Do Not Call',
  'Phone Scrubbed',
  'Phone Scrub Source',
  'Phone 2 Do Not Call',
  'Phone 2 Scrubbed',
  'Phone 2 Scrub Source',
  'Score',
  'Price (USD)',
  'Test',
];
/** The day since which a number has been marked; 'yes' if its mark was withdrawn after the sale. */
const markCell = (isMarked: boolean, at: Date | null): string | null =>
  isMarked ? (dayCell(at) ?? 'yes') : null;
const dayCell = (at: Date | null): string | null => at?.toISOString().slice(0, 10) ?? null;

const exportCells = (row: Row) => [
  row.created_at.toISOString(),
  String(row.number),
  row.campaign_name,
  row.client_name,
  ...NAMES.map(({ name }) => row[name]),
  row.email,
  row.phone,
  row.phone2,
  ...OTHERS.map(({ name }) => row[name]),
  row.page_url,
  row.referrer,
  matchType(row.match_kind),
  String(row.confidence),
  markCell(row.phone_dnc, row.phone_dnc_at),
  dayCell(row.phone_scrubbed_at),
  sourceShown(row.phone_scrub_source),
  markCell(row.phone2_dnc, row.phone2_dnc_at),
  dayCell(row.phone2_scrubbed_at),
  sourceShown(row.phone2_scrub_source),
  row.score === null ? null : String(row.score),
  dollarsOf(row.price_micros),
  row.is_test ? 'T' : 'F',
];

/** What an export shows for an excluded person. */
const NOBODY = {
  ...ofLeadTexts(() => null),
  first_name: '(excluded)',
  email: null,
  phone: null,
  phone2: null,
  phone_dnc: false,
  phone2_dnc: false,
  phone_scrubbed_at: null,
  phone_scrub_source: null,
  phone2_scrubbed_at: null,
  phone2_scrub_source: null,
  score: null,
  page_url: null,
  referrer: null,
};

const matchType = (kind: number) => MATCH_KINDS[kind as keyof typeof MATCH_KINDS];

/** The heading of a data field's column, distinct from those of all other columns. */
const headOf = (field: InformationField) => `Data: ${field.name}`;

/** The export columns included in files that are sent to people: all but a lead's cost and whether it is a test. */
const REPORT_COLUMNS = EXPORT_HEAD.length - 2;

export type Leads = ReturnType<typeof createLeads>;

/** Leads: how they are created, and how they are shown. */
export function createLeads(
  platform: Platform,
  deps: {
    tenants: Tenants;
    audit: Audit;
    campaigns: Campaigns;
    exclusions: Exclusions;
    customers: Customers;
    people: People;
    enrichment: Enrichment;
    billing: Billing;
    settings: Settings;
    visits: Visits;
    networks: CompanyNetworks;
    retention: Retention;
  },
) {
  const { db } = platform;
  const scores = createScores(platform, deps);
  const erase = async (tx: Tx, ids: readonly string[]): Promise<void> => {
    await eraseContacts(tx, ids);
    await store.changedLeads(tx, [...ids], platform.clock.now());
  };
  deps.retention.keep('leads', {
    of: 'root',
    count: async (tx, rootId, before, most) => (await oldContacts(tx, rootId, before, most)).length,
    async remove(tx, rootId, before, most) {
      const ids = await oldContacts(tx, rootId, before, most);
      await erase(tx, ids);
      return ids.length;
    },
  });
  platform.events.on('leads.completed', (tx, { leadIds }) =>
    store.changedLeads(tx, leadIds, platform.clock.now()),
  );
  const accept = createAccept(platform, { ...deps, scores });
  const resolver = createResolver(platform, { ...deps, accept });
  const { withheld, withheldIn, mayWithhold, excludedSince } = createWithheld(platform, deps);

  /** A filter's days, in the company's time zone, as instants. */
  async function resolved(tx: Tx, ctx: Ctx, filter: Filter): Promise<Omit<store.LeadList, 'sort' | 'order'>> {
    const company = await deps.tenants.company(tx, filter.company_id ?? ctx.actor.companyId);
    const zone = company?.time_zone ?? 'America/Chicago';
    const start = (day: string, plus: number): Date =>
      new Date(
        Temporal.PlainDate.from(day).add({ days: plus }).toZonedDateTime({ timeZone: zone })
          .epochMilliseconds,
      );
    return {
      campaignId: filter.campaign_id,
      companyId: filter.company_id,
      module: filter.module,
      from: filter.starts_on ? start(filter.starts_on, 0) : undefined,
      before: filter.ends_on ? start(filter.ends_on, 1) : undefined,
      search: filter.search,
      minScore: filter.min_score,
      matchKind: filter.match && matchKindOf(filter.match),
      kind: filter.kind,
      ad:
        filter.ad_campaign_id ||
        filter.ad_creative_id ||
        filter.ad_place ||
        filter.ad_way ||
        filter.ad_from ||
        filter.ad_to
          ? {
              campaignId: filter.ad_campaign_id,
              creativeId: filter.ad_creative_id,
              place: filter.ad_place,
              way: filter.ad_way,
              from: filter.ad_from ? start(filter.ad_from, 0) : undefined,
              before: filter.ad_to ? start(filter.ad_to, 1) : undefined,
            }
          : undefined,
    };
  }

  const wire = (row: Row, delivery: LeadDelivery) => ({
    id: row.id,
    campaign_id: row.campaign_id,
    campaign_number: Number(row.number),
    campaign_name: row.campaign_name,
    company_name: row.client_name,
    first_name: row.first_name,
    last_name: row.last_name,
    email: row.email,
    phone: row.phone,
    phone_dnc: row.phone_dnc,
    phone_dnc_at: row.phone_dnc_at?.toISOString() ?? null,
    phone_scrubbed_at: row.phone_scrubbed_at?.toISOString() ?? null,
    phones_withheld: row.phones_withheld,
    city: row.city,
    state: row.state,
    page_url: row.page_url,
    match_type: matchType(row.match_kind),
    confidence: row.confidence,
    company: row.company_domain === null ? null : row.company_name,
    company_domain: row.company_domain,
    score: row.score,
    price_micros: Number(row.price_micros),
    is_test: row.is_test,
    created_at: row.created_at.toISOString(),
    converted_at: row.converted_at?.toISOString() ?? null,
    delivery,
  });

  /** All leads of a list by date, a batch at a time. */
  async function* byDate(ctx: Ctx, asked: store.LeadList): AsyncGenerator<Row[]> {
    let after: { at: Date; id: string } | null = null;
    for (;;) {
      const rows: Row[] = await inScope(db.app, ctx.scope, (tx) =>
        store.nextOfExport(tx, asked, after, EXPORT_STEP),
      );
      yield rows;
      const end = rows.at(-1);
      if (!end || rows.length < EXPORT_STEP) return;
      after = { at: end.created_at, id: end.id };
    }
  }

  /** Leads by their ids, a batch at a time. */
  async function* byIds(ctx: Ctx, ids: string[]): AsyncGenerator<Row[]> {
    for (let at = 0; at < ids.length; at += EXPORT_STEP) {
      const some = ids.slice(at, at + EXPORT_STEP);
      yield await inScope(db.app, ctx.scope, (tx) => store.leadsByIds(tx, some));
    }
  }

  /** For people who have since been put on an exclusion list, only the sale is included. */
  async function* linesOf(
    ctx: Ctx,
    steps: AsyncGenerator<Row[]>,
    fields: readonly InformationField[],
  ): AsyncGenerator<string> {
    yield csvLine([...EXPORT_HEAD, ...fields.map(headOf)]);
    for await (const rows of steps) {
      const ids = rows.map((row) => row.id);
      const excluded = await withheld(ctx.scope.rootId, ids);
      const data =
        fields.length > 0
          ? await inScope(db.app, ctx.scope, (tx) => deps.enrichment.dataOf(tx, ids))
          : undefined;
      for (const row of rows) {
        const isOut = excluded.has(row.id);
        const values = isOut ? undefined : data?.get(row.id);
        yield csvLine([
          ...exportCells(isOut ? { ...row, ...NOBODY } : row),
          ...fields.map((field) => values?.[field.key] ?? null),
        ]);
      }
    }
  }

  return {
    accept,
    scores,
    resolver,
    withheldIn,
    withheld,
    excludedSince,
    outsideFilter: createOutsideFilter(deps),
    reads: createReads(platform, deps, { withheld, mayWithhold }),
    preview: createPreview(deps),

    /**
     * Returns the confidence below which matches of a company's campaigns are not billed, as set by its agency; 0 for a
     * root.
     * @throws Refusal 404
     */
    least: async (ctx: Ctx, companyId: string | undefined): Promise<number> => {
      const company = await inScope(db.app, ctx.scope, (tx) =>
        deps.tenants.company(tx, companyId ?? ctx.actor.companyId),
      );
      if (!company) throw new Refusal('not_found', ownMessages.notFound);
      const { root_id: rootId, agency_id: agencyId } = company;
      if (!agencyId) return 0;
      // A client sees the value that applies to it, and nothing else of its agency's settings.
      const set = await inScope(db.app, { rootId, agencyId }, (tx) =>
        deps.settings.leastConfidence(tx, [agencyId]),
      );
      return set.get(agencyId) ?? 0;
    },

    list: async (
      ctx: Ctx,
      filter: Filter,
      asked: { sort: store.LeadList['sort']; order: 'asc' | 'desc'; limit: number; offset: number },
    ) => {
      const { scope, given } = await inScope(db.app, ctx.scope, async (tx) => ({
        scope:
          (await clientScope(tx, deps.tenants, {
            campaignId: filter.campaign_id,
            companyId: filter.company_id,
          })) ?? ctx.scope,
        given: await resolved(tx, ctx, filter),
      }));
      return inScope(db.app, scope, async (tx) => {
        const { rows, total } = await store.pageOfLeads(
          tx,
          { ...given, sort: asked.sort, order: asked.order },
          asked.limit,
          asked.offset,
        );
        const states = await store.deliveryStates(
          tx,
          rows.map((row) => row.id),
        );
        return { rows: rows.map((row) => wire(row, states.get(row.id) ?? 'none')), total };
      });
    },

    /**
     * What other weights would make of the scores of a campaign's newest leads; what is omitted stays as it is.
     * @throws Refusal 404
     */
    previewScores: async (ctx: Ctx, { campaign_id, ...given }: Inside<z.output<typeof ScorePreview>>) => {
      const row = await inScope(db.app, ctx.scope, (tx) => deps.campaigns.rulesOf(tx, [campaign_id]));
      const rules = row.get(campaign_id);
      if (!rules) throw new Refusal('not_found', ownMessages.notFound);
      return scores.preview(ctx, campaign_id, { ...rules, ...given });
    },

    /** A page of what happened around a lead, the newest first. @throws Refusal 404 */
    async journey(ctx: Ctx, id: string, asked: { limit: number; offset: number }) {
      const lead = await inScope(db.app, ctx.scope, (tx) => store.leadOfJourney(tx, id));
      if (!lead) throw new Refusal('not_found', ownMessages.notFound);
      const { root_id: rootId, person_id: personId } = lead;
      // Only the root's scope sees the graph; from it, a journey shows when and why someone was merged, not with whom.
      const { group, merges } = personId
        ? await inScope(db.app, { rootId }, (tx) => deps.people.mergesAbout(tx, rootId, personId))
        : { group: [], merges: [] };
      return inScope(db.app, ctx.scope, async (tx) => {
        const { rows, total } = await journeyOf(tx, lead, { people: group, merges }, asked);
        return { steps: rows.map(stepOf), total };
      });
    },

    get: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await store.leadById(tx, id);
        if (!row) throw new Refusal('not_found', ownMessages.notFound);
        const deliveries = await store.deliveriesOf(tx, id);
        const data = await deps.enrichment.dataOf(tx, [id]);
        const states = await store.deliveryStates(tx, [id]);
        const evidence = row.evidence as {
          keys?: Inside<z.output<typeof Evidence>>[];
          alternatives?: number;
          others?: Inside<z.output<typeof Alternative>>[];
          visited_at?: string;
          signals?: Inside<z.output<typeof LeadSignal>>[];
          signal_count?: number;
        };
        const told = (key: Inside<z.output<typeof Evidence>>) =>
          ctx.actor.kind === 'root' ? key : { ...key, source: sourceShown(key.source)! };
        return {
          ...wire(row, states.get(id) ?? 'none'),
          phone2: row.phone2,
          phone2_dnc: row.phone2_dnc,
          phone2_dnc_at: row.phone2_dnc_at?.toISOString() ?? null,
          phone2_scrubbed_at: row.phone2_scrubbed_at?.toISOString() ?? null,
          phone_scrub_source:
            ctx.actor.kind === 'root' ? row.phone_scrub_source : sourceShown(row.phone_scrub_source),
          phone2_scrub_source:
            ctx.actor.kind === 'root' ? row.phone2_scrub_source : sourceShown(row.phone2_scrub_source),
          ...ofLeadDetails((name) => row[name]),
          information: withNames(data.get(id)),
          referrer: row.referrer,
          ip: row.ip,
          score_reasons: row.score_details?.reasons ?? [],
          evidence: (evidence.keys ?? []).map(told),
          alternatives: evidence.alternatives ?? 0,
          others: (evidence.others ?? []).map((other) => ({ ...other, keys: other.keys.map(told) })),
          signals: evidence.signals ?? [],
          signal_count: evidence.signal_count ?? 0,
          visited_at: evidence.visited_at ?? null,
          deliveries,
        };
      }),

    /**
     * Creates a test lead for a campaign, whatever the campaign's state: it goes to every webhook and is marked
     * wherever it is shown.
     * @throws Refusal 429 within a minute of the last one
     */
    sendTest: (ctx: Ctx, campaignId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        // Locked, so that of two concurrent requests one sees the other's.
        const [campaign] = await deps.campaigns.lock(tx, [campaignId]);
        if (!campaign || campaign.state === 'removed') throw new Refusal('not_found', ownMessages.notFound);
        const now = platform.clock.now();
        const last = await store.lastTestAt(tx, campaignId, new Date(now.getTime() - TEST_EVERY_MS));
        if (last)
          throw new Refusal('too_many', messages.testOncePerMinute, {
            retryAfter: Math.max(1, Math.ceil((last.getTime() + TEST_EVERY_MS - now.getTime()) / 1000)),
          });
        const { root_id, agency_id, company_id } = campaign;
        // They are free, and take the same way as leads.
        const since = new Date(now.getTime() - TEST_EVERY_MS);
        if ((await store.testsSince(tx, company_id, since)) >= MOST_TESTS)
          throw new Refusal('too_many', messages.testOncePerMinute, { retryAfter: TEST_EVERY_MS / 1000 });
        const owner = { root_id, agency_id, company_id };
        const id = newId(now);
        await store.insertTestLead(
          tx,
          { id, ...owner, campaign_id: campaignId, created_at: now },
          { ...TEST_PERSON, page_url: campaign.site_url },
        );
        await deps.enrichment.keepSample(tx, {
          leadId: id,
          owner,
          campaignId,
          asked: [...campaign.advance_information, ...campaign.b2b_information],
        });
        await platform.events.emit(tx, 'leads.accepted', {
          leads: [{ id, campaignId, owner }],
          isTest: true,
        });
        await deps.audit.record(tx, ctx, {
          action: 'campaign.test_lead',
          objectKind: 'campaign',
          objectId: campaignId,
          description: `Sent a test lead through campaign #${campaign.number} ${campaign.name}`,
          owner,
        });
        return { lead_id: id, webhooks: await store.deliveriesCount(tx, id) };
      }),

    /** A root's leads of these people or with this address, with all that they say about them; in the root's scope. */
    about: leadsAbout,
    /** Deletes what these leads say about their people, so that nothing of it is shown, sent, or exported anymore. */
    erase,

    /** Keeps that something else that leads show has changed, such as what came of their deliveries. */
    changed: (tx: Tx, ids: readonly (string | null | undefined)[]): Promise<void> =>
      store.changedLeads(
        tx,
        [...new Set(ids)].filter((id) => id != null),
        platform.clock.now(),
      ),

    /**
     * Leads of made-up people for a campaign of a sandbox: like those that were found, but free. `isTold`: whether they
     * are delivered. Returns their ids.
     */
    async makeUp(
      tx: Tx,
      { id: campaignId, owner }: { id: string; owner: Owner & { agency_id: string } },
      made: { at: Date; contact: Parameters<typeof store.insertTestLead>[2] }[],
      isTold = false,
    ): Promise<string[]> {
      const rows = made.map(({ at, contact }) => ({ id: newId(at), at, contact }));
      const of = { ...owner, campaign_id: campaignId };
      await store.insertLeads(
        tx,
        rows.map(({ id, at }) => ({
          id,
          ...of,
          match_kind: 1,
          confidence: 100,
          evidence: '{}',
          price_micros: 0n,
          cost_micros: 0n,
          created_at: at,
        })),
        rows.map(({ id, at, contact }) => ({ ...contact, lead_id: id, ...of, created_at: at })),
      );
      if (isTold)
        await platform.events.emit(tx, 'leads.accepted', {
          leads: rows.map(({ id }) => ({ id, campaignId, owner })),
          isTest: false,
        });
      return rows.map(({ id }) => id);
    },

    /**
     * The filtered leads as CSV lines in the list's order, read in steps: any number by date; in any other order only
     * as many as have ids that fit in memory. `chosen`: only these, in this order.
     * @throws Refusal 422 for more
     */
    async exportLines(
      ctx: Ctx,
      filter: Filter,
      sort: store.LeadList['sort'] = 'created_at',
      order: 'asc' | 'desc' = 'desc',
      chosen?: string[],
    ): Promise<AsyncGenerator<string>> {
      const asked = await inScope(db.app, ctx.scope, async (tx) => ({
        ...(await resolved(tx, ctx, filter)),
        sort,
        order,
      }));
      const ids =
        chosen ??
        (sort === 'created_at'
          ? undefined
          : await inScope(db.app, ctx.scope, (tx) => store.idsOfExport(tx, asked, MOST_ROWS + 1)));
      if (ids && ids.length > MOST_ROWS) throw new Refusal('invalid', ownMessages.tooMuchToExport(MOST_ROWS));
      const fields = await inScope(db.app, ctx.scope, (tx) => deps.enrichment.everGiven(tx, asked));
      return linesOf(ctx, ids ? byIds(ctx, ids) : byDate(ctx, asked), fields);
    },

    /**
     * Returns the leads of a campaign in [from, before) as a CSV file to send to people, without costs and test leads,
     * oldest first; `count` is how many there are, even if the file stops after `most`. Null if there are none. For
     * people who have since been put on an exclusion list, only shows that there was a lead. Runs in the root's scope.
     */
    async report(
      tx: Tx,
      rootId: string,
      campaignId: string,
      span: { from: Date; before: Date },
      most: number,
    ): Promise<{ text: string; count: number; named: string[] } | null> {
      const { rows, count } = await store.leadsBetween(tx, campaignId, span, most);
      if (count === 0) return null;
      const ids = rows.map((row) => row.id);
      const excluded = await withheldIn(tx, rootId, ids);
      const fields = await deps.enrichment.everGiven(tx, { campaignId });
      const data = await deps.enrichment.dataOf(tx, ids);
      const lines = rows.map((row) => {
        const isOut = excluded.has(row.id);
        const values = isOut ? undefined : data.get(row.id);
        return csvLine([
          ...exportCells(isOut ? { ...row, ...NOBODY } : row).slice(0, REPORT_COLUMNS),
          ...fields.map((field) => values?.[field.key] ?? null),
        ]);
      });
      const head = csvLine([...EXPORT_HEAD.slice(0, REPORT_COLUMNS), ...fields.map(headOf)]);
      const named = ids.filter((id) => !excluded.has(id));
      return { text: CSV_BOM + head + lines.join(''), count, named };
    },

    /** Whether a campaign has leads since an instant, other than tests. */
    anySince: store.anySince,

    /** The newest leads of a campaign, without tests. */
    newest: store.newestOf,

    /** Leads as sent by webhooks (contract/campaigns/delivery.ts, LeadMessage.data), by id. */
    async message(tx: Tx, ids: string[]) {
      const rows = await store.leadsByIds(tx, ids);
      const data = await deps.enrichment.dataOf(tx, ids);
      return new Map(
        rows.map((row) => [
          row.id,
          {
            id: row.id,
            test: row.is_test,
            campaign: { id: Number(row.number), name: row.campaign_name, type: row.module as 'local' },
            person: {
              ...leadTextsOf(row),
              email: row.email,
              phone: row.phone,
              phone_dnc: row.phone_dnc,
              phone_dnc_at: row.phone_dnc_at?.toISOString() ?? null,
              phone_scrubbed_at: row.phone_scrubbed_at?.toISOString() ?? null,
              phone_scrub_source: sourceShown(row.phone_scrub_source),
              phone2: row.phone2,
              phone2_dnc: row.phone2_dnc,
              phone2_dnc_at: row.phone2_dnc_at?.toISOString() ?? null,
              phone2_scrubbed_at: row.phone2_scrubbed_at?.toISOString() ?? null,
              phone2_scrub_source: sourceShown(row.phone2_scrub_source),
            },
            information: data.get(row.id) ?? {},
            visit: { page_url: row.page_url, referrer: row.referrer },
            match: { type: matchType(row.match_kind), confidence: row.confidence },
            score: scoreShown(row),
            created_at: row.created_at.toISOString(),
          },
        ]),
      );
    },
  };
}
