-- Alerts (docs/decisions/0278-alerts.md): which leads a client wants to hear of at once, and where.
create table alert (
  id             uuid primary key,
  root_id        uuid not null,
  agency_id      uuid not null,
  company_id     uuid not null,
  campaign_id    uuid, -- null: all campaigns of the client
  name           text not null check (length(name) between 1 and 80),
  state          text not null check (state in ('on', 'off', 'removed')),
  trigger        text not null check (trigger in ('lead', 'return', 'lead_or_return', 'number')),
  min_score      smallint not null check (min_score between 0 and 100),
  pages          text[] not null,
  fit            text not null check (fit in ('any', 'fits')),
  per_hour       integer check (per_hour between 1 and 10000),
  user_ids       uuid[] not null,
  connection_ids uuid[] not null,
  webhook_url    text,
  webhook_sealed text,
  cooldown_hours smallint not null check (cooldown_hours between 1 and 720),
  hours          jsonb, -- when alerts are sent; null: at any time
  most_per_hour  smallint not null check (most_per_hour between 1 and 60),
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  unique (root_id, id),
  check ((trigger = 'number') = (per_hour is not null)),
  check ((webhook_url is null) = (webhook_sealed is null)),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index alert_by_company on alert (company_id) where state <> 'removed';
call protect('alert');
grant select, insert, update on alert to lead_app;

-- When an alert last told of a person; of itself, for alerts of a number of leads. The row is what makes two workers tell
-- once.
create table alert_person (
  alert_id   uuid not null,
  person_id  uuid not null,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  told_at    timestamptz not null,
  primary key (alert_id, person_id),
  foreign key (root_id, alert_id) references alert (root_id, id)
);
create index alert_person_old on alert_person (root_id, told_at);
call protect('alert_person');
grant select, insert, update, delete on alert_person to lead_app;

-- What an alert tells of. Those without a batch have not been told yet.
create table alert_event (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  alert_id   uuid not null,
  lead_id    uuid, -- null: a number of leads
  kind       text not null check (kind in ('new', 'returned', 'seen', 'number')),
  count      integer,
  at         timestamptz not null,
  batch_id   uuid,
  created_at timestamptz not null,
  check ((kind = 'number') = (lead_id is null) and (kind = 'number') = (count is not null)),
  foreign key (root_id, alert_id) references alert (root_id, id)
);
create index alert_event_waiting on alert_event (root_id, alert_id, at) where batch_id is null;
create index alert_event_by_batch on alert_event (batch_id) where batch_id is not null;
create index alert_event_old on alert_event (root_id, created_at);
call protect('alert_event');
grant select, insert, update, delete on alert_event to lead_app;

-- A batch of events, on its way to one recipient.
create table alert_message (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  alert_id   uuid not null,
  batch_id   uuid not null,
  way        text not null check (way in ('mail', 'chat', 'webhook')),
  target     text not null, -- a user, a connection, or the address of the webhook
  message_id text not null, -- the same in every attempt
  events     integer not null,
  is_test    boolean not null default false,
  state      text not null check (state in ('pending', 'delivered', 'failed')),
  attempts   integer not null default 0,
  error      text,
  created_at timestamptz not null,
  done_at    timestamptz,
  unique (batch_id, way, target),
  foreign key (root_id, alert_id) references alert (root_id, id)
);
create index alert_message_by_alert on alert_message (alert_id, created_at desc, id);
create index alert_message_old on alert_message (root_id, created_at);
call protect('alert_message');
grant select, insert, update, delete on alert_message to lead_app;
