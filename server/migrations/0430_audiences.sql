-- Audiences of ads (docs/decisions/0430-audiences.md): lists that a client uploads, and people who meet a definition.
create table audience (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid not null,
  company_id    uuid not null,
  name          text not null check (length(name) between 1 and 255),
  source        text not null check (source in ('upload', 'leads', 'keywords')),
  kind          text check (kind in ('email', 'address', 'device', 'ip')), -- What an upload lists.
  origin        text check (origin in ('customers', 'other')), -- Where an upload comes from, as its client says.
  campaign_id   uuid, -- Whose leads are meant.
  days          smallint check (days between 1 and 730), -- Of how many days; null: all leads.
  search        jsonb, -- What is searched for among the signals.
  -- 'held': the process died twice while reading the file, and someone has to try it again.
  state         text not null check (state in ('queued', 'loading', 'held', 'ready', 'failed', 'removed')),
  error         text,
  file_name     text,
  file_path     text,
  byte_offset   bigint not null default 0,
  line          bigint not null default 0,
  total_rows    bigint not null default 0,
  rows_read     bigint not null default 0,
  rows_added    bigint not null default 0,
  rows_same     bigint not null default 0,
  rows_bad      bigint not null default 0,
  -- As of the last time its members were compared with the graph and with the exclusion lists.
  size          bigint not null default 0,
  matched       bigint not null default 0,
  excluded      bigint not null default 0,
  reachable     bigint not null default 0, -- Neither excluded nor without anything that a viewer is recognized by.
  addresses     bigint not null default 0, -- Not excluded, and with a postal address.
  refreshed_at  timestamptz,
  refresh_at    timestamptz, -- When that is due again.
  -- What an outside platform (Simpli.fi) calls it, and what it was given last.
  external_id   text,
  placed_hash   bytea,
  place_error   text,
  created_by    uuid,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  removed_at    timestamptz,
  unique (root_id, id),
  check ((source = 'upload') = (kind is not null and origin is not null)),
  check ((source = 'leads') = (campaign_id is not null)),
  check ((source = 'keywords') = (search is not null)),
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create unique index audience_name on audience (company_id, lower(name)) where state <> 'removed';
create index audience_by_company on audience (company_id, created_at desc);
create index audience_by_agency on audience (agency_id, created_at desc);
create index audience_by_root on audience (root_id, created_at desc);
create index audience_due on audience (root_id, refresh_at) where state = 'ready';
call protect('audience');
grant select, insert, update on audience to lead_app;

-- Whom an audience lists. `kind`: 0 a person of the graph, 1 email SHA-256, 3 email MD5, 5 device id, 7 IP, 10 a postal
-- address (its hash). Addresses are kept as they were given, because exclusion lists have domains and platforms take
-- postal addresses.
create table audience_member (
  id          bigint generated always as identity,
  audience_id uuid not null,
  kind        smallint not null check (kind in (0, 1, 3, 5, 7, 10)),
  value       bytea not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  email       text,
  address     text,
  city        text,
  state       text,
  zip         text,
  person_id   uuid, -- Who it is, as far as the graph knows.
  is_matched  boolean not null default false,
  is_excluded boolean not null default true, -- Until it has been compared with the exclusion lists.
  is_reachable boolean not null default false,
  has_address boolean not null default false,
  primary key (audience_id, kind, value),
  unique (id),
  foreign key (root_id, audience_id) references audience (root_id, id)
);
create index audience_member_in_order on audience_member (audience_id, id);
call protect('audience_member');
grant select, insert, update, delete on audience_member to lead_app;

-- What a viewer is recognized by as one of an audience: kinds 1, 5, and 7, of members who are not excluded.
create table audience_key (
  member_id   bigint not null,
  kind        smallint not null check (kind in (1, 5, 7)),
  value       bytea not null,
  audience_id uuid not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  primary key (member_id, kind, value),
  foreign key (member_id) references audience_member (id) on delete cascade
);
create index audience_key_by_value on audience_key (root_id, kind, value) include (audience_id);
create index audience_key_by_audience on audience_key (audience_id, member_id);
call protect('audience_key');
grant select, insert, delete on audience_key to lead_app;

create table audience_error (
  audience_id uuid not null,
  line        bigint not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  reason      text not null,
  value       text,
  primary key (audience_id, line),
  foreign key (root_id, audience_id) references audience (root_id, id)
);
call protect('audience_error');
grant select, insert, delete on audience_error to lead_app;

-- Who sees the ads of a campaign: only these audiences, and never those.
create table ad_campaign_audience (
  campaign_id uuid not null,
  audience_id uuid not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  is_excluded boolean not null,
  primary key (campaign_id, audience_id),
  foreign key (root_id, campaign_id) references ad_campaign (root_id, campaign_id),
  foreign key (root_id, audience_id) references audience (root_id, id)
);
create index ad_campaign_audience_by_audience on ad_campaign_audience (audience_id);
call protect('ad_campaign_audience');
grant select, insert, delete on ad_campaign_audience to lead_app;

-- The form in which streets are compared: without case and punctuation, and with the postal abbreviations.
create function street_form(street text) returns text language sql immutable as $$
  select btrim(
    regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
      regexp_replace(lower(street), '[^a-z0-9]+', ' ', 'g'),
      '\ystreet\y', 'st', 'g'), '\yavenue\y', 'ave', 'g'), '\yroad\y', 'rd', 'g'), '\ydrive\y', 'dr', 'g'), '\ylane\y', 'ln', 'g'),
      '\yboulevard\y', 'blvd', 'g'), '\ycourt\y', 'ct', 'g'), '\yplace\y', 'pl', 'g'), '\yapartment\y', 'apt', 'g'),
      '\ynorth\y', 'n', 'g'), '\ysouth\y', 's', 'g'), '\yeast\y', 'e', 'g'), '\ywest\y', 'w', 'g'))
$$;
revoke execute on function street_form from public;
grant execute on function street_form to lead_app;
