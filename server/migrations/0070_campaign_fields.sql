-- How campaigns are limited, and who is told of their leads (spec product 3; docs/decisions/0069-campaign-fields.md).

-- daily_cap counts leads a day, week or month, in a span of days where one is given. What an agency has set for a client's new
-- campaigns (retail_cost.daily_cap) stays a day's.
alter table campaign
  add column limit_every     text not null default 'day' check (limit_every in ('day', 'week', 'month')),
  add column limit_starts_on date,
  add column limit_ends_on   date,
  add column minimum_limit   integer check (minimum_limit > 0), -- the limit must not be below it
  add constraint campaign_limit_span check (limit_ends_on >= limit_starts_on);

-- Who hears of a campaign's leads, and where that stands. No row: nobody.
create table campaign_report (
  campaign_id  uuid primary key,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  notify_every integer check (notify_every > 0), -- a mail to notify_to each time so many leads have come
  notify_to    text[] not null default '{}',
  counted      bigint not null default 0 check (counted >= 0), -- leads since it was set
  told         bigint not null default 0 check (told between 0 and counted), -- of those, the ones that mails were sent for
  report_every text check (report_every in ('day', 'week', 'month')), -- null: no reports
  report_to    text[] not null default '{}',
  covers_from  timestamptz, -- where the next report begins
  due_at       timestamptz, -- when it is made
  updated_at   timestamptz not null,
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id),
  check ((report_every is null) = (due_at is null)),
  check ((report_every is null) = (covers_from is null))
);
create index campaign_report_due on campaign_report (root_id, due_at) where due_at is not null;
call protect('campaign_report');
grant select, insert, update on campaign_report to lead_app;

-- Each report that was made. No lead is in two: a campaign's spans never begin twice.
create table campaign_report_sent (
  campaign_id uuid not null,
  covers_from timestamptz not null,
  covers_to   timestamptz not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  leads       integer not null check (leads >= 0),
  recipients  integer not null check (recipients >= 0), -- 0: there was nothing to tell
  created_at  timestamptz not null,
  primary key (campaign_id, covers_from),
  check (covers_to > covers_from),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
call protect('campaign_report_sent');
call append_only('campaign_report_sent');
grant select, insert on campaign_report_sent to lead_app;

-- The invoices of a campaign (spec calls 7: the invoice report).
create index invoice_line_by_campaign on invoice_line (campaign_id, invoice_id) where campaign_id is not null;
