import type { z } from 'zod';
import { leadTextsOf } from '../../../../contract/audience/person-texts.ts';
import type { LeadSignal } from '../../../../contract/campaigns/leads.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Network } from '../../../platform/company-network.ts';
import { onCommit, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Settings } from '../../accounts/settings/index.ts';
import type { Enrichment } from '../../audience/enrichment/index.ts';
import type { Exclusions, Identity } from '../../audience/exclusions/index.ts';
import type { Match, People } from '../../audience/people/index.ts';
import type { Billing, SaleRefusal } from '../../money/billing/index.ts';
import { type Campaigns, limitSince } from '../campaigns/index.ts';
import type { Customers } from '../customers/index.ts';
import { companyCandidate, companyStanding, companyTexts } from './company.policy.ts';
import { type FitFacts, fitOf } from './fit.policy.ts';
import { READ_APART_MS } from './journey.policy.ts';
import {
  dayIn,
  isAboutPerson,
  leadPhones,
  type Refused,
  reachesGoal,
  refusal,
  type Standing,
} from './policy.ts';
import type { Scores } from './score.service.ts';
import * as store from './store.ts';

/** How a company's network is kept as a match (contract/campaigns/leads.ts, MATCH_KINDS). */
const COMPANY_KIND = 10;

/** A person recognized for a campaign: the visitor behind a visit, or the person who showed an intent. */
export interface Recognized {
  ref: number;
  campaignId: string;
  receivedAt: Date;
  /** The email hash that came with it: the person behind it may be excluded while someone else is recognized. */
  hash?: { kind: number; value: Buffer } | undefined;
  /** The visit; null if it was intent signals. */
  visit: {
    day: string;
    eventId: string;
    url: string | null;
    referrer: string | null;
    ip: string | null;
    /** The event type, as reported by the pixel: view (also the default), identify, thanks. */
    event?: string;
  } | null;
  match: Omit<Match, 'kind'> & { kind: number };
  /** The newest intent signals, as contract/campaigns/leads.ts shows them, and their total count. */
  signals?: { shown: Inside<z.input<typeof LeadSignal>>[]; count: number };
}

/** A visit from a company's network, whose person is not known or may not be. */
export interface FromCompany {
  ref: number;
  campaignId: string;
  receivedAt: Date;
  visit: { day: string; eventId: string; url: string | null; referrer: string | null };
  network: Network;
}

/**
 * The outcome of a recognized visit: a lead with its price and cost in micro-dollars, or the first rule that refused
 * it.
 */
export type Outcome = { lead: string; priceMicros: bigint; costMicros: bigint } | { refused: Refused };

/**
 * Decides on recognized people and companies of one root and creates a lead for each one that passes every rule: the lead, its
 * contact, both sides of the money, and the events for the features above, all in the caller's transaction. Returns the
 * outcomes by `ref`.
 */
