-- Since when keys have been on a list that excludes: lists of known customers are kept in the same tables.
create or replace function excluded_since(owners uuid[], kinds smallint[], vals bytea[])
returns table (n bigint, since timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select k.n, hit.since from unnest(owners, kinds, vals) with ordinality k (owner, kind, value, n)
  cross join lateral (
    select min(coalesce(l.finished_at, l.created_at)) as since
    from exclusion e join exclusion_list l on l.id = e.list_id and l.state = 'active' and l.use = 'exclude'
    where e.owner_id = k.owner and e.kind = k.kind and e.value = k.value and e.root_id = scope_root()) hit
  where hit.since is not null
$$;
