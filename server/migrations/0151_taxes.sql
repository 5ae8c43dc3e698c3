-- Tax on invoices and receipts: what a root charges by country and state, and what is known of each company that pays.
-- An invoice keeps name and amount of its tax, so a changed rate changes no invoice that was issued.
create table tax_rate (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid,
  company_id   uuid not null,
  country_code text not null check (length(country_code) = 2),
  state_code   text not null default '', -- '': anywhere else in the country
  name         text not null,
  rate_ppm     integer not null check (rate_ppm between 0 and 500000), -- parts per million: 82500 is 8.25 %
  updated_at   timestamptz not null,
  unique (root_id, country_code, state_code),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('tax_rate');
grant select, insert, update, delete on tax_rate to lead_app;

create table tax_profile (
  company_id    uuid primary key,
  root_id       uuid not null,
  agency_id     uuid,
  tax_id        text not null default '',
  is_exempt     boolean not null default false,
  exempt_reason text not null default '',
  rate_name     text not null default '',
  rate_ppm      integer check (rate_ppm between 0 and 500000), -- null: as the root's table says
  updated_at    timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('tax_profile');
grant select, insert, update on tax_profile to lead_app;
