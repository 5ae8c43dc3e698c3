-- Which leads a destination gets and when; null: every lead at any time.
alter table integration add column rules jsonb check (jsonb_typeof(rules) = 'object');

-- 'skipped': the rules of its destination left the lead out. turn: the lead's number in its campaign, by which destinations
-- take turns. chosen: whether this delivery takes its lead's turn; empty while that is not decided.
alter table delivery
  add column turn integer check (turn >= 0),
  add column chosen boolean,
  add column waits_for_hours boolean not null default false,
  drop constraint delivery_state_check,
  add constraint delivery_state_check check (state in ('pending', 'unknown', 'delivered', 'failed', 'skipped'));
create index delivery_for_hours on delivery (integration_id, id) where waits_for_hours;

-- How many leads of a campaign have been numbered.
create table delivery_turn (
  campaign_id uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  turns       integer not null check (turns >= 0),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
call protect('delivery_turn');
grant select, insert, update on delivery_turn to lead_app;
