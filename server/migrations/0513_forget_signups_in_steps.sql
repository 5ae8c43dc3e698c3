-- Deletes at most so many of each kind at a time; returns how many it found of the most. forget_signups deletes all in one
-- statement, which no longer fits its time limit once somebody has sent millions of forged sign-ups.
create function forget_some_signups(signups_before timestamptz, hours_before timestamptz, held_before timestamptz, most integer)
returns bigint language sql security definer set search_path = public, pg_temp as $$
  with old_signups as (
    delete from signup s where s.ctid = any (array(select ctid from signup where at < signups_before limit most)) returning 1),
  old_hours as (
    delete from signup_hour h where h.ctid = any (array(select ctid from signup_hour where hour < hours_before limit most)) returning 1),
  old_held as (
    delete from held_visit v where v.ctid = any (array(select ctid from held_visit where received_at < held_before limit most)) returning 1)
  select greatest((select count(*) from old_signups), (select count(*) from old_hours), (select count(*) from old_held))
$$;
revoke execute on function forget_some_signups from public;
grant execute on function forget_some_signups to lead_app;
