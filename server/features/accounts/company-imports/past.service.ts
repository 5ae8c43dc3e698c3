import { PAST_TYPES, type PastType } from '../../../../contract/accounts/company-imports.ts';
import { PAYMENT_TERMS } from '../../../../contract/choices.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import {
  INVOICE_KINDS,
  INVOICE_LINE_KINDS,
  INVOICE_SIDES,
  INVOICE_STATUSES,
  type InvoiceData,
} from '../../../../contract/money/invoices.ts';
import { TRANSFER_KINDS } from '../../../../contract/money/ledger.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import { printable } from '../../../platform/printable.ts';
import { attemptState } from '../../money/invoices/index.ts';
import { kindOfCode } from '../../money/ledger/index.ts';
import { CHARGE_STATES } from '../../money/payments/index.ts';
import type { Tenants } from '../tenants/index.ts';
import * as store from './past.store.ts';
import { idsOf, isUuid, type JsonRow, type JsonValue, readRow } from './rows.ts';

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

// An archive is not trusted, and no table has checked these rows: whatever does not fit is shown as nothing.
// Texts are cut far above what a product has written, because a document with a long one would be drawn for minutes.
const MOST_CHARS = 500;
const MOST_ADDRESS = 8;
const text = (value: JsonValue | undefined): string =>
  value === null || value === undefined || typeof value === 'object'
    ? ''
    : printable(String(value), MOST_CHARS);
const whole = (value: JsonValue | undefined): number => {
  const number = Number(text(value));
  return Number.isSafeInteger(number) ? number : 0;
};
const at = (value: JsonValue | undefined): string | null => {
  const instant = Date.parse(text(value));
  return Number.isNaN(instant) ? null : new Date(instant).toISOString();
};
const one = <T extends string>(of: readonly T[], value: JsonValue | undefined): T | undefined =>
  of.find((known) => known === value);
const id = (value: JsonValue | undefined): string | null => (isUuid(value) ? value : null);
const NO_TIME = new Date(0).toISOString();

function party(value: JsonValue | undefined): InvoiceData['issuer'] {
  const given = value && typeof value === 'object' && !Array.isArray(value) ? value : {};
  return {
    name: text(given.name),
    address: Array.isArray(given.address) ? given.address.slice(0, MOST_ADDRESS).map(text) : [],
    email: text(given.email),
    phone: text(given.phone),
  };
}

const cardOf = (row: JsonRow): string => [text(row.brand), text(row.last4)].filter(Boolean).join(' ');

/** What a document is in a list. */
function listed(type: PastType, past: store.Past) {
  const row = readRow(past.content);
  const { company_id, company_name } = past;
  const of = { type, company_id, company_name };
  switch (type) {
    case 'invoice':
      return {
        ...{ ...of, id: past.key, at: at(row.finalised_at) ?? NO_TIME, number: text(row.number) },
        ...{ kind: text(row.kind), note: party(row.issuer).name, status: text(row.status) },
        amount_micros: whole(row.total_micros),
      };
    case 'charge':
      return {
        ...{ ...of, id: past.key, at: at(row.created_at) ?? NO_TIME, number: '' },
        ...{ kind: text(row.purpose), note: text(row.description), status: text(row.state) },
        amount_micros: whole(row.amount_cents) * 10_000,
      };
    case 'entry': {
      const transfer = past.transfer === null ? {} : readRow(past.transfer);
      return {
        ...{ ...of, id: past.key.replace('|', '.'), at: at(row.created_at) ?? NO_TIME, number: '' },
        ...{ kind: text(transfer.kind), note: text(transfer.memo), status: '' },
        amount_micros: whole(row.amount),
      };
    }
  }
}

export type PastBilling = ReturnType<typeof createPastBilling>;

/**
 * Money of imported companies from before they were imported, read from the documents of their imports. Clients see
 * their own; agencies see theirs and their clients'; roots see all in their system.
 */
