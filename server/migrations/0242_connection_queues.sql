-- One queue for each account at a vendor that limits its calls or takes batches, however many connections lead there:
-- who is sending, and how many calls may still be made (a bucket that fills again).
create table connection_queue (
  root_id    uuid not null,
  vendor     text not null,
  account    text not null,
  busy_until timestamptz,
  calls      double precision not null,
  counted_at timestamptz not null,
  primary key (root_id, vendor, account)
);
alter table connection_queue enable row level security;
alter table connection_queue force row level security;
create policy root on connection_queue to lead_root using (root_id = scope_root());
create policy owner on connection_queue to lead_owner using (true) with check (true);
grant select, insert, update on connection_queue to lead_app;

-- What is due at a destination, for a batch; nothing asks for what is due in a whole root.
drop index delivery_open;
create index delivery_due on delivery (integration_id, next_at) where state in ('pending', 'unknown') and not is_test;
