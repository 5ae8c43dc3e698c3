-- Settings, and what their values consist of, are called as inside (contract/wire.ts), and so are the columns that still had
-- a name of the wire.
update setting s set name = n.inside
from (values ('rootAgencyEmbeddedCode', 'embed_code'), ('secondfactor', 'second_factor'), ('modulenames', 'module_names'),
             ('costagency', 'agency_costs'), ('agencyonboardingcustom', 'onboarding_charge'), ('rootminspend', 'minimum_spend'),
             ('minleaddayenhance', 'minimum_leads'), ('agencydefaults', 'agency_defaults'), ('agencysidebar', 'agency_sidebar'),
             ('clientsidebar', 'client_sidebar'), ('billingthreshold', 'billing_threshold')) n(wire, inside)
where s.name = n.wire;
update setting set value = jsonb_build_object('place', value -> 'placeEmbedded', 'code', value -> 'embeddedcode')
where name = 'embed_code' and value is not null;
update setting set value = jsonb_build_object('term', value -> 'dpay') where name = 'agency_costs' and value is not null;
update setting set value = jsonb_build_object('minimum_leads', value -> 'minleaddayenhance')
where name = 'minimum_leads' and value is not null;

alter table user_account rename column phonenum to phone;
alter table sign_up rename column refcode to referral_code;

create or replace function front_embed(wanted uuid) returns jsonb
language sql stable security definer set search_path = public, pg_temp as $$
  select s.value from setting s join company c on c.id = s.company_id
  where s.company_id = wanted and s.name = 'embed_code' and c.kind = 'agency' and c.removed_at is null
    and wears_own(c.id)
$$;

create or replace function enhance_least_leads() returns integer
language sql stable security definer set search_path = public, pg_temp as $$
  select (s.value ->> 'minimum_leads')::integer from setting s
  where s.company_id = scope_root() and s.name = 'minimum_leads'
$$;

create or replace function search_company_list(pattern text, digits text, wanted_parent uuid, most integer)
returns setof uuid language sql stable security definer set search_path = public, pg_temp as $$
  with hit as (
    select c.id, c.parent_id, c.kind from company c
    where c.root_id = scope_root()
      and (scope_agency() is null or c.agency_id = scope_agency())
      and (scope_company() is null or c.id = scope_company())
      and c.kind <> 'root' and c.removed_at is null
      and c.search like pattern
    union
    select c.id, c.parent_id, c.kind from user_account u join company c on c.id = u.company_id and c.owner_id = u.id
    where digits is not null and u.root_id = scope_root() and u.role = 'owner' and u.phone <> ''
      and ltrim(u.phone_calling, '+') || u.phone like digits
      and (scope_agency() is null or c.agency_id = scope_agency())
      and (scope_company() is null or c.id = scope_company())
      and c.kind <> 'root' and c.removed_at is null
  )
  select id from hit where parent_id = wanted_parent
  union
  select p.id from hit join company p on p.id = hit.parent_id
  where hit.kind = 'client' and p.parent_id = wanted_parent and p.removed_at is null
  limit most
$$;
