-- Templates of campaigns and of branding (docs/decisions/0470-templates.md), in versions, and what was pushed where.

-- ─── campaigns/templates ─────────────────────────────────────────────────────────────────────────────────────────────

create table template (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid, -- null: a root's
  company_id uuid not null,
  kind       text not null check (kind in ('campaign', 'branding')),
  module     text check (module in ('local', 'locator', 'enhance', 'b2b')),
  name       text not null check (length(name) between 1 and 255),
  versions   integer not null default 0, -- how many there are: the number of the newest
  created_by uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  removed_at timestamptz,
  unique (root_id, id),
  check ((kind = 'campaign') = (module is not null)),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index template_by_company on template (company_id, updated_at desc, id) where removed_at is null;
call protect('template');
grant select, insert, update on template to lead_app;

create table template_version (
  template_id uuid not null,
  number      integer not null check (number > 0),
  root_id     uuid not null,
  agency_id   uuid,
  company_id  uuid not null,
  fields      jsonb not null check (jsonb_typeof(fields) = 'object' and length(fields::text) <= 2097152),
  source      text not null check (length(source) <= 300), -- what it was taken from, in words
  note        text not null default '' check (length(note) <= 500),
  created_by  uuid not null,
  created_at  timestamptz not null,
  primary key (template_id, number),
  foreign key (root_id, template_id) references template (root_id, id)
);
call protect('template_version');
call append_only('template_version');
grant select, insert on template_version to lead_app;

create table template_push (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid,
  company_id  uuid not null,
  template_id uuid not null,
  version     integer not null,
  -- 'paused': the first stage is done, and someone has to let it go on.
  state       text not null check (state in ('running', 'paused', 'done', 'stopped', 'undoing', 'undone')),
  stage       smallint not null default 1 check (stage in (1, 2)),
  stages      smallint not null check (stages in (1, 2)),
  overwrites  boolean not null, -- fields that were changed since the last push as well
  created_by  uuid not null,
  created_at  timestamptz not null,
  -- Who let it go on or rolled it back last: what is done is done with their rights.
  acts_as     uuid not null,
  ended_at    timestamptz,
  undone_at   timestamptz,
  unique (root_id, id),
  foreign key (template_id, version) references template_version (template_id, number)
);
-- Of a template, one push at a time.
create unique index template_push_open on template_push (template_id) where state in ('running', 'paused', 'undoing');
create index template_push_newest on template_push (template_id, created_at desc, id);
call protect('template_push');
grant select, insert, update on template_push to lead_app;

create table template_target (
  push_id      uuid not null,
  position     integer not null,
  root_id      uuid not null,
  agency_id    uuid,
  company_id   uuid not null, -- whose template it is, as above
  template_id  uuid not null,
  target_id    uuid not null, -- a campaign, or an agency or root
  target_name  text not null check (length(target_name) <= 600),
  stage        smallint not null check (stage in (1, 2)),
  state        text not null default 'waiting'
               check (state in ('waiting', 'pushed', 'unchanged', 'refused', 'restored', 'partly', 'left')),
  changes      jsonb not null default '[]', -- field, before, after
  kept         jsonb not null default '[]', -- the fields that were changed since the last push, and left as they were
  applied      jsonb not null default '{}', -- what the fields of the template were after it
  undone       jsonb not null default '[]', -- field by field, what the rollback did
  reason       text not null default '' check (length(reason) <= 1000),
  done_at      timestamptz,
  primary key (push_id, position),
  unique (push_id, target_id),
  foreign key (root_id, push_id) references template_push (root_id, id)
);
create index template_target_last on template_target (template_id, target_id, done_at desc) where state in ('pushed', 'unchanged');
create index template_target_next on template_target (push_id, state, position);
call protect('template_target');
grant select, insert, update on template_target to lead_app;
