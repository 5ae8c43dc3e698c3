-- The chart of accounts and the kinds of events for all that money does here (docs/money.md), the statement's indexes and
-- snapshots, and supplier cost.
alter table account drop constraint account_kind_check;
alter table account add constraint account_kind_check check (kind in (
  'client_prepaid', 'client_unbilled', 'client_receivable',
  'agency_wallet', 'agency_payable', 'agency_invoiced', 'agency_revenue',
  'root_revenue', 'root_cost', 'expired', 'granted',
  'card_clearing', 'supplier_due', 'provider_fee', 'tax_due', 'written_off'));

-- The code of an account's kind, as entries carry it.
create function account_code(kind text) returns smallint language sql immutable parallel safe as $$
  select (case kind
    when 'client_prepaid' then 1 when 'client_unbilled' then 2 when 'client_receivable' then 3
    when 'agency_wallet' then 10 when 'agency_payable' then 11 when 'agency_invoiced' then 12 when 'agency_revenue' then 13
    when 'root_revenue' then 20 when 'root_cost' then 21 when 'expired' then 22 when 'granted' then 23
    when 'card_clearing' then 30 when 'supplier_due' then 31 when 'provider_fee' then 32 when 'tax_due' then 33
    when 'written_off' then 34 end)::smallint
$$;

alter table transfer drop constraint transfer_kind_check;
alter table transfer add constraint transfer_kind_check check (kind in (
  'lead', 'lead_return', 'top_up', 'prepaid_top_up', 'prepaid_refund', 'prepaid_move',
  'wallet_top_up', 'wallet_grant', 'wallet_charge', 'wallet_expiry', 'wallet_refund',
  'invoice', 'credit_note', 'payment', 'refund', 'dispute', 'dispute_reversal',
  'platform_fee', 'monthly_fee', 'minimum_spend', 'onboarding', 'coupon',
  'supplier_cost', 'provider_fee', 'write_off', 'adjustment'));
alter table transfer add column campaign_id uuid;
alter table transfer add column memo text check (length(memo) <= 255);

-- The kind is repeated in the entry, so that a party's statement is one range of one index; lot_id says which lot of a
-- wallet an entry changed.
alter table entry add column account_code smallint;
alter table entry add column lot_id uuid;
alter table entry disable trigger append_only;
alter table transfer disable trigger append_only;
update entry e set account_code = account_code(a.kind) from account a where a.id = e.account_id;
update transfer t set campaign_id = a.campaign_id from entry e join account a on a.id = e.account_id
where e.transfer_id = t.id and a.campaign_id is not null;
alter table entry enable trigger append_only;
alter table transfer enable trigger append_only;
alter table entry alter column account_code set not null;
alter table entry add constraint entry_lot check (lot_id is null or account_code = 10);

drop index entry_by_account;
create index entry_by_company on entry (company_id, account_code, created_at, transfer_id) include (amount);
drop index transfer_by_reference;
create index transfer_by_reference on transfer (reference_id) where kind <> 'lead';
create index transfer_by_campaign on transfer (campaign_id, created_at, id) where campaign_id is not null;
create index transfer_by_company on transfer (company_id, created_at, id);
create index transfer_rare_by_agency on transfer (agency_id, kind, created_at, id) where kind <> 'lead';
create index transfer_rare_by_root on transfer (root_id, kind, created_at, id) where kind <> 'lead';

