import type { z } from 'zod';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { InvoiceData, InvoiceFilter } from '../../../../contract/money/invoices.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Charge } from '../payments/index.ts';
import { PAID_FOR } from './credit.service.ts';
import type { InvoiceParts } from './parts.ts';
import { periodOf } from './period.policy.ts';
import * as policy from './policy.ts';
import * as readStore from './read.store.ts';
import { dueOf, feeOf } from './settle.service.ts';
import * as store from './store.ts';
import { waitingFor } from './waits.store.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Maximum number of payers whose invoices wait that are listed. */
const MOST_WAITING = 20;

const ATTEMPT_STATES: Record<Charge['state'], InvoiceData['attempts'][number]['state']> = {
  intended: 'under_way',
  sent: 'under_way',
  unknown: 'under_way',
  succeeded: 'succeeded',
  declined: 'declined',
  canceled: 'declined',
  refunded: 'refunded',
  disputed: 'disputed',
};

/** How a charge of an invoice is shown. */
export const attemptState = (state: Charge['state']): InvoiceData['attempts'][number]['state'] =>
  ATTEMPT_STATES[state];

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
const invalid = (field: string, rule: string): never => {
  throw refusalOf(field, rule);
};

/**
 * Which invoices users see. Clients see their own; agencies see those they issue and those they pay; roots see all in
 * their system.
 */
