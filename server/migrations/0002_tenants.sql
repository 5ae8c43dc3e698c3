create table company (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  parent_id  uuid,
  kind       text not null check (kind in ('root', 'agency', 'client')),
  is_master  boolean not null default false,
  name       text not null check (length(name) between 1 and 255),
  time_zone  text not null default 'America/Chicago',
  created_at timestamptz not null,
  removed_at timestamptz,
  unique (root_id, id),
  unique (root_id, agency_id, id),
  foreign key (root_id) references company (id) deferrable initially deferred,
  foreign key (root_id, agency_id) references company (root_id, id) deferrable initially deferred,
  foreign key (root_id, parent_id) references company (root_id, id) deferrable initially deferred,
  check (case kind
    when 'root' then root_id = id and agency_id is null and parent_id is null
    when 'agency' then agency_id = id and parent_id = root_id and not is_master
    else agency_id is not null and agency_id <> id and parent_id = agency_id and not is_master end)
);
create unique index company_one_master on company (is_master) where is_master;
create index company_by_parent on company (root_id, parent_id, name, id);
create index company_by_agency on company (agency_id, kind, name, id);
call protect('company', 'id');

-- Which host belongs to whom. The host decides the tenant before anybody has signed in.
create table domain (
  host        text primary key check (host = lower(host) and length(host) between 1 and 253),
  root_id     uuid not null,
  agency_id   uuid,
  company_id  uuid not null,
  is_primary  boolean not null default false,
  verified_at timestamptz,
  created_at  timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
create unique index domain_one_primary on domain (company_id) where is_primary;
call protect('domain');

create table brand (
  company_id       uuid primary key,
  root_id          uuid not null,
  agency_id        uuid,
  name             text not null,
  tagline          text,
  box_bgcolor      text,
  text_color       text,
  link_color       text,
  template_bgcolor text,
  sidebar_bgcolor  text,
  font_theme       text,
  logo_svg         text,
  updated_at       timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('brand');

create table module_label (
  company_id uuid not null,
  module     text not null check (module in ('local', 'locator', 'enhance', 'b2b', 'simplifi')),
  root_id    uuid not null,
  agency_id  uuid,
  name       text not null,
  slug       text not null check (slug ~ '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$'),
  primary key (company_id, module),
  unique (company_id, slug),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('module_label');

-- Read before any scope is known: only what a stranger at the host's front door may see anyway.
create function tenant_by_host(wanted text)
returns table (host text, company_id uuid, kind text, root_id uuid, agency_id uuid, company_name text, time_zone text)
language sql stable security definer set search_path = public, pg_temp as $$
  select d.host, c.id, c.kind, c.root_id, c.agency_id, c.name, c.time_zone
  from domain d join company c on c.id = d.company_id
  where d.host = lower(wanted) and d.verified_at is not null and c.removed_at is null
$$;

-- What a tenant's front door shows: its own brand, and its root's where it has none of its own.
create function front_door(wanted uuid)
returns table (name text, tagline text, box_bgcolor text, text_color text, link_color text, template_bgcolor text,
               sidebar_bgcolor text, font_theme text, logo_svg text, modules jsonb)
language sql stable security definer set search_path = public, pg_temp as $$
  select b.name, b.tagline, b.box_bgcolor, b.text_color, b.link_color, b.template_bgcolor, b.sidebar_bgcolor,
         b.font_theme, b.logo_svg,
         coalesce((select jsonb_object_agg(coalesce(own.module, base.module),
                          jsonb_build_object('name', coalesce(own.name, base.name), 'slug', coalesce(own.slug, base.slug)))
                   from (select * from module_label m where m.company_id = c.root_id) base
                   full join (select * from module_label m where m.company_id = c.id) own on own.module = base.module), '{}')
  from company c
  join lateral (select * from brand where brand.company_id in (c.id, c.root_id)
                order by (brand.company_id = c.id) desc limit 1) b on true
  where c.id = wanted
$$;

create function roots() returns setof uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select id from company where kind = 'root' and removed_at is null order by is_master desc, created_at
$$;

-- The host on which a company's pages and scripts are served: its own, its agency's, its root's.
create function primary_host(wanted uuid) returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select d.host from company c
  join domain d on d.company_id in (c.id, c.agency_id, c.root_id) and d.verified_at is not null
  where c.id = wanted
  order by (d.company_id = c.id) desc, (d.company_id = c.agency_id) desc, d.is_primary desc, d.created_at
  limit 1
$$;
