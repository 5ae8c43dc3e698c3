-- What an agency's test keys work with: a system of its own, with a root, an agency and clients that no one signs in to. Row
-- level security keeps it apart from the agency, its root, and every other sandbox (docs/decisions/0251-sandbox.md).
create table developer_sandbox (
  company_id        uuid primary key, -- the agency whose test keys work with it
  root_id           uuid not null,
  agency_id         uuid not null,
  sandbox_root_id   uuid not null unique references company (id),
  sandbox_agency_id uuid not null unique references company (id),
  created_at        timestamptz not null,
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
call protect('developer_sandbox');
grant select, insert on developer_sandbox to lead_app;

-- Whether a root is that of a sandbox: nothing that concerns people or money happens there.
create function is_sandbox(wanted uuid) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from developer_sandbox where sandbox_root_id = wanted)
$$;
revoke execute on function is_sandbox(uuid) from public;
grant execute on function is_sandbox(uuid) to lead_app;

-- The roots that the platform works for.
create or replace function roots() returns setof uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select id from company where kind = 'root' and removed_at is null and not is_sandbox(id) order by is_master desc, created_at
$$;

create or replace function root_list(pattern text, most integer, skip integer)
returns table (id uuid, name text, host text, owner_name text, owner_email text, agencies bigint, created_at timestamptz,
               is_master boolean, total bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.id, c.name, primary_host(c.id), c.owner_name, c.owner_email,
         (select count(*) from company a where a.root_id = c.id and a.kind = 'agency' and a.removed_at is null),
         c.created_at, c.is_master, count(*) over ()
  from company c
  where c.kind = 'root' and c.removed_at is null and c.search like pattern and not is_sandbox(c.id)
    and scope_agency() is null
    and exists (select from company m where m.id = scope_root() and m.is_master)
  order by c.is_master desc, lower(c.name), c.id
  limit most offset skip
$$;

-- With the sandbox of the key's agency, if it has one.
drop function developer_key_state(uuid, text, bytea);
create function developer_key_state(wanted uuid, wanted_client text, wanted_hash bytea)
returns table (id uuid, root_id uuid, agency_id uuid, company_id uuid, company_name text, maker_id uuid, name text, mode text,
               client_id text, secret_hash bytea, generation integer, previous_hash bytea, previous_until timestamptz,
               scopes text[], expires_at timestamptz, disabled_at timestamptz, removed_at timestamptz,
               last_used_at timestamptz, last_used_ip text, maker_role text, is_account_executive boolean,
               is_maker_there boolean, is_company_there boolean, api_mode boolean, is_agreed boolean, is_unpaid boolean,
               sandbox_root_id uuid, sandbox_agency_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select k.id, k.root_id, k.agency_id, k.company_id, c.name, k.maker_id, k.name, k.mode, k.client_id, k.secret_hash, k.generation,
         k.previous_hash, k.previous_until, k.scopes, k.expires_at, k.disabled_at, k.removed_at, k.last_used_at, k.last_used_ip,
         u.role, u.is_account_executive, u.disabled_at is null and u.company_id = k.company_id, c.removed_at is null,
         coalesce(b.api_mode, false),
         exists (select from agreement_acceptance a where a.company_id = k.company_id and a.document_type = 'developer'
                 and a.accepted_at >= coalesce(b.api_mode_since, '-infinity'))
           and developer_fee_posted(k.company_id),
         coalesce(b.payment_status = 'failed', false), s.sandbox_root_id, s.sandbox_agency_id
  from developer_key k join company c on c.id = k.company_id join user_account u on u.id = k.maker_id
  left join company_billing b on b.company_id = k.company_id
  left join developer_sandbox s on s.company_id = k.company_id
  where k.id = wanted or k.client_id = wanted_client or k.secret_hash = wanted_hash or k.previous_hash = wanted_hash
$$;
revoke execute on function developer_key_state(uuid, text, bytea) from public;
grant execute on function developer_key_state(uuid, text, bytea) to lead_app;
