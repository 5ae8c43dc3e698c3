-- Ads (docs/decisions/0400-ad-campaigns.md): what Simplifi ID campaigns spend, where they are shown, and what comes of it.
alter table transfer drop constraint transfer_kind_check, add constraint transfer_kind_check check (kind in (
  'lead', 'lead_return', 'ad_spend', 'top_up', 'prepaid_top_up', 'prepaid_refund', 'prepaid_move',
  'wallet_top_up', 'wallet_grant', 'wallet_charge', 'wallet_expiry', 'wallet_refund', 'client_grant',
  'invoice', 'credit_note', 'payment', 'refund', 'dispute', 'dispute_reversal',
  'platform_fee', 'monthly_fee', 'minimum_spend', 'onboarding', 'developer_fee', 'coupon',
  'supplier_cost', 'provider_fee', 'write_off', 'adjustment'));

-- ─── ads/ad-campaigns ────────────────────────────────────────────────────────────────────────────────────────────────

-- What a root requires of ad campaigns, and its own share of what media costs. No row: nothing.
create table ad_terms (
  root_id               uuid primary key references company (id),
  agency_id             uuid check (agency_id is null),
  company_id            uuid not null check (company_id = root_id),
  minimum_bid_micros    bigint not null default 0 check (minimum_bid_micros >= 0),
  minimum_daily_micros  bigint not null default 0 check (minimum_daily_micros >= 0),
  minimum_monthly_micros bigint not null default 0 check (minimum_monthly_micros >= 0),
  share_bp              integer not null default 0 check (share_bp between 0 and 100000), -- Hundredths of a percent.
  updated_at            timestamptz not null
);
call protect('ad_terms');
grant select, insert, update on ad_terms to lead_app;

