-- Queries over a transition table are planned anew each time a trigger runs. So it is read once, by the simplest query that
-- there is, and what it holds is judged by one whose plan is kept.
create or replace function entries_balance() returns trigger language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  transfers uuid[];
  roots uuid[];
  accounts uuid[];
  companies uuid[];
  codes smallint[];
  amounts bigint[];
  times timestamptz[];
begin
  select array_agg(transfer_id), array_agg(root_id), array_agg(account_id), array_agg(company_id), array_agg(account_code),
         array_agg(amount), array_agg(created_at)
  into transfers, roots, accounts, companies, codes, amounts, times from added;
  if transfers is null then
    return null;
  end if;
  -- Subqueries, not joins: each is one look into an index, whatever the planner knows of the tables.
  if exists (select from unnest(transfers, roots, accounts) a (transfer, root, account)
             where (select t.root_id from transfer t where t.id = a.transfer) is distinct from a.root
             or (select c.root_id from account c where c.id = a.account) is distinct from a.root) then
    raise exception 'an entry needs a transfer and an account of its root' using errcode = 'foreign_key_violation';
  end if;
  if exists (select from unnest(transfers, amounts) a (transfer, amount) group by transfer having sum(amount) <> 0) then
    raise exception 'entries of a transfer must sum to zero' using errcode = 'check_violation';
  end if;
  if now() - interval '1 hour' > any (times) then
    perform pg_advisory_xact_lock_shared(hashtext('ledger_snapshot'));
    delete from account_snapshot s
    using (select company, code, min(at) as first from unnest(companies, codes, times) e (company, code, at) group by 1, 2) a
    where s.company_id = a.company and s.account_code = a.code and s.upto > a.first;
  end if;
  return null;
end $$;

-- An index that names `remaining` would have each draw from a lot write to all of the table's indexes, and the lot of a busy
-- wallet is drawn from with every lead.
alter table wallet_lot add column is_open boolean generated always as (remaining > 0) stored not null;
drop index wallet_lot_open, wallet_lot_ending;
create index wallet_lot_open on wallet_lot (account_id, expires_at, id) where is_open;
create index wallet_lot_ending on wallet_lot (root_id, expires_at) where is_open;
-- Room in each page for the next values of its rows.
alter table wallet_lot set (fillfactor = 50);
alter table account_balance set (fillfactor = 50);
alter table spend_day set (fillfactor = 50);

create or replace function open_till(accounts uuid[], wallets uuid[], subjects uuid[]) returns jsonb language plpgsql as $$
declare
  balances jsonb;
  lots jsonb;
  caps jsonb;
begin
  select jsonb_object_agg(account_id, balance::text) into balances from
    (select account_id, balance from account_balance where account_id = any(accounts) order by account_id for update) b;
  if cardinality(wallets) > 0 then
    select jsonb_agg(jsonb_build_object('id', id, 'account_id', account_id, 'remaining', remaining::text,
        'expires_at', expires_at, 'created_at', created_at)) into lots
    from wallet_lot where account_id = any(wallets) and is_open;
  end if;
  select jsonb_agg(jsonb_build_object('id', id, 'root_id', root_id, 'agency_id', agency_id, 'company_id', company_id,
      'subject', subject, 'subject_id', subject_id, 'period', period, 'hard_micros', hard_micros::text, 'soft_micros', soft_micros::text)) into caps
  from (select * from cap where subject_id = any(subjects) order by id for no key update) c;
  return jsonb_build_object('balances', coalesce(balances, '{}'), 'lots', coalesce(lots, '[]'), 'caps', coalesce(caps, '[]'));
end $$;

-- Their arrays are of one element or of fifty, and the plan is the same.
alter function open_till set plan_cache_mode = force_generic_plan;
alter function post_transfers set plan_cache_mode = force_generic_plan;
