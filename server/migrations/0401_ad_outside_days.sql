-- What an outside platform (Simpli.fi) has reported for a day, by creative, and what was charged for it. Reports grow; only
-- what is new in them is charged.
create table ad_outside_day (
  campaign_id  uuid not null,
  creative_id  uuid not null,
  day          date not null,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  impressions  bigint not null check (impressions >= 0),
  clicks       bigint not null check (clicks >= 0),
  media_micros bigint not null check (media_micros >= 0),
  price_micros bigint not null check (price_micros >= 0),
  primary key (campaign_id, creative_id, day),
  foreign key (root_id, campaign_id) references ad_campaign (root_id, campaign_id),
  foreign key (root_id, creative_id) references creative (root_id, id)
);
call protect('ad_outside_day');
grant select, insert, update on ad_outside_day to lead_app;
