-- Which data fields and sources a company's campaigns may use, and what its leads were given (docs/decisions/0073-enrichment.md).

-- Set by the company above: a root for itself and its agencies, an agency for its clients. No row: everything that is
-- offered above. Field ids are those of contract/audience/enrichment-fields.ts.
create table data_choice (
  company_id  uuid primary key,
  root_id     uuid not null,
  agency_id   uuid,
  information smallint[] not null,
  providers   text[] not null,
  updated_at  timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('data_choice');
grant select, insert, update, delete on data_choice to lead_app;
create policy set_from_above on data_choice as restrictive for insert to lead_agency with check (company_id <> scope_agency());
create policy changed_from_above on data_choice as restrictive for update to lead_agency using (company_id <> scope_agency());
create policy lifted_from_above on data_choice as restrictive for delete to lead_agency using (company_id <> scope_agency());
create policy set_from_above_client on data_choice as restrictive for insert to lead_client with check (false);
create policy changed_from_above_client on data_choice as restrictive for update to lead_client using (false);
create policy lifted_from_above_client on data_choice as restrictive for delete to lead_client using (false);

-- The choices that bind companies of the scope: those of their root, their agency and themselves, which the scope itself may
-- not see.
create function data_choices(wanted uuid[])
returns table (company_id uuid, level text, information smallint[], providers text[])
language sql stable security definer set search_path = public, pg_temp as $$
  select c.id, case d.company_id when c.root_id then 'root' when c.agency_id then 'agency' else 'client' end,
         d.information, d.providers
  from company c
  join data_choice d on d.company_id in (c.root_id, c.agency_id, c.id)
  where c.id = any (wanted) and c.root_id = scope_root()
    and (scope_agency() is null or c.agency_id = scope_agency())
    and (scope_company() is null or c.id = scope_company())
$$;
revoke execute on function data_choices(uuid[]) from public;
grant execute on function data_choices(uuid[]) to lead_app;

-- A vendor that a root has an account with. key_sealed: platform/crypto.ts.
create table data_provider (
  root_id       uuid not null,
  agency_id     uuid check (agency_id is null),
  company_id    uuid not null check (company_id = root_id),
  provider      text not null check (provider in ('pdl')),
  key_sealed    text not null,
  asked         bigint not null default 0,
  found         bigint not null default 0,
  failed        bigint not null default 0,
  last_error    text,                   -- in words; never what was asked
  last_error_at timestamptz,
  updated_at    timestamptz not null,
  primary key (root_id, provider),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('data_provider');
grant select, insert, update, delete on data_provider to lead_app;

-- The values of the fields that a campaign asked for, as they were when the lead was accepted: personal, and erased like
-- lead_contact. A field that nothing was known of is there as null. Leads of campaigns that ask for nothing have no row.
create table lead_data (
  lead_id     uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  campaign_id uuid not null,
  fields      jsonb not null,
  waits_until timestamptz,              -- a source is still asked: the lead is not sent before it answered, or before this
  created_at  timestamptz not null,
  foreign key (lead_id) references lead_contact (lead_id) on delete cascade
);
call protect('lead_data');
grant select, insert, update, delete on lead_data to lead_app;

-- Which fields leads of a campaign have ever been given: the columns of a file of them, without reading them all.
create table campaign_data (
  campaign_id uuid not null,
  field       smallint not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  primary key (campaign_id, field),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index campaign_data_by_company on campaign_data (company_id);
create index campaign_data_by_agency on campaign_data (agency_id);
call protect('campaign_data');
grant select, insert on campaign_data to lead_app;

-- Which campaigns ask for a field.
create index campaign_asking on campaign (root_id, agency_id, company_id)
  where advance_information <> '{}' or b2b_information <> '{}';
