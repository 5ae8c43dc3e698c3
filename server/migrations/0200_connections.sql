-- A company's sign-in at a service that leads are delivered to, used by any number of its campaigns.
create table connection (
  id                 uuid primary key,
  root_id            uuid not null,
  agency_id          uuid not null,
  company_id         uuid not null,
  vendor             text not null,           -- the folder in server/integrations
  name               text not null,
  account            text not null,           -- what the credentials lead to, in the vendor's words
  credentials_sealed text,                    -- gone when it is removed
  state              text not null check (state in ('connected', 'broken', 'paused', 'removed')),
  state_reason       text,
  held_until         timestamptz,             -- the vendor asked to wait until then
  checked_at         timestamptz,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  unique (root_id, id),
  check ((state = 'removed') = (credentials_sealed is null)),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create index connection_by_company on connection (company_id, created_at) where state <> 'removed';
call protect('connection');
grant select, insert, update on connection to lead_app;

-- A destination of a campaign: a webhook of its own, or a connection with its settings and field mapping.
alter table integration
  add column connection_id uuid,
  add column name text not null default '',
  add column settings jsonb not null default '{}',
  add column mapping jsonb not null default '{}',
  alter column url drop not null,
  alter column secret_sealed drop not null,
  drop constraint integration_kind_check,
  add constraint integration_kind_check check (
    case kind when 'webhook' then url is not null and secret_sealed is not null and connection_id is null
    else url is null and secret_sealed is null and connection_id is not null end),
  add constraint integration_connection_fkey foreign key (root_id, connection_id) references connection (root_id, id);
create index integration_by_connection on integration (connection_id) where connection_id is not null;

-- 'unknown': an attempt may have arrived, but its response was lost. remote_id: the record at the vendor.
alter table delivery
  add column remote_id text,
  drop constraint delivery_state_check,
  add constraint delivery_state_check check (state in ('pending', 'unknown', 'delivered', 'failed'));
drop index delivery_open;
create index delivery_open on delivery (root_id, next_at) where state in ('pending', 'unknown');
-- What waits for a connection has no time; what failed is listed by company until it is resent.
create index delivery_waiting on delivery (integration_id, id) where state in ('pending', 'unknown') and next_at is null;
create index delivery_failed on delivery (company_id, integration_id) where state = 'failed' and not is_test;

update integration set name = url where kind = 'webhook';
