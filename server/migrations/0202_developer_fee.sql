-- Whether the one-time fee of a company's current developer mode was posted. Only the posting counts as payment: a
-- developer agreement that was accepted without it is not in force.
create function developer_fee_posted(company uuid) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (
    select from company c left join company_billing b on b.company_id = c.id
    join transfer t on t.root_id = c.root_id and t.idempotency_key = 'developer_fee:' || c.id || ':'
      || coalesce(to_char(b.api_mode_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'first')
    where c.id = company)
$$;
revoke execute on function developer_fee_posted(uuid) from public;
grant execute on function developer_fee_posted(uuid) to lead_app;

create or replace function developer_key_state(wanted uuid, wanted_client text, wanted_hash bytea)
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