export function createAccept(
  platform: Platform,
  deps: {
    campaigns: Campaigns;
    exclusions: Exclusions;
    customers: Customers;
    people: People;
    enrichment: Enrichment;
    billing: Billing;
    settings: Settings;
    scores: Scores;
  },
) {
  const { events, metrics } = platform;
  const accepted = metrics.counter('platform_leads_accepted_total', 'Leads accepted, tests not counted', [
    'kind',
  ]);
  const { campaigns, exclusions, customers, people, enrichment, billing, settings, scores } = deps;

  return async function accept(
    tx: Tx,
    rootId: string,
    visits: Recognized[],
    now: Date,
    companies: readonly FromCompany[] = [],
  ): Promise<Map<number, Outcome>> {
    const outcomes = new Map<number, Outcome>();
    if (visits.length + companies.length === 0) return outcomes;
    const rows = await campaigns.lock(tx, [...new Set([...visits, ...companies].map((v) => v.campaignId))]);
    // Runs after the locks are taken: two people merged since they were recognized count as one from here on.
    const known = await people.people(tx, rootId, [...new Set(visits.map((v) => v.match.personId))]);
    const oneOf = new Map([...known.values()].flatMap((one) => one.members.map((id) => [id, one.id])));
    const marked = await people.markedPhones(
      tx,
      rootId,
      [...known.values()].flatMap(({ phone, phone2 }) => [phone, phone2].flatMap((one) => one ?? [])),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    // The costs in effect now: a change of costs never affects earlier sales.
    const saleOf = await billing.selling(tx, rows, now);
    const supplierOf = new Map<string, bigint>();
    for (const module of new Set(rows.map((row) => row.module)))
      supplierOf.set(module, await billing.supplierCost(tx, rootId, module, now));
    const till = await billing.openTill(
      tx,
      rows.map((row) => ({ id: row.id, rootId, agencyId: row.agency_id, clientId: row.company_id })),
      now,
    );
    const zones = await campaigns.timeZones(tx, [...new Set(rows.map((row) => row.company_id))]);
    const zoneOf = (companyId: string): string => zones.get(companyId) ?? 'America/Chicago';
    const limits = new Map(rows.map((row) => [row.id, limitSince(row, now, zoneOf(row.company_id))]));
    const counted = await campaigns.leadsSince(
      tx,
      rows.flatMap((row) => {
        const since = limits.get(row.id);
        return since ? [{ campaignId: row.id, since, most: row.daily_cap! }] : [];
      }),
    );
    const leastBilled = await settings.leastConfidence(tx, [...new Set(rows.map((row) => row.agency_id))]);
    const standings = new Map<string, Standing>(
      rows.map((row) => [
        row.id,
        {
          // A company that was removed buys nothing, whatever its campaigns say.
          state: zones.has(row.company_id) ? row.state : 'removed',
          rules: row,
          fit: fitOf(row),
          leastBilled: leastBilled.get(row.agency_id) ?? 0,
          startsOn: row.starts_on,
          endsOn: row.ends_on,
          leadLimit: limits.get(row.id) ? row.daily_cap : null,
          leadsCounted: counted.get(row.id) ?? 0,
          priceMicros: saleOf(row.id).priceMicros,
          balanceMicros: saleOf(row.id).isOwed ? null : till.balance(row.id),
        },
      ]),
    );
    const profiles = await people.profilesAmong(
      tx,
      rootId,
      new Map(
        visits.flatMap((v) => {
          const person = standings.get(v.campaignId)?.fit ? known.get(v.match.personId) : undefined;
          return person ? [[v.match.personId, person]] : [];
        }),
      ),
    );
    /** What a campaign's filter looks at. */
    const factsOf = ({ match }: Recognized): FitFacts => {
      const person = known.get(match.personId);
      return {
        ...profiles.get(match.personId),
        state: person?.state ?? null,
        zip: person?.zip ?? null,
      };
    };
    const earlier = await store.lastLeads(
      tx,
      visits.flatMap((v) => {
        const campaign = byId.get(v.campaignId);
        const members = known.get(v.match.personId)?.members ?? [];
        return campaign ? members.map((personId) => ({ companyId: campaign.company_id, personId })) : [];
      }),
    );
    const pairOf = (campaignId: string, personId: string): string => `${campaignId}/${personId}`;
    const converted = new Set(
      (
        await store.conversions(
          tx,
          visits.flatMap((v) =>
            (known.get(v.match.personId)?.members ?? []).map((personId) => ({
              campaignId: v.campaignId,
              personId,
            })),
          ),
        )
      ).map((row) => pairOf(row.campaign_id, oneOf.get(row.person_id)!)),
    );
    const pages = await store.pagesViewed(
      tx,
      [...visits, ...companies].flatMap(({ ref, campaignId, visit }) =>
        visit && (byId.get(campaignId)?.min_pages ?? 1) > 1
          ? [{ ref, day: visit.day, eventId: visit.eventId }]
          : [],
      ),
    );
    const goals: Parameters<typeof store.addConversions>[1] = [];
    // company/person -> campaign -> when; updated as the batch goes on, so that a batch can't take the same person
    // twice.
    const last = new Map<string, Map<string, Date>>();
    // company/person/campaign -> their newest lead there, from before this batch.
    const leadOf = new Map<string, (typeof earlier)[number]>();
    for (const row of earlier) {
      const key = `${row.company_id}/${oneOf.get(row.person_id)}`;
      const here = last.get(key) ?? new Map<string, Date>();
      const known = here.get(row.campaign_id);
      if (known && known > row.at) continue;
      last.set(key, here.set(row.campaign_id, row.at));
      leadOf.set(`${key}/${row.campaign_id}`, row);
    }
    const identities = visits.map((v): Identity => {
      const campaign = byId.get(v.campaignId);
      const person = known.get(v.match.personId);
      return {
        owners: campaign ? [rootId, campaign.agency_id, campaign.company_id, campaign.id] : [],
        sha256: person?.sha256 ?? [],
        md5: person?.md5 ?? [],
        sha1: person?.sha1 ?? [],
        phones: person?.phones ?? [],
        emails: person?.emails ?? [],
        seen: v.hash ?? null,
      };
    });
    const verdicts = await exclusions.check(tx, identities);
    const knownCustomers = await customers.among(tx, identities);
    const customersSeen: Parameters<Customers['seen']>[1][number][] = [];

    const taken: {
      visit: Recognized;
      id: string;
      campaign: (typeof rows)[number];
      priceMicros: bigint;
      costMicros: bigint;
    }[] = [];
    // Campaigns that cannot take another lead, and why.
    const stopped = new Map<string, SaleRefusal>();
    // Leads whose people are here again, and when: they are scored again.
    const seenAgain = new Map<
      string,
      { at: Date; lead: (typeof earlier)[number]; campaign: (typeof rows)[number]; pages: string[] }
    >();
    const ownerOf = (campaign: (typeof rows)[number]) => ({
      root_id: rootId,
      agency_id: campaign.agency_id,
      company_id: campaign.company_id,
    });
    visits.forEach((visit, i) => {
      const campaign = byId.get(visit.campaignId);
      const standing = standings.get(visit.campaignId);
      const person = known.get(visit.match.personId);
      if (!campaign || !standing || !person) {
        outcomes.set(visit.ref, { refused: 'inactive' });
        return;
      }
      const key = `${campaign.company_id}/${person.id}`;
      const here = last.get(key) ?? new Map<string, Date>();
      const elsewhere = [...here].filter(([id]) => id !== campaign.id).map(([, at]) => at);
      const { priceMicros, costMicros, excessMicros, isOwed } = saleOf(campaign.id);
      const id = newId(now);
      const sale = {
        id,
        rootId,
        agencyId: campaign.agency_id,
        clientId: campaign.company_id,
        campaignId: campaign.id,
        priceMicros,
        costMicros,
        excessMicros,
        supplierMicros: supplierOf.get(campaign.module) ?? 0n,
        isOwed,
      };
      const pair = pairOf(campaign.id, person.id);
      // People on an exclusion list are not recorded, not even as having bought.
      if (
        visit.visit &&
        verdicts[i] === 'clear' &&
        visit.match.confidence >= campaign.min_confidence &&
        !converted.has(pair) &&
        reachesGoal(visit.visit, campaign.thank_you_url)
      ) {
        converted.add(pair);
        goals.push({
          campaign_id: campaign.id,
          person_id: person.id,
          root_id: rootId,
          agency_id: campaign.agency_id,
          company_id: campaign.company_id,
          converted_at: visit.receivedAt,
        });
      }
      const ruled = refusal(
        {
          campaignId: campaign.id,
          companyId: campaign.company_id,
          personId: person.id,
          confidence: visit.match.confidence,
          excluded: verdicts[i]!,
          isCustomer: knownCustomers[i] !== undefined,
          email: person.email,
          phone: leadPhones(person, marked, campaign.dnc_phones).phone,
          address: person.address,
          facts: standing.fit ? factsOf(visit) : undefined,
          pages: pages.get(visit.ref),
          converted: converted.has(pair),
        },
        standing,
        {
          sameCampaign: here.get(campaign.id),
          otherCampaign: elsewhere.sort((a, b) => b.getTime() - a.getTime())[0],
        },
        now,
        dayIn(now, zoneOf(campaign.company_id)),
      );
      // Limits come last: a lead refused by another rule must not trigger any notice about money. Only exclusions and the
      // filter come later, as they tell something about the person.
      const isTelling = ruled !== null && isAboutPerson(ruled);
      const unpaid = ruled === null || ruled === 'balance_empty' || isTelling ? till.refusal(sale) : null;
      if (unpaid) stopped.set(campaign.id, unpaid);
      const refused = isTelling ? (unpaid ?? ruled) : (ruled ?? unpaid);
      const lead = leadOf.get(`${key}/${campaign.id}`);
      const customer = knownCustomers[i];
      if (customer && visit.visit && refused === 'customer')
        customersSeen.push({
          campaignId: campaign.id,
          owner: ownerOf(campaign),
          personId: person.id,
          ...customer,
          url: visit.visit.url,
          at: visit.receivedAt,
        });
      const isKnown = refused === 'seen_recently' || refused === 'converted' || refused === 'customer';
      if (lead && visit.visit && isKnown) {
        const seen = seenAgain.get(lead.lead_id) ?? {
          at: lead.seen_at ?? lead.at,
          lead,
          campaign,
          pages: [],
        };
        if (visit.receivedAt > seen.at) seen.at = visit.receivedAt;
        if (visit.visit.url) seen.pages.push(visit.visit.url);
        seenAgain.set(lead.lead_id, seen);
      }
      if (refused) {
        outcomes.set(visit.ref, { refused });
        return;
      }
      till.take(sale);
      standing.leadsCounted++;
      if (!isOwed) standing.balanceMicros = till.balance(campaign.id);
      const next = till.refusal(sale);
      if (next) stopped.set(campaign.id, next);
      last.set(key, here.set(campaign.id, now));
      taken.push({ visit, id, campaign, priceMicros, costMicros });
      outcomes.set(visit.ref, { lead: id, priceMicros, costMicros });
    });

    const sold = await judgeCompanies();
    await store.addConversions(tx, goals);
    const transfers = await till.settle();
    await customers.seen(tx, customersSeen);
    const { fresh: scored, changed: rescored } = await scores.ofBatch(
      tx,
      new Map([...seenAgain].map(([id, { at, pages, campaign }]) => [id, { at, pages, rules: campaign }])),
      taken.map(({ visit, id, campaign }) => ({
        leadId: id,
        campaignId: campaign.id,
        personId: oneOf.get(visit.match.personId)!,
        visitDay: visit.visit?.day ?? null,
        visitEventId: visit.visit?.eventId ?? null,
        seenAt:
          visit.visit || !visit.signals?.shown[0] ? visit.receivedAt : new Date(visit.signals.shown[0].at),
        rules: campaign,
        signals: visit.visit ? null : (visit.signals ?? null),
        fit: standings.get(campaign.id)?.fit?.count(factsOf(visit)) ?? null,
        known: null,
      })),
      now,
    );
    const seen = [...seenAgain].map(([id, { at, lead, campaign }]) => ({
      id,
      campaignId: campaign.id,
      owner: ownerOf(campaign),
      at,
      hasReturned: at.getTime() - (lead.seen_at ?? lead.at).getTime() > READ_APART_MS,
    }));
    await store.addReturns(
      tx,
      seen.filter(({ hasReturned }) => hasReturned),
    );
    if (seen.length > 0) await events.emit(tx, 'leads.seen', { leads: seen });
    if (taken.length > 0) {
      await store.insertLeads(
        tx,
        taken.map(({ visit, id, campaign, priceMicros, costMicros }) => ({
          id,
          ...ownerOf(campaign),
          campaign_id: campaign.id,
          person_id: oneOf.get(visit.match.personId)!,
          visit_day: visit.visit?.day ?? null,
          visit_event_id: visit.visit?.eventId ?? null,
          match_kind: visit.match.kind,
          confidence: visit.match.confidence,
          evidence: JSON.stringify({
            keys: visit.match.evidence,
            alternatives: visit.match.alternatives,
            others: visit.match.others,
            visited_at: visit.visit ? visit.receivedAt : null,
            ...(visit.signals ? { signals: visit.signals.shown, signal_count: visit.signals.count } : {}),
          }),
          price_micros: priceMicros,
          cost_micros: costMicros,
          transfer_id: transfers.get(id) ?? null,
          created_at: now,
          ...store.scoreColumns(scored.get(id)!),
        })),
        taken.map(({ visit, id, campaign }) => {
          const person = known.get(visit.match.personId)!;
          return {
            lead_id: id,
            ...ownerOf(campaign),
            campaign_id: campaign.id,
            created_at: now,
            ...leadTextsOf(person),
            email: person.email,
            ...leadPhones(person, marked, campaign.dnc_phones),
            page_url: visit.visit?.url ?? visit.signals?.shown[0]?.url ?? null,
            referrer: visit.visit?.referrer ?? null,
            ip: visit.visit?.ip ?? null,
          };
        }),
      );
      const waiting = await enrichment.keep(
        tx,
        rootId,
        taken.map(({ visit, id, campaign }) => ({
          leadId: id,
          owner: ownerOf(campaign),
          campaignId: campaign.id,
          personId: oneOf.get(visit.match.personId)!,
          asked: [...campaign.advance_information, ...campaign.b2b_information],
          dncPhones: campaign.dnc_phones,
        })),
      );
      await events.emit(tx, 'leads.accepted', {
        leads: taken.map(({ id, campaign }) => ({
          id,
          campaignId: campaign.id,
          owner: ownerOf(campaign),
          waitsUntil: waiting.get(id),
        })),
        isTest: false,
      });
    }
    if (sold.length > 0) {
      await store.insertLeads(
        tx,
        sold.map(({ from: { visit, receivedAt, network }, id, campaign, priceMicros, costMicros }) => ({
          id,
          ...ownerOf(campaign),
          campaign_id: campaign.id,
          visit_day: visit.day,
          visit_event_id: visit.eventId,
          match_kind: COMPANY_KIND,
          confidence: 100,
          company_domain: network.domain,
          evidence: JSON.stringify({
            keys: [
              { key: 'company', source: network.source, seen_at: receivedAt, people: 1, confidence: 100 },
            ],
            visited_at: receivedAt,
          }),
          price_micros: priceMicros,
          cost_micros: costMicros,
          transfer_id: transfers.get(id) ?? null,
          created_at: now,
        })),
        // Without the visitor's address, which would be all that is known about a person who is not named.
        sold.map(({ from: { visit, network }, id, campaign }) => ({
          lead_id: id,
          ...ownerOf(campaign),
          campaign_id: campaign.id,
          created_at: now,
          ...companyTexts(network),
          page_url: visit.url,
          referrer: visit.referrer,
        })),
      );
      await events.emit(tx, 'leads.accepted', {
        leads: sold.map(({ id, campaign }) => ({ id, campaignId: campaign.id, owner: ownerOf(campaign) })),
        isTest: false,
      });
    }
    onCommit(tx, () => {
      accepted.inc({ kind: 'person' }, taken.length);
      accepted.inc({ kind: 'company' }, sold.length);
    });
    const returned = seen.flatMap(({ id, hasReturned }) => (hasReturned ? [id] : []));
    const bought = await store.leadsOfPeople(tx, goals);
    await store.changedLeads(tx, [...new Set([...rescored, ...returned, ...bought])], now);
    for (const row of rows) {
      const why = stopped.get(row.id);
      if (why && row.state === 'active') await campaigns.stop(tx, row, why, now);
    }
    return outcomes;

    /** The same rules for companies, as far as they are about campaigns and money, at their own price. */
    async function judgeCompanies() {
      const found: {
        from: FromCompany;
        id: string;
        campaign: (typeof rows)[number];
        priceMicros: bigint;
        costMicros: bigint;
      }[] = [];
      if (companies.length === 0) return found;
      const before = new Map<string, Map<string, Date>>();
      for (const row of await store.lastCompanies(
        tx,
        companies.flatMap(({ campaignId, network }) => {
          const campaign = byId.get(campaignId);
          return campaign ? [{ companyId: campaign.company_id, domain: network.domain }] : [];
        }),
      )) {
        const key = `${row.company_id}/${row.domain}`;
        before.set(key, (before.get(key) ?? new Map<string, Date>()).set(row.campaign_id, row.at));
      }
      const listed = await exclusions.check(
        tx,
        companies.map(({ campaignId, network }) => {
          const campaign = byId.get(campaignId);
          return {
            owners: campaign ? [rootId, campaign.agency_id, campaign.company_id, campaign.id] : [],
            sha256: [],
            md5: [],
            phones: [],
            emails: [],
            domains: [network.domain],
          };
        }),
      );
      companies.forEach((from, i) => {
        const campaign = byId.get(from.campaignId);
        const standing = standings.get(from.campaignId);
        if (!campaign || !standing) {
          outcomes.set(from.ref, { refused: 'inactive' });
          return;
        }
        const key = `${campaign.company_id}/${from.network.domain}`;
        const here = before.get(key) ?? new Map<string, Date>();
        const elsewhere = [...here].filter(([id]) => id !== campaign.id).map(([, at]) => at);
        const { company, isOwed } = saleOf(campaign.id);
        const id = newId(now);
        const sale = {
          id,
          rootId,
          agencyId: campaign.agency_id,
          clientId: campaign.company_id,
          campaignId: campaign.id,
          ...company,
          supplierMicros: 0n,
          isOwed,
        };
        const ruled = refusal(
          companyCandidate({
            campaignId: campaign.id,
            companyId: campaign.company_id,
            excluded: listed[i]!,
            pages: pages.get(from.ref),
            domain: from.network.domain,
          }),
          companyStanding(standing, company.priceMicros),
          {
            sameCampaign: here.get(campaign.id),
            otherCampaign: elsewhere.sort((a, b) => b.getTime() - a.getTime())[0],
          },
          now,
          dayIn(now, zoneOf(campaign.company_id)),
        );
        // Money that does not do for a company may do for people, so the campaign goes on.
        const unpaid = ruled === null || isAboutPerson(ruled) ? till.refusal(sale) : null;
        const refused = unpaid ?? ruled;
        if (refused) {
          outcomes.set(from.ref, { refused });
          return;
        }
        till.take(sale);
        standing.leadsCounted++;
        if (!isOwed) standing.balanceMicros = till.balance(campaign.id);
        before.set(key, here.set(campaign.id, now));
        const { priceMicros, costMicros } = company;
        found.push({ from, id, campaign, priceMicros, costMicros });
        outcomes.set(from.ref, { lead: id, priceMicros, costMicros });
      });
      return found;
    }
  };
}
