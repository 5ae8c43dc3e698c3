-- Sales by campaign, payment term, and day (UTC) of the past, so that reports over years do not add up every lead
-- (docs/decisions/0420-report-analytics.md). They are made by a job and only help: deleting them changes no answer.
-- An agency's rows have what clients and it were charged, the root's have what suppliers were paid, so that each scope
-- sees only what it sees of the entries. Clients see none.
create table sale_day (
  company_id      uuid not null, -- The agency or the root.
  day             date not null,
  campaign_id     uuid not null,
  term            text not null, -- '': the campaign had no price then.
  root_id         uuid not null,
  agency_id       uuid, -- null in the root's rows
  leads           integer not null default 0, -- Leads sold, minus refunded leads.
  price_micros    bigint not null default 0,
  cost_micros     bigint not null default 0,
  supplier_micros bigint not null default 0,
  primary key (company_id, day, campaign_id, term),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index sale_day_by_root on sale_day (root_id, day);
call protect('sale_day');
grant select, insert, delete on sale_day to lead_app;

-- The days of a root whose sales are in sale_day; the others are read from the ledger.
create table sale_day_mark (
  root_id uuid not null references company (id),
  day     date not null,
  primary key (root_id, day)
);
alter table sale_day_mark enable row level security;
alter table sale_day_mark force row level security;
create policy root on sale_day_mark to lead_root using (root_id = scope_root());
create policy agency on sale_day_mark for select to lead_agency using (root_id = scope_root());
create policy owner on sale_day_mark to lead_owner using (true) with check (true);
grant select, insert, delete on sale_day_mark to lead_app;

-- What is posted into the past is no longer in its day's sums, in whatever scope it is posted.
create function forget_sale_days(roots uuid[], times timestamptz[]) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from sale_day_mark m
  using (select distinct root, (at at time zone 'UTC')::date as day from unnest(roots, times) t (root, at)) a
  where m.root_id = a.root and m.day = a.day
$$;
revoke execute on function forget_sale_days(uuid[], timestamptz[]) from public;
grant execute on function forget_sale_days(uuid[], timestamptz[]) to lead_app;

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
    perform forget_sale_days(roots, times);
  end if;
  return null;
end $$;
