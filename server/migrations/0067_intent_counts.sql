-- Keyword counts, and the people that Search ID campaigns have found (docs/decisions/0066-intent.md).

create table intent_count (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  campaign_id uuid,                       -- whose keywords are counted, if it was asked of a campaign
  location    text not null check (location in ('national', 'state', 'zip')),
  states      text[] not null default '{}',
  cities      text[] not null default '{}',
  zips        text[] not null default '{}',
  keywords    text[] not null,
  state       text not null check (state in ('pending', 'failed', 'done')),
  error       text,
  attempts    integer not null default 0,
  people      bigint,                     -- with the signals, wherever they are
  placed      bigint,                     -- with the signals in the place
  waterfall   jsonb,                      -- steps after `placed`, by the first rule that refuses
  counted_at  timestamptz,                -- the end of the seven days that were looked at
  asked_by    uuid,
  asked_at    timestamptz not null,       -- of the last try
  applied_at  timestamptz,
  applied_to  uuid,
  created_at  timestamptz not null,
  finished_at timestamptz,
  unique (root_id, id),
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  foreign key (root_id, applied_to) references campaign (root_id, id)
);
create index intent_count_by_company on intent_count (company_id, created_at desc, id);
create index intent_count_by_campaign on intent_count (campaign_id, created_at desc, id);
create index intent_count_by_agency on intent_count (agency_id, created_at desc, id);
create index intent_count_by_root on intent_count (root_id, created_at desc, id);
call protect('intent_count');

-- Who has been found for a campaign. retry_at: when to judge it; outcome null: not settled yet.
create table intent_candidate (
  campaign_id uuid not null,
  person_id   uuid not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  terms       integer[] not null,
  signals     integer not null,
  strength    smallint not null,
  last_at     timestamptz not null,
  retry_at    timestamptz not null,
  outcome     text,
  created_at  timestamptz not null,
  settled_at  timestamptz,
  -- No foreign key, whose row by row checks would take half of the matching: rows are only written joined to their campaign.
  primary key (campaign_id, person_id)
);
create index intent_candidate_waiting on intent_candidate (root_id, retry_at) where outcome is null;
call protect('intent_candidate');

grant select, insert, update on intent_count to lead_app;
grant select, insert, update, delete on intent_candidate to lead_app;
