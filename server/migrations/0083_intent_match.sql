-- What campaigns found in new signals, packed: a row for each campaign and run, until its people become candidates.
-- A row for each person would cost more than all the looking (docs/decisions/0066-intent.md).
create table intent_match (
  campaign_id uuid not null,
  batch_id    bigint not null,          -- the newest that was looked at
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  people      uuid[] not null,          -- of each signal whose it is, and its keyword, time and strength
  terms       integer[] not null,
  ats         timestamptz[] not null,
  strengths   smallint[] not null,
  signals     integer not null,         -- how many they are
  created_at  timestamptz not null,
  -- No foreign key: rows are only written joined to their campaign, as candidates are.
  primary key (campaign_id, batch_id)
);
-- Ids and hashes cannot be packed any closer.
alter table intent_match
  alter people set storage external,
  alter terms set storage external,
  alter ats set storage external,
  alter strengths set storage external;
create index intent_match_by_root on intent_match (root_id, batch_id);
call protect('intent_match');
-- Update for the row locks alone.
grant select, insert, update, delete on intent_match to lead_app;
