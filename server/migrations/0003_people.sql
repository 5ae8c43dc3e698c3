create table user_account (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid,
  company_id    uuid not null,
  role          text not null check (role in ('owner', 'administrator', 'sales')),
  is_account_executive boolean not null default false,
  email         text not null check (email = lower(email) and length(email) <= 70),
  name          text not null check (length(name) between 1 and 255),
  password_hash text,
  created_at    timestamptz not null,
  disabled_at   timestamptz,
  unique (root_id, id),
  unique (root_id, email),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index user_account_by_company on user_account (company_id, name, id);
call protect('user_account');

-- A login session is one family of refresh tokens. Tokens are derived (features/accounts/auth/refresh.ts), so the row
-- holds no token: only how many have been issued.
create table session (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid,
  company_id  uuid not null,
  user_id     uuid not null,
  generation  integer not null default 0,
  rotated_at  timestamptz not null,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  revoked_at  timestamptz,
  revoked_why text check (revoked_why in ('logout', 'reuse', 'disabled')),
  host        text not null,
  ip          inet,
  user_agent  text,
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create index session_by_user on session (user_id, created_at desc);
call protect('session');

-- Asked on every request (cached 5 s by the caller): does this login still live, and with which rights?
create function session_state(wanted uuid)
returns table (user_id uuid, root_id uuid, agency_id uuid, company_id uuid, kind text, role text,
               is_account_executive boolean, live boolean, expires_at timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select u.id, u.root_id, u.agency_id, u.company_id, c.kind, u.role, u.is_account_executive,
         s.revoked_at is null and u.disabled_at is null and c.removed_at is null, s.expires_at
  from session s join user_account u on u.id = s.user_id join company c on c.id = u.company_id
  where s.id = wanted
$$;

-- Keys of the installation: private halves sealed under APP_KEY (platform/crypto).
create table signing_key (
  kid        text primary key,
  purpose    text not null check (purpose in ('access', 'body')),
  public_jwk jsonb not null,
  private_sealed text not null,
  created_at timestamptz not null,
  retired_at timestamptz
);
create unique index signing_key_current on signing_key (purpose) where retired_at is null;

-- One-use link for the first owner of an installation without any root.
create table setup_link (
  token_hash bytea primary key,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz
);

-- A browser download carries no bearer: a token, used once within 60 s, for one person and one file.
create table download_token (
  token_hash bytea primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  user_id    uuid not null,
  path       text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz
);
call protect('download_token');
create function use_download_token(wanted bytea, wanted_path text, at timestamptz)
returns table (user_id uuid, root_id uuid, agency_id uuid, company_id uuid)
language sql volatile security definer set search_path = public, pg_temp as $$
  update download_token t set used_at = at
  where t.token_hash = wanted and t.path = wanted_path and t.used_at is null and t.expires_at > at
  returning t.user_id, t.root_id, t.agency_id, t.company_id
$$;
create function no_root_yet() returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select not exists (select from company where kind = 'root')
$$;
