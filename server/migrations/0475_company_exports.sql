-- Full exports of clients and agencies (docs/decisions/0475-company-exports.md). Each belongs to the company that is
-- exported, so that its agency and its root see it.
create table company_export (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  company_kind text not null check (company_kind in ('agency', 'client')),
  -- 'held': the process died twice while making it, and someone has to try it again. 'removed': by someone, or because
  -- it was kept for long enough.
  state        text not null check (state in ('queued', 'making', 'held', 'ready', 'removed')),
  asked_by     uuid not null,
  created_at   timestamptz not null,
  finished_at  timestamptz,
  expires_at   timestamptz,
  file_path    text,
  bytes        bigint check (bytes > 0),
  sha256       bytea check (length(sha256) = 32), -- Of the archive.
  tables       jsonb, -- What is in it: rows of each table.
  error        text,
  check (state not in ('queued', 'making', 'held') or finished_at is null),
  check (state <> 'ready' or (finished_at is not null and file_path is not null and bytes is not null
    and sha256 is not null and expires_at is not null))
);
create index company_export_newest on company_export (company_id, created_at desc, id);
create index company_export_ending on company_export (root_id, expires_at) where state = 'ready';
-- One at a time for each company.
create unique index company_export_open on company_export (company_id) where state in ('queued', 'making', 'held');
call protect('company_export');
grant select, insert, update on company_export to lead_app;
