-- What things cost, by module and payment term. Every change is a new row with the instant from which it counts, which is
-- never before it was made: the past is not rewritten (docs/decisions/0034-costs.md). Of rows that count from the same
-- instant the newest holds.

-- What a root asks of an agency (company_id the agency), and the least it asks of any (company_id the root).
create table wholesale_cost (
  serial      bigint generated always as identity primary key,
  root_id     uuid not null,
  agency_id   uuid,
  company_id  uuid not null,
  module      text not null check (module in ('local', 'locator', 'enhance', 'b2b', 'simplifi')),
  term        text not null check (term in ('Weekly', 'Monthly', 'One Time', 'Prepaid')),
  valid_from  timestamptz not null,
  recorded_at timestamptz not null,
  setup_micros         bigint not null check (setup_micros >= 0),
  month_micros         bigint not null check (month_micros >= 0),
  lead_micros          bigint not null check (lead_micros >= 0),
  lead_advanced_micros bigint not null check (lead_advanced_micros >= 0),
  foreign key (root_id, company_id) references company (root_id, id),
  check (valid_from >= recorded_at)
);
create index wholesale_cost_at on wholesale_cost (company_id, module, term, valid_from desc, serial desc);
call protect('wholesale_cost');
call append_only('wholesale_cost');
-- Nobody sets what they pay themselves.
create policy asked_by_root on wholesale_cost as restrictive for insert to lead_agency, lead_client with check (false);
grant select, insert on wholesale_cost to lead_app;

-- The cost of a lead had no term so far: it is that of every term.
insert into wholesale_cost (root_id, agency_id, company_id, module, term, valid_from, recorded_at, setup_micros, month_micros, lead_micros, lead_advanced_micros)
select c.root_id, c.agency_id, c.agency_id, c.module, t.term, c.valid_from, c.valid_from, 0, 0, c.cost_micros, 0
from lead_cost c cross join (values ('Weekly'), ('Monthly'), ('One Time'), ('Prepaid')) t (term) order by c.valid_from;
drop table lead_cost;

-- The least that a root asks for a lead, which its agencies may know although they do not see its rows.
create function root_minimum(wanted_module text, wanted_term text, at timestamptz) returns bigint
language sql stable security definer set search_path = public, pg_temp as $$
  select case when wanted_module in ('enhance', 'b2b') and scope_company() is null then
    (select w.lead_micros from wholesale_cost w
     where w.company_id = scope_root() and w.module = wanted_module and w.term = wanted_term and w.valid_from <= at
     order by w.valid_from desc, w.serial desc limit 1) end
$$;
revoke execute on function root_minimum(text, text, timestamptz) from public;
grant execute on function root_minimum(text, text, timestamptz) to lead_app;

-- What an agency asks of a client: for one campaign, or (campaign_id null) for the client's next campaign of a module.
create table retail_cost (
  serial      bigint generated always as identity primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  campaign_id uuid,
  module      text not null check (module in ('local', 'locator', 'enhance', 'b2b', 'simplifi')),
  term        text not null check (term in ('Weekly', 'Monthly', 'One Time', 'Prepaid')),
  valid_from  timestamptz not null,
  recorded_at timestamptz not null,
  lead_micros          bigint not null check (lead_micros >= 0),
  lead_advanced_micros bigint not null default 0 check (lead_advanced_micros >= 0),
  lead_b2b_micros      bigint not null default 0 check (lead_b2b_micros >= 0),
  lead_max_micros      bigint not null default 0 check (lead_max_micros >= 0), -- 0: none
  month_micros         bigint not null default 0 check (month_micros >= 0),
  setup_micros         bigint not null default 0 check (setup_micros >= 0),
  topup       text not null default 'onetime' check (topup in ('onetime', 'continual')),
  leads_buy   integer check (leads_buy > 0),
  daily_cap   integer check (daily_cap > 0),
  starts_on   date,
  ends_on     date,
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  check (valid_from >= recorded_at),
  check (ends_on >= starts_on),
  check (campaign_id is null or (daily_cap is null and starts_on is null and ends_on is null))
);
create index retail_cost_of_campaign on retail_cost (campaign_id, valid_from desc, serial desc) where campaign_id is not null;
create index retail_cost_of_client on retail_cost (company_id, module, valid_from desc, serial desc) where campaign_id is null;
call protect('retail_cost');
call append_only('retail_cost');
grant select, insert on retail_cost to lead_app;

insert into retail_cost (root_id, agency_id, company_id, campaign_id, module, term, valid_from, recorded_at, lead_micros)
select root_id, agency_id, company_id, id, module, 'Prepaid', created_at, created_at, price_micros from campaign order by created_at, id;
alter table campaign drop column price_micros;

