-- What is known of people beyond how to reach them (contract/audience/enrichment-fields.ts; docs/decisions/0073-enrichment.md), and
-- which of it a campaign asks for. A person's job title and company name stay in `person`. A table of its own, since most
-- sources say none of this, and rows that say nothing shall cost nothing.
create table person_profile (
  root_id         uuid not null,
  agency_id       uuid check (agency_id is null),
  company_id      uuid not null check (company_id = root_id),
  person_id       uuid not null,
  age_range       text,
  gender          text,
  marital_status  text,
  children        text,
  home_owner      text,
  income_range    text,
  net_worth_range text,
  credit_range    text,
  occupation      text,
  veteran         text,
  headline        text,
  seniority       text,
  department      text,
  company_domain  text,
  industry        text,
  company_size    text,                 -- as the source says it: '51 to 200', '10000+', '250'
  company_revenue text,
  company_phone   text,
  business_email  text,
  linkedin        text,
  naics           text,
  sic             text,
  employees       integer check (employees >= 0), -- the least that company_size says
  source_file     bytea,                -- the file that changed the row last, and where in it, as of `person`
  source_at       bigint,
  updated_at      timestamptz not null,
  primary key (root_id, person_id),
  foreign key (root_id, person_id) references person (root_id, id) on delete cascade
);
call protect('person_profile');
grant select, insert, update, delete on person_profile to lead_app;

-- Ids of the catalogue, sorted; '{}': none is asked for.
alter table campaign
  add column advance_information smallint[] not null default '{}',
  add column b2b_information     smallint[] not null default '{}';
