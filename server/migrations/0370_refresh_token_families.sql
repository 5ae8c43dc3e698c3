-- The refresh tokens of an app are a family, derived from the grant and their number, as those of sessions are: a repeated
-- request gets the same successor, and a token whose successor was used ends the access at once. The tokens given out
-- before this become invalid: their apps ask for access anew.
alter table developer_grant
  drop column refresh_hash,
  drop column previous_hash,
  add column generation integer not null default 0; -- the newest refresh token given out; 0: the code was not used yet