-- Plans of minimum spend, a root's own. What a plan asks is in minspend_amount, by date.
create table minspend_plan (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  name       text not null check (length(name) between 1 and 255),
  is_default boolean not null default false,
  version    integer not null default 1,
  created_at timestamptz not null,
  removed_at timestamptz,
  unique (root_id, id),
  check (not (is_default and removed_at is not null)),
  foreign key (root_id, company_id) references company (root_id, id)
);
create unique index minspend_plan_one_default on minspend_plan (company_id) where is_default;
create unique index minspend_plan_name on minspend_plan (company_id, lower(name)) where removed_at is null;
call protect('minspend_plan');
grant select, insert, update on minspend_plan to lead_app;

create table minspend_amount (
  serial     bigint generated always as identity primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  plan_id    uuid not null,
  valid_from timestamptz not null,
  months     bigint[] not null, -- micro-dollars of an agency's first, second, … month
  flat       bigint not null check (flat >= 0), -- of every month after those
  foreign key (root_id, plan_id) references minspend_plan (root_id, id)
);
create index minspend_amount_at on minspend_amount (plan_id, valid_from desc, serial desc);
call protect('minspend_amount');
call append_only('minspend_amount');
grant select, insert on minspend_amount to lead_app;

-- Which plan an agency has from an instant on; null: its root's default.
create table minspend_choice (
  serial     bigint generated always as identity primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  plan_id    uuid,
  valid_from timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, plan_id) references minspend_plan (root_id, id)
);
create index minspend_choice_at on minspend_choice (company_id, valid_from desc, serial desc);
call protect('minspend_choice');
call append_only('minspend_choice');
create policy chosen_by_root on minspend_choice as restrictive for insert to lead_agency, lead_client with check (false);
grant select, insert on minspend_choice to lead_app;

-- Coupons of a root. Each use is a row, one an agency, so that no coupon is used too often.
create table coupon (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid,
  company_id   uuid not null,
  code         text not null check (code ~ '^[A-Z0-9_-]{4,40}$'),
  percent      numeric(5,2) check (percent > 0 and percent <= 100),
  amount_micros bigint check (amount_micros > 0),
  max_uses     integer check (max_uses > 0),
  uses         integer not null default 0 check (uses >= 0 and (max_uses is null or uses <= max_uses)),
  expires_at   timestamptz,
  created_at   timestamptz not null,
  removed_at   timestamptz,
  unique (root_id, id),
  check ((percent is null) <> (amount_micros is null)),
  foreign key (root_id, company_id) references company (root_id, id)
);
create unique index coupon_by_code on coupon (root_id, code) where removed_at is null;
create index coupon_by_company on coupon (company_id, created_at desc, id);
call protect('coupon');
grant select, insert, update on coupon to lead_app;

create table coupon_use (
  coupon_id  uuid not null,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  used_at    timestamptz not null,
  primary key (coupon_id, agency_id),
  foreign key (root_id, coupon_id) references coupon (root_id, id),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index coupon_use_by_company on coupon_use (company_id);
call protect('coupon_use');
call append_only('coupon_use');
grant select, insert on coupon_use to lead_app;

-- A coupon of the own root, asked by its code: an agency sees no list of them.
create function coupon_by_code(wanted text)
returns table (id uuid, code text, percent numeric, amount_micros bigint, max_uses integer, uses integer, expires_at timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.id, c.code, c.percent, c.amount_micros, c.max_uses, c.uses, c.expires_at from coupon c
  where c.root_id = scope_root() and scope_company() is null and c.code = wanted and c.removed_at is null
$$;
-- The same for an agency's plan of minimum spend: its own, else its root's default. Amounts are those of the instant.
create function minspend_of(wanted uuid, at timestamptz)
returns table (id uuid, name text, is_default boolean, months bigint[], flat bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.id, p.name, p.is_default, a.months, a.flat
  from company c
  left join lateral (select plan_id from minspend_choice o where o.company_id = c.id and o.valid_from <= at
                     order by o.valid_from desc, o.serial desc limit 1) chosen on true
  join minspend_plan p on p.root_id = c.root_id and p.removed_at is null
    and p.id = coalesce(chosen.plan_id, (select d.id from minspend_plan d where d.root_id = c.root_id and d.is_default))
  join lateral (select m.months, m.flat from minspend_amount m where m.plan_id = p.id and m.valid_from <= at
                order by m.valid_from desc, m.serial desc limit 1) a on true
  where c.id = wanted and c.kind = 'agency' and c.root_id = scope_root() and scope_company() is null
    and (scope_agency() is null or scope_agency() = c.id)
$$;
revoke execute on function coupon_by_code(text), minspend_of(uuid, timestamptz) from public;
grant execute on function coupon_by_code(text), minspend_of(uuid, timestamptz) to lead_app;
