-- Views and clicks are taken together. A function for each of them took as long as billing them.
create function ad_impression_roots(wanted uuid[]) returns table (id uuid, root_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select i.id, i.root_id from ad_impression i where i.id = any (wanted)
$$;
revoke execute on function ad_impression_roots from public;
grant execute on function ad_impression_roots to lead_app;
