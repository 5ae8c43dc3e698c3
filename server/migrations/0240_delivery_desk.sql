-- What an attempt sent and what came back, without credentials and personal data; deleted after some weeks.
create table delivery_exchange (
  delivery_id uuid not null,
  number      smallint not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  at          timestamptz not null,
  exchanges   jsonb not null check (jsonb_typeof(exchanges) = 'array'),
  primary key (delivery_id, number),
  foreign key (root_id, delivery_id) references delivery (root_id, id)
);
create index delivery_exchange_by_time on delivery_exchange (root_id, at);
call protect('delivery_exchange');
grant select, insert, delete on delivery_exchange to lead_app;

-- How a destination did on a day (UTC). took: attempts by how long they took (server/features/campaigns/delivery/metrics.policy.ts).
create table delivery_day (
  integration_id uuid not null,
  day            date not null,
  root_id        uuid not null,
  agency_id      uuid not null,
  company_id     uuid not null,
  delivered      integer not null default 0,
  failed         integer not null default 0, -- attempts that did not deliver
  took           integer[] not null,
  primary key (integration_id, day),
  foreign key (root_id, integration_id) references integration (root_id, id)
);
call protect('delivery_day');
grant select, insert, update on delivery_day to lead_app;

-- The lists of a company's, and of an agency's clients', deliveries.
create index delivery_by_company on delivery (company_id, state, created_at desc, id) where not is_test;
create index delivery_by_agency on delivery (agency_id, state, created_at desc, id) where not is_test;
-- Also what is still being retried tells why.
create index delivery_retrying on delivery (company_id, integration_id, cause, created_at)
  where state in ('pending', 'unknown') and cause is not null and not is_test;
create index integration_by_company on integration (company_id, created_at, id) where state <> 'removed';
create index integration_by_agency on integration (agency_id, created_at, id) where state <> 'removed';
