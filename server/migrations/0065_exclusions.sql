-- Exclusion lists as files that are loaded, reported on and taken back (spec product 4, 5; docs/decisions/0065-exclusions.md).

alter table exclusion_list
  -- What the file may hold: e-mail addresses, plain or as MD5, or entries of every kind.
  add column accepts     text not null default 'all' check (accepts in ('email', 'all')),
  -- Only an active list is in force; a removed one is a fact of the past whose entries a job deletes.
  add column state       text not null default 'active' check (state in ('queued', 'loading', 'active', 'failed', 'removed')),
  add column error       text,
  add column file_path   text,
  add column byte_offset bigint not null default 0,
  add column line        bigint not null default 0,
  add column total_rows  bigint not null default 0,
  add column rows_read   bigint not null default 0,
  add column rows_added  bigint not null default 0,
  add column rows_same   bigint not null default 0,
  add column rows_bad    bigint not null default 0,
  add column emails      bigint not null default 0,
  add column phones      bigint not null default 0,
  add column domains     bigint not null default 0,
  add column created_by  uuid,
  add column started_at  timestamptz,
  add column finished_at timestamptz,
  add column removed_at  timestamptz;

update exclusion_list l
set emails = e.hashed + l.md5_only, phones = e.phones, domains = e.domains,
    rows_read = e.hashed + l.md5_only + e.phones + e.domains, rows_added = e.hashed + l.md5_only + e.phones + e.domains,
    total_rows = e.hashed + l.md5_only + e.phones + e.domains, finished_at = l.created_at
from (select list_id, count(*) filter (where kind = 1) as hashed, count(*) filter (where kind = 6) as phones,
             count(*) filter (where kind = 8) as domains from exclusion group by list_id) e
where e.list_id = l.id;

drop index exclusion_list_by_owner;
create index exclusion_list_by_owner on exclusion_list (owner_id, created_at desc, id desc);
create index exclusion_list_in_force on exclusion_list (owner_id) where state = 'active';
create index exclusion_list_under_way on exclusion_list (owner_id) where state in ('queued', 'loading');

-- Checked for every entry, the foreign key takes longer than the entry itself; entries are only ever written together with
-- their list, and deleted by a job that walks the primary key.
alter table exclusion drop constraint exclusion_root_id_list_id_fkey;

-- The rows of a file that are no entries. The values may be personal: they go with the list.
create table exclusion_error (
  list_id    uuid not null,
  line       bigint not null,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  reason     text not null,
  value      text,
  primary key (list_id, line),
  foreign key (root_id, list_id) references exclusion_list (root_id, id) on delete cascade
);
call protect('exclusion_error');
grant select, insert, delete on exclusion_error to lead_app;

-- Asked in whatever scope: a client's lead is checked against its agency's and root's lists too, which its scope does not
-- see. They answer positions and counts alone, and of the scope's own root.
create function excluded_keys(owners uuid[], kinds smallint[], vals bytea[])
returns setof bigint language sql stable security definer set search_path = public, pg_temp as $$
  select k.n from unnest(owners, kinds, vals) with ordinality k (owner, kind, value, n)
  cross join lateral (
    select from exclusion e
    where e.owner_id = k.owner and e.kind = k.kind and e.value = k.value and e.root_id = scope_root()
      and exists (select from exclusion_list l where l.id = e.list_id and l.state = 'active')
    limit 1) hit
$$;
create function exclusions_in_force(owners uuid[])
returns table (owner_id uuid, emails bigint, phones bigint, domains bigint, md5_only bigint, sha256_only bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select l.owner_id, sum(l.emails)::bigint, sum(l.phones)::bigint, sum(l.domains)::bigint, sum(l.md5_only)::bigint,
         sum(l.sha256_only)::bigint
  from exclusion_list l
  where l.owner_id = any(owners) and l.root_id = scope_root() and l.state = 'active'
  group by l.owner_id
$$;
revoke execute on function excluded_keys(uuid[], smallint[], bytea[]), exclusions_in_force(uuid[]) from public;
grant execute on function excluded_keys(uuid[], smallint[], bytea[]), exclusions_in_force(uuid[]) to lead_app;
