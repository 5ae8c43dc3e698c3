import { sql, type Updateable } from 'kysely';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Db, Tx } from '../../../platform/db/scope.ts';

/** Returns what these companies chose; companies without a row have everything their parent has. */
export async function productsOf(tx: Tx, ids: string[]) {
  return tx
    .selectFrom('company_products')
    .select(['company_id', 'modules', 'terms'])
    .where('company_id', 'in', ids)
    .execute();
}

export async function saveProducts(
  tx: Tx,
  row: Owner & { modules: string[] | null; terms: string[] | null; updated_at: Date },
): Promise<void> {
  const { modules, terms, updated_at } = row;
  await tx
    .insertInto('company_products')
    .values(row)
    .onConflict((c) => c.column('company_id').doUpdateSet({ modules, terms, updated_at }))
    .execute();
}

/** Returns the defaults for new agencies of a root (setting agency_defaults); null means everything the root has. */
export async function defaultsOf(
  tx: Tx,
  rootId: string,
): Promise<{ modules: string[] | null; terms: string[] | null }> {
  const row = await tx
    .selectFrom('setting')
    .select('value')
    .where('company_id', '=', rootId)
    .where('name', '=', 'agency_defaults')
    .executeTakeFirst();
  const { modules, terms } = (row?.value ?? {}) as { modules?: string[] | null; terms?: string[] | null };
  return { modules: modules ?? null, terms: terms ?? null };
}

/** Returns the trial features that a root has changed. */
export async function betaFeatures(tx: Tx, rootId: string) {
  return tx
    .selectFrom('beta_feature')
    .select(['feature', 'is_beta', 'for_all'])
    .where('root_id', '=', rootId)
    .execute();
}

export async function saveBetaFeature(
  tx: Tx,
  row: { rootId: string; feature: number; isBeta: boolean; forAll: boolean; at: Date },
): Promise<void> {
  await tx
    .insertInto('beta_feature')
    .values({
      root_id: row.rootId,
      agency_id: null,
      company_id: row.rootId,
      feature: row.feature,
      is_beta: row.isBeta,
      for_all: row.forAll,
      updated_at: row.at,
    })
    .onConflict((c) =>
      c
        .columns(['root_id', 'feature'])
        .doUpdateSet({ is_beta: row.isBeta, for_all: row.forAll, updated_at: row.at }),
    )
    .execute();
}

export async function isBetaUser(tx: Tx, agencyId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('beta_user')
    .select('company_id')
    .where('company_id', '=', agencyId)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns an active campaign of a module in a root, in one of its agencies, or in all but the beta users; undefined if
 * there is none.
 */
export async function activeCampaign(
  tx: Tx,
  of: { rootId: string; module: string; agencyId?: string; butBetaUsers?: boolean },
): Promise<{ number: bigint } | undefined> {
  return tx
    .selectFrom('campaign')
    .select('number')
    .where('root_id', '=', of.rootId)
    .where('state', '=', 'active')
    .where('module', '=', of.module as 'local')
    .$if(of.agencyId !== undefined, (q) => q.where('agency_id', '=', of.agencyId!))
    .$if(of.butBetaUsers === true, (q) =>
      q.where('agency_id', 'not in', (eb) => eb.selectFrom('beta_user').select('company_id')),
    )
    .limit(1)
    .executeTakeFirst();
}

/** Adds an agency to the beta users, or removes it from them. */
export async function setBetaUser(
  tx: Tx,
  agency: { root_id: string; agency_id: string; company_id: string },
  on: boolean,
  at: Date,
): Promise<void> {
  if (on)
    await tx
      .insertInto('beta_user')
      .values({ ...agency, created_at: at })
      .onConflict((c) => c.column('company_id').doNothing())
      .execute();
  else await tx.deleteFrom('beta_user').where('company_id', '=', agency.company_id).execute();
}

/** Returns the company details that its people's profiles need, including its own brand if it has one. */
export async function companyCard(tx: Tx, id: string): Promise<CompanyCard | undefined> {
  const card = await pastCompanyCard(tx, id);
  return card?.removed_at ? undefined : card;
}

/** The same, also of a company that was removed. */
export async function pastCompanyCard(tx: Tx, id: string): Promise<CompanyCard | undefined> {
  const { rows } = await sql<CompanyCard>`
    select c.id, c.root_id, c.agency_id, c.parent_id, c.kind, c.is_master, c.name, c.time_zone, c.phone, c.email,
           c.address, c.city, c.zip, c.state_code, c.country_code, c.legal_name, c.removed_at,
           (select jsonb_build_object('id', p.id, 'type', p.type, 'width', p.width, 'height', p.height)
            from picture p where p.id = b.logo_id) as logo,
           b.box_bgcolor, b.text_color, b.link_color, b.template_bgcolor, b.sidebar_bgcolor, b.font_theme
    from company c left join brand b on b.company_id = c.id and wears_own(c.id)
    where c.id = ${id}`.execute(tx);
  return rows[0];
}

export interface CompanyCard {
  id: string;
  root_id: string;
  agency_id: string | null;
  parent_id: string | null;
  kind: 'root' | 'agency' | 'client';
  is_master: boolean;
  name: string;
  time_zone: string;
  phone: string | null;
  email: string | null;
  address: string | null;
  city: string | null;
  zip: string | null;
  state_code: string | null;
  country_code: string | null;
  legal_name: string | null;
  removed_at: Date | null;
  logo: { id: string; type: string; width: number; height: number } | null;
  box_bgcolor: string | null;
  text_color: string | null;
  link_color: string | null;
  template_bgcolor: string | null;
  sidebar_bgcolor: string | null;
  font_theme: string | null;
}

/** Updates some of a company's details; the rest stays unchanged. */
export async function setDetails(
  tx: Tx,
  id: string,
  values: Pick<
    Updateable<Schema['company']>,
    'name' | 'phone' | 'email' | 'address' | 'city' | 'zip' | 'state_code' | 'country_code'
  >,
): Promise<void> {
  await tx.updateTable('company').set(values).where('id', '=', id).execute();
}

export async function deletePicture(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('picture').where('id', '=', id).execute();
}

/** Bytes and type of a person's picture, at a host of their root's system. */
export async function profilePicture(db: Db, id: string, rootId: string) {
  const { rows } = await sql<{ type: string; bytes: Buffer }>`
    select * from profile_picture(${id}, ${rootId})`.execute(db);
  return rows[0];
}
