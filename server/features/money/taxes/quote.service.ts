import { createHash } from 'node:crypto';
import { AskFirst, inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { GatewayError } from '../../../platform/payments.ts';
import type { Platform } from '../../../platform/platform.ts';
import {
  NoTax,
  type Tax,
  type TaxedSale,
  type TaxPort,
  type TaxQuestion,
  type TaxService,
} from '../../../platform/tax.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { estimateOf, reversalOf } from './policy.ts';
import { reportJob } from './queue.ts';
import * as store from './quote.store.ts';
import { failureWords } from './words.ts';

const CENT = 10_000n;
/** An answer that no document has used is requested again after a day because rates change. */
const KEPT_MS = 86_400_000;
const SWEPT_AT_ONCE = 500;
/** For this long, the service is not asked again about something that can do without its answer. */
const FAILED_MS = 1_800_000;
/** The amount to ask about when only whether there is a tax matters, so that it is asked once a day. */
const PROBE = 100_000_000n;

export type Quotes = ReturnType<typeof createQuotes>;

/**
 * Tax by a network service (decision 0170). What a transaction needs is requested before the transaction, stored as a
 * row, and taken by the document that is issued. Jobs report what was issued and credited to the service.
 */
export function createQuotes(
  { db, clock, jobs }: Pick<Platform, 'db' | 'clock' | 'jobs'>,
  { tenants, service }: { tenants: Tenants; service: TaxService | undefined },
) {
  const within = <T>(rootId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, { rootId }, work);
  /** @throws NoTax if the keys that the root relied on are gone: never silently skip the tax */
  const asked = (): TaxService => {
    if (!service) throw new NoTax(failureWords.waits, failureWords.noKeys);
    return service;
  };

  /** Returns what the service would be asked about a sale. */
  async function questionOf(
    tx: Tx,
    sale: TaxedSale,
    payer: { tax_id: string; is_exempt: boolean } | undefined,
  ) {
    const card = await tenants.pastCard(tx, sale.payerId);
    const question: TaxQuestion = {
      account: sale.account,
      amountCents: Number(sale.amountMicros / CENT),
      included: sale.included,
      address: {
        line1: card?.address ?? '',
        city: card?.city ?? '',
        zip: card?.zip ?? '',
        state: card?.state_code ?? '',
        country: card?.country_code ?? '',
      },
      taxId: payer?.tax_id ?? '',
      isExempt: payer?.is_exempt ?? false,
    };
    const hash = createHash('sha256').update(JSON.stringify([sale.issuerId, sale.payerId, question]));
    return {
      question,
      owner: card && { root_id: card.root_id, agency_id: card.agency_id, company_id: card.id },
      hash: hash.digest('hex'),
    };
  }

  /**
   * Asks the service, and stores its answer or why there is none.
   * @throws NoTax saying why
   */
  async function ask(
    sale: TaxedSale,
    { question, owner, hash }: Awaited<ReturnType<typeof questionOf>>,
  ): Promise<void> {
    if (!owner) throw new NoTax(failureWords.waits, failureWords.unknownPayer);
    const id = newId(clock.now());
    const base = {
      id,
      ...owner,
      issuer_id: sale.issuerId,
      question: hash,
      account: sale.account,
      amount_micros: sale.amountMicros,
    };
    try {
      // Without a country there is nothing to ask.
      if (!question.address.country) throw new GatewayError('invalid', 'no country', 'address');
      const answer = await asked().calculate({ ...question, idempotencyKey: id });
      await within(sale.rootId, async (tx) => {
        await store.forgetFailures(tx, sale);
        await store.keep(tx, {
          ...base,
          calculation: answer.calculation,
          name: sale.included && answer.taxCents > 0 ? `${answer.name}, included` : answer.name,
          tax_micros: BigInt(answer.taxCents) * CENT,
          failure: null,
          asked_at: clock.now(),
        });
      });
    } catch (error) {
      if (!(error instanceof GatewayError || error instanceof NoTax)) throw error;
      const failure = error instanceof NoTax ? error.why : failureWords.of(error, question.address);
      await within(sale.rootId, async (tx) => {
        await store.forgetFailures(tx, sale);
        await store.keep(tx, { ...base, failure, asked_at: clock.now() });
      });
      throw new NoTax(failureWords.waits, failure);
    }
  }

  /**
   * Returns the stored answer for a sale.
   * @throws AskFirst if there is none, or it is old
   */
  async function answerOf(tx: Tx, sale: TaxedSale, payer: Parameters<typeof questionOf>[2]) {
    const found = await questionOf(tx, sale, payer);
    const since = new Date(clock.now().getTime() - KEPT_MS);
    const kept = await store.freeOf(tx, sale.rootId, found.hash, since);
    if (!kept) throw new AskFirst(found.hash, () => ask(sale, found));
    return kept;
  }

  return {
    /**
     * Returns the tax of a document, which takes the answer: the service is notified once the transaction has
     * committed.
     */
    async taxOf(
      tx: Tx,
      sale: TaxedSale & { documentId: string },
      payer: Parameters<typeof questionOf>[2],
    ): Promise<Pick<Tax, 'name' | 'micros'>> {
      const { documentId, ...rest } = sale;
      const kept = await answerOf(tx, rest, payer);
      await store.take(tx, kept.id, documentId);
      await jobs.send(tx, reportJob, [{ rootId: sale.rootId, quoteId: kept.id }]);
      return { name: kept.name, micros: kept.tax_micros };
    },

    /** Whether a payer is charged tax; true while the service does not say. */
    async isTaxed(
      tx: Tx,
      sale: Omit<TaxedSale, 'amountMicros' | 'included'>,
      payer: Parameters<typeof questionOf>[2],
    ): Promise<boolean> {
      const probe = { ...sale, amountMicros: PROBE, included: false };
      const found = await questionOf(tx, probe, payer);
      const since = (ms: number): Date => new Date(clock.now().getTime() - ms);
      if (await store.hasFailed(tx, sale.rootId, found.hash, since(FAILED_MS))) return true;
      const kept = await store.freeOf(tx, sale.rootId, found.hash, since(KEPT_MS));
      if (kept) return kept.tax_micros > 0n;
      throw new AskFirst(found.hash, () =>
        ask(probe, found).catch((error: unknown) => {
          // It was stored, and is found when the transaction starts again.
          if (!(error instanceof NoTax)) throw error;
        }),
      );
    },

    /** Estimates the tax on another amount from the latest answer about this payer; null if there has been none. */
    async estimate(tx: Tx, sale: TaxedSale): Promise<Pick<Tax, 'name' | 'micros'> | null> {
      const last = await store.newestOf(tx, sale);
      return last
        ? { name: last.name.replace(/, included$/, ''), micros: estimateOf(last, sale.amountMicros) }
        : null;
    },

    /**
     * Records what was credited on a document; does nothing if the service did not calculate its tax. The service knows
     * only the part of the document that was sold, so it learns of that part's share.
     */
    async credited(tx: Tx, note: Parameters<TaxPort['credited']>[1], at: Date): Promise<void> {
      const { document, amountMicros } = note;
      const quote = await store.quoteOf(tx, document.id);
      if (!quote) return;
      const { id: quote_id, root_id, agency_id, company_id } = quote;
      const share = reversalOf(quote, document, amountMicros);
      if (share === 0n) return;
      await store.addReversal(tx, {
        credit_note_id: note.creditNoteId,
        root_id,
        agency_id,
        company_id,
        quote_id,
        amount_micros: share,
        created_at: at,
      });
      await jobs.send(tx, reportJob, [{ rootId: root_id, quoteId: quote_id }]);
    },

    /** Reports a document and its credits to the service. Safe to run twice: each has its own key. */
    async report(rootId: string, quoteId: string): Promise<void> {
      const found = await within(rootId, (tx) => store.unreported(tx, quoteId));
      if (!found) return;
      const { account, calculation, document_id } = found.quote;
      let transaction = found.quote.transaction_id;
      if (!transaction) {
        transaction = await asked().record({
          account,
          calculation: calculation!,
          reference: document_id!,
          idempotencyKey: `tax:${document_id}`,
        });
        const made = transaction;
        await within(rootId, (tx) => store.reported(tx, quoteId, made));
      }
      for (const { credit_note_id, amount_micros } of found.reversals) {
        const made = await asked().reverse({
          account,
          transaction,
          reference: credit_note_id,
          amountCents: Number(amount_micros / CENT),
          idempotencyKey: `tax:${credit_note_id}`,
        });
        await within(rootId, (tx) => store.reversed(tx, credit_note_id, made));
      }
    },

    /** Does the same for everything of a root that has not been reported; one failure does not block the others. */
    async reportAll(rootId: string): Promise<void> {
      if (!service) return;
      const old = new Date(clock.now().getTime() - 7 * KEPT_MS);
      await within(rootId, (tx) => store.forgetOld(tx, rootId, old));
      let failure: unknown;
      for (const id of await within(rootId, (tx) => store.allUnreported(tx, rootId, SWEPT_AT_ONCE)))
        await this.report(rootId, id).catch((error) => {
          failure ??= error;
        });
      if (failure) throw failure;
    },
  };
}
