-- When numbers were marked as on a do-not-call list: also for clients and agencies, whose leads show it (the marks are the root's).
create function phone_marks(phones text[]) returns table (phone text, marked_at timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select d.phone, d.marked_at from do_not_call d where d.root_id = scope_root() and d.phone = any(phones)
$$;
revoke execute on function phone_marks(text[]) from public;
grant execute on function phone_marks(text[]) to lead_app;
