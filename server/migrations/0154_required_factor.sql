-- Of whom a root or agency requires a second factor, and from the start of which day on in its own time zone.
alter table company
  add column factor_people boolean not null default false,
  add column factor_owners boolean not null default false,
  add column factor_from date;

-- A login of somebody who still has to set up the factor that is required of them: it can do nothing else.
alter table session add column needs_factor boolean not null default false;

-- After the password, a passkey or a recovery code is asked for.
alter table login_challenge drop constraint login_challenge_kind_check;
alter table login_challenge add constraint login_challenge_kind_check check (kind in ('email', 'google', 'passkey'));

drop function session_state(uuid);
create function session_state(wanted uuid)
returns table (user_id uuid, root_id uuid, agency_id uuid, company_id uuid, kind text, role text,
               is_account_executive boolean, needs_factor boolean, live boolean, expires_at timestamptz,
               viewer_session_id uuid, viewer_id uuid, viewer_agency_id uuid, viewer_company_id uuid, viewer_kind text,
               viewer_role text, viewer_name text)
language sql stable security definer set search_path = public, pg_temp as $$
  select u.id, u.root_id, u.agency_id, u.company_id, c.kind, u.role, u.is_account_executive, s.needs_factor,
         s.revoked_at is null and u.disabled_at is null and c.removed_at is null
           and (s.viewer_session_id is null
                or (o.revoked_at is null and ou.disabled_at is null and oc.removed_at is null)),
         least(s.expires_at, o.expires_at),
         s.viewer_session_id, s.viewer_id, ou.agency_id, ou.company_id, oc.kind, ou.role, ou.name
  from session s join user_account u on u.id = s.user_id join company c on c.id = u.company_id
  left join session o on o.id = s.viewer_session_id
  left join user_account ou on ou.id = o.user_id left join company oc on oc.id = ou.company_id
  where s.id = wanted
$$;
revoke execute on function session_state(uuid) from public;
grant execute on function session_state(uuid) to lead_app;
