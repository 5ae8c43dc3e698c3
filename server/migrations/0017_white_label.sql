-- What a company tells about itself, at its front door and on its papers.
alter table company
  add column legal_name   text check (length(legal_name) <= 255),
  add column short_name   text check (length(short_name) <= 255),
  add column address      text check (length(address) <= 255),
  add column city         text check (length(city) <= 255),
  add column zip          text check (length(zip) <= 20),
  add column state_code   text check (length(state_code) <= 10),
  add column country_code text check (length(country_code) <= 2),
  add column phone        text check (length(phone) <= 32),
  add column email        text check (length(email) <= 70);

-- Pictures as we encoded them ourselves (platform/image.ts). A row never changes: a new picture is a new id, so that
-- browsers may keep one for ever.
create table picture (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  purpose    text not null check (purpose in ('logo', 'favicon')),
  type       text not null check (type in ('image/png', 'image/jpeg')),
  width      integer not null check (width between 1 and 4096),
  height     integer not null check (height between 1 and 4096),
  bytes      bytea not null check (length(bytes) <= 4194304),
  created_at timestamptz not null,
  unique (root_id, company_id, id),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index picture_by_company on picture (company_id, created_at);
call protect('picture');
grant select, insert, delete on picture to lead_app;

alter table brand add column logo_id uuid, add column favicon_id uuid,
  add foreign key (root_id, company_id, logo_id) references picture (root_id, company_id, id),
  add foreign key (root_id, company_id, favicon_id) references picture (root_id, company_id, id);
drop function front_door(uuid);
alter table brand drop column logo_svg;

-- Settings of a company by name. `value` is null where they live in a table of their own (brand, module labels); the row
-- counts their versions all the same, so that of two editors the later is told.
create table setting (
  company_id uuid not null,
  name       text not null,
  root_id    uuid not null,
  agency_id  uuid,
  value      jsonb,
  version    integer not null check (version > 0),
  updated_at timestamptz not null,
  primary key (company_id, name),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('setting');
grant select, insert, update, delete on setting to lead_app;

-- What kind of host: a root's own, a name under its root's, or a domain that the tenant brought along.
alter table domain add column kind text not null default 'own' check (kind in ('own', 'subdomain', 'custom'));
update domain d set kind = case
    when c.kind = 'root' then 'own'
    when exists (select from domain r where r.company_id = d.root_id and right(d.host, length(r.host) + 1) = '.' || r.host) then 'subdomain'
    else 'custom' end
  from company c where c.id = d.company_id;
alter table domain alter column kind drop default;
create unique index domain_one_subdomain on domain (company_id) where kind = 'subdomain';
create index domain_by_company on domain (company_id);

-- A domain that a tenant says is its own, until the records that prove it are found, and how they fare afterwards.
create table domain_claim (
  company_id      uuid not null,
  host            text not null check (host = lower(host) and length(host) between 1 and 253),
  root_id         uuid not null,
  agency_id       uuid,
  token           text not null,
  status          text not null default 'waiting' check (status in ('waiting', 'verified', 'failing')),
  ownership       text not null default 'unknown' check (ownership in ('unknown', 'found', 'missing', 'wrong', 'unanswered')),
  ownership_found text[] not null default '{}',
  address         text not null default 'unknown' check (address in ('unknown', 'found', 'missing', 'wrong', 'unanswered')),
  address_found   text[] not null default '{}',
  checks          integer not null default 0,
  created_at      timestamptz not null,
  checked_at      timestamptz,
  next_check_at   timestamptz not null,
  verified_at     timestamptz,
  failing_since   timestamptz,
  primary key (company_id, host),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index domain_claim_due on domain_claim (root_id, next_check_at);
call protect('domain_claim');
grant select, insert, update, delete on domain_claim to lead_app;

-- What a tenant's front door shows: its own brand, and its root's where it has none of its own. Whose brand it is tells
-- also whose name and address stand there: nothing of a root shows at the host of an agency with a brand.
create function front_door(wanted uuid)
returns table (name text, tagline text, box_bgcolor text, text_color text, link_color text, template_bgcolor text,
               sidebar_bgcolor text, font_theme text, logo jsonb, favicon jsonb, company_name text, legal_name text,
               short_name text, address text, city text, zip text, state_code text, country_code text, phone text,
               email text, subdomain text, master_id uuid, modules jsonb, root_modules jsonb)
language sql stable security definer set search_path = public, pg_temp as $$
  with labels as (
    select m.company_id, jsonb_object_agg(m.module, jsonb_build_object('name', m.name, 'slug', m.slug)) as own
    from module_label m join company c on c.id = wanted and m.company_id in (c.id, c.root_id) group by m.company_id
  )
  select b.name, b.tagline, b.box_bgcolor, b.text_color, b.link_color, b.template_bgcolor, b.sidebar_bgcolor, b.font_theme,
         (select jsonb_build_object('id', p.id, 'type', p.type, 'width', p.width, 'height', p.height) from picture p where p.id = b.logo_id),
         (select jsonb_build_object('id', p.id, 'type', p.type, 'width', p.width, 'height', p.height) from picture p where p.id = b.favicon_id),
         o.name, o.legal_name, o.short_name, o.address, o.city, o.zip, o.state_code, o.country_code, o.phone, o.email,
         (select d.host from domain d where d.company_id = c.id and d.kind = 'subdomain' and d.verified_at is not null limit 1),
         (select m.id from company m where m.is_master limit 1),
         coalesce((select own from labels where company_id = c.root_id), '{}') || coalesce((select own from labels where company_id = c.id), '{}'),
         coalesce((select own from labels where company_id = c.root_id), '{}')
  from company c
  join lateral (select * from brand where brand.company_id in (c.id, c.root_id)
                order by (brand.company_id = c.id) desc limit 1) b on true
  join company o on o.id = b.company_id
  where c.id = wanted
$$;

-- A logo or favicon, for whoever stands at the host of its company or of one that shows that company's brand.
create function front_picture(wanted uuid, at_company uuid)
returns table (type text, bytes bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.type, p.bytes from picture p join company c on c.id = at_company and p.company_id in (c.id, c.root_id)
  where p.id = wanted and c.removed_at is null
$$;

-- The code that an agency puts into the pages of its own host; it is in those pages for everybody to read.
create function front_embed(wanted uuid) returns jsonb
language sql stable security definer set search_path = public, pg_temp as $$
  select s.value from setting s join company c on c.id = s.company_id
  where s.company_id = wanted and s.name = 'rootAgencyEmbeddedCode' and c.kind = 'agency' and c.removed_at is null
$$;

-- Whether a host belongs to somebody else, or lies within a root's own domain: then a tenant cannot bring it along.
create function host_is_taken(wanted text, by_company uuid) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from domain where host = wanted and company_id <> by_company)
$$;
create function host_is_of_a_root(wanted text) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from domain d where d.kind = 'own' and (wanted = d.host or right(wanted, length(d.host) + 1) = '.' || d.host))
$$;
-- The host of a root, below which its agencies' subdomains are.
create function root_host(wanted uuid) returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select host from domain where company_id = wanted and kind = 'own' and verified_at is not null order by is_primary desc, created_at limit 1
$$;

revoke execute on function front_door(uuid), front_picture(uuid, uuid), front_embed(uuid), host_is_taken(text, uuid), host_is_of_a_root(text), root_host(uuid) from public;
grant execute on function front_door(uuid), front_picture(uuid, uuid), front_embed(uuid), host_is_taken(text, uuid), host_is_of_a_root(text), root_host(uuid) to lead_app;
