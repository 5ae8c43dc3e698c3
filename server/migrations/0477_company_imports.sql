-- Imports of full exports (docs/decisions/0472-company-imports.md). Rows of an archive are read into company_import_row, part by
-- part, and become rows of their tables in one transaction, so that nothing half done is visible and an import that was
-- cut off goes on where it was.
create table company_import (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid not null, -- the agency that receives the client, or that the archive's agency becomes
  company_id   uuid not null, -- what the archive's company becomes
  company_kind text not null check (company_kind in ('agency', 'client')),
  name         text not null check (length(name) between 1 and 255),
  sha256       bytea not null check (length(sha256) = 32), -- of the archive
  new_ids      boolean not null, -- its ids are taken here, so each row gets one derived from its own and this import's
  balances     text check (balances in ('open', 'none')), -- what becomes of its balances; null: not decided yet
  state        text not null check (state in ('reading', 'read', 'done')),
  parts_read   integer not null default 0 check (parts_read >= 0), -- files of the archive whose rows are here
  manifest     jsonb not null,
  result       jsonb, -- what was made, and how it compares with the archive
  created_at   timestamptz not null,
  finished_at  timestamptz,
  unique (root_id, id),
  check ((state = 'done') = (finished_at is not null and result is not null))
);
-- One at a time for each archive and whom it is imported under. The id of an agency follows from the archive.
create unique index company_import_open on company_import (root_id, sha256, (case company_kind when 'client' then agency_id end))
  nulls not distinct where state <> 'done';
create index company_import_newest on company_import (root_id, created_at desc, id);
call protect('company_import');
create policy between_others on company_import as restrictive to lead_agency using (false) with check (false);
create policy between_others_too on company_import as restrictive to lead_client using (false) with check (false);
grant select, insert, update, delete on company_import to lead_app;

-- A row of an archive: as it will be inserted, until the import is done. Then it is what the archive said of it that the
-- row in the table does not (kept), or, for a document, the whole row.
create table company_import_row (
  import_id   uuid not null,
  table_name  text not null,
  key         text not null, -- the row's key, as text
  number      bigint not null, -- its place in its table
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  is_document boolean not null,
  content     text not null, -- a JSON object
  kept        text,
  bytes       bytea, -- its file
  primary key (import_id, table_name, key),
  foreign key (root_id, import_id) references company_import (root_id, id) on delete cascade
);
create index company_import_row_in_order on company_import_row (import_id, table_name, number);
call protect('company_import_row');
create policy between_others on company_import_row as restrictive to lead_agency using (false) with check (false);
create policy between_others_too on company_import_row as restrictive to lead_client using (false) with check (false);
grant select, insert, update, delete on company_import_row to lead_app;

-- Which of these ids belong to a company of any root, which one root's scope does not see.
create function companies_there(ids uuid[]) returns setof uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select id from company where id = any(ids)
$$;
revoke execute on function companies_there from public;
grant execute on function companies_there to lead_app;
