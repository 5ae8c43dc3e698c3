create table integration (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid not null,
  company_id    uuid not null,
  campaign_id   uuid not null,
  kind          text not null check (kind in ('webhook')),
  url           text not null,
  secret_sealed text not null,
  state         text not null check (state in ('enabled', 'disabled', 'removed')),
  state_reason  text,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  unique (root_id, id),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index integration_by_campaign on integration (campaign_id, created_at);
call protect('integration');

create table delivery (
  id             uuid primary key,
  root_id        uuid not null,
  agency_id      uuid not null,
  company_id     uuid not null,
  campaign_id    uuid not null,
  integration_id uuid not null,
  lead_id        uuid,                -- empty for a test message
  message_id     text not null unique, -- webhook-id, the same on every attempt
  state          text not null check (state in ('pending', 'delivered', 'failed')),
  attempts       smallint not null default 0,
  next_at        timestamptz,
  is_test        boolean not null default false,
  created_at     timestamptz not null,
  delivered_at   timestamptz,
  unique (root_id, id),
  unique (integration_id, lead_id),
  foreign key (root_id, integration_id) references integration (root_id, id),
  foreign key (root_id, lead_id) references lead (root_id, id)
);
create index delivery_by_campaign on delivery (campaign_id, created_at desc, id);
create index delivery_by_lead on delivery (lead_id);
create index delivery_open on delivery (root_id, next_at) where state = 'pending';
call protect('delivery');

create table delivery_attempt (
  delivery_id uuid not null,
  number      smallint not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  started_at  timestamptz not null,
  duration_ms integer not null,
  status      smallint,
  answer      text,
  error       text,
  primary key (delivery_id, number),
  foreign key (root_id, delivery_id) references delivery (root_id, id)
);
call protect('delivery_attempt');
