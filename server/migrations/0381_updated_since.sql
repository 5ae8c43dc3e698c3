-- When leads, campaigns, and clients last changed, for programs that keep a copy (docs/decisions/0381-updated-since.md).
-- Of leads beside them: a lead changes with each of its deliveries, and its own row is wide and in a dozen indexes.
-- In milliseconds, as the cursors are.
create table lead_change (
  lead_id     uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  campaign_id uuid not null,
  changed_at  timestamptz(3) not null
);
insert into lead_change (lead_id, root_id, agency_id, company_id, campaign_id, changed_at)
  select l.id, l.root_id, l.agency_id, l.company_id, l.campaign_id, greatest(l.created_at, l.seen_at) from lead l;
create index lead_change_by_company on lead_change (company_id, changed_at, lead_id) include (campaign_id);
create index lead_change_by_agency on lead_change (agency_id, changed_at, lead_id) include (campaign_id);
create index lead_change_by_root on lead_change (root_id, changed_at, lead_id) include (campaign_id);
call protect('lead_change');
grant select, insert, update on lead_change to lead_app;

-- Whoever makes a lead, it has its row.
create function lead_made() returns trigger language plpgsql as $$
begin
  insert into lead_change (lead_id, root_id, agency_id, company_id, campaign_id, changed_at)
    select id, root_id, agency_id, company_id, campaign_id, created_at from made;
  return null;
end $$;
revoke all on function lead_made() from public;
create trigger lead_made after insert on lead referencing new table as made for each statement execute function lead_made();

create index campaign_by_company_update on campaign (company_id, updated_at, id);
create index campaign_by_agency_update on campaign (agency_id, updated_at, id);
create index campaign_by_root_update on campaign (root_id, updated_at, id);

alter table company add column changed_at timestamptz(3); -- Null: not since it was created.
alter table company add column updated_at timestamptz not null generated always as (greatest(created_at, changed_at)) stored;
create index company_list_updated on company (parent_id, updated_at, id, kind, root_id, agency_id) where removed_at is null;
