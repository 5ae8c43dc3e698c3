-- How many entries a list's company, or agency with its clients, could have when it was uploaded; null: no one asked.
alter table exclusion_list add column most_entries bigint;
create index exclusion_list_kept on exclusion_list (root_id, agency_id, company_id)
  include (state, rows_added, rows_bad, total_rows) where state <> 'removed';

-- How many entries and listed bad rows there are, or may be once everything is loaded: of a company, of an agency with
-- its clients, and of the whole system of the scope's root. Numbers only: a client's scope does not see the others' lists.
create function exclusion_entries(of_agency uuid, of_company uuid)
returns table (company bigint, agency bigint, root bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(sum(n) filter (where l.company_id = of_company), 0)::bigint,
    coalesce(sum(n) filter (where l.agency_id = of_agency), 0)::bigint, coalesce(sum(n), 0)::bigint
  from (select agency_id, company_id, case state
          when 'active' then rows_added + least(rows_bad, 100000)
          when 'failed' then least(rows_bad, 100000)
          else greatest(rows_added + least(rows_bad, 100000), total_rows) end as n
        from exclusion_list where root_id = scope_root() and state <> 'removed') l
$$;
revoke execute on function exclusion_entries(uuid, uuid) from public;
grant execute on function exclusion_entries(uuid, uuid) to lead_app;
