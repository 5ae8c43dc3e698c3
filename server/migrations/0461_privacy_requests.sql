-- The privacy desk (docs/decisions/0461-privacy-desk.md): what people ask about their own data at a tenant's host, and
-- what became of it. Requests belong to the company at whose host they were made, and their root decides them.
create table privacy_request (
  id               uuid primary key,
  root_id          uuid not null,
  agency_id        uuid,
  company_id       uuid not null,
  kind             text not null check (kind in ('opt_out', 'access', 'delete', 'correct')),
  asked_by         text not null check (asked_by in ('self', 'agent')),
  agent_name       text not null default '' check (length(agent_name) <= 255),
  -- Who it is about. Personal data: emptied when the record has been kept for as long as it must be.
  name             text not null check (length(name) <= 255),
  email            text not null check (length(email) <= 70 and email = lower(email)),
  phone            text check (length(phone) <= 20), -- E.164.
  address          text not null default '' check (length(address) <= 255),
  state_code       text not null default '' check (state_code ~ '^([A-Z]{2})?$'),
  details          text not null default '' check (length(details) <= 1000),
  -- 'unproven': the code sent to the address has not come back.
  state            text not null check (state in ('unproven', 'open', 'completed', 'refused')),
  code_mac         bytea not null,
  duplicate_of     uuid, -- the earliest open request of the same kind and address
  received_at      timestamptz not null,
  proven_at        timestamptz,
  due_at           timestamptz not null,
  extended_at      timestamptz,
  extension_reason text check (length(extension_reason) between 1 and 500),
  decided_at       timestamptz,
  decided_by       uuid,
  refusal          text check (refusal in ('household', 'not_verified', 'agent_unproven', 'exempt', 'other')),
  answer           text not null default '' check (length(answer) <= 500),
  result           jsonb, -- what was found and done, in numbers
  unique (root_id, id),
  check ((state = 'unproven') = (proven_at is null)),
  check ((state in ('completed', 'refused')) = (decided_at is not null)),
  check ((state = 'refused') = (refusal is not null)),
  check ((extended_at is null) = (extension_reason is null)),
  foreign key (root_id, duplicate_of) references privacy_request (root_id, id)
);
create index privacy_request_open on privacy_request (root_id, due_at, id) where state = 'open';
create index privacy_request_newest on privacy_request (root_id, received_at desc, id);
create index privacy_request_by_email on privacy_request (root_id, email, kind);
create index privacy_request_unproven on privacy_request (root_id, received_at) where state = 'unproven';
call protect('privacy_request');
create policy asked_at_root on privacy_request as restrictive for insert to lead_agency, lead_client with check (false);
create policy decided_by_root on privacy_request as restrictive for update to lead_agency, lead_client using (false);
create policy deleted_by_root on privacy_request as restrictive for delete to lead_agency, lead_client using (false);
grant select, insert, update, delete on privacy_request to lead_app;

-- What happened to a request, in order. Without personal data, so that it can be kept.
create table privacy_event (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  request_id uuid not null,
  kind       text not null check (kind in ('received', 'proven', 'acknowledged', 'duplicate', 'extended', 'completed', 'refused')),
  words      text not null check (length(words) <= 1000),
  by_user    uuid, -- null: the person, or the product itself
  at         timestamptz not null,
  foreign key (root_id, request_id) references privacy_request (root_id, id)
);
create index privacy_event_of on privacy_event (request_id, at, id);
call protect('privacy_event');
call append_only('privacy_event');
create policy told_by_root on privacy_event as restrictive for insert to lead_agency, lead_client with check (false);
grant select, insert on privacy_event to lead_app;

-- A root's standing list of people who asked not to be sold: filled by requests, never undone or purged.
alter table exclusion_list
  add column is_standing boolean not null default false,
  add check (not is_standing or (level = 'root' and use = 'exclude' and state = 'active'));
create unique index exclusion_list_standing on exclusion_list (owner_id) where is_standing;
