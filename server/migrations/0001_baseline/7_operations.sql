-- ─── operations/outbox ───────────────────────────────────────────────────────────────────────────────────────────────

-- Emails wait here until a worker hands them to the mail server. Without a mail server they stay (state kept), for the
-- root to read. Bodies contain links and codes, so they are sealed, and deleted once a mail server has them.
create table mail (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid,
  company_id   uuid not null,
  kind         text not null,
  to_address   text not null check (length(to_address) <= 254),
  to_name      text not null,
  from_address text not null,
  from_name    text not null,
  subject      text not null,
  body_sealed  text,
  state        text not null default 'queued' check (state in ('queued', 'sent', 'kept', 'failed')),
  attempts     integer not null default 0,
  last_error   text,
  created_at   timestamptz not null,
  sent_at      timestamptz,
  -- The tenant's host in whose name it is sent, and whose mail server is used if it has one; null: old emails.
  sender_host  text check (length(sender_host) <= 253),
  foreign key (root_id, company_id) references company (root_id, id),
  check (concat(to_address, to_name, from_address, from_name, subject) !~ '[\u0001-\u001f\u007f]')
);
create index mail_by_root on mail (root_id, created_at desc, id);
call protect('mail');
grant select, insert, update, delete on mail to lead_app;

-- ─── operations/jobs ─────────────────────────────────────────────────────────────────────────────────────────────────

-- Jobs that are running, and those that were set aside because their process died with them
-- (docs/decisions/0104-bounds.md). A row is written before a job runs and deleted when it ends, however it ends: one
-- that is left was cut off.
create table job_run (
  -- The job's id. For a kind that runs on a schedule it is the kind, because each run is a job of its own.
  key          text primary key,
  kind         text not null,
  payload      jsonb not null,
  root_id      uuid, -- Whose data it is about; null: no one's alone.
  company_id   uuid generated always as (root_id) stored,
  worker       uuid not null, -- The process that runs it.
  starts       integer not null default 1, -- How often it was started since it last made progress.
  started_at   timestamptz not null default now(),
  alive_at     timestamptz not null default now(),
  set_aside_at timestamptz
);
create index job_run_by_worker on job_run (worker);
create index job_run_set_aside on job_run (set_aside_at desc, key) where set_aside_at is not null;
alter table job_run enable row level security;
alter table job_run force row level security;
create policy owner on job_run to lead_owner using (true) with check (true);
-- The master root sees what belongs to no root alone.
create policy root on job_run to lead_root using (
  root_id = scope_root()
  or root_id is null and exists (select from company where id = scope_root() and is_master));
grant select on job_run to lead_app;

-- Workers take jobs before a scope is known, so these functions answer only about the job that is named. This one
-- records a start and returns the row: `is_new` if this is the first start, otherwise how the run before stands.
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

-- Records another start of a job that was cut off (`the_starts`: how often it has been started, including this time).
create function job_again(the_key text, the_starts integer, the_worker uuid)
returns void language sql volatile security definer set search_path = public, pg_temp as $$
  update job_run set starts = the_starts, worker = the_worker, started_at = now(), alive_at = now(), set_aside_at = null
  where key = the_key
$$;

-- Records that jobs of a process have ended; null: all of them.
create function job_end(the_keys text[], the_worker uuid)
returns void language sql volatile security definer set search_path = public, pg_temp as $$
  delete from job_run
  where worker = the_worker and set_aside_at is null and (the_keys is null or key = any(the_keys))
$$;

-- Reports that a process is alive, and which of its jobs have made progress since they began.
create function job_alive(the_worker uuid, advanced text[])
returns void language sql volatile security definer set search_path = public, pg_temp as $$
  update job_run set alive_at = now(), starts = case when key = any(advanced) then 1 else starts end
  where worker = the_worker and set_aside_at is null
$$;

-- Sets a job aside until someone tries it again.
create function job_set_aside(the_key text)
returns void language sql volatile security definer set search_path = public, pg_temp as $$
  update job_run set set_aside_at = now() where key = the_key and set_aside_at is null
$$;

-- Forgets that a job was set aside, because it is tried again or no longer needed.
create function job_resume(the_kind text, the_payload jsonb)
returns void language sql volatile security definer set search_path = public, pg_temp as $$
  delete from job_run where kind = the_kind and payload = the_payload and set_aside_at is not null
$$;

-- Deletes what was cut off and never came back: the job was sent once, and is not sent any more.
create function job_forget(before timestamptz)
returns void language sql volatile security definer set search_path = public, pg_temp as $$
  delete from job_run where set_aside_at is null and alive_at < before
$$;
