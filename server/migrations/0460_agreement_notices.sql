-- Which companies were told of a new version of an agreement: when it is published, a week before the earlier one ends,
-- and when it has ended. Each is told once.
create table agreement_notice (
  version_id uuid not null references agreement_version (id),
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null, -- the company that has to accept
  kind       text not null check (kind in ('published', 'soon', 'ended')),
  told_at    timestamptz not null,
  primary key (version_id, company_id, kind),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index agreement_notice_of on agreement_notice (root_id, company_id);
call protect('agreement_notice');
call append_only('agreement_notice');
grant select, insert on agreement_notice to lead_app;
create index agreement_version_by_end on agreement_version (root_id, effective_at);
