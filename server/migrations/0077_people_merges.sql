-- People of a graph who are one human (docs/decisions/0077-evidence.md). Their rows and keys stay as they are: who was
-- absorbed points at whoever speaks for them, and undoing takes the pointer away.
create table person_merge (
  id         uuid primary key,
  root_id    uuid not null,
  agency_id  uuid check (agency_id is null),
  company_id uuid not null check (company_id = root_id),
  person_id  uuid not null,             -- who was absorbed
  into_id    uuid not null,             -- by whom
  top_id     uuid not null,             -- who speaks for them, at the end of the chain; of no meaning once undone
  merged_by  uuid,
  merged_at  timestamptz not null,
  undone_by  uuid,
  undone_at  timestamptz,
  check (person_id <> into_id and person_id <> top_id)
);
create unique index person_merge_of on person_merge (root_id, person_id) include (top_id) where undone_at is null;
create index person_merge_group on person_merge (root_id, top_id) include (person_id) where undone_at is null;
create index person_merge_newest on person_merge (root_id, merged_at desc, id);
call protect('person_merge');
grant select, insert, update, delete on person_merge to lead_app;

-- Whoever is erased is erased as all that they were known as, and no merge remembers them.
create function forget_merged() returns trigger language plpgsql as $$
begin
  if not exists (select from gone g join person_merge m on m.root_id = g.root_id and (m.person_id = g.id or m.into_id = g.id)) then
    return null;
  end if;
  with tops as (
    select distinct g.root_id, coalesce(m.top_id, g.id) as top_id from gone g
    left join person_merge m on m.root_id = g.root_id and m.person_id = g.id and m.undone_at is null
  ), members as (
    select root_id, top_id as id from tops
    union
    select m.root_id, m.person_id from tops t join person_merge m on m.root_id = t.root_id and m.top_id = t.top_id and m.undone_at is null
  ), forgotten as (
    delete from person_merge m using members x where m.root_id = x.root_id and (m.person_id = x.id or m.into_id = x.id)
  )
  delete from person p using members x where p.root_id = x.root_id and p.id = x.id;
  return null;
end $$;
create trigger forget_merged after delete on person
  referencing old table as gone for each statement execute function forget_merged();
