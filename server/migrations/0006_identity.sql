-- The people graph of a root. The values are personal and erasable: nothing outside refers to them but by id.
create table person (
  id           uuid not null,
  root_id      uuid not null,
  agency_id    uuid check (agency_id is null),
  company_id   uuid not null check (company_id = root_id),
  ref          bytea not null,          -- what makes two rows of a source the same person (features/audience/people)
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
  keys         bytea[] not null,        -- the keys sources gave for them: a byte of kind, then the value
  source       text not null,           -- what said so last, for people to read
  source_file  bytea,                   -- the file that changed the row last, and where in it (byte): an earlier row of
  source_at    bigint,                  -- the same file does not undo it, so that a second import changes nothing
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (root_id, id),
  unique (root_id, ref)
);
call protect('person');

-- kind: 1 e-mail SHA-256, 2 e-mail SHA-1, 3 e-mail MD5, 4 visitor id, 5 device id, 6 phone, 7 IP (lower = stronger)
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
-- A foreign key's row by row checks and an index over all keys by person take more than half of an import's time. So
-- keys are only ever written together with or joined to their person, and a person's end takes them along: those that a
-- source gave are listed with the person, those that visits taught are found by this index.
create index identity_key_learned on identity_key (root_id, person_id) where kind in (4, 7);
call protect('identity_key');

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

create table import_job (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid,
  company_id   uuid not null,
  kind         text not null check (kind in ('people')),
  file_name    text not null,
  file_path    text not null,
  file_bytes   bigint not null,
  file_sha256  bytea,
  mapping      jsonb not null default '{}',
  state        text not null check (state in ('mapping', 'queued', 'running', 'done', 'failed', 'cancelled')),
  error        text,
  byte_offset  bigint not null default 0,
  line         bigint not null default 0,
  rows_read    bigint not null default 0,
  rows_added   bigint not null default 0,
  rows_changed bigint not null default 0,
  rows_same    bigint not null default 0,
  rows_bad     bigint not null default 0,
  keys_added   bigint not null default 0,
  created_by   uuid,
  created_at   timestamptz not null,
  started_at   timestamptz,
  finished_at  timestamptz
);
create index import_job_by_root on import_job (root_id, created_at desc);
call protect('import_job');

create table import_error (
  import_id  uuid not null references import_job (id) on delete cascade,
  line       bigint not null,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  field      text,
  reason     text not null,
  value      text,
  primary key (import_id, line)
);
call protect('import_error');
