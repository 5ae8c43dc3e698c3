-- A list excludes for its owner: the root, an agency, a client, or one campaign.
create table exclusion_list (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid,
  company_id  uuid not null,
  owner_id    uuid not null,
  level       text not null check (level in ('root', 'agency', 'client', 'campaign')),
  name        text not null,
  -- Rows whose plain value nobody knows: an identity known only by the other hash cannot be compared with them.
  md5_only    bigint not null default 0,
  sha256_only bigint not null default 0,
  created_at  timestamptz not null,
  unique (root_id, id)
);
create index exclusion_list_by_owner on exclusion_list (owner_id);
call protect('exclusion_list');

-- kind: 1 e-mail SHA-256, 3 e-mail MD5, 6 phone (E.164), 8 e-mail domain; numbers as in identity_key
create table exclusion (
  owner_id   uuid not null,
  kind       smallint not null check (kind in (1, 3, 6, 8)),
  value      bytea not null,
  list_id    uuid not null,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  primary key (owner_id, kind, value, list_id),
  foreign key (root_id, list_id) references exclusion_list (root_id, id) on delete cascade
);
call protect('exclusion');
