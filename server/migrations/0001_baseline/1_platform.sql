-- The schema of version 0.2.0, one file for each area, run as one migration. Each table has its columns, constraints,
-- indexes, policies, and rights together, under the feature that owns it (server/features/index.ts). What came later is
-- in the migrations after this folder.

-- Roles belong to the cluster and not to the database, so server/platform/db/rights.ts creates them. lead_owner owns
-- everything, and no one signs in as it. lead_app has the application's rights, and lead_root, lead_agency, and
-- lead_client the same rights and one policy each. lead_ingest writes the visit log
-- (docs/decisions/0002-scope-and-owner-roles.md).

-- Functions name tables of the areas below, which do not exist yet. scripts/schema/schema.test.ts checks all of them.
set local check_function_bodies = off;

-- For indexes that combine an id and a text search. pg_trgm is there already (server/platform/db/rights.ts).
create extension if not exists btree_gin;

-- The scope that every transaction sets (server/platform/db/scope.ts). Outside of a scope, all three are null, and the
-- application sees no rows.
create function scope_root() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('scope.root_id', true), '')::uuid $$;
create function scope_agency() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('scope.agency_id', true), '')::uuid $$;
create function scope_company() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('scope.company_id', true), '')::uuid $$;

-- Separates the tenants in a table. Each row belongs to a root, perhaps to one of its agencies, and to one company. A
-- root's scope sees everything of the root, an agency's scope its own rows and those of its clients, and a client's
-- scope its own rows. There is one role for each kind of scope, so that each policy is one plain equality, which the
-- planner can estimate and find an index for.
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

-- Asked by /readyz, as a role that cannot read the table itself.
create function migrations_applied() returns integer
language sql stable security definer set search_path = public, pg_temp as $$ select count(*)::integer from migration $$;

-- How often something has been tried (server/platform/limits.ts). The key is a keyed hash, so the table does not reveal
-- anyone.
create table attempt (
  key           bytea primary key,
  tries         integer not null,
  last_at       timestamptz not null,
  blocked_until timestamptz
);
create index attempt_by_last on attempt (last_at);
grant select, insert, update, delete on attempt to lead_app;

-- How far this database's demo is: one row from the moment that it is begun. One that is begun but not whole, and that
-- no process is making, was interrupted, and the next start begins it again (server/main.ts).
create table demo (
  only_one boolean primary key default true check (only_one),
  begun_at timestamptz not null default now(),
  -- Where the demo's shop and receiver were when it was made: the demo's webhook points there.
  port     integer not null,
  whole_at timestamptz
);
