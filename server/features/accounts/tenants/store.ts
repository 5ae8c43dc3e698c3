import { type Insertable, sql } from 'kysely';
import type { CompanyFieldValues } from '../../../../contract/accounts/company-fields.ts';
import type { CompanyKind, Tenant } from '../../../platform/ctx.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Db, Tx } from '../../../platform/db/scope.ts';

/** The tenant of a verified host, or null. */
export async function tenantByHost(db: Db, host: string): Promise<Tenant | null> {
  const { rows } = await sql<{
    host: string;
    company_id: string;
    kind: CompanyKind;
    root_id: string;
    agency_id: string | null;
    company_name: string;
    time_zone: string;
  }>`select * from tenant_by_host(${host})`.execute(db);
  const row = rows[0];
  if (!row) return null;
  return {
    host: row.host,
    companyId: row.company_id,
    kind: row.kind,
    rootId: row.root_id,
    agencyId: row.agency_id,
    companyName: row.company_name,
    timeZone: row.time_zone,
  };
}

/**
 * A tenant's brand and module names. An agency without a brand has its own name and no look; its root's brand is only
 * that of an agency without white labeling.
 */
export interface FrontDoorRow {
  name: string;
  tagline: string | null;
  box_bgcolor: string | null;
  text_color: string | null;
  link_color: string | null;
  template_bgcolor: string | null;
  sidebar_bgcolor: string | null;
  font_theme: string | null;
  logo: FrontPicture | null;
  favicon: FrontPicture | null;
  /** Whose name and look it is: the tenant, or the root of an agency without white labeling. */
  company_name: string;
  legal_name: string | null;
  short_name: string | null;
  address: string | null;
  city: string | null;
  zip: string | null;
  state_code: string | null;
  country_code: string | null;
  phone: string | null;
  email: string | null;
  /** The tenant's host under its root's domain. */
  subdomain: string | null;
  master_id: string | null;
  modules: Record<string, { name: string; slug: string }>;
  root_modules: Record<string, { name: string; slug: string }>;
}

/** A picture of a brand, without its bytes. */
export interface FrontPicture {
  id: string;
  type: string;
  width: number;
  height: number;
}

/**
 * Returns the bytes and type of a logo or favicon that this company's host shows, either its own or that of a company
 * below it; or undefined.
 */
export async function frontPicture(db: Db, id: string, companyId: string) {
  return (
    await sql<{ type: string; bytes: Buffer }>`select * from front_picture(${id}, ${companyId})`.execute(db)
  ).rows[0];
}

/** Returns the code that an agency embeds in its own pages, or undefined. */
export async function frontEmbed(db: Db, companyId: string): Promise<Record<string, unknown> | undefined> {
  const { rows } = await sql<{
    front_embed: Record<string, unknown> | null;
  }>`select front_embed(${companyId})`.execute(db);
  return rows[0]?.front_embed ?? undefined;
}

/** Returns the host of a root, under which its agencies have their subdomains; null while it has none. */
export async function rootHost(db: Db, rootId: string): Promise<string | null> {
  return (
    (await sql<{ root_host: string | null }>`select root_host(${rootId})`.execute(db)).rows[0]?.root_host ??
    null
  );
}

export async function frontDoor(db: Db, companyId: string): Promise<FrontDoorRow | undefined> {
  return (await sql<FrontDoorRow>`select * from front_door(${companyId})`.execute(db)).rows[0];
}

/** The modules that a root has chosen, before any scope is known; null: all. */
export async function chosenModules(db: Db, rootId: string): Promise<string[] | null> {
  const { rows } = await sql<{ chosen_modules: string[] | null }>`select chosen_modules(${rootId})`.execute(
    db,
  );
  return rows[0]?.chosen_modules ?? null;
}

/** Whether the installation has no root at all. */
export async function noRootYet(db: Db): Promise<boolean> {
  return (await sql<{ none: boolean }>`select no_root_yet() as none`.execute(db)).rows[0]?.none ?? false;
}

/** The roots of this installation, the master first. */
export async function listRoots(db: Db): Promise<string[]> {
  return (await sql<{ roots: string }>`select roots()`.execute(db)).rows.map((row) => row.roots);
}

export async function primaryHost(db: Db, companyId: string): Promise<string | null> {
  return (
    (await sql<{ primary_host: string | null }>`select primary_host(${companyId})`.execute(db)).rows[0]
      ?.primary_host ?? null
  );
}

