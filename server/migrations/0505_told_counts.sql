-- Counts of people are told in full tens, and those below 20 as 0 (docs/decisions/0364-fewer-than-20.md), also those from before.
create function pg_temp.told(n bigint) returns bigint language sql immutable as $$
  select case when n < 20 then 0 else n / 10 * 10 end
$$;
update intent_count set people = pg_temp.told(people), placed = pg_temp.told(placed),
  waterfall = (select jsonb_object_agg(key, pg_temp.told(value::text::bigint)) from jsonb_each(waterfall))
where state = 'done';
