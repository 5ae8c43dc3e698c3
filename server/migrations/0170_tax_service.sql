-- Tax by a service outside (Stripe Tax) instead of the root's own table: who calculates, what was asked and answered, and what
-- the service has still to be told. Its answers come from the network, so they are asked for before the transaction that
-- issues, and kept here for it.
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

-- The owner is who pays. An answer that no document has taken is taken by the next one that asks the same.
create table tax_quote (
  id             uuid primary key,
  root_id        uuid not null,
  agency_id      uuid,
  company_id     uuid not null,
  issuer_id      uuid not null,
  question       text not null, -- a hash of everything that the service was told
  account        text not null default '', -- the connected account whose registrations counted; '': the platform's own
  amount_micros  bigint not null,
  calculation    text, -- null: it could not answer, see failure
  name           text not null default '',
  tax_micros     bigint not null default 0 check (tax_micros >= 0 and tax_micros % 10000 = 0),
  failure        text,
  asked_at       timestamptz not null,
  document_id    uuid unique, -- the invoice or receipt that has taken it
  transaction_id text, -- the service's record of the sale
  check ((calculation is null) = (failure is not null)),
  check (document_id is null or calculation is not null),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('tax_quote');
create unique index tax_quote_free on tax_quote (root_id, question) where document_id is null;
create index tax_quote_payer on tax_quote (company_id, asked_at desc);
create index tax_quote_failed on tax_quote (root_id, asked_at) where failure is not null;
create index tax_quote_unreported on tax_quote (root_id, asked_at) where document_id is not null and transaction_id is null;
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
call protect('tax_reversal');
create index tax_reversal_unreported on tax_reversal (root_id, created_at) where transaction_id is null;
create index tax_reversal_quote on tax_reversal (quote_id);
grant select, insert, update on tax_reversal to lead_app;

-- Receipts, and credit notes of receipts (below zero), that wait for their tax: the money has moved already, and must not wait.
create table receipt_due (
  serial        bigint generated always as identity primary key, -- those of a purchase in the order in which they happened
  root_id       uuid not null,
  agency_id     uuid not null,
  company_id    uuid not null,
  top_up_id     uuid not null, -- the transfer of the purchase
  transfer_id   uuid not null unique, -- the transfer that this is about: the same, or that of the refund
  campaign_id   uuid,
  term          text not null,
  description   text not null,
  amount_micros bigint not null,
  created_at    timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('receipt_due');
create index receipt_due_root on receipt_due (root_id, serial);
create index receipt_due_top_up on receipt_due (top_up_id);
grant select, insert, delete on receipt_due to lead_app;
