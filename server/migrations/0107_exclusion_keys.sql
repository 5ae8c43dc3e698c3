-- Whether a list's Gmail addresses stand for all that reach the same mailbox: dots and what follows a plus sign do not count.
alter table exclusion_list add column ignore_aliases boolean not null default false;

-- 9: SHA-256 of an address whose dots and plus part are left out, of lists that ignore them.
alter table exclusion drop constraint exclusion_kind_check;
alter table exclusion add constraint exclusion_kind_check check (kind in (1, 3, 6, 8, 9));

drop function exclusions_in_force(uuid[]);
create function exclusions_in_force(owners uuid[])
returns table (owner_id uuid, emails bigint, phones bigint, domains bigint, md5_only bigint, sha256_only bigint, aliases bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select l.owner_id, sum(l.emails)::bigint, sum(l.phones)::bigint, sum(l.domains)::bigint, sum(l.md5_only)::bigint,
         sum(l.sha256_only)::bigint, coalesce(sum(l.emails) filter (where l.ignore_aliases), 0)::bigint
  from exclusion_list l
  where l.owner_id = any(owners) and l.root_id = scope_root() and l.state = 'active'
  group by l.owner_id
$$;
revoke execute on function exclusions_in_force(uuid[]) from public;
grant execute on function exclusions_in_force(uuid[]) to lead_app;
