-- How far the demo of this database is: one row from the moment that it is begun. One that is begun and not whole, and that nobody
-- is making, was interrupted; the next start begins it anew (server/main.ts).
create table demo (
  only_one boolean primary key default true check (only_one),
  begun_at timestamptz not null default now(),
  -- Where the demo's shop and receiver were when it was made: the demo's webhook leads there.
  port     integer not null,
  whole_at timestamptz
);
insert into demo (port, whole_at)
select 8080, now() where exists (select from user_account where email = 'root@demo.test');
