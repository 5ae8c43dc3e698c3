-- A client that is told no phone numbers finds none by them either: what a search answers would tell them digit by digit.
create or replace function search_leads(pattern text, wanted_campaign uuid, most integer)
returns setof uuid language sql stable security definer set search_path = public, pg_temp as $$
  select s.lead_id from lead_contact s
  where s.root_id = scope_root()
    and (scope_agency() is null or s.agency_id = scope_agency())
    and (scope_company() is null or s.company_id = scope_company())
    and (wanted_campaign is null or s.campaign_id = wanted_campaign)
    and s.search like pattern
    and (s.phone is null or not exists (select from company k where k.id = s.company_id and k.phones_off)
      or lower(concat_ws(' ', s.first_name, s.last_name, s.email, s.company_name, s.city, s.state, s.zip)) like pattern)
  order by s.created_at desc
  limit most
$$;
