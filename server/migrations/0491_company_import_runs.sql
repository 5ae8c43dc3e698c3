-- Archives that a root imports from its page (docs/decisions/0473-import-page.md): each is tried first, then imported. The
-- rows of an import itself are in company_import.
create table company_import_run (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid, -- none: it is the root's
  company_id  uuid not null, -- the root
  receiver_id uuid, -- the agency that receives a client; null for an agency
  file_name   text not null check (length(file_name) between 1 and 255),
  file_path   text, -- null: the archive was deleted
  is_export   boolean not null, -- the file is that of a full export of this server, which deletes it by itself
  bytes       bigint not null check (bytes > 0),
  phase       text not null check (phase in ('try', 'import')),
  -- 'held': the process died twice during it. 'ready': of a trial, it can be imported; of an import, it is done.
  state       text not null check (state in ('queued', 'running', 'held', 'refused', 'ready', 'removed')),
  new_ids     boolean not null default false,
  balances    text check (balances in ('open', 'none')),
  step        text, -- where it is: checking, reading, importing, comparing
  step_done   integer not null default 0 check (step_done >= 0),
  step_of     integer not null default 0 check (step_of >= 0),
  result      jsonb, -- what would be made, or was, and how it compares with the archive
  made_id     uuid, -- the company that was made
  error       text,
  asked_by    uuid not null,
  created_at  timestamptz not null,
  finished_at timestamptz,
  check (made_id is null or phase = 'import'),
  check (agency_id is null and company_id = root_id),
  check (state <> 'ready' or (result is not null and finished_at is not null)),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index company_import_run_newest on company_import_run (root_id, created_at desc, id) where state <> 'removed';
create index company_import_run_ending on company_import_run (root_id, created_at) where file_path is not null;
call protect('company_import_run');
create policy between_others on company_import_run as restrictive to lead_agency using (false) with check (false);
create policy between_others_too on company_import_run as restrictive to lead_client using (false) with check (false);
grant select, insert, update on company_import_run to lead_app;
