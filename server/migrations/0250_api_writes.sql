-- The answers to writes of the developer API, by Idempotency-Key, for 24 hours: a request that is sent again gets the first one.
create table developer_write (
  company_id    uuid not null, -- the agency whose key wrote
  key           text not null check (length(key) between 1 and 255),
  root_id       uuid not null,
  agency_id     uuid not null,
  request_hash  bytea not null check (length(request_hash) = 32), -- SHA-256 of method, path, and body
  status        smallint not null,
  answer_sealed text not null, -- it can hold personal data, and secrets that are shown once
  created_at    timestamptz not null,
  primary key (company_id, key),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create index developer_write_by_date on developer_write (root_id, created_at);
call protect('developer_write');
grant select, insert, update, delete on developer_write to lead_app;
