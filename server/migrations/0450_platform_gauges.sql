-- What the metrics show of the whole installation: counts and ages, nothing of any tenant. Every part reads an index of
-- what is open, and no more than 100,000 rows of it for each root.
create function platform_gauges() returns table (gauge text, label text, value double precision)
language sql stable security definer set search_path = public, pg_temp as $$
  with roots as (select id from company where kind = 'root'),
  visits as (
    select v.count, v.oldest from roots r cross join lateral (
      select count(*) as count, min(one.received_at) as oldest from (
        select received_at from visit where root_id = r.id and resolved_at is null order by received_at limit 100000) one
    ) v
  ),
  deliveries as (
    select d.state, d.next_at from roots r cross join lateral (
      select state, next_at from delivery where root_id = r.id and state in ('pending', 'unknown')
      order by next_at limit 100000) d
  )
  select 'visits_unresolved', '', coalesce(sum(count), 0)::float8 from visits
  union all
  select 'visits_unresolved_oldest', '', coalesce(extract(epoch from now() - min(oldest)), 0)::float8 from visits
  union all
  select 'deliveries_open', s.state, (select count(*) from deliveries d where d.state = s.state)::float8
    from unnest(array['pending', 'unknown']) s (state)
  union all
  select 'deliveries_overdue', '', coalesce(extract(epoch from now() - min(next_at)), 0)::float8
    from deliveries where next_at < now()
  union all
  select 'charges_unknown', '', count(*)::float8 from charge where state = 'unknown'
  union all
  select 'data_wallets', s.told, (select count(*) from wallet_setting w where w.told = s.told)::float8
    from unnest(array['low', 'empty']) s (told)
  union all
  select 'top_ups_stopped', '', count(*)::float8 from wallet_setting where continual and state = 'stopped'
  union all
  select 'campaigns', s.state, (select count(*) from campaign c where c.state = s.state)::float8
    from unnest(array['active', 'paused']) s (state)
  union all
  select 'jobs_set_aside', '', count(*)::float8 from job_run where set_aside_at is not null
$$;
revoke execute on function platform_gauges() from public;
grant execute on function platform_gauges() to lead_app;
