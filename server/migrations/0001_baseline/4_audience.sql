-- ─── audience/people ─────────────────────────────────────────────────────────────────────────────────────────────────

-- The people graph of a root. The values are personal data and can be erased: everything else refers to a person by id.
create table person (
  id           uuid not null,
  root_id      uuid not null,
  agency_id    uuid check (agency_id is null),
  company_id   uuid not null check (company_id = root_id),
  ref          bytea not null, -- What makes two rows of a source the same person (server/features/audience/people).
  first_name   text,
  last_name    text,
  email        text,
  phone        text,
  phone2       text,
  address      text,
  city         text,
  county       text,
  state        text,
  zip          text,
  company_name text,
  website      text,
  job_title    text,
  keys         bytea[] not null, -- The keys that sources gave: a byte for the kind, then the value.
  source       text not null, -- What said so last, for people to read.
  -- The file that changed the row last, and where in it (byte): an earlier row of the same file does not undo the
  -- change, so that a second import changes nothing.
  source_file  bytea,
  source_at    bigint,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (root_id, id),
  unique (root_id, ref)
);
call protect('person');
-- What an import writes by the million is checked against a scope that was looked up once. Looking it up for each row
-- takes a tenth of the time.
alter policy root on person with check (root_id = (select scope_root()));
grant select, insert, update, delete on person to lead_app;

-- What a person is recognized by. `kind`: 1 email SHA-256, 2 email SHA-1, 3 email MD5, 4 visitor id, 5 device id, 6
-- phone, 7 IP. Lower is stronger.
create table identity_key (
  root_id    uuid not null,
  agency_id  uuid check (agency_id is null),
  company_id uuid not null check (company_id = root_id),
  kind       smallint not null check (kind between 1 and 7),
  value      bytea not null,
  person_id  uuid not null,
  source     text not null,
  seen_at    timestamptz not null,
  primary key (root_id, kind, value, person_id)
);
-- A foreign key's checks for each row and an index over all keys by person take more than half of an import's time. So
-- keys are only ever written together with their person or joined to it, and are deleted with it: those that sources
-- gave are listed in the person, and those that visits taught are found by this index.
create index identity_key_learned on identity_key (root_id, person_id) where kind in (4, 7);
call protect('identity_key');
alter policy root on identity_key with check (root_id = (select scope_root()));
grant select, insert, update, delete on identity_key to lead_app;

-- Deletes the keys of deleted people.
create function forget_keys() returns trigger language plpgsql as $$
begin
  delete from identity_key k
  using (select g.root_id, g.id, get_byte(key, 0) as kind, substring(key from 2) as value from gone g, unnest(g.keys) key) given
  where k.root_id = given.root_id and k.kind = given.kind and k.value = given.value and k.person_id = given.id;
  delete from identity_key k using gone g where k.root_id = g.root_id and k.person_id = g.id and k.kind in (4, 7);
  return null;
end $$;
create trigger forget_keys after delete on person
  referencing old table as gone for each statement execute function forget_keys();

-- People of a graph who are one human being (docs/decisions/0077-evidence.md). Their rows and keys stay as they are:
-- whoever was absorbed points to whoever speaks for them, and undoing removes the pointer.
create table person_merge (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid check (agency_id is null),
  company_id uuid not null check (company_id = root_id),
  person_id  uuid not null, -- Who was absorbed.
  into_id    uuid not null, -- By whom.
  top_id     uuid not null, -- Who speaks for them, at the end of the chain; without meaning once undone.
  merged_by  uuid,
  merged_at  timestamptz not null,
  undone_by  uuid,
  undone_at  timestamptz,
  check (person_id <> into_id and person_id <> top_id)
);
create unique index person_merge_of on person_merge (root_id, person_id) include (top_id) where undone_at is null;
create index person_merge_group on person_merge (root_id, top_id) include (person_id) where undone_at is null;
create index person_merge_newest on person_merge (root_id, merged_at desc, id);
call protect('person_merge');
grant select, insert, update, delete on person_merge to lead_app;

