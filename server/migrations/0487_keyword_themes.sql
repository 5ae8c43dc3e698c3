-- Keywords on sensitive themes are blocked unless the root allows a theme (docs/decisions/0487-keyword-themes.md).
-- Themes are bits: 1 health, 2 minors, 4 religion, 8 distress (contract/audience/keyword-themes.ts).
create table keyword_allowance (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid check (agency_id is null),
  company_id  uuid not null check (company_id = root_id),
  for_company uuid not null, -- The client, the agency with all its clients, or the root: everyone.
  theme       smallint not null check (theme in (1, 2, 4, 8)),
  reason      text not null check (length(reason) between 1 and 500),
  allowed_by  uuid not null,
  created_at  timestamptz not null,
  unique (root_id, for_company, theme),
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, for_company) references company (root_id, id)
);
call protect('keyword_allowance');
grant select, insert, update, delete on keyword_allowance to lead_app;

-- The themes that a client may use. Agencies and clients ask as well, but do not see whom else the root allowed what.
create function keyword_themes_allowed(agency uuid, client uuid) returns smallint
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(bit_or(a.theme), 0)::smallint from keyword_allowance a
  where a.root_id = scope_root() and a.for_company in (a.root_id, agency, client)
$$;
revoke execute on function keyword_themes_allowed(uuid, uuid) from public;
grant execute on function keyword_themes_allowed(uuid, uuid) to lead_app;

-- The themes of each keyword of a campaign, and by which version of the lists they were judged. Keywords from before are
-- judged by a job.
alter table campaign_keyword add column themes smallint not null default 0;
alter table campaign_target add column themes_version smallint not null default 0;
create index campaign_target_by_version on campaign_target (root_id, themes_version);

-- When a number was last compared with do-not-call lists, by whichever source says so: also if it was not on one. What is
-- known of a number that nobody has any more is deleted with the person, unlike a mark in do_not_call.
create table phone_scrub (
  root_id     uuid not null,
  agency_id   uuid check (agency_id is null),
  company_id  uuid not null check (company_id = root_id),
  phone       text not null, -- E.164.
  source      text not null,
  scrubbed_at timestamptz not null,
  primary key (root_id, phone)
);
call protect('phone_scrub');
grant select, insert, update, delete on phone_scrub to lead_app;
insert into phone_scrub (root_id, company_id, phone, source, scrubbed_at)
select root_id, company_id, phone, source, marked_at from do_not_call;

-- What is known of numbers: since when they are marked, and when and by what they were last compared.
create function phone_checks(phones text[])
returns table (phone text, marked_at timestamptz, scrubbed_at timestamptz, source text)
language sql stable security definer set search_path = public, pg_temp as $$
  select n.phone, d.marked_at, s.scrubbed_at, s.source
  from unnest(phones) n (phone)
  left join do_not_call d on d.root_id = scope_root() and d.phone = n.phone
  left join phone_scrub s on s.root_id = scope_root() and s.phone = n.phone
  where d.phone is not null or s.phone is not null
$$;
revoke execute on function phone_checks(text[]) from public;
grant execute on function phone_checks(text[]) to lead_app;
