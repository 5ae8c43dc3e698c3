-- The minimum spend that a root asks of agencies without a plan of their own, as it was announced to each of them and
-- accepted: nothing is charged of it before (docs/decisions/0161-minimum-spend-offers.md).
create table minspend_offer (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  name         text not null, -- as the plan was called then
  months       bigint[] not null, -- micro-dollars of an agency's first, second, … month
  flat         bigint not null check (flat >= 0), -- of every month after those
  announced_at timestamptz not null,
  reminded_at  timestamptz,
  accepted_at  timestamptz,
  accepted_by  uuid,
  withdrawn_at timestamptz, -- another one, or none, took its place before it was accepted
  check ((accepted_at is null) = (accepted_by is null)),
  check (accepted_at is null or withdrawn_at is null),
  check (company_id = agency_id),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
create unique index minspend_offer_open on minspend_offer (company_id) where accepted_at is null and withdrawn_at is null;
create index minspend_offer_accepted on minspend_offer (company_id, accepted_at desc) where accepted_at is not null;
create index minspend_offer_by_root on minspend_offer (root_id, announced_at desc, id desc) where withdrawn_at is null;
call protect('minspend_offer');
grant select, insert, update (reminded_at, accepted_at, accepted_by, withdrawn_at) on minspend_offer to lead_app;
-- Nobody announces to themselves; what is accepted is written in the root's scope.
create policy announced_by_root on minspend_offer as restrictive for insert to lead_agency, lead_client with check (false);
create policy changed_in_root on minspend_offer as restrictive for update to lead_agency, lead_client using (false);

-- As before; is_own: the agency was given the plan, which is not merely its root's default.
drop function minspend_of(uuid, timestamptz);
create function minspend_of(wanted uuid, at timestamptz)
returns table (id uuid, name text, is_default boolean, is_own boolean, months bigint[], flat bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.id, p.name, p.is_default, chosen.plan_id is not null, a.months, a.flat
  from company c
  left join lateral (select plan_id from minspend_choice o where o.company_id = c.id and o.valid_from <= at
                     order by o.valid_from desc, o.serial desc limit 1) chosen on true
  join minspend_plan p on p.root_id = c.root_id and (p.removed_at is null or p.removed_at > at)
    and p.id = coalesce(chosen.plan_id, (select d.id from minspend_plan d where d.root_id = c.root_id and d.is_default))
  join lateral (select m.months, m.flat from minspend_amount m where m.plan_id = p.id and m.valid_from <= at
                order by m.valid_from desc, m.serial desc limit 1) a on true
  where c.id = wanted and c.kind = 'agency' and c.root_id = scope_root() and scope_company() is null
    and (scope_agency() is null or scope_agency() = c.id)
$$;
revoke execute on function minspend_of(uuid, timestamptz) from public;
grant execute on function minspend_of(uuid, timestamptz) to lead_app;
