-- A sales person's own account at the card provider, which their commissions are paid to (ROUT-14).
create table sales_account (
  user_id    uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  provider   text not null check (provider in ('sandbox', 'stripe')),
  reference  text not null default '',
  status     text not null check (status in ('', 'pending', 'inverification', 'completed', 'failed')),
  updated_at timestamptz not null,
  foreign key (root_id, user_id) references user_account (root_id, id)
);
call protect('sales_account');
grant select, insert, update on sales_account to lead_app;
