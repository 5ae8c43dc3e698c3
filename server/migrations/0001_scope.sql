-- The scope every transaction sets (platform/db/scope.ts) and the policies every tenant-owned table carries.
-- Roles are made by the migration runner, since they belong to the cluster and not to the database: lead_owner owns
-- everything; lead_app holds the application's rights; lead_root, lead_agency and lead_client have the same rights and
-- one policy each; lead_ingest is the visit log's writer. Outside a scope the application is none of the three and sees
-- no row at all.

create function scope_root() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('scope.root_id', true), '')::uuid $$;
create function scope_agency() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('scope.agency_id', true), '')::uuid $$;
create function scope_company() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('scope.company_id', true), '')::uuid $$;

-- Puts the tenant wall on a table. A row belongs to a root, perhaps to an agency of it, and to one company;
-- a root's scope sees its whole system, an agency's its own rows and its clients', a client's its own. One role a kind of
-- scope, so that each policy is one plain equality, which the planner can estimate and find an index for.
create procedure protect(tbl regclass, company_column text default 'company_id') language plpgsql as $$
begin
  execute format('alter table %s enable row level security', tbl);
  execute format('alter table %s force row level security', tbl);
  execute format('create policy root on %s to lead_root using (root_id = scope_root())', tbl);
  if exists (select from pg_attribute where attrelid = tbl and attname = 'agency_id') then
    execute format('create policy agency on %s to lead_agency using (agency_id = scope_agency())
                    with check (agency_id = scope_agency() and root_id = scope_root())', tbl);
  end if;
  execute format('create policy client on %1$s to lead_client using (%2$I = scope_company())
                  with check (%2$I = scope_company() and agency_id = scope_agency() and root_id = scope_root())', tbl, company_column);
  execute format('create policy owner on %s to lead_owner using (true) with check (true)', tbl);
end $$;

-- For a table that is only ever added to.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;
create procedure append_only(tbl regclass) language plpgsql as $$
begin
  execute format('create trigger append_only before update or delete on %s for each row execute function refuse_change()', tbl);
  execute format('create trigger append_only_truncate before truncate on %s execute function refuse_change()', tbl);
  execute format('revoke update, delete, truncate on %s from lead_app', tbl);
end $$;

create function migrations_applied() returns integer
language sql stable security definer set search_path = public, pg_temp as $$ select count(*)::integer from migration $$;
