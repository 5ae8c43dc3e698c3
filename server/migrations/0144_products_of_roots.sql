-- The modules that a root has chosen to have, for its front door; null: all that there are.
create function chosen_modules(wanted uuid) returns text[]
language sql stable security definer set search_path = public, pg_temp as $$
  select p.modules from company_products p join company c on c.id = p.company_id
  where c.id = wanted and c.kind = 'root' and c.removed_at is null
$$;
revoke execute on function chosen_modules(uuid) from public;
grant execute on function chosen_modules(uuid) to lead_app;
