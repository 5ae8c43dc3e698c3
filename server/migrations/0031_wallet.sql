-- A wallet's money by top-up: each lot with its own end, drawn soonest end first. What remains of a lot is the sum of the
-- entries that name it; the wallet's balance row is locked by everybody who changes one.
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
  noticed    smallint check (noticed in (30, 7, 1)), -- the last notice before its end, in days
  created_at timestamptz not null,
  foreign key (root_id, account_id) references account (root_id, id)
);
create index wallet_lot_open on wallet_lot (account_id, expires_at, id) where remaining > 0;
create index wallet_lot_ending on wallet_lot (root_id, expires_at) where remaining > 0;
create index wallet_lot_by_company on wallet_lot (company_id, created_at, id);
call protect('wallet_lot');
grant select, insert, update on wallet_lot to lead_app;

-- What was spent on leads by day (of the spender's time zone): a campaign's and its client's at the client's price, a
-- wallet's what it paid. Changed by the transaction that posts; limits are held against it.
create table spend_day (
  subject    text not null check (subject in ('wallet', 'client', 'campaign')),
  subject_id uuid not null, -- agency, client or campaign
  day        date not null,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  micros     bigint not null check (micros >= 0),
  primary key (subject_id, day),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index spend_day_by_company on spend_day (company_id, day);
call protect('spend_day');
grant select, insert, update on spend_day to lead_app;
insert into spend_day (subject, subject_id, day, root_id, agency_id, company_id, micros)
select 'campaign', t.campaign_id, (e.created_at at time zone c.time_zone)::date, e.root_id, e.agency_id, e.company_id, sum(-e.amount)
from entry e join transfer t on t.id = e.transfer_id join company c on c.id = e.company_id
where t.kind = 'lead' and e.account_code in (1, 2) group by 2, 3, 4, 5, 6
union all
select 'client', e.company_id, (e.created_at at time zone c.time_zone)::date, e.root_id, e.agency_id, e.company_id, sum(-e.amount)
from entry e join transfer t on t.id = e.transfer_id join company c on c.id = e.company_id
where t.kind = 'lead' and e.account_code in (1, 2) group by 2, 3, 4, 5, 6;

-- Limits on spending. An agency's and a client's limit on the same thing stand side by side; the lower one holds.
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

-- That a limit was reached on a day: told once.
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

create index campaign_capped on campaign (root_id) where state = 'paused' and state_reason like 'cap\_%';

-- The two statements of selling a lead, as functions: their plans are kept by each connection, which is most of their cost.
-- Each statement inside sees what was committed before it, so lots and limits are read as they are once the locks are held.
create function open_till(accounts uuid[], wallets uuid[], subjects uuid[]) returns jsonb language plpgsql as $$
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
    from wallet_lot where account_id = any(wallets) and remaining > 0;
  end if;
  select jsonb_agg(jsonb_build_object('id', id, 'root_id', root_id, 'agency_id', agency_id, 'company_id', company_id,
      'subject', subject, 'subject_id', subject_id, 'period', period, 'hard_micros', hard_micros::text, 'soft_micros', soft_micros::text)) into caps
  from (select * from cap where subject_id = any(subjects) order by id for no key update) c;
  return jsonb_build_object('balances', coalesce(balances, '{}'), 'lots', coalesce(lots, '[]'), 'caps', coalesce(caps, '[]'));
end $$;

-- Posts transfers that are new by their key with their entries, moves the balances and lots that these change, and counts
-- what was spent. Answers the ids of those that were new.
create function post_transfers(
  t_id uuid[], t_root uuid[], t_agency uuid[], t_company uuid[], t_kind text[], t_reference uuid[], t_campaign uuid[], t_memo text[],
  t_key text[], t_at timestamptz[],
  e_transfer uuid[], e_line smallint[], e_root uuid[], e_agency uuid[], e_company uuid[], e_account uuid[], e_code smallint[], e_lot uuid[],
  e_amount bigint[], e_at timestamptz[],
  b_account uuid[], b_amount bigint[], l_lot uuid[], l_amount bigint[],
  s_subject text[], s_id uuid[], s_day date[], s_root uuid[], s_agency uuid[], s_company uuid[], s_micros bigint[])
returns uuid[] language plpgsql as $$
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
revoke execute on function open_till, post_transfers from public;
grant execute on function open_till, post_transfers to lead_app;
