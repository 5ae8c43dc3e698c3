import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export async function insertAcceptance(
  tx: Tx,
  row: Insertable<Schema['agreement_acceptance']>,
): Promise<void> {
  await tx.insertInto('agreement_acceptance').values(row).execute();
}

/** The newest accepted version of each document, of one company. */
export async function acceptedBy(tx: Tx, companyId: string) {
  return (
    tx
      .selectFrom('agreement_acceptance')
      .distinctOn('document_type')
      .select(['document_type', 'version', 'accepted_at'])
      .where('company_id', '=', companyId)
      // The developer mode was off in the meantime, or its fee was never posted: its terms are to be accepted again (spec
      // product 4).
      .where(
        sql<boolean>`(document_type <> 'developer' or developer_fee_posted(company_id) and accepted_at >= coalesce((
        select b.api_mode_since from company_billing b where b.company_id = agreement_acceptance.company_id), '-infinity'))`,
      )
      .orderBy('document_type')
      .orderBy('accepted_at', 'desc')
      .execute()
  );
}

/** A company's newest acceptance of a document, with who it was; undefined: none. */
export async function acceptanceOf(tx: Tx, companyId: string, document: string) {
  return tx
    .selectFrom('agreement_acceptance as a')
    .leftJoin('user_account as u', 'u.id', 'a.user_id')
    .select(['a.version', 'a.accepted_at', 'a.ip', 'a.text_hash', 'u.name'])
    .where('a.company_id', '=', companyId)
    .where('a.document_type', '=', document as 'default_agency')
    .orderBy('a.accepted_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** When a company first accepted one of some documents, in any version; undefined: it has not. */
export async function firstAccepted(
  tx: Tx,
  companyId: string,
  documents: readonly string[],
): Promise<Date | undefined> {
  const row = await tx
    .selectFrom('agreement_acceptance')
    .select('accepted_at')
    .where('company_id', '=', companyId)
    .where('document_type', 'in', documents)
    .orderBy('accepted_at')
    .limit(1)
    .executeTakeFirst();
  return row?.accepted_at;
}
