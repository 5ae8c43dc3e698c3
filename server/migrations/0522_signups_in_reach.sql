-- The newest sign-ups of a browser, and those of a person that passed, however many were forged.
create index signup_by_browser on signup (company_id, visitor_id, at desc);
create index signup_passed on signup (campaign_id, hash, at desc) where not held;
drop index signup_by_visitor;