-- Which invoice (or other collecting transfer) an event was collected by. A lead has two sides, each collected once.
create table transfer_cover (
  transfer_id uuid not null references transfer (id),
  side        text not null check (side in ('retail', 'wholesale')),
  covered_by  uuid not null references transfer (id),
  root_id     uuid not null,
  agency_id   uuid,
  company_id  uuid not null,
  primary key (transfer_id, side),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index transfer_cover_by on transfer_cover (covered_by, transfer_id);
call protect('transfer_cover');
call append_only('transfer_cover');
grant select, insert on transfer_cover to lead_app;

-- Balances at midnights (UTC) of the past, so that no balance is summed from the beginning. Made by a job; only a help:
-- deleting them changes no answer.
create table account_snapshot (
  company_id   uuid not null,
  account_code smallint not null,
  upto         timestamptz not null, -- entries before this instant are in it
  root_id      uuid not null,
  agency_id    uuid,
  balance      bigint not null,
  primary key (company_id, account_code, upto),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('account_snapshot');
grant select, insert, delete on account_snapshot to lead_app;

-- As before, and what is posted into the past (an expiry that was booked late) takes the snapshots after it away. Snapshots
-- end a day before the present, so what is posted at the present cannot reach one; the lock keeps those who do look back
-- and the job that makes snapshots apart.
--
-- That each entry's transfer and account are there (and of its root) is checked here too, once a statement: foreign keys check
-- row by row, which was half the cost of a posting. Neither can go away: transfers are append-only, accounts cannot be deleted.
alter table entry drop constraint entry_transfer_id_fkey;
alter table entry drop constraint entry_root_id_account_id_fkey;
create or replace function entries_balance() returns trigger language plpgsql as $$
begin
  -- Subqueries, not joins: each is one look into an index, whatever the planner knows of the tables.
  if exists (select from added a where (select t.root_id from transfer t where t.id = a.transfer_id) is distinct from a.root_id
             or (select c.root_id from account c where c.id = a.account_id) is distinct from a.root_id) then
    raise exception 'an entry needs a transfer and an account of its root' using errcode = 'foreign_key_violation';
  end if;
  if exists (select from added group by transfer_id having sum(amount) <> 0) then
    raise exception 'entries of a transfer must sum to zero' using errcode = 'check_violation';
  end if;
  if exists (select from added where created_at < now() - interval '1 hour') then
    perform pg_advisory_xact_lock_shared(hashtext('ledger_snapshot'));
    delete from account_snapshot s
    using (select company_id, account_code, min(created_at) as first from added group by 1, 2) a
    where s.company_id = a.company_id and s.account_code = a.account_code and s.upto > a.first;
  end if;
  return null;
end $$;

-- Whether the scope of the transaction may see a company.
create function scope_sees(wanted uuid) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from company c where c.id = wanted and c.root_id = scope_root()
    and (scope_agency() is null or c.agency_id = scope_agency()) and (scope_company() is null or c.id = scope_company()))
$$;

-- The balance of a company's accounts of some kinds over all entries before an instant, or, with an id, up to and
-- including that transfer of that instant. The wall is applied by hand: under the policies no sum comes from an index alone.
create function balance_of(wanted uuid, codes smallint[], instant timestamptz, including uuid default null)
returns bigint language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(sum(coalesce(s.balance, 0) + coalesce(r.rest, 0)), 0)::bigint
  from unnest(codes) c (code)
  left join lateral (select upto, balance from account_snapshot where company_id = wanted and account_code = c.code
                     and upto <= instant order by upto desc limit 1) s on true
  left join lateral (select sum(amount) as rest from entry e where e.company_id = wanted and e.account_code = c.code
                     and e.created_at >= coalesce(s.upto, '-infinity') and e.created_at <= instant
                     and (e.created_at < instant or e.transfer_id <= including)) r on true
  where scope_sees(wanted)
$$;

-- What the root pays its suppliers for a lead; a change is a new row with its date.
create table supplier_cost (
  root_id     uuid not null,
  module      text not null,
  valid_from  timestamptz not null,
  agency_id   uuid,
  company_id  uuid not null,
  cost_micros bigint not null check (cost_micros >= 0),
  primary key (root_id, module, valid_from),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('supplier_cost');
call append_only('supplier_cost');
grant select, insert on supplier_cost to lead_app;
revoke execute on function account_code(text), scope_sees(uuid), balance_of(uuid, smallint[], timestamptz, uuid) from public;
grant execute on function account_code(text), scope_sees(uuid), balance_of(uuid, smallint[], timestamptz, uuid) to lead_app;
