import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';

/** Maximum number of hits that are sorted; anything beyond that is not a useful search result. */
const MOST_SORTED = 10_000;

/** A company that a search has found; `agency_*` is the agency of a client. */
export interface FoundCompany {
  id: string;
  kind: 'agency' | 'client';
  name: string;
  owner_id: string | null;
  owner_name: string;
  agency_id: string | null;
  agency_name: string | null;
}

/** A campaign found by a search. */
export interface FoundCampaign {
  id: string;
  name: string;
  number: bigint;
  module: 'local' | 'locator' | 'enhance' | 'b2b' | 'simplifi';
  state: string;
  company_name: string | null;
  agency_id: string;
  agency_name: string | null;
}

/** The LIKE patterns: up to two letters match only where a word begins, more match anywhere (find_companies). */
function patterns(text: string): { pattern: string; other: string; start: string } {
  const plain = text.toLowerCase().replace(/[\\%_]/g, '\\$&');
  const start = `${plain}%`;
  return [...text].length < 3
    ? { pattern: start, other: `% ${start}`, start }
    : { pattern: `%${start}`, other: `%${start}`, start };
}

/** Names that begin with the text come first. */
const byName = (name: RawBuilder<unknown>, start: string) => sql`(${name} like ${start}) desc, ${name}`;

/** Companies of the scope by name, owner or the owner's address: at most `most` of each kind, nearest first. */
export async function companies(
  tx: Tx,
  text: string,
  kinds: readonly ('agency' | 'client')[],
  most: number,
): Promise<FoundCompany[]> {
  const { pattern, other, start } = patterns(text);
  const { rows } = await sql<FoundCompany>`/* kept: find_companies */
    select f.id, f.kind, f.name, f.owner_id, f.owner_name, a.id as agency_id, a.name as agency_name
    from (
      select c.*, row_number() over (partition by c.kind order by ${byName(sql`lower(c.name)`, start)}, c.id) as place
      from company c
      where c.id = any(array(select find_companies(${pattern}, ${other}, ${MOST_SORTED}))) and c.kind = any(${[...kinds]})
    ) f
    left join company a on a.id = f.agency_id and f.kind = 'client'
    where f.place <= ${most}
    order by f.place`.execute(tx);
  return rows;
}

/** Campaigns of the scope by name, or by their whole number: at most `most`, those that are not archived first. */
export async function campaigns(tx: Tx, text: string, most: number): Promise<FoundCampaign[]> {
  const { pattern, other, start } = patterns(text);
  const digits = /^#?(\d{1,15})$/.exec(text)?.[1];
  const numbered = digits ? sql`or (g.number = ${digits}::bigint and g.state <> 'removed')` : sql``;
  const { rows } = await sql<FoundCampaign>`${digits ? sql`` : sql.raw('/* kept: find_campaigns */')}
    select g.id, g.name, g.number, g.module, g.state, k.name as company_name, g.agency_id, a.name as agency_name
    from campaign g
    join company k on k.id = g.company_id
    left join company a on a.id = g.agency_id
    where g.id = any(array(select find_campaigns(${pattern}, ${other}, ${MOST_SORTED}))) ${numbered}
    order by g.state = 'archived', ${byName(sql`lower(g.name)`, start)}, g.id
    limit ${most}`.execute(tx);
  return rows;
}
