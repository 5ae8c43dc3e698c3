import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export type Claim = Selectable<Schema['domain_claim']>;

/** Returns a company's verified hosts, the main one first. */
export async function domainsOf(tx: Tx, companyId: string) {
  return tx
    .selectFrom('domain')
    .select(['host', 'kind', 'is_primary'])
    .where('company_id', '=', companyId)
    .where('verified_at', 'is not', null)
    .orderBy('is_primary', 'desc')
    .orderBy('created_at')
    .execute();
}

/** Adds a host. Returns false if it is already taken. */
export async function addDomain(tx: Tx, row: Insertable<Schema['domain']>): Promise<boolean> {
  const added = await tx
    .insertInto('domain')
    .values(row)
    .onConflict((conflict) => conflict.column('host').doNothing())
    .returning('host')
    .executeTakeFirst();
  return added !== undefined;
}

export async function removeDomains(tx: Tx, companyId: string, kind: 'custom'): Promise<void> {
  await tx.deleteFrom('domain').where('company_id', '=', companyId).where('kind', '=', kind).execute();
}

/** Stops serving a company's subdomain, but keeps others from taking it until an instant. */
export async function reserveSubdomain(tx: Tx, companyId: string, until: Date): Promise<void> {
  await tx
    .updateTable('domain')
    .set({ kind: 'former', is_primary: false, verified_at: null, reserved_until: until })
    .where('company_id', '=', companyId)
    .where('kind', '=', 'subdomain')
    .execute();
}

/** Frees those of a company's former subdomains that are wanted again, or of which it has more than `most`. */
export async function freeFormer(tx: Tx, companyId: string, host: string, most: number): Promise<void> {
  await tx
    .deleteFrom('domain')
    .where('company_id', '=', companyId)
    .where('kind', '=', 'former')
    .where((eb) =>
      eb.or([
        eb('host', '=', host),
        eb(
          'host',
          'in',
          eb
            .selectFrom('domain as d')
            .select('d.host')
            .where('d.company_id', '=', companyId)
            .where('d.kind', '=', 'former')
            .orderBy('d.reserved_until', 'desc')
            .orderBy('d.host')
            .offset(most),
        ),
      ]),
    )
    .execute();
}

/** Frees the former subdomains in the scope whose time is over. */
export async function freeOver(tx: Tx, now: Date): Promise<void> {
  await tx.deleteFrom('domain').where('kind', '=', 'former').where('reserved_until', '<=', now).execute();
}

/** Makes the oldest of a company's hosts of a kind its only main host. */
export async function setPrimary(
  tx: Tx,
  companyId: string,
  kind: 'subdomain' | 'custom' | null,
): Promise<void> {
  await tx
    .updateTable('domain')
    .set({ is_primary: false })
    .where('company_id', '=', companyId)
    .where('is_primary', '=', true)
    .execute();
  if (!kind) return;
  await tx
    .updateTable('domain')
    .set({ is_primary: true })
    .where('host', '=', (eb) =>
      eb
        .selectFrom('domain')
        .select('host')
        .where('company_id', '=', companyId)
        .where('kind', '=', kind)
        .orderBy('created_at')
        .limit(1),
    )
    .execute();
}

/** Returns whether a host belongs to someone else, or is part of a root's own domain. */
export async function hostState(
  tx: Tx,
  host: string,
  companyId: string,
): Promise<{ taken: boolean; roots: boolean }> {
  const { rows } = await sql<{ taken: boolean; roots: boolean }>`
    select host_is_taken(${host}, ${companyId}) as taken, host_is_of_a_root(${host}) as roots`.execute(tx);
  return rows[0]!;
}

/** A company's claims, the newest first. */
export async function claimsOf(tx: Tx, companyId: string): Promise<Claim[]> {
  return tx
    .selectFrom('domain_claim')
    .selectAll()
    .where('company_id', '=', companyId)
    .orderBy('created_at', 'desc')
    .orderBy('host')
    .execute();
}

/** Reads a claim again, locked against a concurrent check. */
export async function lockClaim(tx: Tx, companyId: string, host: string): Promise<Claim | undefined> {
  return tx
    .selectFrom('domain_claim')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('host', '=', host)
    .forUpdate()
    .executeTakeFirst();
}

/** Saves a claim; an existing one is left unchanged. */
export async function addClaim(tx: Tx, row: Insertable<Schema['domain_claim']>): Promise<void> {
  await tx
    .insertInto('domain_claim')
    .values(row)
    .onConflict((conflict) => conflict.columns(['company_id', 'host']).doNothing())
    .execute();
}

export async function updateClaim(
  tx: Tx,
  companyId: string,
  host: string,
  values: Updateable<Schema['domain_claim']>,
): Promise<void> {
  await tx
    .updateTable('domain_claim')
    .set(values)
    .where('company_id', '=', companyId)
    .where('host', '=', host)
    .execute();
}

/** Deletes a company's claims except the one for `except`; with `waiting`, only those that were never verified. */
export async function removeClaims(
  tx: Tx,
  companyId: string,
  options: { except?: string; waiting?: boolean } = {},
): Promise<void> {
  await tx
    .deleteFrom('domain_claim')
    .where('company_id', '=', companyId)
    .$if(options.except !== undefined, (q) => q.where('host', '<>', options.except!))
    .$if(options.waiting === true, (q) => q.where('status', '=', 'waiting'))
    .execute();
}

/** Returns the claims in the scope that are due for a check. */
export async function dueClaims(tx: Tx, now: Date, limit: number): Promise<Claim[]> {
  return tx
    .selectFrom('domain_claim')
    .selectAll()
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(limit)
    .execute();
}
