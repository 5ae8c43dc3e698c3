-- What white labelling means: an agency that has it wears its own brand, is found at its own domain and sends its own mails;
-- without it all three are its root's. So far every agency had all three, whatever its row said, and keeps them.
alter table company_billing alter column white_labelling set default true;
update company_billing set white_labelling = true where not white_labelling;

-- Whether a company wears its own brand: everybody but agencies without white labelling. No row: it has it.
create function wears_own(wanted uuid) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce((select b.white_labelling from company_billing b join company c on c.id = b.company_id
                   where c.id = wanted and c.kind = 'agency'), true)
$$;

create or replace function tenant_by_host(wanted text)
returns table (host text, company_id uuid, kind text, root_id uuid, agency_id uuid, company_name text, time_zone text)
language sql stable security definer set search_path = public, pg_temp as $$
  select d.host, c.id, c.kind, c.root_id, c.agency_id, c.name, c.time_zone
  from domain d join company c on c.id = d.company_id
  where d.host = lower(wanted) and d.verified_at is not null and c.removed_at is null
    and (d.kind <> 'custom' or wears_own(c.id))
$$;

create or replace function front_door(wanted uuid)
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

create or replace function front_embed(wanted uuid) returns jsonb
language sql stable security definer set search_path = public, pg_temp as $$
  select s.value from setting s join company c on c.id = s.company_id
  where s.company_id = wanted and s.name = 'rootAgencyEmbeddedCode' and c.kind = 'agency' and c.removed_at is null
    and wears_own(c.id)
$$;

revoke execute on function wears_own(uuid) from public;
grant execute on function wears_own(uuid) to lead_app;
