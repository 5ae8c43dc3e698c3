import { type Insertable, sql, type Updateable } from 'kysely';
import type { ModuleType } from '../../../../contract/choices.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** Serializes changes to a company's hosts. */
export async function lockCompany(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom('company').select('id').where('id', '=', id).forNoKeyUpdate().execute();
}

/** Returns the versions of a company's settings (and their values, if stored here). */
export async function settingsOf(tx: Tx, companyId: string) {
  return tx
    .selectFrom('setting')
    .select(['name', 'value', 'version'])
    .where('company_id', '=', companyId)
    .execute();
}

/** Returns one setting of several companies, for those that have saved it. */
export async function valuesOf(tx: Tx, name: string, companyIds: readonly string[]) {
  return tx
    .selectFrom('setting')
    .select(['company_id', 'value'])
    .where('name', '=', name)
    .where('company_id', '=', sql<string>`any(${companyIds}::uuid[])`)
    .execute();
}

/**
 * Increments a setting's version and stores its value. `version` is the one that was edited (0: none yet; undefined:
 * any). Returns the new version; undefined if someone else has saved in the meantime.
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
  // The row did not exist, yet an older version was edited: this is not the setting that the user was looking at.
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

/** Returns whether the company has this picture, uploaded for this purpose. */
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
  // Concurrent uploads are counted one after the other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`pictures:${companyId}`}, 0))`.execute(tx);
  const { count } = await tx
    .selectFrom('picture')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('company_id', '=', companyId)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Deletes the company's pictures from before an instant that its brand does not use. */
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

/** Replaces all of the company's names with these. */
export async function replaceLabels(
  tx: Tx,
  owner: Owner,
  labels: { module: ModuleType; name: string; slug: string }[],
): Promise<void> {
  await tx.deleteFrom('module_label').where('company_id', '=', owner.company_id).execute();
  if (labels.length > 0)
    await tx
      .insertInto('module_label')
      .values(labels.map((label) => ({ ...owner, ...label })))
      .execute();
}

/** Returns a package that an agency has and that is not in this list; undefined if there is none. */
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

/** Returns the mail server that the company at a host has configured. */
export async function smtpAt(tx: Tx, host: string) {
  return (
    tx
      .selectFrom('domain as d')
      .innerJoin('setting as s', (join) =>
        join.onRef('s.company_id', '=', 'd.company_id').on('s.name', '=', 'smtp'),
      )
      .select('s.value')
      .where('d.host', '=', host)
      // Without white labeling an agency's emails go by its root's server.
      .where(sql<boolean>`wears_own(d.company_id)`)
      .executeTakeFirst()
  );
}

/** Returns a user's name and email address, for an email to themselves. */
export async function addressOf(tx: Tx, userId: string) {
  return tx
    .selectFrom('user_account')
    .select(['name', 'email'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
}
