-- When the people behind leads were on the site again, half an hour or more after they were last seen.
create table lead_return (
  lead_id     uuid not null,
  at          timestamptz not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  campaign_id uuid not null,
  primary key (lead_id, at),
  foreign key (root_id, lead_id) references lead (root_id, id)
);
create index lead_return_by_company on lead_return (company_id, at);
call protect('lead_return');
grant select, insert on lead_return to lead_app;
