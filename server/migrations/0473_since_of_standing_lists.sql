-- Since when people are on a list says nothing for standing lists, which grow: whoever opted out after they were sold would
-- have been on one since it was made, which would prove that they should not have been sold (docs/decisions/0340-returns.md).
create or replace function excluded_since(owners uuid[], kinds smallint[], vals bytea[])
returns table (n bigint, since timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select k.n, hit.since from unnest(owners, kinds, vals) with ordinality k (owner, kind, value, n)
  cross join lateral (
    select min(coalesce(l.finished_at, l.created_at)) as since
    from exclusion e join exclusion_list l on l.id = e.list_id and l.state = 'active' and l.use = 'exclude' and not l.is_standing
    where e.owner_id = k.owner and e.kind = k.kind and e.value = k.value and e.root_id = scope_root()) hit
  where hit.since is not null
$$;
