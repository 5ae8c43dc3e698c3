import type { Tx } from '../../../platform/db/scope.ts';

/** A root's rates, by country and state. */
export function rates(tx: Tx, rootId: string) {
  return tx
    .selectFrom('tax_rate')
    .select(['id', 'country_code', 'state_code', 'name', 'rate_ppm'])
    .where('root_id', '=', rootId)
    .orderBy('country_code')
    .orderBy('state_code')
    .execute();
}

/** A root's rates that may apply at a place: its state's, and that for the rest of its country. */
export function ratesAt(
  tx: Tx,
  rootId: string,
  place: { country_code: string | null; state_code: string | null },
) {
  return tx
    .selectFrom('tax_rate')
    .select(['id', 'country_code', 'state_code', 'name', 'rate_ppm'])
    .where('root_id', '=', rootId)
    .where('country_code', '=', place.country_code ?? '')
    .where('state_code', 'in', ['', place.state_code ?? ''])
    .execute();
}

export async function putRate(
  tx: Tx,
  row: {
    id: string;
    root_id: string;
    country_code: string;
    state_code: string;
    name: string;
    rate_ppm: number;
    updated_at: Date;
  },
): Promise<void> {
  await tx
    .insertInto('tax_rate')
    .values({ ...row, agency_id: null, company_id: row.root_id })
    .onConflict((clash) =>
      clash
        .columns(['root_id', 'country_code', 'state_code'])
        .doUpdateSet({ name: row.name, rate_ppm: row.rate_ppm, updated_at: row.updated_at }),
    )
    .execute();
}

/** Removes a rate; returns undefined if it does not exist. */
export function removeRate(tx: Tx, rootId: string, id: string) {
  return tx
    .deleteFrom('tax_rate')
    .where('root_id', '=', rootId)
    .where('id', '=', id)
    .returning(['country_code', 'state_code', 'name'])
    .executeTakeFirst();
}

const PROFILE = ['tax_id', 'is_exempt', 'exempt_reason', 'rate_name', 'rate_ppm'] as const;

/** Returns a company's tax details. */
export function profile(tx: Tx, companyId: string) {
  return tx.selectFrom('tax_profile').select(PROFILE).where('company_id', '=', companyId).executeTakeFirst();
}

/** Sets a company's tax details, as its issuer decides. Returns them. */
export function putProfile(
  tx: Tx,
  row: {
    company_id: string;
    root_id: string;
    agency_id: string | null;
    tax_id: string;
    is_exempt: boolean;
    exempt_reason: string;
    rate_name: string;
    rate_ppm: number | null;
    updated_at: Date;
  },
) {
  const { company_id: _company, root_id: _root, agency_id: _agency, ...change } = row;
  return tx
    .insertInto('tax_profile')
    .values(row)
    .onConflict((clash) => clash.column('company_id').doUpdateSet(change))
    .returning(PROFILE)
    .executeTakeFirstOrThrow();
}

/** Sets a company's tax number and nothing else of its tax details. Returns them all. */
export function putTaxId(
  tx: Tx,
  row: { company_id: string; root_id: string; agency_id: string | null; tax_id: string; updated_at: Date },
) {
  const { tax_id, updated_at } = row;
  return tx
    .insertInto('tax_profile')
    .values(row)
    .onConflict((clash) => clash.column('company_id').doUpdateSet({ tax_id, updated_at }))
    .returning(PROFILE)
    .executeTakeFirstOrThrow();
}

/** Returns a page of the companies directly below one, by name, with their tax details. */
export async function payers(
  tx: Tx,
  of: { parentId: string; search: string | undefined; limit: number; offset: number },
) {
  const base = tx
    .selectFrom('company as c')
    .where('c.parent_id', '=', of.parentId)
    .where('c.removed_at', 'is', null)
    .$if(Boolean(of.search), (query) =>
      query.where('c.name', 'ilike', `%${of.search!.replaceAll(/[\\%_]/g, '\\$&')}%`),
    );
  const { count } = await base.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow();
  const rows = await base
    .leftJoin('tax_profile as p', 'p.company_id', 'c.id')
    .select([
      'c.id',
      'c.name',
      'c.country_code',
      'c.state_code',
      'p.tax_id',
      'p.is_exempt',
      'p.exempt_reason',
      'p.rate_name',
      'p.rate_ppm',
    ])
    .orderBy((eb) => eb.fn('lower', ['c.name']))
    .orderBy('c.id')
    .limit(of.limit)
    .offset(of.offset)
    .execute();
  return { rows, count: Number(count) };
}
