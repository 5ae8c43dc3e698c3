-- Until when someone tells an outside platform of a campaign (docs/decisions/0504-limits-of-ads.md): no one else does.
alter table ad_campaign add column telling_until timestamptz;