-- Clients and agencies keep to the minimums, but do not see the root's row.
create function ad_minimums() returns table (minimum_bid_micros bigint, minimum_daily_micros bigint, minimum_monthly_micros bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select t.minimum_bid_micros, t.minimum_daily_micros, t.minimum_monthly_micros from ad_terms t where t.root_id = scope_root()
$$;

-- What a Simplifi ID campaign has besides its row in `campaign`. Budgets and the bid are what the client pays.
create table ad_campaign (
  campaign_id         uuid primary key,
  root_id             uuid not null,
  agency_id           uuid not null,
  company_id          uuid not null,
  platform            text not null check (platform in ('sandbox', 'house', 'simplifi')),
  max_bid_micros      bigint not null check (max_bid_micros > 0 and max_bid_micros % 1000 = 0), -- Per 1,000 impressions.
  daily_micros        bigint not null check (daily_micros > 0),
  monthly_micros      bigint not null check (monthly_micros >= daily_micros),
  total_micros        bigint check (total_micros > 0), -- Over the whole flight; null: no limit.
  goal_type           text check (goal_type in ('cpc', 'cpa', 'ctr')),
  goal_micros         bigint check (goal_micros > 0), -- Millionths of a dollar, or of a percent.
  markup_bp           integer not null default 0 check (markup_bp between 0 and 100000), -- The agency's.
  frequency_cap       integer check (frequency_cap between 1 and 1000),
  frequency_hours     integer not null default 24 check (frequency_hours between 1 and 720),
  click_days          smallint not null default 30 check (click_days between 1 and 90),
  view_hours          smallint not null default 24 check (view_hours between 0 and 720), -- 0: views count for nothing.
  states              text[] not null default '{}',
  zips                text[] not null default '{}',
  -- Since its beginning, in what the client pays: promised to impressions that may still be billed, billed, and that
  -- part of it which is not in the ledger yet.
  held_micros         bigint not null default 0 check (held_micros >= 0),
  spent_micros        bigint not null default 0 check (spent_micros >= 0),
  unposted_micros     bigint not null default 0 check (unposted_micros between 0 and spent_micros),
  -- What an outside platform calls it, and until when it has been read.
  external_id         text,
  synced_at           timestamptz,
  sync_error          text,
  ran_until           timestamptz, -- How far the sandbox has simulated it.
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  unique (root_id, campaign_id),
  check ((goal_type is null) = (goal_micros is null)),
  check (total_micros is null or held_micros + spent_micros <= total_micros),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index ad_campaign_by_root on ad_campaign (root_id, platform);
create index ad_campaign_by_agency on ad_campaign (agency_id, platform);
create index ad_campaign_unposted on ad_campaign (root_id) where unposted_micros > 0;
call protect('ad_campaign');
grant select, insert, update on ad_campaign to lead_app;

-- What a campaign has promised and spent on a day in its client's time zone.
create table ad_day (
  campaign_id  uuid not null,
  day          date not null,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  held_micros  bigint not null default 0 check (held_micros >= 0),
  spent_micros bigint not null default 0 check (spent_micros >= 0),
  primary key (campaign_id, day),
  foreign key (root_id, campaign_id) references ad_campaign (root_id, campaign_id)
);
call protect('ad_day');
grant select, insert, update on ad_day to lead_app;

-- What is shown. An image for now; its bytes are our own encoding of its pixels.
create table creative (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  campaign_id uuid not null,
  name        text not null check (length(name) between 1 and 255),
  kind        text not null default 'image' check (kind in ('image')),
  width       smallint not null check (width > 0),
  height      smallint not null check (height > 0),
  type        text not null check (type in ('image/png', 'image/jpeg')),
  bytes       bytea not null check (length(bytes) between 1 and 2097152),
  alt_text    text not null check (length(alt_text) between 1 and 125),
  click_url   text not null check (click_url like 'https://%' or click_url like 'http://%'),
  state       text not null default 'active' check (state in ('active', 'paused', 'removed')),
  external_id text,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  unique (root_id, id),
  foreign key (root_id, campaign_id) references ad_campaign (root_id, campaign_id)
);
create index creative_by_campaign on creative (campaign_id, created_at);
call protect('creative');
grant select, insert, update on creative to lead_app;

-- ─── ads/ad-serving ──────────────────────────────────────────────────────────────────────────────────────────────────

-- A place on a site of the company or a partner where the house ad server shows ads.
create table ad_zone (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  key        text not null unique check (key ~ '^[a-z0-9]{12,40}$'),
  name       text not null check (length(name) between 1 and 255),
  hosts      text[] not null check (cardinality(hosts) between 1 and 20),
  width      smallint not null check (width > 0),
  height     smallint not null check (height > 0),
  cpm_micros bigint not null check (cpm_micros >= 0 and cpm_micros % 1000 = 0), -- What 1,000 viewable impressions cost.
  state      text not null default 'active' check (state in ('active', 'removed')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (root_id, id),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index ad_zone_by_company on ad_zone (company_id, created_at desc);
create index ad_zone_by_agency on ad_zone (agency_id, created_at desc);
call protect('ad_zone');
grant select, insert, update on ad_zone to lead_app;

-- Asked before a scope is known.
create function ad_zone_by_key(wanted text)
returns table (id uuid, root_id uuid, agency_id uuid, company_id uuid, hosts text[], width smallint, height smallint, cpm_micros bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select z.id, z.root_id, z.agency_id, z.company_id, z.hosts, z.width, z.height, z.cpm_micros from ad_zone z
  where z.key = wanted and z.state = 'active'
$$;
-- The file of an ad, which anyone sees who sees the ad.
create function creative_file(wanted uuid) returns table (type text, bytes bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.type, c.bytes from creative c where c.id = wanted and c.state <> 'removed'
$$;
-- An impression that an auction or the house ad server gave to a campaign. `held`: promised, not billed yet. Days are
-- those of the campaign's client at the time of the auction, whenever its notices arrive.
create table ad_impression (
  id               uuid primary key,
  root_id          uuid not null,
  agency_id        uuid not null,
  company_id       uuid not null,
  campaign_id      uuid not null,
  creative_id      uuid not null,
  zone_id          uuid,
  place            text not null check (length(place) between 1 and 253), -- The host of the site.
  state            text not null check (state in ('held', 'billed', 'lost', 'expired')),
  day              date not null,
  at               timestamptz not null,
  expires_at       timestamptz not null,
  held_micros      bigint not null check (held_micros >= 0), -- The most that the client pays for it.
  media_micros     bigint not null default 0 check (media_micros >= 0),
  wholesale_micros bigint not null default 0 check (wholesale_micros >= 0),
  price_micros     bigint not null default 0 check (price_micros between 0 and held_micros),
  viewer           bytea, -- A keyed hash of address and browser; null under a privacy signal, and after its window.
  billed_at        timestamptz,
  viewable_at      timestamptz,
  clicked_at       timestamptz,
  is_posted        boolean not null default false,
  foreign key (root_id, campaign_id) references ad_campaign (root_id, campaign_id),
  foreign key (root_id, creative_id) references creative (root_id, id)
);
create index ad_impression_held on ad_impression (root_id, expires_at) where state = 'held';
create index ad_impression_unposted on ad_impression (campaign_id) where state = 'billed' and not is_posted;
create index ad_impression_by_viewer on ad_impression (root_id, viewer, at desc) where viewer is not null;
create index ad_impression_by_campaign on ad_impression (campaign_id, at desc);
create index ad_impression_old on ad_impression (root_id, at);
call protect('ad_impression');
grant select, insert, update, delete on ad_impression to lead_app;

-- Whose an impression is, for its notices and its click.
create function ad_impression_root(wanted uuid) returns uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select i.root_id from ad_impression i where i.id = wanted
$$;

-- What happened in an hour (UTC), by creative and place, added up where it happens.
create table ad_hour (
  campaign_id      uuid not null,
  hour             timestamptz not null,
  creative_id      uuid not null,
  place            text not null,
  root_id          uuid not null,
  agency_id        uuid not null,
  company_id       uuid not null,
  impressions      bigint not null default 0,
  viewable         bigint not null default 0,
  clicks           bigint not null default 0,
  visits           bigint not null default 0,
  leads            bigint not null default 0,
  view_leads       bigint not null default 0,
  spend_micros     bigint not null default 0,
  wholesale_micros bigint not null default 0,
  media_micros     bigint not null default 0,
  primary key (campaign_id, hour, creative_id, place),
  foreign key (root_id, campaign_id) references ad_campaign (root_id, campaign_id),
  foreign key (root_id, creative_id) references creative (root_id, id)
);
create index ad_hour_by_company on ad_hour (company_id, hour);
create index ad_hour_by_agency on ad_hour (agency_id, hour);
create index ad_hour_by_root on ad_hour (root_id, hour);
call protect('ad_hour');
grant select, insert, update on ad_hour to lead_app;

-- ─── ads/ad-attribution ──────────────────────────────────────────────────────────────────────────────────────────────

-- Visits that came through an ad: the first page of each click.
create table ad_visit (
  impression_id uuid primary key,
  root_id       uuid not null,
  agency_id     uuid not null,
  company_id    uuid not null,
  campaign_id   uuid not null,
  creative_id   uuid not null,
  place         text not null,
  site_id       uuid not null, -- The Site ID campaign whose site was visited.
  event_id      uuid not null,
  visitor_id    uuid,
  clicked_at    timestamptz not null,
  at            timestamptz not null,
  foreign key (root_id, campaign_id) references ad_campaign (root_id, campaign_id),
  foreign key (root_id, site_id) references campaign (root_id, id)
);
create index ad_visit_by_visitor on ad_visit (site_id, visitor_id, at desc) where visitor_id is not null;
create index ad_visit_by_event on ad_visit (site_id, event_id);
call protect('ad_visit');
grant select, insert, delete on ad_visit to lead_app;

-- Leads that an ad brought, each once: the last click before them, otherwise the last viewable impression.
create table ad_lead (
  lead_id       uuid primary key,
  root_id       uuid not null,
  agency_id     uuid not null,
  company_id    uuid not null,
  campaign_id   uuid not null,
  creative_id   uuid not null,
  impression_id uuid not null,
  place         text not null,
  way           text not null check (way in ('click', 'view')),
  touched_at    timestamptz not null,
  at            timestamptz not null,
  foreign key (root_id, campaign_id) references ad_campaign (root_id, campaign_id)
);
create index ad_lead_by_campaign on ad_lead (campaign_id, at desc);
call protect('ad_lead');
grant select, insert, delete on ad_lead to lead_app;

revoke execute on function ad_minimums, ad_zone_by_key, creative_file, ad_impression_root from public;
grant execute on function ad_minimums, ad_zone_by_key, creative_file, ad_impression_root to lead_app;
