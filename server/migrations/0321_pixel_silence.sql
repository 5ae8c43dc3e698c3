-- Since when the site of a campaign has been silent, given an instant; null while it is not. A site is silent when
-- nothing has come for twice its usual pause, and for half a day at least. The usual pause is the longest between two
-- hours with visits in the four weeks before the last visit; with thirty pauses or more the third longest, so that an
-- outage in the past does not count as usual. With fewer than six, two days are waited for.
create function pixel_silence(of_campaign uuid, at timestamptz) returns timestamptz
language sql stable set search_path = public, pg_temp as $$
  with heard as (
    select h.hour + interval '1 hour' as until, h.hour from campaign_hour h
    where h.campaign_id = of_campaign and h.visits > 0
    order by h.hour desc limit 1
  ), pause as (
    select p.length, row_number() over (order by p.length desc) as place, count(*) over () as count from (
      select c.hour - lag(c.hour) over (order by c.hour) as length from campaign_hour c, heard
      where c.campaign_id = of_campaign and c.visits > 0 and c.hour >= heard.hour - interval '28 days'
    ) p where p.length is not null
  ), usual as (
    select max(length) filter (where place = case when count >= 30 then 3 else 1 end) as length,
      coalesce(max(count), 0) as count
    from pause
  )
  select heard.until from heard, usual
  where at - heard.until > greatest(
    coalesce(usual.length, interval '0') * 2,
    case when usual.count < 6 then interval '2 days' else interval '12 hours' end)
$$;
revoke execute on function pixel_silence(uuid, timestamptz) from public;
grant execute on function pixel_silence(uuid, timestamptz) to lead_app;
