-- The country whose phone numbers a file holds where a row names none, and what was left out of an import and why.
alter table import_job
  add column country    text not null default 'US' check (country ~ '^[A-Z]{2}$'),
  add column values_bad bigint not null default 0,      -- values left out of rows that were imported
  add column left_out   jsonb not null default '[]',    -- how many rows and values, by field and reason
  add column ignored    jsonb not null default '[]';    -- columns of the file that were not used, each with why

-- A line may have several values that were left out: `place` counts them from 1; 0 is the row itself.
alter table import_error add column place smallint not null default 0;
alter table import_error drop constraint import_error_pkey;
alter table import_error add primary key (import_id, line, place);
