-- The key that told whose signal it was, where it leads to others as well: they are the lead's alternatives.
alter table signal add column shared_key bytea;
