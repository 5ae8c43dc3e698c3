-- The end of a client's relationship with its agency (docs/decisions/0471-offboarding.md). What is done is not kept here: each step
-- looks at what there is. Here is only what a person decided.

-- ─── accounts/offboarding ────────────────────────────────────────────────────────────────────────────────────────────

create table offboarding (
  company_id    uuid primary key, -- the client
  root_id       uuid not null,
  agency_id     uuid not null,
  state         text not null check (state in ('running', 'done', 'canceled')),
  keeps_balance boolean not null, -- what no card gets back stays as the client's credit with the agency
  delete_on     date not null, -- until when the agency keeps the client's data
  export_at     timestamptz, -- when someone said that the client has its data
  was_closed    boolean not null, -- whether the client could not add campaigns before
  problem       text not null default '' check (length(problem) <= 500), -- why the last run did not do more
  started_by    uuid not null,
  started_at    timestamptz not null,
  acts_as       uuid not null, -- with whose rights the job works
  ended_at      timestamptz,
  foreign key (root_id, company_id) references company (root_id, id),
  check ((state = 'running') = (ended_at is null))
);
create index offboarding_by_agency on offboarding (agency_id, started_at desc);
create index offboarding_running on offboarding (root_id, company_id) where state = 'running';
call protect('offboarding');
create policy never_for_clients on offboarding as restrictive to lead_client using (false) with check (false);
grant select, insert, update on offboarding to lead_app;
