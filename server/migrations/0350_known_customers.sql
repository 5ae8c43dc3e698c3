-- Known customers (docs/decisions/0350-known-customers.md): lists of people who are never charged for, but told of.
alter table exclusion_list
  add column use text not null default 'exclude' check (use in ('exclude', 'customers')),
  -- Where its entries come from; null: a file.
  add column connection_id uuid,
  add column refreshed_at timestamptz,
  -- Why the last refresh failed; the entries from before it stay.
  add column refresh_error text,
  add check (use = 'exclude' or level in ('client', 'campaign')),
  add check (connection_id is null or use = 'customers'),
  add foreign key (root_id, connection_id) references connection (root_id, id);
create index exclusion_list_connected on exclusion_list (root_id) where connection_id is not null and state = 'active';
-- What a client's list of customers calls who it is: all that an alert may say.
alter table exclusion add column label text;

create or replace function excluded_keys(owners uuid[], kinds smallint[], vals bytea[])
returns setof bigint language sql stable security definer set search_path = public, pg_temp as $$
  select k.n from unnest(owners, kinds, vals) with ordinality k (owner, kind, value, n)
  cross join lateral (
    select from exclusion e
    where e.owner_id = k.owner and e.kind = k.kind and e.value = k.value and e.root_id = scope_root()
      and exists (select from exclusion_list l where l.id = e.list_id and l.state = 'active' and l.use = 'exclude')
    limit 1) hit
$$;

create or replace function exclusions_in_force(owners uuid[])
returns table (owner_id uuid, emails bigint, phones bigint, domains bigint, md5_only bigint, sha256_only bigint, aliases bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select l.owner_id, sum(l.emails)::bigint, sum(l.phones)::bigint, sum(l.domains)::bigint, sum(l.md5_only)::bigint,
         sum(l.sha256_only)::bigint, coalesce(sum(l.emails) filter (where l.ignore_aliases), 0)::bigint
  from exclusion_list l
  where l.owner_id = any(owners) and l.root_id = scope_root() and l.state = 'active' and l.use = 'exclude'
  group by l.owner_id
$$;

-- When known customers were on a client's site: one row a visit. Kept 30 days, and no longer than their list.
create table customer_visit (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  campaign_id uuid not null,
  list_id     uuid not null,
  person_id   uuid not null,
  label       text not null, -- As the client's list has it.
  page_url    text,          -- The last one viewed.
  first_at    timestamptz not null,
  at          timestamptz not null,
  unique (root_id, id),
  foreign key (root_id, campaign_id) references campaign (root_id, id),
  foreign key (root_id, list_id) references exclusion_list (root_id, id)
);
create index customer_visit_by_company on customer_visit (company_id, at desc, id desc);
create index customer_visit_by_person on customer_visit (campaign_id, person_id, at desc);
create index customer_visit_by_list on customer_visit (list_id);
create index customer_visit_old on customer_visit (root_id, at);
call protect('customer_visit');
grant select, insert, update, delete on customer_visit to lead_app;

alter table alert drop constraint alert_trigger_check,
  add constraint alert_trigger_check check (trigger in ('lead', 'return', 'lead_or_return', 'number', 'customer'));
alter table alert_event
  add column customer_visit_id uuid,
  drop constraint alert_event_kind_check,
  add constraint alert_event_kind_check check (kind in ('new', 'returned', 'seen', 'number', 'customer')),
  drop constraint alert_event_check,
  add constraint alert_event_check check (
    (kind in ('number', 'customer')) = (lead_id is null) and (kind = 'number') = (count is not null)
    and (kind = 'customer') = (customer_visit_id is not null));