export function createRead(
  { db, clock }: Platform,
  { tenants, billing, charges, taxes }: Pick<InvoiceParts, 'tenants' | 'billing' | 'charges' | 'taxes'>,
) {
  const rowWire = (row: store.InvoiceRow) => ({
    id: row.id,
    number: row.number,
    side: row.side,
    kind: row.kind,
    term: row.term as InvoiceData['term'],
    company_id: row.company_id,
    company_name: row.payer.name,
    issuer_name: row.issuer.name,
    period_from: row.period_from?.toISOString() ?? null,
    period_to: row.period_to?.toISOString() ?? null,
    tax_name: row.tax_name,
    tax_micros: Number(row.tax_micros),
    total_micros: Number(row.total_micros),
    due_micros: Number(dueOf(row)),
    status: row.status,
    is_failing: row.status === 'open' && row.first_failed_at !== null,
    finalised_at: row.finalised_at.toISOString(),
    due_at: row.due_at.toISOString(),
    paid_at: (row.status === 'paid' && row.paid_at?.toISOString()) || null,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  });

  /** An invoice that the reader may see. @throws Refusal 404 */
  async function visible(tx: Tx, ctx: Ctx, id: string): Promise<store.InvoiceRow> {
    const row = (await store.invoiceById(tx, id)) ?? missing();
    return ctx.actor.kind === 'client' && row.side !== 'retail' ? missing() : row;
  }

  /** What the reader can do with an invoice. */
  function may(ctx: Ctx, row: store.InvoiceRow): InvoiceData['may'] {
    const isIssuer =
      row.issuer_id === ctx.actor.companyId && ctx.may('invoice.write') && row.kind !== 'receipt';
    const isOpen = row.status === 'open';
    return [
      ...(isOpen && row.company_id === ctx.actor.companyId && ctx.may('invoice.pay')
        ? (['pay'] as const)
        : []),
      ...(isIssuer && (isOpen || row.paid_micros > 0n) && row.status !== 'uncollectible'
        ? (['credit'] as const)
        : []),
      ...(isIssuer && isOpen ? (['write_off'] as const) : []),
    ];
  }

  async function one(tx: Tx, ctx: Ctx, id: string): Promise<InvoiceData> {
    const row = await visible(tx, ctx, id);
    const lines = await readStore.linesOf(tx, row.id, row.transfer_id);
    const notes = await readStore.creditNotesOf(tx, row.id);
    const tried: Charge[] = [];
    for (const purpose of PAID_FOR[row.side])
      tried.push(...(await charges.of(tx, row.company_id, purpose, row.id)));
    tried.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
    const issuer = await tenants.company(tx, row.issuer_id);
    const root = await tenants.company(tx, row.root_id);
    return {
      ...rowWire(row),
      time_zone: root?.time_zone ?? issuer?.time_zone ?? ctx.tenant.timeZone,
      issuer: row.issuer,
      payer: row.payer,
      lines: lines.map((line) => ({
        line: line.line,
        kind: line.kind as policy.LineKind,
        description: line.description,
        campaign_id: line.campaign_id,
        campaign_name: line.campaign_name,
        quantity: line.quantity,
        unit_micros: Number(line.unit_micros),
        amount_micros: Number(line.amount_micros),
        event_count: Number(line.events),
      })),
      subtotal_micros: Number(row.subtotal_micros),
      paid_micros: Number(row.paid_micros),
      credited_micros: Number(row.credited_micros),
      fee_micros:
        ctx.actor.kind === 'client' || row.side === 'wholesale'
          ? null
          : Number(row.fee_micros && (feeOf(row) || (await readStore.passedOn(tx, row)))),
      credit_notes: notes.map((note) => ({
        id: note.id,
        number: note.number,
        amount_micros: Number(note.amount_micros),
        reason: note.reason,
        created_at: note.created_at.toISOString(),
      })),
      attempts: tried.map((charge) => ({
        id: charge.id,
        at: charge.createdAt.toISOString(),
        amount_micros: Number(charge.amountMicros),
        state: ATTEMPT_STATES[charge.state],
        card: [charge.brand, charge.last4].filter(Boolean).join(' '),
        message: ATTEMPT_STATES[charge.state] === 'declined' ? (charge.declineMessage ?? '') : '',
      })),
      needs_authentication:
        row.status === 'open' && tried[0]?.state === 'declined' && tried[0].needsAuthentication,
      may: may(ctx, row),
    };
  }

  return {
    one: (ctx: Ctx, id: string) => inScope(db.app, ctx.scope, (tx) => one(tx, ctx, id)),
    /** The same inside a transaction in the root's scope, for something that has just changed. */
    oneIn: one,
    visible,

    list: (ctx: Ctx, asked: Inside<z.output<typeof InvoiceFilter>>) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const sort = asked.sort ?? 'finalised_at';
        if (sort !== 'number' && sort !== 'total' && sort !== 'finalised_at')
          return invalid('sort', 'must be number, total, or finalised_at');
        if (asked.company_id && !(await tenants.company(tx, asked.company_id))) return missing();
        const zone = (await tenants.company(tx, ctx.actor.companyId))?.time_zone ?? ctx.tenant.timeZone;
        const start = (day: string, plus: number): Date =>
          new Date(
            Temporal.PlainDate.from(day).add({ days: plus }).toZonedDateTime({ timeZone: zone })
              .epochMilliseconds,
          );
        const days = await store.rootZone(tx);
        const isClient = ctx.actor.kind === 'client';
        if (isClient && asked.side === 'wholesale') return invalid('side', 'must be retail');
        const found = await readStore.pageOfInvoices(tx, {
          companyId: asked.company_id,
          campaignId: asked.campaign_id,
          side: isClient ? 'retail' : asked.side,
          status: asked.status,
          from: asked.starts_on ? start(asked.starts_on, 0) : undefined,
          before: asked.ends_on ? start(asked.ends_on, 1) : undefined,
          search: asked.search,
          sort,
          order: asked.order ?? 'desc',
          limit: asked.per_page,
          offset: (asked.page - 1) * asked.per_page,
        });
        return {
          ...page(
            found.rows.map((row) => ({ ...rowWire(row), time_zone: days })),
            Number(found.count),
            asked,
          ),
          sides: isClient ? (['retail'] as const).slice() : (['retail', 'wholesale'] as const).slice(),
          total_micros: Number(found.total),
          due_micros: Number(found.due),
        };
      }),

    /** What is not on an invoice yet, as the next invoice of each cycle would show it. */
    async upcoming(ctx: Ctx, companyId: string | undefined) {
      const company =
        (await inScope(db.app, ctx.scope, (tx) => tenants.company(tx, companyId ?? ctx.actor.companyId))) ??
        missing();
      if (company.kind === 'root') return { data: [] };
      const side: store.Side = company.kind === 'client' ? 'retail' : 'wholesale';
      const { root_id: rootId, id: payerId } = company;
      // In the root's scope: invoices close by the root's days and use its tax rates, and a client can't see either.
      return inScope(db.app, { rootId }, async (tx) => {
        const issuerId = side === 'retail' ? company.agency_id! : rootId;
        const account = side === 'retail' ? await billing.accounts.seller(tx, issuerId) : '';
        const taxOn = (amountMicros: bigint) =>
          taxes.estimate(tx, { rootId, issuerId, payerId, account, amountMicros, included: false });
        const now = clock.now();
        const zone = await store.rootZone(tx);
        const seller = side === 'wholesale' ? await billing.accounts.seller(tx, payerId) : '';
        const provider = billing.accounts.gateway();
        const isTaxed = seller !== '' && Boolean((await taxOn(100_000_000n))?.micros);
        const travels = seller && !isTaxed && provider !== 'none' ? { provider, account: seller } : null;
        const rows = await store.openGroups(tx, payerId, side, travels);
        const names = await store.campaignNames(tx, [
          ...new Set(rows.flatMap((row) => row.campaign_id ?? [])),
        ]);
        const next = policy.byInvoice(
          rows.map((row) => ({
            cycle: row.cycle,
            kind: policy.lineKindOf(row.kind, row.is_release),
            campaignId: row.campaign_id,
            memo: row.memo,
            unit: row.amount,
            count: Number(row.count),
            isMoney: row.is_money,
          })),
        );
        const data = [];
        for (const term of ['Weekly', 'Monthly'] as const) {
          const groups = next[term];
          if (groups.length === 0) continue;
          const lines = policy.linesOf(groups, (id) => {
            const campaign = names.get(id);
            if (!campaign) return '';
            return side === 'retail' ? campaign.name : `${campaign.name} (${campaign.company_name})`;
          });
          const sum = lines.reduce((all, { line }) => all + line.amount_micros, 0n);
          const rounding = policy.roundingOf(sum);
          const period = periodOf(now, zone, term);
          const subtotal = policy.wholeCents(sum);
          const taxable = policy.taxableOf(
            lines.map(({ line, group }) => ({ amount: line.amount_micros, isMoney: group.isMoney })),
          );
          const tax = taxable > 0n ? await taxOn(taxable) : { name: '', micros: 0n };
          data.push({
            side,
            term,
            period_from: period.from.toISOString(),
            period_to: period.to.toISOString(),
            lines: [
              ...lines.map(({ line, group }) => ({ line, events: group.count })),
              ...(rounding ? [{ line: rounding, events: 0 }] : []),
            ].map(({ line, events }) => ({
              kind: line.kind,
              description: line.description,
              campaign_id: line.campaign_id,
              campaign_name: line.campaign_id ? (names.get(line.campaign_id)?.name ?? null) : null,
              quantity: line.quantity,
              unit_micros: Number(line.unit_micros),
              amount_micros: Number(line.amount_micros),
              event_count: events,
            })),
            tax_name: tax?.name ?? '',
            tax_micros: tax && Number(tax.micros),
            total_micros: Number(subtotal + (tax?.micros ?? 0n)),
          });
        }
        return { data };
      });
    },

    /** The payers to which the user's company could not issue an invoice yet, longest first. */
    waiting: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { kind, companyId } = ctx.actor;
        const { rows, count } = await waitingFor(
          tx,
          { id: companyId, isRoot: kind === 'root' },
          MOST_WAITING,
        );
        return {
          data: rows.map((row) => ({
            company_id: row.company_id,
            company_name: row.name,
            reason: row.reason,
            since: row.since.toISOString(),
            tried_at: row.tried_at.toISOString(),
          })),
          total: count,
        };
      }),

    /**
     * The events under a line, newest first.
     * @throws Refusal 404 if there is no such line
     */
    events: (ctx: Ctx, asked: { id: string; line: number; cursor?: string | undefined; per_page: number }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await visible(tx, ctx, asked.id);
        if (asked.cursor !== undefined && !UUID.test(asked.cursor)) return invalid('cursor', 'is not valid');
        if (!(await store.hasLine(tx, row.id, asked.line))) return missing();
        const events = await readStore.eventsOf(
          tx,
          row,
          asked.line,
          asked.cursor ?? null,
          asked.per_page + 1,
        );
        const shown = events.slice(0, asked.per_page);
        return {
          data: shown.map((event) => ({
            id: event.id,
            lead_id: event.lead_id,
            created_at: event.created_at.toISOString(),
            kind: event.kind,
            name: [event.first_name, event.last_name].filter(Boolean).join(' ') || event.email || null,
            amount_micros: Number(event.amount),
          })),
          next_cursor: events.length > shown.length ? shown.at(-1)!.id : null,
        };
      }),
  };
}
