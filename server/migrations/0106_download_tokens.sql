-- A download token is good for one try: one that is tried for another path, or too late, is used up as well.
create or replace function use_download_token(wanted bytea, wanted_path text, at timestamptz)
returns table (user_id uuid, root_id uuid, agency_id uuid, company_id uuid, viewer_id uuid)
language sql volatile security definer set search_path = public, pg_temp as $$
  with spent as (
    update download_token t set used_at = at where t.token_hash = wanted and t.used_at is null
    returning t.user_id, t.root_id, t.agency_id, t.company_id, t.viewer_id, t.path, t.expires_at)
  select s.user_id, s.root_id, s.agency_id, s.company_id, s.viewer_id from spent s
  where s.path = wanted_path and s.expires_at > at
$$;
