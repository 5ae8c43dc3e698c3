-- Where ad campaigns are shown, besides states and ZIP codes: cities as 'Austin, TX', and areas as contract/ads/area-rules.ts
-- has them. Both were checked before they came here; this bounds what a row can hold.
alter table ad_campaign
  add column cities text[] not null default '{}' check (cardinality(cities) <= 2000),
  add column areas jsonb not null default '[]'
    check (jsonb_typeof(areas) = 'array' and jsonb_array_length(areas) <= 50);
