-- A view of a sales person lives only while the company viewed, or the agency above it, is in their care: assigned to them as
-- more than the one who referred it. All else is as it was (0154_required_factor.sql).
create or replace function session_state(wanted uuid)
returns table (user_id uuid, root_id uuid, agency_id uuid, company_id uuid, kind text, role text,
               is_account_executive boolean, needs_factor boolean, live boolean, expires_at timestamptz,
               viewer_session_id uuid, viewer_id uuid, viewer_agency_id uuid, viewer_company_id uuid, viewer_kind text,
               viewer_role text, viewer_name text)
language sql stable security definer set search_path = public, pg_temp as $$
  select u.id, u.root_id, u.agency_id, u.company_id, c.kind, u.role, u.is_account_executive, s.needs_factor,
         s.revoked_at is null and u.disabled_at is null and c.removed_at is null
           and (s.viewer_session_id is null
                or (o.revoked_at is null and ou.disabled_at is null and oc.removed_at is null
                    and (ou.role <> 'sales'
                         or exists (select from sales_assignment a
                                    where a.user_id = ou.id and a.company_id in (u.company_id, u.agency_id)
                                      and a.role <> 'referrer')))),
         least(s.expires_at, o.expires_at),
         s.viewer_session_id, s.viewer_id, ou.agency_id, ou.company_id, oc.kind, ou.role, ou.name
  from session s join user_account u on u.id = s.user_id join company c on c.id = u.company_id
  left join session o on o.id = s.viewer_session_id
  left join user_account ou on ou.id = o.user_id left join company oc on oc.id = ou.company_id
  where s.id = wanted
$$;
