-- What the owners of a company are to be told of the safety of their people's accounts, gathered until the next mail.
create table security_notice (
  log_id     uuid not null,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null, -- whose owners are told
  user_id    uuid not null, -- of whom
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
