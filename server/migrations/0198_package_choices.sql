-- Which package an agency had when; '': none. A package that is dropped just before a month begins, and chosen again in
-- it, is charged for it (docs/decisions/0053-collection.md).
create table package_choice (
  serial     bigint generated always as identity primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  package_id text not null,
  chosen_at  timestamptz not null,
  check (company_id = agency_id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create index package_choice_at on package_choice (company_id, chosen_at desc, serial desc);
call protect('package_choice');
call append_only('package_choice');
grant select, insert on package_choice to lead_app;

-- Since when is not known of those that had one before that was noted.
insert into package_choice (root_id, agency_id, company_id, package_id, chosen_at)
select root_id, agency_id, company_id, package_id, coalesce(package_since, '1970-01-01T00:00:00Z')
from company_billing where package_id <> '' and company_id = agency_id order by company_id;
