-- Whom a campaign wants, whatever led to them: everyone else is refused before anything is paid (decision 0270). An empty
-- list asks nothing.
alter table campaign
  add column fit_titles      text[] not null default '{}',
  add column fit_seniorities text[] not null default '{}',
  add column fit_industries  text[] not null default '{}',
  add column fit_sizes       text[] not null default '{}',
  add column fit_states      text[] not null default '{}',
  add column fit_zips        text[] not null default '{}',
  add column fit_ages        text[] not null default '{}',
  add column fit_incomes     text[] not null default '{}',
  add column fit_home        text not null default 'any' check (fit_home in ('any', 'owner', 'renter')),
  add column fit_unknown     text not null default 'take' check (fit_unknown in ('take', 'refuse')),
  add constraint campaign_fit_module check (module <> 'b2b'
    or fit_titles = '{}' and fit_seniorities = '{}' and fit_industries = '{}' and fit_sizes = '{}');

-- Counts so far had no filter: it left everyone who could be contacted.
update intent_count set waterfall = waterfall || jsonb_build_object('fitting', waterfall->'contactable')
  where waterfall is not null and not waterfall ? 'fitting';
