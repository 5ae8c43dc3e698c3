-- ─── accounts/tenants ────────────────────────────────────────────────────────────────────────────────────────────────

-- The tree of tenants: roots own agencies, and agencies own clients.
create table company (
  id                uuid primary key,
  root_id           uuid not null,
  agency_id         uuid,
  parent_id         uuid,
  kind              text not null check (kind in ('root', 'agency', 'client')),
  is_master         boolean not null default false,
  name              text not null check (length(name) between 1 and 255),
  time_zone         text not null default 'America/Chicago',
  created_at        timestamptz not null,
  removed_at        timestamptz,
  registration_open boolean not null default false,
  -- What a company says about itself, at its front door and on its papers.
  legal_name        text check (length(legal_name) <= 255),
  short_name        text check (length(short_name) <= 255),
  address           text check (length(address) <= 255),
  city              text check (length(city) <= 255),
  zip               text check (length(zip) <= 20),
  state_code        text check (length(state_code) <= 10),
  country_code      text check (length(country_code) <= 2),
  phone             text check (length(phone) <= 32),
  email             text check (length(email) <= 70),
  -- The owner that lists show, maintained by a trigger on user_account and erased with that account. It is stored here
  -- so that a page of 10,000 agencies is one range of one index, whatever it is sorted by.
  owner_id          uuid,
  owner_name        text not null default '',
  owner_email       text not null default '',
  external_id       text not null default '' check (length(external_id) <= 255), -- The company's id in another system.
  version           integer not null default 1, -- Tells an editor that someone else has saved in the meantime.
  search            text generated always as (lower(name || ' ' || owner_name || ' ' || owner_email)) stored,
  phones_off        boolean not null default false, -- For a client: leads are shown without phone numbers.
  sheet_editor      boolean not null default false, -- For a client: those who receive its spreadsheets may edit them.
  -- Who must have a second factor, and from which day on in the company's own time zone.
  factor_people     boolean not null default false,
  factor_owners     boolean not null default false,
  factor_from       date,
  industry          text not null default '', -- For a client: the industry it is in, in its agency's words.
  unique (root_id, id),
  unique (root_id, agency_id, id),
  foreign key (root_id) references company (id) deferrable initially deferred,
  foreign key (root_id, agency_id) references company (root_id, id) deferrable initially deferred,
  foreign key (root_id, parent_id) references company (root_id, id) deferrable initially deferred,
  check (case kind
    when 'root' then root_id = id and agency_id is null and parent_id is null
    when 'agency' then agency_id = id and parent_id = root_id and not is_master
    else agency_id is not null and agency_id <> id and parent_id = agency_id and not is_master end),
  constraint company_client_only check (kind = 'client' or not (phones_off or sheet_editor)),
  constraint company_industry check (industry = '' or kind = 'client' and char_length(industry) <= 255)
);
create unique index company_one_master on company (is_master) where is_master;
create index company_by_parent on company (root_id, parent_id, name, id);
create index company_by_agency on company (agency_id, kind, name, id);
create index company_search on company using gin (search gin_trgm_ops) where removed_at is null;
-- A page of a list and its total are read from one index alone, which also contains what row level security compares,
-- for 10,000 agencies and 200,000 clients (bench/companies.ts).
create index company_list_name on company (parent_id, lower(name), id, kind, root_id, agency_id) include (name)
  where removed_at is null;
create index company_list_owner on company (parent_id, lower(owner_name), id, kind, root_id, agency_id) include (owner_name)
  where removed_at is null;
create index company_list_email on company (parent_id, owner_email, id, kind, root_id, agency_id) where removed_at is null;
create index company_list_created on company (parent_id, created_at, id, kind, root_id, agency_id) where removed_at is null;
-- Searches only among the companies of one list.
create index company_list_search on company using gin (parent_id, search gin_trgm_ops) where removed_at is null;
call protect('company', 'id');
grant select, insert, update on company to lead_app;

-- Names change in more places than the list's form. Each change counts, so that whoever edits an older state is told.
create function company_version() returns trigger language plpgsql as $$
begin
  if new.version = old.version
     and (new.name, new.owner_name, new.owner_email, new.external_id)
         is distinct from (old.name, old.owner_name, old.owner_email, old.external_id) then
    new.version = old.version + 1;
  end if;
  return new;
end $$;
create trigger company_version before update on company for each row execute function company_version();

