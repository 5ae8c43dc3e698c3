-- Who is told by email that a site has gone silent. Users without a row have not chosen.
create table silence_choice (
  user_id    uuid primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  is_on      boolean not null,
  changed_at timestamptz not null,
  foreign key (root_id, user_id) references user_account (root_id, id),
  foreign key (root_id, company_id) references company (root_id, id)
);
call protect('silence_choice');
grant select, insert, update on silence_choice to lead_app;

-- The silences that were told: each once, until something is heard from the site again.
create table silence_told (
  campaign_id  uuid primary key,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  silent_since timestamptz not null,
  told_at      timestamptz not null,
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index silence_told_of on silence_told (root_id, campaign_id);
call protect('silence_told');
grant select, insert, delete on silence_told to lead_app;
