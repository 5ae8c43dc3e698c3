-- Charging cards: every charge, refund and dispute, what the provider has told us, and the sandbox's network.

-- A company at the card provider: once for each place where its card is (account '': the root's own account with the
-- provider; else the agency's connected account).
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

alter table payment_card
  add column account     text not null default '',
  add column customer    text not null default '',
  add column fingerprint text not null default '';
create index payment_card_by_reference on payment_card (reference) where removed_at is null and reference <> '';
create unique index connected_account_by_reference on connected_account (reference) where reference <> '';

-- A charge, from before it is sent. Its id is the idempotency key at the provider.
create table charge (
  id                   uuid primary key,
  root_id              uuid not null,
  agency_id            uuid not null,
  company_id           uuid not null, -- who pays
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
  state                text not null check (state in ('intended', 'sent', 'unknown', 'succeeded', 'declined', 'canceled', 'refunded', 'disputed')),
  provider_reference   text,
  attempts             integer not null default 0,
  next_ask_at          timestamptz,
  decline_code         text,
  decline_message      text,
  needs_authentication boolean not null default false,
  refunded_cents       integer not null default 0 check (refunded_cents between 0 and amount_cents),
  user_id              uuid,
  ip                   inet,
  settled_by_hand      text, -- the reason that was given
  created_at           timestamptz not null,
  sent_at              timestamptz,
  settled_at           timestamptz,
  unique (company_id, purpose, idempotency_key),
  unique (root_id, id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
-- One charge for a thing is under way at a time.
create unique index charge_under_way on charge (company_id, purpose, reference_id) where state in ('intended', 'sent', 'unknown');
create unique index charge_by_provider on charge (provider_reference) where provider_reference is not null;
create index charge_to_ask on charge (next_ask_at) where next_ask_at is not null;
create index charge_by_thing on charge (company_id, purpose, reference_id, created_at desc);
create index charge_by_root on charge (root_id, created_at desc, id desc);
create index charge_by_agency on charge (agency_id, created_at desc, id desc);
call protect('charge');

-- Money given back. Its id is the idempotency key at the provider.
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

-- What a card's holder took back, or tried to.
create table payment_dispute (
  id           text primary key,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  charge_id    uuid not null,
  amount_cents integer not null check (amount_cents > 0),
  reason       text not null,
  state        text not null check (state in ('open', 'won', 'lost')),
  is_booked    boolean not null, -- false: it was over, and won, before we heard that it had begun
  opened_at    timestamptz not null,
  closed_at    timestamptz,
  foreign key (root_id, charge_id) references charge (root_id, id)
);
create index payment_dispute_by_charge on payment_dispute (charge_id);
create index payment_dispute_by_company on payment_dispute (company_id, opened_at desc);
call protect('payment_dispute');

-- Where the provider and we do not agree, as the daily comparison or a notice found it.
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

-- Every notice that was believed, by the provider's id of it: ids only, nothing personal. Of no tenant: whose it is, is
-- found out while it is handled.
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

-- The network of the sandbox (providers/sandbox-cards): the provider's side, so of no tenant.
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

-- Whose something of the provider's is, asked before a scope is known: by what a notice names, the surest first.
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

-- What is to be asked for, and whose it is, so that the worker need not look into every root.
create function payments_due(at timestamptz, most integer)
returns table (root_id uuid, charge_id uuid, refund_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  (select c.root_id, c.id, null::uuid from charge c where c.next_ask_at <= at order by c.next_ask_at limit most)
  union all
  (select r.root_id, null, r.id from refund r where r.next_ask_at <= at order by r.next_ask_at limit most)
$$;

revoke execute on function payment_place(text, text, text, text), payments_due(timestamptz, integer) from public;
grant execute on function payment_place(text, text, text, text), payments_due(timestamptz, integer) to lead_app;
grant select, insert, update on payment_customer, charge, refund, payment_dispute, payment_mismatch, payment_notice to lead_app;
grant select, insert, update, delete on sandbox_network to lead_app;
