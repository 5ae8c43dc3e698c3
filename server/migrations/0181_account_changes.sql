-- Accounts that money is paid out to and that were, or are to be, let go of for others. What somebody else than an owner of the
-- agency asks for waits until effective_at (docs/decisions/0181-payout-accounts.md).
create table account_change (
  id           uuid primary key,
  root_id      uuid not null,
  agency_id    uuid,
  company_id   uuid not null,
  user_id      uuid,                    -- a sales person's own account; null: the agency's
  reference    text not null,           -- the account that is let go of
  asked_by     uuid not null,
  created_at   timestamptz not null,
  effective_at timestamptz not null,
  ended_at     timestamptz,
  outcome      text check (outcome in ('done', 'stopped')),
  check ((ended_at is null) = (outcome is null))
);
create unique index account_change_open on account_change (company_id, user_id) nulls not distinct where ended_at is null;
create index account_change_by_holder on account_change (company_id, user_id, created_at desc);
call protect('account_change');
grant select, insert, update on account_change to lead_app;
