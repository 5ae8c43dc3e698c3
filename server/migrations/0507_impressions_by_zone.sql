-- Anyone who sees a zone asks how many ads it showed: that looks at its own impressions, not at all of the root's.
create index ad_impression_by_zone on ad_impression (zone_id, at) where state = 'billed' and zone_id is not null;
