-- ─── money/ledger ────────────────────────────────────────────────────────────────────────────────────────────────────

-- The code of an account's kind, as entries carry it.
create function account_code(kind text) returns smallint language sql immutable parallel safe as $$
  select (case kind
    when 'client_prepaid' then 1 when 'client_unbilled' then 2 when 'client_receivable' then 3
    when 'agency_wallet' then 10 when 'agency_payable' then 11 when 'agency_invoiced' then 12 when 'agency_revenue' then 13
    when 'root_revenue' then 20 when 'root_cost' then 21 when 'expired' then 22 when 'granted' then 23
    when 'card_clearing' then 30 when 'supplier_due' then 31 when 'provider_fee' then 32 when 'tax_due' then 33
    when 'written_off' then 34 end)::smallint
$$;

-- Double entry in micro-dollars (1,000,000 = $1). An entry above zero increases what the account's owner has. The chart
-- of accounts and the kinds of transfers are described in docs/money.md.
create table account (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid,
  company_id  uuid not null,
  campaign_id uuid,
  kind        text not null check (kind in (
    'client_prepaid', 'client_unbilled', 'client_receivable',
    'agency_wallet', 'agency_payable', 'agency_invoiced', 'agency_revenue',
    'root_revenue', 'root_cost', 'expired', 'granted',
    'card_clearing', 'supplier_due', 'provider_fee', 'tax_due', 'written_off')),
  created_at  timestamptz not null,
  unique (root_id, id),
  unique nulls not distinct (company_id, kind, campaign_id),
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
-- The campaigns of a party that may owe something.
create index account_by_kind on account (root_id, kind, company_id);
call protect('account');
grant select, insert, update on account to lead_app;

-- Only accounts that can refuse a posting have a balance row, which the posting transaction locks.
create table account_balance (
  account_id uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  balance    bigint not null default 0 check (balance >= 0),
  foreign key (root_id, account_id) references account (root_id, id)
);
-- Room in each page for the next versions of its rows.
alter table account_balance set (fillfactor = 50);
call protect('account_balance');
grant select, insert, update on account_balance to lead_app;

-- One event. Its entries sum to zero and never change.
create table transfer (
  id              uuid primary key,
  root_id         uuid not null,
  agency_id       uuid,
  company_id      uuid not null,
  kind            text not null check (kind in (
    'lead', 'lead_return', 'top_up', 'prepaid_top_up', 'prepaid_refund', 'prepaid_move',
    'wallet_top_up', 'wallet_grant', 'wallet_charge', 'wallet_expiry', 'wallet_refund', 'client_grant',
    'invoice', 'credit_note', 'payment', 'refund', 'dispute', 'dispute_reversal',
    'platform_fee', 'monthly_fee', 'minimum_spend', 'onboarding', 'developer_fee', 'coupon',
    'supplier_cost', 'provider_fee', 'write_off', 'adjustment')),
  reference_id    uuid,
  idempotency_key text not null check (length(idempotency_key) <= 255),
  created_at      timestamptz not null,
  campaign_id     uuid,
  memo            text check (length(memo) <= 255),
  unique (root_id, idempotency_key)
);
create index transfer_by_reference on transfer (reference_id) where kind <> 'lead';
create index transfer_by_campaign on transfer (campaign_id, created_at, id) where campaign_id is not null;
create index transfer_by_company on transfer (company_id, created_at, id);
create index transfer_rare_by_agency on transfer (agency_id, kind, created_at, id) where kind <> 'lead';
create index transfer_rare_by_root on transfer (root_id, kind, created_at, id) where kind <> 'lead';
-- What was put into and taken out of a campaign's balance, without its leads, which are many.
create index transfer_rare_by_campaign on transfer (campaign_id, kind)
  where campaign_id is not null and kind not in ('lead', 'lead_return');
call protect('transfer');
call append_only('transfer');
grant select, insert on transfer to lead_app;

create table entry (
  transfer_id  uuid not null,
  line         smallint not null,
  root_id      uuid not null,
  agency_id    uuid,
  company_id   uuid not null,
  account_id   uuid not null,
  amount       bigint not null check (amount <> 0),
  created_at   timestamptz not null,
  account_code smallint not null, -- Repeated from the account, so that a party's statement is one range of one index.
  lot_id       uuid, -- Which lot of a wallet it changed.
  primary key (transfer_id, line),
  constraint entry_lot check (lot_id is null or account_code = 10)
);
create index entry_by_company on entry (company_id, account_code, created_at, transfer_id) include (amount);
call protect('entry');
call append_only('entry');
grant select, insert on entry to lead_app;

-- All entries of a transfer are inserted by one statement, so their sum is checked for each statement, and so is that
-- each entry's transfer and account exist in its root. Foreign keys check row by row, which was half the cost of a
-- posting. Neither can be deleted: transfers are append-only, and no one may delete accounts. What is posted into the
-- past (an expiry that was booked late) deletes the snapshots after it. Snapshots end a day before the present, so what
-- is posted in the present cannot reach one. The lock separates those who do post into the past from the job that makes
-- snapshots. Queries over a transition table are planned again each time that a trigger runs. So it is read once, by
-- the simplest possible query, and its contents are judged by a query whose plan is kept.
create function entries_balance() returns trigger language plpgsql set plan_cache_mode = force_generic_plan as $$
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
create trigger entries_balance after insert on entry
  referencing new table as added for each statement execute function entries_balance();

-- Which invoice (or other collecting transfer) an event was collected by. A lead has two sides, each collected once.
create table transfer_cover (
  transfer_id uuid not null references transfer (id),
  side        text not null check (side in ('retail', 'wholesale')),
  covered_by  uuid not null references transfer (id),
  root_id     uuid not null,
  agency_id   uuid,
  company_id  uuid not null,
  -- Which line of the invoice it is under; null: none (the wholesale side of a retail invoice, other collecting
  -- transfers).
  line        integer check (line > 0),
  primary key (transfer_id, side),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index transfer_cover_by on transfer_cover (covered_by, transfer_id);
create index transfer_cover_by_line on transfer_cover (covered_by, line, transfer_id) where line is not null;
call protect('transfer_cover');
call append_only('transfer_cover');
grant select, insert on transfer_cover to lead_app;

-- Balances at midnights (UTC) of the past, so that no balance is added up from the beginning. They are made by a job
-- and only help: deleting them changes no answer.
create table account_snapshot (
  company_id   uuid not null,
  account_code smallint not null,
  upto         timestamptz not null, -- Entries before this instant are included.
  root_id      uuid not null,
  agency_id    uuid,
  balance      bigint not null,
  primary key (company_id, account_code, upto),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('account_snapshot');
grant select, insert, delete on account_snapshot to lead_app;

-- The balance of a company's accounts of some kinds, over all entries before an instant or, with an id, up to and
-- including that transfer of that instant. The scope is applied by hand: under the policies, no sum comes from an index
-- alone.
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

-- ─── money/wallet ────────────────────────────────────────────────────────────────────────────────────────────────────

-- A wallet's money by top-up. Each lot has its own end, and those that end first are used first. What remains of a lot
-- is the sum of the entries that name it. Whoever changes one locks the wallet's balance row.
create table wallet_lot (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  account_id uuid not null,
  is_granted boolean not null default false,
  amount     bigint not null check (amount > 0),
  remaining  bigint not null default 0 check (remaining between 0 and amount),
  expires_at timestamptz not null,
  noticed    smallint check (noticed in (30, 7, 1)), -- The last notice before its end, in days.
  created_at timestamptz not null,
  -- An index that names `remaining` would make each use of a lot write to all of the table's indexes, and a busy
  -- wallet's lot is used with every lead.
  is_open    boolean generated always as (remaining > 0) stored not null,
  foreign key (root_id, account_id) references account (root_id, id)
);
create index wallet_lot_by_company on wallet_lot (company_id, created_at, id);
create index wallet_lot_open on wallet_lot (account_id, expires_at, id) where is_open;
create index wallet_lot_ending on wallet_lot (root_id, expires_at) where is_open;
-- Room in each page for the next versions of its rows.
alter table wallet_lot set (fillfactor = 50);
call protect('wallet_lot');
grant select, insert, update on wallet_lot to lead_app;

-- ─── money/spending-limits ───────────────────────────────────────────────────────────────────────────────────────────

-- What was spent on leads by day (of the spender's time zone): for a campaign and its client at the client's price, for
-- a wallet what it paid. Changed by the transaction that posts. Limits are compared with it.
create table spend_day (
  subject    text not null check (subject in ('wallet', 'client', 'campaign')),
  subject_id uuid not null, -- An agency, a client, or a campaign.
  day        date not null,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  micros     bigint not null check (micros >= 0),
  primary key (subject_id, day),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index spend_day_by_company on spend_day (company_id, day);
-- Room in each page for the next versions of its rows.
alter table spend_day set (fillfactor = 50);
call protect('spend_day');
grant select, insert, update on spend_day to lead_app;

-- Spending limits. An agency's and a client's limit on the same thing exist side by side, and the lower one applies.
create table cap (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  subject     text not null check (subject in ('wallet', 'client', 'campaign')),
  subject_id  uuid not null,
  period      text not null check (period in ('day', 'month')),
  set_by      text not null check (set_by in ('agency', 'client')),
  hard_micros bigint check (hard_micros >= 0),
  soft_micros bigint check (soft_micros >= 0),
  updated_at  timestamptz not null,
  unique (subject_id, period, set_by),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index cap_by_company on cap (company_id, subject);
create index cap_by_agency on cap (agency_id, subject);
call protect('cap');
grant select, insert, update, delete on cap to lead_app;

-- A limit was reached on a day, which is told once.
create table cap_event (
  cap_id     uuid not null references cap (id) on delete cascade,
  level      text not null check (level in ('soft', 'hard')),
  day        date not null,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  created_at timestamptz not null,
  told_at    timestamptz,
  primary key (cap_id, level, day),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index cap_event_by_company on cap_event (company_id, created_at);
call protect('cap_event');
grant select, insert, update on cap_event to lead_app;

-- The two statements of selling a lead, as functions: each connection keeps their plans, and planning is most of their
-- cost. Their arrays have one element or fifty, and the plan is the same. Each statement inside sees what was committed
-- before it, so lots and limits are read as they are once the locks are held.
create function open_till(accounts uuid[], wallets uuid[], subjects uuid[]) returns jsonb language plpgsql
set plan_cache_mode = force_generic_plan as $$
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

-- Posts the transfers that are new by their key, with their entries, changes the balances and lots that these affect,
-- and counts what was spent. Returns the ids of the new ones.
create function post_transfers(
  t_id uuid[], t_root uuid[], t_agency uuid[], t_company uuid[], t_kind text[], t_reference uuid[], t_campaign uuid[], t_memo text[],
  t_key text[], t_at timestamptz[],
  e_transfer uuid[], e_line smallint[], e_root uuid[], e_agency uuid[], e_company uuid[], e_account uuid[], e_code smallint[], e_lot uuid[],
  e_amount bigint[], e_at timestamptz[],
  b_account uuid[], b_amount bigint[], l_lot uuid[], l_amount bigint[],
  s_subject text[], s_id uuid[], s_day date[], s_root uuid[], s_agency uuid[], s_company uuid[], s_micros bigint[])
returns uuid[] language plpgsql
set plan_cache_mode = force_generic_plan as $$
declare
  added uuid[];
begin
  with fresh as (
    insert into transfer (id, root_id, agency_id, company_id, kind, reference_id, campaign_id, memo, idempotency_key, created_at)
    select * from unnest(t_id, t_root, t_agency, t_company, t_kind, t_reference, t_campaign, t_memo, t_key, t_at)
    on conflict (root_id, idempotency_key) do nothing returning id)
  select coalesce(array_agg(id), '{}') into added from fresh;
  if cardinality(added) = cardinality(t_id) then
    update account_balance b set balance = b.balance + c.amount from unnest(b_account, b_amount) c (account, amount) where b.account_id = c.account;
    if cardinality(l_lot) > 0 then
      update wallet_lot l set remaining = l.remaining + c.amount from unnest(l_lot, l_amount) c (lot, amount) where l.id = c.lot;
    end if;
    insert into entry (transfer_id, line, root_id, agency_id, company_id, account_id, account_code, lot_id, amount, created_at)
    select * from unnest(e_transfer, e_line, e_root, e_agency, e_company, e_account, e_code, e_lot, e_amount, e_at);
  elsif cardinality(added) > 0 then
    update account_balance b set balance = b.balance + c.amount from
      (select account, sum(amount)::bigint as amount from unnest(e_transfer, e_account, e_amount) e (transfer, account, amount)
       where transfer = any(added) group by 1) c where b.account_id = c.account;
    update wallet_lot l set remaining = l.remaining + c.amount from
      (select lot, sum(amount)::bigint as amount from unnest(e_transfer, e_lot, e_amount) e (transfer, lot, amount)
       where transfer = any(added) and lot is not null group by 1) c where l.id = c.lot;
    insert into entry (transfer_id, line, root_id, agency_id, company_id, account_id, account_code, lot_id, amount, created_at)
    select * from unnest(e_transfer, e_line, e_root, e_agency, e_company, e_account, e_code, e_lot, e_amount, e_at)
      e (transfer, line, root, agency, company, account, code, lot, amount, at) where transfer = any(added);
  end if;
  if cardinality(s_id) > 0 then
    insert into spend_day (subject, subject_id, day, root_id, agency_id, company_id, micros)
    select * from unnest(s_subject, s_id, s_day, s_root, s_agency, s_company, s_micros)
    on conflict (subject_id, day) do update set micros = spend_day.micros + excluded.micros;
  end if;
  return added;
end $$;

-- ─── money/pricing ───────────────────────────────────────────────────────────────────────────────────────────────────

-- What things cost, by module and payment term. Every change is a new row with the instant from which it applies, which
-- is never before it was made: the past is not rewritten (docs/decisions/0034-costs.md). Of the rows that apply from
-- the same instant, the newest applies. This is what a root charges an agency (company_id is the agency) and its
-- minimum for any agency (company_id is the root).
create table wholesale_cost (
  serial               bigint generated always as identity primary key,
  root_id              uuid not null,
  agency_id            uuid,
  company_id           uuid not null,
  module               text not null check (module in ('local', 'locator', 'enhance', 'b2b', 'simplifi')),
  term                 text not null check (term in ('Weekly', 'Monthly', 'One Time', 'Prepaid')),
  valid_from           timestamptz not null,
  recorded_at          timestamptz not null,
  setup_micros         bigint not null check (setup_micros >= 0),
  month_micros         bigint not null check (month_micros >= 0),
  lead_micros          bigint not null check (lead_micros >= 0),
  lead_advanced_micros bigint not null check (lead_advanced_micros >= 0),
  foreign key (root_id, company_id) references company (root_id, id),
  check (valid_from >= recorded_at)
);
create index wholesale_cost_at on wholesale_cost (company_id, module, term, valid_from desc, serial desc);
call protect('wholesale_cost');
-- No one sets what they pay themselves.
create policy asked_by_root on wholesale_cost as restrictive for insert to lead_agency, lead_client with check (false);
call append_only('wholesale_cost');
grant select, insert on wholesale_cost to lead_app;

-- The root's minimum for a lead, which its agencies may know although they do not see its rows.
create function root_minimum(wanted_module text, wanted_term text, at timestamptz) returns bigint
language sql stable security definer set search_path = public, pg_temp as $$
  select case when wanted_module in ('enhance', 'b2b') and scope_company() is null then
    (select w.lead_micros from wholesale_cost w
     where w.company_id = scope_root() and w.module = wanted_module and w.term = wanted_term and w.valid_from <= at
     order by w.valid_from desc, w.serial desc limit 1) end
$$;

-- What an agency charges a client: for one campaign or, if campaign_id is null, for the client's next campaign of a
-- module.
create table retail_cost (
  serial               bigint generated always as identity primary key,
  root_id              uuid not null,
  agency_id            uuid not null,
  company_id           uuid not null,
  campaign_id          uuid,
  module               text not null check (module in ('local', 'locator', 'enhance', 'b2b', 'simplifi')),
  term                 text not null check (term in ('Weekly', 'Monthly', 'One Time', 'Prepaid')),
  valid_from           timestamptz not null,
  recorded_at          timestamptz not null,
  lead_micros          bigint not null check (lead_micros >= 0),
  lead_advanced_micros bigint not null default 0 check (lead_advanced_micros >= 0),
  lead_b2b_micros      bigint not null default 0 check (lead_b2b_micros >= 0),
  lead_max_micros      bigint not null default 0 check (lead_max_micros >= 0), -- 0: none.
  month_micros         bigint not null default 0 check (month_micros >= 0),
  setup_micros         bigint not null default 0 check (setup_micros >= 0),
  topup                text not null default 'onetime' check (topup in ('onetime', 'continual')),
  leads_buy            integer check (leads_buy > 0),
  daily_cap            integer check (daily_cap > 0),
  starts_on            date,
  ends_on              date,
  -- How much below the agency's cost a lead may be sold at this price: what the agency knew when it set it
  -- (docs/decisions/0105-prices-below-cost.md).
  accepted_loss_micros bigint not null default 0 check (accepted_loss_micros >= 0),
  limit_every          text not null default 'day' check (limit_every in ('day', 'week', 'month')),
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  check (valid_from >= recorded_at),
  check (ends_on >= starts_on),
  check (campaign_id is null or (daily_cap is null and starts_on is null and ends_on is null))
);
create index retail_cost_of_campaign on retail_cost (campaign_id, valid_from desc, serial desc)
  where campaign_id is not null;
create index retail_cost_of_client on retail_cost (company_id, module, valid_from desc, serial desc)
  where campaign_id is null;
-- Which campaigns may have to buy again.
create index retail_cost_continual on retail_cost (root_id, campaign_id)
  where campaign_id is not null and topup = 'continual';
call protect('retail_cost');
call append_only('retail_cost');
grant select, insert on retail_cost to lead_app;

-- What a lead costs a client, by the data that its campaign asks for (docs/decisions/0075-enhance-and-b2b.md): the
-- price with company data, otherwise that with personal data, and if none is set, the plain one.
create function lead_price(plain bigint, advanced bigint, b2b bigint, asks_advanced smallint[], asks_b2b smallint[]) returns bigint
language sql immutable parallel safe as $$
  select case
    when cardinality(asks_b2b) > 0 and b2b > 0 then b2b
    when cardinality(asks_b2b) = 0 and cardinality(asks_advanced) > 0 and advanced > 0 then advanced
    else plain
  end
$$;

-- What happens to an agency's campaigns when its cost rises above their price. No row: hold.
create table margin_rule (
  company_id uuid primary key,
  root_id    uuid not null,
  agency_id  uuid not null check (agency_id = company_id),
  rule       text not null check (rule in ('hold', 'raise', 'sell')),
  updated_at timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('margin_rule');
grant select, insert, update on margin_rule to lead_app;

-- How much more a lead of each campaign costs its agency than the client pays and the agency has accepted, with the
-- data that the campaign asks for, or without any (`plain`). Asked in any scope, for its campaigns: a client does not
-- see what its agency pays, and must not be able to make it pay more than it earns. An agency that bills its clients
-- itself, or that sells at any price, has no excess.
create function campaign_excess(ids uuid[], at timestamptz, plain boolean)
returns table (id uuid, excess bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select k.id,
    case when bills_manually(k.agency_id)
              or exists (select from margin_rule g where g.company_id = k.agency_id and g.rule = 'sell')
         then 0 else greatest(0, m.cost - m.price - r.accepted_loss_micros) end
  from campaign k
  join lateral (select * from retail_cost c where c.campaign_id = k.id and c.valid_from <= at
                order by c.valid_from desc, c.serial desc limit 1) r on true
  left join lateral (select lead_micros, lead_advanced_micros from wholesale_cost c
                     where c.company_id = k.agency_id and c.module = k.module and c.term = r.term and c.valid_from <= at
                     order by c.valid_from desc, c.serial desc limit 1) w on true
  cross join lateral (select case when plain then '{}'::smallint[] else k.advance_information end as advanced,
                             case when plain then '{}'::smallint[] else k.b2b_information end as b2b) f
  cross join lateral (
    select lead_price(r.lead_micros, r.lead_advanced_micros, r.lead_b2b_micros, f.advanced, f.b2b) as price,
      greatest(coalesce(case when k.module = 'local' and cardinality(f.advanced) > 0 and w.lead_advanced_micros > 0
                             then w.lead_advanced_micros else w.lead_micros end, 0),
               case when k.module in ('enhance', 'b2b') then root_minimum(k.module, r.term, at) end) as cost) m
  where k.id = any(ids) and k.root_id = scope_root()
    and (scope_agency() is null or k.agency_id = scope_agency())
    and (scope_company() is null or k.company_id = scope_company())
$$;

-- What the root pays its suppliers for a lead. The same planned day can be set more than once, so a change has a number
-- and the instant when it was made.
create table supplier_cost (
  root_id     uuid not null,
  module      text not null,
  valid_from  timestamptz not null,
  agency_id   uuid,
  company_id  uuid not null,
  cost_micros bigint not null check (cost_micros >= 0),
  serial      bigint generated always as identity primary key,
  recorded_at timestamptz,
  foreign key (root_id, company_id) references company (root_id, id)
);
create index supplier_cost_at on supplier_cost (root_id, module, valid_from desc, serial desc);
call protect('supplier_cost');
call append_only('supplier_cost');
grant select, insert on supplier_cost to lead_app;

-- A root's plans of minimum spend. What a plan asks for is in minspend_amount, by date.
create table minspend_plan (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  name       text not null check (length(name) between 1 and 255),
  is_default boolean not null default false,
  version    integer not null default 1,
  created_at timestamptz not null,
  removed_at timestamptz,
  unique (root_id, id),
  check (not (is_default and removed_at is not null)),
  foreign key (root_id, company_id) references company (root_id, id)
);
create unique index minspend_plan_one_default on minspend_plan (company_id) where is_default;
create unique index minspend_plan_name on minspend_plan (company_id, lower(name)) where removed_at is null;
call protect('minspend_plan');
grant select, insert, update on minspend_plan to lead_app;

create table minspend_amount (
  serial     bigint generated always as identity primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  plan_id    uuid not null,
  valid_from timestamptz not null,
  months     bigint[] not null, -- Micro-dollars of an agency's first, second, … month.
  flat       bigint not null check (flat >= 0), -- Of every month after those.
  foreign key (root_id, plan_id) references minspend_plan (root_id, id)
);
create index minspend_amount_at on minspend_amount (plan_id, valid_from desc, serial desc);
call protect('minspend_amount');
call append_only('minspend_amount');
grant select, insert on minspend_amount to lead_app;

-- Which plan an agency has from an instant on; null: its root's default.
create table minspend_choice (
  serial     bigint generated always as identity primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  plan_id    uuid,
  valid_from timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, plan_id) references minspend_plan (root_id, id)
);
create index minspend_choice_at on minspend_choice (company_id, valid_from desc, serial desc);
call protect('minspend_choice');
-- No one chooses what they have to spend themselves.
create policy chosen_by_root on minspend_choice as restrictive for insert to lead_agency, lead_client with check (false);
call append_only('minspend_choice');
grant select, insert on minspend_choice to lead_app;

-- An agency's plan: its own (`is_own`), or its root's default. Amounts are those of the instant. A plan that has been
-- removed since still applies to the instants before.
create function minspend_of(wanted uuid, at timestamptz)
returns table (id uuid, name text, is_default boolean, is_own boolean, months bigint[], flat bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.id, p.name, p.is_default, chosen.plan_id is not null, a.months, a.flat
  from company c
  left join lateral (select plan_id from minspend_choice o where o.company_id = c.id and o.valid_from <= at
                     order by o.valid_from desc, o.serial desc limit 1) chosen on true
  join minspend_plan p on p.root_id = c.root_id and (p.removed_at is null or p.removed_at > at)
    and p.id = coalesce(chosen.plan_id, (select d.id from minspend_plan d where d.root_id = c.root_id and d.is_default))
  join lateral (select m.months, m.flat from minspend_amount m where m.plan_id = p.id and m.valid_from <= at
                order by m.valid_from desc, m.serial desc limit 1) a on true
  where c.id = wanted and c.kind = 'agency' and c.root_id = scope_root() and scope_company() is null
    and (scope_agency() is null or scope_agency() = c.id)
$$;

-- A root's coupons. Each use is a row, one for each agency, so that no coupon is used too often.
create table coupon (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid,
  company_id    uuid not null,
  code          text not null check (code ~ '^[A-Z0-9_-]{4,40}$'),
  percent       numeric(5,2) check (percent > 0 and percent <= 100),
  amount_micros bigint check (amount_micros > 0),
  max_uses      integer check (max_uses > 0),
  uses          integer not null default 0 check (uses >= 0 and (max_uses is null or uses <= max_uses)),
  expires_at    timestamptz,
  created_at    timestamptz not null,
  removed_at    timestamptz,
  unique (root_id, id),
  check ((percent is null) <> (amount_micros is null)),
  foreign key (root_id, company_id) references company (root_id, id)
);
create unique index coupon_by_code on coupon (root_id, code) where removed_at is null;
create index coupon_by_company on coupon (company_id, created_at desc, id);
call protect('coupon');
grant select, insert, update on coupon to lead_app;

create table coupon_use (
  coupon_id  uuid not null,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  used_at    timestamptz not null,
  primary key (coupon_id, agency_id),
  foreign key (root_id, coupon_id) references coupon (root_id, id),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index coupon_use_by_company on coupon_use (company_id);
call protect('coupon_use');
call append_only('coupon_use');
grant select, insert on coupon_use to lead_app;

-- A coupon of the scope's root, asked by its code: an agency sees no list of them.
create function coupon_by_code(wanted text)
returns table (id uuid, code text, percent numeric, amount_micros bigint, max_uses integer, uses integer, expires_at timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.id, c.code, c.percent, c.amount_micros, c.max_uses, c.uses, c.expires_at from coupon c
  where c.root_id = scope_root() and scope_company() is null and c.code = wanted and c.removed_at is null
$$;

-- ─── money/payments ──────────────────────────────────────────────────────────────────────────────────────────────────

-- A company at the card provider, once for each place where its card is. Account '' is the root's own account with the
-- provider; any other is the agency's connected account.
create table payment_customer (
  company_id uuid not null,
  provider   text not null check (provider in ('sandbox', 'stripe')),
  account    text not null,
  root_id    uuid not null,
  agency_id  uuid not null,
  reference  text not null,
  created_at timestamptz not null,
  primary key (company_id, provider, account),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create unique index payment_customer_by_reference on payment_customer (reference);
call protect('payment_customer');
grant select, insert, update on payment_customer to lead_app;

-- A company's card: never its number, only the provider's name for it and what people recognize it by.
create table payment_card (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid,
  company_id  uuid not null,
  provider    text not null check (provider in ('sandbox', 'stripe')),
  reference   text not null default '',
  brand       text not null,
  last4       text not null check (last4 ~ '^\d{4}$'),
  exp_month   smallint not null check (exp_month between 1 and 12),
  exp_year    smallint not null,
  created_at  timestamptz not null,
  removed_at  timestamptz,
  account     text not null default '',
  customer    text not null default '',
  fingerprint text not null default '',
  unique (root_id, id),
  foreign key (root_id, company_id) references company (root_id, id)
);
create unique index payment_card_one on payment_card (company_id) where removed_at is null;
create index payment_card_by_reference on payment_card (reference) where removed_at is null and reference <> '';
-- What the filters of the company lists ask for each row.
create index payment_card_live on payment_card (company_id, root_id, agency_id) where removed_at is null;
call protect('payment_card');
grant select, insert, update on payment_card to lead_app;

-- A charge, from before it is sent (docs/decisions/0032-charges-are-rows-before-they-are-sent.md). Its id is the
-- idempotency key at the provider.
create table charge (
  id                   uuid primary key,
  root_id              uuid not null,
  agency_id            uuid not null,
  company_id           uuid not null, -- Who pays.
  purpose              text not null,
  reference_id         text not null check (length(reference_id) between 1 and 100),
  idempotency_key      text not null check (length(idempotency_key) between 1 and 200),
  amount_cents         integer not null check (amount_cents > 0),
  fee_cents            integer not null default 0 check (fee_cents between 0 and amount_cents),
  currency             text not null default 'usd' check (currency = 'usd'),
  description          text not null,
  details              jsonb not null default '{}',
  provider             text not null check (provider in ('sandbox', 'stripe')),
  account              text not null,
  customer             text not null,
  card                 text not null,
  brand                text not null,
  last4                text not null,
  state                text not null check (
    state in ('intended', 'sent', 'unknown', 'succeeded', 'declined', 'canceled', 'refunded', 'disputed')),
  provider_reference   text,
  attempts             integer not null default 0,
  next_ask_at          timestamptz,
  decline_code         text,
  decline_message      text,
  needs_authentication boolean not null default false,
  refunded_cents       integer not null default 0 check (refunded_cents between 0 and amount_cents),
  user_id              uuid,
  ip                   inet,
  settled_by_hand      text, -- The reason that was given.
  created_at           timestamptz not null,
  sent_at              timestamptz,
  settled_at           timestamptz,
  unique (company_id, purpose, idempotency_key),
  unique (root_id, id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
-- Only one charge for a thing is in progress at a time.
create unique index charge_under_way on charge (company_id, purpose, reference_id)
  where state in ('intended', 'sent', 'unknown');
create unique index charge_by_provider on charge (provider_reference) where provider_reference is not null;
create index charge_to_ask on charge (next_ask_at) where next_ask_at is not null;
create index charge_by_thing on charge (company_id, purpose, reference_id, created_at desc);
create index charge_by_root on charge (root_id, created_at desc, id desc);
create index charge_by_agency on charge (agency_id, created_at desc, id desc);
call protect('charge');
grant select, insert, update on charge to lead_app;

-- Money back for a charge. Its id is the idempotency key at the provider.
create table refund (
  id                 uuid primary key,
  root_id            uuid not null,
  agency_id          uuid not null,
  company_id         uuid not null,
  charge_id          uuid not null,
  amount_cents       integer not null check (amount_cents > 0),
  idempotency_key    text not null check (length(idempotency_key) between 1 and 200),
  reason             text not null,
  state              text not null check (state in ('intended', 'unknown', 'pending', 'succeeded', 'failed')),
  provider_reference text,
  failure            text,
  next_ask_at        timestamptz,
  created_at         timestamptz not null,
  sent_at            timestamptz,
  settled_at         timestamptz,
  unique (charge_id, idempotency_key),
  foreign key (root_id, charge_id) references charge (root_id, id)
);
create index refund_to_ask on refund (next_ask_at) where next_ask_at is not null;
create index refund_by_company on refund (company_id, created_at desc);
call protect('refund');
grant select, insert, update on refund to lead_app;

-- What a cardholder took back, or tried to.
create table payment_dispute (
  id           text primary key,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  charge_id    uuid not null,
  amount_cents integer not null check (amount_cents > 0),
  reason       text not null,
  state        text not null check (state in ('open', 'won', 'lost')),
  is_booked    boolean not null, -- False: it was over, and won, before we heard that it had begun.
  opened_at    timestamptz not null,
  closed_at    timestamptz,
  foreign key (root_id, charge_id) references charge (root_id, id)
);
create index payment_dispute_by_charge on payment_dispute (charge_id);
create index payment_dispute_by_company on payment_dispute (company_id, opened_at desc);
call protect('payment_dispute');
grant select, insert, update on payment_dispute to lead_app;

-- Where the provider and we disagree, found by the daily comparison or a notice.
create table payment_mismatch (
  id                 uuid primary key,
  root_id            uuid not null,
  agency_id          uuid not null,
  company_id         uuid not null,
  charge_id          uuid,
  provider_reference text not null,
  kind               text not null check (kind in ('not_here', 'not_there', 'amount', 'state', 'refund')),
  ours               text not null,
  theirs             text not null,
  found_at           timestamptz not null,
  seen_at            timestamptz not null,
  resolved_at        timestamptz,
  resolution         text,
  foreign key (root_id, charge_id) references charge (root_id, id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create unique index payment_mismatch_open on payment_mismatch (root_id, provider_reference, kind) where resolved_at is null;
create index payment_mismatch_by_company on payment_mismatch (company_id, found_at desc);
call protect('payment_mismatch');
grant select, insert, update on payment_mismatch to lead_app;

-- Every notice that was believed, by the provider's id for it: only ids, nothing personal. It belongs to no tenant:
-- whose it is turns out while it is handled.
create table payment_notice (
  id          text primary key check (length(id) between 1 and 255),
  kind        text not null,
  content     jsonb not null,
  received_at timestamptz not null,
  handled_at  timestamptz,
  tries       integer not null default 0,
  outcome     text
);
create index payment_notice_waiting on payment_notice (received_at) where handled_at is null;
grant select, insert, update on payment_notice to lead_app;

-- An agency's account with the card provider, as the provider last described it.
create table connected_account (
  company_id      uuid primary key,
  root_id         uuid not null,
  agency_id       uuid not null,
  provider        text not null check (provider in ('sandbox', 'stripe')),
  reference       text not null default '',
  status          text not null check (status in ('', 'pending', 'inverification', 'completed', 'failed')),
  charges_enabled boolean not null default false,
  payouts_enabled boolean not null default false,
  requirements    jsonb not null default '[]',
  updated_at      timestamptz not null,
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id),
  check (company_id = agency_id)
);
create unique index connected_account_by_reference on connected_account (reference) where reference <> '';
call protect('connected_account');
grant select, insert, update on connected_account to lead_app;

-- A salesperson's own account with the card provider, which their commissions are paid to.
create table sales_account (
  user_id         uuid primary key,
  root_id         uuid not null,
  agency_id       uuid,
  company_id      uuid not null,
  provider        text not null check (provider in ('sandbox', 'stripe')),
  reference       text not null default '',
  status          text not null check (status in ('', 'pending', 'inverification', 'completed', 'failed')),
  updated_at      timestamptz not null,
  charges_enabled boolean not null default false,
  payouts_enabled boolean not null default false,
  requirements    jsonb not null default '[]',
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create unique index sales_account_by_reference on sales_account (reference) where reference <> '';
call protect('sales_account');
grant select, insert, update on sales_account to lead_app;

-- Accounts that money is paid out to and that were, or will be, replaced. What someone other than an owner of the
-- agency asks for waits until effective_at (docs/decisions/0181-payout-accounts.md).
create table account_change (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid,
  company_id   uuid not null,
  user_id      uuid, -- A salesperson's own account; null: the agency's.
  reference    text not null, -- The account that is replaced.
  asked_by     uuid not null,
  created_at   timestamptz not null,
  effective_at timestamptz not null,
  ended_at     timestamptz,
  outcome      text check (outcome in ('done', 'stopped')),
  check ((ended_at is null) = (outcome is null))
);
create unique index account_change_open on account_change (company_id, user_id) nulls not distinct where ended_at is null;
create index account_change_by_holder on account_change (company_id, user_id, created_at desc);
call protect('account_change');
grant select, insert, update on account_change to lead_app;

-- Whose something at the provider is, asked before a scope is known: by what a notice names, the most certain first.
create function payment_place(charge_key text, charge_reference text, account_reference text, customer_reference text)
returns table (root_id uuid, agency_id uuid, company_id uuid, charge_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.root_id, p.agency_id, p.company_id, p.charge_id from (
    select 1 as rank, c.root_id, c.agency_id, c.company_id, c.id as charge_id from charge c
    where c.id = case when charge_key ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then charge_key::uuid end
      and c.account = coalesce(account_reference, '') -- the owner of another account may name any key
    union all
    select 2, c.root_id, c.agency_id, c.company_id, c.id from charge c
    where c.provider_reference = charge_reference and c.account = coalesce(account_reference, '')
    union all
    select 3, u.root_id, u.agency_id, u.company_id, null from payment_customer u where u.reference = customer_reference
    union all
    select 4, a.root_id, a.agency_id, a.company_id, null from connected_account a where a.reference = account_reference) p
  order by p.rank limit 1
$$;

-- What has to be looked up, and whose it is, so that the worker need not look into every root.
create function payments_due(at timestamptz, most integer)
returns table (root_id uuid, charge_id uuid, refund_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  (select c.root_id, c.id, null::uuid from charge c where c.next_ask_at <= at order by c.next_ask_at limit most)
  union all
  (select r.root_id, null, r.id from refund r where r.next_ask_at <= at order by r.next_ask_at limit most)
$$;

-- Whose account the provider is talking about, asked before a scope is known; user_id is null for an agency's.
create function account_holder(account_reference text)
returns table (root_id uuid, agency_id uuid, company_id uuid, user_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select a.root_id, a.agency_id, a.company_id, null::uuid from connected_account a
  where a.reference = account_reference and a.reference <> ''
  union all
  select s.root_id, s.agency_id, s.company_id, s.user_id from sales_account s
  where s.reference = account_reference and s.reference <> ''
$$;

-- The sandbox's card network (server/providers/sandbox-cards): the provider's side, so it belongs to no tenant.
create table sandbox_network (
  kind   text not null,
  id     text not null,
  owner  text not null,
  due_at text,
  body   jsonb not null,
  seq    bigint generated always as identity,
  primary key (kind, id)
);
create index sandbox_network_by_owner on sandbox_network (kind, owner, seq);
create index sandbox_network_due on sandbox_network (kind, due_at) where due_at is not null;
grant select, insert, update, delete on sandbox_network to lead_app;

-- ─── money/billing ───────────────────────────────────────────────────────────────────────────────────────────────────

-- How a company is billed, and what follows from it. No row: the defaults.
create table company_billing (
  company_id             uuid primary key,
  root_id                uuid not null,
  agency_id              uuid not null,
  package_id             text not null default '',
  manual_bill            boolean not null default false,
  payment_status         text not null default '' check (payment_status in ('', 'failed')),
  access_module          text not null default '' check (access_module in ('', 'paymentfailed')),
  campaigns_closed       boolean not null default false,
  onboarding_on          boolean not null default false,
  onboarding_micros      bigint not null default 0 check (onboarding_micros >= 0),
  onboarding_coupon      boolean not null default false,
  onboarding_charged     timestamptz,
  api_mode               boolean not null default false,
  white_labelling        boolean not null default true,
  updated_at             timestamptz not null,
  excluded_minimum_spend boolean not null default false,
  excluded_onboarding    boolean not null default false,
  package_since          timestamptz,
  cancelled_at           timestamptz,
  -- Since when the developer mode is on: whoever had it before must accept its terms again.
  api_mode_since         timestamptz,
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
-- Agencies whose package is charged each month.
create index company_billing_package on company_billing (root_id) where package_id <> '';
-- What the filters of the company lists ask for.
create index company_billing_manual on company_billing (root_id, company_id) where manual_bill;
create index company_billing_failed on company_billing (root_id, company_id) where payment_status = 'failed';
create index company_billing_api on company_billing (root_id, company_id) where api_mode;
call protect('company_billing');
grant select, insert, update on company_billing to lead_app;

-- Whether a company shows its own brand: everyone except agencies without white labelling. No row: it does.
create function wears_own(wanted uuid) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce((select b.white_labelling from company_billing b join company c on c.id = b.company_id
                   where c.id = wanted and c.kind = 'agency'), true)
$$;

-- Whether an agency bills its clients itself, which decides what one of their leads costs.
create function bills_manually(agency uuid) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from company_billing b where b.company_id = agency and b.manual_bill and b.root_id = scope_root()
    and (scope_agency() is null or b.company_id = scope_agency()))
$$;

-- Which package an agency had when; '': none. A package that is dropped just before a month begins, and chosen again
-- during it, is charged for it (docs/decisions/0053-collection.md).
create table package_choice (
  serial     bigint generated always as identity primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  package_id text not null,
  chosen_at  timestamptz not null,
  check (company_id = agency_id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create index package_choice_at on package_choice (company_id, chosen_at desc, serial desc);
call protect('package_choice');
call append_only('package_choice');
grant select, insert on package_choice to lead_app;

-- ─── money/invoices ──────────────────────────────────────────────────────────────────────────────────────────────────

-- The last number of each series. Whoever takes the next one locks the row, so a series has no gaps.
create table invoice_series (
  issuer_id  uuid not null,
  document   text not null check (document in ('invoice', 'credit_note')),
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  last       integer not null check (last >= 0),
  primary key (issuer_id, document),
  foreign key (root_id, issuer_id) references company (root_id, id),
  check (company_id = issuer_id)
);
call protect('invoice_series');
-- Both sides of an invoice are posted at once, so all of it is written in the root's scope: no agency or client writes
-- an invoice itself. This applies to the tables below as well.
create policy issued_by_root on invoice_series as restrictive for insert to lead_agency, lead_client with check (false);
create policy counted_by_root on invoice_series as restrictive for update to lead_agency, lead_client using (false);
grant select, insert, update on invoice_series to lead_app;

-- Invoices are final from the moment they exist: numbered in their issuer's series, never edited, corrected by credit
-- notes (docs/decisions/0051-invoices.md). company_id is who pays: the client of a retail invoice (issued by its
-- agency) or the agency of a wholesale one (issued by its root).
create table invoice (
  id              uuid primary key,
  root_id         uuid not null,
  agency_id       uuid not null,
  company_id      uuid not null,
  issuer_id       uuid not null,
  side            text not null check (side in ('retail', 'wholesale')),
  kind            text not null check (
    kind in ('period', 'to_date', 'receipt', 'onboarding', 'developer', 'minimum_spend', 'subscription')),
  term            text check (term in ('Weekly', 'Monthly', 'One Time', 'Prepaid')),
  -- Issued once, no matter how often it is asked for.
  period_key      text not null check (length(period_key) between 1 and 100),
  period_from     timestamptz,
  period_to       timestamptz,
  number          text not null,
  seq             integer not null check (seq > 0),
  subtotal_micros bigint not null,
  tax_micros      bigint not null default 0 check (tax_micros >= 0),
  tax_name        text not null default '',
  total_micros    bigint not null check (total_micros >= 0 and total_micros % 10000 = 0), -- Whole cents.
  fee_micros      bigint not null default 0 check (fee_micros between 0 and total_micros and fee_micros % 10000 = 0),
  issuer          jsonb not null, -- Name and address as of when it became final.
  payer           jsonb not null,
  transfer_id     uuid not null references transfer (id),
  finalised_at    timestamptz not null,
  due_at          timestamptz not null,
  -- How it is collected: the only part that changes.
  status          text not null check (status in ('open', 'paid', 'uncollectible', 'void')),
  paid_micros     bigint not null default 0 check (paid_micros between 0 and total_micros),
  credited_micros bigint not null default 0 check (credited_micros between 0 and total_micros),
  attempts        integer not null default 0,
  first_failed_at timestamptz,
  next_attempt_at timestamptz,
  last_failure    text,
  paid_at         timestamptz,
  closed_at       timestamptz,
  fee_released_at timestamptz, -- From then on, the agency owes fee_micros again, and it goes with no charge.
  unique (root_id, id),
  unique (issuer_id, seq),
  unique (company_id, side, period_key),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id),
  check (paid_micros + credited_micros <= total_micros),
  check (subtotal_micros + tax_micros = total_micros),
  check ((side = 'wholesale') = (company_id = agency_id))
);
create index invoice_by_company on invoice (company_id, finalised_at desc, id desc);
create index invoice_by_agency on invoice (agency_id, side, finalised_at desc, id desc);
create index invoice_by_root on invoice (root_id, side, finalised_at desc, id desc);
create index invoice_receipt on invoice (transfer_id);
create index invoice_open on invoice (company_id, side, finalised_at) where status = 'open';
create index invoice_to_charge on invoice (root_id, next_attempt_at) where next_attempt_at is not null;
-- What the home page tells an agency that someone has to take care of.
create index invoice_failing on invoice (agency_id, side) where status = 'open' and first_failed_at is not null;
call protect('invoice');
create policy issued_by_root on invoice as restrictive for insert to lead_agency, lead_client with check (false);
create policy settled_by_root on invoice as restrictive for update to lead_agency, lead_client using (false);
grant select, insert, update (status, paid_micros, credited_micros, attempts, first_failed_at, next_attempt_at, last_failure,
  paid_at, closed_at, fee_released_at) on invoice to lead_app;

create table invoice_line (
  invoice_id    uuid not null,
  line          integer not null check (line > 0),
  root_id       uuid not null,
  agency_id     uuid not null,
  company_id    uuid not null,
  kind          text not null check (kind in (
    'leads', 'returns', 'platform_fee', 'monthly_fee', 'onboarding', 'developer_fee', 'minimum_spend', 'coupon', 'top_up',
    'wholesale_unpaid', 'adjustment', 'rounding')),
  campaign_id   uuid,
  description   text not null check (length(description) between 1 and 500),
  quantity      integer not null check (quantity >= 0),
  unit_micros   bigint not null,
  amount_micros bigint not null,
  primary key (invoice_id, line),
  foreign key (root_id, invoice_id) references invoice (root_id, id)
);
-- The invoices of a campaign.
create index invoice_line_by_campaign on invoice_line (campaign_id, invoice_id) where campaign_id is not null;
call protect('invoice_line');
create policy issued_by_root on invoice_line as restrictive for insert to lead_agency, lead_client with check (false);
call append_only('invoice_line');
grant select, insert on invoice_line to lead_app;

-- What was deducted from an invoice.
create table credit_note (
  id              uuid primary key,
  root_id         uuid not null,
  agency_id       uuid not null,
  company_id      uuid not null,
  issuer_id       uuid not null,
  invoice_id      uuid not null,
  number          text not null,
  seq             integer not null check (seq > 0),
  amount_micros   bigint not null check (amount_micros > 0 and amount_micros % 10000 = 0),
  reason          text not null check (length(reason) between 1 and 255),
  idempotency_key text not null check (length(idempotency_key) between 1 and 200),
  transfer_id     uuid not null references transfer (id),
  user_id         uuid,
  created_at      timestamptz not null,
  unique (issuer_id, seq),
  unique (invoice_id, idempotency_key),
  foreign key (root_id, invoice_id) references invoice (root_id, id)
);
create index credit_note_by_invoice on credit_note (invoice_id, created_at);
call protect('credit_note');
create policy issued_by_root on credit_note as restrictive for insert to lead_agency, lead_client with check (false);
call append_only('credit_note');
grant select, insert on credit_note to lead_app;

-- How far a root's periods are closed.
create table billing_close (
  root_id    uuid not null,
  term       text not null check (term in ('Weekly', 'Monthly')),
  agency_id  uuid,
  company_id uuid not null,
  closed_to  timestamptz not null,
  primary key (root_id, term),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('billing_close');
grant select, insert, update on billing_close to lead_app;

-- All events of a party before an instant are on invoices, so that the search for those that are not begins there, no
-- matter how long the party has been here. It only helps: without a row, all events are looked at.
create table billing_mark (
  company_id uuid not null,
  side       text not null check (side in ('retail', 'wholesale')),
  root_id    uuid not null,
  agency_id  uuid not null,
  clear_to   timestamptz not null,
  primary key (company_id, side),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
call protect('billing_mark');
create policy noted_by_root on billing_mark as restrictive for insert to lead_agency, lead_client with check (false);
create policy moved_by_root on billing_mark as restrictive for update to lead_agency, lead_client using (false);
grant select, insert, update on billing_mark to lead_app;

-- What a campaign's fee was for a month ('2026-03') or its platform fee ('once'). There is a row even if it was
-- nothing, so that no fee is charged when costs change.
create table campaign_fee (
  campaign_id      uuid not null,
  kind             text not null check (kind in ('platform_fee', 'monthly_fee')),
  period           text not null check ((kind = 'platform_fee') = (period = 'once')),
  root_id          uuid not null,
  agency_id        uuid not null,
  company_id       uuid not null,
  term             text not null,
  retail_micros    bigint not null check (retail_micros >= 0),
  wholesale_micros bigint not null check (wholesale_micros >= 0),
  transfer_id      uuid references transfer (id),
  created_at       timestamptz not null,
  primary key (campaign_id, kind, period),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
call protect('campaign_fee');
create policy issued_by_root on campaign_fee as restrictive for insert to lead_agency, lead_client with check (false);
-- What its agency pays is none of a client's business.
create policy between_others on campaign_fee as restrictive for select to lead_client using (false);
call append_only('campaign_fee');
grant select, insert on campaign_fee to lead_app;

-- Receipts, and credit notes of receipts (below zero), that wait for their tax: the money has already moved and must
-- not wait.
create table receipt_due (
  -- Those of a purchase in the order in which they happened.
  serial        bigint generated always as identity primary key,
  root_id       uuid not null,
  agency_id     uuid not null,
  company_id    uuid not null,
  top_up_id     uuid not null, -- The transfer of the purchase.
  transfer_id   uuid not null unique, -- The transfer that this is about: the same, or that of the refund.
  campaign_id   uuid,
  term          text not null,
  description   text not null,
  amount_micros bigint not null,
  created_at    timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
create index receipt_due_root on receipt_due (root_id, serial);
create index receipt_due_top_up on receipt_due (top_up_id);
call protect('receipt_due');
grant select, insert, delete on receipt_due to lead_app;

-- ─── money/dunning ───────────────────────────────────────────────────────────────────────────────────────────────────

-- Why no campaign of a client may run at the moment; null: nothing stops them. 'cancelled': the agency has ended its
-- subscription. 'payment_failed': the client or its agency owes an invoice that is no longer charged automatically
-- (docs/decisions/0053-collection.md). A client may not see its agency's rows, and is told only this about them.
create function collection_bar(of_agency uuid, of_client uuid) returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select case
    when exists (select from company_billing b
      where b.company_id = of_agency and b.root_id = scope_root() and b.cancelled_at is not null) then 'cancelled'
    when exists (select from invoice i
      where i.company_id in (of_agency, of_client) and i.root_id = scope_root() and i.status = 'open'
        and i.first_failed_at is not null and i.next_attempt_at is null
        and i.total_micros - i.paid_micros - i.credited_micros >= 500000) then 'payment_failed'
  end
$$;

-- ─── money/taxes ─────────────────────────────────────────────────────────────────────────────────────────────────────

-- Tax on invoices and receipts: what a root charges by country and state. An invoice keeps the name and amount of its
-- tax, so a changed rate changes no invoice that was issued (docs/decisions/0150-taxes.md).
create table tax_rate (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid,
  company_id   uuid not null,
  country_code text not null check (length(country_code) = 2),
  state_code   text not null default '', -- '': anywhere else in the country.
  name         text not null,
  rate_ppm     integer not null check (rate_ppm between 0 and 500000), -- Parts per million: 82500 is 8.25%.
  updated_at   timestamptz not null,
  unique (root_id, country_code, state_code),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('tax_rate');
grant select, insert, update, delete on tax_rate to lead_app;

-- What is known about the taxes of each company that pays.
create table tax_profile (
  company_id    uuid primary key,
  root_id       uuid not null,
  agency_id     uuid,
  tax_id        text not null default '',
  is_exempt     boolean not null default false,
  exempt_reason text not null default '',
  rate_name     text not null default '',
  rate_ppm      integer check (rate_ppm between 0 and 500000), -- Null: as the root's table says.
  updated_at    timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('tax_profile');
grant select, insert, update on tax_profile to lead_app;

-- Who calculates taxes: the root's own table, or an external service (docs/decisions/0170-stripe-tax.md).
create table tax_setting (
  root_id    uuid primary key,
  agency_id  uuid,
  company_id uuid not null,
  calculator text not null check (calculator in ('table', 'stripe')),
  updated_at timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('tax_setting');
grant select, insert, update on tax_setting to lead_app;

-- What the service was asked and answered. Its answers come from the network, so they are asked for before the
-- transaction that issues a document, and stored here for it. The owner is who pays. An answer that no document has
-- taken is taken by the next one that asks the same.
create table tax_quote (
  id             uuid primary key,
  root_id        uuid not null,
  agency_id      uuid,
  company_id     uuid not null,
  issuer_id      uuid not null,
  question       text not null, -- A hash of everything that the service was told.
  account        text not null default '', -- The connected account whose registrations applied; '': the platform's own.
  amount_micros  bigint not null,
  calculation    text, -- Null: it could not answer, see failure.
  name           text not null default '',
  tax_micros     bigint not null default 0 check (tax_micros >= 0 and tax_micros % 10000 = 0),
  failure        text,
  asked_at       timestamptz not null,
  document_id    uuid unique, -- The invoice or receipt that has taken it.
  transaction_id text, -- The service's record of the sale.
  check ((calculation is null) = (failure is not null)),
  check (document_id is null or calculation is not null),
  foreign key (root_id, company_id) references company (root_id, id)
);
create unique index tax_quote_free on tax_quote (root_id, question) where document_id is null;
create index tax_quote_payer on tax_quote (company_id, asked_at desc);
create index tax_quote_failed on tax_quote (root_id, asked_at) where failure is not null;
create index tax_quote_unreported on tax_quote (root_id, asked_at) where document_id is not null and transaction_id is null;
call protect('tax_quote');
grant select, insert, update, delete on tax_quote to lead_app;

-- What was credited of a document whose tax the service calculated, by credit note.
create table tax_reversal (
  credit_note_id uuid primary key,
  root_id        uuid not null,
  agency_id      uuid,
  company_id     uuid not null,
  quote_id       uuid not null references tax_quote (id),
  amount_micros  bigint not null check (amount_micros > 0),
  created_at     timestamptz not null,
  transaction_id text,
  foreign key (root_id, company_id) references company (root_id, id)
);
create index tax_reversal_unreported on tax_reversal (root_id, created_at) where transaction_id is null;
create index tax_reversal_quote on tax_reversal (quote_id);
call protect('tax_reversal');
grant select, insert, update on tax_reversal to lead_app;

-- ─── money/credits ───────────────────────────────────────────────────────────────────────────────────────────────────

-- What was refunded for leads and granted as credit: to whom, by whom, and why. The money itself is in the ledger
-- (docs/decisions/0160-credits.md).
create table credit (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid not null,
  company_id    uuid not null, -- Who got it: a client (from its agency) or an agency (from its root).
  giver_id      uuid not null,
  lead_id       uuid, -- A refund for this lead; null: credit.
  campaign_id   uuid,
  amount_micros bigint not null check (amount_micros > 0),
  reason        text not null check (
    reason in ('wrong_person', 'duplicate', 'invalid_contact', 'outside_target', 'goodwill', 'promotion', 'other')),
  note          text not null default '' check (length(note) <= 255),
  transfer_id   uuid not null references transfer (id),
  user_id       uuid not null,
  created_at    timestamptz not null,
  unique (transfer_id),
  check (lead_id is null or campaign_id is not null),
  check (giver_id = case when company_id = agency_id then root_id else agency_id end),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create index credit_by_company on credit (company_id, created_at desc, id desc);
create unique index credit_by_lead on credit (lead_id, company_id) where lead_id is not null;
call protect('credit');
call append_only('credit');
grant select, insert on credit to lead_app;

-- ─── money/prepaid ───────────────────────────────────────────────────────────────────────────────────────────────────

-- How far the automatic top-up of a campaign is (server/features/money/prepaid/policy.ts). How much is bought at a
-- time, and whether it is bought again at all, is in retail_cost, by date. No row: it has never been looked at.
create table prepaid_auto (
  campaign_id uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  state       text not null check (state in ('idle', 'armed', 'due', 'charging', 'waiting', 'stopped')),
  declines    smallint not null default 0 check (declines >= 0), -- In a row.
  is_failing  boolean not null default false, -- The client's payment counts as failed because of it.
  retry_at    timestamptz,
  reason      text not null default '',
  updated_at  timestamptz not null,
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id),
  check ((state = 'waiting') = (retry_at is not null))
);
create index prepaid_auto_by_root on prepaid_auto (root_id, state);
create index prepaid_auto_failing on prepaid_auto (company_id) where is_failing;
call protect('prepaid_auto');
grant select, insert, update on prepaid_auto to lead_app;

-- Each automatic top-up that was tried or refused. Its id is the key of its charge.
create table prepaid_attempt (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid not null,
  company_id    uuid not null,
  campaign_id   uuid not null,
  leads         integer not null check (leads > 0),
  amount_micros bigint not null check (amount_micros > 0),
  state         text not null check (state in ('charging', 'succeeded', 'declined', 'refused')),
  reason        text not null default '',
  created_at    timestamptz not null,
  ended_at      timestamptz,
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id),
  check ((state = 'charging') = (ended_at is null))
);
-- Never two at a time, whatever the code does.
create unique index prepaid_attempt_one on prepaid_attempt (campaign_id) where state = 'charging';
create index prepaid_attempt_by_campaign on prepaid_attempt (campaign_id, created_at desc, id desc);
-- What the limits of a client and of a campaign count.
create index prepaid_attempt_by_company on prepaid_attempt (company_id, created_at);
call protect('prepaid_attempt');
grant select, insert, update on prepaid_attempt to lead_app;

-- What someone asked to buy, at which price. The same key asks once. charge_key is the key of its charge, which the
-- orders of a One Time campaign share until their charge has failed.
create table prepaid_order (
  id              uuid primary key,
  root_id         uuid not null,
  agency_id       uuid not null,
  company_id      uuid not null,
  campaign_id     uuid not null,
  idempotency_key text not null check (length(idempotency_key) between 1 and 100),
  charge_key      text not null check (length(charge_key) between 1 and 100),
  term            text not null check (term in ('One Time', 'Prepaid')),
  leads           integer not null check (leads > 0),
  price_micros    bigint not null check (price_micros > 0),
  amount_micros   bigint not null check (amount_micros > 0 and amount_micros % 10000 = 0),
  created_at      timestamptz not null,
  unique (campaign_id, idempotency_key),
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create index prepaid_order_by_company on prepaid_order (company_id);
call protect('prepaid_order');
call append_only('prepaid_order');
grant select, insert on prepaid_order to lead_app;

-- What an agency asked to refund, and from which charges: the same key refunds the same.
create table prepaid_refund (
  id              uuid primary key,
  root_id         uuid not null,
  agency_id       uuid not null,
  company_id      uuid not null,
  campaign_id     uuid not null,
  idempotency_key text not null check (length(idempotency_key) between 1 and 100),
  amount_micros   bigint not null check (amount_micros > 0),
  parts           jsonb not null, -- [{charge, cents}], newest purchase first.
  created_at      timestamptz not null,
  unique (campaign_id, idempotency_key),
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create index prepaid_refund_by_company on prepaid_refund (company_id);
call protect('prepaid_refund');
call append_only('prepaid_refund');
grant select, insert on prepaid_refund to lead_app;

-- ─── money/data-wallet ───────────────────────────────────────────────────────────────────────────────────────────────

-- How an agency wants its Data Wallet topped up, and how far the automatic top-up is
-- (server/features/money/data-wallet/policy.ts).
create table wallet_setting (
  company_id    uuid primary key,
  root_id       uuid not null,
  agency_id     uuid not null,
  amount_micros bigint not null default 0 check (amount_micros >= 0), -- What is topped up; 0: nothing has been chosen.
  custom        boolean not null default false,
  continual     boolean not null default false,
  day_ceiling   bigint check (day_ceiling > 0), -- Of automatic top-ups, in the agency's days and months.
  month_ceiling bigint check (month_ceiling > 0),
  state         text not null default 'idle' check (state in ('idle', 'armed', 'due', 'charging', 'waiting', 'stopped')),
  declines      smallint not null default 0 check (declines >= 0), -- In a row.
  retry_at      timestamptz,
  reason        text not null default '',
  updated_at    timestamptz not null,
  -- What an agency without an automatic top-up has been told about its falling balance since its last top-up.
  told          text not null default '' check (told in ('', 'low', 'empty')),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id),
  check ((state = 'waiting') = (retry_at is not null)),
  check (company_id = agency_id)
);
create index wallet_setting_continual on wallet_setting (root_id, state) where continual;
call protect('wallet_setting');
grant select, insert, update on wallet_setting to lead_app;

-- Each automatic top-up that was tried or refused. Its id is the key of its charge.
create table wallet_attempt (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid not null,
  company_id    uuid not null,
  amount_micros bigint not null check (amount_micros > 0),
  state         text not null check (state in ('charging', 'succeeded', 'declined', 'refused')),
  reason        text not null default '',
  created_at    timestamptz not null,
  ended_at      timestamptz,
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id),
  check ((state = 'charging') = (ended_at is null))
);
-- Never two at a time, whatever the code does.
create unique index wallet_attempt_one on wallet_attempt (company_id) where state = 'charging';
create index wallet_attempt_by_company on wallet_attempt (company_id, created_at desc, id desc);
call protect('wallet_attempt');
grant select, insert, update on wallet_attempt to lead_app;

-- ─── money/minimum-spend ─────────────────────────────────────────────────────────────────────────────────────────────

-- What became of each month of an agency's minimum spend (docs/decisions/0056-minimum-spend.md).
create table minspend_month (
  root_id          uuid not null,
  agency_id        uuid not null,
  company_id       uuid not null,
  month            date not null check (extract(day from month) = 1),
  life             integer not null check (life > 0), -- 1: the month in which the agency began.
  plan_name        text not null, -- As it was called at the time.
  asked_micros     bigint not null check (asked_micros >= 0),
  spent_micros     bigint not null,
  shortfall_micros bigint not null check (shortfall_micros >= 0 and shortfall_micros % 10000 = 0), -- Whole cents.
  outcome          text not null check (outcome in ('met', 'excluded', 'charged')),
  transfer_id      uuid references transfer (id),
  decided_at       timestamptz not null,
  primary key (company_id, month),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id),
  check (company_id = agency_id),
  check ((outcome = 'charged') = (transfer_id is not null)),
  check (outcome <> 'charged' or shortfall_micros > 0)
);
call protect('minspend_month');
-- No one decides on their own month.
create policy decided_by_root on minspend_month as restrictive for insert to lead_agency, lead_client with check (false);
call append_only('minspend_month');
grant select, insert on minspend_month to lead_app;

-- How far the months of a root are decided.
create table minspend_close (
  root_id    uuid primary key,
  agency_id  uuid,
  company_id uuid not null,
  next_month date not null check (extract(day from next_month) = 1), -- The first that is not decided yet.
  foreign key (root_id, company_id) references company (root_id, id),
  check (company_id = root_id)
);
call protect('minspend_close');
grant select, insert, update on minspend_close to lead_app;

-- The minimum spend that a root asks of agencies without a plan of their own, as it was announced to each of them and
-- accepted: nothing is charged before that (docs/decisions/0161-minimum-spend-offers.md).
create table minspend_offer (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  name         text not null, -- As the plan was called at the time.
  months       bigint[] not null, -- As in minspend_amount.
  flat         bigint not null check (flat >= 0),
  announced_at timestamptz not null,
  reminded_at  timestamptz,
  accepted_at  timestamptz,
  accepted_by  uuid,
  withdrawn_at timestamptz, -- Another one, or none, replaced it before it was accepted.
  check ((accepted_at is null) = (accepted_by is null)),
  check (accepted_at is null or withdrawn_at is null),
  check (company_id = agency_id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create unique index minspend_offer_open on minspend_offer (company_id) where accepted_at is null and withdrawn_at is null;
create index minspend_offer_accepted on minspend_offer (company_id, accepted_at desc) where accepted_at is not null;
create index minspend_offer_by_root on minspend_offer (root_id, announced_at desc, id desc) where withdrawn_at is null;
call protect('minspend_offer');
-- No one announces to themselves, and acceptance is written in the root's scope.
create policy announced_by_root on minspend_offer as restrictive for insert to lead_agency, lead_client with check (false);
create policy changed_in_root on minspend_offer as restrictive for update to lead_agency, lead_client using (false);
grant select, insert, update (reminded_at, accepted_at, accepted_by, withdrawn_at) on minspend_offer to lead_app;
