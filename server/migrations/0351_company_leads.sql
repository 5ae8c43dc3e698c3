-- Companies without a person (docs/decisions/0351-companies.md): whose network a visitor came from, at a price of its own.
alter table campaign add column company_leads boolean not null default false;
alter table wholesale_cost add column lead_company_micros bigint not null default 0 check (lead_company_micros >= 0);
alter table retail_cost add column lead_company_micros bigint not null default 0 check (lead_company_micros >= 0);
-- The company that a lead is, by the domain of its site; null: a lead is a person.
alter table lead add column company_domain text;
create index lead_by_client_domain on lead (company_id, company_domain, created_at desc) where company_domain is not null;
