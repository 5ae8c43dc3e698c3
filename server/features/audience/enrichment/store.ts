import { type Selectable, sql } from 'kysely';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { ChoiceRow } from './policy.ts';

/**
 * Returns the choices that bind companies of the scope, from their root down. Companies that no choice binds are
 * missing.
 */
export async function choicesOf(tx: Tx, companyIds: readonly string[]): Promise<Map<string, ChoiceRow[]>> {
  const found = new Map<string, ChoiceRow[]>();
  if (companyIds.length === 0) return found;
  const { rows } = await sql<ChoiceRow & { company_id: string }>`
    select company_id, level, information, providers from data_choices(${companyIds}::uuid[])`.execute(tx);
  for (const { company_id, ...row } of rows) {
    const list = found.get(company_id);
    if (list) list.push(row);
    else found.set(company_id, [row]);
  }
  return found;
}

/**
 * Prevents a root's choices from being narrowed while a campaign starts asking, until the transaction ends (`shared`:
 * any number of campaigns at once).
 */
export async function holdChoices(tx: Tx, rootId: string, shared: boolean): Promise<void> {
  const key = sql`hashtextextended(${`data choices of ${rootId}`}, 0)`;
  await sql`select ${shared ? sql`pg_advisory_xact_lock_shared(${key})` : sql`pg_advisory_xact_lock(${key})`}`.execute(
    tx,
  );
}

/** Stores the choice of a company; null removes it. */
export async function keepChoice(
  tx: Tx,
  owner: Owner,
  choice: { information: number[]; providers: string[] } | null,
  at: Date,
): Promise<void> {
  if (!choice) {
    await tx.deleteFrom('data_choice').where('company_id', '=', owner.company_id).execute();
    return;
  }
  const set = { ...choice, updated_at: at };
  await tx
    .insertInto('data_choice')
    .values({ ...owner, ...set })
    .onConflict((conflict) => conflict.column('company_id').doUpdateSet(set))
    .execute();
}

/** Returns a company; `lock` locks its row, so that concurrent changes to what depends on it wait for each other. */
export async function companyById(tx: Tx, id: string, lock = false) {
  const query = tx
    .selectFrom('company')
    .select(['id', 'root_id', 'agency_id', 'parent_id', 'kind', 'name'])
    .where('id', '=', id)
    .where('removed_at', 'is', null);
  return (lock ? query.forNoKeyUpdate() : query).executeTakeFirst();
}

/**
 * Returns how many running or paused campaigns of a company and those below it ask for each field, and their numbers
 * (at most 5).
 */
export async function askedOf(
  tx: Tx,
  company: { id: string; kind: 'root' | 'agency' | 'client' },
): Promise<Map<number, { campaigns: number; numbers: number[] }>> {
  const of = { root: sql.ref('c.root_id'), agency: sql.ref('c.agency_id'), client: sql.ref('c.company_id') };
  const { rows } = await sql<{ id: number; campaigns: bigint; numbers: string[] }>`
    select asked.id, count(*) as campaigns, (array_agg(c.number order by c.number))[1:5]::text[] as numbers
    from campaign c, unnest(c.advance_information || c.b2b_information) asked (id)
    where ${of[company.kind]} = ${company.id} and c.state in ('active', 'paused')
      and (c.advance_information <> '{}' or c.b2b_information <> '{}')
    group by asked.id`.execute(tx);
  return new Map(
    rows.map(({ id, campaigns, numbers }) => [
      id,
      { campaigns: Number(campaigns), numbers: numbers.map(Number) },
    ]),
  );
}

/** A lead's values to be stored; `fields` by the catalog's keys. */
export interface LeadValues {
  lead_id: string;
  owner: Owner & { agency_id: string };
  campaign_id: string;
  fields: Record<string, string | null>;
  waits_until: Date | null;
}

/** Stores what leads were given. */
export async function insertLeadData(tx: Tx, rows: readonly LeadValues[], at: Date): Promise<void> {
  await sql`
    insert into lead_data (lead_id, root_id, agency_id, company_id, campaign_id, fields, waits_until, created_at)
    select *, ${at}::timestamptz from unnest(${rows.map((r) => r.lead_id)}::uuid[], ${rows.map((r) => r.owner.root_id)}::uuid[],
      ${rows.map((r) => r.owner.agency_id)}::uuid[], ${rows.map((r) => r.owner.company_id)}::uuid[],
      ${rows.map((r) => r.campaign_id)}::uuid[], ${rows.map((r) => JSON.stringify(r.fields))}::jsonb[],
      ${rows.map((r) => r.waits_until)}::timestamptz[])`.execute(tx);
}

