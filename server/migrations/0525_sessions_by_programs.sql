-- How a session was opened: 'sso' by an agency's program, null by its user. What is done in the former is not the user's own
-- (docs/decisions/0500-ways-in-for-others.md), and the log keeps that: its hash covers it where it is set.
alter table session add column via text check (via = 'sso');
alter table user_log add column via text check (via = 'sso');

-- Asked together with session_state, before a scope is known: how a session was opened; of a view, the login behind it.
create function session_via(wanted uuid) returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(s.via, o.via) from session s left join session o on o.id = s.viewer_session_id where s.id = wanted
$$;
revoke execute on function session_via(uuid) from public;
grant execute on function session_via(uuid) to lead_app;
