-- What of its falling balance an agency without an automatic top-up has been mailed since its last top-up.
alter table wallet_setting
  add column told text not null default '' check (told in ('', 'low', 'empty'));
