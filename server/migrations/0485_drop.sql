-- California's Delete Request and Opt-out Platform (docs/decisions/0485-drop.md): the lists that a root downloads as a data
-- broker, what was answered, and how it went.
create table drop_account (
  root_id       uuid primary key,
  agency_id     uuid check (agency_id is null),
  company_id    uuid not null check (company_id = root_id),
  -- 'simulated': made up by the product. 'sandbox': California's own test service.
  mode          text not null check (mode in ('simulated', 'sandbox', 'live')),
  key_sealed    text,
  -- When the service last gave, or said that there is nothing new: what the law's 45 days are counted from.
  accessed_at   timestamptz,
  again_at      timestamptz, -- Not asked before.
  failing_since timestamptz,
  last_error    text check (length(last_error) <= 500),
  warned_at     timestamptz,
  created_at    timestamptz not null,
  check (mode = 'simulated' or key_sealed is not null),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('drop_account');
grant select, insert, update, delete on drop_account to lead_app;

-- One download. Only one at a time is open.
create table drop_batch (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid check (agency_id is null),
  company_id    uuid not null check (company_id = root_id),
  name          text not null check (name ~ '^[0-9]{8}_[0-9]{4}$'), -- What the names of its files begin with.
  state         text not null check (state in ('loading', 'matching', 'answering', 'complete')),
  entries       bigint not null default 0,
  removed       bigint not null default 0,
  bad_rows      bigint not null default 0,
  deleted       bigint not null default 0,
  opted_out     bigint not null default 0,
  not_found     bigint not null default 0,
  parts         integer not null default 0, -- Files that were answered.
  amended       integer not null default 0, -- Files that corrected an answer.
  downloaded_at timestamptz not null,
  due_at        timestamptz not null,
  completed_at  timestamptz,
  unique (root_id, id),
  check ((state = 'complete') = (completed_at is not null))
);
create unique index drop_batch_open on drop_batch (root_id) where state <> 'complete';
create index drop_batch_newest on drop_batch (root_id, downloaded_at desc, id);
call protect('drop_batch');
grant select, insert, update, delete on drop_batch to lead_app;

-- A hash on California's lists. Those that nobody has are kept as well: whoever has them later is matched then. Without a
-- foreign key per row: a batch has a million of them.
create table drop_entry (
  root_id    uuid not null,
  agency_id  uuid check (agency_id is null),
  company_id uuid not null check (company_id = root_id),
  list       smallint not null check (list between 1 and 6), -- NDZ, Email, Phone, MAID, NameVIN, CTVID
  drop_id    text not null check (length(drop_id) = 12),
  hash       bytea not null check (length(hash) = 32),
  batch_id   uuid not null,
  status     smallint check (status between 2 and 5),   -- What was found and done.
  answered   smallint check (answered between 2 and 5), -- What California was told.
  removed_at timestamptz,
  primary key (root_id, list, drop_id)
);
create index drop_entry_by_hash on drop_entry (root_id, list, hash);
create index drop_entry_open on drop_entry (root_id, batch_id, list, drop_id)
  where status is null or answered is null or answered <> status;
call protect('drop_entry');
grant select, insert, update, delete on drop_entry to lead_app;

-- Whom entries belong to, until they were dealt with.
create table drop_match (
  root_id    uuid not null,
  agency_id  uuid check (agency_id is null),
  company_id uuid not null check (company_id = root_id),
  list       smallint not null,
  drop_id    text not null,
  person_id  uuid not null,
  primary key (root_id, list, drop_id, person_id)
);
call protect('drop_match');
grant select, insert, delete on drop_match to lead_app;

-- What happened, in words without personal data.
create table drop_event (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid check (agency_id is null),
  company_id uuid not null check (company_id = root_id),
  is_fault   boolean not null,
  words      text not null check (length(words) between 1 and 500),
  at         timestamptz not null
);
create index drop_event_newest on drop_event (root_id, at desc, id desc);
call protect('drop_event');
call append_only('drop_event');
grant select, insert on drop_event to lead_app;
