-- Phone numbers that a source of people said are on a do-not-call list. By number and not by person: whoever has the number is not
-- to be called on it, and it stays so when the person who brought it is erased.
create table do_not_call (
  root_id     uuid not null,
  agency_id   uuid check (agency_id is null),
  company_id  uuid not null check (company_id = root_id),
  phone       text not null,        -- E.164
  source      text not null,        -- what said so last
  source_file bytea,                -- the first bytes of the file's SHA-256: another row of it does not take the mark back
  marked_at   timestamptz not null,
  primary key (root_id, phone)
);
call protect('do_not_call');
grant select, insert, update, delete on do_not_call to lead_app;

alter table import_job add column phones_marked bigint not null default 0; -- numbers that the file says are on a list

-- Whether a campaign asks for such numbers all the same.
alter table campaign add column dnc_phones boolean not null default false;

-- Of a lead's numbers: how many were not delivered for that reason, and whether those that were are on a list.
alter table lead_contact
  add column phones_withheld smallint not null default 0,
  add column phone_dnc       boolean not null default false,
  add column phone2_dnc      boolean not null default false;
