-- The visits of a lead's person on the sites of its campaign, the newest first (a lead's journey).
create index visit_by_person on visit (campaign_id, person_id, received_at desc) where person_id is not null;
