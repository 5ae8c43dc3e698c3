-- What a client's next campaigns begin with may count leads a day, a week or a month, as the campaigns themselves do.
alter table retail_cost
  add column limit_every text not null default 'day' check (limit_every in ('day', 'week', 'month'));
