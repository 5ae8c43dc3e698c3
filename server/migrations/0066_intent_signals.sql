-- Intent signals, their keywords, and what Search ID campaigns look for (docs/decisions/0066-intent.md).

alter table import_job drop constraint import_job_kind_check;
alter table import_job add constraint import_job_kind_check check (kind in ('people', 'signals'));

-- The distinct keywords of a root's signals in their comparable form: stems, one space between.
create table intent_term (
  id         integer generated always as identity primary key,
  root_id    uuid not null,
  agency_id  uuid check (agency_id is null),
  company_id uuid not null check (company_id = root_id),
  words      text not null,
  keyword    text not null,             -- as first seen, for people to read
  unique (root_id, words)
);
call protect('intent_term');

-- The runs of up to five words within each term, by hash: what a keyword is looked up by.
create table intent_phrase (
  root_id    uuid not null,
  hash       bigint not null,
  term_id    integer not null,          -- written together with its term, and never changed
  agency_id  uuid check (agency_id is null),
  company_id uuid not null check (company_id = root_id),
  primary key (root_id, hash, term_id)
);
call protect('intent_phrase');

-- A batch of an import; matched_at: when the campaigns that ran had its signals.
create table signal_batch (
  id         bigint generated always as identity primary key,
  root_id    uuid not null,
  agency_id  uuid check (agency_id is null),
  company_id uuid not null check (company_id = root_id),
  import_id  uuid not null,
  signals    integer not null,
  created_at timestamptz not null,
  matched_at timestamptz
);
create index signal_batch_new on signal_batch (root_id, id) where matched_at is null;
call protect('signal_batch');

-- state, city and zip are numbers (features/audience/keywords/place.policy.ts). strength (0 to 99): how sure it is that it was this person.
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
  strength   smallint not null,
  key_kind   smallint not null,
  batch_id   bigint not null,
  url        text,
  primary key (root_id, term_id, person_id, at) include (state, zip, city, strength)
) partition by range (at);
create index signal_by_batch on signal using brin (batch_id) with (autosummarize = on);
call protect('signal');

create procedure ensure_signal_partitions(first_day date, last_day date)
language plpgsql security definer set search_path = public, pg_temp as $$
declare d date; part text;
begin
  for d in select generate_series(first_day, last_day, interval '1 day')::date loop
    part := 'signal_' || to_char(d, 'YYYYMMDD');
    if to_regclass(part) is null then
      perform pg_advisory_xact_lock(hashtext('signal_partitions'));
      if to_regclass(part) is null then
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

-- What a Search ID campaign looks for, as a person set it.
alter table campaign alter column site_url set default '';
create table campaign_target (
  campaign_id uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  location    text not null check (location in ('national', 'state', 'zip')),
  states      text[] not null default '{}',
  cities      text[] not null default '{}',
  zips        text[] not null default '{}',
  keywords    text[] not null,
  description text not null default '',
  updated_at  timestamptz not null,
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
call protect('campaign_target');

-- The same as it is matched: hash is that of the keyword's first five stems.
create table campaign_keyword (
  campaign_id uuid not null,
  words       text not null,
  hash        bigint not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  primary key (campaign_id, words),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index campaign_keyword_by_root on campaign_keyword (root_id);
call protect('campaign_keyword');

-- kind: 0 national, 1 state, 2 city, 3 zip
create table campaign_place (
  campaign_id uuid not null,
  kind        smallint not null check (kind between 0 and 3),
  place       bigint not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  primary key (campaign_id, kind, place),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index campaign_place_by_root on campaign_place (root_id);
call protect('campaign_place');

-- The ingest knows sites only: a Search ID campaign has none.
create or replace function site_by_key(wanted text)
returns table (campaign_id uuid, root_id uuid, agency_id uuid, company_id uuid, state text, site_url text)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.id, c.root_id, c.agency_id, c.company_id, c.state, c.site_url from campaign c
  where c.site_key = wanted and c.module = 'local'
$$;

revoke execute on procedure ensure_signal_partitions(date, date) from public;
revoke execute on function drop_signal_partitions(date) from public;
grant execute on procedure ensure_signal_partitions(date, date) to lead_app;
grant execute on function drop_signal_partitions(date) to lead_app;
grant select, insert on intent_term, intent_phrase, signal to lead_app;
grant select, insert, update on signal_batch to lead_app;
grant select, insert, update, delete on campaign_target, campaign_keyword, campaign_place to lead_app;
