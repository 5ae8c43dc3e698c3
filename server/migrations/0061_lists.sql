-- Lists of 10,000 agencies and 200,000 clients (bench/companies.ts): a page's ids, wherever in the list, and the total come from
-- one index alone, with what row level security compares in it; a search looks only among the companies of its list.

drop index company_list_name, company_list_owner, company_list_email, company_list_created;
create index company_list_name on company (parent_id, lower(name), id, kind, root_id, agency_id) include (name)
  where removed_at is null;
create index company_list_owner on company (parent_id, lower(owner_name), id, kind, root_id, agency_id) include (owner_name)
  where removed_at is null;
create index company_list_email on company (parent_id, owner_email, id, kind, root_id, agency_id) where removed_at is null;
create index company_list_created on company (parent_id, created_at, id, kind, root_id, agency_id) where removed_at is null;

create extension if not exists btree_gin;
create index company_list_search on company using gin (parent_id, search gin_trgm_ops) where removed_at is null;

-- What the filters ask of each row.
create index payment_card_live on payment_card (company_id, root_id, agency_id) where removed_at is null;
drop index campaign_active;
create index campaign_active on campaign (agency_id, company_id, root_id) where state = 'active';
