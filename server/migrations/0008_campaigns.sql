create table campaign (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  number       bigint generated always as identity (start with 100001) unique, -- leadspeek_api_id, shown to people
  module       text not null check (module in ('local', 'locator', 'enhance', 'b2b', 'simplifi')),
  name         text not null check (length(name) between 1 and 255),
  state        text not null check (state in ('active', 'paused', 'archived', 'removed')),
  state_reason text,
  site_key     text not null unique,
  site_url     text not null,
  thank_you_url text,
  phone_required   boolean not null default false,
  address_required boolean not null default false,
  email_required   boolean not null default true,
  reidentify   text not null default 'never' check (reidentify in ('never', '1_week', '1_month', '3_months', '6_months', '12_months')),
  min_confidence smallint not null default 50 check (min_confidence between 0 and 100),
  daily_cap    integer check (daily_cap > 0),
  starts_on    date,
  ends_on      date,
  price_micros bigint not null check (price_micros >= 0),
  pixel_checked_at timestamptz,
  pixel_check  text,
  version      integer not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  unique (root_id, id),
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, agency_id) references company (root_id, id),
  check (ends_on >= starts_on)
);
create index campaign_by_company on campaign (company_id, created_at desc, id);
create index campaign_by_agency on campaign (agency_id, created_at desc, id);
create index campaign_by_root on campaign (root_id, created_at desc, id);
call protect('campaign');
alter table account add foreign key (root_id, campaign_id) references campaign (root_id, id);

-- What a root asks of an agency for a lead; a change is a new row with its date and never rewrites the past.
create table lead_cost (
  agency_id   uuid not null,
  module      text not null,
  valid_from  timestamptz not null,
  root_id     uuid not null,
  company_id  uuid not null,
  cost_micros bigint not null check (cost_micros >= 0),
  primary key (agency_id, module, valid_from),
  foreign key (root_id, agency_id) references company (root_id, id)
);
call protect('lead_cost');

-- What happened on a campaign in an hour (UTC), summed where it happens, so that no page counts raw rows.
create table campaign_hour (
  campaign_id  uuid not null,
  hour         timestamptz not null,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  visits       bigint not null default 0,
  matched      bigint not null default 0,
  leads        bigint not null default 0,
  spend_micros bigint not null default 0,
  cost_micros  bigint not null default 0,
  primary key (campaign_id, hour),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index campaign_hour_by_company on campaign_hour (company_id, hour);
create index campaign_hour_by_agency on campaign_hour (agency_id, hour);
create index campaign_hour_by_root on campaign_hour (root_id, hour);
call protect('campaign_hour');

-- Why something did not become a visit or a lead, counted by hour: bad events, bots, refusals.
create table campaign_refusal (
  campaign_id uuid not null,
  hour        timestamptz not null,
  reason      text not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  count       bigint not null,
  last_at     timestamptz not null,
  primary key (campaign_id, hour, reason),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index campaign_refusal_by_company on campaign_refusal (company_id, hour);
create index campaign_refusal_by_agency on campaign_refusal (agency_id, hour);
create index campaign_refusal_by_root on campaign_refusal (root_id, hour);
call protect('campaign_refusal');

-- What the ingest needs to know of a site key, asked before any scope is known.
create function site_by_key(wanted text)
returns table (campaign_id uuid, root_id uuid, agency_id uuid, company_id uuid, state text, site_url text)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.id, c.root_id, c.agency_id, c.company_id, c.state, c.site_url from campaign c where c.site_key = wanted
$$;
