-- Enhance ID and B2B ID (spec product 3 and 5, calls 7; docs/decisions/0075-enhance-and-b2b.md).

-- Who a B2B ID campaign wants, beside what it looks for: '{}' is anybody. sizes: numbers of contract/audience/audience.ts.
alter table campaign_target
  add column titles      text[] not null default '{}',
  add column seniorities text[] not null default '{}',
  add column departments text[] not null default '{}',
  add column industries  text[] not null default '{}',
  add column sizes       smallint[] not null default '{}';

-- The hashes of a keyword's single stems, where these may stand in any order; '{}': they stand as written (Search ID).
alter table campaign_keyword add column stems bigint[] not null default '{}';

-- A count is made as the module matches.
alter table intent_count
  add column module      text not null default 'locator' check (module in ('locator', 'enhance', 'b2b')),
  add column titles      text[] not null default '{}',
  add column seniorities text[] not null default '{}',
  add column departments text[] not null default '{}',
  add column industries  text[] not null default '{}',
  add column sizes       smallint[] not null default '{}';

-- The least leads a day that the root lets an Enhance ID campaign be limited to: clients, who do not see its settings, limit
-- campaigns, too.
create function enhance_least_leads() returns integer
language sql stable security definer set search_path = public, pg_temp as $$
  select (s.value ->> 'minleaddayenhance')::integer from setting s
  where s.company_id = scope_root() and s.name = 'minleaddayenhance'
$$;
revoke execute on function enhance_least_leads() from public;
grant execute on function enhance_least_leads() to lead_app;
