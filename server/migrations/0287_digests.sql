-- Who wants the weekly digest (docs/decisions/0287-digest.md). Users without a row have not chosen.
create table digest_choice (
  user_id    uuid primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  is_on      boolean not null,
  changed_at timestamptz not null,
  foreign key (root_id, user_id) references user_account (root_id, id),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('digest_choice');
grant select, insert, update on digest_choice to lead_app;

-- The digests of each company, week, and recipient: the row is what makes two workers send one. Without an email there
-- was nothing to tell.
create table digest_sent (
  company_id uuid not null,
  week       date not null, -- the Monday that it began with
  user_id    uuid not null,
  root_id    uuid not null,
  agency_id  uuid not null,
  mail_id    uuid,
  created_at timestamptz not null,
  primary key (company_id, week, user_id),
  foreign key (root_id, user_id) references user_account (root_id, id)
);
create index digest_sent_old on digest_sent (root_id, created_at);
call protect('digest_sent');
grant select, insert, update, delete on digest_sent to lead_app;