export function createPastBilling({ db }: Pick<Platform, 'db'>, { tenants }: { tenants: Tenants }) {
  async function found(
    tx: Tx,
    ctx: Ctx,
    table: 'invoice' | 'charge' | 'transfer',
    of: string,
  ): Promise<store.Past> {
    return (await store.pastById(tx, ctx.scope.rootId, table, of)) ?? missing();
  }
  const rowsOf = async (list: Promise<string[]>): Promise<JsonRow[]> => (await list).map(readRow);

  return {
    list: (
      ctx: Ctx,
      asked: {
        type: PastType;
        company_id?: string | undefined;
        search?: string | undefined;
        page: number;
        per_page: number;
      },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (asked.company_id && !(await tenants.company(tx, asked.company_id))) return missing();
        const { rows, total } = await store.pageOfPast(tx, {
          rootId: ctx.scope.rootId,
          type: asked.type,
          companyId: asked.company_id,
          search: asked.search,
          limit: asked.per_page,
          offset: (asked.page - 1) * asked.per_page,
        });
        return {
          ...page(
            rows.map((row) => listed(asked.type, row)),
            total,
            asked,
          ),
          types: await store.typesOfPast(tx, PAST_TYPES, asked.company_id),
        };
      }),

    /** An invoice as the archive had it. Nothing can be done with it. @throws Refusal 404 */
    invoice: (ctx: Ctx, invoiceId: string): Promise<InvoiceData> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const past = await found(tx, ctx, 'invoice', invoiceId);
        const row = readRow(past.content);
        const parts = (table: 'invoice_line' | 'credit_note') => rowsOf(store.partsOf(tx, past, table));
        // What a charge paid for is a text, so it still has the archive’s id if the rows have others here.
        const ids = idsOf(past.import_id);
        const charges = (await rowsOf(store.chargesOfInvoices(tx, past))).filter(({ reference_id: of }) =>
          isUuid(of) ? of === past.key || ids.one(of) === past.key : false,
        );
        const lines = await parts('invoice_line');
        const names = await store.namesOfCampaigns(
          tx,
          lines.flatMap((line) => id(line.campaign_id) ?? []),
        );
        const [total, paid, credited] = [row.total_micros, row.paid_micros, row.credited_micros].map(whole);
        const status = one(INVOICE_STATUSES, row.status) ?? 'void';
        const [issuer, payer] = [party(row.issuer), party(row.payer)];
        return {
          id: past.key,
          number: text(row.number),
          side: one(INVOICE_SIDES, row.side) ?? 'retail',
          kind: one(INVOICE_KINDS, row.kind) ?? 'period',
          term: one(PAYMENT_TERMS, row.term) ?? null,
          company_id: past.company_id,
          company_name: payer.name || past.company_name,
          issuer_name: issuer.name,
          period_from: at(row.period_from),
          period_to: at(row.period_to),
          // The days of the former installation are not known; those of the company are closest.
          time_zone: past.time_zone,
          tax_name: text(row.tax_name),
          tax_micros: whole(row.tax_micros),
          total_micros: total!,
          due_micros: status === 'open' ? total! - paid! - credited! : 0,
          status,
          is_failing: status === 'open' && at(row.first_failed_at) !== null,
          finalised_at: at(row.finalised_at) ?? NO_TIME,
          due_at: at(row.due_at) ?? at(row.finalised_at) ?? NO_TIME,
          paid_at: status === 'paid' ? at(row.paid_at) : null,
          next_attempt_at: null,
          issuer,
          payer,
          lines: lines.map((line) => ({
            line: whole(line.line),
            kind: one(INVOICE_LINE_KINDS, line.kind) ?? 'adjustment',
            description: text(line.description),
            campaign_id: id(line.campaign_id),
            campaign_name: names.get(text(line.campaign_id)) ?? null,
            quantity: whole(line.quantity),
            unit_micros: whole(line.unit_micros),
            amount_micros: whole(line.amount_micros),
            event_count: 0,
          })),
          subtotal_micros: whole(row.subtotal_micros),
          paid_micros: paid!,
          credited_micros: credited!,
          fee_micros: null,
          credit_notes: (await parts('credit_note')).reverse().map((note) => ({
            id: id(note.id) ?? past.key,
            number: text(note.number),
            amount_micros: whole(note.amount_micros),
            reason: text(note.reason),
            created_at: at(note.created_at) ?? NO_TIME,
          })),
          attempts: charges.flatMap((charge) => {
            const state = one(CHARGE_STATES, charge.state);
            if (!state) return [];
            return {
              id: id(charge.id) ?? past.key,
              at: at(charge.created_at) ?? NO_TIME,
              amount_micros: whole(charge.amount_cents) * 10_000,
              state: attemptState(state),
              card: cardOf(charge),
              message: attemptState(state) === 'declined' ? text(charge.decline_message) : '',
            };
          }),
          needs_authentication: false,
          may: [],
        };
      }),

    /** A charge with its refunds. @throws Refusal 404 */
    charge: (ctx: Ctx, chargeId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const past = await found(tx, ctx, 'charge', chargeId);
        const refunds = await rowsOf(store.partsOf(tx, past, 'refund'));
        return {
          ...listed('charge', past),
          card: cardOf(readRow(past.content)),
          parts: refunds.map((refund) => ({
            label: text(refund.state),
            note: text(refund.reason),
            amount_micros: -whole(refund.amount_cents) * 10_000,
          })),
        };
      }),

    /** What happened, with its ledger lines. @throws Refusal 404 */
    transfer: (ctx: Ctx, transferId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const past = await found(tx, ctx, 'transfer', transferId);
        const row = readRow(past.content);
        const campaign = id(row.campaign_id);
        const names = await store.namesOfCampaigns(tx, campaign ? [campaign] : []);
        return {
          id: past.key,
          at: at(row.created_at) ?? NO_TIME,
          kind: one(TRANSFER_KINDS, row.kind) ?? null,
          memo: text(row.memo),
          campaign_name: (campaign && names.get(campaign)) ?? null,
          parts: (await rowsOf(store.entriesOf(tx, past))).map((entry) => ({
            label: kindOfCode(whole(entry.account_code)) ?? '',
            note: '',
            amount_micros: whole(entry.amount),
          })),
        };
      }),
  };
}
