-- Our bidder over HTTP (docs/decisions/0489-bidder.md): exchanges that may ask for bids, each with a key, and the budget
-- that bids are taken from.
create table ad_exchange (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid check (agency_id is null),
  company_id uuid not null check (company_id = root_id),
  name       text not null check (length(name) between 1 and 255),
  key_hash   bytea not null unique check (length(key_hash) = 32),
  state      text not null default 'active' check (state in ('active', 'removed')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
create index ad_exchange_newest on ad_exchange (root_id, created_at desc);
call protect('ad_exchange');
grant select, insert, update on ad_exchange to lead_app;

-- Asked before a scope is known.
create function ad_exchange_by_key(wanted bytea) returns table (id uuid, root_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select e.id, e.root_id from ad_exchange e where e.key_hash = wanted and e.state = 'active'
$$;
revoke execute on function ad_exchange_by_key from public;
grant execute on function ad_exchange_by_key to lead_app;

-- A part of a campaign's budgets that one process bids from without asking again. It is promised like an impression: in
-- `held_micros` of the campaign and of the day. What is billed becomes impressions, and the rest is given back.
create table ad_lease (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  campaign_id uuid not null,
  day         date not null, -- In the client's time zone: when its bids are made.
  at          timestamptz not null,
  expires_at  timestamptz not null,
  left_micros bigint not null check (left_micros >= 0),
  foreign key (root_id, campaign_id) references ad_campaign (root_id, campaign_id)
);
create index ad_lease_expiring on ad_lease (root_id, expires_at);
create index ad_lease_by_campaign on ad_lease (campaign_id);
call protect('ad_lease');
grant select, insert, update, delete on ad_lease to lead_app;