-- Someone who is erased is erased as everyone they were known as, and no merge remembers them.
create function forget_merged() returns trigger language plpgsql as $$
begin
  if not exists (select from gone g join person_merge m on m.root_id = g.root_id and (m.person_id = g.id or m.into_id = g.id)) then
    return null;
  end if;
  with tops as (
    select distinct g.root_id, coalesce(m.top_id, g.id) as top_id from gone g
    left join person_merge m on m.root_id = g.root_id and m.person_id = g.id and m.undone_at is null
  ), members as (
    select root_id, top_id as id from tops
    union
    select m.root_id, m.person_id from tops t join person_merge m on m.root_id = t.root_id and m.top_id = t.top_id and m.undone_at is null
  ), forgotten as (
    delete from person_merge m using members x where m.root_id = x.root_id and (m.person_id = x.id or m.into_id = x.id)
  )
  delete from person p using members x where p.root_id = x.root_id and p.id = x.id;
  return null;
end $$;
create trigger forget_merged after delete on person
  referencing old table as gone for each statement execute function forget_merged();

-- What is known about people beyond how to reach them (contract/audience/enrichment-fields.ts,
-- docs/decisions/0073-enrichment.md). A table of its own, because most sources say none of this, and people without it
-- should cost nothing. Job title and company name are in `person`.
create table person_profile (
  root_id         uuid not null,
  agency_id       uuid check (agency_id is null),
  company_id      uuid not null check (company_id = root_id),
  person_id       uuid not null,
  age_range       text,
  gender          text,
  marital_status  text,
  children        text,
  home_owner      text,
  income_range    text,
  net_worth_range text,
  credit_range    text,
  occupation      text,
  veteran         text,
  headline        text,
  seniority       text,
  department      text,
  company_domain  text,
  industry        text,
  company_size    text, -- As the source says it: '51 to 200', '10000+', '250'.
  company_revenue text,
  company_phone   text,
  business_email  text,
  linkedin        text,
  naics           text,
  sic             text,
  employees       integer check (employees >= 0), -- The minimum that company_size states.
  source_file     bytea, -- As in `person`.
  source_at       bigint,
  updated_at      timestamptz not null,
  primary key (root_id, person_id),
  foreign key (root_id, person_id) references person (root_id, id) on delete cascade
);
call protect('person_profile');
grant select, insert, update, delete on person_profile to lead_app;

-- Phone numbers that a source says are on a do-not-call list. By number and not by person: no one who has the number
-- may be called on it, even after the person who brought it has been erased (docs/decisions/0127-do-not-call.md).
create table do_not_call (
  root_id     uuid not null,
  agency_id   uuid check (agency_id is null),
  company_id  uuid not null check (company_id = root_id),
  phone       text not null, -- E.164.
  source      text not null, -- What said so last.
  source_file bytea, -- The first bytes of the file's SHA-256: another row of the same file does not remove the mark.
  marked_at   timestamptz not null,
  primary key (root_id, phone)
);
call protect('do_not_call');
grant select, insert, update, delete on do_not_call to lead_app;

