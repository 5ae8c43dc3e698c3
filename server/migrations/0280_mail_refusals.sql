-- Addresses that unsubscribed from reports or lead notifications of an agency. The lists of recipients are edited by
-- whoever sends the emails, so the wish is stored apart from them.
create table mail_refusal (
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null, -- whose campaign it was
  address    text not null check (length(address) between 1 and 320),
  refused_at timestamptz not null,
  primary key (root_id, address, agency_id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
call protect('mail_refusal');
grant select, insert, delete on mail_refusal to lead_app;
