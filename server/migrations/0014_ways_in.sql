-- How often something has been tried (platform/limits.ts). The key is a keyed hash: the table names nobody.
create table attempt (
  key           bytea primary key,
  tries         integer not null,
  last_at       timestamptz not null,
  blocked_until timestamptz
);
create index attempt_by_last on attempt (last_at);

-- Captcha challenges that have been used, until they would have expired anyway.
create table captcha_used (
  signature  bytea primary key,
  expires_at timestamptz not null
);

alter table company add column registration_open boolean not null default false;

alter table session add column last_ip inet;
alter table session drop constraint session_revoked_why_check;
alter table session add constraint session_revoked_why_check
  check (revoked_why in ('logout', 'reuse', 'disabled', 'ended', 'password', 'factor'));

-- A person's second factor. `kind` is null while it is off; `generation` counts the secrets, so that each is another;
-- `last_step` is the newest 30-second step whose code has been used.
create table user_factor (
  user_id       uuid primary key,
  root_id       uuid not null,
  agency_id     uuid,
  company_id    uuid not null,
  kind          text check (kind in ('email', 'google')),
  secret_sealed text,
  generation    integer not null default 0,
  last_step     bigint not null default 0,
  updated_at    timestamptz not null,
  foreign key (root_id, user_id) references user_account (root_id, id),
  check ((kind is not distinct from 'google') = (secret_sealed is not null))
);
call protect('user_factor');

-- A login whose password was right and whose code is missing.
create table login_challenge (
  id          uuid primary key,
  token_hash  bytea not null unique,
  root_id     uuid not null,
  agency_id   uuid,
  company_id  uuid not null,
  user_id     uuid not null,
  tenant_id   uuid not null,
  kind        text not null check (kind in ('email', 'google')),
  code_mac    bytea,
  attempts    integer not null default 0,
  sent        integer not null default 1,
  sent_at     timestamptz not null,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  used_at     timestamptz,
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create index login_challenge_by_time on login_challenge (root_id, created_at);
call protect('login_challenge');

-- A wish for a new password. One for an address that nobody has looks the same, but for the user. Tokens are derived
-- from the id (features/accounts/auth/policy.ts), so the row holds none.
create table password_reset (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid,
  company_id  uuid not null,
  user_id     uuid,
  tenant_id   uuid not null,
  origin      text not null,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  used_at     timestamptz,
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create index password_reset_by_time on password_reset (root_id, created_at);
create index password_reset_by_user on password_reset (user_id) where used_at is null;
call protect('password_reset');

-- A sign-up whose address is not confirmed yet. The company and its owner are made when it is.
create table sign_up (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid,
  company_id    uuid not null,
  kind          text not null check (kind in ('agency', 'client')),
  email         text not null,
  name          text not null,
  company_name  text not null,
  phone         text,
  password_hash text,
  refcode       text,
  referred_by   uuid,
  made_company  uuid,
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  used_at       timestamptz,
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, referred_by) references user_account (root_id, id)
);
create index sign_up_by_time on sign_up (root_id, created_at);
call protect('sign_up');

-- Whom a sign-up with this code is owed to.
create table referral_code (
  root_id    uuid not null,
  code       text not null check (code ~ '^[A-Za-z0-9_-]{4,64}$'),
  agency_id  uuid,
  company_id uuid not null,
  user_id    uuid not null,
  created_at timestamptz not null,
  primary key (root_id, code),
  unique (user_id),
  foreign key (root_id, user_id) references user_account (root_id, id)
);
call protect('referral_code');

-- A one-use token that signs a person in at one tenant's host.
create table sso_token (
  token_hash bytea primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  user_id    uuid not null,
  tenant_id  uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz,
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create index sso_token_by_time on sso_token (root_id, created_at);
call protect('sso_token');

grant select, insert, update, delete on attempt, captcha_used, login_challenge, password_reset, sign_up, sso_token to lead_app;
grant select, insert, update on user_factor, referral_code to lead_app;
