-- What an agency sets for a client besides (spec product 3, Client/user payload fields).

-- phones_off: its leads are told without phone numbers. sheet_editor: who gets its spreadsheets may edit them.
alter table company
  add column phones_off boolean not null default false,
  add column sheet_editor boolean not null default false,
  add constraint company_client_only check (kind = 'client' or not (phones_off or sheet_editor));
