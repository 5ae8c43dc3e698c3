-- Changes of somebody's address by another person wait: for a word from the old address, or for `effective_at`. Null: the
-- person's own wish, which the link sent to the new address completes.
alter table email_change
  add column effective_at timestamptz,
  add column asked_by uuid,
  add constraint email_change_asked check ((effective_at is null) = (asked_by is null));
create index email_change_due on email_change (root_id, effective_at) where used_at is null and effective_at is not null;

-- Where the codes of an e-mail factor go; null: to the account's address. Kept when an address is changed by others, so that
-- the second factor does not follow it.
alter table user_factor
  add column address text check (address = lower(address) and length(address) <= 255);
