-- Privacy requests that came by mail or phone are entered by hand, and deadlines are warned of (docs/decisions/0488-requests-by-hand.md).
alter table privacy_request
  add column came_by text not null default 'web' check (came_by in ('web', 'email', 'mail', 'phone', 'in_person')),
  -- What proves who asked, in the words of whoever entered the request.
  add column proof text not null default '' check (length(proof) <= 500),
  add column entered_by uuid,
  add column acknowledged_at timestamptz, -- When receipt was confirmed to the person.
  add check ((came_by = 'web') = (entered_by is null));
update privacy_request set acknowledged_at = proven_at where proven_at is not null;
create index privacy_request_unacknowledged on privacy_request (root_id, received_at)
  where state = 'open' and acknowledged_at is null;

-- Which deadlines those who handle requests were warned of: each once before it, and once when it has passed.
create table privacy_warning (
  request_id uuid not null,
  root_id    uuid not null,
  agency_id  uuid,
  company_id uuid not null,
  kind       text not null check (kind in ('acknowledge', 'answer')),
  due_at     timestamptz not null,
  is_late    boolean not null,
  told_at    timestamptz not null,
  primary key (request_id, kind, due_at, is_late),
  foreign key (root_id, request_id) references privacy_request (root_id, id)
);
create index privacy_warning_of on privacy_warning (root_id, request_id);
call protect('privacy_warning');
call append_only('privacy_warning');
create policy warned_by_root on privacy_warning as restrictive for insert to lead_agency, lead_client with check (false);
grant select, insert on privacy_warning to lead_app;

-- How many entries of each deletion list are in force, kept with each load: the page asks every few seconds.
alter table drop_account add column standing jsonb not null default '{}';
update drop_account a set standing = coalesce(
  (select jsonb_object_agg(c.list, c.n) from (
    select e.list, count(*) as n from drop_entry e where e.root_id = a.root_id and e.removed_at is null group by e.list) c), '{}');
