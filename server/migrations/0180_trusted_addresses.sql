-- Addresses and networks (an office, a call center) whose sign-ups are not held for being many; the client names them, the agency
-- decides (docs/decisions/0180-trusted-addresses.md).
create table trusted_address (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  campaign_id uuid,                     -- null: all campaigns of the client
  network     cidr not null check (masklen(network) >= case family(network) when 4 then 22 else 48 end),
  note        text not null check (length(note) <= 100),
  created_at  timestamptz not null,
  created_by  uuid not null,
  trusted_at  timestamptz,              -- null: the client asks for it
  trusted_by  uuid,
  check ((trusted_at is null) = (trusted_by is null)),
  unique nulls not distinct (company_id, campaign_id, network),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
call protect('trusted_address');
grant select, insert, update, delete on trusted_address to lead_app;

-- When a client and its agency were last told that sign-ups are held: once in 24 hours.
create table held_notice (
  company_id uuid primary key,
  root_id    uuid not null,
  agency_id  uuid not null,
  told_at    timestamptz not null
);
call protect('held_notice');
grant select, insert, update on held_notice to lead_app;
