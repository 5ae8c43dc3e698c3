-- Agreements in versions (docs/decisions/0390-agreements.md): what a root, or for its clients an agency, has published.
-- Version 1 of each document is the built-in template and has no row.
create table agreement_version (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid,
  company_id    uuid not null, -- whose agreement it is: the party that publishes it
  document_type text not null check (length(document_type) between 1 and 40),
  version       integer not null check (version > 1),
  title         text not null check (length(title) between 1 and 255),
  body          text not null check (length(body) between 1 and 60000),
  effective_on  date not null,        -- as it is written in the document
  effective_at  timestamptz not null, -- until then, earlier acceptances hold
  published_at  timestamptz not null,
  published_by  uuid not null,
  unique (company_id, document_type, version),
  check (effective_at > published_at),
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, published_by) references user_account (root_id, id)
);
call protect('agreement_version');
call append_only('agreement_version');
grant select, insert on agreement_version to lead_app;

-- The version of a document that holds for everyone at a time: an acceptance of an earlier one no longer counts. Asked in
-- the scope of companies that cannot read their parent's rows; it reveals a number.
create function agreement_in_force(of_company uuid, of_document text, at timestamptz) returns integer
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(max(version), 1) from agreement_version
  where company_id = of_company and document_type = of_document and effective_at <= at
$$;
revoke execute on function agreement_in_force(uuid, text, timestamptz) from public;
grant execute on function agreement_in_force(uuid, text, timestamptz) to lead_app;

-- What is known about an acceptance besides who, when, and from where.
alter table agreement_acceptance
  add column issuer_id     uuid, -- the other party; null before this was recorded
  add column user_agent    text not null default '' check (length(user_agent) <= 500),
  add column time_zone     text not null default '' check (length(time_zone) <= 64), -- that of the person
  add column second_factor text not null default '' check (second_factor in ('', 'email', 'google', 'passkey')),
  add column read_to_end   boolean not null default false,
  add column applies_at    timestamptz, -- from when the version holds for the company
  add column shown         jsonb; -- the document as it was shown
create index agreement_acceptance_by_issuer on agreement_acceptance (issuer_id, document_type, accepted_at desc);

-- The key that a company signs its PDFs with. One is in use; the certificates of earlier ones are kept to check what they
-- signed, without their private keys.
create table agreement_key (
  id             uuid primary key,
  root_id        uuid not null,
  agency_id      uuid,
  company_id     uuid not null,
  kind           text not null check (kind in ('made', 'brought')),
  subject        text not null check (length(subject) <= 1000),
  certificate    bytea not null, -- DER
  fingerprint    text not null check (fingerprint ~ '^[0-9a-f]{64}$'), -- SHA-256 of the certificate
  private_sealed text,
  valid_until    timestamptz not null,
  created_at     timestamptz not null,
  ended_at       timestamptz,
  check ((ended_at is null) = (private_sealed is not null)),
  foreign key (root_id, company_id) references company (root_id, id)
);
create unique index agreement_key_in_use on agreement_key (company_id) where ended_at is null;
create index agreement_key_by_company on agreement_key (company_id, fingerprint);
call protect('agreement_key');
grant select, insert, update (private_sealed, ended_at) on agreement_key to lead_app;

-- The signed PDF of an acceptance, made once: its hash is what /verify looks for. The id is the specification's file_uuid.
create table agreement_file (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid,
  company_id    uuid not null, -- the company that accepted
  issuer_id     uuid not null,
  acceptance_id uuid not null unique references agreement_acceptance (id),
  sha256        text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  bytes         bytea not null,
  created_at    timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
create index agreement_file_by_hash on agreement_file (root_id, sha256);
create index agreement_file_by_company on agreement_file (company_id);
call protect('agreement_file');
call append_only('agreement_file');
grant select, insert on agreement_file to lead_app;
