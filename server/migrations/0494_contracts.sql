-- Which migrations take something away that earlier versions use (docs/operations.md, Upgrade). What does not know such a migration
-- must not run with it; what does not know any other can.
alter table migration add column is_contract boolean not null default false;

-- The migrations that a program with these does not know and cannot run with.
create function contracts_unknown(known text[]) returns setof text
language sql stable security definer set search_path = public, pg_temp as $$
  select name from migration where is_contract and name <> all(known) order by name
$$;
revoke execute on function contracts_unknown(text[]) from public;
grant execute on function contracts_unknown(text[]) to lead_app;
