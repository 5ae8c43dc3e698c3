-- Money of the past of imported companies, shown to whom it belongs (docs/decisions/0472-company-imports.md). A row is of the
-- company that it is about, not of the archive’s: an agency’s client sees its own. Nobody below the root writes any.
update company_import_row set company_id = (content::json ->> 'company_id')::uuid
where is_document and table_name in ('invoice', 'invoice_line', 'credit_note', 'charge', 'refund', 'transfer', 'entry')
  and company_id <> (content::json ->> 'company_id')::uuid;

drop policy between_others on company_import_row;
drop policy between_others_too on company_import_row;
create policy only_past_billing on company_import_row as restrictive for select to lead_agency, lead_client
  using (is_document and table_name in ('invoice', 'invoice_line', 'credit_note', 'charge', 'refund', 'transfer', 'entry'));
create policy never_added on company_import_row as restrictive for insert to lead_agency, lead_client with check (false);
create policy never_changed on company_import_row as restrictive for update to lead_agency, lead_client using (false);
create policy never_removed on company_import_row as restrictive for delete to lead_agency, lead_client using (false);

-- The ids of invoices, charges, and transfers begin with their time.
create index company_import_row_past on company_import_row (root_id, table_name, company_id, key desc)
  where is_document and table_name in ('invoice', 'charge', 'entry');
