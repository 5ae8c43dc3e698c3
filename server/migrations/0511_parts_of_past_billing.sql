-- Which invoice or charge a line, credit note, or refund of the past belongs to. It is a column because under row level
-- security an index on an expression is not used. An archive is not trusted, so it may not be longer than an index takes.
alter table company_import_row add column part_of text generated always as (
  case when not is_document then null
       when table_name in ('invoice_line', 'credit_note') then left(content::json ->> 'invoice_id', 64)
       when table_name = 'refund' then left(content::json ->> 'charge_id', 64) end) stored;
create index company_import_row_parts on company_import_row (import_id, table_name, part_of, number) where part_of is not null;
-- The newest of a root, also by id, and of an agency; those of a company have an index already. What only counts them
-- needs nothing but the index.
create index company_import_row_newest on company_import_row (root_id, table_name, key desc) include (company_id)
  where is_document and table_name in ('invoice', 'charge', 'entry', 'transfer');
create index company_import_row_newest_of_agency on company_import_row (agency_id, table_name, key desc) include (company_id)
  where is_document and table_name in ('invoice', 'charge', 'entry');
