-- ─── campaigns/campaigns ─────────────────────────────────────────────────────────────────────────────────────────────

create table campaign (
  id                  uuid primary key,
  root_id             uuid not null,
  agency_id           uuid not null,
  company_id          uuid not null,
  -- Shown to people; leadspeek_api_id on the wire.
  number              bigint generated always as identity (start with 100001) unique,
  module              text not null check (module in ('local', 'locator', 'enhance', 'b2b', 'simplifi')),
  name                text not null check (length(name) between 1 and 255),
  state               text not null check (state in ('active', 'paused', 'archived', 'removed')),
  state_reason        text,
  site_key            text not null unique,
  site_url            text not null default '',
  thank_you_url       text,
  phone_required      boolean not null default false,
  address_required    boolean not null default false,
  email_required      boolean not null default true,
  reidentify          text not null default 'never'
    check (reidentify in ('never', '1_week', '1_month', '3_months', '6_months', '12_months')),
  min_confidence      smallint not null default 50 check (min_confidence between 0 and 100),
  daily_cap           integer check (daily_cap > 0),
  starts_on           date,
  ends_on             date,
  pixel_checked_at    timestamptz,
  pixel_check         text,
  version             integer not null default 1,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  -- daily_cap counts leads per day, week, or month, within a span of days if there is one
  -- (docs/decisions/0069-campaign-fields.md).
  limit_every         text not null default 'day' check (limit_every in ('day', 'week', 'month')),
  limit_starts_on     date,
  limit_ends_on       date,
  minimum_limit       integer check (minimum_limit > 0), -- daily_cap must not be below it.
  -- Ids of data fields (contract/audience/enrichment-fields.ts), sorted; '{}': none.
  advance_information smallint[] not null default '{}',
  b2b_information     smallint[] not null default '{}',
  -- Visits come only from the campaign's own sites: these, the site itself, and its thank-you page.
  site_hosts          text[] not null default '{}',
  -- Whether leads include phone numbers that are on a do-not-call list.
  dnc_phones          boolean not null default false,
  -- How many pages of the site a visitor must have seen before they become a lead.
  min_pages           smallint not null default 1,
  unique (root_id, id),
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, agency_id) references company (root_id, id),
  check (ends_on >= starts_on),
  constraint campaign_limit_span check (limit_ends_on >= limit_starts_on),
  check (min_pages = 1 or module = 'local' and min_pages between 2 and 20)
);
create index campaign_by_company on campaign (company_id, created_at desc, id);
create index campaign_by_agency on campaign (agency_id, created_at desc, id);
create index campaign_by_root on campaign (root_id, created_at desc, id);
-- Campaigns that continue when a spending limit allows it again.
create index campaign_capped on campaign (root_id) where state = 'paused' and state_reason like 'cap\_%';
-- Campaigns that continue when everything due is paid.
create index campaign_unpaid on campaign (agency_id) where state = 'paused' and state_reason = 'payment_failed';
-- Search by name over a whole scope (find_campaigns).
create index campaign_search on campaign using gin (lower(name) gin_trgm_ops) where state <> 'removed';
create index campaign_active on campaign (agency_id, company_id, root_id) where state = 'active';
-- Which campaigns ask for data fields.
create index campaign_asking on campaign (root_id, agency_id, company_id)
  where advance_information <> '{}' or b2b_information <> '{}';
create index campaign_below_cost on campaign (agency_id) where state = 'paused' and state_reason = 'below_cost';
-- What the home page tells an agency that someone has to take care of.
create index campaign_needs_someone on campaign (agency_id, state_reason)
  where state = 'paused' and state_reason in ('balance_empty', 'below_cost');
call protect('campaign');
grant select, insert, update on campaign to lead_app;

-- As find_companies, for campaigns.
create function find_campaigns(pattern text, other text, most integer)
returns setof uuid language sql stable security definer set search_path = public, pg_temp as $$
  select g.id from campaign g
  where g.root_id = scope_root()
    and (scope_agency() is null or g.agency_id = scope_agency())
    and (scope_company() is null or g.company_id = scope_company())
    and g.state <> 'removed'
    and (lower(g.name) like pattern or lower(g.name) like other)
  limit most
