import type { z } from 'zod';
import { MATCH_KINDS, matchKindOf } from '../../../../contract/campaigns/leads.ts';
import {
  AGENCY_GROUPS,
  AUTOMATIC_RETURNS,
  MOST_QUALITY_DAYS,
  type Proof,
  type QualityGroup,
  type ReturnReason,
  type ReturnState,
  ROOT_GROUPS,
} from '../../../../contract/campaigns/return-rules.ts';
import type { Return, ReturnFilter } from '../../../../contract/campaigns/returns.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { REASON_WORDS } from '../../../../contract/money/credits.ts';
import { usd } from '../../../../contract/primitives.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { mailName } from '../../../platform/mail-name.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Settings } from '../../accounts/settings/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { People } from '../../audience/people/index.ts';
import type { Credits } from '../../money/credits/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import type { Campaigns } from '../campaigns/index.ts';
import type { Connections } from '../connections/index.ts';
import type { Leads } from '../leads/index.ts';
import { automaticLeft, proofsOf, proves, returnableUntil, unreturnable } from './policy.ts';
import * as store from './store.ts';
import { words } from './words.ts';

/** Up to how many leads of a client are counted for what is approved by itself. */
const MOST_COUNTED = 10_000;

const DAY_MS = 86_400_000;
const QUALITY_DAYS = 30;

type Filter = Inside<z.output<typeof ReturnFilter>>;
type LeadRow = Awaited<ReturnType<typeof store.leadsByIds>>[number];
type Found = Awaited<ReturnType<typeof store.returnsByIds>>[number];
interface Skipped {
  id: string;
  message: string;
}

export type Returns = ReturnType<typeof createReturns>;

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
const many = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
const PAGE = '/returns';