-- Which host belongs to whom. The host decides the tenant before anyone has signed in.
create table domain (
  host           text primary key check (host = lower(host) and length(host) between 1 and 253),
  root_id        uuid not null,
  agency_id      uuid,
  company_id     uuid not null,
  is_primary     boolean not null default false,
  verified_at    timestamptz,
  created_at     timestamptz not null,
  -- A root's own host, a subdomain of its root's, a domain that the tenant brought, or a subdomain that was given up.
  kind           text not null check (kind in ('own', 'subdomain', 'custom', 'former')),
  -- A subdomain that an agency gave up stays reserved for a while: saved links and sign-ins must not end at someone
  -- else's.
  reserved_until timestamptz,
  foreign key (root_id, company_id) references company (root_id, id),
  constraint domain_former_check check ((kind = 'former') = (reserved_until is not null)),
  constraint domain_former_unserved_check check (kind <> 'former' or (verified_at is null and not is_primary))
);
create unique index domain_one_primary on domain (company_id) where is_primary;
create unique index domain_one_subdomain on domain (company_id) where kind = 'subdomain';
create index domain_by_company on domain (company_id);
create index domain_former on domain (root_id, reserved_until) where kind = 'former';
call protect('domain');
grant select, insert, update, delete on domain to lead_app;

-- Pictures as we encoded them ourselves (server/platform/image.ts). A row never changes: a new picture has a new id, so
-- browsers may cache it forever.
create table picture (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  -- A profile picture is shown at its root's hosts to anyone who knows the id, which only the pages of those who may
  -- see the person contain.
  purpose    text not null check (purpose in ('logo', 'favicon', 'profile')),
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

-- How a company's pages look. Without a row, they look like its root's.
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
  updated_at       timestamptz not null,
  logo_id          uuid,
  favicon_id       uuid,
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, company_id, logo_id) references picture (root_id, company_id, id),
  foreign key (root_id, company_id, favicon_id) references picture (root_id, company_id, id)
);
call protect('brand');
grant select, insert, update, delete on brand to lead_app;

-- A company's own names and addresses for the modules.
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
grant select, insert, update, delete on module_label to lead_app;