$$;

-- The root's minimum for the daily limit of an Enhance ID campaign. Clients limit campaigns, too, but do not see the
-- root's settings.
create function enhance_least_leads() returns integer
language sql stable security definer set search_path = public, pg_temp as $$
  select (s.value ->> 'minleaddayenhance')::integer from setting s
  where s.company_id = scope_root() and s.name = 'minleaddayenhance'
$$;

-- What a Search ID, Enhance ID, or B2B ID campaign looks for, as someone entered it.
create table campaign_target (
  campaign_id uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  location    text not null check (location in ('national', 'state', 'zip')),
  states      text[] not null default '{}',
  cities      text[] not null default '{}',
  zips        text[] not null default '{}',
  keywords    text[] not null,
  description text not null default '',
  updated_at  timestamptz not null,
  -- Who a B2B ID campaign wants; '{}': anyone. Sizes are numbers of contract/audience/audience.ts
  -- (docs/decisions/0075-enhance-and-b2b.md).
  titles      text[] not null default '{}',
  seniorities text[] not null default '{}',
  departments text[] not null default '{}',
  industries  text[] not null default '{}',
  sizes       smallint[] not null default '{}',
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
call protect('campaign_target');
grant select, insert, update, delete on campaign_target to lead_app;

-- The keywords as they are matched. `hash` is that of a keyword's first five stems.
create table campaign_keyword (
  campaign_id uuid not null,
  words       text not null,
  hash        bigint not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  -- The hashes of a keyword's single stems if these may be in any order; '{}': they are as written (Search ID).
  stems       bigint[] not null default '{}',
  primary key (campaign_id, words),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index campaign_keyword_by_root on campaign_keyword (root_id);
call protect('campaign_keyword');
grant select, insert, update, delete on campaign_keyword to lead_app;

-- The places as they are matched. `kind`: 0 national, 1 state, 2 city, 3 zip.
create table campaign_place (
  campaign_id uuid not null,
  kind        smallint not null check (kind between 0 and 3),
  place       bigint not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  primary key (campaign_id, kind, place),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index campaign_place_by_root on campaign_place (root_id);
call protect('campaign_place');
grant select, insert, update, delete on campaign_place to lead_app;

-- What happened in a campaign in an hour (UTC), added up where it happens, so that no page counts raw rows.
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
grant select, insert, update, delete on campaign_hour to lead_app;

-- Why something did not become a visit or a lead, counted by hour: bad events, bots, rejections.
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
grant select, insert, update, delete on campaign_refusal to lead_app;

-- Groups of campaigns (docs/decisions/0069-campaign-fields.md). An agency sorts its clients' campaigns in its own way,
-- and a client in its own: neither sees or undoes the other's order.
create table company_group (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null, -- Whose order it belongs to.
  name       text not null check (length(name) between 1 and 100),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (root_id, company_id, id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create unique index company_group_by_name on company_group (company_id, lower(name));
call protect('company_group');
grant select, insert, update, delete on company_group to lead_app;

-- Which group of a company a campaign is in: at most one.
create table company_group_campaign (
  campaign_id uuid not null,
  company_id  uuid not null, -- The group's.
  root_id     uuid not null,
  agency_id   uuid not null,
  group_id    uuid not null,
  primary key (campaign_id, company_id),
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  foreign key (root_id, company_id, group_id) references company_group (root_id, company_id, id)
);
create index company_group_campaign_by_group on company_group_campaign (group_id, campaign_id);
call protect('company_group_campaign');
grant select, insert, update, delete on company_group_campaign to lead_app;

-- Who is told about a campaign's leads, and how far that is. No row: no one.
create table campaign_report (
  campaign_id  uuid primary key,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  notify_every integer check (notify_every > 0), -- An email to notify_to each time that this many leads have come in.
  notify_to    text[] not null default '{}',
  counted      bigint not null default 0 check (counted >= 0), -- Leads since it was set.
  told         bigint not null default 0 check (told between 0 and counted), -- Those of them that emails were sent for.
  report_every text check (report_every in ('lead', 'hour', 'day', 'week', 'month')), -- Null: no reports.
  report_to    text[] not null default '{}',
  covers_from  timestamptz, -- Where the next report begins.
  due_at       timestamptz, -- When it is made. Reports by lead and by hour have no time until a lead has come in.
  updated_at   timestamptz not null,
  report_type  text not null default 'CSV' check (report_type in ('link', 'details', 'CSV')),
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id),
  constraint campaign_report_check2 check ((report_every is null) = (covers_from is null)),
  constraint campaign_report_due_check check (
    case when report_every is null then due_at is null else due_at is not null or report_every in ('lead', 'hour') end)
);
create index campaign_report_due on campaign_report (root_id, due_at) where due_at is not null;
call protect('campaign_report');
grant select, insert, update on campaign_report to lead_app;

-- Each report that was made. No lead is in two: a campaign's spans never begin twice.
create table campaign_report_sent (
  campaign_id uuid not null,
  covers_from timestamptz not null,
  covers_to   timestamptz not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  leads       integer not null check (leads >= 0),
  recipients  integer not null check (recipients >= 0), -- 0: there was nothing to tell.
  created_at  timestamptz not null,
  primary key (campaign_id, covers_from),
  check (covers_to > covers_from),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
call protect('campaign_report_sent');
call append_only('campaign_report_sent');
grant select, insert on campaign_report_sent to lead_app;

-- ─── campaigns/visits ────────────────────────────────────────────────────────────────────────────────────────────────

-- The visit log, with one partition for each day. The day is that of the client's own event id (UUIDv7), so that a
-- retry after midnight finds the row of the first try.
create table visit (
  day         date not null,
  event_id    uuid not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  campaign_id uuid not null,
  received_at timestamptz not null,
  visitor_id  uuid,
  hash_kind   smallint,
  hash        bytea,
  ip          inet,
  url         text,
  referrer    text,
  title       text,
  user_agent  text,
  event       text not null default 'view',
  gpc         boolean not null default false,
  resolved_at timestamptz,
  outcome     text,
  person_id   uuid,
  primary key (day, event_id)
) partition by range (day);
create index visit_pending on visit (root_id, received_at) where resolved_at is null;
create index visit_by_campaign on visit (campaign_id, received_at desc);
-- Whether the browser of a sign-up has seen a page before.
create index visit_by_visitor on visit (visitor_id) where event = 'view';
call protect('visit');
-- The ingest writes outside of any scope, and reads nothing.
create policy ingest on visit for insert to lead_ingest with check (true);
grant select, insert, update, delete on visit to lead_app;
grant insert on visit to lead_ingest;

create procedure ensure_visit_partitions(first_day date, last_day date)
language plpgsql security definer set search_path = public, pg_temp as $$
declare d date; part text;
begin
  perform pg_advisory_xact_lock(hashtext('visit_partitions'));
  for d in select generate_series(first_day, last_day, interval '1 day')::date loop
    part := 'visit_' || to_char(d, 'YYYYMMDD');
    if to_regclass(part) is null then
      execute format('create table %I partition of visit for values from (%L) to (%L) with (fillfactor = 85)', part, d, d + 1);
      execute format('alter table %I enable row level security', part);
    end if;
  end loop;
end $$;

create function drop_visit_partitions(before date) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare part text; dropped integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('visit_partitions'));
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'visit'::regclass and c.relname ~ '^visit_\d{8}$' and c.relname < 'visit_' || to_char(before, 'YYYYMMDD')
  loop
    execute format('drop table %I', part);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

-- Asked by workers before a scope is known.
create function roots_with_pending_visits() returns setof uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select c.id from company c where c.kind = 'root'
    and exists (select from visit v where v.root_id = c.id and v.resolved_at is null)
$$;

-- What the ingest has to know about a site key, asked before a scope is known. Only Site ID campaigns have a site.
create function site_by_key(wanted text)
returns table (campaign_id uuid, root_id uuid, agency_id uuid, company_id uuid, state text, site_url text,
  thank_you_url text, site_hosts text[])
language sql stable security definer set search_path = public, pg_temp as $$
  select c.id, c.root_id, c.agency_id, c.company_id, c.state, c.site_url, c.thank_you_url, c.site_hosts from campaign c
  where c.site_key = wanted and c.module = 'local'
$$;

-- Counts what the ingest refused, for the campaign's owner to see.
create procedure count_refused(ids uuid[], hours timestamptz[], reasons text[], counts bigint[], seen timestamptz)
language sql security definer set search_path = public, pg_temp as $$
  insert into campaign_refusal (campaign_id, hour, reason, root_id, agency_id, company_id, count, last_at)
  select c.id, r.hour, r.reason, c.root_id, c.agency_id, c.company_id, r.count, seen
  from unnest(ids, hours, reasons, counts) r (id, hour, reason, count) join campaign c on c.id = r.id
  order by c.id, r.hour, r.reason
  on conflict (campaign_id, hour, reason) do update
    set count = campaign_refusal.count + excluded.count, last_at = excluded.last_at
$$;

-- Hosts that sent visits for a campaign but are none of its sites, by day. What strangers send must not fill a disk, so
-- there are at most ten for a campaign and day; campaign_refusal counts them all.
create table campaign_foreign_host (
  campaign_id uuid not null,
  day         date not null,
  host        text not null check (length(host) <= 253),
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  count       bigint not null,
  last_at     timestamptz not null,
  primary key (campaign_id, day, host),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
call protect('campaign_foreign_host');
grant select on campaign_foreign_host to lead_app;

create procedure count_foreign(ids uuid[], hosts text[], counts bigint[], seen timestamptz)
language sql security definer set search_path = public, pg_temp as $$
  insert into campaign_foreign_host (campaign_id, day, host, root_id, agency_id, company_id, count, last_at)
  select id, day, host, root_id, agency_id, company_id, count, seen
  from (
    select c.id, t.day, r.host, c.root_id, c.agency_id, c.company_id, r.count, known.host is not null as is_known,
      row_number() over (partition by c.id, known.host is null order by r.host)
        + (select count(*) from campaign_foreign_host f where f.campaign_id = c.id and f.day = t.day) as place
    from unnest(ids, hosts, counts) r (id, host, count)
    cross join (select (seen at time zone 'UTC')::date as day) t
    join campaign c on c.id = r.id
    left join campaign_foreign_host known on known.campaign_id = c.id and known.day = t.day and known.host = r.host
  ) one
  where is_known or place <= 10
  order by id, day, host
  on conflict (campaign_id, day, host) do update
    set count = campaign_foreign_host.count + excluded.count, last_at = excluded.last_at
$$;

create function forget_foreign_hosts(before date) returns integer
language sql security definer set search_path = public, pg_temp as $$
  with gone as (delete from campaign_foreign_host where day < before returning 1) select count(*)::integer from gone
$$;

-- The sign-ups of the last two days, by what the limits count. Sign-ups (visits that say who the visitor is) that look
-- forged are held until the agency releases them (docs/decisions/0110-held-sign-ups.md).
create table signup (
  campaign_id uuid not null,
  hash        bytea not null, -- A byte for the kind, then the hash of the email address.
  address     text, -- For IPv6, its /64, which is what one customer has.
  visitor_id  uuid,
  network     text, -- Its /24, or /48 for IPv6.
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  held        boolean not null,
  at          timestamptz not null,
  unique nulls not distinct (campaign_id, hash, address, visitor_id)
);
create index signup_by_network on signup (root_id, network, at desc);
create index signup_by_visitor on signup (company_id, visitor_id);
create index signup_by_time on signup (at);
call protect('signup');
grant select, insert, update on signup to lead_app;

-- New people among a campaign's sign-ups that were let through, by hour: what is usual for it.
create table signup_hour (
  campaign_id uuid not null,
  hour        timestamptz not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  count       bigint not null,
  primary key (campaign_id, hour)
);
call protect('signup_hour');
grant select, insert, update on signup_hour to lead_app;

-- Sign-ups that wait for someone to release them.
create table held_visit (
  day         date not null,
  event_id    uuid not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  campaign_id uuid not null,
  reason      text not null check (reason in ('no_view', 'browser', 'address', 'network', 'burst')),
  source      text not null, -- The address or network; '': none, or many.
  event       text not null,
  hash        bytea,
  received_at timestamptz not null,
  state       text not null check (state in ('held', 'released', 'discarded')),
  asked_at    timestamptz, -- When the client asked the agency to release it.
  decided_at  timestamptz,
  decided_by  uuid,
  primary key (day, event_id),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index held_visit_by_campaign on held_visit (campaign_id, received_at desc) where state = 'held';
create index held_visit_by_company on held_visit (company_id, received_at desc) where state = 'held';
create index held_visit_by_agency on held_visit (agency_id, received_at desc) where state = 'held';
create index held_visit_by_root on held_visit (root_id, received_at desc) where state = 'held';
create index held_visit_by_time on held_visit (received_at);
call protect('held_visit');
grant select, insert, update on held_visit to lead_app;

-- Deletes what the limits no longer need, and held visits that no one has decided about.
create procedure forget_signups(signups_before timestamptz, hours_before timestamptz, held_before timestamptz)
language sql security definer set search_path = public, pg_temp as $$
  delete from signup where at < signups_before;
  delete from signup_hour where hour < hours_before;
  delete from held_visit where received_at < held_before;
$$;

-- Addresses and networks (an office, a call center) whose sign-ups are not held for being many. The client names them,
-- and the agency decides (docs/decisions/0180-trusted-addresses.md).
create table trusted_address (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  campaign_id uuid, -- Null: all campaigns of the client.
  network     cidr not null check (masklen(network) >= case family(network) when 4 then 22 else 48 end),
  note        text not null check (length(note) <= 100),
  created_at  timestamptz not null,
  created_by  uuid not null,
  trusted_at  timestamptz, -- Null: the client asks for it.
  trusted_by  uuid,
  check ((trusted_at is null) = (trusted_by is null)),
  unique nulls not distinct (company_id, campaign_id, network),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
call protect('trusted_address');
grant select, insert, update, delete on trusted_address to lead_app;

-- When a client and its agency were last told that sign-ups are held: once in 24 hours.
create table held_notice (
  company_id uuid primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  told_at    timestamptz not null
);
call protect('held_notice');
grant select, insert, update on held_notice to lead_app;

-- ─── campaigns/leads ─────────────────────────────────────────────────────────────────────────────────────────────────

-- The facts of a lead. Personal data is in lead_contact and can be erased without changing them.
create table lead (
  id             uuid primary key,
  root_id        uuid not null,
  agency_id      uuid not null,
  company_id     uuid not null,
  campaign_id    uuid not null,
  person_id      uuid,
  visit_day      date,
  visit_event_id uuid,
  match_kind     smallint not null,
  confidence     smallint not null check (confidence between 0 and 100),
  evidence       jsonb not null default '{}',
  price_micros   bigint not null,
  cost_micros    bigint not null,
  transfer_id    uuid,
  is_test        boolean not null default false,
  created_at     timestamptz not null,
  unique (root_id, id),
  unique (campaign_id, visit_event_id),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index lead_by_campaign on lead (campaign_id, created_at desc, id);
create index lead_by_agency on lead (agency_id, created_at desc, id);
create index lead_by_root on lead (root_id, created_at desc, id);
create index lead_by_person on lead (campaign_id, person_id, created_at desc);
create index lead_by_client_person on lead (company_id, person_id, created_at desc);
-- Pages and totals of a client's lists of leads are read from indexes alone, here and in lead_contact. The client's id
-- comes first in each: its scope's policy is then looked up once, whereas a policy that is only a filter is evaluated
-- for every row.
create index lead_by_company on lead (company_id, created_at desc, id) include (campaign_id);
create index lead_by_client_campaign on lead (company_id, campaign_id, created_at desc, id);
call protect('lead');
grant select, insert, update on lead to lead_app;

-- The personal data of a lead, which can be erased.
create table lead_contact (
  lead_id         uuid primary key,
  root_id         uuid not null,
  agency_id       uuid not null,
  company_id      uuid not null,
  campaign_id     uuid not null,
  created_at      timestamptz not null,
  first_name      text,
  last_name       text,
  email           text,
  phone           text,
  phone2          text,
  address         text,
  city            text,
  state           text,
  zip             text,
  company_name    text,
  website         text,
  job_title       text,
  page_url        text,
  referrer        text,
  ip              inet,
  search          text generated always as (lower(coalesce(first_name, '') || ' ' || coalesce(last_name, '') || ' ' ||
    coalesce(email, '') || ' ' || coalesce(phone, '') || ' ' || coalesce(company_name, '') || ' ' ||
    coalesce(city, '') || ' ' || coalesce(state, '') || ' ' || coalesce(zip, ''))) stored,
  -- How many numbers were left out because they are on a do-not-call list, and whether those that were not are on one.
  phones_withheld smallint not null default 0,
  phone_dnc       boolean not null default false,
  phone2_dnc      boolean not null default false,
  foreign key (root_id, lead_id) references lead (root_id, id) on delete cascade
);
create index lead_contact_search on lead_contact using gin (search gin_trgm_ops);
create index lead_contact_name on lead_contact (company_id, last_name, first_name, lead_id)
  include (campaign_id, created_at);
create index lead_contact_email on lead_contact (company_id, email, lead_id) include (campaign_id, created_at);
create index lead_contact_campaign_name on lead_contact (company_id, campaign_id, last_name, first_name, lead_id)
  include (created_at);
create index lead_contact_campaign_email on lead_contact (company_id, campaign_id, email, lead_id) include (created_at);
call protect('lead_contact');
grant select, insert, update, delete on lead_contact to lead_app;

-- Text search: the newest `most` hits among the leads that the filters leave. The scope is applied by hand, as in
-- find_companies. The statement is written for the scope and filters of each call, so that the planner knows them.
-- Leads are read from the newest as long as that finds enough, because the trigrams of a frequent text find all of its
-- leads, just to keep the newest thousand (7 s with 5 million leads). Rare texts are found by their trigrams. The
-- planner cannot choose, because behind a policy it does not know how many leads contain a text.
create function search_leads(pattern text, wanted_company uuid, wanted_campaigns uuid[], since timestamptz, until timestamptz, most integer)
returns setof uuid language plpgsql stable security definer set search_path = public, pg_temp
-- Lead by lead, so that it can end: not all of them joined first.
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
declare
  -- A client that is told no phone numbers finds none by them either.
  hit constant text := '(s.search like $8 and (s.phone is null or not exists (select from company k where k.id = s.company_id and k.phones_off)
    or lower(concat_ws('' '', s.first_name, s.last_name, s.email, s.company_name, s.city, s.state, s.zip)) like $8))';
  leads constant text := concat(
    ' from lead l join lead_contact s on s.lead_id = l.id where s.root_id = $1',
    case when scope_agency() is not null then ' and s.agency_id = $2' end,
    case when scope_company() is not null then ' and s.company_id = $3 and l.company_id = $3' end,
    case when wanted_company is not null then ' and s.company_id = $4 and l.company_id = $4' end,
    case when cardinality(wanted_campaigns) = 1 then ' and l.campaign_id = $5[1]'
      when wanted_campaigns is not null then ' and l.campaign_id = any($5)'
      when coalesce(wanted_company, scope_company()) is not null then null
      when scope_agency() is not null then ' and l.agency_id = $2'
      else ' and l.root_id = $1' end,
    case when since is not null then ' and l.created_at >= $6' end,
    case when until is not null then ' and l.created_at < $7' end);
  lead_id uuid;
  is_hit boolean;
  is_rare boolean := false;
  looked integer := 0;
  hits uuid[] := '{}';
begin
  for lead_id, is_hit in execute concat('select l.id, ', hit, leads, ' order by l.created_at desc limit 100000')
    using scope_root(), scope_agency(), scope_company(), wanted_company, wanted_campaigns, since, until, pattern
  loop
    looked := looked + 1;
    if is_hit then hits := hits || lead_id; end if;
    -- Fewer than one in a hundred are found by their trigrams sooner.
    is_rare := looked = 1000 and cardinality(hits) < 10;
    exit when is_rare or cardinality(hits) = most;
  end loop;
  if cardinality(hits) = most or (looked < 100000 and not is_rare) then
    return query select unnest(hits);
    return;
  end if;
  return query execute concat('select l.id', leads, ' and ', hit, ' order by l.created_at desc limit $9')
    using scope_root(), scope_agency(), scope_company(), wanted_company, wanted_campaigns, since, until, pattern, most;
end $$;

-- Who has reached the goal of a campaign: its thank-you page, or the pixel's `thanks`
-- (docs/decisions/0081-thank-you-page.md). Ids only: who they are is in the people graph and in lead_contact.
create table campaign_conversion (
  campaign_id  uuid not null,
  person_id    uuid not null,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  converted_at timestamptz not null, -- For the first time.
  primary key (campaign_id, person_id),
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
call protect('campaign_conversion');
grant select, insert on campaign_conversion to lead_app;

-- ─── campaigns/connections ───────────────────────────────────────────────────────────────────────────────────────────

-- A company's sign-in at a service that leads are delivered to, used by any number of its campaigns
-- (docs/decisions/0200-connections.md).
create table connection (
  id                 uuid primary key,
  root_id            uuid not null,
  agency_id          uuid not null,
  company_id         uuid not null,
  vendor             text not null, -- The folder in server/integrations.
  name               text not null,
  account            text not null, -- What the credentials lead to, in the vendor's words.
  credentials_sealed text, -- Deleted when it is removed.
  state              text not null check (state in ('connected', 'broken', 'paused', 'removed')),
  state_reason       text,
  held_until         timestamptz, -- The vendor asked to wait until then.
  checked_at         timestamptz,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  -- Which of its company's 16 lanes it is sent on: lanes are shared only if there are more than 16.
  lane               smallint not null default 15 check (lane between 0 and 15),
  unique (root_id, id),
  check ((state = 'removed') = (credentials_sealed is null)),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create index connection_by_company on connection (company_id, created_at) where state <> 'removed';
call protect('connection');
grant select, insert, update on connection to lead_app;

-- ─── campaigns/delivery ──────────────────────────────────────────────────────────────────────────────────────────────

-- A campaign's destination: a webhook of its own, or a connection with its settings and field mapping.
create table integration (
  id             uuid primary key,
  root_id        uuid not null,
  agency_id      uuid not null,
  company_id     uuid not null,
  campaign_id    uuid not null,
  kind           text not null,
  url            text,
  secret_sealed  text,
  state          text not null check (state in ('enabled', 'disabled', 'removed')),
  state_reason   text,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  connection_id  uuid,
  name           text not null default '',
  settings       jsonb not null default '{}',
  mapping        jsonb not null default '{}',
  -- What a webhook sends: our signed message, or one shaped by its client.
  payload        jsonb not null default '{"format": "standard", "fields": [], "template": ""}',
  -- Headers of the client's own. Names are shown, values are sealed and deleted when the webhook is removed.
  header_names   text[] not null default '{}',
  headers_sealed text,
  -- How far the retries had come when the company was last told, in percent; 0 after one arrived.
  alerted        smallint not null default 0 check (alerted in (0, 50, 90, 100)),
  -- Which leads it gets, and when; null: every lead at any time.
  rules          jsonb check (jsonb_typeof(rules) = 'object'),
  lane           smallint not null default 0 check (lane between 0 and 15), -- As in connection.
  unique (root_id, id),
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  constraint integration_connection_fkey foreign key (root_id, connection_id) references connection (root_id, id),
  constraint integration_headers_check check (
    (headers_sealed is null) = (header_names = '{}') and (kind = 'webhook' or headers_sealed is null)),
  constraint integration_kind_check check (
    case kind when 'webhook' then url is not null and secret_sealed is not null and connection_id is null
    else url is null and secret_sealed is null and connection_id is not null end),
  constraint integration_payload_check check (
    payload ->> 'format' in ('standard', 'flat', 'form', 'template')
    and (kind = 'webhook' or payload ->> 'format' = 'standard'))
);
create index integration_by_campaign on integration (campaign_id, created_at);
create index integration_by_connection on integration (connection_id) where connection_id is not null;
call protect('integration');
grant select, insert, update on integration to lead_app;

-- One lead sent to one destination.
create table delivery (
  id              uuid primary key,
  root_id         uuid not null,
  agency_id       uuid not null,
  company_id      uuid not null,
  campaign_id     uuid not null,
  integration_id  uuid not null,
  lead_id         uuid, -- Null for a test message.
  message_id      text not null unique, -- The webhook-id, the same for every attempt.
  -- 'unknown': an attempt may have arrived, but its response was lost. 'skipped': the destination's rules left the lead
  -- out.
  state           text not null check (state in ('pending', 'unknown', 'delivered', 'failed', 'skipped')),
  attempts        smallint not null default 0,
  next_at         timestamptz,
  is_test         boolean not null default false,
  created_at      timestamptz not null,
  delivered_at    timestamptz,
  remote_id       text, -- The record at the vendor.
  turn            integer check (turn >= 0), -- The lead's number in its campaign, by which destinations take turns.
  chosen          boolean, -- Whether it takes its lead's turn; null while that is not decided.
  waits_for_hours boolean not null default false,
  -- Why it failed. Stored here so that listing what was not delivered reads one index, not every attempt.
  cause           text check (length(cause) <= 300),
  unique (root_id, id),
  unique (integration_id, lead_id),
  foreign key (root_id, integration_id) references integration (root_id, id),
  foreign key (root_id, lead_id) references lead (root_id, id),
  constraint delivery_remote_id_length check (length(remote_id) <= 500)
);
create index delivery_by_campaign on delivery (campaign_id, created_at desc, id);
create index delivery_by_lead on delivery (lead_id);
create index delivery_open on delivery (root_id, next_at) where state in ('pending', 'unknown');
-- What waits for a connection has no time.
create index delivery_waiting on delivery (integration_id, id) where state in ('pending', 'unknown') and next_at is null;
create index delivery_for_hours on delivery (integration_id, id) where waits_for_hours;
-- What failed is listed by company until it is resent.
create index delivery_failed on delivery (company_id, integration_id, cause, created_at)
  where state = 'failed' and not is_test;
call protect('delivery');
grant select, insert, update on delivery to lead_app;

-- How many leads of a campaign have been numbered.
create table delivery_turn (
  campaign_id uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  turns       integer not null check (turns >= 0),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
call protect('delivery_turn');
grant select, insert, update on delivery_turn to lead_app;

create table delivery_attempt (
  delivery_id uuid not null,
  number      smallint not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  started_at  timestamptz not null,
  duration_ms integer not null,
  status      smallint,
  answer      text,
  error       text,
  primary key (delivery_id, number),
  foreign key (root_id, delivery_id) references delivery (root_id, id)
);
call protect('delivery_attempt');
call append_only('delivery_attempt');
grant select, insert on delivery_attempt to lead_app;
