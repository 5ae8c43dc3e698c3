-- Media (docs/decisions/0440-banners.md): a creative without a campaign is an image in its company's library, which banners
-- use and which may become a creative.
alter table creative
  alter campaign_id drop not null,
  alter alt_text drop not null,
  alter click_url drop not null,
  add created_by uuid, -- No row: before this was kept.
  add check (campaign_id is null or (alt_text is not null and click_url is not null)),
  add foreign key (root_id, company_id) references company (root_id, id);
create index creative_by_user on creative (created_by, created_at desc);
create index creative_of_company on creative (company_id, created_at desc) where campaign_id is null;

-- ─── ads/banners ─────────────────────────────────────────────────────────────────────────────────────────────────────

-- One design of an ad in all of its sizes.
create table banner (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  company_id uuid not null,
  name       text not null check (length(name) between 1 and 255),
  alt_text   text not null default '' check (length(alt_text) <= 125),
  click_url  text not null default '' check (click_url = '' or click_url like 'https://%' or click_url like 'http://%'),
  design     jsonb not null check (length(design::text) <= 1048576),
  state      text not null default 'active' check (state in ('active', 'removed')),
  version    integer not null default 1,
  created_by uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (root_id, id),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index banner_by_company on banner (company_id, updated_at desc) where state = 'active';
create index banner_by_agency on banner (agency_id, updated_at desc) where state = 'active';
create index banner_by_root on banner (root_id, updated_at desc) where state = 'active';
call protect('banner');
grant select, insert, update on banner to lead_app;
