-- Who may call which function. PostgreSQL lets everyone call a new function, so a later migration that adds one has to
-- revoke that as well.
revoke execute on all routines in schema public from public;
grant execute on all routines in schema public to lead_app;

-- Called only by a trigger, as lead_owner.
revoke execute on procedure keep_company_owner(uuid) from lead_app;

-- The ingest sees no table: it adds to the visit log and asks and tells these.
revoke execute on procedure count_foreign(uuid[], text[], bigint[], timestamptz) from lead_app;
grant execute on function site_by_key(text), scope_root(), scope_agency(), scope_company() to lead_ingest;
grant execute on procedure count_refused(uuid[], timestamptz[], text[], bigint[], timestamptz),
  count_foreign(uuid[], text[], bigint[], timestamptz) to lead_ingest;

set local check_function_bodies = on;
