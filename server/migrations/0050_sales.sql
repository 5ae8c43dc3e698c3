-- Which sales people a company is in the care of: a root's sales for its agencies, an agency's own for its clients
-- (ROLE-02, AGCY-16). One person a role; one person may hold several. The row belongs to the company that is cared for.
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

-- Who looked at a company in view mode (BEY-12): the begin of each view, by company and time.
create index user_log_views on user_log (company_id, created_at desc, id) where action = 'view.start';
create index session_of_view on session (user_id, created_at desc) where viewer_id is not null;
