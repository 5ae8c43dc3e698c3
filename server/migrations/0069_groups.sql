-- Groups of campaigns (spec product 3, calls 3: company groups; docs/decisions/0069-campaign-fields.md). An agency sorts the
-- campaigns of its clients its own way, a client its own: neither sees, nor undoes, the order of the other.
create table company_group (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null, -- whose order it belongs to
  name       text not null check (length(name) between 1 and 100),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (root_id, company_id, id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create unique index company_group_by_name on company_group (company_id, lower(name));
call protect('company_group');
grant select, insert, update, delete on company_group to lead_app;

-- In which group of a company a campaign is: in one at most.
create table company_group_campaign (
  campaign_id uuid not null,
  company_id  uuid not null, -- the group's
  root_id     uuid not null,
  agency_id   uuid not null,
  group_id    uuid not null,
  primary key (campaign_id, company_id),
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  foreign key (root_id, company_id, group_id) references company_group (root_id, company_id, id)
);
create index company_group_campaign_by_group on company_group_campaign (group_id, campaign_id);
call protect('company_group_campaign');
grant select, insert, update, delete on company_group_campaign to lead_app;
