-- How long each kind of data is kept (docs/decisions/0491-retention.md), and what the last run removed. A kind that was never
-- changed and never run has no row.
create table retention (
  kind        text primary key check (length(kind) between 1 and 50),
  days        integer check (days > 0), -- Null: the default.
  started_at  timestamptz, -- Of the last run.
  finished_at timestamptz, -- Null while it runs, and after it was cut off: the next run goes on with it.
  removed     bigint not null default 0 check (removed >= 0)
);
alter table retention enable row level security;
alter table retention force row level security;
create policy owner on retention to lead_owner using (true) with check (true);
-- Visits of all roots lie in the same partitions, so whoever runs the platform decides for all.
create policy root on retention to lead_root
  using (exists (select from company where id = scope_root() and is_master))
  with check (exists (select from company where id = scope_root() and is_master));
grant select, insert, update on retention to lead_app;

-- How long each kind is kept where that was changed: the privacy policy tells everyone.
create function retention_days() returns table (kind text, days integer)
language sql stable security definer set search_path = public, pg_temp as $$
  select r.kind, r.days from retention r where r.days is not null
$$;
revoke execute on function retention_days() from public;
grant execute on function retention_days() to lead_app;

-- Counts what was removed, in the transaction that removes it, in whatever root's scope that is.
create procedure count_removed(of_kind text, n bigint)
language sql security definer set search_path = public, pg_temp as $$
  update retention set removed = removed + n where kind = of_kind
$$;
revoke execute on procedure count_removed(text, bigint) from public;
grant execute on procedure count_removed(text, bigint) to lead_app;

-- How many requests and messages of the developer API are older than an instant, in all systems, up to a maximum.
create function count_developer(before timestamptz, most integer) returns bigint
language sql stable security definer set search_path = public, pg_temp as $$
  select count(*) from (
    (select from developer_request where at < before limit most)
    union all
    (select from developer_message where created_at < before and state <> 'pending' limit most)) old
$$;
revoke execute on function count_developer(timestamptz, integer) from public;
grant execute on function count_developer(timestamptz, integer) to lead_app;

-- The oldest contents of leads.
create index lead_contact_old on lead_contact (root_id, created_at);
