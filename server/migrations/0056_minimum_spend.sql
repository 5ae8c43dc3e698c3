-- What became of each month of an agency's minimum spend, and how far the months of a root are decided
-- (docs/decisions/0056-minimum-spend.md).
create table minspend_month (
  root_id          uuid not null,
  agency_id        uuid not null,
  company_id       uuid not null,
  month            date not null check (extract(day from month) = 1),
  life             integer not null check (life > 0), -- 1: the month in which the agency began
  plan_name        text not null, -- as it was called then
  asked_micros     bigint not null check (asked_micros >= 0),
  spent_micros     bigint not null,
  shortfall_micros bigint not null check (shortfall_micros >= 0 and shortfall_micros % 10000 = 0), -- whole cents
  outcome          text not null check (outcome in ('met', 'excluded', 'charged')),
  transfer_id      uuid references transfer (id),
  decided_at       timestamptz not null,
  primary key (company_id, month),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id),
  check (company_id = agency_id),
  check ((outcome = 'charged') = (transfer_id is not null)),
  check (outcome <> 'charged' or shortfall_micros > 0)
);
call protect('minspend_month');
call append_only('minspend_month');
-- Nobody decides on their own month.
create policy decided_by_root on minspend_month as restrictive for insert to lead_agency, lead_client with check (false);
grant select, insert on minspend_month to lead_app;

create table minspend_close (
  root_id    uuid primary key,
  agency_id  uuid,
  company_id uuid not null,
  next_month date not null check (extract(day from next_month) = 1), -- the first that is not decided yet
  foreign key (root_id, company_id) references company (root_id, id),
  check (company_id = root_id)
);
call protect('minspend_close');
grant select, insert, update on minspend_close to lead_app;

-- As before, but a plan that was removed since still holds for the instants before.
create or replace function minspend_of(wanted uuid, at timestamptz)
returns table (id uuid, name text, is_default boolean, months bigint[], flat bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.id, p.name, p.is_default, a.months, a.flat
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
