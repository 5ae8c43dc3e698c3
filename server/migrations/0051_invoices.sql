-- Invoices, final from the moment they exist: numbered in the series of whoever issues them, never edited, corrected by
-- credit notes (docs/decisions/0051-invoices.md).

-- The last number of each series; its row is locked by whoever takes the next one, so a series has no gaps.
create table invoice_series (
  issuer_id uuid not null,
  document  text not null check (document in ('invoice', 'credit_note')),
  root_id   uuid not null,
  agency_id uuid,
  company_id uuid not null,
  last      integer not null check (last >= 0),
  primary key (issuer_id, document),
  foreign key (root_id, issuer_id) references company (root_id, id),
  check (company_id = issuer_id)
);
call protect('invoice_series');
grant select, insert, update on invoice_series to lead_app;

-- company_id is who pays: the client of a retail invoice (its agency issues it), the agency of a wholesale one (its root does).
create table invoice (
  id              uuid primary key,
  root_id         uuid not null,
  agency_id       uuid not null,
  company_id      uuid not null,
  issuer_id       uuid not null,
  side            text not null check (side in ('retail', 'wholesale')),
  kind            text not null check (kind in ('period', 'to_date', 'receipt', 'onboarding', 'minimum_spend', 'subscription')),
  term            text check (term in ('Weekly', 'Monthly', 'One Time', 'Prepaid')),
  period_key      text not null check (length(period_key) between 1 and 100), -- issued once, however often it is asked for
  period_from     timestamptz,
  period_to       timestamptz,
  number          text not null,
  seq             integer not null check (seq > 0),
  subtotal_micros bigint not null,
  tax_micros      bigint not null default 0 check (tax_micros >= 0),
  tax_name        text not null default '',
  total_micros    bigint not null check (total_micros >= 0 and total_micros % 10000 = 0), -- whole cents
  fee_micros      bigint not null default 0 check (fee_micros between 0 and total_micros and fee_micros % 10000 = 0),
  issuer          jsonb not null, -- name and address as they were at finalisation
  payer           jsonb not null,
  transfer_id     uuid not null references transfer (id),
  finalised_at    timestamptz not null,
  due_at          timestamptz not null,
  -- How it is collected; the only part that changes.
  status          text not null check (status in ('open', 'paid', 'uncollectible', 'void')),
  paid_micros     bigint not null default 0 check (paid_micros between 0 and total_micros),
  credited_micros bigint not null default 0 check (credited_micros between 0 and total_micros),
  attempts        integer not null default 0,
  first_failed_at timestamptz,
  next_attempt_at timestamptz,
  last_failure    text,
  paid_at         timestamptz,
  closed_at       timestamptz,
  fee_released_at timestamptz, -- from then on fee_micros is owed by the agency again and goes with no charge
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
call protect('invoice');
grant select, insert on invoice to lead_app;
grant update (status, paid_micros, credited_micros, attempts, first_failed_at, next_attempt_at, last_failure, paid_at, closed_at, fee_released_at)
  on invoice to lead_app;

create table invoice_line (
  invoice_id    uuid not null,
  line          integer not null check (line > 0),
  root_id       uuid not null,
  agency_id     uuid not null,
  company_id    uuid not null,
  kind          text not null check (kind in ('leads', 'returns', 'platform_fee', 'monthly_fee', 'onboarding', 'minimum_spend', 'coupon', 'top_up', 'wholesale_unpaid', 'adjustment', 'rounding')),
  campaign_id   uuid,
  description   text not null check (length(description) between 1 and 500),
  quantity      integer not null check (quantity >= 0),
  unit_micros   bigint not null,
  amount_micros bigint not null,
  primary key (invoice_id, line),
  foreign key (root_id, invoice_id) references invoice (root_id, id)
);
call protect('invoice_line');
call append_only('invoice_line');
grant select, insert on invoice_line to lead_app;

create table credit_note (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid not null,
  company_id    uuid not null,
  issuer_id     uuid not null,
  invoice_id    uuid not null,
  number        text not null,
  seq           integer not null check (seq > 0),
  amount_micros bigint not null check (amount_micros > 0 and amount_micros % 10000 = 0),
  reason        text not null check (length(reason) between 1 and 255),
  idempotency_key text not null check (length(idempotency_key) between 1 and 200),
  transfer_id   uuid not null references transfer (id),
  user_id       uuid,
  created_at    timestamptz not null,
  unique (issuer_id, seq),
  unique (invoice_id, idempotency_key),
  foreign key (root_id, invoice_id) references invoice (root_id, id)
);
create index credit_note_by_invoice on credit_note (invoice_id, created_at);
call protect('credit_note');
call append_only('credit_note');
grant select, insert on credit_note to lead_app;

-- How far the periods of a root are closed; term Weekly or Monthly.
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

-- All events of a party before an instant are on invoices, so that looking for those that are not begins there, however
-- long the party has been here. Only a help: without a row all events are looked at.
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
grant select, insert, update on billing_mark to lead_app;

-- What a campaign's fee of a month ('2026-03') or its platform fee ('once') was; a row also where it was nothing, so that
-- no fee is asked for again when costs change.
create table campaign_fee (
  campaign_id uuid not null,
  kind        text not null check (kind in ('platform_fee', 'monthly_fee')),
  period      text not null check ((kind = 'platform_fee') = (period = 'once')),
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  term        text not null,
  retail_micros    bigint not null check (retail_micros >= 0),
  wholesale_micros bigint not null check (wholesale_micros >= 0),
  transfer_id uuid references transfer (id),
  created_at  timestamptz not null,
  primary key (campaign_id, kind, period),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
call protect('campaign_fee');
call append_only('campaign_fee');
grant select, insert on campaign_fee to lead_app;
-- Whoever runs campaigns already has started them.
insert into campaign_fee (campaign_id, kind, period, root_id, agency_id, company_id, term, retail_micros, wholesale_micros, created_at)
select c.id, 'platform_fee', 'once', c.root_id, c.agency_id, c.company_id, 'Prepaid', 0, 0, c.created_at from campaign c
where c.state = 'active' or exists (select from campaign_hour h where h.campaign_id = c.id and h.leads > 0);

-- All of it is written in the root's scope, since both sides are posted at once: no agency or client writes an invoice of its own.
create policy issued_by_root on invoice_series as restrictive for insert to lead_agency, lead_client with check (false);
create policy counted_by_root on invoice_series as restrictive for update to lead_agency, lead_client using (false);
create policy noted_by_root on billing_mark as restrictive for insert to lead_agency, lead_client with check (false);
create policy moved_by_root on billing_mark as restrictive for update to lead_agency, lead_client using (false);
create policy issued_by_root on invoice as restrictive for insert to lead_agency, lead_client with check (false);
create policy settled_by_root on invoice as restrictive for update to lead_agency, lead_client using (false);
create policy issued_by_root on invoice_line as restrictive for insert to lead_agency, lead_client with check (false);
create policy issued_by_root on credit_note as restrictive for insert to lead_agency, lead_client with check (false);
create policy issued_by_root on campaign_fee as restrictive for insert to lead_agency, lead_client with check (false);
-- A client has nothing to do with what its agency pays.
create policy between_others on campaign_fee as restrictive for select to lead_client using (false);

-- Which line of the invoice an event is under; null: none (the wholesale side of a retail invoice, other collecting transfers).
alter table transfer_cover add column line integer check (line > 0);
create index transfer_cover_by_line on transfer_cover (covered_by, line, transfer_id) where line is not null;

-- Whether an agency bills its clients outside the system, which decides what a lead of theirs costs.
create function bills_manually(agency uuid) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from company_billing b where b.company_id = agency and b.manual_bill and b.root_id = scope_root()
    and (scope_agency() is null or b.company_id = scope_agency()))
$$;
-- By whose days periods end, which agencies and clients may know.
create function root_zone() returns text
language sql stable security definer set search_path = public, pg_temp as $$ select time_zone from company where id = scope_root() $$;
revoke execute on function bills_manually(uuid), root_zone() from public;
grant execute on function bills_manually(uuid), root_zone() to lead_app;

-- The campaigns of a party that may owe something, by its accounts of arrears.
create index account_by_kind on account (root_id, kind, company_id);
alter table company_billing
  add column excluded_minimum_spend boolean not null default false,
  add column excluded_onboarding    boolean not null default false,
  add column package_since          timestamptz,
  add column cancelled_at           timestamptz;
