-- How many rows a campaign is matched by: its keywords and places.
alter table campaign_target add column size integer not null default 0;

-- A removed campaign is matched with nobody anymore.
delete from campaign_place p using campaign c where c.id = p.campaign_id and c.state = 'removed';
delete from campaign_keyword k using campaign c where c.id = k.campaign_id and c.state = 'removed';
update campaign_target t set size = n.size
from (select campaign_id, count(*) as size
      from (select campaign_id from campaign_place union all select campaign_id from campaign_keyword) rows
      group by campaign_id) n
where n.campaign_id = t.campaign_id;
create index campaign_target_size on campaign_target (root_id, agency_id, company_id) include (campaign_id, size)
  where size > 0;

-- The sizes of a client's other campaigns, and of all others of its agency. Numbers only, in any scope of the root.
create function target_sizes(of_agency uuid, of_company uuid, without uuid)
returns table (company bigint, agency bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(sum(size) filter (where company_id = of_company), 0)::bigint, coalesce(sum(size), 0)::bigint
  from campaign_target
  where root_id = scope_root() and agency_id = of_agency and campaign_id <> without and size > 0
$$;
revoke execute on function target_sizes(uuid, uuid, uuid) from public;
grant execute on function target_sizes(uuid, uuid, uuid) to lead_app;
