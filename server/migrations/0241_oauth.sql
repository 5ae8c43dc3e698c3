-- Connections that a person signed in to at the service: their token is renewed before it ends, by one process at a time.
alter table connection
  add column auth text not null default 'key' check (auth in ('key', 'oauth')),
  add column token_ends_at timestamptz,              -- the access token; none for keys
  add column ends_at timestamptz,                    -- the sign-in itself, where the service says so
  add column renewed_at timestamptz,
  add column renewing_until timestamptz,             -- a process is renewing the token until then
  add column told_ending boolean not null default false,
  add constraint connection_token_check check ((auth = 'oauth') = (token_ends_at is not null));
create index connection_ending on connection (root_id, ends_at) where state = 'connected' and ends_at is not null;

-- A sign-in at a service that somebody has begun, under the hash of its state.
create table connection_sign_in (
  state_hash      bytea primary key,
  root_id         uuid not null,
  agency_id       uuid not null,
  company_id      uuid not null,
  session_id      uuid not null,
  vendor          text not null,
  connection_id   uuid,                              -- the one that is signed in anew
  name            text,
  verifier_sealed text not null,
  return_to       text not null,
  ends_at         timestamptz not null
);
create index connection_sign_in_by_company on connection_sign_in (company_id, ends_at);
call protect('connection_sign_in');
grant select, insert, delete on connection_sign_in to lead_app;

-- Where a browser that comes back from a service goes on: the service knows one address for all tenants.
create function sign_in_return(hash bytea, at timestamptz) returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select return_to from connection_sign_in where state_hash = hash and ends_at > at
$$;
revoke execute on function sign_in_return(bytea, timestamptz) from public;
grant execute on function sign_in_return(bytea, timestamptz) to lead_app;
