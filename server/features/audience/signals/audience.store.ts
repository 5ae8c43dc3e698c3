import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import { type Audience, formsOf } from '../../campaigns/campaigns/index.ts';

/** Returns a text as words: lower case, one space between them. */
const wordsOf = (column: RawBuilder<unknown>): RawBuilder<string> =>
  sql`btrim(regexp_replace(lower(${column}), '[^[:alnum:]+#]+', ' ', 'g'))`;
/** Returns a text in the form used for whole comparison: without case, spaces and punctuation. */
const plain = (column: RawBuilder<unknown>): RawBuilder<string> =>
  sql`regexp_replace(lower(${column}), '[^[:alnum:]]+', '', 'g')`;

/** Stages the audiences of targets for the transaction, in the forms that `fits` compares. */
export async function keepAudiences(tx: Tx, rows: (Audience & { target: number })[]): Promise<void> {
  const given = rows.map((row) => ({ target: row.target, ...formsOf(row) }));
  await sql`
    create temp table intent_audience on commit drop as
    select r.target, r.seniorities, r.departments, r.sizes::int4multirange as sizes,
      array(select ${wordsOf(sql`t`)} from unnest(r.titles) t) as titles,
      array(select ${wordsOf(sql`i`)} from unnest(r.industries) i) as industries
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
      r (target integer, titles text[], seniorities text[], departments text[], industries text[], sizes text)`.execute(
    tx,
  );
  await sql`analyze pg_temp.intent_audience`.execute(tx);
}

/**
 * Returns those rows with target and person_id whose person fits the target's audience: people with known business data
 * who match what it asks for. For merged people, a single row has to match all of it. Targets without an audience keep
 * everyone.
 */
export function fitting(rootId: string, rows: RawBuilder<unknown>, merged: boolean): RawBuilder<unknown> {
  const ids = merged
    ? sql`(select g.person_id union all
        select o.person_id from person_merge o where o.root_id = ${rootId} and o.top_id = g.person_id and o.undone_at is null)`
    : sql`(g.person_id)`;
  return sql`
    select g.* from (${rows}) g
    left join pg_temp.intent_audience a on a.target = g.target
    where a.target is null or exists (
      select from person p
      left join person_profile f on f.root_id = p.root_id and f.person_id = p.id
      cross join lateral (select string_to_array(${wordsOf(sql`coalesce(p.job_title, f.headline, '')`)}, ' ') as title,
        string_to_array(${wordsOf(sql`coalesce(f.industry, '')`)}, ' ') as industry) w
      where p.root_id = ${rootId} and p.id in ${ids}
        and coalesce(p.job_title, p.company_name, f.headline, f.seniority, f.department, f.company_domain, f.industry, f.company_size,
          f.company_revenue, f.company_phone, f.business_email, f.linkedin, f.naics, f.sic) is not null
        and (a.seniorities = '{}' or ${plain(sql`f.seniority`)} = any(a.seniorities))
        and (a.departments = '{}' or ${plain(sql`f.department`)} = any(a.departments))
        and (isempty(a.sizes) or f.employees <@ a.sizes)
        and (a.titles = '{}' or exists (select from unnest(a.titles) t where string_to_array(t, ' ') <@ w.title))
        and (a.industries = '{}' or exists (select from unnest(a.industries) i where string_to_array(i, ' ') <@ w.industry)))`;
}
