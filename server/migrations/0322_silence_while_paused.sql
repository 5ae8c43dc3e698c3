-- Since when the site of an active Site ID campaign has been silent, given an instant; null while it is not, and for
-- every other campaign. A site is heard when its events are stored, and when they are refused because the campaign is
-- paused: it is not silent when the campaign goes on. It is silent when nothing has come for twice its usual pause, and
-- for half a day at least. The usual pause is the longest between two hours with events in the four weeks before the
-- last one; with thirty pauses or more the third longest, so that an outage in the past does not count as usual. With
-- fewer than six, and after a campaign of which nothing was ever heard was changed, two days are waited for.
create or replace function pixel_silence(of_campaign uuid, at timestamptz) returns timestamptz
language plpgsql stable set search_path = public, pg_temp as $$
declare
  since timestamptz;
  last_hour timestamptz;
  usual interval;
  pauses bigint;
begin
  select c.updated_at into since from campaign c
  where c.id = of_campaign and c.state = 'active' and c.module = 'local';
  if not found then
    return null;
  end if;
  select max(heard.hour) into last_hour from (
    (select h.hour from campaign_hour h
      where h.campaign_id = of_campaign and h.visits > 0 order by h.hour desc limit 1)
    union all
    (select r.hour from campaign_refusal r
      where r.campaign_id = of_campaign and r.reason = 'inactive' and r.count > 0 order by r.hour desc limit 1)
  ) heard;
  if last_hour is null then
    return case when at - since > interval '2 days' then since end;
  end if;
  since := last_hour + interval '1 hour';
  -- What most sites are asked, and answer at once.
  if at - since <= interval '12 hours' then
    return null;
  end if;
  select max(p.length) filter (where p.place = case when p.count >= 30 then 3 else 1 end), coalesce(max(p.count), 0)
  into usual, pauses
  from (
    select g.length, row_number() over (order by g.length desc) as place, count(*) over () as count
    from (
      select heard.hour - lag(heard.hour) over (order by heard.hour) as length
      from (
        select h.hour from campaign_hour h
        where h.campaign_id = of_campaign and h.visits > 0 and h.hour >= last_hour - interval '28 days'
        union
        select r.hour from campaign_refusal r
        where r.campaign_id = of_campaign and r.reason = 'inactive' and r.count > 0
          and r.hour >= last_hour - interval '28 days'
      ) heard
    ) g
    where g.length is not null
  ) p;
  return case when at - since > greatest(coalesce(usual, interval '0') * 2,
    case when pauses < 6 then interval '2 days' else interval '12 hours' end) then since end;
end
$$;
