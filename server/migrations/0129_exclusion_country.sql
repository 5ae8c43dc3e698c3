-- Where the phone numbers of a list are from that do not say it.
alter table exclusion_list add column country text not null default 'US' check (country ~ '^[A-Z]{2}$');
