-- The answer to a write is kept for the API key that wrote, with the scopes that the write took: another key, or the
-- same one without them, never gets it. Answers of before don't say whose they are, and were kept for a day at most.
delete from developer_write;
alter table developer_write
  add column key_id uuid not null, -- the API key that wrote
  add column scopes text[] not null,
  drop constraint developer_write_pkey,
  add primary key (company_id, key_id, key);
