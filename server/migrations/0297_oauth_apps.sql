-- An app, such as an AI assistant, that an owner has given access (OAuth 2.1): it is an API key without a secret that anyone
-- knows, and gets tokens for a code, and then for refresh tokens that are used once.
alter table developer_key add column app text check (length(app) between 1 and 200); -- where the app lives; null: a key with a secret
create table developer_grant (
  key_id        uuid primary key,
  root_id       uuid not null,
  agency_id     uuid not null,
  company_id    uuid not null,
  client_hash   bytea not null check (length(client_hash) = 32), -- SHA-256 of the app's client_id
  redirect_uri  text not null check (length(redirect_uri) <= 500),
  challenge     text not null check (length(challenge) <= 128), -- PKCE, S256
  code_hash     bytea not null unique check (length(code_hash) = 32),
  code_until    timestamptz not null,
  refresh_hash  bytea unique check (length(refresh_hash) = 32), -- null: the code was not used yet
  previous_hash bytea unique check (length(previous_hash) = 32), -- the refresh token before
  refreshed_at  timestamptz,
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
call protect('developer_grant');
grant select, insert, update on developer_grant to lead_app;
