-- Sign-ups (visits that say who the visitor is) are judged before anybody is looked up, and those that look forged are held until
-- the agency releases them (docs/decisions/0110-held-sign-ups.md).

-- Whether a sign-up's browser has seen a page before.
create index visit_by_visitor on visit (visitor_id) where event = 'view';

-- The sign-ups of the last days, by what limits count. Kept for two days.
create table signup (
  campaign_id uuid not null,
  hash        bytea not null,           -- a byte of kind, then the hash of the email
  address     text,                     -- IPv6: its /64, which one customer has
  visitor_id  uuid,
  network     text,                     -- its /24, or /48
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  held        boolean not null,
  at          timestamptz not null,
  unique nulls not distinct (campaign_id, hash, address, visitor_id)
);
create index signup_by_network on signup (root_id, network, at desc);
create index signup_by_visitor on signup (company_id, visitor_id);
create index signup_by_time on signup (at);
call protect('signup');
grant select, insert, update on signup to lead_app;

-- New people among a campaign's sign-ups that were let through, by hour: what is usual for it.
create table signup_hour (
  campaign_id uuid not null,
  hour        timestamptz not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  count       bigint not null,
  primary key (campaign_id, hour)
);
call protect('signup_hour');
grant select, insert, update on signup_hour to lead_app;

create table held_visit (
  day         date not null,
  event_id    uuid not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  campaign_id uuid not null,
  reason      text not null check (reason in ('no_view', 'browser', 'address', 'network', 'burst')),
  source      text not null,            -- the address or network; empty: none, or many
  event       text not null,
  hash        bytea,
  received_at timestamptz not null,
  state       text not null check (state in ('held', 'released', 'discarded')),
  asked_at    timestamptz,              -- when the client asked the agency to release it
  decided_at  timestamptz,
  decided_by  uuid,
  primary key (day, event_id),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index held_visit_by_campaign on held_visit (campaign_id, received_at desc) where state = 'held';
create index held_visit_by_company on held_visit (company_id, received_at desc) where state = 'held';
create index held_visit_by_agency on held_visit (agency_id, received_at desc) where state = 'held';
create index held_visit_by_root on held_visit (root_id, received_at desc) where state = 'held';
create index held_visit_by_time on held_visit (received_at);
call protect('held_visit');
grant select, insert, update on held_visit to lead_app;

-- Forgets what the limits need no more, and held visits that nobody has decided about.
create procedure forget_signups(signups_before timestamptz, hours_before timestamptz, held_before timestamptz)
language sql security definer set search_path = public, pg_temp as $$
  delete from signup where at < signups_before;
  delete from signup_hour where hour < hours_before;
  delete from held_visit where received_at < held_before;
$$;
revoke execute on procedure forget_signups(timestamptz, timestamptz, timestamptz) from public;
grant execute on procedure forget_signups(timestamptz, timestamptz, timestamptz) to lead_app;
