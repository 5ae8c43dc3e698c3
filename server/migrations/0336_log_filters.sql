-- The filters of the user log (docs/decisions/0336-user-logs.md): an agency's log includes those of its clients.
create index user_log_by_agency on user_log (agency_id, created_at desc, id);
create index user_log_by_category on user_log (agency_id, split_part(action, '.', 1), created_at desc, id);
create index user_log_by_actor on user_log (actor_id, created_at desc, id);
create index user_log_by_campaign on user_log (object_id, created_at desc, id) where object_kind = 'campaign';
-- Ids of the log are in the order of time.
create index user_log_detail_by_type on user_log_detail (agency_id, split_part(type_user, '.', 1), log_id desc);
-- Which seal a row is in.
create index log_seal_rows on log_seal using gin (log_ids);
