-- Double entry in micro-dollars (1 USD = 1,000,000). An entry above zero raises what the account's owner has.
create table account (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid,
  company_id  uuid not null,
  campaign_id uuid,
  kind        text not null check (kind in ('client_prepaid', 'client_receivable', 'agency_wallet', 'agency_payable',
                                            'agency_revenue', 'root_revenue', 'card_clearing', 'expired')),
  created_at  timestamptz not null,
  unique (root_id, id),
  unique nulls not distinct (company_id, kind, campaign_id),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('account');

-- Only accounts that can refuse keep a balance row; the posting transaction locks it.
create table account_balance (
  account_id uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  balance    bigint not null default 0 check (balance >= 0),
  foreign key (root_id, account_id) references account (root_id, id)
);
call protect('account_balance');

create table transfer (
  id              uuid primary key,
  root_id         uuid not null,
  agency_id       uuid,
  company_id      uuid not null,
  kind            text not null check (kind in ('lead', 'top_up')),
  reference_id    uuid,
  idempotency_key text not null check (length(idempotency_key) <= 255),
  created_at      timestamptz not null,
  unique (root_id, idempotency_key)
);
create index transfer_by_reference on transfer (reference_id);
call protect('transfer');

create table entry (
  transfer_id uuid not null references transfer (id),
  line        smallint not null,
  root_id     uuid not null,
  agency_id   uuid,
  company_id  uuid not null,
  account_id  uuid not null,
  amount      bigint not null check (amount <> 0),
  created_at  timestamptz not null,
  primary key (transfer_id, line),
  foreign key (root_id, account_id) references account (root_id, id)
);
create index entry_by_account on entry (account_id, created_at desc, transfer_id) include (amount);
call protect('entry');

-- All entries of a transfer are inserted by one statement, so the sum is checked per statement.
create function entries_balance() returns trigger language plpgsql as $$
begin
  if exists (select from added group by transfer_id having sum(amount) <> 0) then
    raise exception 'entries of a transfer must sum to zero' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger entries_balance after insert on entry
  referencing new table as added for each statement execute function entries_balance();
