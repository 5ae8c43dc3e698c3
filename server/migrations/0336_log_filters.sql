-- The filters of the user log (docs/decisions/0336-user-logs.md): an agency's log includes those of its clients. What is
-- filtered by is a column of its own: under row level security, no index helps an expression.
alter table user_log add column category text not null generated always as (split_part(action, '.', 1)) stored;
alter table user_log_detail add column grade_kind text generated always as (split_part(type_user, '.', 1)) stored;
create index user_log_by_agency on user_log (agency_id, created_at desc, id);
create index user_log_by_category on user_log (agency_id, category, created_at desc, id);
create index user_log_by_actor on user_log (actor_id, created_at desc, id);
create index user_log_by_campaign on user_log (object_id, created_at desc, id) where object_kind = 'campaign';
-- Ids of the log are in the order of time.
create index user_log_detail_by_kind on user_log_detail (agency_id, grade_kind, log_id desc);
-- Which seal a row is in.
create index log_seal_rows on log_seal using gin (log_ids);