export async function insertCompany(tx: Tx, row: Insertable<Schema['company']>): Promise<void> {
  await tx.insertInto('company').values(row).execute();
}
export async function insertDomain(tx: Tx, row: Insertable<Schema['domain']>): Promise<void> {
  await tx.insertInto('domain').values(row).execute();
}
export async function insertBrand(tx: Tx, row: Insertable<Schema['brand']>): Promise<void> {
  await tx.insertInto('brand').values(row).execute();
}
export async function insertPicture(tx: Tx, row: Insertable<Schema['picture']>): Promise<void> {
  await tx.insertInto('picture').values(row).execute();
}
export async function insertModuleLabels(tx: Tx, rows: Insertable<Schema['module_label']>[]): Promise<void> {
  await tx.insertInto('module_label').values(rows).execute();
}

/**
 * A company that the scope may see and that is not removed; `keep` makes whoever removes it wait until the transaction
 * ends.
 */
export async function companyById(tx: Tx, id: string, keep = false) {
  const query = tx.selectFrom('company').selectAll().where('id', '=', id).where('removed_at', 'is', null);
  return (keep ? query.forShare() : query).executeTakeFirst();
}

/**
 * What a program is told of the company whose key it uses. The plan is kept (platform/db/keeping-client.ts): planning it
 * under row level security takes longer than reading one row.
 */
export async function companyOfKey(
  tx: Tx,
  id: string,
): Promise<{ id: string; name: string; time_zone: string } | undefined> {
  const { rows } = await sql<{ id: string; name: string; time_zone: string }>`/* kept: company_of_key */
    select id, name, time_zone from company where id = ${id} and removed_at is null`.execute(tx);
  return rows[0];
}

/** Clients by name, with their agency's name; `search` matches the start of a word in either. */
export async function pageOfClients(tx: Tx, search: string, limit: number, offset: number) {
  const base = tx
    .selectFrom('company as c')
    .innerJoin('company as a', 'a.id', 'c.agency_id')
    .where('c.kind', '=', 'client')
    .where('c.removed_at', 'is', null)
    .$if(search !== '', (q) => q.where('c.name', 'ilike', `%${search.replace(/[\\%_]/g, '\\$&')}%`));
  const rows = await base
    .select(['c.id', 'c.name as company_name', 'a.name as agency_name'])
    .orderBy('c.name')
    .orderBy('c.id')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await base.select((eb) => eb.fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/** Whether all of these companies have their registration open. */
export async function registrationOpen(tx: Tx, ids: string[]): Promise<boolean> {
  const rows = await tx
    .selectFrom('company')
    .select('id')
    .where('id', 'in', ids)
    .where('registration_open', '=', true)
    .where('removed_at', 'is', null)
    .execute();
  return rows.length === ids.length;
}

/** Returns which users of a company need a second factor, and from which day on. */
export async function secondFactorOf(tx: Tx, companyId: string) {
  return tx
    .selectFrom('company')
    .select(['factor_people as people', 'factor_owners as owners', 'factor_from as from'])
    .where('id', '=', companyId)
    .executeTakeFirstOrThrow();
}

export async function setSecondFactor(
  tx: Tx,
  companyId: string,
  { people, owners, from }: { people: boolean; owners: boolean; from: string | null },
): Promise<void> {
  await tx
    .updateTable('company')
    .set({ factor_people: people, factor_owners: owners, factor_from: from })
    .where('id', '=', companyId)
    .execute();
}

export async function setRegistration(tx: Tx, companyId: string, open: boolean): Promise<void> {
  await tx.updateTable('company').set({ registration_open: open }).where('id', '=', companyId).execute();
}

/**
 * Saves the company's own values, and increments the version unless something else already has. Returns the version.
 */
export async function saveCompany(
  tx: Tx,
  id: string,
  was: number,
  values: Partial<CompanyFieldValues> & { name?: string },
): Promise<number> {
  if (Object.keys(values).length > 0)
    await tx.updateTable('company').set(values).where('id', '=', id).execute();
  await tx
    .updateTable('company')
    .set({ version: was + 1 })
    .where('id', '=', id)
    .where('version', '=', was)
    .execute();
  const row = await tx.selectFrom('company').select('version').where('id', '=', id).executeTakeFirstOrThrow();
  return row.version;
}

/**
 * Keeps that a client has changed, for programs that keep a copy. Without `waits`, false: another transaction keeps the
 * client's row, and nothing was done.
 */
export async function changedClient(tx: Tx, id: string, at: Date, waits = false): Promise<boolean> {
  const { rows } = await sql`update company set changed_at = greatest(changed_at, ${at}::timestamptz)
    where id = (select id from company where id = ${id} and kind = 'client'
      for no key update ${waits ? sql`` : sql`skip locked`})
    returning id`.execute(tx);
  return rows.length > 0;
}

/** Takes a company off, an agency with its clients. Rows stay, so that it can be brought back. */
export async function removeCompany(tx: Tx, id: string, at: Date): Promise<number> {
  const done = await tx
    .updateTable('company')
    .set({ removed_at: at })
    .where((eb) => eb.or([eb('id', '=', id), eb('agency_id', '=', id)]))
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return Number(done.numUpdatedRows);
}
