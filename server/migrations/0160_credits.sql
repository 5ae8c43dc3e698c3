-- What was refunded of leads and granted as credit: to whom, by whom, and why. The money itself is in the ledger
-- (docs/decisions/0160-credits.md).
create table credit (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid not null,
  company_id    uuid not null, -- who got it: a client (of its agency), an agency (of its root)
  giver_id      uuid not null,
  lead_id       uuid, -- a refund of this lead; null: credit
  campaign_id   uuid,
  amount_micros bigint not null check (amount_micros > 0),
  reason        text not null check (reason in ('wrong_person', 'duplicate', 'invalid_contact', 'outside_target', 'goodwill', 'promotion', 'other')),
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

-- Credit that an agency gives its client is an event of its own.
alter table transfer drop constraint transfer_kind_check;
alter table transfer add constraint transfer_kind_check check (kind in (
  'lead', 'lead_return', 'top_up', 'prepaid_top_up', 'prepaid_refund', 'prepaid_move',
  'wallet_top_up', 'wallet_grant', 'wallet_charge', 'wallet_expiry', 'wallet_refund', 'client_grant',
  'invoice', 'credit_note', 'payment', 'refund', 'dispute', 'dispute_reversal',
  'platform_fee', 'monthly_fee', 'minimum_spend', 'onboarding', 'coupon',
  'supplier_cost', 'provider_fee', 'write_off', 'adjustment'));
