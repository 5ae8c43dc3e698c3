-- How far the retries of a destination's deliveries had come when its company was last told, in percent; 0 after one arrived.
alter table integration add column alerted smallint not null default 0 check (alerted in (0, 50, 90, 100));
