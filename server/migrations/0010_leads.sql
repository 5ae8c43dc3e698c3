-- The facts of a lead. What is personal lives in lead_contact and can be erased without touching them.
create table lead (
  id              uuid primary key,
  root_id         uuid not null,
  agency_id       uuid not null,
  company_id      uuid not null,
  campaign_id     uuid not null,
  person_id       uuid,
  visit_day       date,
  visit_event_id  uuid,
  match_kind      smallint not null,
  confidence      smallint not null check (confidence between 0 and 100),
  evidence        jsonb not null default '{}',
  price_micros    bigint not null,
  cost_micros     bigint not null,
  transfer_id     uuid,
  is_test         boolean not null default false,
  created_at      timestamptz not null,
  unique (root_id, id),
  unique (campaign_id, visit_event_id),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index lead_by_company on lead (company_id, created_at desc, id);
create index lead_by_campaign on lead (campaign_id, created_at desc, id);
create index lead_by_agency on lead (agency_id, created_at desc, id);
create index lead_by_root on lead (root_id, created_at desc, id);
create index lead_by_person on lead (campaign_id, person_id, created_at desc);
create index lead_by_client_person on lead (company_id, person_id, created_at desc);
call protect('lead');

create table lead_contact (
  lead_id      uuid primary key,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  campaign_id  uuid not null,
  created_at   timestamptz not null,
  first_name   text,
  last_name    text,
  email        text,
  phone        text,
  phone2       text,
  address      text,
  city         text,
  state        text,
  zip          text,
  company_name text,
  website      text,
  job_title    text,
  page_url     text,
  referrer     text,
  ip           inet,
  search       text generated always as (lower(coalesce(first_name, '') || ' ' || coalesce(last_name, '') || ' ' ||
                 coalesce(email, '') || ' ' || coalesce(phone, '') || ' ' || coalesce(company_name, '') || ' ' ||
                 coalesce(city, '') || ' ' || coalesce(state, '') || ' ' || coalesce(zip, ''))) stored,
  foreign key (root_id, lead_id) references lead (root_id, id) on delete cascade
);
create index lead_contact_name on lead_contact (company_id, last_name, first_name, lead_id);
create index lead_contact_email on lead_contact (company_id, email, lead_id);
create index lead_contact_search on lead_contact using gin (search gin_trgm_ops);
call protect('lead_contact');

-- Text search. Row level security keeps the planner from an index for LIKE (not leakproof), so the wall is applied
-- in here by hand, from the same scope. The newest `most` hits are returned; more than that is no search result.
create function search_leads(pattern text, wanted_campaign uuid, most integer)
returns setof uuid language sql stable security definer set search_path = public, pg_temp as $$
  select s.lead_id from lead_contact s
  where s.root_id = scope_root()
    and (scope_agency() is null or s.agency_id = scope_agency())
    and (scope_company() is null or s.company_id = scope_company())
    and (wanted_campaign is null or s.campaign_id = wanted_campaign)
    and s.search like pattern
  order by s.created_at desc
  limit most
$$;
