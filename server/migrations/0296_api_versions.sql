-- The version of the API that a key, or a webhook endpoint, was made with: it keeps the shapes that its program knows.
alter table developer_key add column version text not null default '2026-12-01' check (version ~ '^\d{4}-\d\d-\d\d$');
alter table developer_hook add column version text not null default '2026-12-01' check (version ~ '^\d{4}-\d\d-\d\d$');
-- Those that are there got the version that there was. New ones say theirs.
alter table developer_key alter column version drop default;
alter table developer_hook alter column version drop default;

drop function developer_key_state(uuid, text, bytea);
create function developer_key_state(wanted uuid, wanted_client text, wanted_hash bytea)
returns table (id uuid, root_id uuid, agency_id uuid, company_id uuid, company_name text, maker_id uuid, name text, mode text,
               client_id text, secret_hash bytea, generation integer, previous_hash bytea, previous_until timestamptz,
               scopes text[], expires_at timestamptz, disabled_at timestamptz, removed_at timestamptz,
               last_used_at timestamptz, last_used_ip text, maker_role text, is_account_executive boolean,
               is_maker_there boolean, is_company_there boolean, api_mode boolean, is_agreed boolean, is_unpaid boolean,
               sandbox_root_id uuid, sandbox_agency_id uuid, version text)
language sql stable security definer set search_path = public, pg_temp as $$
  select k.id, k.root_id, k.agency_id, k.company_id, c.name, k.maker_id, k.name, k.mode, k.client_id, k.secret_hash, k.generation,
         k.previous_hash, k.previous_until, k.scopes, k.expires_at, k.disabled_at, k.removed_at, k.last_used_at, k.last_used_ip,
         u.role, u.is_account_executive, u.disabled_at is null and u.company_id = k.company_id, c.removed_at is null,
         coalesce(b.api_mode, false),
         exists (select from agreement_acceptance a where a.company_id = k.company_id and a.document_type = 'developer'
                 and a.accepted_at >= coalesce(b.api_mode_since, '-infinity'))
           and developer_fee_posted(k.company_id),
         coalesce(b.payment_status = 'failed', false), s.sandbox_root_id, s.sandbox_agency_id, k.version
  from developer_key k join company c on c.id = k.company_id join user_account u on u.id = k.maker_id
  left join company_billing b on b.company_id = k.company_id
  left join developer_sandbox s on s.company_id = k.company_id
  where k.id = wanted or k.client_id = wanted_client or k.secret_hash = wanted_hash or k.previous_hash = wanted_hash
$$;
revoke execute on function developer_key_state(uuid, text, bytea) from public;
grant execute on function developer_key_state(uuid, text, bytea) to lead_app;
