-- Jobs that are running, and those that were set aside because their process ended with them (docs/decisions/0104-bounds.md).
-- A row is written before a job runs and deleted when it ends, however it ends: one that is left was cut off.
create table job_run (
  -- The job's id; of a kind that runs by schedule, the kind, since each time is a job of its own.
  key          text primary key,
  kind         text not null,
  payload      jsonb not null,
  -- Whose data it is about; null: nobody's alone.
  root_id      uuid,
  company_id   uuid generated always as (root_id) stored,
  -- The process that runs it.
  worker       uuid not null,
  -- How often it was started since it last got somewhere.
  starts       integer not null default 1,
  started_at   timestamptz not null default now(),
  alive_at     timestamptz not null default now(),
  set_aside_at timestamptz
);
create index job_run_by_worker on job_run (worker);
create index job_run_set_aside on job_run (set_aside_at desc, key) where set_aside_at is not null;

alter table job_run enable row level security;
alter table job_run force row level security;
create policy owner on job_run to lead_owner using (true) with check (true);
-- The master root sees what is no root's alone.
create policy root on job_run to lead_root using (
  root_id = scope_root()
  or root_id is null and exists (select from company where id = scope_root() and is_master));
grant select on job_run to lead_app;

-- Workers take jobs before any scope is known. They answer about the job that is named alone.

-- Notes a start. Answers how the row stands: `starts` 1 and `is_new` where this is the first; else that of the run before.
create function job_begin(the_key text, the_kind text, the_payload jsonb, the_root uuid, the_worker uuid)
returns table (is_new boolean, starts integer, is_alive boolean, set_aside_at timestamptz)
language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  insert into job_run (key, kind, payload, root_id, worker)
  values (the_key, the_kind, the_payload, the_root, the_worker) on conflict do nothing;
  if found then
    return query select true, 1, true, null::timestamptz;
  else
    return query
      select false, r.starts, r.worker = the_worker or r.alive_at > now() - interval '25 s', r.set_aside_at
      from job_run r where r.key = the_key;
  end if;
end $$;

-- Notes another start of a job that was cut off (`the_starts`: how often it has been started with this one).
create function job_again(the_key text, the_starts integer, the_worker uuid)
returns void language sql volatile security definer set search_path = public, pg_temp as $$
  update job_run set starts = the_starts, worker = the_worker, started_at = now(), alive_at = now(), set_aside_at = null
  where key = the_key
$$;

-- Notes that jobs of a process have ended; null: all of them.
create function job_end(the_keys text[], the_worker uuid)
returns void language sql volatile security definer set search_path = public, pg_temp as $$
  delete from job_run
  where worker = the_worker and set_aside_at is null and (the_keys is null or key = any(the_keys))
$$;

-- Says that a process lives, and what of its jobs got somewhere since they began.
create function job_alive(the_worker uuid, advanced text[])
returns void language sql volatile security definer set search_path = public, pg_temp as $$
  update job_run set alive_at = now(), starts = case when key = any(advanced) then 1 else starts end
  where worker = the_worker and set_aside_at is null
$$;

create function job_set_aside(the_key text)
returns void language sql volatile security definer set search_path = public, pg_temp as $$
  update job_run set set_aside_at = now() where key = the_key and set_aside_at is null
$$;

-- Forgets that a job was set aside, since it is tried again or not needed any more.
create function job_resume(the_kind text, the_payload jsonb)
returns void language sql volatile security definer set search_path = public, pg_temp as $$
  delete from job_run where kind = the_kind and payload = the_payload and set_aside_at is not null
$$;

-- What was cut off and never came again: the job was sent once, and is not sent any more.
create function job_forget(before timestamptz)
returns void language sql volatile security definer set search_path = public, pg_temp as $$
  delete from job_run where set_aside_at is null and alive_at < before
$$;

revoke execute on function job_begin(text, text, jsonb, uuid, uuid), job_again(text, integer, uuid), job_end(text[], uuid),
  job_alive(uuid, text[]), job_set_aside(text), job_resume(text, jsonb), job_forget(timestamptz) from public;
grant execute on function job_begin(text, text, jsonb, uuid, uuid), job_again(text, integer, uuid), job_end(text[], uuid),
  job_alive(uuid, text[]), job_set_aside(text), job_resume(text, jsonb), job_forget(timestamptz) to lead_app;

-- Files whose reading ended the process twice wait for somebody to try them again.
alter table import_job drop constraint import_job_state_check;
alter table import_job add constraint import_job_state_check
  check (state in ('mapping', 'queued', 'running', 'held', 'done', 'failed', 'cancelled'));
alter table exclusion_list drop constraint exclusion_list_state_check;
alter table exclusion_list add constraint exclusion_list_state_check
  check (state in ('queued', 'loading', 'held', 'active', 'failed', 'removed'));
