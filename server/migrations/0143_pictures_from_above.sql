-- Who views as somebody below stays at the host of their own company, and sees the brand of the company viewed there.
create or replace function front_picture(wanted uuid, at_company uuid)
returns table (type text, bytes bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.type, p.bytes
  from picture p join company c on c.id = at_company
  where p.id = wanted and c.removed_at is null
    and (p.company_id in (c.id, c.root_id)
         or (p.purpose <> 'profile'
             and exists (select from company below
                         where below.id = p.company_id and below.removed_at is null
                           and c.id in (below.root_id, below.agency_id))))
$$;
