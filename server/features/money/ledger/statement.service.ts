import type { z } from 'zod';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { StatementFilter, TransferKind } from '../../../../contract/money/ledger.ts';
import { dollarsOf } from '../../../../contract/primitives.ts';
import type { Inside } from '../../../../contract/wire.ts';
import { CSV_BOM, csvLine } from '../../../platform/csv.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { kindOfCode } from './accounts.ts';
import type { MonthStatement } from './statement.pdf.ts';
import { codesOfView, cursorOf, placeOf, sidesOf, signOf, viewsOf } from './statement.policy.ts';
import * as store from './statement.store.ts';

type Filter = Inside<z.output<typeof StatementFilter>>;
type Company = NonNullable<Awaited<ReturnType<Tenants['company']>>>;

const EXPORT_STEP = 500;
const MOST_DAYS = 400;
const MOST_EVENTS = 100;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const micros = (value: bigint | null): number | null => (value === null ? null : Number(value));

/** The details of a transfer, as far as the reader may see them. */
export function about(
  ctx: Ctx,
  row: Awaited<ReturnType<typeof store.transfersById>>[number],
  entries: { account_code: number; amount: bigint }[],
) {
  const sides = sidesOf(entries, ctx.actor.kind, row.kind);
  return {
    id: row.id,
    created_at: row.created_at.toISOString(),
    kind: row.kind as TransferKind,
    reference_id: row.reference_id,
    memo: row.memo,
    campaign_id: row.campaign_id,
    campaign_number: row.number === null ? null : Number(row.number),
    campaign_name: row.campaign_name,
    company_name: row.company_name,
    price_micros: micros(sides.price),
    cost_micros: micros(sides.cost),
    supplier_micros: micros(sides.supplier),
    margin_micros: micros(sides.margin),
  };
}

