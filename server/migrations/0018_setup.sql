-- How far companies and their people are with their set-up, and what each person may.

-- What an administrator of a company may do in each module (contract/accounts/users.ts, RoleModule).
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

alter table user_account
  add column phonenum          text not null default '' check (length(phonenum) <= 32),
  add column phone_country     text not null default '' check (phone_country ~ '^([A-Z]{2})?$'),
  add column phone_calling     text not null default '' check (phone_calling ~ '^(\+\d{1,4})?$'),
  add column address           text not null default '',
  add column city              text not null default '',
  add column zip               text not null default '',
  add column state_code        text not null default '',
  add column country_code      text not null default '',
  add column picture           text,
  add column role_id           uuid,
  add column permission_active boolean not null default true,
  add column permissions       jsonb not null default '[]',
  add column profile_done      boolean not null default false,
  add foreign key (company_id, role_id) references role (company_id, id);
create index user_account_by_role on user_account (role_id) where role_id is not null;

-- What somebody answered about their business. Personal, so it may be erased.
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

-- A new address that its owner has not confirmed yet. The token is derived from the id, so the row holds none.
create table email_change (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  user_id    uuid not null,
  email      text not null check (email = lower(email) and length(email) <= 70),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz,
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create index email_change_by_user on email_change (user_id, created_at desc);
call protect('email_change');

-- The modules and payment terms of a company; null: all that the company above has.
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

-- Features in trial, where a root has changed them (server/features/accounts/tenants/products.policy.ts has the beginning).
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
create table beta_user (
  company_id uuid primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  created_at timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('beta_user');

-- A company's card: never its number, only the provider's name for it and what people know it by.
create table payment_card (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  provider   text not null check (provider in ('sandbox', 'stripe')),
  reference  text not null default '',
  brand      text not null,
  last4      text not null check (last4 ~ '^\d{4}$'),
  exp_month  smallint not null check (exp_month between 1 and 12),
  exp_year   smallint not null,
  created_at timestamptz not null,
  removed_at timestamptz,
  unique (root_id, id),
  foreign key (root_id, company_id) references company (root_id, id)
);
create unique index payment_card_one on payment_card (company_id) where removed_at is null;
call protect('payment_card');

-- An agency's account at the card provider, as the provider last said.
create table connected_account (
  company_id      uuid primary key,
  root_id         uuid not null,
  agency_id       uuid not null,
  provider        text not null check (provider in ('sandbox', 'stripe')),
  reference       text not null default '',
  status          text not null check (status in ('', 'pending', 'inverification', 'completed', 'failed')),
  charges_enabled boolean not null default false,
  payouts_enabled boolean not null default false,
  requirements    jsonb not null default '[]',
  updated_at      timestamptz not null,
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id),
  check (company_id = agency_id)
);
call protect('connected_account');

-- How a company is billed and what follows from it. No row: the beginning.
create table company_billing (
  company_id         uuid primary key,
  root_id            uuid not null,
  agency_id          uuid not null,
  package_id         text not null default '',
  manual_bill        boolean not null default false,
  payment_status     text not null default '' check (payment_status in ('', 'failed')),
  access_module      text not null default '' check (access_module in ('', 'paymentfailed')),
  campaigns_closed   boolean not null default false,
  onboarding_on      boolean not null default false,
  onboarding_micros  bigint not null default 0 check (onboarding_micros >= 0),
  onboarding_coupon  boolean not null default false,
  onboarding_charged timestamptz,
  api_mode           boolean not null default false,
  white_labelling    boolean not null default false,
  updated_at         timestamptz not null,
  foreign key (root_id, agency_id, company_id) references company (root_id, agency_id, id)
);
call protect('company_billing');

-- Who accepted which version of a document for which company. Only added to, but for the address, which is erasable.
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
  foreign key (root_id, user_id) references user_account (root_id, id),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index agreement_acceptance_by_company on agreement_acceptance (company_id, document_type, accepted_at desc);
call protect('agreement_acceptance');

-- Asked with session_state, before a scope is known: the rows of an administrator's role; null: all that the grade may.
create function rights_of(wanted uuid) returns jsonb
language sql stable security definer set search_path = public, pg_temp as $$
  select case when u.role = 'administrator' and u.role_id is not null then
           coalesce((select jsonb_agg(jsonb_build_object('module', m.module, 'see', m.may_see, 'create', m.may_create,
                                                         'update', m.may_update, 'delete', m.may_delete))
                     from role_module m where m.role_id = u.role_id), '[]') end
  from user_account u where u.id = wanted
$$;

-- The roles that every company begins with (server/features/accounts/users/role.policy.ts), for the companies there are.
do $$
declare c record;
begin
  for c in select id, root_id, agency_id from company where removed_at is null loop
    with made as (
      insert into role (id, root_id, agency_id, company_id, name, created_at, updated_at)
      select gen_random_uuid(), c.root_id, c.agency_id, c.id, name, now(), now()
      from unnest(array['Full access', 'Campaign manager', 'Read only']) name
      returning id, name)
    insert into role_module
    select made.id, module, c.root_id, c.agency_id, c.id, made.name = 'Full access' or module <> 'Settings',
           made.name = 'Full access' or (made.name = 'Campaign manager' and module <> 'Settings'),
           made.name = 'Full access' or (made.name = 'Campaign manager' and module <> 'Settings'),
           made.name = 'Full access' or (made.name = 'Campaign manager' and module <> 'Settings')
    from made, unnest(array['Ads Design', 'Campaign', 'LeadsPeek', 'Settings']) module;
  end loop;
end $$;

revoke execute on function rights_of(uuid) from public;
grant execute on function rights_of(uuid) to lead_app;
grant select, insert, update on role, role_module, company_products, beta_feature, payment_card, connected_account,
  company_billing to lead_app;
grant select, insert, update, delete on questionnaire, email_change, beta_user to lead_app;
grant select, insert, update (ip) on agreement_acceptance to lead_app;
