-- The host on which a company's pages and scripts are served: its own, its agency's, its root's; for a sandbox, those of the
-- agency that it belongs to.
create or replace function primary_host(wanted uuid) returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select d.host from company given
  left join developer_sandbox s on s.sandbox_root_id = given.root_id
  join company c on c.id = coalesce(s.company_id, given.id)
  join domain d on d.company_id in (c.id, c.agency_id, c.root_id) and d.verified_at is not null
  where given.id = wanted
  order by (d.company_id = c.id) desc, (d.company_id = c.agency_id) desc, d.is_primary desc, d.created_at
  limit 1
$$;
