-- A search of the agency or client list finds phones, too, and an agency also by its clients.
create index user_phone_search on user_account using gin ((ltrim(phone_calling, '+') || phonenum) gin_trgm_ops)
  where role = 'owner' and phonenum <> '';

-- As before: row level security keeps the planner from an index for LIKE, so the wall is applied in here by hand. `digits` is
-- a pattern of digits alone; null: the text can be no phone.
create function search_company_list(pattern text, digits text, wanted_parent uuid, most integer)
returns setof uuid language sql stable security definer set search_path = public, pg_temp as $$
  with hit as (
    select c.id, c.parent_id, c.kind from company c
    where c.root_id = scope_root()
      and (scope_agency() is null or c.agency_id = scope_agency())
      and (scope_company() is null or c.id = scope_company())
      and c.kind <> 'root' and c.removed_at is null
      and c.search like pattern
    union
    select c.id, c.parent_id, c.kind from user_account u join company c on c.id = u.company_id and c.owner_id = u.id
    where digits is not null and u.root_id = scope_root() and u.role = 'owner' and u.phonenum <> ''
      and ltrim(u.phone_calling, '+') || u.phonenum like digits
      and (scope_agency() is null or c.agency_id = scope_agency())
      and (scope_company() is null or c.id = scope_company())
      and c.kind <> 'root' and c.removed_at is null
  )
  select id from hit where parent_id = wanted_parent
  union
  select p.id from hit join company p on p.id = hit.parent_id
  where hit.kind = 'client' and p.parent_id = wanted_parent and p.removed_at is null
  limit most
$$;
revoke execute on function search_company_list(text, text, uuid, integer) from public;
grant execute on function search_company_list(text, text, uuid, integer) to lead_app;
drop function search_companies(text, uuid, integer);
