-- As those of signals (0084): what an import writes by the million is checked against the scope as it was looked up once.
alter policy root on person with check (root_id = (select scope_root()));
alter policy root on identity_key with check (root_id = (select scope_root()));