-- When numbers were marked. Clients and agencies ask as well, because their leads show it, but the marks belong to the
-- root.
create function phone_marks(phones text[]) returns table (phone text, marked_at timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select d.phone, d.marked_at from do_not_call d where d.root_id = scope_root() and d.phone = any(phones)
$$;

-- A file of people or signals that is imported.
create table import_job (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid,
  company_id    uuid not null,
  kind          text not null check (kind in ('people', 'signals')),
  file_name     text not null,
  file_path     text not null,
  file_bytes    bigint not null,
  file_sha256   bytea,
  mapping       jsonb not null default '{}',
  -- 'held': the process died twice while reading it, and someone has to try it again.
  state         text not null check (state in ('mapping', 'queued', 'running', 'held', 'done', 'failed', 'cancelled')),
  error         text,
  byte_offset   bigint not null default 0,
  line          bigint not null default 0,
  rows_read     bigint not null default 0,
  rows_added    bigint not null default 0,
  rows_changed  bigint not null default 0,
  rows_same     bigint not null default 0,
  rows_bad      bigint not null default 0,
  keys_added    bigint not null default 0,
  created_by    uuid,
  created_at    timestamptz not null,
  started_at    timestamptz,
  finished_at   timestamptz,
  -- The country whose phone numbers the file contains, unless a row names one.
  country       text not null default 'US' check (country ~ '^[A-Z]{2}$'),
  values_bad    bigint not null default 0, -- Values left out of rows that were imported.
  left_out      jsonb not null default '[]', -- How many rows and values, by field and reason.
  ignored       jsonb not null default '[]', -- Columns of the file that were not used, each with the reason.
  phones_marked bigint not null default 0 -- Numbers that the file says are on a do-not-call list.
);
create index import_job_by_root on import_job (root_id, created_at desc);
call protect('import_job');
grant select, insert, update, delete on import_job to lead_app;

create table import_error (
  import_id  uuid not null references import_job (id) on delete cascade,
  line       bigint not null,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  field      text,
  reason     text not null,
  value      text,
  -- A line can have several values that were left out, counted from 1; 0 is the row itself.
  place      smallint not null default 0,
  primary key (import_id, line, place)
);
call protect('import_error');
grant select, insert, update, delete on import_error to lead_app;

-- The distinct keywords of a root's signals in their comparable form: stems, separated by one space
-- (docs/decisions/0066-intent.md).
create table intent_term (
  id         integer generated always as identity primary key,
  root_id    uuid not null,
  agency_id  uuid check (agency_id is null),
  company_id uuid not null check (company_id = root_id),
  words      text not null,
  keyword    text not null, -- As first seen, for people to read.
  unique (root_id, words)
);
call protect('intent_term');
grant select, insert on intent_term to lead_app;

-- The runs of up to five words within each term, by hash: what a keyword is looked up by.
create table intent_phrase (
  root_id    uuid not null,
  hash       bigint not null,
  term_id    integer not null, -- Written together with its term, and never changed.
  agency_id  uuid check (agency_id is null),
  company_id uuid not null check (company_id = root_id),
  primary key (root_id, hash, term_id)
);
call protect('intent_phrase');
-- As for person.
alter policy root on intent_phrase with check (root_id = (select scope_root()));
grant select, insert on intent_phrase to lead_app;

-- A batch of an import.
create table signal_batch (
  id         bigint generated always as identity primary key,
  root_id    uuid not null,
  agency_id  uuid check (agency_id is null),
  company_id uuid not null check (company_id = root_id),
  import_id  uuid not null,
  signals    integer not null,
  created_at timestamptz not null,
  matched_at timestamptz -- When the running campaigns got its signals.
);
create index signal_batch_new on signal_batch (root_id, id) where matched_at is null;
call protect('signal_batch');
grant select, insert, update on signal_batch to lead_app;

-- Who looked for what, where, and when, with one partition for each day. State, city, and zip are numbers
-- (server/features/audience/keywords/place.policy.ts).
create table signal (
  root_id    uuid not null,
  agency_id  uuid check (agency_id is null),
  company_id uuid not null check (company_id = root_id),
  term_id    integer not null,
  person_id  uuid not null,
  at         timestamptz not null,
  state      smallint,
  zip        integer,
  city       bigint,
  strength   smallint not null, -- How sure it is that it was this person, 0 to 99.
  key_kind   smallint not null,
  batch_id   bigint not null,
  url        text,
  -- The key that told whose signal it was, if it leads to others as well: they are the lead's alternatives.
  shared_key bytea,
  primary key (root_id, term_id, person_id, at) include (state, zip, city, strength)
) partition by range (at);
create index signal_by_batch on signal using brin (batch_id) with (autosummarize = on);
call protect('signal');
-- As for person.
alter policy root on signal with check (root_id = (select scope_root()));
grant select, insert on signal to lead_app;

-- If two processes start at once, to_regclass() answers from what the session has looked up before, so the second look,
-- after the lock, would not see what the other process has created. A query does.
create procedure ensure_signal_partitions(first_day date, last_day date)
language plpgsql security definer set search_path = public, pg_temp as $$
declare d date; part text;
begin
  for d in select generate_series(first_day, last_day, interval '1 day')::date loop
    part := 'signal_' || to_char(d, 'YYYYMMDD');
    if not exists (select from pg_class where relname = part and relnamespace = 'public'::regnamespace) then
      perform pg_advisory_xact_lock(hashtext('signal_partitions'));
      if not exists (select from pg_class where relname = part and relnamespace = 'public'::regnamespace) then
        execute format('create table %I partition of signal for values from (%L) to (%L)', part,
          d::timestamp at time zone 'UTC', (d + 1)::timestamp at time zone 'UTC');
        execute format('alter table %I enable row level security', part);
      end if;
    end if;
  end loop;
end $$;

create function drop_signal_partitions(before date) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare part text; dropped integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('signal_partitions'));
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'signal'::regclass and c.relname ~ '^signal_\d{8}$' and c.relname < 'signal_' || to_char(before, 'YYYYMMDD')
  loop
    execute format('drop table %I', part);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