/** The return desk: clients give leads back, facts are gathered, their agency decides (docs/decisions/0340-returns.md). */
export function createReturns(
  { db, clock, events }: Platform,
  deps: {
    tenants: Tenants;
    audit: Audit;
    settings: Settings;
    notices: Notices;
    credits: Credits;
    campaigns: Campaigns;
    connections: Connections;
    people: People;
    leads: Leads;
  },
) {
  const { tenants, audit, settings, notices, credits, campaigns, connections, people, leads } = deps;
  const inRoot = <T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, { rootId: ctx.actor.rootId }, work);

  // However a lead comes to be refunded, its return is approved by it.
  events.on('lead.refunded', (tx, { leadId, creditId, by }) =>
    store.approve(tx, leadId, { creditId, by, at: clock.now() }),
  );

  /** What is known about leads, as sentences, in the root's scope. */
  async function gather(tx: Tx, rows: readonly LeadRow[]): Promise<Map<string, Proof[]>> {
    const [first] = rows;
    if (!first) return new Map();
    const { root_id: rootId, agency_id } = first;
    const ids = rows.map((row) => row.id);
    const known = await people.people(
      tx,
      rootId,
      rows.flatMap((row) => row.person_id ?? []),
    );
    const members = rows.flatMap(({ id, person_id }) =>
      person_id
        ? (known.get(person_id)?.members ?? [person_id]).map((personId) => ({ leadId: id, personId }))
        : [],
    );
    const leastBilled = (await settings.leastConfidence(tx, [agency_id])).get(agency_id) ?? 0;
    const refusals = Map.groupBy(await store.refusals(tx, ids), (row) => row.lead_id);
    const earlier = await store.earlierLeads(tx, ids, members);
    const bought = await store.boughtAt(tx, members);
    const listed = await leads.excludedSince(tx, rootId, ids);
    const marked = await store.markedAt(tx, ids);
    const outside = await leads.outsideFilter(tx, rootId, ids);
    return new Map(
      rows.map((row) => {
        const before = earlier.get(row.id);
        return [
          row.id,
          proofsOf({
            soldAt: row.created_at,
            confidence: row.confidence,
            leastBilled,
            reidentify: row.reidentify,
            isChanged: row.is_changed,
            refusedBy: (refusals.get(row.id) ?? []).map(({ kind }) => connections.vendor(kind).name),
            earlier: before ? { id: before.id, campaignName: before.campaign_name, at: before.at } : null,
            boughtAt: bought.get(row.id) ?? null,
            listedAt: listed.get(row.id) ?? null,
            markedAt: marked.get(row.id) ?? null,
            isOutside: outside.has(row.id),
          }),
        ];
      }),
    );
  }

  /** Why each of these leads cannot be returned now; empty if it can. In the root's scope. */
  async function unreturnables(
    tx: Tx,
    rows: readonly LeadRow[],
    windowDays: number,
  ): Promise<Map<string, string>> {
    const ids = rows.map((row) => row.id);
    const states = await store.statesOf(tx, ids);
    const blocked = await credits.blocked(tx, ids);
    const now = clock.now();
    return new Map(
      rows.map(({ id, created_at }) => [
        id,
        unreturnable(
          { soldAt: created_at, state: states.get(id) ?? null, blocked: blocked.get(id) ?? null },
          windowDays,
          now,
        ),
      ]),
    );
  }

  const shown = (ctx: Ctx, row: store.ReturnRow): Return => {
    const isClient = ctx.actor.kind === 'client';
    return {
      id: row.id,
      lead_id: row.lead_id,
      lead_name: row.lead_name,
      campaign_id: row.campaign_id,
      campaign_number: Number(row.campaign_number),
      campaign_name: row.campaign_name,
      company_id: row.company_id,
      company_name: row.company_name,
      reason: row.reason,
      note: row.note,
      state: row.state,
      answer: row.answer,
      is_automatic: row.is_automatic,
      // The facts can come from lists and data that are not the client's.
      is_proven: isClient ? null : row.is_proven,
      proofs: isClient ? [] : row.proofs,
      source: ctx.actor.kind === 'root' ? row.source : null,
      price_micros: Number(row.price_micros),
      credited_micros: row.credited_micros === null ? null : Number(row.credited_micros),
      received_at: row.received_at.toISOString(),
      created_at: row.created_at.toISOString(),
      decided_at: row.decided_at?.toISOString() ?? null,
    };
  };

  /** The company whose returns are meant: the actor's own, or one below it. @throws Refusal 404 */
  async function whoseOf(tx: Tx, ctx: Ctx, companyId: string | undefined) {
    const company = (await tenants.company(tx, companyId ?? ctx.actor.companyId)) ?? missing();
    return { id: company.id, kind: company.kind, zone: company.time_zone };
  }
  const startOf = (dayText: string, zone: string, plus = 0): Date =>
    new Date(
      Temporal.PlainDate.from(dayText).add({ days: plus }).toZonedDateTime({ timeZone: zone })
        .epochMilliseconds,
    );

  /** Emails a client what became of its returns. */
  async function tellClient(
    tx: Tx,
    sender: Awaited<ReturnType<Notices['sender']>>,
    owner: { root_id: string; agency_id: string; company_id: string },
    of: {
      state: ReturnState;
      count: number;
      amountMicros: bigint;
      places: readonly string[];
      answer: string;
    },
  ): Promise<void> {
    const isOne = of.count === 1;
    const leadsWords = isOne ? 'A lead that you returned' : `${of.count} leads that you returned`;
    await notices.tell(tx, 'return.decided', sender, owner, {
      subject:
        of.state === 'approved'
          ? `${usd(of.amountMicros)} credited for ${isOne ? 'a returned lead' : `${of.count} returned leads`}`
          : `${isOne ? 'Your return was' : `${of.count} of your returns were`} declined`,
      lines:
        of.state === 'approved'
          ? [
              `${leadsWords} ${isOne ? 'was' : 'were'} credited: ${usd(of.amountMicros)}.`,
              ...of.places,
              ...(of.answer ? [of.answer] : []),
            ]
          : [`${leadsWords} ${isOne ? 'was' : 'were'} not credited. ${of.answer}`],
      page: { label: 'View returns', path: PAGE },
    });
  }

  /** Splits what can be done from what cannot. @throws Refusal 409 if nothing can */
  function sorted<T extends { id: string }>(rows: readonly T[], whyNot: (row: T) => string) {
    const skipped: Skipped[] = [];
    const able = rows.filter((row) => {
      const message = whyNot(row);
      if (message) skipped.push({ id: row.id, message });
      return !message;
    });
    if (able.length === 0) throw new Refusal('conflict', skipped[0]!.message);
    return { able, skipped };
  }

  return {
    /** A page of returns. @throws Refusal 404, 422 */
    list: (
      ctx: Ctx,
      { state, reason, company_id, campaign_id, match, supplier, starts_on, ends_on }: Filter,
      asked: { limit: number; offset: number },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (supplier !== undefined && ctx.actor.kind !== 'root')
          throw refusalOf('supplier', 'is only for roots');
        const whose = await whoseOf(tx, ctx, company_id);
        const { rows, counts, total } = await store.pageOf(
          tx,
          whose,
          state,
          {
            reason,
            campaignId: campaign_id,
            matchKind: match && matchKindOf(match),
            supplier,
            from: starts_on ? startOf(starts_on, whose.zone) : undefined,
            before: ends_on ? startOf(ends_on, whose.zone, 1) : undefined,
          },
          asked,
        );
        return { rows: rows.map((row) => shown(ctx, row)), counts, total };
      }),

    /** The return of a lead, or whether its client can return it. @throws Refusal 404 */
    async ofLead(ctx: Ctx, leadId: string) {
      const { row, of } = await inScope(db.app, ctx.scope, async (tx) => ({
        row: (await store.leadsByIds(tx, [leadId]))[0] ?? missing(),
        of: await store.returnOf(tx, leadId),
      }));
      const { windowDays, blocked } = await inRoot(ctx, async (tx) => {
        const { windowDays } = await settings.leadReturns(tx, {
          rootId: row.root_id,
          agencyId: row.agency_id,
        });
        return { windowDays, blocked: (await unreturnables(tx, [row], windowDays)).get(leadId)! };
      });
      return {
        data: of ? shown(ctx, of) : null,
        may_return: blocked === '',
        blocked,
        until: blocked ? null : returnableUntil(row.created_at, windowDays).toISOString(),
      };
    },

    /**
     * Returns leads of the user's own company, each once and within the agency's days. What is known about them is stored
     * with the returns. Those whose reason is proven are approved at once if the agency wants that.
     * @throws Refusal 404, 409 if none can be returned
     */
    async open(ctx: Ctx, given: { ids: string[]; reason: ReturnReason; note: string }) {
      const { reason, note } = given;
      const visible = await inScope(db.app, ctx.scope, (tx) => store.leadsByIds(tx, given.ids));
      const [first] = visible;
      if (!first || visible.length < given.ids.length) return missing();
      const client = { root_id: first.root_id, agency_id: first.agency_id, company_id: first.company_id };
      const agency = { ...client, company_id: client.agency_id };
      const toClient = await notices.sender(client);
      const toAgency = await notices.sender(agency);
      return inRoot(ctx, async (tx) => {
        const { windowDays, automatic } = await settings.leadReturns(tx, {
          rootId: client.root_id,
          agencyId: client.agency_id,
        });
        // As for every refund, so that a lead is not returned while it is refunded, nor twice at once.
        await campaigns.lock(tx, [...new Set(visible.map((row) => row.campaign_id))].sort());
        const rows = await store.leadsByIds(tx, given.ids);
        const why = await unreturnables(tx, rows, windowDays);
        const { able, skipped } = sorted(rows, (row) => why.get(row.id) ?? '');
        const proofs = await gather(tx, able);
        const at = clock.now();
        const made = able.map((row) => {
          const known = proofs.get(row.id) ?? [];
          return { row, proofs: known, isProven: proves(known, reason) };
        });
        await store.insertReturns(
          tx,
          made.map(({ row, proofs: known, isProven }) => ({
            id: newId(at),
            ...client,
            campaign_id: row.campaign_id,
            lead_id: row.id,
            reason,
            note,
            state: 'open',
            proofs: JSON.stringify(known),
            is_proven: isProven,
            opened_by: ctx.actor.userId,
            created_at: at,
          })),
        );
        for (const { row } of made)
          await audit.record(tx, ctx, {
            action: 'return.open',
            objectKind: 'lead',
            objectId: row.id,
            description: `Returned a lead from campaign #${row.number}: ${REASON_WORDS[reason]}`,
            owner: client,
          });
        const since = new Date(at.getTime() - AUTOMATIC_RETURNS.days * 86_400_000);
        const left = automaticLeft(await store.automaticOf(tx, client.company_id, since, MOST_COUNTED));
        const sure = made
          .filter(({ isProven }) => isProven && (automatic as readonly string[]).includes(reason))
          .slice(0, left);
        const back = { amountMicros: 0n, places: new Set<string>() };
        for (const { row } of sure) {
          const { amountMicros, place } = await credits.giveBack(tx, null, row.id, { reason, note: '' });
          back.amountMicros += amountMicros;
          back.places.add(place);
        }
        if (sure.length > 0)
          await tellClient(tx, toClient, client, {
            state: 'approved',
            count: sure.length,
            amountMicros: back.amountMicros,
            places: [...back.places],
            answer: '',
          });
        const waiting = made.length - sure.length;
        if (waiting > 0) {
          const { name } = (await tenants.company(tx, client.company_id))!;
          await notices.tell(tx, 'return.opened', toAgency, agency, {
            subject: `${mailName(name)} returned ${waiting === 1 ? 'a lead' : many(waiting, 'lead')}`,
            lines: [
              `${name} returned ${waiting === 1 ? 'a lead' : many(waiting, 'lead')}: ${REASON_WORDS[reason].toLowerCase()}.`,
              'Approve or decline on the Returns page, where you see what is known about each lead.',
            ],
            page: { label: 'Open returns', path: PAGE },
          });
        }
        return { returned: made.length, approved: sure.length, skipped };
      });
    },

    /**
     * Approves or declines returns of the agency's clients. Of two concurrent decisions about the same return, one finds
     * the other's.
     * @throws Refusal 404, 409 if none can be decided
     */
    async decide(ctx: Ctx, given: { ids: string[]; decision: 'approved' | 'declined'; answer: string }) {
      const { decision, answer } = given;
      const visible = await inScope(db.app, ctx.scope, (tx) => store.returnsByIds(tx, given.ids));
      if (visible.length < given.ids.length) return missing();
      const skipped: Skipped[] = [];
      let decided = 0;
      // A transaction for each client, which is emailed once.
      for (const all of Map.groupBy(visible, (row) => row.company_id).values()) {
        const { root_id, agency_id, company_id } = all[0]!;
        const client = { root_id, agency_id, company_id };
        const sender = await notices.sender(client);
        await inRoot(ctx, async (tx) => {
          // Campaigns before returns, as a refund does.
          if (decision === 'approved')
            await campaigns.lock(tx, [...new Set(all.map((row) => row.campaign_id))].sort());
          const rows = await store.returnsByIds(
            tx,
            all.map((row) => row.id),
            true,
          );
          const back = { count: 0, amountMicros: 0n, places: new Set<string>() };
          for (const row of rows) {
            const message = row.state === 'open' ? await decideOne(tx, row, back) : words.decided;
            if (message) skipped.push({ id: row.id, message });
          }
          decided += back.count;
          if (back.count > 0)
            await tellClient(tx, sender, client, {
              state: decision,
              ...back,
              places: [...back.places],
              answer,
            });
        });
      }
      if (decided === 0) throw new Refusal('conflict', skipped[0]!.message);
      return { decided, skipped };

      /** Returns why the return cannot be decided so; nothing if it was. */
      async function decideOne(
        tx: Tx,
        row: Found,
        back: { count: number; amountMicros: bigint; places: Set<string> },
      ): Promise<string | undefined> {
        if (decision === 'declined') {
          await store.decline(tx, row.id, { by: ctx.actor.userId, at: clock.now() });
          await audit.record(tx, ctx, {
            action: 'return.decline',
            objectKind: 'lead',
            objectId: row.lead_id,
            description: `Declined a returned lead: ${answer}`,
            owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
          });
        } else {
          try {
            const { reason, lead_id } = row;
            const { amountMicros, place } = await credits.giveBack(tx, ctx, lead_id, {
              reason,
              note: answer,
            });
            back.amountMicros += amountMicros;
            back.places.add(place);
          } catch (error) {
            // Nothing was written: the campaign was removed since.
            if (error instanceof Refusal) return error.message;
            throw error;
          }
        }
        await store.setAnswer(tx, row.id, answer);
        back.count++;
        return undefined;
      }
    },

    /** Leads that came in over some days and their returns, by group. @throws Refusal 404, 422 */
    quality: (
      ctx: Ctx,
      given: {
        by: QualityGroup;
        company_id?: string | undefined;
        starts_on?: string | undefined;
        ends_on?: string | undefined;
      },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { by } = given;
        const groups = ctx.actor.kind === 'root' ? ROOT_GROUPS : AGENCY_GROUPS;
        if (!groups.includes(by)) throw refusalOf('by', `must be ${groups.join(', ')}`);
        const whose = await whoseOf(tx, ctx, given.company_id);
        const today = Temporal.Instant.fromEpochMilliseconds(clock.now().getTime())
          .toZonedDateTimeISO(whose.zone)
          .toPlainDate();
        const ends_on = given.ends_on ?? today.toString();
        const starts_on =
          given.starts_on ??
          Temporal.PlainDate.from(ends_on)
            .subtract({ days: QUALITY_DAYS - 1 })
            .toString();
        const from = startOf(starts_on, whose.zone);
        const before = startOf(ends_on, whose.zone, 1);
        if (before <= from) throw refusalOf('ends_on', 'must not be before the first day');
        if (before.getTime() - from.getTime() > (MOST_QUALITY_DAYS + 1) * DAY_MS)
          throw refusalOf('ends_on', `must be at most ${MOST_QUALITY_DAYS} days after the first`);
        const rows = await store.quality(tx, whose, by, { from, before });
        const sums = (all: readonly store.QualityRow[]) => {
          const sum = (field: 'leads' | 'returned' | 'open' | 'approved' | 'declined' | 'credited'): number =>
            Number(all.reduce((total, row) => total + row[field], 0n));
          return {
            leads: sum('leads'),
            returned: sum('returned'),
            open: sum('open'),
            approved: sum('approved'),
            declined: sum('declined'),
            credited_micros: sum('credited'),
          };
        };
        return {
          starts_on,
          ends_on,
          data: rows.map((row) => ({
            key: by === 'match' ? MATCH_KINDS[Number(row.key) as keyof typeof MATCH_KINDS] : row.key,
            name: row.name,
            company_name: row.company_name,
            ...sums([row]),
          })),
          total: sums(rows),
        };
      }),
  };
}
