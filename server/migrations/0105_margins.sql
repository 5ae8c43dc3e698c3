-- No lead is sold below what its agency pays unless the agency has chosen it (docs/decisions/0105-prices-below-cost.md).

-- How much below the agency's cost a lead may be sold at this price: what the agency knew when it set it.
alter table retail_cost add column accepted_loss_micros bigint not null default 0 check (accepted_loss_micros >= 0);

-- What becomes of an agency's campaigns when its cost rises above their price; no row: hold.
create table margin_rule (
  company_id uuid primary key,
  root_id    uuid not null,
  agency_id  uuid not null check (agency_id = company_id),
  rule       text not null check (rule in ('hold', 'raise', 'sell')),
  updated_at timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('margin_rule');
grant select, insert, update on margin_rule to lead_app;

-- By how much a lead of each campaign costs its agency more than the client pays and the agency has accepted, with the data
-- that the campaign asks for, or without any (`plain`). Asked in whatever scope, for campaigns of it: a client does not see
-- what its agency pays, and must not be able to make it pay more than it earns. An agency that bills its clients outside, or
-- that sells at any price, has no excess.
create function campaign_excess(ids uuid[], at timestamptz, plain boolean)
returns table (id uuid, excess bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select k.id,
    case when bills_manually(k.agency_id)
              or exists (select from margin_rule g where g.company_id = k.agency_id and g.rule = 'sell')
         then 0 else greatest(0, m.cost - m.price - r.accepted_loss_micros) end
  from campaign k
  join lateral (select * from retail_cost c where c.campaign_id = k.id and c.valid_from <= at
                order by c.valid_from desc, c.serial desc limit 1) r on true
  left join lateral (select lead_micros, lead_advanced_micros from wholesale_cost c
                     where c.company_id = k.agency_id and c.module = k.module and c.term = r.term and c.valid_from <= at
                     order by c.valid_from desc, c.serial desc limit 1) w on true
  cross join lateral (select case when plain then '{}'::smallint[] else k.advance_information end as advanced,
                             case when plain then '{}'::smallint[] else k.b2b_information end as b2b) f
  cross join lateral (
    select lead_price(r.lead_micros, r.lead_advanced_micros, r.lead_b2b_micros, f.advanced, f.b2b) as price,
      greatest(coalesce(case when k.module = 'local' and cardinality(f.advanced) > 0 and w.lead_advanced_micros > 0
                             then w.lead_advanced_micros else w.lead_micros end, 0),
               case when k.module in ('enhance', 'b2b') then root_minimum(k.module, r.term, at) end) as cost) m
  where k.id = any(ids) and k.root_id = scope_root()
    and (scope_agency() is null or k.agency_id = scope_agency())
    and (scope_company() is null or k.company_id = scope_company())
$$;
revoke execute on function campaign_excess(uuid[], timestamptz, boolean) from public;
grant execute on function campaign_excess(uuid[], timestamptz, boolean) to lead_app;

create index campaign_below_cost on campaign (agency_id) where state = 'paused' and state_reason = 'below_cost';

-- What is sold below cost today goes on: its agency is taken to know.
do $$
declare root record;
begin
  for root in select c.id from company c where c.kind = 'root' loop
    perform set_config('scope.root_id', root.id::text, true), set_config('scope.agency_id', '', true),
            set_config('scope.company_id', '', true);
    insert into retail_cost (root_id, agency_id, company_id, campaign_id, module, term, valid_from, recorded_at, lead_micros,
      lead_advanced_micros, lead_b2b_micros, lead_max_micros, month_micros, setup_micros, topup, leads_buy, daily_cap, starts_on,
      ends_on, accepted_loss_micros)
    select r.root_id, r.agency_id, r.company_id, r.campaign_id, r.module, r.term, now(), now(), r.lead_micros,
      r.lead_advanced_micros, r.lead_b2b_micros, r.lead_max_micros, r.month_micros, r.setup_micros, r.topup, r.leads_buy,
      r.daily_cap, r.starts_on, r.ends_on, x.excess
    from campaign_excess(array(select k.id from campaign k where k.root_id = root.id), now(), false) x
    join lateral (select * from retail_cost c where c.campaign_id = x.id and c.valid_from <= now()
                  order by c.valid_from desc, c.serial desc limit 1) r on true
    where x.excess > 0;
  end loop;
  perform set_config('scope.root_id', '', true);
end $$;
