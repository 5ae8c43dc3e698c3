-- An agency that may have a brand of its own has its own name before it has made one, and nothing of its root's
-- (docs/decisions/0477-agencies-without-a-brand.md). Without white labeling, the brand stays the root's.
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
  select coalesce(b.name, o.name), b.tagline, b.box_bgcolor, b.text_color, b.link_color, b.template_bgcolor, b.sidebar_bgcolor, b.font_theme,
         (select jsonb_build_object('id', p.id, 'type', p.type, 'width', p.width, 'height', p.height) from picture p where p.id = b.logo_id),
         (select jsonb_build_object('id', p.id, 'type', p.type, 'width', p.width, 'height', p.height) from picture p where p.id = b.favicon_id),
         o.name, o.legal_name, o.short_name, o.address, o.city, o.zip, o.state_code, o.country_code, o.phone, o.email,
         (select d.host from domain d where d.company_id = c.id and d.kind = 'subdomain' and d.verified_at is not null limit 1),
         (select m.id from company m where m.is_master limit 1),
         coalesce((select own from labels where company_id = c.root_id), '{}') || coalesce((select own from labels where company_id = c.id), '{}'),
         coalesce((select own from labels where company_id = c.root_id), '{}')
  from company c
  join company o on o.id = case when c.kind = 'agency' and wears_own(c.id) then c.id else c.root_id end
  left join brand b on b.company_id = o.id
  where c.id = wanted
$$;
