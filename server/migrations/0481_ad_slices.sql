-- In which state an ad was shown, where that is known, and in which of the audiences that its campaign was aimed at its
-- viewer was.
alter table ad_impression
  add column region text check (region ~ '^[A-Z]{2}$'),
  add column audiences uuid[] not null default '{}' check (cardinality(audiences) <= 100);

-- What an impression counts for: its state, and each of its audiences. An empty key is the rest, so that the states of a
-- campaign add up to all of it. A viewer can be in several audiences, so those can add up to more.
create function ad_slices_of(region text, audiences uuid[]) returns table (kind text, key text)
language sql immutable set search_path = public, pg_temp as $$
  select 'state', coalesce($1, '')
  union all select distinct 'audience', a::text from unnest($2) a
  union all select 'audience', '' where cardinality($2) = 0
$$;
revoke execute on function ad_slices_of from public;
grant execute on function ad_slices_of to lead_app;

-- What happened in an hour (UTC), by state and by audience, added up where it happens.
create table ad_slice (
  campaign_id      uuid not null,
  hour             timestamptz not null,
  kind             text not null check (kind in ('state', 'audience')),
  key              text not null,
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
  primary key (campaign_id, hour, kind, key),
  foreign key (root_id, campaign_id) references ad_campaign (root_id, campaign_id)
);
create index ad_slice_by_company on ad_slice (company_id, kind, hour);
create index ad_slice_by_agency on ad_slice (agency_id, kind, hour);
create index ad_slice_by_root on ad_slice (root_id, kind, hour);
call protect('ad_slice');
grant select, insert, update on ad_slice to lead_app;

-- Of what was shown before, neither is known.
insert into ad_slice (campaign_id, hour, kind, key, root_id, agency_id, company_id, impressions, viewable, clicks, visits, leads,
  view_leads, spend_micros, wholesale_micros)
select campaign_id, hour, k.kind, '', root_id, agency_id, company_id, sum(impressions), sum(viewable), sum(clicks), sum(visits),
  sum(leads), sum(view_leads), sum(spend_micros), sum(wholesale_micros)
from ad_hour cross join (values ('state'), ('audience')) k (kind)
group by 1, 2, 3, 4, 5, 6, 7;
