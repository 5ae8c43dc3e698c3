-- View mode: a session of the person viewed, bound to the login session of the true actor (features/accounts/auth/view.*,
-- docs/decisions/0015-view-mode.md). It lives while that session lives, and for 30 minutes at a time.
alter table session add column viewer_session_id uuid;
alter table session add column viewer_id uuid;
alter table session add column view_reason text check (length(view_reason) between 5 and 255);
alter table session add constraint session_by_root unique (root_id, id);
alter table session add constraint session_viewer_session
  foreign key (root_id, viewer_session_id) references session (root_id, id);
alter table session add constraint session_viewer foreign key (root_id, viewer_id) references user_account (root_id, id);
alter table session add constraint session_view_whole check (num_nulls(viewer_session_id, viewer_id, view_reason) in (0, 3));
alter table session add constraint session_view_other check (viewer_id <> user_id);
create unique index session_one_view on session (viewer_session_id) where revoked_at is null;

alter table session drop constraint session_revoked_why_check;
alter table session add constraint session_revoked_why_check
  check (revoked_why in ('logout', 'reuse', 'disabled', 'ended', 'password', 'factor', 'reverted', 'lapsed'));

-- Asked on every request: does this login, and where it is a view the login behind it, still live, and with which rights?
drop function session_state(uuid);
create function session_state(wanted uuid)
returns table (user_id uuid, root_id uuid, agency_id uuid, company_id uuid, kind text, role text,
               is_account_executive boolean, live boolean, expires_at timestamptz,
               viewer_session_id uuid, viewer_id uuid, viewer_agency_id uuid, viewer_company_id uuid, viewer_kind text,
               viewer_role text, viewer_name text)
language sql stable security definer set search_path = public, pg_temp as $$
  select u.id, u.root_id, u.agency_id, u.company_id, c.kind, u.role, u.is_account_executive,
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

-- A download asked for in view mode is the true actor's, too.
alter table download_token add column viewer_id uuid;
drop function use_download_token(bytea, text, timestamptz);
create function use_download_token(wanted bytea, wanted_path text, at timestamptz)
returns table (user_id uuid, root_id uuid, agency_id uuid, company_id uuid, viewer_id uuid)
language sql volatile security definer set search_path = public, pg_temp as $$
  update download_token t set used_at = at
  where t.token_hash = wanted and t.path = wanted_path and t.used_at is null and t.expires_at > at
  returning t.user_id, t.root_id, t.agency_id, t.company_id, t.viewer_id
$$;
revoke execute on function use_download_token(bytea, text, timestamptz) from public;
grant execute on function use_download_token(bytea, text, timestamptz) to lead_app;
