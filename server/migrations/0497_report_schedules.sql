-- Reports by email (docs/decisions/0493-reports-by-email.md): a report of a root or an agency, made as a PDF when it is due and
-- sent to users of the same company.
create table report_schedule (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid, -- none: it is the root's
  company_id  uuid not null,
  report      text not null check (report in ('revenue', 'month', 'product', 'term', 'agency', 'client', 'campaign')),
  period      text not null check (period in ('week', 'month', 'quarter', 'year')),
  compare     text not null check (compare in ('previous', 'year')),
  every       text not null check (every in ('week', 'month')),
  user_ids    uuid[] not null check (cardinality(user_ids) <= 20), -- who gets it, if they still may
  is_paused   boolean not null default false,
  next_at     timestamptz not null,
  last_at     timestamptz, -- when it was last due or tried
  last_sent   integer check (last_sent >= 0), -- to how many; null: it could not be made and is tried again
  created_by  uuid not null,
  created_at  timestamptz not null,
  check ((last_sent is null) or (last_at is not null)),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index report_schedule_due on report_schedule (root_id, next_at) where not is_paused;
create index report_schedule_by_company on report_schedule (company_id);
call protect('report_schedule');
create policy none_of_clients on report_schedule as restrictive to lead_client using (false) with check (false);
grant select, insert, update, delete on report_schedule to lead_app;