/** Remembers which fields leads of campaigns have been given. */
export async function addGiven(
  tx: Tx,
  rows: readonly { owner: Owner & { agency_id: string }; campaignId: string; field: number }[],
): Promise<void> {
  if (rows.length === 0) return;
  // Looked up first: in all but the first batch of a campaign there is nothing to insert.
  await sql`
    insert into campaign_data (campaign_id, field, root_id, agency_id, company_id)
    select g.* from unnest(${rows.map((r) => r.campaignId)}::uuid[], ${rows.map((r) => r.field)}::smallint[],
      ${rows.map((r) => r.owner.root_id)}::uuid[], ${rows.map((r) => r.owner.agency_id)}::uuid[],
      ${rows.map((r) => r.owner.company_id)}::uuid[]) g (campaign_id, field, root_id, agency_id, company_id)
    where not exists (select from campaign_data d where d.campaign_id = g.campaign_id and d.field = g.field)
    on conflict do nothing`.execute(tx);
}

/** Returns the fields that leads of a list's campaigns have ever been given. */
export async function everGiven(
  tx: Tx,
  of: {
    campaignId?: string | undefined;
    companyId?: string | undefined;
    module?: Schema['campaign']['module'] | undefined;
  },
): Promise<number[]> {
  let query = tx.selectFrom('campaign_data as d').select('d.field').distinct();
  if (of.campaignId) query = query.where('d.campaign_id', '=', of.campaignId);
  if (of.companyId) query = query.where('d.company_id', '=', of.companyId);
  if (of.module)
    query = query.where(
      'd.campaign_id',
      'in',
      tx.selectFrom('campaign').select('id').where('module', '=', of.module),
    );
  return (await query.execute()).map((row) => row.field);
}

/**
 * Returns what leads were given, by id; leads that no field was asked for are missing. A client without phone numbers
 * gets no phone numbers here either.
 */
export async function dataOf(
  tx: Tx,
  leadIds: readonly string[],
): Promise<Map<string, Record<string, string | null>>> {
  if (leadIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom('lead_data as d')
    .innerJoin('company as k', 'k.id', 'd.company_id')
    .modifyFront(sql`/* kept: lead_data */`)
    .select([
      'd.lead_id',
      sql<
        Record<string, string | null>
      >`case when k.phones_off then d.fields - 'company_phone' else d.fields end`.as('fields'),
    ])
    .where('d.lead_id', '=', sql<string>`any(${leadIds}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.lead_id, row.fields]));
}

export type ProviderRow = Selectable<Schema['data_provider']>;

/** The vendors that a root has an account with. */
export async function providersOf(tx: Tx, rootId: string): Promise<ProviderRow[]> {
  return tx.selectFrom('data_provider').selectAll().where('root_id', '=', rootId).execute();
}

/** Stores the sealed key of an account with a vendor and resets its figures; null removes the key. */
export async function keepProvider(
  tx: Tx,
  owner: Owner,
  provider: ProviderRow['provider'],
  sealed: string | null,
  at: Date,
): Promise<void> {
  await tx
    .deleteFrom('data_provider')
    .where('root_id', '=', owner.root_id)
    .where('provider', '=', provider)
    .execute();
  if (sealed)
    await tx
      .insertInto('data_provider')
      .values({ ...owner, provider, key_sealed: sealed, updated_at: at })
      // Someone else has kept one in the same moment: the later one holds.
      .onConflict((conflict) =>
        conflict.columns(['root_id', 'provider']).doUpdateSet({ key_sealed: sealed, updated_at: at }),
      )
      .execute();
}

/**
 * Returns a lead whose data is still being completed, and what a vendor is told about its person; undefined if the lead
 * no longer waits.
 */
export async function waitingLead(tx: Tx, leadId: string, lock = false) {
  const query = tx
    .selectFrom('lead_data as d')
    .innerJoin('lead_contact as x', 'x.lead_id', 'd.lead_id')
    .select(['d.fields', 'd.waits_until'])
    .select(['x.email', 'x.phone', 'x.first_name', 'x.last_name', 'x.address', 'x.city', 'x.state', 'x.zip'])
    .where('d.lead_id', '=', leadId)
    .where('d.waits_until', 'is not', null);
  const row = await (lock ? query.forUpdate('d') : query).executeTakeFirst();
  if (!row) return undefined;
  const { fields, waits_until, ...who } = row;
  return { fields, waits_until: waits_until!, who };
}

/** Stores the completed data of a lead, which then no longer waits. */
export async function completeLead(
  tx: Tx,
  leadId: string,
  fields: Record<string, string | null>,
): Promise<void> {
  await tx
    .updateTable('lead_data')
    .set({ fields: JSON.stringify(fields), waits_until: null })
    .where('lead_id', '=', leadId)
    .execute();
}

/** Counts the result of asking a vendor. `why`: the words of a failure. */
export async function countAnswer(
  tx: Tx,
  { root_id, provider }: ProviderRow,
  found: boolean,
  why: string | null,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('data_provider')
    .set((eb) => ({
      asked: eb('asked', '+', 1n),
      ...(found ? { found: eb('found', '+', 1n) } : {}),
      ...(why ? { failed: eb('failed', '+', 1n), last_error: why.slice(0, 500), last_error_at: at } : {}),
    }))
    .where('root_id', '=', root_id)
    .where('provider', '=', provider)
    .execute();
}
