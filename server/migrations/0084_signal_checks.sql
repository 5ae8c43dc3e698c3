-- What an import writes by the million is checked against the scope as it was looked up once: looking it up for each row takes a
-- tenth of the writing.
alter policy root on signal with check (root_id = (select scope_root()));
alter policy root on intent_phrase with check (root_id = (select scope_root()));
alter policy root on intent_candidate with check (root_id = (select scope_root()));
