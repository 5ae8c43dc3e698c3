-- Jobs are begun many at a time. Returns what is known of each: `is_new` if this is its first start, otherwise how the
-- run before stands.
create function job_begin(the_kind text, the_jobs jsonb, the_worker uuid)
returns table (key text, is_new boolean, starts integer, is_alive boolean, set_aside_at timestamptz)
language sql volatile security definer set search_path = public, pg_temp as $$
  with given as (select * from jsonb_to_recordset(the_jobs) as g (key text, payload jsonb, root_id uuid)),
  begun as (
    insert into job_run (key, kind, payload, root_id, worker)
    select g.key, the_kind, g.payload, g.root_id, the_worker from given g order by g.key
    on conflict do nothing returning job_run.key)
  -- A row that another process has added at this moment is not seen: it is alive.
  select g.key, b.key is not null, coalesce(r.starts, 1),
         coalesce(r.worker = the_worker or r.alive_at > now() - interval '25 s', true), r.set_aside_at
  from given g left join begun b on b.key = g.key left join job_run r on r.key = g.key
$$;
revoke execute on function job_begin(text, jsonb, uuid) from public;
grant execute on function job_begin(text, jsonb, uuid) to lead_app;
