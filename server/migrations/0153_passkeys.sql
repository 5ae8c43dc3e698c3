-- Passkeys (WebAuthn): each is good at the host where it was made. Public keys alone; the private ones never leave the devices.
create table passkey (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid,
  company_id    uuid not null,
  user_id       uuid not null,
  host          text not null,
  credential_id text not null check (length(credential_id) between 1 and 1400), -- base64url
  public_key    bytea not null,
  counter       bigint not null,
  transports    text[] not null,
  is_synced     boolean not null,
  name          text not null check (length(name) between 1 and 60),
  created_at    timestamptz not null,
  last_used_at  timestamptz,
  unique (root_id, host, credential_id),
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create index passkey_by_user on passkey (user_id);
call protect('passkey');
grant select, insert, update, delete on passkey to lead_app;

-- Challenges that have been answered, until they would have expired anyway.
create table passkey_answer (
  challenge  text primary key,
  expires_at timestamptz not null
);
create index passkey_answer_by_time on passkey_answer (expires_at);
grant select, insert, delete on passkey_answer to lead_app;
