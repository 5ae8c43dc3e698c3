-- A second standing list of a root: the addresses and numbers on California's lists, as hashes only. A number's hash is that
-- of its last ten digits (kind 10).
alter table exclusion_list
  add column standing_for text not null default 'requests' check (standing_for in ('requests', 'drop')),
  add column phone_hashes bigint not null default 0;
drop index exclusion_list_standing;
create unique index exclusion_list_standing on exclusion_list (owner_id, standing_for) where is_standing;
alter table exclusion drop constraint exclusion_kind_check, add constraint exclusion_kind_check check (kind in (1, 3, 6, 8, 9, 10));

drop function exclusions_in_force(uuid[]);
create function exclusions_in_force(owners uuid[])
returns table (owner_id uuid, emails bigint, phones bigint, domains bigint, md5_only bigint, sha256_only bigint, aliases bigint,
  phone_hashes bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select l.owner_id, sum(l.emails)::bigint, sum(l.phones)::bigint, sum(l.domains)::bigint, sum(l.md5_only)::bigint,
         sum(l.sha256_only)::bigint, coalesce(sum(l.emails) filter (where l.ignore_aliases), 0)::bigint,
         sum(l.phone_hashes)::bigint
  from exclusion_list l
  where l.owner_id = any(owners) and l.root_id = scope_root() and l.state = 'active' and l.use = 'exclude'
  group by l.owner_id
$$;
revoke execute on function exclusions_in_force(uuid[]) from public;
grant execute on function exclusions_in_force(uuid[]) to lead_app;