-- ─── audience/enrichment ─────────────────────────────────────────────────────────────────────────────────────────────

-- Which data fields and sources a company's campaigns may use (docs/decisions/0073-enrichment.md), set by the company
-- above it: a root for itself and its agencies, an agency for its clients. No row: everything that is offered above.
-- Fields are ids of contract/audience/enrichment-fields.ts.
create table data_choice (
  company_id  uuid primary key,
  root_id     uuid not null,
  agency_id   uuid,
  information smallint[] not null,
  providers   text[] not null,
  updated_at  timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('data_choice');
create policy set_from_above on data_choice as restrictive for insert to lead_agency
  with check (company_id <> scope_agency());
create policy changed_from_above on data_choice as restrictive for update to lead_agency
  using (company_id <> scope_agency());
create policy lifted_from_above on data_choice as restrictive for delete to lead_agency
  using (company_id <> scope_agency());
create policy set_from_above_client on data_choice as restrictive for insert to lead_client with check (false);
create policy changed_from_above_client on data_choice as restrictive for update to lead_client using (false);
create policy lifted_from_above_client on data_choice as restrictive for delete to lead_client using (false);
grant select, insert, update, delete on data_choice to lead_app;

-- The choices that bind companies of the scope: those of their root, their agency, and themselves, which the scope
-- itself may not see.
create function data_choices(wanted uuid[])
returns table (company_id uuid, level text, information smallint[], providers text[])
language sql stable security definer set search_path = public, pg_temp as $$
  select c.id, case d.company_id when c.root_id then 'root' when c.agency_id then 'agency' else 'client' end,
         d.information, d.providers
  from company c
  join data_choice d on d.company_id in (c.root_id, c.agency_id, c.id)
  where c.id = any (wanted) and c.root_id = scope_root()
    and (scope_agency() is null or c.agency_id = scope_agency())
    and (scope_company() is null or c.id = scope_company())
$$;

-- A vendor that a root has an account with. The key is sealed (server/platform/crypto.ts).
create table data_provider (
  root_id       uuid not null,
  agency_id     uuid check (agency_id is null),
  company_id    uuid not null check (company_id = root_id),
  provider      text not null check (provider in ('pdl')),
  key_sealed    text not null,
  asked         bigint not null default 0,
  found         bigint not null default 0,
  failed        bigint not null default 0,
  last_error    text, -- In words, never what was asked.
  last_error_at timestamptz,
  updated_at    timestamptz not null,
  primary key (root_id, provider),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('data_provider');
grant select, insert, update, delete on data_provider to lead_app;

-- The values of the fields that a campaign asked for, as of when the lead was accepted: personal data, erased like
-- lead_contact. A field about which nothing was known is null. Leads of campaigns that ask for nothing have no row.
create table lead_data (
  lead_id     uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  campaign_id uuid not null,
  fields      jsonb not null,
  -- A source is still being asked: the lead is not sent before it has answered, or before this time.
  waits_until timestamptz,
  created_at  timestamptz not null,
  foreign key (lead_id) references lead_contact (lead_id) on delete cascade
);
call protect('lead_data');
grant select, insert, update, delete on lead_data to lead_app;

-- Which fields the leads of a campaign have ever been given: the columns of a file of them, without reading them all.
create table campaign_data (
  campaign_id uuid not null,
  field       smallint not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  primary key (campaign_id, field),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index campaign_data_by_company on campaign_data (company_id);
create index campaign_data_by_agency on campaign_data (agency_id);
call protect('campaign_data');
grant select, insert on campaign_data to lead_app;

-- ─── audience/exclusions ─────────────────────────────────────────────────────────────────────────────────────────────

-- A list excludes people for its owner: the root, an agency, a client, or one campaign
-- (docs/decisions/0065-exclusions.md).
create table exclusion_list (
  id             uuid primary key,
  root_id        uuid not null,
  agency_id      uuid,
  company_id     uuid not null,
  owner_id       uuid not null,
  level          text not null check (level in ('root', 'agency', 'client', 'campaign')),
  name           text not null,
  -- Rows whose plain value no one knows: an identity known only by the other hash cannot be compared with them.
  md5_only       bigint not null default 0,
  sha256_only    bigint not null default 0,
  created_at     timestamptz not null,
  -- What the file may contain: email addresses, plain or as MD5, or entries of every kind.
  accepts        text not null default 'all' check (accepts in ('email', 'all')),
  -- Only an active list is in force. The entries of a removed one are deleted by a job. 'held': as in import_job.
  state          text not null default 'active'
    check (state in ('queued', 'loading', 'held', 'active', 'failed', 'removed')),
  error          text,
  file_path      text,
  byte_offset    bigint not null default 0,
  line           bigint not null default 0,
  total_rows     bigint not null default 0,
  rows_read      bigint not null default 0,
  rows_added     bigint not null default 0,
  rows_same      bigint not null default 0,
  rows_bad       bigint not null default 0,
  emails         bigint not null default 0,
  phones         bigint not null default 0,
  domains        bigint not null default 0,
  created_by     uuid,
  started_at     timestamptz,
  finished_at    timestamptz,
  removed_at     timestamptz,
  -- Whether the list's Gmail addresses stand for all that reach the same mailbox: dots and what follows a plus sign do
  -- not count.
  ignore_aliases boolean not null default false,
  -- Of the phone numbers that do not say theirs.
  country        text not null default 'US' check (country ~ '^[A-Z]{2}$'),
  unique (root_id, id)
);
create index exclusion_list_by_owner on exclusion_list (owner_id, created_at desc, id desc);
create index exclusion_list_in_force on exclusion_list (owner_id) where state = 'active';
create index exclusion_list_under_way on exclusion_list (owner_id) where state in ('queued', 'loading');
-- How many lists a company and its campaigns have is asked before another is added.
create index exclusion_list_of_company on exclusion_list (company_id) where state in ('queued', 'loading', 'active');
call protect('exclusion_list');
grant select, insert, update, delete on exclusion_list to lead_app;

-- What a list contains. `kind`: 1 email SHA-256, 3 email MD5, 6 phone (E.164), 8 email domain, as in identity_key; 9
-- SHA-256 of an address without dots and plus part, for lists that ignore them. A foreign key would take longer to
-- check than an entry to write: entries are only ever written together with their list, and deleted by a job that walks
-- the primary key.
create table exclusion (
  owner_id   uuid not null,
  kind       smallint not null check (kind in (1, 3, 6, 8, 9)),
  value      bytea not null,
  list_id    uuid not null,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  primary key (owner_id, kind, value, list_id)
);
call protect('exclusion');
grant select, insert, update, delete on exclusion to lead_app;

-- The rows of a file that are not entries. The values may be personal data: they are deleted with the list.
create table exclusion_error (
  list_id    uuid not null,
  line       bigint not null,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  reason     text not null,
  value      text,
  primary key (list_id, line),
  foreign key (root_id, list_id) references exclusion_list (root_id, id) on delete cascade
);
call protect('exclusion_error');
grant select, insert, delete on exclusion_error to lead_app;

-- Asked in any scope: a client's lead is also checked against the lists of its agency and root, which its scope does
-- not see. They return only positions and counts, of the scope's own root.
create function excluded_keys(owners uuid[], kinds smallint[], vals bytea[])
returns setof bigint language sql stable security definer set search_path = public, pg_temp as $$
  select k.n from unnest(owners, kinds, vals) with ordinality k (owner, kind, value, n)
  cross join lateral (
    select from exclusion e
    where e.owner_id = k.owner and e.kind = k.kind and e.value = k.value and e.root_id = scope_root()
      and exists (select from exclusion_list l where l.id = e.list_id and l.state = 'active')
    limit 1) hit
$$;

create function exclusions_in_force(owners uuid[])
returns table (owner_id uuid, emails bigint, phones bigint, domains bigint, md5_only bigint, sha256_only bigint, aliases bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select l.owner_id, sum(l.emails)::bigint, sum(l.phones)::bigint, sum(l.domains)::bigint, sum(l.md5_only)::bigint,
         sum(l.sha256_only)::bigint, coalesce(sum(l.emails) filter (where l.ignore_aliases), 0)::bigint
  from exclusion_list l
  where l.owner_id = any(owners) and l.root_id = scope_root() and l.state = 'active'
  group by l.owner_id
$$;

-- ─── audience/signals ────────────────────────────────────────────────────────────────────────────────────────────────

-- Keyword counts (docs/decisions/0066-intent.md).
create table intent_count (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  campaign_id uuid, -- Whose keywords are counted, if it was asked for a campaign.
  location    text not null check (location in ('national', 'state', 'zip')),
  states      text[] not null default '{}',
  cities      text[] not null default '{}',
  zips        text[] not null default '{}',
  keywords    text[] not null,
  state       text not null check (state in ('pending', 'failed', 'done')),
  error       text,
  attempts    integer not null default 0,
  people      bigint, -- With the signals, anywhere.
  placed      bigint, -- With the signals in the place.
  waterfall   jsonb, -- Steps after `placed`, by the first rule that refuses.
  counted_at  timestamptz, -- The end of the seven days that were looked at.
  asked_by    uuid,
  asked_at    timestamptz not null, -- Of the last try.
  applied_at  timestamptz,
  applied_to  uuid,
  created_at  timestamptz not null,
  finished_at timestamptz,
  -- People are counted in the way that this module matches them.
  module      text not null default 'locator' check (module in ('locator', 'enhance', 'b2b')),
  titles      text[] not null default '{}',
  seniorities text[] not null default '{}',
  departments text[] not null default '{}',
  industries  text[] not null default '{}',
  sizes       smallint[] not null default '{}',
  -- What a lead must have, by the campaign's own columns, if the count is for a campaign that does not exist yet; null:
  -- what a new campaign asks.
  rules       jsonb,
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
grant select, insert, update, delete on intent_count to lead_app;

-- What campaigns found in new signals, packed: one row for each campaign and run, until its people become candidates. A
-- row for each person would cost more than all the searching. No foreign key: rows are only written joined to their
-- campaign.
create table intent_match (
  campaign_id uuid not null,
  batch_id    bigint not null, -- The newest that was looked at.
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  people      uuid[] not null, -- Of each signal: whose it is, its keyword, time, and strength.
  terms       integer[] not null,
  ats         timestamptz[] not null,
  strengths   smallint[] not null,
  signals     integer not null, -- How many there are.
  created_at  timestamptz not null,
  primary key (campaign_id, batch_id)
);
create index intent_match_by_root on intent_match (root_id, batch_id);
-- Ids and hashes cannot be compressed.
alter table intent_match alter people set storage external;
alter table intent_match alter terms set storage external;
alter table intent_match alter ats set storage external;
alter table intent_match alter strengths set storage external;
call protect('intent_match');
grant select, insert, update, delete on intent_match to lead_app;

-- Who has been found for a campaign. No foreign key, whose checks for each row would take half of the matching: rows
-- are only written joined to their campaign.
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
  retry_at    timestamptz not null, -- When to judge it.
  outcome     text, -- Null: not settled yet.
  created_at  timestamptz not null,
  settled_at  timestamptz,
  primary key (campaign_id, person_id)
);
create index intent_candidate_waiting on intent_candidate (root_id, retry_at) where outcome is null;
call protect('intent_candidate');
-- As for person.
alter policy root on intent_candidate with check (root_id = (select scope_root()));
grant select, insert, update, delete on intent_candidate to lead_app;
