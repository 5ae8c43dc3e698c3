-- The agency and client lists (spec product 2, 3): whom a company's list shows as its owner, what it is sorted and searched
-- by, and the version that tells two editors apart (docs/decisions/0057-companies.md).

-- Kept with the company, so that a page of 10,000 agencies is one range of one index, whatever it is sorted by. They follow
-- the owner's account, and so its erasure.
alter table company
  add column owner_id    uuid,
  add column owner_name  text not null default '',
  add column owner_email text not null default '',
  add column external_id text not null default '' check (length(external_id) <= 255),
  add column version     integer not null default 1,
  add constraint company_owner foreign key (root_id, owner_id) references user_account (root_id, id);
alter table company
  add column search text generated always as (lower(name || ' ' || owner_name || ' ' || owner_email)) stored;

-- The owner whom a list shows: of those who may sign in the one who has been there longest.
create procedure keep_company_owner(wanted uuid) language sql security definer set search_path = public, pg_temp
begin atomic
  update company c
  set owner_id = o.id, owner_name = coalesce(o.name, ''), owner_email = coalesce(o.email, '')
  from (select 1) as one left join lateral (
    select u.id, u.name, u.email from user_account u
    where u.company_id = wanted and u.role = 'owner' and u.disabled_at is null
    order by u.created_at, u.id limit 1) o on true
  where c.id = wanted
    and (c.owner_id, c.owner_name, c.owner_email) is distinct from (o.id, coalesce(o.name, ''), coalesce(o.email, ''));
end;
create function company_owner_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  call keep_company_owner(new.company_id);
  return null;
end $$;
create trigger company_owner_added after insert on user_account
  for each row when (new.role = 'owner') execute function company_owner_changed();
create trigger company_owner_changed after update of name, email, role, disabled_at on user_account
  for each row when (new.role = 'owner' or old.role = 'owner') execute function company_owner_changed();
revoke execute on procedure keep_company_owner(uuid) from public;

-- Names change in more places than the list's form; each counts, so that whoever edits an older state is told.
create function company_version() returns trigger language plpgsql as $$
begin
  if new.version = old.version
     and (new.name, new.owner_name, new.owner_email, new.external_id)
         is distinct from (old.name, old.owner_name, old.owner_email, old.external_id) then
    new.version = old.version + 1;
  end if;
  return new;
end $$;

update company c set owner_id = o.id, owner_name = o.name, owner_email = o.email
from (select distinct on (company_id) company_id, id, name, email from user_account
      where role = 'owner' and disabled_at is null order by company_id, created_at, id) o
where o.company_id = c.id;

create trigger company_version before update on company for each row execute function company_version();

create index company_list_name on company (parent_id, lower(name), id) where removed_at is null;
create index company_list_owner on company (parent_id, lower(owner_name), id) where removed_at is null;
create index company_list_email on company (parent_id, owner_email, id) where removed_at is null;
create index company_list_created on company (parent_id, created_at, id) where removed_at is null;
create index company_search on company using gin (search gin_trgm_ops) where removed_at is null;

-- Text search. Row level security keeps the planner from an index for LIKE (not leakproof), so the wall is applied in here by
-- hand, from the same scope. At most `most` hits come back, in no order: more than that is no search result.
create function search_companies(pattern text, wanted_parent uuid, most integer)
returns setof uuid language sql stable security definer set search_path = public, pg_temp as $$
  select c.id from company c
  where c.root_id = scope_root()
    and (scope_agency() is null or c.agency_id = scope_agency())
    and (scope_company() is null or c.id = scope_company())
    and c.parent_id = wanted_parent
    and c.removed_at is null
    and c.search like pattern
  limit most
$$;
revoke execute on function search_companies(text, uuid, integer) from public;
grant execute on function search_companies(text, uuid, integer) to lead_app;

-- What the filters ask for.
create index company_billing_manual on company_billing (root_id, company_id) where manual_bill;
create index company_billing_failed on company_billing (root_id, company_id) where payment_status = 'failed';
create index company_billing_api on company_billing (root_id, company_id) where api_mode;
create index campaign_active on campaign (agency_id, company_id) where state = 'active';

-- Since when the developer mode is on: whoever had it before must accept its terms anew.
alter table company_billing add column api_mode_since timestamptz;
