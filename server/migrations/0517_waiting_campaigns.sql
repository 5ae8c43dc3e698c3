-- When one of the people that a campaign's search found was refused for a reason that stops all of them. Those found until then
-- wait: recorded once, as they can be millions.
alter table campaign_target add column waits_since timestamptz;
-- The people of one campaign that are not settled, by when to judge them: those that wait are passed over.
create index intent_candidate_by_campaign on intent_candidate (campaign_id, retry_at) where outcome is null;
