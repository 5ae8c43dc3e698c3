-- The score of a lead, -1 if it has none (so that lists sort and filter by it without a special case); the facts and
-- reasons behind it; when the person was last seen; and when the score falls because they have not been seen since.
alter table lead
  add column score         smallint not null default -1 check (score between -1 and 100),
  add column score_details jsonb,
  add column seen_at       timestamptz,
  add column score_due_at  timestamptz;
-- Room for a lead's next version on its own page: it is written anew each time its person is seen.
alter table lead set (fillfactor = 85);
-- The leads of the last 30 days get theirs when the worker starts.
update lead set score_due_at = now() where not is_test and created_at > now() - interval '30 days';

create index lead_by_score on lead (company_id, score desc, created_at desc, id) include (campaign_id);
create index lead_by_campaign_score on lead (company_id, campaign_id, score desc, created_at desc, id);
create index lead_by_agency_score on lead (agency_id, score desc, created_at desc, id);
create index lead_score_due on lead (root_id, score_due_at) where score_due_at is not null;
