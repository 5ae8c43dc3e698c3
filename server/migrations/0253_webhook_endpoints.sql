-- Webhooks of the developer API (docs/decisions/0253-webhook-endpoints.md): where an agency's programs are told of events.
create table developer_hook (
  id              uuid primary key,
  root_id         uuid not null,
  agency_id       uuid not null,
  company_id      uuid not null,
  url             text not null check (length(url) <= 2048),
  description     text not null default '' check (length(description) <= 200),
  types           text[] not null, -- of events; '*' for all
  client_ids      uuid[], -- only what concerns these clients
  state           text not null check (state in ('enabled', 'disabled', 'removed')),
  state_reason    text check (state_reason in ('person', 'gone', 'failing')),
  secret_sealed   text not null,
  previous_sealed text, -- signs, too, until previous_until
  previous_until  timestamptz,
  alerted         smallint not null default 0 check (alerted in (0, 50, 100)), -- how far retries had come when somebody was told
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  check ((previous_sealed is null) = (previous_until is null)),
  unique (root_id, id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create index developer_hook_by_company on developer_hook (company_id, created_at desc, id desc) where state <> 'removed';
create index developer_hook_at_work on developer_hook (agency_id) where state = 'enabled';
call protect('developer_hook');
grant select, insert, update on developer_hook to lead_app;

-- One event for one endpoint. What it says is read when it is sent: here are ids only.
create table developer_message (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  hook_id      uuid not null,
  type         text not null,
  object_id    uuid, -- what it is about; empty for a test
  message_id   text not null unique, -- webhook-id, the same on every attempt
  state        text not null check (state in ('pending', 'delivered', 'failed')),
  attempts     smallint not null default 0,
  next_at      timestamptz,
  is_test      boolean not null default false,
  event_key    text not null, -- of the event, so that an endpoint is told once
  created_at   timestamptz not null,
  delivered_at timestamptz,
  unique (root_id, id),
  unique (hook_id, event_key),
  foreign key (root_id, hook_id) references developer_hook (root_id, id)
);
create index developer_message_by_hook on developer_message (hook_id, created_at desc, id desc);
create index developer_message_by_state on developer_message (hook_id, state, created_at desc, id desc);
create index developer_message_at on developer_message using brin (created_at);
call protect('developer_message');
grant select, insert, update on developer_message to lead_app;

create table developer_attempt (
  message_id  uuid not null,
  number      smallint not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  started_at  timestamptz not null,
  duration_ms integer not null,
  status      smallint,
  answer      text,
  error       text,
  primary key (message_id, number),
  foreign key (root_id, message_id) references developer_message (root_id, id) on delete cascade
);
call protect('developer_attempt');
grant select, insert on developer_attempt to lead_app;

-- Which of these agencies have an endpoint for an event, and developer mode; a sandbox has its agency's. Asked in whatever scope
-- the event happens in: an endpoint is out of a client's sight.
create function hooks_wanted(agencies uuid[], wanted text) returns setof uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select distinct h.agency_id from developer_hook h
  left join developer_sandbox s on s.sandbox_agency_id = h.agency_id
  join company_billing b on b.company_id = coalesce(s.company_id, h.agency_id) and b.api_mode
  where h.agency_id = any(agencies) and h.state = 'enabled' and (h.types @> array[wanted] or h.types @> array['*'])
$$;
revoke execute on function hooks_wanted(uuid[], text) from public;
grant execute on function hooks_wanted(uuid[], text) to lead_app;

-- Deletes old messages with their attempts, a part at a time, in all systems. Returns how many.
create function forget_messages(before timestamptz, most integer) returns bigint
language sql security definer set search_path = public, pg_temp as $$
  with gone as (
    delete from developer_message where ctid = any(array(
      select ctid from developer_message where created_at < before and state <> 'pending' limit most)) returning 1)
  select count(*) from gone
$$;
revoke execute on function forget_messages(timestamptz, integer) from public;
grant execute on function forget_messages(timestamptz, integer) to lead_app;
