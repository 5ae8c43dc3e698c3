import type { Insertable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** The key that a company signs with; undefined: none yet. */
export const keyInUse = (tx: Tx, companyId: string) =>
  tx
    .selectFrom('agreement_key')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('ended_at', 'is', null)
    .executeTakeFirst();

/** Adds the key in use, unless another request was faster. */
export async function insertKey(tx: Tx, row: Insertable<Schema['agreement_key']>): Promise<void> {
  await tx
    .insertInto('agreement_key')
    .values(row)
    .onConflict((c) => c.column('company_id').where('ended_at', 'is', null).doNothing())
    .execute();
}

/** Ends the key in use, or only this one or one of this kind, and forgets its private part. Returns how many there were. */
export async function endKey(
  tx: Tx,
  companyId: string,
  at: Date,
  only: { id?: string; kind?: 'brought' } = {},
): Promise<number> {
  const done = await tx
    .updateTable('agreement_key')
    .set({ ended_at: at, private_sealed: null })
    .where('company_id', '=', companyId)
    .where('ended_at', 'is', null)
    .$if(only.id !== undefined, (q) => q.where('id', '=', only.id!))
    .$if(only.kind !== undefined, (q) => q.where('kind', '=', only.kind!))
    .executeTakeFirst();
  return Number(done.numUpdatedRows);
}

/** Whether a certificate is, or was, that of one of these companies. */
export const isKeyOf = async (tx: Tx, companyIds: readonly string[], fingerprint: string): Promise<boolean> =>
  (await tx
    .selectFrom('agreement_key')
    .select('id')
    .where('company_id', 'in', companyIds)
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()) !== undefined;

/** The file of an acceptance; undefined: not made yet. */
export const fileOf = (tx: Tx, acceptanceId: string) =>
  tx.selectFrom('agreement_file').selectAll().where('acceptance_id', '=', acceptanceId).executeTakeFirst();

/** A file with what it is about, as far as the scope reaches. */
export const fileById = (tx: Tx, id: string) =>
  tx
    .selectFrom('agreement_file as f')
    .innerJoin('agreement_acceptance as a', 'a.id', 'f.acceptance_id')
    .innerJoin('company as c', 'c.id', 'f.company_id')
    .select(['f.id', 'f.company_id', 'f.bytes', 'a.document_type', 'a.shown', 'c.name as company_name'])
    .where('f.id', '=', id)
    .executeTakeFirst();

/** Adds the file of an acceptance, unless another request was faster. */
export async function insertFile(tx: Tx, row: Insertable<Schema['agreement_file']>): Promise<void> {
  await tx
    .insertInto('agreement_file')
    .values(row)
    .onConflict((c) => c.column('acceptance_id').doNothing())
    .execute();
}

/** A file with this hash that a company is a side of, with its acceptance. */
export const fileByHash = (tx: Tx, companyId: string, sha256: string) =>
  tx
    .selectFrom('agreement_file as f')
    .innerJoin('agreement_acceptance as a', 'a.id', 'f.acceptance_id')
    .innerJoin('company as c', 'c.id', 'f.company_id')
    .leftJoin('user_account as u', 'u.id', 'a.user_id')
    .select([
      'f.issuer_id',
      'f.company_id',
      'a.document_type',
      'a.version',
      'a.accepted_at',
      'a.shown',
      'c.name as company_name',
      'u.name',
    ])
    .where('f.sha256', '=', sha256)
    .where((eb) => eb.or([eb('f.issuer_id', '=', companyId), eb('f.company_id', '=', companyId)]))
    .executeTakeFirst();

/** Takes it on to sign a document, or finds that it was signed: when, and the hash of the file if it is known. */
export async function takePaper(tx: Tx, row: Insertable<Schema['signed_paper']>) {
  await tx
    .insertInto('signed_paper')
    .values(row)
    .onConflict((c) => c.columns(['company_id', 'unsigned', 'fingerprint']).doNothing())
    .execute();
  return tx
    .selectFrom('signed_paper')
    .select(['id', 'signed_at', 'sha256'])
    .where('company_id', '=', row.company_id)
    .where('unsigned', '=', row.unsigned)
    .where('fingerprint', '=', row.fingerprint)
    .executeTakeFirstOrThrow();
}

export async function keepPaperHash(tx: Tx, id: string, sha256: string): Promise<void> {
  await tx.updateTable('signed_paper').set({ sha256 }).where('id', '=', id).execute();
}

/** A signed document with this hash that a company is a side of. */
export const paperByHash = (tx: Tx, companyId: string, sha256: string) =>
  tx
    .selectFrom('signed_paper as p')
    .innerJoin('company as c', 'c.id', 'p.party_id')
    .select(['p.company_id as issuer_id', 'p.title', 'p.signed_at', 'c.name as company_name'])
    .where('p.sha256', '=', sha256)
    .where((eb) => eb.or([eb('p.company_id', '=', companyId), eb('p.party_id', '=', companyId)]))
    .executeTakeFirst();
