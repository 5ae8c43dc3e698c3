-- A custom host of an agency without white labeling is not served (tenant_by_host), so nothing may link to it.
create or replace function primary_host(wanted uuid) returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select d.host from company given
  left join developer_sandbox s on s.sandbox_root_id = given.root_id
  join company c on c.id = coalesce(s.company_id, given.id)
  join domain d on d.company_id in (c.id, c.agency_id, c.root_id) and d.verified_at is not null
    and (d.kind <> 'custom' or wears_own(d.company_id))
  where given.id = wanted
  order by (d.company_id = c.id) desc, (d.company_id = c.agency_id) desc, d.is_primary desc, d.created_at
  limit 1
$$;
