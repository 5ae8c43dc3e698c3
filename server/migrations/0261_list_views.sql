-- How each person looks at a list: its columns and density.
create table list_look (
  user_id    uuid not null,
  list       text not null check (length(list) between 1 and 60),
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  density    text not null check (density in ('comfortable', 'compact')),
  columns    text[], -- null: the list's own
  updated_at timestamptz not null,
  primary key (user_id, list),
  foreign key (root_id, user_id) references user_account (root_id, id)
);
call protect('list_look');
grant select, insert, update on list_look to lead_app;

-- Filters, sort, and columns of a list under a name: of one person, or shared with everybody in the company.
create table list_view (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  user_id    uuid not null, -- who saved it
  list       text not null check (length(list) between 1 and 60),
  name       text not null check (length(name) between 1 and 60),
  is_shared  boolean not null,
  params     jsonb not null, -- the part of the page's address that narrows and sorts the list
  columns    text[],
  created_at timestamptz not null,
  updated_at timestamptz not null,
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create index list_view_by_user on list_view (user_id);
create index list_view_shared on list_view (company_id) where is_shared;
call protect('list_view');
grant select, insert, update, delete on list_view to lead_app;
