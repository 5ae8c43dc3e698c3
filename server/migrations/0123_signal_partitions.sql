-- Two processes that start at once: to_regclass() answers from what this session has once looked up, so the second look, after the
-- lock, did not see what the other had made meanwhile. A query does.
create or replace procedure ensure_signal_partitions(first_day date, last_day date)
language plpgsql security definer set search_path = public, pg_temp as $$
declare d date; part text;
begin
  for d in select generate_series(first_day, last_day, interval '1 day')::date loop
    part := 'signal_' || to_char(d, 'YYYYMMDD');
    if not exists (select from pg_class where relname = part and relnamespace = 'public'::regnamespace) then
      perform pg_advisory_xact_lock(hashtext('signal_partitions'));
      if not exists (select from pg_class where relname = part and relnamespace = 'public'::regnamespace) then
        execute format('create table %I partition of signal for values from (%L) to (%L)', part,
          d::timestamp at time zone 'UTC', (d + 1)::timestamp at time zone 'UTC');
        execute format('alter table %I enable row level security', part);
      end if;
    end if;
  end loop;
end $$;
