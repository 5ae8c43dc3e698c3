-- Whoever is erased is looked up among held sign-ups by the hashes of their addresses, and their own ones are deleted.
create index held_visit_by_hash on held_visit (root_id, hash) where hash is not null;
grant delete on signup to lead_app;
