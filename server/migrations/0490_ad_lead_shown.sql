-- When the ad that a lead is credited to was shown: reports count leads then, and the list of leads is filtered by it. Of
-- impressions that are no longer kept, it is taken from when the ad was clicked or seen.
alter table ad_lead add column shown_at timestamptz;
update ad_lead l set shown_at = coalesce((select i.at from ad_impression i where i.id = l.impression_id), l.touched_at);
alter table ad_lead alter column shown_at set not null;
create index ad_lead_by_company on ad_lead (company_id, shown_at desc);
create index ad_lead_by_agency on ad_lead (agency_id, shown_at desc);
create index ad_lead_by_root on ad_lead (root_id, shown_at desc);
