import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** Returns who calculates a root's taxes; undefined if nothing was ever chosen. */
export const calculatorOf = (tx: Tx, rootId: string) =>
  tx
    .selectFrom('tax_setting')
    .select('calculator')
    .where('root_id', '=', rootId)
    .executeTakeFirst()
    .then((row) => row?.calculator ?? 'table');

export async function setCalculator(
  tx: Tx,
  rootId: string,
  calculator: 'table' | 'stripe',
  updated_at: Date,
): Promise<void> {
  await tx
    .insertInto('tax_setting')
    .values({ root_id: rootId, agency_id: null, company_id: rootId, calculator, updated_at })
    .onConflict((clash) => clash.column('root_id').doUpdateSet({ calculator, updated_at }))
    .execute();
}

/** An answer that no document has taken, locked. */
export const freeOf = (tx: Tx, rootId: string, question: string, since: Date) =>
  tx
    .selectFrom('tax_quote')
    .select(['id', 'name', 'tax_micros'])
    .where('root_id', '=', rootId)
    .where('question', '=', question)
    .where('document_id', 'is', null)
    .where('calculation', 'is not', null)
    .where('asked_at', '>', since)
    .forUpdate()
    .executeTakeFirst();

/** Whether the service had no answer to a question since an instant. */
export const hasFailed = async (tx: Tx, rootId: string, question: string, since: Date): Promise<boolean> =>
  (await tx
    .selectFrom('tax_quote')
    .select('id')
    .where('root_id', '=', rootId)
    .where('question', '=', question)
    .where('document_id', 'is', null)
    .where('failure', 'is not', null)
    .where('asked_at', '>', since)
    .executeTakeFirst()) !== undefined;

/** Stores an answer, or why there is none; keeps only the latest for the same question. */
export async function keep(tx: Tx, row: Insertable<Schema['tax_quote']>): Promise<void> {
  await tx
    .insertInto('tax_quote')
    .values(row)
    .onConflict((clash) =>
      clash
        .columns(['root_id', 'question'])
        .where('document_id', 'is', null)
        .doUpdateSet({
          calculation: row.calculation ?? null,
          name: row.name ?? '',
          tax_micros: row.tax_micros ?? 0n,
          failure: row.failure ?? null,
          asked_at: row.asked_at,
        }),
    )
    .execute();
}

export async function take(tx: Tx, id: string, document_id: string): Promise<void> {
  await tx.updateTable('tax_quote').set({ document_id }).where('id', '=', id).execute();
}

/** Deletes the stored failures of the service for a payer. */
export async function forgetFailures(tx: Tx, of: { payerId: string; issuerId: string }): Promise<void> {
  await tx
    .deleteFrom('tax_quote')
    .where('company_id', '=', of.payerId)
    .where('issuer_id', '=', of.issuerId)
    .where('failure', 'is not', null)
    .execute();
}

/** Deletes everything of a root that was waiting for the service. */
export async function forgetAllFailures(tx: Tx, rootId: string): Promise<void> {
  await tx.deleteFrom('tax_quote').where('root_id', '=', rootId).where('failure', 'is not', null).execute();
}

/** Deletes a root's old answers that no document has taken; failures stay until they are resolved. */
export async function forgetOld(tx: Tx, rootId: string, before: Date): Promise<void> {
  await tx
    .deleteFrom('tax_quote')
    .where('root_id', '=', rootId)
    .where('document_id', 'is', null)
    .where('failure', 'is', null)
    .where('asked_at', '<', before)
    .execute();
}

/** Returns the companies whose documents from an issuer are waiting for the service, oldest first, and their number. */
export async function waiting(tx: Tx, rootId: string, issuerId: string, limit: number) {
  const base = tx
    .selectFrom('tax_quote as q')
    .innerJoin('company as c', 'c.id', 'q.company_id')
    .where('q.root_id', '=', rootId)
    .where('q.failure', 'is not', null)
    .where('q.issuer_id', '=', issuerId);
  const { count } = await base.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow();
  const rows = await base
    .select(['q.company_id', 'c.name', 'q.failure', 'q.asked_at'])
    .orderBy('q.asked_at')
    .limit(limit)
    .execute();
  return { rows, count: Number(count) };
}

/** Returns the latest answer about a payer of an issuer that includes an amount. */
export const newestOf = (tx: Tx, of: { payerId: string; issuerId: string }) =>
  tx
    .selectFrom('tax_quote')
    .select(['name', 'amount_micros', 'tax_micros'])
    .where('company_id', '=', of.payerId)
    .where('issuer_id', '=', of.issuerId)
    .where('calculation', 'is not', null)
    .orderBy('asked_at', 'desc')
    .limit(1)
    .executeTakeFirst();

/** The answer that a document has taken. */
export const quoteOf = (tx: Tx, documentId: string) =>
  tx
    .selectFrom('tax_quote')
    .select(['id', 'root_id', 'agency_id', 'company_id', 'amount_micros', 'tax_micros'])
    .where('document_id', '=', documentId)
    .executeTakeFirst();

export async function addReversal(tx: Tx, row: Insertable<Schema['tax_reversal']>): Promise<void> {
  await tx.insertInto('tax_reversal').values(row).execute();
}

/** Returns a document's answer with the credits not reported yet; undefined if everything is reported. */
export async function unreported(tx: Tx, quoteId: string) {
  const quote = await tx
    .selectFrom('tax_quote')
    .select(['account', 'calculation', 'document_id', 'transaction_id'])
    .where('id', '=', quoteId)
    .where('document_id', 'is not', null)
    .executeTakeFirst();
  if (!quote) return undefined;
  const reversals = await tx
    .selectFrom('tax_reversal')
    .select(['credit_note_id', 'amount_micros'])
    .where('quote_id', '=', quoteId)
    .where('transaction_id', 'is', null)
    .orderBy('created_at')
    .orderBy('credit_note_id')
    .execute();
  return { quote, reversals };
}

/** Returns a root's answers that have not been reported to the service, or whose credit notes have not. */
export async function allUnreported(tx: Tx, rootId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    (select id from tax_quote where root_id = ${rootId}::uuid and document_id is not null and transaction_id is null
      order by asked_at limit ${limit})
    union
    (select quote_id from tax_reversal where root_id = ${rootId}::uuid and transaction_id is null
      order by created_at limit ${limit})`.execute(tx);
  return rows.map((row) => row.id);
}

export async function reported(tx: Tx, id: string, transaction_id: string): Promise<void> {
  await tx.updateTable('tax_quote').set({ transaction_id }).where('id', '=', id).execute();
}

export async function reversed(tx: Tx, credit_note_id: string, transaction_id: string): Promise<void> {
  await tx
    .updateTable('tax_reversal')
    .set({ transaction_id })
    .where('credit_note_id', '=', credit_note_id)
    .execute();
}
