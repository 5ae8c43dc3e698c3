-- Search by name over a whole scope (docs/decisions/0060-search.md): every agency, client and campaign that somebody may see.

create index campaign_search on campaign using gin (lower(name) gin_trgm_ops) where state <> 'removed';

-- Row level security keeps the planner from an index for LIKE (not leakproof), so the wall is applied in here by hand, from the
-- same scope. Two patterns, since two letters have no trigram of their own: they are looked for where a word begins. At most
-- `most` hits come back, in no order: more than that is no search result.
create function find_companies(pattern text, other text, most integer)
returns setof uuid language sql stable security definer set search_path = public, pg_temp as $$
  select c.id from company c
  where c.root_id = scope_root()
    and (scope_agency() is null or c.agency_id = scope_agency())
    and (scope_company() is null or c.id = scope_company())
    and c.kind <> 'root'
    and c.removed_at is null
    and (c.search like pattern or c.search like other)
  limit most
$$;
create function find_campaigns(pattern text, other text, most integer)
returns setof uuid language sql stable security definer set search_path = public, pg_temp as $$
  select g.id from campaign g
  where g.root_id = scope_root()
    and (scope_agency() is null or g.agency_id = scope_agency())
    and (scope_company() is null or g.company_id = scope_company())
    and g.state <> 'removed'
    and (lower(g.name) like pattern or lower(g.name) like other)
  limit most
$$;
revoke execute on function find_companies(text, text, integer), find_campaigns(text, text, integer) from public;
grant execute on function find_companies(text, text, integer), find_campaigns(text, text, integer) to lead_app;
