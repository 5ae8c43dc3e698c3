-- What the ingest has to know about every site, for the copy that it keeps on disk: in the order of their keys.
create function sites_after(after text, most integer)
returns table (site_key text, campaign_id uuid, root_id uuid, agency_id uuid, company_id uuid, state text, site_url text,
  thank_you_url text, site_hosts text[])
language sql stable security definer set search_path = public, pg_temp as $$
  select c.site_key, c.id, c.root_id, c.agency_id, c.company_id, c.state, c.site_url, c.thank_you_url, c.site_hosts
  from campaign c
  where c.site_key > after and c.module = 'local' and c.state <> 'removed'
  order by c.site_key limit most
$$;
revoke execute on function sites_after(text, integer) from public;
grant execute on function sites_after(text, integer) to lead_app;

-- Visits that processes of the ingest have accepted and keep on disk until they are in the log, as each reported last.
create table visit_spool (
  place       text primary key check (length(place) <= 500), -- The machine, and the folder on it.
  records     bigint not null check (records >= 0), -- Requests: each has one to twenty visits.
  bytes       bigint not null check (bytes >= 0),
  oldest_at   timestamptz,
  damaged     integer not null check (damaged >= 0), -- Places that could not be read, whose bytes were put aside.
  reported_at timestamptz not null
);
alter table visit_spool enable row level security;
alter table visit_spool force row level security;
create policy owner on visit_spool to lead_owner using (true) with check (true);
-- Whoever runs the machines is the master root.
create policy root on visit_spool for select to lead_root
  using (exists (select from company where id = scope_root() and is_master));
grant select on visit_spool to lead_app;

create procedure report_spool(at_place text, waiting bigint, size bigint, oldest timestamptz, unreadable integer, at timestamptz)
language sql security definer set search_path = public, pg_temp as $$
  insert into visit_spool (place, records, bytes, oldest_at, damaged, reported_at)
  values (at_place, waiting, size, oldest, unreadable, at)
  on conflict (place) do update set records = excluded.records, bytes = excluded.bytes, oldest_at = excluded.oldest_at,
    damaged = excluded.damaged, reported_at = excluded.reported_at
$$;
revoke execute on procedure report_spool(text, bigint, bigint, timestamptz, integer, timestamptz) from public;
grant execute on procedure report_spool(text, bigint, bigint, timestamptz, integer, timestamptz) to lead_ingest;
