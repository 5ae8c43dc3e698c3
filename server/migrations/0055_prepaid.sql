-- Prepaid balances of campaigns, bought by card (docs/decisions/0055-prepaid.md).

-- Where the continual top-up of a campaign stands (server/features/money/prepaid/policy.ts). What is bought at a time, and whether
-- it is bought again at all, is in retail_cost, by date. No row: it has never been looked at.
create table prepaid_auto (
  campaign_id uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  state       text not null check (state in ('idle', 'armed', 'due', 'charging', 'waiting', 'stopped')),
  declines    smallint not null default 0 check (declines >= 0), -- in a row
  is_failing  boolean not null default false, -- the client's payment counts as failed by it
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

-- Each renewal that was tried or refused. Its id is the key of its charge.
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
-- What limits of a client and of a campaign count.
create index prepaid_attempt_by_company on prepaid_attempt (company_id, created_at);
call protect('prepaid_attempt');
grant select, insert, update on prepaid_attempt to lead_app;

-- What a person asked to buy, at which price. The same key asks once; charge_key is the key of its charge, which orders of a
-- One Time campaign share until its charge has failed.
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

-- What an agency asked to give back, and from which charges: the same key gives back the same.
create table prepaid_refund (
  id              uuid primary key,
  root_id         uuid not null,
  agency_id       uuid not null,
  company_id      uuid not null,
  campaign_id     uuid not null,
  idempotency_key text not null check (length(idempotency_key) between 1 and 100),
  amount_micros   bigint not null check (amount_micros > 0),
  parts           jsonb not null, -- [{charge, cents}], newest purchase first
  created_at      timestamptz not null,
  unique (campaign_id, idempotency_key),
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create index prepaid_refund_by_company on prepaid_refund (company_id);
call protect('prepaid_refund');
call append_only('prepaid_refund');
grant select, insert on prepaid_refund to lead_app;

-- What was put into and taken out of a campaign's balance, its leads apart: they are the many.
create index transfer_rare_by_campaign on transfer (campaign_id, kind) where campaign_id is not null and kind not in ('lead', 'lead_return');
-- Which campaigns may have to buy again.
create index retail_cost_continual on retail_cost (root_id, campaign_id) where campaign_id is not null and topup = 'continual';