/** Statements: what happened to a company's money, line by line, and its balance at any time (docs/money.md). */
export function createStatement({ db, clock }: Pick<Platform, 'db' | 'clock'>, tenants: Tenants) {
  const invalid = (field: string, rule: string): never => {
    throw refusalOf(field, rule);
  };

  /** Whose statement is requested, and for which accounts. */
  async function asked(tx: Tx, ctx: Ctx, companyId: string | undefined, view: Filter['view']) {
    const company = await tenants.company(tx, companyId ?? ctx.actor.companyId);
    if (!company) throw new Refusal('not_found', ownMessages.notFound);
    const codes = codesOfView(company.kind, view);
    if (!codes) return invalid('view', `must be one of ${viewsOf(company.kind).join(', ')}`);
    return { company, codes, sign: signOf(view) };
  }

  const dayStart = (day: string, zone: string, plus = 0): Date =>
    new Date(
      Temporal.PlainDate.from(day).add({ days: plus }).toZonedDateTime({ timeZone: zone }).epochMilliseconds,
    );

  async function narrowed(tx: Tx, ctx: Ctx, filter: Filter, company: Company, codes: number[]) {
    const search = filter.search;
    const ids = !search
      ? undefined
      : UUID.test(search)
        ? await store.transfersAbout(tx, ctx.actor.rootId, search)
        : [];
    return {
      companyId: company.id,
      codes,
      from: filter.starts_on ? dayStart(filter.starts_on, company.time_zone) : undefined,
      before: filter.ends_on ? dayStart(filter.ends_on, company.time_zone, 1) : undefined,
      kind: filter.kind,
      campaignId: filter.campaign_id,
      clientId: filter.client_id,
      ids,
    };
  }

  /** Lines with everything that is shown for them. */
  async function dressed(
    tx: Tx,
    ctx: Ctx,
    narrow: store.Narrow & { sign: bigint },
    lines: store.LineRow[],
  ): Promise<(ReturnType<typeof about> & { amount_micros: number; balance_micros: number })[]> {
    if (lines.length === 0) return [];
    const ids = lines.map((line) => line.id);
    const transfers = new Map((await store.transfersById(tx, ids)).map((row) => [row.id, row]));
    const entries = Map.groupBy(await store.entriesOf(tx, ids), (entry) => entry.transfer_id);
    const { companyId, codes } = narrow;
    const isWhole = !narrow.kind && !narrow.campaignId && !narrow.clientId && !narrow.ids;
    // Consecutive lines need only one sum; others need one each.
    const known = await store.balancesAfter(tx, companyId, codes, isWhole ? lines.slice(0, 1) : lines);
    let running = known.get(lines[0]!.id)!;
    return lines.map((line) => {
      const balance = isWhole ? running : known.get(line.id)!;
      running -= line.amount;
      return {
        ...about(ctx, transfers.get(line.id)!, entries.get(line.id) ?? []),
        amount_micros: Number(narrow.sign * line.amount),
        balance_micros: Number(narrow.sign * balance),
      };
    });
  }

  return {
    /**
     * For programs: the next lines after a position, newest first, and the position of the last one if there are more.
     * @throws Refusal 404
     */
    after: (ctx: Ctx, filter: Filter, after: store.Place | null, limit: number) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { company, codes, sign } = await asked(tx, ctx, filter.company_id, filter.view);
        const narrow = await narrowed(tx, ctx, filter, company, codes);
        const lines = await store.nextLines(tx, narrow, after, limit + 1);
        const shown = lines.slice(0, limit);
        const last = shown.at(-1);
        return {
          lines: await dressed(tx, ctx, { ...narrow, sign }, shown),
          end: lines.length > limit && last ? { at: last.at, id: last.id } : null,
        };
      }),

    page: (ctx: Ctx, filter: Filter, at: { cursor?: string | undefined; limit: number }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { company, codes, sign } = await asked(tx, ctx, filter.company_id, filter.view);
        const narrow = await narrowed(tx, ctx, filter, company, codes);
        const place = at.cursor ? (placeOf(at.cursor) ?? invalid('cursor', 'is not valid')) : null;
        const lines = await store.nextLines(tx, narrow, place, at.limit + 1);
        const shown = lines.slice(0, at.limit);
        // The totals above the lines are computed only once: later pages reuse those of the first.
        const instants = at.cursor
          ? []
          : [narrow.before ?? new Date('9999-12-31'), ...(narrow.from ? [narrow.from] : [])];
        const [end, opening] = await store.balancesAt(tx, company.id, codes, instants);
        return {
          company_id: company.id,
          company_name: company.name,
          company_kind: company.kind,
          time_zone: company.time_zone,
          view: filter.view,
          views: viewsOf(company.kind),
          opening_micros: opening === undefined ? null : Number(sign * opening),
          balance_micros: end === undefined ? null : Number(sign * end),
          data: await dressed(tx, ctx, { ...narrow, sign }, shown),
          next_cursor: lines.length > shown.length ? cursorOf(shown.at(-1)!) : null,
        };
      }),

    series: (ctx: Ctx, given: Pick<Filter, 'company_id' | 'view' | 'starts_on' | 'ends_on'>) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { company, codes, sign } = await asked(tx, ctx, given.company_id, given.view);
        const zone = company.time_zone;
        const today = Temporal.Instant.fromEpochMilliseconds(clock.now().getTime())
          .toZonedDateTimeISO(zone)
          .toPlainDate();
        const last = given.ends_on ? Temporal.PlainDate.from(given.ends_on) : today;
        const first = given.starts_on
          ? Temporal.PlainDate.from(given.starts_on)
          : last.subtract({ days: 29 });
        const length = first.until(last, { largestUnit: 'days' }).days + 1;
        if (length < 1) invalid('ends_on', 'must not be before the start date');
        if (length > MOST_DAYS) invalid('ends_on', `must be within ${MOST_DAYS} days of the start date`);
        const days = Array.from({ length }, (_, i) => first.add({ days: i }).toString());
        const [opening, ...ends] = await store.balancesAt(tx, company.id, codes, [
          dayStart(days[0]!, zone),
          ...days.map((day) => dayStart(day, zone, 1)),
        ]);
        return {
          time_zone: zone,
          days: days.map((day, i) => ({
            day,
            change_micros: Number(sign * (ends[i]! - (i ? ends[i - 1]! : opening!))),
            balance_micros: Number(sign * ends[i]!),
          })),
        };
      }),

    line: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const [row] = await store.transfersById(tx, [id]);
        if (!row) throw new Refusal('not_found', ownMessages.notFound);
        const entries = await store.entriesOf(tx, [id]);
        const covered = await store.coveredBy(tx, id, MOST_EVENTS);
        const isLead = row.kind === 'lead' || row.kind === 'lead_return';
        const eventIds = isLead ? [id] : covered.ids;
        const leads = eventIds.length
          ? await store.leadsOf(tx, eventIds, isLead && row.reference_id ? [row.reference_id] : [])
          : [];
        const byTransfer = new Map(leads.map((lead) => [lead.transfer_id, lead]));
        const byId = new Map(leads.map((lead) => [lead.id, lead]));
        const under = isLead ? [row] : eventIds.length ? await store.transfersById(tx, eventIds) : [];
        const sides = Map.groupBy(
          isLead ? entries : eventIds.length ? await store.entriesOf(tx, eventIds) : [],
          (entry) => entry.transfer_id,
        );
        return {
          ...about(ctx, row, entries),
          entries: entries.map((entry) => ({
            account: kindOfCode(entry.account_code),
            company_name: entry.company_name,
            amount_micros: Number(entry.amount),
          })),
          events: under
            .toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1))
            .map((event) => {
              const lead = byTransfer.get(event.id) ?? byId.get(event.reference_id ?? '');
              const name = lead && [lead.first_name, lead.last_name].filter(Boolean).join(' ');
              return {
                id: event.id,
                lead_id: lead?.id ?? null,
                created_at: event.created_at.toISOString(),
                kind: event.kind as TransferKind,
                name: name || lead?.email || null,
                campaign_name: event.campaign_name,
                price_micros: micros(sidesOf(sides.get(event.id) ?? [], ctx.actor.kind, event.kind).price),
              };
            }),
          event_count: isLead ? 1 : covered.count,
        };
      }),

    /**
     * Returns the statement of a calendar month in the company's time zone, for printing: its own money, with the
     * opening and closing balances. For the current month, what there is so far.
     * @throws Refusal 404 for a company that is not visible, 422 for a month that has not begun
     */
    month: (ctx: Ctx, given: { company_id?: string | undefined; month: string }): Promise<MonthStatement> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { company, codes } = await asked(tx, ctx, given.company_id, 'balance');
        const zone = company.time_zone;
        const first = Temporal.PlainDate.from(`${given.month}-01`);
        const now = clock.now();
        const from = dayStart(first.toString(), zone);
        if (from > now) invalid('month', 'has not started yet');
        const end = dayStart(first.add({ months: 1 }).toString(), zone);
        const [opening, closing] = await store.balancesAt(tx, company.id, codes, [from, end]);
        const issuerId = company.kind === 'client' ? company.agency_id! : company.root_id;
        const rows = await store.monthRows(tx, { companyId: company.id, codes, from, before: end });
        if (rows.length > store.MOST_MONTH_ROWS)
          throw new Refusal(
            'conflict',
            'This month has more than 1,000 lines. Download them as a file instead.',
          );
        return {
          month: given.month,
          timeZone: zone,
          until: end > now ? now : null,
          companyId: company.id,
          companyName: company.name,
          kind: company.kind,
          issuerId,
          opening: opening!,
          closing: closing!,
          rows,
        };
      }),

    /**
     * Returns the lines as CSV, newest first, read in steps so that any number fits in memory. Validated before the
     * first line is sent.
     */
    async exportLines(ctx: Ctx, filter: Filter): Promise<{ name: string; lines: AsyncGenerator<string> }> {
      const scope = ctx.scope;
      const { company, codes, sign, narrow } = await inScope(db.app, scope, async (tx) => {
        const found = await asked(tx, ctx, filter.company_id, filter.view);
        return { ...found, narrow: await narrowed(tx, ctx, filter, found.company, found.codes) };
      });
      const isClient = ctx.actor.kind === 'client';
      const isRoot = ctx.actor.kind === 'root';
      const amount = (value: number | null): string => (value === null ? '' : dollarsOf(value));
      async function* lines(): AsyncGenerator<string> {
        yield CSV_BOM +
          csvLine([
            'Date',
            'Kind',
            'Company',
            'Campaign ID',
            'Campaign',
            'Amount (USD)',
            'Balance (USD)',
            'Price (USD)',
            ...(isClient ? [] : ['Cost (USD)']),
            ...(isRoot ? ['Supplier cost (USD)'] : []),
            ...(isClient ? [] : ['Margin (USD)']),
            'Note',
            'Reference',
            'ID',
          ]);
        let after: store.Place | null = null;
        for (;;) {
          const step: { page: store.LineRow[]; rows: Awaited<ReturnType<typeof dressed>> } = await inScope(
            db.app,
            scope,
            async (tx) => {
              const page = await store.nextLines(tx, { ...narrow, codes }, after, EXPORT_STEP);
              return { page, rows: await dressed(tx, ctx, { ...narrow, codes, sign }, page) };
            },
          );
          for (const row of step.rows) {
            yield csvLine([
              row.created_at,
              row.kind,
              row.company_name,
              row.campaign_number,
              row.campaign_name,
              dollarsOf(row.amount_micros),
              dollarsOf(row.balance_micros),
              amount(row.price_micros),
              ...(isClient ? [] : [amount(row.cost_micros)]),
              ...(isRoot ? [amount(row.supplier_micros)] : []),
              ...(isClient ? [] : [amount(row.margin_micros)]),
              row.memo,
              row.reference_id,
              row.id,
            ]);
          }
          const end = step.page.at(-1);
          if (!end || step.page.length < EXPORT_STEP) return;
          after = { at: end.at, id: end.id };
        }
      }
      const day = ctx.clock.now().toISOString().slice(0, 10);
      return { name: `statement-${filter.view}-${company.kind}-${day}.csv`, lines: lines() };
    },
  };
}