-- The modules and payment terms of a company; null: everything that the company above it has.
create table company_products (
  company_id uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  modules    text[] check (modules <@ array['local', 'locator', 'enhance', 'b2b', 'simplifi']),
  terms      text[] check (terms <@ array['Weekly', 'Monthly', 'One Time', 'Prepaid']),
  updated_at timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('company_products');
grant select, insert, update on company_products to lead_app;

-- Features in trial whose state a root has changed (server/features/accounts/tenants/products.policy.ts has the
-- defaults).
create table beta_feature (
  root_id    uuid not null,
  feature    smallint not null check (feature between 1 and 3),
  agency_id  uuid,
  company_id uuid not null,
  is_beta    boolean not null,
  for_all    boolean not null,
  updated_at timestamptz not null,
  primary key (root_id, feature),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('beta_feature');
grant select, insert, update on beta_feature to lead_app;

-- The companies that try them.
create table beta_user (
  company_id uuid primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  created_at timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('beta_user');
grant select, insert, update, delete on beta_user to lead_app;

-- Read before any scope is known, so it returns only what a stranger at the host's front door may see anyway.
create function tenant_by_host(wanted text)
returns table (host text, company_id uuid, kind text, root_id uuid, agency_id uuid, company_name text, time_zone text)
language sql stable security definer set search_path = public, pg_temp as $$
  select d.host, c.id, c.kind, c.root_id, c.agency_id, c.name, c.time_zone
  from domain d join company c on c.id = d.company_id
  where d.host = lower(wanted) and d.verified_at is not null and c.removed_at is null
    and (d.kind <> 'custom' or wears_own(c.id))
$$;

-- What a tenant's front door shows: its own brand, or its root's if it has none. The name and address follow the brand,
-- so the host of an agency with a brand shows nothing of its root.
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
  join lateral (select * from brand
                where brand.company_id = c.root_id or (brand.company_id = c.id and wears_own(c.id))
                order by (brand.company_id = c.id) desc limit 1) b on true
  join company o on o.id = b.company_id
  where c.id = wanted
$$;

-- A logo or favicon, for anyone at the host of its company or of one that shows that company's brand. Those who view as
-- someone below them stay at their own company's host and see the brand of the company that they view.
create function front_picture(wanted uuid, at_company uuid)
returns table (type text, bytes bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.type, p.bytes
  from picture p join company c on c.id = at_company
  where p.id = wanted and c.removed_at is null
    and (p.company_id in (c.id, c.root_id)
         or (p.purpose <> 'profile'
             and exists (select from company below
                         where below.id = p.company_id and below.removed_at is null
                           and c.id in (below.root_id, below.agency_id))))
$$;

-- A profile picture, at any host of its root.
create function profile_picture(wanted uuid, at_root uuid)
returns table (type text, bytes bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.type, p.bytes from picture p where p.id = wanted and p.root_id = at_root and p.purpose = 'profile'
$$;

-- The modules that a root has chosen, for its front door; null: all of them.
create function chosen_modules(wanted uuid) returns text[]
language sql stable security definer set search_path = public, pg_temp as $$
  select p.modules from company_products p join company c on c.id = p.company_id
  where c.id = wanted and c.kind = 'root' and c.removed_at is null
$$;

-- For background work, which begins outside of any scope.
create function roots() returns setof uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select id from company where kind = 'root' and removed_at is null order by is_master desc, created_at
$$;

-- Whether the installation still has to be set up.
create function no_root_yet() returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select not exists (select from company where kind = 'root')
$$;

-- The host that serves a company's pages and scripts: its own, its agency's, or its root's.
create function primary_host(wanted uuid) returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select d.host from company c
  join domain d on d.company_id in (c.id, c.agency_id, c.root_id) and d.verified_at is not null
  where c.id = wanted
  order by (d.company_id = c.id) desc, (d.company_id = c.agency_id) desc, d.is_primary desc, d.created_at
  limit 1
$$;

-- The host of a root, below which its agencies' subdomains are.
create function root_host(wanted uuid) returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select host from domain where company_id = wanted and kind = 'own' and verified_at is not null order by is_primary desc, created_at limit 1
$$;

-- Whether a host belongs to someone else: then no tenant can bring it.
create function host_is_taken(wanted text, by_company uuid) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from domain where host = wanted and company_id <> by_company)
$$;

-- Whether a host is within a root's own domain: then no tenant can bring it either.
create function host_is_of_a_root(wanted text) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from domain d where d.kind = 'own' and (wanted = d.host or right(wanted, length(d.host) + 1) = '.' || d.host))
$$;

-- Periods end by the days of this zone, which agencies and clients may know.
create function root_zone() returns text
language sql stable security definer set search_path = public, pg_temp as $$ select time_zone from company where id = scope_root() $$;

-- Whether the transaction's scope may see a company.
create function scope_sees(wanted uuid) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from company c where c.id = wanted and c.root_id = scope_root()
    and (scope_agency() is null or c.agency_id = scope_agency()) and (scope_company() is null or c.id = scope_company()))
$$;

-- All roots with their hosts and owners, for the master root only, which sees no other row of theirs.
create function root_list(pattern text, most integer, skip integer)
returns table (id uuid, name text, host text, owner_name text, owner_email text, agencies bigint, created_at timestamptz,
               is_master boolean, total bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.id, c.name, primary_host(c.id), c.owner_name, c.owner_email,
         (select count(*) from company a where a.root_id = c.id and a.kind = 'agency' and a.removed_at is null),
         c.created_at, c.is_master, count(*) over ()
  from company c
  where c.kind = 'root' and c.removed_at is null and c.search like pattern
    and scope_agency() is null
    and exists (select from company m where m.id = scope_root() and m.is_master)
  order by c.is_master desc, lower(c.name), c.id
  limit most offset skip
$$;

-- Search by name over a whole scope (docs/decisions/0060-search.md). Row level security keeps the planner from using an
-- index for LIKE (it is not leakproof), so the scope is applied here, by hand. There are two patterns because two
-- letters have no trigram: they are looked for at the beginning of a word. Returns at most `most` hits, in no order:
-- more than that is not a search result.
create function find_companies(pattern text, other text, most integer)
returns setof uuid language sql stable security definer set search_path = public, pg_temp as $$
  select c.id from company c
  where c.root_id = scope_root()
    and (scope_agency() is null or c.agency_id = scope_agency())
    and (scope_company() is null or c.id = scope_company())
    and c.kind <> 'root'
    and c.removed_at is null
    and (c.search like pattern or c.search like other)
  limit most
$$;

-- Search of the agency or client list, also by the phone number of an owner, and of agencies also by their clients. The
-- scope is applied by hand, as in find_companies. `digits` is a pattern of digits only; null: the text cannot be a
-- phone number.
create function search_company_list(pattern text, digits text, wanted_parent uuid, most integer)
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
    where digits is not null and u.root_id = scope_root() and u.role = 'owner' and u.phonenum <> ''
      and ltrim(u.phone_calling, '+') || u.phonenum like digits
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

-- ─── accounts/users ──────────────────────────────────────────────────────────────────────────────────────────────────

-- What an administrator of a company may do in each module (contract/accounts/permissions.ts).
create table role (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  name       text not null check (length(name) between 1 and 255),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  removed_at timestamptz,
  unique (company_id, id),
  foreign key (root_id, company_id) references company (root_id, id)
);
create unique index role_by_name on role (company_id, lower(name)) where removed_at is null;
call protect('role');
grant select, insert, update on role to lead_app;

create table role_module (
  role_id    uuid not null,
  module     text not null check (module in ('Ads Design', 'Campaign', 'LeadsPeek', 'Settings')),
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  may_see    boolean not null,
  may_create boolean not null,
  may_update boolean not null,
  may_delete boolean not null,
  primary key (role_id, module),
  foreign key (company_id, role_id) references role (company_id, id)
);
call protect('role_module');
grant select, insert, update on role_module to lead_app;

-- A user: someone who signs in.
create table user_account (
  id                   uuid primary key,
  root_id              uuid not null,
  agency_id            uuid,
  company_id           uuid not null,
  role                 text not null check (role in ('owner', 'administrator', 'sales')),
  is_account_executive boolean not null default false,
  email                text not null check (email = lower(email) and length(email) <= 70),
  name                 text not null check (length(name) between 1 and 255),
  password_hash        text,
  created_at           timestamptz not null,
  disabled_at          timestamptz,
  phonenum             text not null default '' check (length(phonenum) <= 32),
  phone_country        text not null default '' check (phone_country ~ '^([A-Z]{2})?$'),
  phone_calling        text not null default '' check (phone_calling ~ '^(\+\d{1,4})?$'),
  address              text not null default '',
  city                 text not null default '',
  zip                  text not null default '',
  state_code           text not null default '',
  country_code         text not null default '',
  picture              text,
  role_id              uuid,
  permission_active    boolean not null default true,
  permissions          jsonb not null default '[]',
  profile_done         boolean not null default false,
  -- Receives the notices that no one else gets; at most one in a company.
  is_default_admin     boolean not null default false,
  customer_care        boolean not null default false, -- The contact for the company's customers.
  gets_notices         boolean not null default true,
  mail_off             boolean not null default false, -- Gets no emails except those that their own account requires.
  campaigns_closed     boolean not null default false, -- Cannot add campaigns (rights_of).
  version              integer not null default 1,
  unique (root_id, id),
  unique (root_id, email),
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (company_id, role_id) references role (company_id, id),
  constraint default_admin_is_in_charge check (not is_default_admin or role in ('owner', 'administrator'))
);
create index user_account_by_company on user_account (company_id, name, id);
create index user_account_by_role on user_account (role_id) where role_id is not null;
create unique index user_account_default_admin on user_account (company_id) where is_default_admin;
create index user_account_by_company_created on user_account (company_id, created_at, id);
create index user_account_by_company_email on user_account (company_id, email);
create index user_phone_search on user_account using gin ((ltrim(phone_calling, '+') || phonenum) gin_trgm_ops)
  where role = 'owner' and phonenum <> '';
call protect('user_account');
grant select, insert, update on user_account to lead_app;

alter table company add constraint company_owner foreign key (root_id, owner_id) references user_account (root_id, id);

-- The owner that lists show: of those who may sign in, the one who has been there longest.
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

-- Asked with session_state, before a scope is known: what limits an administrator; null: everything that the grade may
-- do. These are the rows of their role, without adding campaigns if that is turned off for them.
create function rights_of(wanted uuid) returns jsonb
language sql stable security definer set search_path = public, pg_temp as $$
  select case
    when u.role <> 'administrator' or (u.role_id is null and not u.campaigns_closed) then null
    when u.role_id is null then
      (select jsonb_agg(jsonb_build_object('module', m, 'see', true, 'create', m <> 'Campaign', 'update', true, 'delete', true))
       from unnest(array['Ads Design', 'Campaign', 'LeadsPeek', 'Settings']) m)
    else
      coalesce((select jsonb_agg(jsonb_build_object('module', m.module, 'see', m.may_see,
                        'create', m.may_create and not (u.campaigns_closed and m.module = 'Campaign'),
                        'update', m.may_update, 'delete', m.may_delete))
                from role_module m where m.role_id = u.role_id), '[]') end
  from user_account u where u.id = wanted
$$;

-- What someone answered about their business. Personal data, which may be erased.
create table questionnaire (
  user_id            uuid primary key,
  root_id            uuid not null,
  agency_id          uuid,
  company_id         uuid not null,
  industry_id        text not null,
  franchise          boolean not null,
  franchise_director boolean not null,
  office_manager     boolean not null,
  answers            jsonb not null,
  saved_at           timestamptz not null,
  foreign key (root_id, user_id) references user_account (root_id, id)
);
call protect('questionnaire');
grant select, insert, update, delete on questionnaire to lead_app;

-- ─── accounts/audit ──────────────────────────────────────────────────────────────────────────────────────────────────

-- One row for each change, never altered. Personal values are in user_log_detail, where they can be erased. The row
-- keeps their hash, so that the chain over the rows survives an erasure.
create table user_log (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid,
  company_id   uuid not null,
  actor_id     uuid,
  viewed_as_id uuid,
  action       text not null,
  object_kind  text,
  object_id    text,
  request_id   text,
  detail_hash  bytea not null,
  created_at   timestamptz not null
);
create index user_log_by_company on user_log (company_id, created_at desc, id);
create index user_log_by_root on user_log (root_id, created_at desc, id);
-- Who looked at a company in view mode: the beginning of each view, by company and time.
create index user_log_views on user_log (company_id, created_at desc, id) where action = 'view.start';
call protect('user_log');
call append_only('user_log');
grant select, insert on user_log to lead_app;

-- The personal values of a row of the user log.
create table user_log_detail (
  log_id       uuid primary key references user_log (id),
  root_id      uuid not null,
  agency_id    uuid,
  company_id   uuid not null,
  name         text,
  type_user    text,
  user_ip      inet,
  location     text,
  description  text,
  company_name text
);
call protect('user_log_detail');
grant select, insert, update, delete on user_log_detail to lead_app;

-- The hash chain over the user log (docs/decisions/0014-audit-chain.md). A log row is written together with a note that
-- it is not sealed yet. A job seals what has been committed, so no request waits for the chain, and a row whose
-- transaction ends late comes with a later seal.
create table log_unsealed (
  root_id    uuid not null,
  log_id     uuid not null references user_log (id),
  agency_id  uuid,
  company_id uuid not null,
  primary key (root_id, log_id)
);
call protect('log_unsealed');
grant select, insert, delete on log_unsealed to lead_app;

-- The roots that have rows to seal, asked before a scope is known.
create function roots_to_seal() returns setof uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select distinct root_id from log_unsealed
$$;

-- One batch of a root's sealed rows: their ids and hashes in the chain's order, with positions counted on from the
-- previous seal. `drained`: no committed row was left to seal. `hash` covers all of this and the previous hash. `mac`
-- is the hash under a key of the installation (`key_id`), so that no one who has only the database can make another
-- chain.
create table log_seal (
  root_id        uuid not null,
  seq            bigint not null check (seq >= 1),
  agency_id      uuid check (agency_id is null),
  company_id     uuid not null check (company_id = root_id),
  first_position bigint not null check (first_position >= 1),
  last_position  bigint not null,
  log_ids        uuid[] not null,
  row_hashes     bytea[] not null,
  drained        boolean not null,
  previous_hash  bytea not null,
  hash           bytea not null,
  mac            bytea not null,
  key_id         text not null,
  sealed_at      timestamptz not null,
  primary key (root_id, seq),
  check (last_position - first_position + 1 = cardinality(log_ids) and cardinality(log_ids) = cardinality(row_hashes))
);
call protect('log_seal');
call append_only('log_seal');
grant select, insert on log_seal to lead_app;

-- ─── accounts/sales ──────────────────────────────────────────────────────────────────────────────────────────────────

-- Which salespeople take care of a company: a root's of its agencies, an agency's own of its clients. There is one
-- person in each role, and one person may have several. The row belongs to the company that they take care of.
create table sales_assignment (
  company_id  uuid not null,
  role        text not null check (role in ('representative', 'account_executive', 'referrer')),
  root_id     uuid not null,
  agency_id   uuid not null,
  user_id     uuid not null,
  assigned_at timestamptz not null,
  primary key (company_id, role),
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id),
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create index sales_assignment_by_user on sales_assignment (user_id, company_id);
call protect('sales_assignment');
grant select, insert, update, delete on sales_assignment to lead_app;

-- ─── accounts/auth ───────────────────────────────────────────────────────────────────────────────────────────────────

-- A sign-in is one family of refresh tokens. Tokens are derived (docs/decisions/0003-derived-refresh-tokens.md), so the
-- row contains none, only how many have been issued.
create table session (
  id                uuid primary key,
  root_id           uuid not null,
  agency_id         uuid,
  company_id        uuid not null,
  user_id           uuid not null,
  generation        integer not null default 0,
  rotated_at        timestamptz not null,
  created_at        timestamptz not null,
  expires_at        timestamptz not null,
  revoked_at        timestamptz,
  revoked_why       text check (
    revoked_why in ('logout', 'reuse', 'disabled', 'ended', 'password', 'factor', 'reverted', 'lapsed')),
  host              text not null,
  ip                inet,
  user_agent        text,
  last_ip           inet,
  -- View mode: a session as the person viewed, bound to the session of the true actor
  -- (docs/decisions/0015-view-mode.md). It ends with that session, and after 30 minutes.
  viewer_session_id uuid,
  viewer_id         uuid,
  view_reason       text check (length(view_reason) between 5 and 255),
  confirmed_at      timestamptz, -- When someone last proved who they are in this session, after signing in.
  -- Someone who still has to set up the second factor that is required of them: the session can do nothing else.
  needs_factor      boolean not null default false,
  foreign key (root_id, user_id) references user_account (root_id, id),
  constraint session_by_root unique (root_id, id),
  constraint session_viewer_session
    foreign key (root_id, viewer_session_id) references session (root_id, id),
  constraint session_viewer foreign key (root_id, viewer_id) references user_account (root_id, id),
  constraint session_view_whole check (num_nulls(viewer_session_id, viewer_id, view_reason) in (0, 3)),
  constraint session_view_other check (viewer_id <> user_id)
);
create index session_by_user on session (user_id, created_at desc);
create unique index session_one_view on session (viewer_session_id) where revoked_at is null;
create index session_of_view on session (user_id, created_at desc) where viewer_id is not null;
call protect('session');
grant select, insert, update on session to lead_app;

-- Asked on every request (cached for 5 s by the caller): is this session still active, as is the session behind it in
-- view mode, and with which rights? A salesperson's view lasts only while the company viewed, or its agency, is
-- assigned to them as more than the one who referred it.
create function session_state(wanted uuid)
returns table (user_id uuid, root_id uuid, agency_id uuid, company_id uuid, kind text, role text,
               is_account_executive boolean, needs_factor boolean, live boolean, expires_at timestamptz,
               viewer_session_id uuid, viewer_id uuid, viewer_agency_id uuid, viewer_company_id uuid, viewer_kind text,
               viewer_role text, viewer_name text)
language sql stable security definer set search_path = public, pg_temp as $$
  select u.id, u.root_id, u.agency_id, u.company_id, c.kind, u.role, u.is_account_executive, s.needs_factor,
         s.revoked_at is null and u.disabled_at is null and c.removed_at is null
           and (s.viewer_session_id is null
                or (o.revoked_at is null and ou.disabled_at is null and oc.removed_at is null
                    and (ou.role <> 'sales'
                         or exists (select from sales_assignment a
                                    where a.user_id = ou.id and a.company_id in (u.company_id, u.agency_id)
                                      and a.role <> 'referrer')))),
         least(s.expires_at, o.expires_at),
         s.viewer_session_id, s.viewer_id, ou.agency_id, ou.company_id, oc.kind, ou.role, ou.name
  from session s join user_account u on u.id = s.user_id join company c on c.id = u.company_id
  left join session o on o.id = s.viewer_session_id
  left join user_account ou on ou.id = o.user_id left join company oc on oc.id = ou.company_id
  where s.id = wanted
$$;

-- Keys of the installation. The private halves are sealed with APP_KEY (server/platform/crypto.ts).
create table signing_key (
  kid            text primary key,
  purpose        text not null check (purpose in ('access', 'body')),
  public_jwk     jsonb not null,
  private_sealed text not null,
  created_at     timestamptz not null,
  retired_at     timestamptz
);
create unique index signing_key_current on signing_key (purpose) where retired_at is null;
grant select, insert, update on signing_key to lead_app;

-- The one-time link for the first owner of an installation without any root.
create table setup_link (
  token_hash bytea primary key,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz
);
grant select, insert, update, delete on setup_link to lead_app;

-- A download carries no bearer token but this one: used once within 60 s, for one person and one file.
create table download_token (
  token_hash bytea primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  user_id    uuid not null,
  path       text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz,
  viewer_id  uuid -- A download requested in view mode also belongs to the true actor.
);
call protect('download_token');
grant select, insert, update, delete on download_token to lead_app;

-- A token is good for one try: one that is used for another path, or too late, is used up as well.
create function use_download_token(wanted bytea, wanted_path text, at timestamptz)
returns table (user_id uuid, root_id uuid, agency_id uuid, company_id uuid, viewer_id uuid)
language sql volatile security definer set search_path = public, pg_temp as $$
  with spent as (
    update download_token t set used_at = at where t.token_hash = wanted and t.used_at is null
    returning t.user_id, t.root_id, t.agency_id, t.company_id, t.viewer_id, t.path, t.expires_at)
  select s.user_id, s.root_id, s.agency_id, s.company_id, s.viewer_id from spent s
  where s.path = wanted_path and s.expires_at > at
$$;

-- A sign-in whose password was right and whose code is missing.
create table login_challenge (
  id         uuid primary key,
  token_hash bytea not null unique,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  user_id    uuid not null,
  tenant_id  uuid not null,
  -- For 'passkey', a passkey or a recovery code is asked for.
  kind       text not null check (kind in ('email', 'google', 'passkey')),
  code_mac   bytea,
  attempts   integer not null default 0,
  sent       integer not null default 1,
  sent_at    timestamptz not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz,
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create index login_challenge_by_time on login_challenge (root_id, created_at);
call protect('login_challenge');
grant select, insert, update, delete on login_challenge to lead_app;

-- A user's second factor. `kind` is null while it is off. `generation` counts the secrets, so that each is different.
-- `last_step` is the newest 30-second step whose code has been used.
create table user_factor (
  user_id       uuid primary key,
  root_id       uuid not null,
  agency_id     uuid,
  company_id    uuid not null,
  kind          text check (kind in ('email', 'google')),
  secret_sealed text,
  generation    integer not null default 0,
  last_step     bigint not null default 0,
  updated_at    timestamptz not null,
  -- Where the codes of an email factor go; null: to the account's address. It is kept when someone else changes the
  -- account's address, so that the second factor does not follow.
  address       text check (address = lower(address) and length(address) <= 255),
  foreign key (root_id, user_id) references user_account (root_id, id),
  check ((kind is not distinct from 'google') = (secret_sealed is not null))
);
call protect('user_factor');
grant select, insert, update on user_factor to lead_app;

-- One-time codes for those who have lost their second factor, kept as a MAC. Used ones stay until the next set is made.
create table recovery_code (
  user_id    uuid not null,
  code_mac   bytea not null,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  created_at timestamptz not null,
  used_at    timestamptz,
  primary key (user_id, code_mac),
  foreign key (root_id, user_id) references user_account (root_id, id)
);
call protect('recovery_code');
grant select, insert, update, delete on recovery_code to lead_app;

-- Passkeys (WebAuthn), each valid at the host where it was made. Only public keys: the private ones never leave the
-- devices.
create table passkey (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid,
  company_id    uuid not null,
  user_id       uuid not null,
  host          text not null,
  credential_id text not null check (length(credential_id) between 1 and 1400), -- In base64url.
  public_key    bytea not null,
  counter       bigint not null,
  transports    text[] not null,
  is_synced     boolean not null,
  name          text not null check (length(name) between 1 and 60),
  created_at    timestamptz not null,
  last_used_at  timestamptz,
  unique (root_id, host, credential_id),
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create index passkey_by_user on passkey (user_id);
call protect('passkey');
grant select, insert, update, delete on passkey to lead_app;

-- Challenges that have been answered, until they would have expired anyway.
create table passkey_answer (
  challenge  text primary key,
  expires_at timestamptz not null
);
create index passkey_answer_by_time on passkey_answer (expires_at);
grant select, insert, delete on passkey_answer to lead_app;

-- Captcha challenges that have been used, until they would have expired anyway.
create table captcha_used (
  signature  bytea primary key,
  expires_at timestamptz not null
);
grant select, insert, update, delete on captcha_used to lead_app;

-- A request for a new password. One for an address that no one has looks the same, except for the user. Tokens are
-- derived from the id (server/features/accounts/auth/policy.ts), so the row contains none.
create table password_reset (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  user_id    uuid,
  tenant_id  uuid not null,
  origin     text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz,
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create index password_reset_by_time on password_reset (root_id, created_at);
create index password_reset_by_user on password_reset (user_id) where used_at is null;
call protect('password_reset');
grant select, insert, update, delete on password_reset to lead_app;

-- A new address that its owner has not confirmed yet. The token is derived from the id, so the row contains none.
create table email_change (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid,
  company_id   uuid not null,
  user_id      uuid not null,
  email        text not null check (email = lower(email) and length(email) <= 70),
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  used_at      timestamptz,
  -- A change by someone else waits for a word from the old address, or until this time; null: the user's own change,
  -- which the link sent to the new address completes.
  effective_at timestamptz,
  asked_by     uuid,
  foreign key (root_id, user_id) references user_account (root_id, id),
  constraint email_change_asked check ((effective_at is null) = (asked_by is null))
);
create index email_change_by_user on email_change (user_id, created_at desc);
-- A confirmed address is also looked for among those that others have asked for.
create index email_change_open on email_change (root_id, email) where used_at is null;
create index email_change_due on email_change (root_id, effective_at) where used_at is null and effective_at is not null;
call protect('email_change');
grant select, insert, update, delete on email_change to lead_app;

-- A sign-up whose address is not confirmed yet. The company and its owner are created when it is.
create table sign_up (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid,
  company_id    uuid not null,
  kind          text not null check (kind in ('agency', 'client')),
  email         text not null,
  name          text not null,
  company_name  text not null,
  phone         text,
  password_hash text,
  refcode       text,
  referred_by   uuid,
  made_company  uuid,
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  used_at       timestamptz,
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, referred_by) references user_account (root_id, id)
);
create index sign_up_by_time on sign_up (root_id, created_at);
call protect('sign_up');
grant select, insert, update, delete on sign_up to lead_app;

-- Whom a sign-up with this code is credited to.
create table referral_code (
  root_id    uuid not null,
  code       text not null check (code ~ '^[A-Za-z0-9_-]{4,64}$'),
  agency_id  uuid,
  company_id uuid not null,
  user_id    uuid not null,
  created_at timestamptz not null,
  primary key (root_id, code),
  unique (user_id),
  foreign key (root_id, user_id) references user_account (root_id, id)
);
call protect('referral_code');
grant select, insert, update on referral_code to lead_app;

-- A one-time token that signs a user in at one tenant's host.
create table sso_token (
  token_hash bytea primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  user_id    uuid not null,
  tenant_id  uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz,
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create index sso_token_by_time on sso_token (root_id, created_at);
call protect('sso_token');
grant select, insert, update, delete on sso_token to lead_app;

-- What the owners of a company have to be told about the security of their users' accounts, collected until the next
-- email.
create table security_notice (
  log_id     uuid not null,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null, -- Whose owners are told.
  user_id    uuid not null, -- About whom.
  created_at timestamptz not null,
  told_at    timestamptz,
  primary key (company_id, log_id),
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create index security_notice_waiting on security_notice (root_id, created_at) where told_at is null;
create index security_notice_told on security_notice (company_id, told_at);
call protect('security_notice');
grant select, insert, update, delete on security_notice to lead_app;

-- ─── accounts/settings ───────────────────────────────────────────────────────────────────────────────────────────────

-- A company's settings by name. `value` is null for those in a table of their own (brand, module labels). The row
-- counts their versions all the same, so that the later of two editors is told.
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

-- The code that an agency puts into the pages of its own host, where anyone can read it.
create function front_embed(wanted uuid) returns jsonb
language sql stable security definer set search_path = public, pg_temp as $$
  select s.value from setting s join company c on c.id = s.company_id
  where s.company_id = wanted and s.name = 'rootAgencyEmbeddedCode' and c.kind = 'agency' and c.removed_at is null
    and wears_own(c.id)
$$;

-- A domain that a tenant claims, until the records that prove it are found, and how those are doing afterward.
create table domain_claim (
  company_id      uuid not null,
  host            text not null check (host = lower(host) and length(host) between 1 and 253),
  root_id         uuid not null,
  agency_id       uuid,
  token           text not null,
  status          text not null default 'waiting' check (status in ('waiting', 'verified', 'failing')),
  ownership       text not null default 'unknown'
    check (ownership in ('unknown', 'found', 'missing', 'wrong', 'unanswered')),
  ownership_found text[] not null default '{}',
  address         text not null default 'unknown'
    check (address in ('unknown', 'found', 'missing', 'wrong', 'unanswered')),
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

-- ─── accounts/agreements ─────────────────────────────────────────────────────────────────────────────────────────────

-- Who accepted which version of a document for which company. Only added to, except for the address, which can be
-- erased.
create table agreement_acceptance (
  id            uuid primary key,
  root_id       uuid not null,
  agency_id     uuid,
  company_id    uuid not null,
  user_id       uuid not null,
  document_type text not null,
  version       text not null,
  accepted_at   timestamptz not null,
  ip            inet,
  -- SHA-256 of the document shown; '' if it was not kept at the time.
  text_hash     text not null default '' check (text_hash ~ '^([0-9a-f]{64})?$'),
  company_name  text not null default '' check (length(company_name) <= 255),
  location_menu text not null default '' check (length(location_menu) <= 255), -- From where in the product.
  foreign key (root_id, user_id) references user_account (root_id, id),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index agreement_acceptance_by_company on agreement_acceptance (company_id, document_type, accepted_at desc);
call protect('agreement_acceptance');
grant select, insert, update (ip) on agreement_acceptance to lead_app;
