import { type Insertable, sql, type Updateable } from 'kysely';
import type { Owner } from '../../platform/db/owner.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { Tx } from '../../platform/db/scope.ts';

/** Makes changes of a company's hosts queue up behind each other. */
export async function lockCompany(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom('company').select('id').where('id', '=', id).forNoKeyUpdate().execute();
}

/** Versions (and values, where they are kept here) of a company's settings. */
export async function settingsOf(tx: Tx, companyId: string) {
  return tx
    .selectFrom('setting')
    .select(['name', 'value', 'version'])
    .where('company_id', '=', companyId)
    .execute();
}

/** One setting of several companies, of those that have saved it. */
export async function valuesOf(tx: Tx, name: string, companyIds: readonly string[]) {
  return tx
    .selectFrom('setting')
    .select(['company_id', 'value'])
    .where('name', '=', name)
    .where('company_id', '=', sql<string>`any(${companyIds}::uuid[])`)
    .execute();
}

/**
 * Raises a setting's version and keeps its value. `version` is the one that was edited (0: none yet; undefined: any).
 * Answers the new version; undefined when somebody else has saved in the meantime.
 */
export async function saveSetting(
  tx: Tx,
  owner: Owner,
  name: string,
  value: Record<string, unknown> | null,
  version: number | undefined,
  at: Date,
): Promise<number | undefined> {
  const json = value && JSON.stringify(value);
  const row = await tx
    .insertInto('setting')
    .values({ ...owner, name, value: json, version: 1, updated_at: at })
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'name'])
        .doUpdateSet({ value: json, version: sql`setting.version + 1`, updated_at: at })
        .where(sql<boolean>`${version ?? null}::integer is null or setting.version = ${version ?? null}`),
    )
    .returning('version')
    .executeTakeFirst();
  // Nothing was there, yet an older version was edited: the setting is another one than was looked at.
  if (row?.version === 1 && version !== undefined && version !== 0) return undefined;
  return row?.version;
}

export async function brandOf(tx: Tx, companyId: string) {
  return tx.selectFrom('brand').selectAll().where('company_id', '=', companyId).executeTakeFirst();
}

export async function saveBrand(tx: Tx, row: Insertable<Schema['brand']>): Promise<void> {
  const { company_id: _, root_id: __, agency_id: ___, ...values } = row;
  await tx
    .insertInto('brand')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('company_id').doUpdateSet(values as Updateable<Schema['brand']>),
    )
    .execute();
}

/** Whether the company has this picture, made for this purpose. */
export async function hasPicture(
  tx: Tx,
  companyId: string,
  id: string,
  purpose: 'logo' | 'favicon',
): Promise<boolean> {
  const row = await tx
    .selectFrom('picture')
    .select('id')
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('purpose', '=', purpose)
    .executeTakeFirst();
  return row !== undefined;
}

/** How many pictures a company has uploaded since a moment. */
export async function picturesSince(tx: Tx, companyId: string, since: Date): Promise<number> {
  // Uploads at once are counted one after the other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`pictures:${companyId}`}, 0))`.execute(tx);
  const { count } = await tx
    .selectFrom('picture')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('company_id', '=', companyId)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Forgets the company's pictures from before a moment that its brand does not show. */
export async function deleteUnusedPictures(
  tx: Tx,
  companyId: string,
  used: string[],
  before: Date,
): Promise<void> {
  await tx
    .deleteFrom('picture')
    .where('company_id', '=', companyId)
    .where('created_at', '<', before)
    .$if(used.length > 0, (q) => q.where('id', 'not in', used))
    .execute();
}

export async function labelsOf(tx: Tx, companyId: string) {
  return tx
    .selectFrom('module_label')
    .select(['module', 'name', 'slug'])
    .where('company_id', '=', companyId)
    .execute();
}

/** Puts these names in the place of all that the company has. */
export async function replaceLabels(
  tx: Tx,
  owner: Owner,
  labels: { module: string; name: string; slug: string }[],
): Promise<void> {
  await tx.deleteFrom('module_label').where('company_id', '=', owner.company_id).execute();
  if (labels.length > 0)
    await tx
      .insertInto('module_label')
      .values(labels.map((label) => ({ ...owner, ...label })))
      .execute();
}

/** A package that an agency has and that is not among these; undefined: none. */
export async function packageInUse(tx: Tx, rootId: string, among: string[]): Promise<string | undefined> {
  const row = await tx
    .selectFrom('company_billing')
    .select('package_id')
    .where('root_id', '=', rootId)
    .where('package_id', '<>', '')
    .where('package_id', 'not in', among)
    .limit(1)
    .executeTakeFirst();
  return row?.package_id;
}

/** The mail server that the company at a host has set. */
export async function smtpAt(tx: Tx, host: string) {
  return (
    tx
      .selectFrom('domain as d')
      .innerJoin('setting as s', (join) =>
        join.onRef('s.company_id', '=', 'd.company_id').on('s.name', '=', 'smtp'),
      )
      .select('s.value')
      .where('d.host', '=', host)
      // Without white labelling an agency's mails go by its root's server.
      .where(sql<boolean>`wears_own(d.company_id)`)
      .executeTakeFirst()
  );
}

/** Name and address of somebody, for a mail to themselves. */
export async function addressOf(tx: Tx, userId: string) {
  return tx
    .selectFrom('user_account')
    .select(['name', 'email'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
}
