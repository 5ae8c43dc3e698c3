-- The trade that a client is in, in its agency's words; '' for none.
alter table company
  add column industry text not null default '',
  add constraint company_industry check (industry = '' or kind = 'client' and char_length(industry) <= 255);
