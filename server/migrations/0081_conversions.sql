-- Who has reached the goal of a campaign: its thank-you page, or the pixel's `thanks` (docs/decisions/0081-thank-you-page.md).
-- Ids alone: who they are is in the graph and in lead_contact.
create table campaign_conversion (
  campaign_id  uuid not null,
  person_id    uuid not null,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  converted_at timestamptz not null, -- for the first time
  primary key (campaign_id, person_id),
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
call protect('campaign_conversion');
grant select, insert on campaign_conversion to lead_app;
