-- The people of a company as its lists show and change them (spec product 2, 3; docs/decisions/0059-staff-and-mail.md).

alter table user_account
  add column is_default_admin boolean not null default false,
  add column customer_care    boolean not null default false,
  add column gets_notices     boolean not null default true,
  add column mail_off         boolean not null default false,
  add column campaigns_closed boolean not null default false,
  add column version          integer not null default 1,
  add constraint default_admin_is_in_charge check (not is_default_admin or role in ('owner', 'administrator'));
create unique index user_account_default_admin on user_account (company_id) where is_default_admin;
create index user_account_by_company_created on user_account (company_id, created_at, id);
create index user_account_by_company_email on user_account (company_id, email);

-- Asked with session_state, before a scope is known: what limits an administrator; null: all that the grade may. Their role's
-- rows, and without adding campaigns where that is switched off for them.
create or replace function rights_of(wanted uuid) returns jsonb
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

-- By whose mail server a mail goes: the tenant's at this host, where it has set one. Null: mails from before.
alter table mail add column sender_host text check (length(sender_host) <= 253);

-- All roots with their hosts and owners, for the master root and nobody else: it sees no other row of theirs.
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
revoke execute on function root_list(text, integer, integer) from public;
grant execute on function root_list(text, integer, integer) to lead_app;
