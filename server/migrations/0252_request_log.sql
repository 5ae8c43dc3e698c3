-- Requests with API keys, for 30 days (docs/decisions/0252-request-log.md). What people typed is not in it.
create table developer_request (
  id              uuid primary key,
  root_id         uuid not null,
  agency_id       uuid not null,
  company_id      uuid not null,
  key_id          uuid not null,
  mode            text not null check (mode in ('live', 'test')),
  method          text not null,
  route           text not null, -- the address's pattern: /v1/leads/:id
  path            text not null, -- with its query
  status          smallint not null,
  duration_ms     integer not null,
  ip              text,
  user_agent      text,
  idempotency_key text,
  body            text, -- JSON, with texts left out
  problem         text, -- JSON: why it was refused
  at              timestamptz not null,
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create index developer_request_by_company on developer_request (company_id, at desc, id desc);
create index developer_request_by_key on developer_request (key_id, at desc, id desc);
create index developer_request_refused on developer_request (company_id, at desc, id desc) where status >= 400;
create index developer_request_at on developer_request using brin (at);
call protect('developer_request');
grant select, insert on developer_request to lead_app;

-- How many requests keys made, by day (UTC). Test keys count for their sandbox.
create table developer_usage (
  company_id uuid not null,
  day        date not null,
  root_id    uuid not null,
  agency_id  uuid not null,
  requests   bigint not null,
  refused    bigint not null,
  primary key (company_id, day),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
call protect('developer_usage');
grant select, insert, update on developer_usage to lead_app;

-- Deletes what the developer API no longer needs, a part at a time, in all systems, sandboxes included. Returns how many rows.
create function forget_developer(requests_before timestamptz, writes_before timestamptz, most integer) returns bigint
language sql security definer set search_path = public, pg_temp as $$
  with requests as (
    delete from developer_request where ctid = any(array(
      select ctid from developer_request where at < requests_before limit most)) returning 1),
  writes as (
    delete from developer_write where ctid = any(array(
      select ctid from developer_write where created_at < writes_before limit most)) returning 1)
  select (select count(*) from requests) + (select count(*) from writes)
$$;
revoke execute on function forget_developer(timestamptz, timestamptz, integer) from public;
grant execute on function forget_developer(timestamptz, timestamptz, integer) to lead_app;
create index developer_write_at on developer_write (created_at);
drop index developer_write_by_date;
