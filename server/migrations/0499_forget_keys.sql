-- Finds the keys of deleted people in the index. Under row level security, a comparison with what get_byte or substring returns
-- cannot be looked up there, so all keys of the root were read for each deletion.
create or replace function forget_keys() returns trigger language plpgsql as $$
begin
  with given as materialized (
    select g.root_id, g.id, get_byte(key, 0)::smallint as kind, substring(key from 2) as value from gone g, unnest(g.keys) key)
  delete from identity_key k using given
  where k.root_id = given.root_id and k.kind = given.kind and k.value = given.value and k.person_id = given.id;
  delete from identity_key k using gone g where k.root_id = g.root_id and k.person_id = g.id and k.kind in (4, 7);
  return null;
end $$;
