import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** Makes acceptances of a document by a company wait for each other, until the transaction ends. */
export async function lockAcceptance(tx: Tx, companyId: string, document: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${companyId}.${document}`}, 39))`.execute(tx);
}

/** Makes publications of a document wait for each other. */
export async function lockVersions(tx: Tx, companyId: string, document: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${companyId}.${document}`}, 390))`.execute(tx);
}

export async function insertAcceptance(
  tx: Tx,
  row: Insertable<Schema['agreement_acceptance']>,
): Promise<void> {
  await tx.insertInto('agreement_acceptance').values(row).execute();
}

/** The newest accepted version of each document, of one company, and the version in force. */
export async function acceptedBy(tx: Tx, companyId: string, at: Date) {
  return (
    tx
      .selectFrom('agreement_acceptance')
      .distinctOn('document_type')
      .select(['document_type', 'version', 'accepted_at'])
      .select(
        sql<number>`agreement_in_force(case when document_type = 'default_client' then agency_id else root_id end, document_type, ${at})`.as(
          'in_force',
        ),
      )
      .where('company_id', '=', companyId)
      // The developer mode was off in the meantime, or its fee was never posted: its terms are to be accepted again (spec
      // product 4).
      .where(
        sql<boolean>`(document_type <> 'developer' or developer_fee_posted(company_id) and accepted_at >= coalesce((
        select b.api_mode_since from company_billing b where b.company_id = agreement_acceptance.company_id), '-infinity'))`,
      )
      .orderBy('document_type')
      .orderBy(sql`version::integer`, 'desc')
      .orderBy('accepted_at', 'desc')
      .execute()
  );
}

/** The newest version of a document that a company has published, in any scope; 1: the template. */
export async function newestNumber(tx: Tx, issuerId: string, document: string): Promise<number> {
  const { rows } = await sql<{ newest: number }>`
    select agreement_in_force(${issuerId}, ${document}, 'infinity') as newest`.execute(tx);
  return rows[0]!.newest;
}

/** The newest acceptances of a company, one for each document, with who it was. */
export const acceptancesOf = (tx: Tx, companyId: string) =>
  tx
    .selectFrom('agreement_acceptance as a')
    .leftJoin('user_account as u', 'u.id', 'a.user_id')
    .distinctOn('a.document_type')
    .selectAll('a')
    .select(['u.name', 'u.email'])
    .where('a.company_id', '=', companyId)
    .orderBy('a.document_type')
    .orderBy(sql`a.version::integer`, 'desc')
    .orderBy('a.accepted_at', 'desc')
    .execute();
export type AcceptanceRow = Awaited<ReturnType<typeof acceptancesOf>>[number];

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

/** What a company has published of its documents, or of one, in order. Only the newest of each has its text. */
export const versionsOf = (tx: Tx, issuerId: string, document?: string) =>
  tx
    .selectFrom('agreement_version as v')
    .leftJoin('user_account as u', 'u.id', 'v.published_by')
    .select(['v.document_type', 'v.version', 'v.title', 'v.effective_at', 'v.published_at', 'u.name'])
    .select(
      sql<string>`case when lead(v.version) over (partition by v.document_type order by v.version) is null then v.body else '' end`.as(
        'body',
      ),
    )
    .select(sql<string>`v.effective_on::text`.as('effective_on'))
    .where('v.company_id', '=', issuerId)
    .$if(document !== undefined, (q) => q.where('v.document_type', '=', document!))
    .orderBy('v.document_type')
    .orderBy('v.version')
    .execute();
export type VersionRow = Awaited<ReturnType<typeof versionsOf>>[number];

export async function insertVersion(tx: Tx, row: Insertable<Schema['agreement_version']>): Promise<void> {
  await tx.insertInto('agreement_version').values(row).execute();
}

/** How many companies have accepted each version of a document that a company makes with others. */
export async function countsOf(tx: Tx, issuerId: string, document: string): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('agreement_acceptance as a')
    .select(['a.version', sql<string>`count(distinct a.company_id)`.as('count')])
    .where('a.document_type', '=', document)
    .where(madeWith(issuerId))
    .groupBy('a.version')
    .execute();
  return new Map(rows.map(({ version, count }) => [version, Number(count)]));
}

