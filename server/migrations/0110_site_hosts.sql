-- Visits come from the campaign's own sites only: which they are besides the site itself and its thank-you page, and which
-- other hosts sent visits that were refused.
alter table campaign add column site_hosts text[] not null default '{}';

-- Subdomains of a campaign's site that sent visits in the last month go on sending them: they are its owner's.
update campaign c set site_hosts = seen.hosts
from (
  select k.id, array_agg(distinct v.host order by v.host) as hosts
  from (select id, regexp_replace(lower(substring(site_url from '^[Hh][Tt][Tt][Pp][Ss]?://([^/?#:]+)')), '^www\.', '') as host
        from campaign where module = 'local') k
  join (select distinct campaign_id, lower(substring(url from '^[Hh][Tt][Tt][Pp][Ss]?://([^/?#:]+)')) as host
        from visit where received_at >= now() - interval '30 days') v on v.campaign_id = k.id
  where k.host <> '' and v.host like '%.' || k.host and v.host <> 'www.' || k.host and length(v.host) <= 253
    and v.host ~ '^[a-z0-9._-]+$'
  group by k.id
  having count(distinct v.host) <= 50
) seen
where c.id = seen.id;

-- Hosts that sent visits for a campaign and are none of its sites, by day. What strangers send must not fill a disk, so
-- there are at most ten a day and campaign; campaign_refusal counts them all.
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

drop function site_by_key(text);
create function site_by_key(wanted text)
returns table (campaign_id uuid, root_id uuid, agency_id uuid, company_id uuid, state text, site_url text,
  thank_you_url text, site_hosts text[])
language sql stable security definer set search_path = public, pg_temp as $$
  select c.id, c.root_id, c.agency_id, c.company_id, c.state, c.site_url, c.thank_you_url, c.site_hosts from campaign c
  where c.site_key = wanted and c.module = 'local'
$$;
revoke execute on function site_by_key(text), forget_foreign_hosts(date) from public;
revoke execute on procedure count_foreign(uuid[], text[], bigint[], timestamptz) from public;
grant execute on function site_by_key(text) to lead_app, lead_ingest;
grant execute on function forget_foreign_hosts(date) to lead_app;
grant execute on procedure count_foreign(uuid[], text[], bigint[], timestamptz) to lead_ingest;
