-- Five functions of version 0.1.0 could be called by everyone, among them the search of leads, although within the
-- caller's scope only. The baseline no longer allows that, and this is for databases that were taken over from 0.1.0.
revoke execute on function company_version(), company_owner_changed(), forget_merged(),
  lead_price(bigint, bigint, bigint, smallint[], smallint[]),
  search_leads(text, uuid, uuid[], timestamptz, timestamptz, integer) from public;
grant execute on function company_version(), company_owner_changed(), forget_merged(),
  lead_price(bigint, bigint, bigint, smallint[], smallint[]),
  search_leads(text, uuid, uuid[], timestamptz, timestamptz, integer) to lead_app;
