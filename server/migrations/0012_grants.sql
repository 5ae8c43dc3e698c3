-- The application's rights, in one place. Tables that are only added to lose UPDATE and DELETE, and refuse them to
-- everybody by a trigger besides.
grant usage on schema public to lead_app, lead_ingest;
grant select, insert, update, delete on all tables in schema public to lead_app;
grant execute on all functions in schema public to lead_app;
grant execute on all procedures in schema public to lead_app;
revoke execute on all functions in schema public from public;
revoke execute on all procedures in schema public from public;

revoke all on migration from lead_app;
revoke delete on company, campaign, user_account, session, signing_key, account, account_balance, lead, integration, delivery from lead_app;
call append_only('user_log');
call append_only('transfer');
call append_only('entry');
call append_only('delivery_attempt');
call append_only('lead_cost');

grant insert on visit to lead_ingest;
grant execute on function site_by_key(text), scope_root(), scope_agency(), scope_company() to lead_ingest;
grant execute on procedure count_refused(uuid[], timestamptz[], text[], bigint[], timestamptz) to lead_ingest;
