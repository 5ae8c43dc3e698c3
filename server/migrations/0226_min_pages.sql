-- How many pages of the site a visitor must have seen before they become a lead: Site ID only, 1 asks nothing.
alter table campaign
  add column min_pages smallint not null default 1 check (min_pages = 1 or module = 'local' and min_pages between 2 and 20);
