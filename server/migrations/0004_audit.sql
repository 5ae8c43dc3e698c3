-- One row per change, never altered. Personal values live beside it, erasable; the row keeps their hash, so that
-- a chain over the rows survives an erasure.
create table user_log (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid,
  company_id   uuid not null,
  actor_id     uuid,
  viewed_as_id uuid,
  action       text not null,
  object_kind  text,
  object_id    text,
  request_id   text,
  detail_hash  bytea not null,
  created_at   timestamptz not null
);
create index user_log_by_company on user_log (company_id, created_at desc, id);
create index user_log_by_root on user_log (root_id, created_at desc, id);
call protect('user_log');

create table user_log_detail (
  log_id       uuid primary key references user_log (id),
  root_id      uuid not null,
  agency_id    uuid,
  company_id   uuid not null,
  name         text,
  type_user    text,
  user_ip      inet,
  location     text,
  description  text,
  company_name text
);
call protect('user_log_detail');
