-- The return desk (docs/decisions/0340-returns.md): clients give leads back, their agency decides.
create table return_request (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  campaign_id  uuid not null,
  lead_id      uuid not null,
  reason       text not null check (
    reason in ('wrong_person', 'invalid_contact', 'duplicate', 'customer', 'excluded', 'outside_target', 'other')),
  note         text not null default '' check (length(note) <= 500),
  state        text not null check (state in ('open', 'approved', 'declined')),
  proofs       jsonb not null, -- what was known about the lead when it was returned
  is_proven    boolean not null, -- whether one of them proves the reason
  answer       text not null default '' check (length(answer) <= 500),
  is_automatic boolean not null default false, -- approved because it was proven
  credit_id    uuid references credit (id),
  opened_by    uuid not null,
  decided_by   uuid, -- null also if it was automatic
  created_at   timestamptz not null,
  decided_at   timestamptz,
  unique (lead_id), -- a lead is returned at most once, whatever was decided
  check ((state = 'open') = (decided_at is null)),
  check ((state = 'approved') = (credit_id is not null)),
  foreign key (root_id, lead_id) references lead (root_id, id),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index return_request_by_company on return_request (company_id, state, created_at desc, id);
create index return_request_by_agency on return_request (agency_id, state, created_at desc, id);
create index return_request_by_root on return_request (root_id, state, created_at desc, id);
create index return_request_by_campaign on return_request (campaign_id);
call protect('return_request');
create policy returned_by_root on return_request as restrictive for insert to lead_agency, lead_client with check (false);
create policy decided_by_root on return_request as restrictive for update to lead_agency, lead_client using (false);
grant select, insert, update on return_request to lead_app;

-- Credit for two more reasons, and credit that nobody gave by hand.
alter table credit drop constraint credit_reason_check;
alter table credit add constraint credit_reason_check check (
  reason in ('wrong_person', 'duplicate', 'invalid_contact', 'customer', 'excluded', 'outside_target', 'goodwill',
    'promotion', 'other'));
alter table credit alter column user_id drop not null;
