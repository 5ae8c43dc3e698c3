-- The visit log, one partition a day. The day is that of the client's own event id (UUIDv7), so that a retry after
-- midnight meets the row of the first try.
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
call protect('visit');
create policy ingest on visit for insert to lead_ingest with check (true);

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

create function roots_with_pending_visits() returns setof uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select c.id from company c where c.kind = 'root'
    and exists (select from visit v where v.root_id = c.id and v.resolved_at is null)
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
