-- ─── developer/api ───────────────────────────────────────────────────────────────────────────────────────────────────

-- Keys of an agency's own programs (docs/decisions/0191-developer-keys.md). Only the hash of a secret is stored.
create table developer_key (
  id             uuid primary key,
  root_id        uuid not null,
  agency_id      uuid not null,
  company_id     uuid not null,
  maker_id       uuid not null, -- Whose rights it has, and with whom it ends.
  name           text not null check (length(name) between 1 and 60),
  mode           text not null check (mode in ('live', 'test')),
  client_id      text not null unique check (length(client_id) <= 60),
  secret_hash    bytea not null unique check (length(secret_hash) = 32), -- SHA-256.
  secret_end     text not null check (length(secret_end) = 4), -- What people recognize it by.
  generation     integer not null default 1 check (generation > 0), -- How many secrets it has had.
  previous_hash  bytea unique check (length(previous_hash) = 32), -- The previous secret.
  previous_until timestamptz, -- Until when that one works, too.
  scopes         text[] not null,
  created_at     timestamptz not null,
  rotated_at     timestamptz,
  expires_at     timestamptz,
  warned_days    integer, -- How many days before its end someone was told.
  disabled_at    timestamptz,
  removed_at     timestamptz,
  last_used_at   timestamptz, -- To the minute.
  last_used_ip   text,
  check ((previous_hash is null) = (previous_until is null)),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id),
  foreign key (root_id, maker_id) references user_account (root_id, id)
);
create index developer_key_by_company on developer_key (company_id, created_at desc) where removed_at is null;
create index developer_key_by_end on developer_key (root_id, expires_at) where removed_at is null and expires_at is not null;
call protect('developer_key');
grant select, insert, update on developer_key to lead_app;

-- Whether the one-time fee of a company's current developer mode was posted. Only the posting counts as payment: a
-- developer agreement that was accepted without it is not in force (docs/decisions/0192-developer-agreement.md).
create function developer_fee_posted(company uuid) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (
    select from company c left join company_billing b on b.company_id = c.id
    join transfer t on t.root_id = c.root_id and t.idempotency_key = 'developer_fee:' || c.id || ':'
      || coalesce(to_char(b.api_mode_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'first')
    where c.id = company)
$$;

-- What a request with a key, or with a token for one, depends on. Asked before a scope is known, by exactly one of the
-- three.
create function developer_key_state(wanted uuid, wanted_client text, wanted_hash bytea)
returns table (id uuid, root_id uuid, agency_id uuid, company_id uuid, company_name text, maker_id uuid, name text, mode text,
               client_id text, secret_hash bytea, generation integer, previous_hash bytea, previous_until timestamptz,
               scopes text[], expires_at timestamptz, disabled_at timestamptz, removed_at timestamptz,
               last_used_at timestamptz, last_used_ip text, maker_role text, is_account_executive boolean,
               is_maker_there boolean, is_company_there boolean, api_mode boolean, is_agreed boolean, is_unpaid boolean)
language sql stable security definer set search_path = public, pg_temp as $$
  select k.id, k.root_id, k.agency_id, k.company_id, c.name, k.maker_id, k.name, k.mode, k.client_id, k.secret_hash, k.generation,
         k.previous_hash, k.previous_until, k.scopes, k.expires_at, k.disabled_at, k.removed_at, k.last_used_at, k.last_used_ip,
         u.role, u.is_account_executive, u.disabled_at is null and u.company_id = k.company_id, c.removed_at is null,
         coalesce(b.api_mode, false),
         exists (select from agreement_acceptance a where a.company_id = k.company_id and a.document_type = 'developer'
                 and a.accepted_at >= coalesce(b.api_mode_since, '-infinity'))
           and developer_fee_posted(k.company_id),
         coalesce(b.payment_status = 'failed', false)
  from developer_key k join company c on c.id = k.company_id join user_account u on u.id = k.maker_id
  left join company_billing b on b.company_id = k.company_id
  where k.id = wanted or k.client_id = wanted_client or k.secret_hash = wanted_hash or k.previous_hash = wanted_hash
$$;
