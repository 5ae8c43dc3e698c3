-- Which of its company's 16 lanes a destination, or a connection, is sent on: they share one only where there are more than 16.
alter table integration add column lane smallint not null default 0 check (lane between 0 and 15);
alter table connection add column lane smallint not null default 15 check (lane between 0 and 15);
update integration i set lane = n.lane from (
  select id, (row_number() over (partition by company_id order by created_at, id) - 1) % 16 as lane from integration) n
  where n.id = i.id;
update connection c set lane = n.lane from (
  select id, 15 - (row_number() over (partition by company_id order by created_at, id) - 1) % 16 as lane from connection) n
  where n.id = c.id;
