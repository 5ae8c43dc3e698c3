-- The hash chain over the user log (features/accounts/audit, docs/decisions/0014-audit-chain.md). A log row is written together
-- with a note that it is not sealed yet; a job seals what has been committed, so that no request waits for the chain
-- and a row whose transaction ends late simply comes with a later seal.
create table log_unsealed (
  root_id    uuid not null,
  log_id     uuid not null references user_log (id),
  agency_id  uuid,
  company_id uuid not null,
  primary key (root_id, log_id)
);
call protect('log_unsealed');
insert into log_unsealed (root_id, log_id, agency_id, company_id)
select root_id, id, agency_id, company_id from user_log;

-- One batch of sealed rows of a root: their ids and hashes in the chain's order, positions counted on from the seal
-- before. `drained`: no committed row was left to seal. `hash` covers all of it and the hash before; `mac` is the hash
-- under a key of the installation (named by `key_id`), so that whoever owns the database alone cannot make another chain.
create table log_seal (
  root_id        uuid not null,
  seq            bigint not null check (seq >= 1),
  agency_id      uuid check (agency_id is null),
  company_id     uuid not null check (company_id = root_id),
  first_position bigint not null check (first_position >= 1),
  last_position  bigint not null,
  log_ids        uuid[] not null,
  row_hashes     bytea[] not null,
  drained        boolean not null,
  previous_hash  bytea not null,
  hash           bytea not null,
  mac            bytea not null,
  key_id         text not null,
  sealed_at      timestamptz not null,
  primary key (root_id, seq),
  check (last_position - first_position + 1 = cardinality(log_ids) and cardinality(log_ids) = cardinality(row_hashes))
);
call protect('log_seal');

grant select, insert, delete on log_unsealed to lead_app;
grant select, insert on log_seal to lead_app;
call append_only('log_seal');

-- The systems that have rows to seal; asked before a scope is known.
create function roots_to_seal() returns setof uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select distinct root_id from log_unsealed
$$;
revoke execute on function roots_to_seal() from public;
grant execute on function roots_to_seal() to lead_app;
