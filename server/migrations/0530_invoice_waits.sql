-- Payers whose invoices wait (docs/decisions/0502-invoices-that-wait.md): the oldest period of a cycle that they could not
-- be billed for, and why. Their later periods wait behind it, and no one else's do.
create table invoice_wait (
  company_id  uuid not null, -- The payer.
  side        text not null check (side in ('retail', 'wholesale')),
  cycle       text not null check (cycle in ('Weekly', 'Monthly', 'minimum_spend')),
  root_id     uuid not null,
  agency_id   uuid not null,
  period_from timestamptz not null,
  reason      text not null, -- In words for whoever issues the invoice.
  since       timestamptz not null, -- When it failed first.
  tried_at    timestamptz not null,
  primary key (company_id, side, cycle),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index invoice_wait_root on invoice_wait (root_id, agency_id);
call protect('invoice_wait');
create policy none_of_clients on invoice_wait as restrictive to lead_client using (false) with check (false);
grant select, insert, update, delete on invoice_wait to lead_app;
