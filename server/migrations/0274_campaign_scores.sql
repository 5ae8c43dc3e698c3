-- How the leads of a campaign are scored (decision 0274): what each reason weighs, which pages are hot, and what the
-- campaign's filter does.
alter table campaign
  add column score_recency smallint not null default 3 check (score_recency between 0 and 10),
  add column score_depth   smallint not null default 3 check (score_depth between 0 and 10),
  add column score_hot     smallint not null default 4 check (score_hot between 0 and 10),
  add column score_fit     smallint not null default 2 check (score_fit between 0 and 10),
  add column score_pages   text[] not null default '{pricing,demo,contact,quote,checkout}',
  add column fit_use       text not null default 'refuse' check (fit_use in ('refuse', 'score'));
