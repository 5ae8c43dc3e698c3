-- How an agency wants its Data Wallet topped up, and where the automatic top-up stands (server/features/money/data-wallet/policy.ts).
create table wallet_setting (
  company_id    uuid primary key,
  root_id       uuid not null,
  agency_id     uuid not null,
  amount_micros bigint not null default 0 check (amount_micros >= 0), -- what is topped up; 0: nothing has been chosen
  custom        boolean not null default false,
  continual     boolean not null default false,
  day_ceiling   bigint check (day_ceiling > 0),   -- of automatic top-ups, in the agency's days and months
  month_ceiling bigint check (month_ceiling > 0),
  state         text not null default 'idle' check (state in ('idle', 'armed', 'due', 'charging', 'waiting', 'stopped')),
  declines      smallint not null default 0 check (declines >= 0), -- in a row
  retry_at      timestamptz,
  reason        text not null default '',
  updated_at    timestamptz not null,
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

-- What exactly was accepted, as what, and from where in the product.
alter table agreement_acceptance
  add column text_hash     text not null default '' check (text_hash ~ '^([0-9a-f]{64})?$'), -- SHA-256 of the document shown; '': not kept then
  add column company_name  text not null default '' check (length(company_name) <= 255),
  add column location_menu text not null default '' check (length(location_menu) <= 255);
