-- A sales person's account stands at the card provider like an agency's: what it may and lacks, and whose a notice is.
alter table sales_account
  add column charges_enabled boolean not null default false,
  add column payouts_enabled boolean not null default false,
  add column requirements    jsonb not null default '[]';
update sales_account set charges_enabled = true, payouts_enabled = true where status = 'completed';
create unique index sales_account_by_reference on sales_account (reference) where reference <> '';

-- Whose account the provider speaks of, asked before a scope is known; user_id is null for an agency's.
create function account_holder(account_reference text)
returns table (root_id uuid, agency_id uuid, company_id uuid, user_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select a.root_id, a.agency_id, a.company_id, null::uuid from connected_account a
  where a.reference = account_reference and a.reference <> ''
  union all
  select s.root_id, s.agency_id, s.company_id, s.user_id from sales_account s
  where s.reference = account_reference and s.reference <> ''
$$;
revoke execute on function account_holder(text) from public;
grant execute on function account_holder(text) to lead_app;
