-- What the last check of a campaign's site found, and what to do about it (docs/decisions/0320-pixel-doctor.md).
create table pixel_report (
  campaign_id uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  checked_at  timestamptz not null,
  cause       text not null,
  tone        text not null check (tone in ('good', 'warn', 'bad')),
  way         text not null check (way in ('opened', 'read')),
  why_read    text,
  message     text not null check (length(message) <= 2000),
  fixes       jsonb not null,
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
call protect('pixel_report');
grant select, insert, update on pixel_report to lead_app;
