-- Pages and totals of a client's lists of leads are read from indexes alone. Its id stands first in each: the policy of a
-- client's scope is then looked up once, where a policy that is no more than a filter is worked out for every row.
drop index lead_by_company;
create index lead_by_company on lead (company_id, created_at desc, id) include (campaign_id);
create index lead_by_client_campaign on lead (company_id, campaign_id, created_at desc, id);

drop index lead_contact_name, lead_contact_email;
create index lead_contact_name on lead_contact (company_id, last_name, first_name, lead_id) include (campaign_id, created_at);
create index lead_contact_email on lead_contact (company_id, email, lead_id) include (campaign_id, created_at);
create index lead_contact_campaign_name on lead_contact (company_id, campaign_id, last_name, first_name, lead_id) include (created_at);
create index lead_contact_campaign_email on lead_contact (company_id, campaign_id, email, lead_id) include (created_at);

-- Text search: the newest `most` hits among the leads that the filters leave. Those filters are part of it, or the newest hits
-- of everything would hide older ones of what was asked for. Written anew for the scope and filters of each call, so that the
-- planner knows them: a rare text is found by its trigrams, a frequent one by going through the leads from the newest.
create function search_leads(pattern text, wanted_company uuid, wanted_campaigns uuid[], since timestamptz, until timestamptz, most integer)
returns setof uuid language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return query execute concat(
    'select l.id from lead l join lead_contact s on s.lead_id = l.id where l.root_id = $1',
    case when scope_agency() is not null then ' and l.agency_id = $2' end,
    case when scope_company() is not null then ' and l.company_id = $3' end,
    case when wanted_company is not null then ' and l.company_id = $4' end,
    case when cardinality(wanted_campaigns) = 1 then ' and l.campaign_id = $5[1]'
      when wanted_campaigns is not null then ' and l.campaign_id = any($5)' end,
    case when since is not null then ' and l.created_at >= $6' end,
    case when until is not null then ' and l.created_at < $7' end,
    -- A client that is told no phone numbers finds none by them either.
    ' and s.search like $8 and (s.phone is null or not exists (select from company k where k.id = s.company_id and k.phones_off)
      or lower(concat_ws('' '', s.first_name, s.last_name, s.email, s.company_name, s.city, s.state, s.zip)) like $8)
    order by l.created_at desc limit $9')
  using scope_root(), scope_agency(), scope_company(), wanted_company, wanted_campaigns, since, until, pattern, most;
end $$;
drop function search_leads(text, uuid, integer);
