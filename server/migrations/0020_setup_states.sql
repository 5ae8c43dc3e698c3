-- Pictures of people, beside those of brands: kept and encoded the same way, shown at their system's hosts to whoever
-- knows the id, which the pages of those who may see the person hold.
alter table picture drop constraint picture_purpose_check;
alter table picture add constraint picture_purpose_check check (purpose in ('logo', 'favicon', 'profile'));

create function profile_picture(wanted uuid, at_root uuid)
returns table (type text, bytes bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.type, p.bytes from picture p where p.id = wanted and p.root_id = at_root and p.purpose = 'profile'
$$;
revoke execute on function profile_picture(uuid, uuid) from public;
grant execute on function profile_picture(uuid, uuid) to lead_app;

-- A confirmed address is looked for among those that others have asked for, too.
create index email_change_open on email_change (root_id, email) where used_at is null;
