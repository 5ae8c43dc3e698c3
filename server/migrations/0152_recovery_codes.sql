-- One-use codes for who has lost their second factor: kept as a MAC, the used ones until the next set is made.
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