/** The acceptances of agreements with a company; those that do not say with whom are older than that column. */
const madeWith = (issuerId: string) =>
  sql<boolean>`coalesce(a.issuer_id, case when a.document_type = 'default_client' then a.agency_id else a.root_id end) = ${issuerId}`;

export type NoticeKind = Schema['agreement_notice']['kind'];

/** The newest version of each document in a root, of those that take or took effect after an instant. */
export const newestSince = (tx: Tx, rootId: string, since: Date) =>
  tx
    .selectFrom('agreement_version as v')
    .select(['v.id', 'v.company_id', 'v.document_type', 'v.title', 'v.version', 'v.effective_at'])
    .select(sql<string>`v.effective_on::text`.as('effective_on'))
    .where('v.root_id', '=', rootId)
    .where('v.effective_at', '>', since)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('agreement_version as n')
            .select('n.id')
            .whereRef('n.company_id', '=', 'v.company_id')
            .whereRef('n.document_type', '=', 'v.document_type')
            .whereRef('n.version', '>', 'v.version'),
        ),
      ),
    )
    .orderBy('v.id')
    .execute();
export type NewestRow = Awaited<ReturnType<typeof newestSince>>[number];
export type UntoldRow = NewestRow & { agency_id: string | null };

/** Companies that accepted an earlier version of a document, not this one, and were not told so. */
export const untold = (tx: Tx, version: NewestRow, kind: NoticeKind, limit: number) =>
  tx
    .selectFrom('agreement_acceptance as a')
    .innerJoin('company as c', 'c.id', 'a.company_id')
    .leftJoin('agreement_notice as n', (join) =>
      join
        .on('n.version_id', '=', version.id)
        .onRef('n.company_id', '=', 'a.company_id')
        .on('n.kind', '=', kind),
    )
    .select(['a.root_id', 'a.agency_id', 'a.company_id'])
    .where('a.document_type', '=', version.document_type)
    .where(madeWith(version.company_id))
    .where('c.removed_at', 'is', null)
    .where('n.version_id', 'is', null)
    .groupBy(['a.root_id', 'a.agency_id', 'a.company_id'])
    .having(sql<boolean>`max(a.version::integer) < ${version.version}`)
    .orderBy('a.company_id')
    .limit(limit)
    .execute();

/** Notes that a company is told; false if it already was. */
export async function insertNotice(
  tx: Tx,
  owner: { root_id: string; agency_id: string | null; company_id: string },
  versionId: string,
  kind: NoticeKind,
  at: Date,
): Promise<boolean> {
  const { root_id, agency_id, company_id } = owner;
  const done = await tx
    .insertInto('agreement_notice')
    .values({ version_id: versionId, root_id, agency_id, company_id, kind, told_at: at })
    .onConflict((oc) => oc.doNothing())
    .executeTakeFirst();
  return Number(done.numInsertedOrUpdatedRows) > 0;
}

/** A page of the acceptances of agreements with a company, newest first. */
export async function listAcceptances(
  tx: Tx,
  issuerId: string,
  asked: { document: string | undefined; search: string | undefined; page: number; perPage: number },
) {
  const from = tx
    .selectFrom('agreement_acceptance as a')
    .innerJoin('company as c', 'c.id', 'a.company_id')
    .leftJoin('user_account as u', 'u.id', 'a.user_id')
    .where(madeWith(issuerId))
    .$if(asked.document !== undefined, (q) => q.where('a.document_type', '=', asked.document!))
    .$if(Boolean(asked.search), (q) => {
      const like = `%${asked.search!.replaceAll(/[\\%_]/g, '\\$&')}%`;
      return q.where((eb) => eb.or([eb('c.name', 'ilike', like), eb('u.name', 'ilike', like)]));
    });
  const { total } = await from.select(sql<string>`count(*)`.as('total')).executeTakeFirstOrThrow();
  const rows = await from
    .select([
      'a.id',
      'a.document_type',
      'a.version',
      'a.company_id',
      'c.name as company_name',
      'u.name',
      'a.accepted_at',
      'a.ip',
      'a.user_agent',
      'a.second_factor',
      'a.read_to_end',
    ])
    .orderBy('a.accepted_at', 'desc')
    .orderBy('a.id', 'desc')
    .limit(asked.perPage)
    .offset((asked.page - 1) * asked.perPage)
    .execute();
  return { rows, total: Number(total) };
}
