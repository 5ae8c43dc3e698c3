-- Mails wait here until a worker hands them to the mail server. Without a mail server they stay (state kept), for the
-- root to read. Bodies hold links and codes, so they are sealed, and gone once a mail server has them.
create table mail (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid,
  company_id   uuid not null,
  kind         text not null,
  to_address   text not null check (length(to_address) <= 254),
  to_name      text not null,
  from_address text not null,
  from_name    text not null,
  subject      text not null,
  body_sealed  text,
  state        text not null default 'queued' check (state in ('queued', 'sent', 'kept', 'failed')),
  attempts     integer not null default 0,
  last_error   text,
  created_at   timestamptz not null,
  sent_at      timestamptz,
  foreign key (root_id, company_id) references company (root_id, id),
  check (concat(to_address, to_name, from_address, from_name, subject) !~ '[\u0001-\u001f\u007f]')
);
create index mail_by_root on mail (root_id, created_at desc, id);
call protect('mail');
grant select, insert, update, delete on mail to lead_app;
