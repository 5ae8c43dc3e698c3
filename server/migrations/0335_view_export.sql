-- Saved views that users have emailed to themselves (docs/decisions/0335-scheduled-exports.md).
create table view_export (
  view_id    uuid not null references list_view (id) on delete cascade,
  user_id    uuid not null,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  every      text not null check (every in ('day', 'week', 'month')),
  form       text not null check (form in ('CSV', 'link')),
  next_at    timestamptz not null,
  sent_at    timestamptz,
  primary key (view_id, user_id),
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create index view_export_due on view_export (root_id, next_at);
create index view_export_by_user on view_export (user_id);
call protect('view_export');
grant select, insert, update, delete on view_export to lead_app;
