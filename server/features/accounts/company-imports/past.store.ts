import { sql } from 'kysely';
import type { PastType } from '../../../../contract/accounts/company-imports.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** A document of an import, with the company that it is about. */
export interface Past {
  import_id: string;
  key: string;
  content: string;
  company_id: string;
  company_name: string;
  root_id: string;
  time_zone: string;
  /** Of a ledger line: its transfer. */
  transfer: string | null;
}

/** A longer document of money is of no export: what an invoice lists are documents of their own. */
const MOST_CHARS = 100_000;
/** How many documents of another one are shown. */
const MOST_PARTS = 1_000;
/** How many charges of a company are looked through. */
const MOST_CHARGES = 20_000;
/** Documents of a kind whose company is there: those of an import that is under way are not. */
const documents = (rootId: string, table: string, companyId?: string) =>
  sql`from company_import_row r join company c on c.id = r.company_id
  where r.root_id = ${rootId}::uuid and r.table_name = ${sql.lit(table)} and r.is_document
    and length(r.content) <= ${sql.lit(MOST_CHARS)}
    ${companyId ? sql`and r.company_id = ${companyId}::uuid` : sql``}`;
const columns = sql`r.import_id, r.key, r.content, r.company_id, r.root_id, c.name as company_name, c.time_zone`;

/** A page of documents of a kind that the scope sees, the newest first, with how many there are. */
export async function pageOfPast(
  tx: Tx,
  asked: {
    rootId: string;
    type: PastType;
    companyId?: string | undefined;
    search?: string | undefined;
    limit: number;
    offset: number;
  },
) {
  const all = documents(asked.rootId, asked.type, asked.companyId);
  const like = asked.search && `%${asked.search.replaceAll(/[\\%_]/g, '\\$&')}%`;
  const words = {
    invoice: sql`r.content::json ->> 'number' ilike ${like}`,
    charge: sql`r.content::json ->> 'description' ilike ${like}`,
    // A ledger line has the words of its transfer.
    entry: sql`(r.import_id, split_part(r.key, '|', 1)) in (
      select t.import_id, t.key from company_import_row t where t.root_id = ${asked.rootId}::uuid
        and t.table_name = 'transfer' and t.is_document and t.content::json ->> 'memo' ilike ${like})`,
  }[asked.type];
  const found = like ? sql`and ${words}` : sql``;
  // A comparison with a part of a key could not use the index under row level security: it is computed beforehand.
  const { rows } = await sql<Past>`
    with p as materialized (
      select ${columns}, split_part(r.key, '|', 1) as transfer_key ${all} ${found}
      order by r.key desc limit ${asked.limit} offset ${asked.offset})
    select p.*, t.content as transfer from p
    left join company_import_row t on ${sql.lit(asked.type === 'entry')} and t.import_id = p.import_id
      and t.table_name = 'transfer' and t.key = p.transfer_key and t.is_document and length(t.content) <= ${sql.lit(MOST_CHARS)}
    order by p.key desc`.execute(tx);
  const { rows: counts } = await sql<{ count: bigint }>`select count(*) as count ${all} ${found}`.execute(tx);
  return { rows, total: Number(counts[0]!.count) };
}

/** Of which kinds there are documents. */
export async function typesOfPast(
  tx: Tx,
  types: readonly PastType[],
  companyId: string | undefined,
): Promise<PastType[]> {
  const { rows } = await sql<{ type: PastType }>`
    select type from unnest(${types}::text[]) with ordinality x (type, at) where exists (
      select from company_import_row r join company c on c.id = r.company_id
      where r.table_name = x.type and r.table_name in ('invoice', 'charge', 'entry') and r.is_document
        ${companyId ? sql`and r.company_id = ${companyId}::uuid` : sql``}) order by at`.execute(tx);
  return rows.map(({ type }) => type);
}

/** A document that the scope sees. */
export async function pastById(
  tx: Tx,
  rootId: string,
  table: 'invoice' | 'charge' | 'transfer',
  id: string,
): Promise<Past | undefined> {
  const { rows } = await sql<Past>`
    select ${columns}, null as transfer ${documents(rootId, table)} and r.key = ${id} limit 1`.execute(tx);
  return rows[0];
}

/** Documents of an import that belong to an invoice or a charge, in order. */
export async function partsOf(
  tx: Tx,
  { import_id, key }: Pick<Past, 'import_id' | 'key'>,
  table: 'invoice_line' | 'credit_note' | 'refund',
): Promise<string[]> {
  const { rows } = await sql<{ content: string }>`
    select content from company_import_row where import_id = ${import_id}::uuid and table_name = ${table} and part_of = ${key}
      and length(content) <= ${sql.lit(MOST_CHARS)}
    order by number limit ${sql.lit(MOST_PARTS)}`.execute(tx);
  return rows.map(({ content }) => content);
}

/** The charges of a company that paid for invoices, the newest first. */
export async function chargesOfInvoices(tx: Tx, { import_id, company_id }: Past): Promise<string[]> {
  const { rows } = await sql<{ content: string }>`
    select content from company_import_row where import_id = ${import_id}::uuid and table_name = 'charge' and is_document
      and company_id = ${company_id}::uuid and length(content) <= ${sql.lit(MOST_CHARS)}
      and content::json ->> 'purpose' not like '%top_up' order by key desc limit ${sql.lit(MOST_CHARGES)}`.execute(
    tx,
  );
  return rows.map(({ content }) => content);
}

/** How many lines of a transfer are looked for: events have a handful. */
const LINES = 100;

/** The ledger lines of a transfer, each by its key: an import can have a million. */
export async function entriesOf(
  tx: Tx,
  { import_id, key }: Pick<Past, 'import_id' | 'key'>,
): Promise<string[]> {
  const keys = Array.from({ length: LINES }, (_, line) => `${key}|${line}`);
  const { rows } = await sql<{ content: string }>`
    select r.content from unnest(${keys}::text[]) with ordinality k (key, n) join company_import_row r
      on r.import_id = ${import_id}::uuid and r.table_name = 'entry' and r.key = k.key and r.is_document
      and length(r.content) <= ${sql.lit(MOST_CHARS)}
    order by k.n`.execute(tx);
  return rows.map(({ content }) => content);
}

/** The names of campaigns that are here. */
export async function namesOfCampaigns(tx: Tx, ids: string[]): Promise<Map<string, string>> {
  const rows = ids.length
    ? await tx.selectFrom('campaign').select(['id', 'name']).where('id', 'in', ids).execute()
    : [];
  return new Map(rows.map(({ id, name }) => [id, name]));
}
