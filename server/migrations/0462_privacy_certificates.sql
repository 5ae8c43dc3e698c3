-- The signed certificates of decided privacy requests, made once, so that the page that checks files knows them.
create table privacy_certificate (
  request_id uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  sha256     text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  bytes      bytea not null,
  made_at    timestamptz not null,
  foreign key (root_id, request_id) references privacy_request (root_id, id)
);
create index privacy_certificate_by_hash on privacy_certificate (root_id, sha256);
call protect('privacy_certificate');
grant select, insert, delete on privacy_certificate to lead_app;
